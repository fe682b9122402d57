// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/SpanKernel.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::schedule {

bool Kernel::carries(const Value &value) const {
  return span != 0 && value.isCarried &&
         llvm::any_of(outputs, [&](const KernelOutput &output) { return output.value == &value; });
}

namespace {

/// Whether a kernel of spans can make an output at its coordinates: each fold that it needs must be
/// one of the row.
class RowCheck : public RequestVisitor {
public:
  RowCheck(const Program &program, const Kernel &kernel, const Value &root)
      : program(program), kernel(kernel), root(root) {}

  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    // What is carried has its result after the last row only.
    if (kernel.carries(value))
      return &value == &root ? std::optional(kernel.rows.symbols) : std::nullopt;
    if (value.kind != ValueKind::Fold || value.window != 0)
      return std::nullopt;
    llvm::SmallVector<Expr, 4> needed;
    for (auto [dim, coordinate] : llvm::enumerate(at)) {
      if (coordinate.isConstant(0) && value.shape[dim].isConstant(1))
        continue;
      size_t row = needed.size();
      bool fits = row < kernel.rows.symbols.size() && coordinate == kernel.rows.symbols[row] &&
                  index::Facts(*program.context)
                      .isTrue(index::le(kernel.rows.extents[row], value.shape[dim]));
      if (!fits)
        return std::nullopt;
      needed.push_back(coordinate);
    }
    if (needed.size() != kernel.rows.symbols.size())
      return std::nullopt;
    llvm::SmallVector<Expr, 4> columns;
    for (unsigned i = 0; i < value.foldExtents.size(); ++i)
      columns.push_back(program.context->symbol("!" + std::to_string(i)));
    return columns;
  }

private:
  const Program &program;
  const Kernel &kernel;
  const Value &root;
};

class SpanPlanner {
public:
  SpanPlanner(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored)
      : program(program), outputs(outputs), stored(stored) {}

  std::optional<Kernel> run();

private:
  bool findSpan();
  void addOutput(Value &value, llvm::ArrayRef<Expr> first);
  bool addRow(Value &value);
  bool hasParts();
  int columnSpace(llvm::ArrayRef<Expr> extents);

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  Kernel kernel;
};

} // namespace

/// The rows are what the carried folds run over.
bool SpanPlanner::findSpan() {
  const Value *first = nullptr;
  for (const Value *value : outputs) {
    if (!value->isCarried)
      continue;
    if (!first)
      first = value;
    if (value->foldExtents != first->foldExtents || value->window != first->window)
      return false;
  }
  kernel.hasFolds = true;
  kernel.span = first->window;
  kernel.spanIndex = program.context->symbol("@s");
  kernel.rows.extents.assign(first->foldExtents.begin(), first->foldExtents.end());
  for (unsigned i = 0; i < kernel.rows.extents.size(); ++i)
    kernel.rows.symbols.push_back(program.context->symbol("@r" + std::to_string(i)));
  return !kernel.rows.extents.empty();
}

int SpanPlanner::columnSpace(llvm::ArrayRef<Expr> extents) {
  if (extents.empty())
    return -1;
  for (auto [number, space] : llvm::enumerate(kernel.columns))
    if (llvm::equal(space.extents, extents))
      return number;
  Space space;
  space.extents.assign(extents.begin(), extents.end());
  for (unsigned i = 0; i < extents.size(); ++i)
    space.symbols.push_back(program.context->symbol("@c" + std::to_string(kernel.columns.size()) +
                                                    "_" + std::to_string(i)));
  kernel.columns.push_back(std::move(space));
  return kernel.columns.size() - 1;
}

/// Adds an output whose first coordinates are given; its other axes are columns.
void SpanPlanner::addOutput(Value &value, llvm::ArrayRef<Expr> first) {
  KernelOutput output{&value, {first.begin(), first.end()}, -1, value.isCarried};
  llvm::ArrayRef<Expr> inner = llvm::ArrayRef(value.shape).drop_front(first.size());
  llvm::SmallVector<Expr, 4> rest;
  for (Expr extent : inner)
    if (!extent.isConstant(1))
      rest.push_back(extent);
  output.columns = columnSpace(rest);
  unsigned column = 0;
  for (Expr extent : inner)
    output.at.push_back(extent.isConstant(1) ? program.context->constant(0)
                                             : kernel.columns[output.columns].symbols[column++]);
  kernel.outputs.push_back(std::move(output));
}

/// The rows come first among the axes of what is made row by row.
bool SpanPlanner::addRow(Value &value) {
  size_t rows = kernel.rows.extents.size();
  if (value.kind == ValueKind::Scan || value.shape.size() < rows ||
      llvm::ArrayRef(value.shape).take_front(rows) != llvm::ArrayRef(kernel.rows.extents))
    return false;
  addOutput(value, kernel.rows.symbols);
  return true;
}

/// Whether the work can be done by other kernels where rows are too long, and rows are short enough
/// where they are as hinted.
bool SpanPlanner::hasParts() {
  for (const Space &space : kernel.columns)
    if (!program.choose && program.estimateElements(space.extents) > spanColumnLimit)
      return false;
  return !planApart(program, kernel, stored).empty();
}

std::optional<Kernel> SpanPlanner::run() {
  if (!findSpan())
    return std::nullopt;
  for (Value *value : outputs)
    if (value->isCarried)
      addOutput(*value, kernel.spanIndex);
    else if (!addRow(*value))
      return std::nullopt;
  StoredSet computed(outputs.begin(), outputs.end());
  for (const KernelOutput &output : kernel.outputs) {
    RowCheck check(program, kernel, *output.value);
    if (failed(walkRequests(program, stored, computed, *output.value, output.at, check)))
      return std::nullopt;
  }
  if (!hasParts())
    return std::nullopt;
  return std::move(kernel);
}

std::optional<Kernel> planSpans(const Program &program, llvm::ArrayRef<Value *> outputs,
                                const StoredSet &stored) {
  return SpanPlanner(program, outputs, stored).run();
}

llvm::SmallVector<Kernel> planApart(const Program &program, const Kernel &kernel,
                                    const StoredSet &stored) {
  // What is made row by row stays one kernel where it can; a fold may read it.
  llvm::SmallVector<Value *> rows;
  llvm::SmallVector<llvm::SmallVector<Value *>> groups(1);
  for (const KernelOutput &output : kernel.outputs)
    if (output.isCarried)
      groups.push_back({output.value});
    else
      groups.front().push_back(output.value);
  llvm::SmallVector<Kernel> parts;
  for (llvm::ArrayRef<Value *> group : groups) {
    if (group.empty())
      continue;
    auto part = planRows(program, group, stored);
    if (!part)
      return {};
    parts.push_back(std::move(*part));
  }
  return parts;
}

int64_t chooseSpan(const Program &program, const Value &carried, unsigned multiprocessors) {
  if (program.choose)
    return int64_t(1) << program.choose(7);
  // As many programs as a multiprocessor holds at once: registers carry a row for each.
  constexpr int64_t elementsHeld = 8192, mostPrograms = 4, fewestRows = 16, mostRows = 4096;
  int64_t rows = program.estimateElements(carried.foldExtents);
  int64_t columns = program.estimateElements(llvm::ArrayRef(carried.shape).drop_front());
  int64_t programs =
      multiprocessors *
      std::clamp<int64_t>(elementsHeld / std::max<int64_t>(columns, 1), 1, mostPrograms);
  return std::clamp<int64_t>(llvm::divideCeil(rows, programs), fewestRows, mostRows);
}

} // namespace nereid::schedule
