// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose kernels are those of the one that saves for its gradient: a call of that one.
#include "emit/ArgumentGroups.h"
#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// Returns what a program has of what the one that saves returns: its results, and the new contents
/// of the module's state, which stand behind what is saved.
void HostPrinter::printSharedResults(func::FuncOp saving, Code call) {
  size_t own = program.getNumResults(), count = saving.getNumResults();
  size_t state = getReturnedState(saving, parts).size();
  auto from = [&](Code results, size_t first, size_t number, bool isLast) {
    std::string begin = first ? std::to_string(first) : "";
    if (number == 1)
      return Code::suffix(results, "[" + std::to_string(first) + "]");
    return Code::suffix(results,
                        "[" + begin + ":" + (isLast ? "" : std::to_string(first + number)) + "]");
  };
  if (own + state == 0)
    return out.statement("", call);
  bool isSlice = own == 0 || state == 0;
  auto take = [&](const Code &results) {
    return own ? from(results, 0, own, false) : from(results, count, state, true);
  };
  if (isSlice && out.fits("return ", take(call), ""))
    return out.statement("return ", take(call));
  Code output = Code::text("output");
  out.statement("output = ", call);
  if (isSlice)
    return out.statement("return ", take(output));
  out.line("return output[:" + std::to_string(own) + "] + output[" + std::to_string(count) + ":]");
}

/// The kernels are those of the program that saves, which is asked not to.
void HostPrinter::printShared(func::FuncOp saving) {
  printDefinition(getPrivateName(program));
  out.indent();
  out.docstring("The results alone.");
  llvm::SmallVector<Code> arguments;
  for (const std::string &parameter : getParameters(false))
    arguments.push_back(Code::text(parameter));
  if (host::isSelectiveFunction(saving))
    arguments.push_back(Code::keyword("saves", Code::text("False")));
  printSharedResults(saving, Code::call(getPrivateName(saving), arguments));
  out.dedent();
}

} // namespace nereid::emit
