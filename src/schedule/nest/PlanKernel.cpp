// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the ways a kernel is planned: turns of loops, calls of PyTorch, spans of rows, rows, or
// contractions within others.
#include "schedule/nest/Kernel.h"
#include "schedule/nest/NestedKernel.h"
#include "schedule/nest/Requests.h"
#include "schedule/nest/SpanKernel.h"
#include "schedule/nest/TurnKernel.h"

namespace nereid::schedule {

/// Sorts and calls of PyTorch take all of what they read at once: that is stored before, or is a
/// number for a call. Their kernel has no form and says only what is read and made.
static std::optional<Kernel> planWhole(const Program &program, llvm::ArrayRef<Value *> outputs,
                                       const StoredSet &stored) {
  Value *value = outputs.front();
  auto isAtHand = [&](const Access &access) {
    return stored.contains(access.from) ||
           (value->kind == ValueKind::Call && access.from->isFree());
  };
  if (outputs.size() != 1 || !llvm::all_of(value->inputs, isAtHand))
    return std::nullopt;
  Kernel kernel;
  Space &space = kernel.columns.emplace_back();
  space.extents.assign(value->shape.begin(), value->shape.end());
  for (unsigned i = 0; i < space.extents.size(); ++i)
    space.symbols.push_back(program.context->symbol("@c0_" + std::to_string(i)));
  kernel.outputs.push_back({value, space.symbols, 0});
  return kernel;
}

/// Whether a kernel of one value loads any of some values.
static bool loadsAnyOf(const Program &program, const StoredSet &stored, const Value &value,
                       llvm::ArrayRef<Value *> wanted) {
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < value.shape.size(); ++i)
    at.push_back(program.getIndex(i));
  Requests requests(program, stored, {&value});
  requests.add(value, at);
  return llvm::any_of(requests.getAll(), [&](const Request &request) {
    return request.isLoad && llvm::is_contained(wanted, request.value);
  });
}

std::vector<Kernel> planScansApart(const Program &program, const Kernel &kernel,
                                   StoredSet &stored) {
  stored.insert(kernel.innerScans.begin(), kernel.innerScans.end());
  llvm::SmallVector<Value *> rest;
  for (const KernelOutput &output : kernel.outputs)
    if (!llvm::is_contained(kernel.innerScans, output.value))
      rest.push_back(output.value);
  bool isOne = rest.size() > 1 && planRows(program, rest, stored, false).has_value() &&
               llvm::none_of(kernel.innerScans, [&](const Value *scan) {
                 return loadsAnyOf(program, stored, *scan, rest);
               });
  llvm::SmallVector<llvm::SmallVector<Value *>> groups;
  for (Value *scan : kernel.innerScans)
    groups.push_back({scan});
  if (isOne)
    groups.push_back(rest);
  else
    for (Value *value : rest)
      groups.push_back({value});
  // Each reads what comes before it in the program.
  if (!isOne)
    llvm::sort(groups, [](auto &a, auto &b) { return a.front()->order < b.front()->order; });
  std::vector<Kernel> parts;
  for (llvm::ArrayRef<Value *> group : groups) {
    auto part = planRows(program, group, stored, false);
    if (!part)
      return {};
    parts.push_back(std::move(*part));
  }
  return parts;
}

std::optional<Kernel> planKernel(const Program &program, llvm::ArrayRef<Value *> outputs,
                                 const StoredSet &stored) {
  if (!program.turns.empty())
    if (int loop = loopOf(outputs, stored); loop >= 0)
      return planTurns(program, outputs, stored, loop);
  if (llvm::any_of(outputs, [](const Value *value) {
        return value->kind == ValueKind::Sort || value->kind == ValueKind::Call;
      }))
    return planWhole(program, outputs, stored);
  bool hasCarried = llvm::any_of(outputs, [](const Value *value) { return value->isCarried; });
  if (hasCarried)
    return planSpans(program, outputs, stored);
  std::optional<Kernel> kernel = planRows(program, outputs, stored);
  return kernel ? kernel : planNested(program, outputs, stored);
}

} // namespace nereid::schedule
