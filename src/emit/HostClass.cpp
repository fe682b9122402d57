// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nn.Module class of a host.module: the original's constructor, and a forward that passes its
// parameters to the host program.
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// `blocks.0.weight` as `self.blocks[0].weight`.
static std::string getAttribute(llvm::StringRef path) {
  std::string text = "self";
  llvm::SmallVector<llvm::StringRef> steps;
  path.split(steps, '.');
  for (llvm::StringRef step : steps) {
    bool isNumber = !step.empty() && llvm::all_of(step, llvm::isDigit);
    text += isNumber ? "[" + step.str() + "]" : "." + step.str();
  }
  return text;
}

/// Whether a text uses a name as a word of its own, not as an attribute.
static bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    char before = at == 0 ? ' ' : text[at - 1];
    char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    if (!isWord(before) && before != '.' && !isWord(after))
      return true;
  }
  return false;
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

/// Sorts what a constructor needs of its file into imports and definitions; what the emitted file
/// imports anyway is left out.
static void addDefinitions(llvm::StringRef text, FileParts &parts) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  auto add = [](std::vector<std::string> &list, std::string item) {
    if (!llvm::is_contained(list, item))
      list.push_back(std::move(item));
  };
  std::string definition;
  auto close = [&] {
    if (!llvm::StringRef(definition).trim().empty())
      add(parts.definitions, llvm::StringRef(definition).rtrim().str() + "\n");
    definition.clear();
  };
  bool afterDecorator = false;
  for (llvm::StringRef line : lines) {
    bool starts =
        !line.empty() && !llvm::isSpace(line.front()) && line.front() != ')' && line.front() != ']';
    if (starts && !afterDecorator)
      close();
    afterDecorator = starts && line.front() == '@';
    bool isImport = starts && (line.starts_with("import ") || line.starts_with("from "));
    if (!isImport) {
      definition += line.str() + "\n";
      continue;
    }
    if (line == "import torch" || line == "import math" || line == "import torch.nn as nn" ||
        line == "from torch import nn" || line == "import torch.nn.functional as F")
      continue;
    add(parts.imports, line.str());
  }
  close();
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
  if (auto definitions = type->getAttrOfType<StringAttr>("graph.definitions")) {
    addDefinitions(definitions.getValue(), parts);
    for (const std::string &definition : parts.definitions) {
      parts.usesTorch |= mentions(definition, "torch");
      parts.usesFunctional |= mentions(definition, "F");
      parts.usesMath |= mentions(definition, "math");
    }
  }
  parts.usesFunctional |= mentions(constructor, "F");
  parts.usesMath |= mentions(constructor, "math");
  writer.line("class " + type.getSymName().str() + "(nn.Module):");
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
  for (Attribute path : type.getTree())
    arguments.push_back(Code::text(getAttribute(cast<StringAttr>(path).getValue())));
  printForward(program, arguments, parts, writer);
  writer.dedent();
  return success();
}

} // namespace nereid::emit
