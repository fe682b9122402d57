// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/SpanKernel.h"

#include "schedule/nest/Requests.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::schedule {

bool Kernel::carries(const Value &value) const {
  return span != 0 && value.isCarried &&
         llvm::any_of(outputs, [&](const KernelOutput &output) { return output.value == &value; });
}

Expr Kernel::countSpans(index::Context &context) const {
  Expr rowCount = index::product(context, rows.extents);
  return span == allRows ? context.constant(1) : index::ceildiv(rowCount, span);
}

/// The indices that a fold runs over which a kernel of spans needs for an output, `root`, at some
/// coordinates: it must be one of the row.
static std::optional<llvm::SmallVector<Expr, 4>> placeInSpan(const Program &program,
                                                             const Kernel &kernel,
                                                             const Value &root, const Value &fold,
                                                             llvm::ArrayRef<Expr> at) {
  // What is carried has its result after the last row only.
  if (kernel.carries(fold))
    return &fold == &root ? std::optional(kernel.rows.symbols) : std::nullopt;
  // A segment is found for the row of a program, not for each row of a span.
  if (fold.kind != ValueKind::Fold || fold.window != 0 || fold.isSegment)
    return std::nullopt;
  llvm::SmallDenseMap<Expr, Expr, 4> rows;
  for (const Space *space : {&kernel.rows, &kernel.outer})
    for (auto [symbol, extent] : llvm::zip_equal(space->symbols, space->extents))
      rows.try_emplace(symbol, extent);
  for (auto [dim, coordinate] : llvm::enumerate(at)) {
    Expr size = fold.shape[dim];
    if (coordinate.isConstant(0) && size.isConstant(1))
      continue;
    auto row = rows.find(coordinate);
    if (row == rows.end() || !index::Facts(*program.context).isTrue(index::le(row->second, size)))
      return std::nullopt;
    // Each row once.
    rows.erase(row);
  }
  return rows.empty() ? std::optional(anyColumns(fold, *program.context)) : std::nullopt;
}

namespace {

class SpanPlanner {
public:
  SpanPlanner(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored)
      : program(program), outputs(outputs), stored(stored) {}

  std::optional<Kernel> run();

private:
  bool findSpan();
  bool findOuter();
  bool hasRowsAt(const Value &value, size_t place) const;
  bool addOutput(Value &value, llvm::ArrayRef<Expr> first, bool outerFirst = false);
  bool addCarried(Value &value);
  bool addRow(Value &value);
  bool areShort() const;
  bool hasParts();
  int columnSpace(llvm::ArrayRef<Expr> extents);

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  Kernel kernel;
  /// What is folded over along each row, on the way to an output.
  llvm::SmallVector<llvm::ArrayRef<Expr>> rowFolds;
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
  kernel.hasRows = true;
  kernel.span = first->window != 0 ? first->window : Kernel::allRows;
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

/// Whether what is made row by row has the axes that the folds run over at a place.
bool SpanPlanner::hasRowsAt(const Value &value, size_t place) const {
  llvm::ArrayRef<Expr> rows = kernel.rows.extents, shape = value.shape;
  return shape.size() >= place + rows.size() && shape.slice(place, rows.size()) == rows;
}

/// The axes of the rows that nothing is folded over come first in the folds' results; in what is
/// made row by row they come before or behind those that the folds run over.
bool SpanPlanner::findOuter() {
  size_t rows = kernel.rows.extents.size(), count = 0;
  bool hasRowOutputs = !llvm::all_of(outputs, [](const Value *value) { return value->isCarried; });
  llvm::ArrayRef<Expr> rest;
  for (Value *value : outputs) {
    llvm::ArrayRef<Expr> shape(value->shape);
    llvm::ArrayRef<Expr> inner = value->isCarried ? shape.drop_front(kernel.span != Kernel::allRows)
                                                  : shape.drop_front(std::min(rows, shape.size()));
    if (inner.size() > rest.size() && (value->isCarried || hasRowsAt(*value, 0)))
      rest = inner;
    // Carried folds read what is made row by row.
    if (value->isCarried && hasRowOutputs)
      continue;
    llvm::SmallVector<Expr, 4> identity;
    for (unsigned i = 0; i < value->shape.size(); ++i)
      identity.push_back(program.getIndex(i));
    Requests requests(program, stored, StoredSet(outputs.begin(), outputs.end()));
    requests.add(*value, identity);
    // The axes at which it needs folds of a row.
    for (const Request &request : requests.getAll())
      if (request.isFold() && !(value->isCarried && request.value == value)) {
        size_t axes = llvm::count_if(request.at, [](Expr each) { return !each.isConstant(); });
        count = std::max(count, axes > rows ? axes - rows : 0);
      }
  }
  // Without a fold along the columns, any part of them will do.
  if (count == 0 && rest.size() > 1 && program.estimateElements(rest) > spanColumnLimit)
    count = rest.size() - 1;
  if (count > rest.size())
    return false;
  kernel.outer.extents.assign(rest.begin(), rest.begin() + count);
  for (unsigned i = 0; i < count; ++i)
    kernel.outer.symbols.push_back(program.context->symbol("@k" + std::to_string(i)));
  return true;
}

/// Adds an output whose first coordinates are those of its rows, if it has any; then come the outer
/// axes, then columns. Or the outer axes come before the rows.
bool SpanPlanner::addOutput(Value &value, llvm::ArrayRef<Expr> first, bool outerFirst) {
  size_t outer = kernel.outer.extents.size(), place = outerFirst ? 0 : first.size();
  llvm::ArrayRef<Expr> shape = value.shape;
  if (shape.size() < first.size() + outer ||
      shape.slice(place, outer) != llvm::ArrayRef(kernel.outer.extents))
    return false;
  KernelOutput output{&value, {first.begin(), first.end()}, -1, value.isCarried};
  output.at.insert(output.at.begin() + place, kernel.outer.symbols.begin(),
                   kernel.outer.symbols.end());
  llvm::ArrayRef<Expr> inner = shape.drop_front(first.size() + outer);
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
  return true;
}

bool SpanPlanner::addCarried(Value &value) {
  if (kernel.span == Kernel::allRows)
    return addOutput(value, {});
  return addOutput(value, kernel.spanIndex);
}

/// The rows come first among the axes of what is made row by row, but for the outer ones.
bool SpanPlanner::addRow(Value &value) {
  size_t outer = kernel.outer.extents.size();
  // A scatter's kernel goes over other elements than it writes.
  if (value.kind == ValueKind::Scan || value.kind == ValueKind::Scatter)
    return false;
  if (hasRowsAt(value, 0) && addOutput(value, kernel.rows.symbols))
    return true;
  return outer > 0 && hasRowsAt(value, outer) && addOutput(value, kernel.rows.symbols, true);
}

/// Whether no row is too long at any sizes.
bool SpanPlanner::areShort() const {
  auto fits = [&](llvm::ArrayRef<Expr> extents) {
    return index::le(index::product(*program.context, extents), spanColumnLimit).isTrue();
  };
  return llvm::all_of(rowFolds, fits) &&
         llvm::all_of(kernel.columns, [&](const Space &space) { return fits(space.extents); });
}

/// Whether the work can be done by other kernels where rows are too long, and rows are short enough
/// where they are as hinted.
bool SpanPlanner::hasParts() {
  if (areShort())
    return true;
  for (const Space &space : kernel.columns)
    if (!program.policy.isChosen() && program.estimateElements(space.extents) > spanColumnLimit)
      return false;
  return !planApart(program, kernel, stored).empty();
}

std::optional<Kernel> SpanPlanner::run() {
  if (!findSpan() || !findOuter())
    return std::nullopt;
  for (Value *value : outputs)
    if (!(value->isCarried ? addCarried(*value) : addRow(*value)))
      return std::nullopt;
  StoredSet computed(outputs.begin(), outputs.end());
  for (const KernelOutput &output : kernel.outputs) {
    Requests requests(program, stored, computed);
    bool isMade =
        requests.add(*output.value, output.at, [&](const Value &fold, llvm::ArrayRef<Expr> at) {
          if (!kernel.carries(fold))
            rowFolds.push_back(fold.foldExtents);
          return placeInSpan(program, kernel, *output.value, fold, at);
        });
    if (!isMade)
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

std::vector<Kernel> planApart(const Program &program, const Kernel &kernel,
                              const StoredSet &stored) {
  // What is made row by row stays one kernel where it can, and so do the folds, which may read it.
  llvm::SmallVector<Value *> rows, carried;
  for (const KernelOutput &output : kernel.outputs)
    (output.isCarried ? carried : rows).push_back(output.value);
  std::vector<Kernel> parts;
  auto plan = [&](llvm::ArrayRef<Value *> group) {
    auto part = planRows(program, group, stored);
    if (part)
      parts.push_back(std::move(*part));
    return part.has_value();
  };
  if (!rows.empty() && !plan(rows))
    return {};
  if (carried.size() > 1 && plan(carried))
    return parts;
  for (Value *value : carried)
    if (!plan(value))
      return {};
  return parts;
}

int64_t spansTogether(int64_t columns) {
  constexpr int64_t elementsHeld = 8192, mostPrograms = 4;
  return std::clamp<int64_t>(elementsHeld / std::max<int64_t>(columns, 1), 1, mostPrograms);
}

int64_t chooseSpan(const Program &program, const Value &carried, unsigned multiprocessors,
                   int64_t outer) {
  if (program.policy.isChosen())
    return program.policy.pickPower(7);
  constexpr int64_t fewestRows = 16, mostRows = 4096;
  int64_t rows = program.estimateElements(carried.foldExtents);
  int64_t columns = program.estimateElements(llvm::ArrayRef(carried.shape).drop_front()) / outer;
  int64_t programs = multiprocessors * spansTogether(columns);
  programs = std::max<int64_t>(programs / outer, 1);
  return std::clamp<int64_t>(llvm::divideCeil(rows, programs), fewestRows, mostRows);
}

} // namespace nereid::schedule
