// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over all that computing a value reads, in the order in which a kernel answers it.
#include "schedule/IndexMap.h"
#include "schedule/Kernel.h"

namespace nereid::schedule {

const Access *elidedCast(const Value &value, const StoredSet &stored) {
  if (!value.isCast())
    return nullptr;
  const Value &down = *value.inputs[0].from;
  if (!down.isElidableCast() || down.isRounded || stored.contains(&down))
    return nullptr;
  return down.inputs[0].from->elementType == value.elementType ? &down.inputs[0] : nullptr;
}

namespace {

class Walk {
public:
  Walk(const Program &program, const StoredSet &stored, const StoredSet &computed,
       RequestVisitor &visitor)
      : program(program), stored(stored), computed(computed), visitor(visitor) {}

  mlir::LogicalResult request(const Value &value, llvm::ArrayRef<Expr> at) {
    if (!seen.insert({&value, program.indexMemory.placeOf(at, {})}).second)
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
      if (const Access *access = elidedCast(value, stored))
        return follow(compose(*access, mapped(value.inputs[0], at, {}).at, program));
      return followAll(value, at, {});
    case ValueKind::Select:
      return select(value, at);
    case ValueKind::State:
      // What a turn reads of the turn before it reads of all turns before; a loop that moves its
      // elements around would not come to an end.
      if (++states > mostStates)
        return mlir::failure();
      if (auto read = visitor.state(value, at); read != RequestVisitor::StateRead::Follow)
        return mlir::success(read == RequestVisitor::StateRead::Stop);
      if (failed(followAt(value.inputs[0], at, {})))
        return mlir::failure();
      return followAt(value.inputs[1], at, {});
    case ValueKind::Final:
      return followAll(value, at, {});
    case ValueKind::Sort:
      return followAll(value, at, program.context->symbol("!0"));
    case ValueKind::Scatter:
      visitor.compute(value, at);
      return followAll(value, at, {});
    case ValueKind::Call:
      // All of what it takes is read, whatever is asked for.
      for (const Access &access : value.inputs)
        if (failed(request(*access.from, access.at)))
          return mlir::failure();
      return mlir::success();
    case ValueKind::Search:
      visitor.compute(value, at);
      // Any name will do for the place that is looked at.
      return followAll(value, at, program.context->symbol("!place"));
    case ValueKind::Fold:
    case ValueKind::Scan: {
      auto columns = visitor.fold(value, at);
      if (!columns)
        return mlir::failure();
      if (value.kind == ValueKind::Fold && value.hasHalves)
        return followHalves(value, at, *columns);
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
  /// At coordinates that decide a condition only the cases count that may hold.
  mlir::LogicalResult select(const Value &value, llvm::ArrayRef<Expr> at) {
    visitor.compute(value, at);
    for (const Case &alternative : value.cases) {
      Pred when = substituteIndices(alternative.when, at, {}, program);
      if (when.isFalse())
        continue;
      visitor.predicate(when);
      if (failed(followAt(alternative.access, at, {})))
        return mlir::failure();
      if (when.isTrue())
        break;
    }
    return mlir::success();
  }

  Access mapped(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold) {
    Access result{access.from, {}, {}};
    for (Expr coordinate : access.at)
      result.at.push_back(substituteIndices(coordinate, at, fold, program));
    for (const LoadedIndex &loaded : access.loaded)
      result.loaded.push_back({loaded.symbol, mapped(loaded.access, at, fold)});
    return result;
  }

  /// Follows an access whose coordinates are those of the kernel.
  mlir::LogicalResult follow(const Access &read) {
    for (const LoadedIndex &loaded : read.loaded)
      if (failed(follow(loaded.access)))
        return mlir::failure();
    return request(*read.from, read.at);
  }

  mlir::LogicalResult followAt(const Access &access, llvm::ArrayRef<Expr> at,
                               llvm::ArrayRef<Expr> fold) {
    if (!access.loaded.empty())
      return follow(mapped(access, at, fold));
    // Most are elements of a map.
    bool isOwn = access.at.size() == at.size() &&
                 program.indexMemory.isIdentity(access.at, *program.context);
    if (isOwn)
      return request(*access.from, at);
    llvm::SmallVector<Expr, 4> coordinates;
    for (Expr coordinate : access.at)
      coordinates.push_back(substituteIndices(coordinate, at, fold, program));
    return request(*access.from, coordinates);
  }

  mlir::LogicalResult followAll(const Value &value, llvm::ArrayRef<Expr> at,
                                llvm::ArrayRef<Expr> fold) {
    for (const Access &access : value.inputs)
      if (failed(followAt(access, at, fold)))
        return mlir::failure();
    for (const Case &alternative : value.cases)
      if (failed(followAt(alternative.access, at, fold)))
        return mlir::failure();
    return mlir::success();
  }

  /// The halves of a contraction's factors, and then the factors.
  mlir::LogicalResult followHalves(const Value &value, llvm::ArrayRef<Expr> at,
                                   llvm::ArrayRef<Expr> columns) {
    for (const Access &access : llvm::ArrayRef(value.inputs).drop_front())
      if (failed(followAt(access, at, columns)))
        return mlir::failure();
    visitor.fallback(true);
    mlir::LogicalResult result = followAt(value.inputs.front(), at, columns);
    visitor.fallback(false);
    return result;
  }

  const Program &program;
  const StoredSet &stored;
  const StoredSet &computed;
  RequestVisitor &visitor;
  llvm::DenseSet<std::pair<const Value *, unsigned>> seen;
  static constexpr unsigned mostStates = 32;
  unsigned states = 0;
};

} // namespace

llvm::SmallVector<Expr, 4> anyColumns(const Value &fold, index::Context &context) {
  llvm::SmallVector<Expr, 4> columns;
  for (unsigned i = 0; i < std::max<size_t>(1, fold.foldExtents.size()); ++i)
    columns.push_back(context.symbol("!" + std::to_string(i)));
  return columns;
}

mlir::LogicalResult walkRequests(const Program &program, const StoredSet &stored,
                                 const StoredSet &computed, const Value &value,
                                 llvm::ArrayRef<Expr> at, RequestVisitor &visitor) {
  return Walk(program, stored, computed, visitor).request(value, at);
}

} // namespace nereid::schedule
