// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/TurnKernel.h"

#include "schedule/nest/Requests.h"
#include "schedule/program/AxisCuts.h"

using namespace mlir;

namespace nereid::schedule {

int loopOf(llvm::ArrayRef<Value *> outputs, const StoredSet &stored) {
  llvm::SmallVector<const Value *> worklist(outputs.begin(), outputs.end());
  llvm::DenseSet<const Value *> seen(outputs.begin(), outputs.end());
  while (!worklist.empty()) {
    const Value *value = worklist.pop_back_val();
    if (value->loop >= 0)
      return value->loop;
    forEachAccess(*value, [&](const Access &access) {
      if (!stored.contains(access.from) && seen.insert(access.from).second)
        worklist.push_back(access.from);
    });
  }
  return -1;
}

namespace {

/// Where the state of a loop is read, the same turn everywhere, and at which rows it is folded.
class TurnFinder {
public:
  TurnFinder(const Program &program, int loop) : program(program), loop(loop) {}
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value, llvm::ArrayRef<Expr> at) {
    bool isOne = value.kind == ValueKind::Fold && value.loop == loop && value.window == 0;
    llvm::SmallVector<Expr, 4> needed;
    for (Expr coordinate : at.drop_front(isOne))
      if (!coordinate.isConstant(0))
        needed.push_back(coordinate);
    if (!isOne || !isTurn(at.front()) || (hasFolds && needed != rows) ||
        (hasFolds && !llvm::equal(extents, value.foldExtents)))
      return std::nullopt;
    hasFolds = true;
    rows = needed;
    extents.assign(value.foldExtents.begin(), value.foldExtents.end());
    return anyColumns(value, *program.context);
  }
  /// Whether what an output is made of at coordinates can be made in turns.
  bool find(const StoredSet &stored, const StoredSet &computed, const Value &output,
            llvm::ArrayRef<Expr> at) {
    using StateRead = Requests::StateRead;
    return Requests(program, stored, computed)
        .add(
            output, at,
            [&](const Value &value, llvm::ArrayRef<Expr> place) { return fold(value, place); },
            [&](const Value &value, llvm::ArrayRef<Expr> place) {
              bool isRead = value.loop == loop && isTurn(place.front()) && isOnePlace(place, at);
              return isRead ? StateRead::Follow : StateRead::Refuse;
            });
  }

  Expr turn;
  bool hasFolds = false;
  llvm::SmallVector<Expr, 4> rows, extents;

private:
  bool isTurn(Expr at) {
    if (!turn)
      turn = at;
    return turn == at;
  }
  /// Whether a state is read at the same element in every turn, for an output at coordinates: a
  /// program carries those elements that it needs, and has no other one's at hand.
  bool isOnePlace(llvm::ArrayRef<Expr> place, llvm::ArrayRef<Expr> output) const {
    bool moves = false;
    for (Expr coordinate : place.drop_front())
      index::forEachSymbol(coordinate, [&](Expr symbol) {
        // Sizes, which count turns from their end, do not move.
        bool isIndex = symbol == program.getTurn(loop) || llvm::is_contained(output, symbol);
        moves |=
            isIndex ? index::contains(turn, symbol) : symbol.getName().starts_with(lookupPrefix);
      });
    return !moves;
  }
  const Program &program;
  int loop;
};

/// An output of such a kernel: its axis along which the turns go, from the first or the last on
/// (none of what the loop leaves), and its rows and columns.
struct TurnOutput {
  std::optional<unsigned> axis;
  bool isBackwards = false;
  /// How many elements of that axis lie before and behind those of the turns.
  int64_t before = 0, behind = 0;
  bool hasFolds = false;
  llvm::SmallVector<unsigned, 4> rows, columns;
};

/// Elements beside those of the turns that a program stores one after the other.
constexpr int64_t mostEdges = 4;

/// The axis along which the turns go; false when they go along none.
bool findAxis(const Program &program, const Value &output, Expr turn, int loop, TurnOutput &found) {
  if (turn == program.getTurn(loop))
    return true;
  Expr turns = program.turns[loop];
  for (unsigned axis = 0; axis < output.shape.size() && !found.axis; ++axis) {
    auto linear = index::asLinearIn(turn, program.getIndex(axis));
    std::optional<int64_t> direction =
        linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
    if (direction != 1 && direction != -1)
      continue;
    // turn = i - before, or turn = turns - 1 + before - i
    Expr first = *direction > 0 ? 0 - linear->rest : linear->rest - turns + 1;
    std::optional<int64_t> before = first.getConstant();
    std::optional<int64_t> behind =
        before ? (output.shape[axis] - turns - *before).getConstant() : std::optional<int64_t>();
    if (!behind || *before < 0 || *behind < 0 || *before + *behind > mostEdges)
      continue;
    found.axis = axis;
    found.isBackwards = *direction < 0;
    found.before = *before;
    found.behind = *behind;
  }
  return found.axis.has_value();
}

/// Rows are the axes at which folds are needed; what they fold are the others.
bool findRows(const Program &program, const Value &output, const TurnFinder &finder,
              TurnOutput &found) {
  for (Expr coordinate : finder.rows) {
    std::optional<unsigned> row;
    for (unsigned axis = 0; axis < output.shape.size(); ++axis)
      if (coordinate == program.getIndex(axis) && found.axis != axis)
        row = axis;
    if (!row || llvm::is_contained(found.rows, *row))
      return false;
    found.rows.push_back(*row);
  }
  llvm::SmallVector<Expr, 4> rest;
  for (unsigned axis = 0; axis < output.shape.size(); ++axis) {
    bool isSingle = finder.hasFolds && output.shape[axis].isConstant(1);
    if (found.axis == axis || llvm::is_contained(found.rows, axis) || isSingle)
      continue;
    found.columns.push_back(axis);
    rest.push_back(output.shape[axis]);
  }
  found.hasFolds = finder.hasFolds;
  return !finder.hasFolds || rest.empty() || llvm::equal(rest, finder.extents);
}

/// Plans the outputs of one kernel, one after the other.
class TurnPlanner {
public:
  TurnPlanner(const Program &program, const StoredSet &stored, int loop)
      : program(program), stored(stored) {
    kernel.loop = loop;
    kernel.turn = program.getTurn(loop);
    kernel.turns = program.turns[loop];
  }

  std::optional<Kernel> run(llvm::ArrayRef<Value *> outputs) {
    StoredSet computed(outputs.begin(), outputs.end());
    for (Value *output : outputs) {
      llvm::SmallVector<Expr, 4> at;
      for (unsigned i = 0; i < output->shape.size(); ++i)
        at.push_back(program.getIndex(i));
      TurnFinder finder(program, kernel.loop);
      TurnOutput found;
      if (!finder.find(stored, computed, *output, at) || !finder.turn ||
          !findAxis(program, *output, finder.turn, kernel.loop, found) ||
          !findRows(program, *output, finder, found) || !place(*output, found, finder.extents))
        return std::nullopt;
    }
    return areEdgesFree(computed) ? std::optional(std::move(kernel)) : std::nullopt;
  }

private:
  bool unify(Space &space, llvm::ArrayRef<Expr> extents, llvm::StringRef prefix) {
    if (!kernel.outputs.empty())
      return llvm::equal(space.extents, extents);
    space.extents.assign(extents.begin(), extents.end());
    for (unsigned i = 0; i < extents.size(); ++i)
      space.symbols.push_back(program.context->symbol((prefix + llvm::Twine(i)).str()));
    return true;
  }

  bool place(Value &output, const TurnOutput &found, llvm::ArrayRef<Expr> folded) {
    llvm::SmallVector<Expr, 4> rows, columns(folded.begin(), folded.end());
    for (unsigned axis : found.rows)
      rows.push_back(output.shape[axis]);
    if (!found.hasFolds)
      for (unsigned axis : found.columns)
        columns.push_back(output.shape[axis]);
    if (kernel.outputs.empty()) {
      kernel.hasRows = found.hasFolds;
      kernel.columns.emplace_back();
    }
    if (kernel.hasRows != found.hasFolds || (found.hasFolds && found.before + found.behind != 0) ||
        !unify(kernel.rows, rows, "@r") || !unify(kernel.columns.front(), columns, "@c0_"))
      return false;
    KernelOutput placed{&output, {}, kernel.hasRows && found.columns.empty() ? -1 : 0};
    for (unsigned axis = 0; axis < output.shape.size(); ++axis) {
      auto *row = llvm::find(found.rows, axis), *column = llvm::find(found.columns, axis);
      if (found.axis == axis)
        placed.at.push_back(found.before +
                            (found.isBackwards ? kernel.turns - 1 - kernel.turn : kernel.turn));
      else if (row != found.rows.end())
        placed.at.push_back(kernel.rows.symbols[row - found.rows.begin()]);
      else if (column != found.columns.end())
        placed.at.push_back(kernel.columns.front().symbols[column - found.columns.begin()]);
      else
        placed.at.push_back(program.context->constant(0));
    }
    auto addEdge = [&](Expr place) {
      placed.edges.push_back(placed.at);
      placed.edges.back()[*found.axis] = place;
    };
    for (int64_t number = 0; number < found.before; ++number)
      addEdge(program.context->constant(number));
    for (int64_t number = 0; number < found.behind; ++number)
      addEdge(kernel.turns + (found.before + number));
    kernel.outputs.push_back(std::move(placed));
    return true;
  }

  /// Whether the elements beside those of the turns need nothing that a turn makes.
  bool areEdgesFree(const StoredSet &computed) const {
    for (const KernelOutput &output : kernel.outputs)
      for (llvm::ArrayRef<Expr> edge : output.edges) {
        TurnFinder finder(program, kernel.loop);
        if (!finder.find(stored, computed, *output.value, edge) || finder.turn)
          return false;
      }
    return true;
  }

  const Program &program;
  const StoredSet &stored;
  Kernel kernel;
};

} // namespace

std::optional<Kernel> planTurns(const Program &program, llvm::ArrayRef<Value *> outputs,
                                const StoredSet &stored, int loop) {
  return TurnPlanner(program, stored, loop).run(outputs);
}

std::optional<int> findUnmadeLoop(const Program &program) {
  StoredSet stored;
  for (const Value &value : program.values)
    if (!value.isFree() && value.loop < 0)
      stored.insert(&value);
  for (const Value &value : program.values) {
    if (value.loop >= 0 || value.isFree())
      continue;
    auto *output = const_cast<Value *>(&value);
    int loop = loopOf({output}, stored);
    if (loop >= 0 && !planKernel(program, {output}, stored))
      return loop;
  }
  return std::nullopt;
}

} // namespace nereid::schedule
