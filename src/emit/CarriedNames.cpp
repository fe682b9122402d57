// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CarriedNames.h"
#include "emit/HostPrinter.h"

#include "host/HostOps.h"

using namespace mlir;

namespace nereid::emit {

/// The names in Python text that stand for values of their own: no attributes, calls or texts.
static void collectNames(llvm::StringRef text, std::set<std::string> &names) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"' || c == '\'') {
      for (++at; at < text.size() && text[at] != c; ++at)
        at += text[at] == '\\';
      ++at;
      continue;
    }
    if (!isPart(c)) {
      ++at;
      continue;
    }
    size_t begin = at;
    while (at < text.size() && isPart(text[at]))
      ++at;
    bool isAttribute = begin > 0 && text[begin - 1] == '.';
    bool isCall = at < text.size() && text[at] == '(';
    if (!isAttribute && !isCall && !llvm::isDigit(text[begin]))
      names.insert(text.slice(begin, at).str());
  }
}

/// The parameter that an entry of a signature declares: `x`, `*xs`, `scale=1.0`, `n: int`.
static llvm::StringRef parameterOf(llvm::StringRef entry) {
  entry = entry.ltrim('*');
  return entry.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

llvm::SmallVector<std::string> getCarriedNames(func::FuncOp program) {
  if (!hasOwnResults(program))
    return {};
  std::set<std::string> read;
  auto choice = cast<host::DispatchOp>(program.getBody().front().getTerminator());
  for (Attribute name : choice.getPrograms()) {
    auto chosen =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(choice, cast<SymbolRefAttr>(name));
    auto result = chosen->getAttrOfType<StringAttr>("host.result");
    llvm::StringRef text = result ? result.getValue() : "";
    while (!(text = text.split("{=").second).empty())
      collectNames(text.take_until([](char c) { return c == '}'; }), read);
  }
  llvm::SmallVector<std::string> carried;
  auto add = [&](llvm::StringRef name) {
    bool isOwn = false;
    for (unsigned place = 0; place < program.getNumArguments(); ++place)
      isOwn |= getArgumentName(program, place) == name;
    if (!isOwn && read.contains(name.str()))
      carried.push_back(name.str());
  };
  add("self");
  if (auto signature = program->getAttrOfType<ArrayAttr>("host.signature"))
    for (Attribute entry : signature)
      add(parameterOf(cast<StringAttr>(entry).getValue()));
  return carried;
}

} // namespace nereid::emit
