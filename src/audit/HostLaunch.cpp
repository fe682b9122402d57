// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostLaunch.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid::audit {

/// All of an argument as text.
static std::string spell(const HostArgument &argument) {
  std::string text;
  raw_string_ostream os(text);
  auto add = [&](StringRef part) { os << part.size() << ':' << part; };
  os << int(argument.kind) << argument.isInjective << argument.isPart << argument.endsMemory
     << argument.isFresh << argument.isBlank << argument.isAlone << argument.isOfDescriptor
     << argument.isNamed << argument.isItem << argument.isReadAlone << argument.isZero << '@'
     << argument.memory;
  for (StringRef part :
       {StringRef(argument.name), StringRef(argument.owner), StringRef(argument.element),
        StringRef(argument.block), StringRef(argument.text)})
    add(part);
  os << argument.assumed.size() << '|';
  for (StringRef part : argument.assumed)
    add(part);
  os << argument.items.size() << '|';
  for (StringRef part : argument.items)
    add(part);
  for (index::Expr expr : argument.sizes)
    os << ',' << expr;
  for (index::Expr expr : argument.strides)
    os << ';' << expr;
  if (argument.number)
    os << '#' << argument.number;
  if (argument.offset)
    os << '+' << argument.offset;
  return text;
}

void HostArguments::share(Known &known) {
  // The same numbers for the memories of all launches.
  static constexpr char numbers[64] = {};
  llvm::DenseMap<const void *, size_t> memories;
  for (std::shared_ptr<HostArgument> &argument : list) {
    if (argument->memory) {
      size_t number = memories.try_emplace(argument->memory, memories.size()).first->second;
      if (number >= std::size(numbers))
        return;
    }
  }
  for (std::shared_ptr<HostArgument> &argument : list) {
    if (argument->memory)
      argument->memory = &numbers[memories.lookup(argument->memory)];
    auto [place, isNew] = known.try_emplace(digest(spell(*argument)), argument);
    argument = place->second;
  }
}

std::string keyOf(const HostLaunch &launch) {
  std::string key;
  raw_string_ostream os(key);
  os << launch.config << launch.problem << launch.refusal;
  llvm::DenseMap<const void *, unsigned> memories;
  for (const HostArgument &argument : launch.arguments) {
    os << '|' << argument.name << int(argument.kind) << argument.text << argument.element
       << argument.block << argument.isBlank << argument.isAlone << argument.isReadAlone
       << argument.isZero;
    for (const std::string &item : argument.items)
      os << '.' << item;
    if (argument.memory)
      os << '@' << memories.try_emplace(argument.memory, memories.size()).first->second;
    for (index::Expr expr : argument.sizes)
      os << ',' << expr;
    for (index::Expr expr : argument.strides)
      os << ';' << expr;
    if (argument.number)
      os << argument.number;
    if (argument.offset)
      os << '+' << argument.offset;
  }
  for (index::Expr extent : launch.grid)
    os << '#' << extent;
  for (index::Pred fact : launch.facts)
    os << '&' << fact;
  return key;
}

} // namespace nereid::audit
