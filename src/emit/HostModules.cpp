// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The submodules of an emitted class: a check that they are those that the kernels were made for,
// and the text of numbers that hang on them.
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// `h.0` to `h.11` of one block are `h.0:12`: where paths differ in one number that counts up, the
/// first says all.
static std::vector<std::string> joinRuns(std::vector<std::string> paths) {
  auto numberAt = [](llvm::StringRef step) {
    int64_t number = -1;
    return step.getAsInteger(10, number) ? -1 : number;
  };
  std::vector<std::string> joined;
  std::vector<bool> taken(paths.size());
  for (size_t first = 0; first < paths.size(); ++first) {
    if (taken[first])
      continue;
    llvm::SmallVector<llvm::StringRef> steps;
    llvm::StringRef(paths[first]).split(steps, '.');
    std::string best = paths[first];
    std::vector<size_t> longest;
    for (size_t at = 0; at < steps.size(); ++at) {
      int64_t start = numberAt(steps[at]), end = start;
      std::vector<size_t> run;
      for (bool goesOn = start >= 0; goesOn;) {
        llvm::SmallVector<llvm::StringRef> next(steps);
        std::string number = std::to_string(++end);
        next[at] = number;
        auto found = llvm::find(paths, llvm::join(next, "."));
        goesOn = found != paths.end() && !taken[found - paths.begin()];
        if (goesOn)
          run.push_back(found - paths.begin());
      }
      if (run.size() > longest.size()) {
        std::string range = std::to_string(start) + ":" + std::to_string(end);
        llvm::SmallVector<llvm::StringRef> all(steps);
        all[at] = range;
        best = llvm::join(all, ".");
        longest = run;
      }
    }
    for (size_t place : longest)
      taken[place] = true;
    joined.push_back(best);
  }
  return joined;
}

/// `("blocks", "a:b")`.
static Code spellSteps(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> steps;
  path.split(steps, '.');
  llvm::SmallVector<Code> parts;
  for (llvm::StringRef step : steps)
    parts.push_back(Code::text(quote(step)));
  return Code::tuple(parts);
}

/// `self.blocks[0].norm` of `blocks.0.norm`, if that leads through modules: finding each of them as
/// an attribute takes a microsecond a step. Empty for others.
static std::string spellNestedModule(llvm::StringRef path) {
  if (!path.contains('.'))
    return "";
  llvm::SmallVector<llvm::StringRef> steps;
  path.split(steps, '.');
  std::string text = "self";
  for (llvm::StringRef step : steps)
    text += llvm::all_of(step, llvm::isDigit) ? ("[" + step + "]").str() : ("." + step).str();
  return text;
}

Code nameModules(func::FuncOp program, const Code &number, llvm::StringRef modules) {
  auto known = program->getAttrOfType<ArrayAttr>("host.modules");
  std::string text = number.str();
  if (!known || !llvm::StringRef(text).contains("self."))
    return number;
  for (Attribute entry : known) {
    llvm::StringRef path = cast<StringAttr>(cast<ArrayAttr>(entry)[0]).getValue();
    std::string nested = spellNestedModule(path);
    if (nested.empty())
      continue;
    nested += ".";
    for (size_t at = 0; (at = text.find(nested, at)) != std::string::npos;) {
      bool isWhole = at == 0 || (!llvm::isAlnum(text[at - 1]) && text[at - 1] != '_');
      // What follows is the attribute of this module, no module within it.
      llvm::StringRef rest = llvm::StringRef(text).drop_front(at + nested.size());
      llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      llvm::StringRef next = rest.drop_front(name.size());
      if (!isWhole || next.starts_with(".") || next.starts_with("[") || next.starts_with("(")) {
        at += nested.size();
        continue;
      }
      std::string found = modules.str() + "[" + quote(path) + "].";
      text.replace(at, nested.size(), found);
      at += found.size();
    }
  }
  return Code::text(text, number.getBinding());
}

void printModuleChecks(func::FuncOp program, llvm::StringRef modules, FileParts &parts,
                       Writer &out) {
  auto known = program->getAttrOfType<ArrayAttr>("host.modules");
  auto shared = program->getAttrOfType<ArrayAttr>("host.shared");
  if (!known && !shared) {
    if (!modules.empty())
      out.line((modules + " = {\"\": self}").str());
    return;
  }
  llvm::MapVector<Attribute, std::vector<std::string>> equal;
  for (Attribute entry : known ? known.getValue() : llvm::ArrayRef<Attribute>()) {
    auto row = cast<ArrayAttr>(entry);
    equal[ArrayAttr::get(row.getContext(), row.getValue().drop_front())].push_back(
        cast<StringAttr>(row[0]).str());
  }
  llvm::SmallVector<Code> rows;
  for (auto &[key, paths] : equal) {
    auto row = cast<ArrayAttr>(key);
    llvm::SmallVector<Code> settings, cells;
    for (Attribute setting : cast<ArrayAttr>(row[1])) {
      auto pair = cast<ArrayAttr>(setting);
      settings.push_back(
          Code::keyword(quote(cast<StringAttr>(pair[0]).getValue()),
                        Code::text(requoteParts(cast<StringAttr>(pair[1]).getValue()))));
    }
    auto hooks = row.size() > 2 ? cast<IntegerAttr>(row[2]).getInt() : 0;
    cells = {Code::text(quote(cast<StringAttr>(row[0]).getValue())),
             Code::text(std::to_string(hooks)), Code::dict(settings)};
    // A name with a colon is no run.
    std::vector<std::string> plain;
    for (const std::string &path : paths)
      if (path.find(':') == std::string::npos)
        plain.push_back(path);
      else
        cells.push_back(spellSteps(path));
    for (const std::string &path : joinRuns(plain))
      cells.push_back(Code::text(quote(path)));
    rows.push_back(Code::tuple(cells));
  }
  parts.usesModulesCheck = parts.usesKnownCheck = parts.usesTorch = true;
  llvm::SmallVector<Code> arguments = {Code::text("self"), Code::tuple(rows)}, pairs;
  for (Attribute entry : shared ? shared.getValue() : llvm::ArrayRef<Attribute>()) {
    llvm::SmallVector<Code> paths;
    for (Attribute path : cast<ArrayAttr>(entry))
      paths.push_back(Code::text(quote(cast<StringAttr>(path).getValue())));
    pairs.push_back(Code::tuple(paths));
  }
  if (!pairs.empty())
    arguments.push_back(Code::tuple(pairs));
  out.statement(modules.empty() ? "" : (modules + " = ").str(),
                Code::call("_check_modules", arguments));
}

} // namespace nereid::emit
