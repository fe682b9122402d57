// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nn.Module class of a host.module: the original's constructor, and a forward that passes its
// parameters to the host program.
#include "emit/HostPrinter.h"
#include "emit/UserText.h"

using namespace mlir;

namespace nereid::emit {

/// `blocks.0.weight` as `self.blocks[0].weight`: `graph.steps` has what is not `.name`.
static std::string getAttribute(host::ModuleOp type, llvm::StringRef path) {
  auto odd = type->getAttrOfType<DictionaryAttr>("graph.steps");
  std::string text = "self";
  for (size_t end = 0, begin = 0; end < path.size(); begin = end + 1) {
    end = std::min(path.find('.', begin), path.size());
    llvm::StringRef name = path.slice(begin, end);
    auto own = odd ? odd.getAs<StringAttr>(path.take_front(end)) : StringAttr();
    std::string step = own ? requoteParts(own.getValue()) : "." + name.str();
    bool isNumber = !odd && !name.empty() && llvm::all_of(name, llvm::isDigit);
    if (isNumber)
      step = "[" + name.str() + "]";
    bool isQuoted = step.front() == '"' || step.front() == '\'';
    text = isQuoted ? "getattr(" + text + ", " + step + ")" : text + step;
  }
  return text;
}

/// Takes away the indent that all lines share.
static std::string dedent(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  size_t shared = llvm::StringRef::npos;
  for (llvm::StringRef line : lines)
    if (!line.trim().empty())
      shared = std::min(shared, line.find_first_not_of(' '));
  std::string result;
  for (llvm::StringRef line : lines)
    result += line.drop_front(std::min(shared, line.size())).rtrim().str() + "\n";
  return llvm::StringRef(result).trim('\n').str();
}

/// A blank line behind the docstring that a class body starts with.
static std::string separateDocstring(const std::string &body) {
  llvm::StringRef text(body);
  if (!text.starts_with("\"\"\""))
    return body;
  size_t end = text.find("\"\"\"", 3);
  size_t next = end == llvm::StringRef::npos ? end : text.find('\n', end);
  if (next == llvm::StringRef::npos || text.substr(next).starts_with("\n\n"))
    return body;
  return (text.take_front(next) + "\n" + text.substr(next)).str();
}

/// Whether the user's text is surely not as `ruff format` would leave it.
static bool needsFormatting(llvm::StringRef body) {
  llvm::SmallVector<llvm::StringRef> lines;
  body.split(lines, '\n');
  bool isLong =
      llvm::any_of(lines, [](llvm::StringRef line) { return getColumns(line) + 4 > lineWidth; });
  return isLong || body.contains('\'') || body.contains(';') || body.contains("\\\n") ||
         body.contains("\n\n\n") || body.contains('\t');
}

/// Notes the statements of the user's file behind the class.
static void noteTail(llvm::StringRef text, FileParts &parts) {
  FileParts own;
  addDefinitions(text, own);
  for (const std::string &line : own.imports)
    if (!llvm::is_contained(parts.imports, line))
      parts.imports.push_back(line);
  for (const std::string &definition : own.definitions) {
    noteModules(definition, parts);
    parts.tail.push_back(definition);
  }
}

LogicalResult printClass(host::ModuleOp type, FileParts &parts, Writer &writer) {
  auto program = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(type, type.getForwardAttr());
  if (!program)
    return type.emitOpError() << "names no host program as its forward";
  size_t kept = type.getTree().size();
  if (program.getNumArguments() < kept)
    return type.emitOpError() << "lists " << kept << " parameters, but its forward takes "
                              << program.getNumArguments() << " arguments";
  std::string constructor = separateDocstring(dedent(type.getConstructor()));
  parts.usesNn = true;
  if (auto definitions = type->getAttrOfType<StringAttr>("graph.definitions"))
    addDefinitions(definitions.getValue(), parts);
  noteModules(constructor, parts);
  auto bases = type->getAttrOfType<StringAttr>("graph.bases");
  std::string base = bases && !bases.getValue().empty() ? bases.str() : "nn.Module";
  noteModules(base, parts);
  if (auto moved = type->getAttrOfType<StringAttr>("graph.moved")) {
    parts.usesMovedClass = true;
    writer.line("@_moved_to(" + getDType(moved.getValue()) + ")");
  }
  if (auto compared = type->getAttrOfType<StringAttr>("graph.compared")) {
    parts.usesComparedClass = true;
    writer.line("@_compared_with(" + compared.str() + ")");
  }
  if (auto decorators = type->getAttrOfType<StringAttr>("graph.decorators")) {
    noteModules(decorators.getValue(), parts);
    writer.block(decorators.getValue().rtrim());
  }
  writer.line("class " + type.getSymName().str() + "(" + base + "):");
  writer.indent();
  if (!constructor.empty()) {
    bool keepsLayout = needsFormatting(constructor);
    if (keepsLayout)
      writer.line("# fmt: off");
    writer.block(constructor);
    if (keepsLayout)
      writer.line("# fmt: on");
    writer.line("");
  }
  llvm::SmallVector<Code> arguments;
  for (auto [place, path] : llvm::enumerate(type.getTree().getAsRange<StringAttr>()))
    arguments.push_back(
        Code::text(spellOperand(program, place, getAttribute(type, path.getValue()))));
  llvm::SmallVector<std::string> texts;
  if (auto paths = type->getAttrOfType<ArrayAttr>("graph.plain"))
    for (Attribute path : paths)
      texts.push_back(getAttribute(type, cast<StringAttr>(path).getValue()));
  llvm::SmallVector<llvm::StringRef> plain(texts.begin(), texts.end());
  printForward(program, arguments, plain, parts, writer);
  writer.dedent();
  if (auto alias = type->getAttrOfType<StringAttr>("graph.alias")) {
    writer.line("");
    writer.line("");
    writer.line("# What its constructor calls it.");
    writer.line(alias.str() + " = " + type.getSymName().str());
  }
  if (auto tail = type->getAttrOfType<StringAttr>("graph.tail"))
    noteTail(tail.getValue(), parts);
  return success();
}

} // namespace nereid::emit
