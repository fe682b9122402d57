// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostLaunch.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid::audit {

std::string keyOf(const HostLaunch &launch) {
  std::string key;
  raw_string_ostream os(key);
  os << launch.config << launch.problem;
  DenseMap<const void *, unsigned> memories;
  for (const HostArgument &argument : launch.arguments) {
    os << '|' << argument.name << int(argument.kind) << argument.text << argument.element
       << argument.block;
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
  }
  for (index::Expr extent : launch.grid)
    os << '#' << extent;
  for (index::Pred fact : launch.facts)
    os << '&' << fact;
  return key;
}

} // namespace nereid::audit
