// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/EqualParts.h"

#include "graph/PartFunction.h"
#include "graph/PartSizes.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {
namespace {

// --- What a part is ------------------------------------------------------------------------------

/// A factor that is repeated along an axis which another has.
bool isRepeated(Value factor) {
  while (Operation *op = factor.getDefiningOp()) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return broadcast.getInput().getType().getRank() > 0;
    if (!isa<CastOp, TransposeOp, ReshapeOp>(op))
      return false;
    factor = op->getOperand(0);
  }
  return false;
}

/// Whether a fold adds up products of elements that are repeated: of matrices, of windows.
static bool isContraction(FoldOp fold) {
  auto product = fold.getInput().getDefiningOp<MulOp>();
  return fold.getKind() == FoldKind::Sum && product &&
         (isRepeated(product.getLhs()) || isRepeated(product.getRhs()));
}

unsigned countContractions(ArrayRef<Operation *> ops) {
  unsigned count = 0;
  for (Operation *op : ops)
    op->walk([&](FoldOp fold) { count += isContraction(fold); });
  return count;
}

bool canStand(Operation *op) {
  return !isa<AssignOp, CheckOp>(op) && !op->walk([](Operation *inner) {
                                             return isa<CallOp>(inner) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
                                           }).wasInterrupted();
}

/// Whether nothing outside of a part needs one of its operators and is needed by another.
bool isClosed(const Part &part) {
  llvm::DenseSet<Operation *> behind;
  Operation *last = part.ops.back();
  for (Operation *op = part.ops.front(); op != last->getNextNode(); op = op->getNextNode()) {
    bool isBehind = false, isInside = part.ops.contains(op), needsInside = false;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp()) {
        isBehind |= behind.contains(maker);
        needsInside |= part.ops.contains(maker);
      }
    if (isInside && isBehind)
      return false;
    if (!isInside && (isBehind || needsInside))
      behind.insert(op);
  }
  return true;
}

// --- Equality ------------------------------------------------------------------------------------

/// Whether the streams of two parts are the same, counted from the first.
bool haveEqualSteps(ArrayRef<Expr> a, ArrayRef<Expr> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
           return std::get<0>(pair) - a.front() == std::get<1>(pair) - b.front();
         });
}

// --- The search ----------------------------------------------------------------------------------

/// Takes the marks of a program and gives the operators of each call.
void collectParts(func::FuncOp program, std::vector<std::unique_ptr<Part>> &parts) {
  auto scopes = program->getAttrOfType<ArrayAttr>("graph.scopes");
  SmallVector<std::unique_ptr<Part>> own;
  for (unsigned number = 0; scopes && number < scopes.size(); ++number) {
    auto scope = cast<DictionaryAttr>(scopes[number]);
    own.push_back(std::make_unique<Part>());
    own.back()->program = program;
    own.back()->name = scope.getAs<StringAttr>("name").str();
  }
  for (Operation &op : program.front().without_terminator()) {
    auto mark = op.getAttrOfType<IntegerAttr>("graph.scope");
    int64_t scope = mark ? mark.getInt() : -1;
    while (scopes && scope >= 0) {
      own[scope]->ops.insert(&op);
      scope = cast<DictionaryAttr>(scopes[scope]).getAs<IntegerAttr>("outer").getInt();
    }
  }
  program.walk([](Operation *op) { op->removeAttr("graph.scope"); });
  program->removeAttr("graph.scopes");
  // What it joins first is joined outside: a list of features grows from layer to layer.
  for (std::unique_ptr<Part> &part : own)
    while (!part->ops.empty() && isa<ConcatOp>(part->ops.front()))
      part->ops.erase(part->ops.begin());
  constexpr unsigned leastContractions = 2;
  for (std::unique_ptr<Part> &part : own) {
    if (countContractions(part->ops.getArrayRef()) < leastContractions ||
        !llvm::all_of(part->ops, canStand) || !isClosed(*part))
      continue;
    part->findInputs();
    parts.push_back(std::move(part));
  }
}

using Group = SmallVector<Part *>;

std::vector<Group> groupBy(ArrayRef<Part *> parts,
                           llvm::function_ref<bool(const Part &, const Part &)> areEqual) {
  std::vector<Group> groups;
  for (Part *part : parts) {
    auto found =
        llvm::find_if(groups, [&](const Group &group) { return areEqual(*group.front(), *part); });
    if (found == groups.end())
      groups.push_back({part});
    else
      found->push_back(part);
  }
  return groups;
}

/// A call that does no more than one within it has the same operators: one of them is enough.
void dropTaken(Group &group, const llvm::DenseSet<Operation *> &taken) {
  llvm::DenseSet<Operation *> own;
  llvm::erase_if(group, [&](Part *part) {
    bool isTaken = llvm::any_of(
        part->ops, [&](Operation *op) { return taken.contains(op) || own.contains(op); });
    if (!isTaken)
      own.insert(part->ops.begin(), part->ops.end());
    return isTaken;
  });
}

/// By how many operators a program is shorter where a group is a function.
size_t countSaved(const Group &group) {
  return group.empty() ? 0 : (group.size() - 1) * group.front()->ops.size();
}

std::vector<Group>::iterator findBest(std::vector<Group> &groups) {
  return llvm::max_element(
      groups, [](const Group &a, const Group &b) { return countSaved(a) < countSaved(b); });
}

/// The group to outline first: the one that saves most, unless groups of larger calls around its
/// own save more together. A block of a network is worth more than a unit that all blocks have.
std::vector<Group>::iterator chooseGroup(std::vector<Group> &groups) {
  auto best = findBest(groups);
  if (best == groups.end() || countSaved(*best) == 0)
    return groups.end();
  auto isAround = [](const Part &outer, const Part &inner) {
    return outer.ops.size() > inner.ops.size() && outer.ops.contains(inner.ops.front());
  };
  std::vector<Group> around;
  std::vector<std::vector<Group>::iterator> places;
  for (auto group = groups.begin(); group != groups.end(); ++group)
    if (llvm::any_of(*group, [&](Part *outer) {
          return llvm::any_of(*best, [&](Part *inner) { return isAround(*outer, *inner); });
        })) {
      around.push_back(*group);
      places.push_back(group);
    }
  std::vector<Group>::iterator first = groups.end();
  size_t saved = 0;
  for (llvm::DenseSet<Operation *> taken;;) {
    for (Group &group : around)
      dropTaken(group, taken);
    auto next = findBest(around);
    if (next == around.end() || countSaved(*next) == 0)
      return saved > countSaved(*best) ? first : best;
    if (saved == 0)
      first = places[next - around.begin()];
    saved += countSaved(*next);
    for (Part *part : *next)
      taken.insert(part->ops.begin(), part->ops.end());
  }
}

} // namespace

void outlineEqualParts(ModuleOp module) {
  std::vector<std::unique_ptr<Part>> owned;
  for (auto program : module.getOps<func::FuncOp>())
    if (program->hasAttr("graph.program") && !program.isDeclaration())
      collectParts(program, owned);
  Group parts = llvm::map_to_vector(owned, [](const auto &part) { return part.get(); });
  Streams streams(module);
  std::vector<Group> groups = groupBy(parts, [&](const Part &a, const Part &b) {
    return haveEqualSteps(streams.of(a), streams.of(b)) && areAlike(a, b);
  });
  llvm::DenseSet<Operation *> taken;
  while (true) {
    for (Group &group : groups)
      dropTaken(group, taken);
    auto best = chooseGroup(groups);
    if (best == groups.end())
      break;
    Group group = std::move(*best);
    groups.erase(best);
    if (succeeded(outlineParts(module, group, streams))) {
      for (Part *part : group)
        taken.insert(part->ops.begin(), part->ops.end());
      continue;
    }
    // Those with the same sizes have one; a group of such parts that has none stays as it is.
    if (std::vector<Group> equal = groupBy(group, haveEqualSizes); equal.size() > 1)
      llvm::append_range(groups, equal);
  }
  streams.putBack();
}

} // namespace nereid::graph
