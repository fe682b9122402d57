// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Kernel.h"

#include "schedule/IndexMap.h"
#include "schedule/SpanKernel.h"

#include <set>

namespace nereid::schedule {

const Access *elidedCast(const Value &value, const StoredSet &stored, const StoredSet &computed) {
  if (!value.isCast())
    return nullptr;
  const Value &down = *value.inputs[0].from;
  if (!down.isElidableCast() || (stored.contains(&down) && !computed.contains(&down)))
    return nullptr;
  return down.inputs[0].from->elementType == value.elementType ? &down.inputs[0] : nullptr;
}

bool Space::isOf(const Value &fold) const {
  if (fold.kind == ValueKind::Scan)
    return window == 0 && extents.size() == 1 && extents[0] == fold.shape[fold.dim];
  return llvm::equal(extents, fold.foldExtents) && window == fold.window;
}

namespace {

class Walk {
public:
  Walk(const Program &program, const StoredSet &stored, const StoredSet &computed,
       RequestVisitor &visitor)
      : program(program), stored(stored), computed(computed), visitor(visitor) {}

  mlir::LogicalResult request(const Value &value, llvm::ArrayRef<Expr> at) {
    if (!seen.insert({&value, {at.begin(), at.end()}}).second)
      return mlir::success();
    if (value.kind == ValueKind::Input || value.kind == ValueKind::Scalar ||
        (stored.contains(&value) && !computed.contains(&value))) {
      visitor.load(value, at);
      return mlir::success();
    }
    switch (value.kind) {
    case ValueKind::Iota:
      visitor.index(at[value.dim]);
      return mlir::success();
    case ValueKind::Random:
      visitor.compute(value, at);
      visitor.index(linearize(at, value.shape, *program.context));
      return followAll(value, at, {});
    case ValueKind::Map:
      visitor.compute(value, at);
      if (const Access *access = elidedCast(value, stored, computed))
        return follow(compose(*access, mapped(value.inputs[0], at, {}).at, program), {}, {});
      return followAll(value, at, {});
    case ValueKind::Select:
      visitor.compute(value, at);
      for (const Case &alternative : value.cases)
        visitor.predicate(substituteIndices(alternative.when, at, {}, program));
      return followAll(value, at, {});
    case ValueKind::Fold:
    case ValueKind::Scan: {
      auto columns = visitor.fold(value, at);
      if (!columns)
        return mlir::failure();
      if (value.kind == ValueKind::Fold)
        return followAll(value, at, *columns);
      llvm::SmallVector<Expr, 4> inner(at.begin(), at.end());
      inner[value.dim] = columns->front();
      return followAll(value, inner, {});
    }
    default:
      return mlir::success();
    }
  }

private:
  Access mapped(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold) {
    Access result{access.from, {}, {}};
    for (Expr coordinate : access.at)
      result.at.push_back(substituteIndices(coordinate, at, fold, program));
    for (const LoadedIndex &loaded : access.loaded)
      result.loaded.push_back({loaded.symbol, mapped(loaded.access, at, fold)});
    return result;
  }

  mlir::LogicalResult follow(const Access &access, llvm::ArrayRef<Expr> at,
                             llvm::ArrayRef<Expr> fold) {
    Access read = at.empty() && fold.empty() ? access : mapped(access, at, fold);
    for (const LoadedIndex &loaded : read.loaded)
      if (failed(follow(loaded.access, {}, {})))
        return mlir::failure();
    return request(*read.from, read.at);
  }

  mlir::LogicalResult followAll(const Value &value, llvm::ArrayRef<Expr> at,
                                llvm::ArrayRef<Expr> fold) {
    for (const Access &access : value.inputs)
      if (failed(follow(mapped(access, at, fold), {}, {})))
        return mlir::failure();
    for (const Case &alternative : value.cases)
      if (failed(follow(mapped(alternative.access, at, fold), {}, {})))
        return mlir::failure();
    return mlir::success();
  }

  const Program &program;
  const StoredSet &stored;
  const StoredSet &computed;
  RequestVisitor &visitor;
  std::set<std::pair<const Value *, std::vector<Expr>>> seen;
};

/// Finds the rows of one output: the indices at which its folds are needed, in the folds' order.
class RowFinder : public RequestVisitor {
public:
  RowFinder(const Program &program, const Value &root) : program(program), root(root) {}

  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    // Prefixes come in the order of the axis: only the scan itself can be a kernel's output.
    if (value.kind == ValueKind::Scan && &value != &root)
      return std::nullopt;
    llvm::SmallVector<Expr, 4> needed;
    for (auto [dim, coordinate] : llvm::enumerate(at)) {
      if (value.kind == ValueKind::Scan && dim == value.dim)
        continue;
      if (coordinate.isConstant(0) && value.shape[dim].isConstant(1))
        continue;
      if (llvm::is_contained(needed, coordinate) || !isRow(coordinate, value.shape[dim]))
        return std::nullopt;
      needed.push_back(coordinate);
    }
    if (found && needed != rows)
      return std::nullopt;
    found = true;
    rows = needed;
    // Any names will do: they only must not look like an output's indices.
    llvm::SmallVector<Expr, 4> columns;
    unsigned count = value.kind == ValueKind::Scan ? 1 : value.foldExtents.size();
    for (unsigned i = 0; i < count; ++i)
      columns.push_back(program.context->symbol("!" + std::to_string(i)));
    return columns;
  }

  bool found = false;
  llvm::SmallVector<Expr, 4> rows;

private:
  /// Whether a coordinate is an axis of the output, and all of that axis lies within the fold's: a
  /// fold under a pad would be made for rows that it does not have.
  bool isRow(Expr coordinate, Expr extent) const {
    for (unsigned dim = 0; dim < root.shape.size(); ++dim)
      if (coordinate == program.getIndex(dim))
        return index::Facts(*program.context).isTrue(index::le(root.shape[dim], extent));
    return false;
  }

  const Program &program;
  const Value &root;
};

class Planner {
public:
  Planner(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored)
      : program(program), outputs(outputs), stored(stored),
        computed(outputs.begin(), outputs.end()) {}

  std::optional<Kernel> run();

private:
  bool findRows();
  /// The dimensions of an output that are rows, in the order of the rows.
  using RowDims = llvm::SmallVector<unsigned, 4>;
  bool unifyRows();
  unsigned columnSpace(llvm::ArrayRef<Expr> extents);

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  StoredSet computed;
  Kernel kernel;
  std::vector<std::optional<RowDims>> rowDims;
};

} // namespace

mlir::LogicalResult walkRequests(const Program &program, const StoredSet &stored,
                                 const StoredSet &computed, const Value &value,
                                 llvm::ArrayRef<Expr> at, RequestVisitor &visitor) {
  return Walk(program, stored, computed, visitor).request(value, at);
}

bool Planner::findRows() {
  for (Value *output : outputs) {
    RowFinder finder(program, *output);
    llvm::SmallVector<Expr, 4> identity;
    for (unsigned i = 0; i < output->shape.size(); ++i)
      identity.push_back(program.getIndex(i));
    if (failed(walkRequests(program, stored, computed, *output, identity, finder)))
      return false;
    rowDims.emplace_back();
    if (!finder.found)
      continue;
    kernel.hasFolds = true;
    rowDims.back().emplace();
    for (Expr row : finder.rows) {
      auto position = llvm::find(identity, row);
      if (position == identity.end())
        return false;
      rowDims.back()->push_back(position - identity.begin());
    }
  }
  return true;
}

bool Planner::unifyRows() {
  // An output without folds takes its rows from one of its own shape that has some.
  for (auto [output, dims] : llvm::zip_equal(outputs, rowDims)) {
    if (dims)
      continue;
    for (auto [other, otherDims] : llvm::zip_equal(outputs, rowDims))
      if (otherDims && other->shape == output->shape)
        dims = otherDims;
    if (!dims)
      return false;
  }
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(outputs, rowDims))) {
    auto [output, dims] = pair;
    llvm::SmallVector<Expr, 4> extents;
    for (unsigned dim : *dims)
      extents.push_back(output->shape[dim]);
    if (number == 0)
      kernel.rows.extents = extents;
    else if (kernel.rows.extents != extents)
      return false;
  }
  for (unsigned i = 0; i < kernel.rows.extents.size(); ++i)
    kernel.rows.symbols.push_back(program.context->symbol("@r" + std::to_string(i)));
  return true;
}

unsigned Planner::columnSpace(llvm::ArrayRef<Expr> extents) {
  for (auto [number, space] : llvm::enumerate(kernel.columns))
    if (space.window == 0 && llvm::equal(space.extents, extents))
      return number;
  Space space;
  space.extents.assign(extents.begin(), extents.end());
  for (unsigned i = 0; i < extents.size(); ++i)
    space.symbols.push_back(program.context->symbol("@c" + std::to_string(kernel.columns.size()) +
                                                    "_" + std::to_string(i)));
  kernel.columns.push_back(std::move(space));
  return kernel.columns.size() - 1;
}

std::optional<Kernel> Planner::run() {
  if (!findRows())
    return std::nullopt;
  if (!kernel.hasFolds) {
    for (Value *output : outputs)
      if (output->shape != outputs.front()->shape)
        return std::nullopt;
    unsigned space = columnSpace(outputs.front()->shape);
    for (Value *output : outputs)
      kernel.outputs.push_back({output, kernel.columns[space].symbols, int(space)});
    return std::move(kernel);
  }
  if (!unifyRows())
    return std::nullopt;
  for (auto [output, dims] : llvm::zip_equal(outputs, rowDims)) {
    // An axis of one element is no column, but a scan has its own axis whatever its extent is.
    auto isSingle = [&, output = output](unsigned dim) {
      return output->shape[dim].isConstant(1) &&
             !(output->kind == ValueKind::Scan && output->dim == dim);
    };
    llvm::SmallVector<Expr, 4> rest;
    for (unsigned dim = 0; dim < output->shape.size(); ++dim)
      if (!llvm::is_contained(*dims, dim) && !isSingle(dim))
        rest.push_back(output->shape[dim]);
    KernelOutput planned{output, {}, -1};
    if (!rest.empty())
      planned.columns = columnSpace(rest);
    unsigned column = 0;
    for (unsigned dim = 0; dim < output->shape.size(); ++dim) {
      auto row = llvm::find(*dims, dim);
      if (row != dims->end())
        planned.at.push_back(kernel.rows.symbols[row - dims->begin()]);
      else if (isSingle(dim))
        planned.at.push_back(program.context->constant(0));
      else
        planned.at.push_back(kernel.columns[planned.columns].symbols[column++]);
    }
    kernel.outputs.push_back(std::move(planned));
  }
  return std::move(kernel);
}

std::optional<Kernel> planRows(const Program &program, llvm::ArrayRef<Value *> outputs,
                               const StoredSet &stored) {
  return Planner(program, outputs, stored).run();
}

std::optional<Kernel> planKernel(const Program &program, llvm::ArrayRef<Value *> outputs,
                                 const StoredSet &stored) {
  bool hasCarried = llvm::any_of(outputs, [](const Value *value) { return value->isCarried; });
  return hasCarried ? planSpans(program, outputs, stored) : planRows(program, outputs, stored);
}

} // namespace nereid::schedule
