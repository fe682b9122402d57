// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/StageRun.h"

#include "validate/Inputs.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;
using namespace mlir;
using namespace nereid::interpreter;

namespace nereid::validate {

Run runStage(const Stage &stage, ArrayRef<HostValue> arguments, bool checked, uint64_t seed) {
  Run run;
  for (const HostValue &argument : arguments)
    run.arguments.push_back(cloneValue(argument));
  interpreter::RunOptions options;
  options.checked = checked;
  options.seed = seed;
  options.maxFindings = 1;
  if (stage.run) {
    Run own = stage.run(run.arguments, options);
    own.arguments = std::move(run.arguments);
    return own;
  }
  func::FuncOp host = stage.host;
  std::string said;
  ScopedDiagnosticHandler handler(host.getContext(), [&](mlir::Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  FailureOr<HostRun> result = runHost(host, run.arguments, options);
  if (failed(result)) {
    run.problem = "it cannot be run: " + said;
  } else if (!result->failedCheck.empty()) {
    run.problem = "it refuses the inputs: " + result->failedCheck;
  } else if (!result->findings.empty()) {
    raw_string_ostream os(run.problem);
    print(result->findings.front(), os);
  } else {
    run.results = std::move(result->results);
  }
  return run;
}

/// Bit for bit, as far as programs can see.
static bool areEqual(const HostValue &a, const HostValue &b) {
  const auto *first = std::get_if<Tensor>(&a), *second = std::get_if<Tensor>(&b);
  if (!first || !second) {
    const auto *real = std::get_if<double>(&a), *other = std::get_if<double>(&b);
    if (real && other)
      return llvm::bit_cast<uint64_t>(*real) == llvm::bit_cast<uint64_t>(*other);
    const auto *integer = std::get_if<int64_t>(&a), *same = std::get_if<int64_t>(&b);
    return integer && same && *integer == *same;
  }
  if (first->sizes != second->sizes || first->strides != second->strides)
    return false;
  unsigned bytes = getBytes(first->getElement());
  if (first->isContiguous() && second->isContiguous())
    return first->getNumElements() == 0 ||
           std::memcmp(first->at(0), second->at(0), first->getNumElements() * bytes) == 0;
  for (int64_t at = 0, count = first->getNumElements(); at < count; ++at)
    if (std::memcmp(first->at(at), second->at(at), bytes) != 0)
      return false;
  return true;
}

bool haveEqualBytes(const HostValue &a, const HostValue &b) {
  const auto *first = std::get_if<Tensor>(&a), *second = std::get_if<Tensor>(&b);
  return !first || !second || first->storage->bytes == second->storage->bytes;
}

std::string findUndefined(const Run &run) {
  for (auto [number, value] : enumerate(run.results)) {
    const auto *tensor = std::get_if<Tensor>(&value);
    if (!tensor || tensor->storage->defined.empty())
      continue;
    for (int64_t at = 0, count = tensor->getNumElements(); at < count; ++at)
      if (!tensor->storage->defined[tensor->at(at) - tensor->storage->bytes.data()])
        return "nothing is stored to element " + std::to_string(at) + " of result " +
               std::to_string(number);
  }
  return "";
}

std::string findDifference(const Run &first, const Run &second) {
  for (auto [a, b] : zip_equal(first.results, second.results))
    if (!areEqual(a, b))
      return "a second run, its programs in another order, gives other bits";
  for (auto [a, b] : zip_equal(first.arguments, second.arguments))
    if (!areEqual(a, b))
      return "a second run, its programs in another order, leaves other bits in the arguments";
  return "";
}

} // namespace nereid::validate
