// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches. A value carried around a loop, or given by the arms of a branch, is one
// Python variable: it keeps its name from its start through every update.
#include "emit/TilePrinter.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::emit {

/// Whether a value is a Python variable that an operation of the same block may take over.
bool TilePrinter::isVariableOf(Value value, Operation *op) {
  if (!named.contains(value) || value.getParentBlock() != op->getBlock())
    return false;
  // A kernel's argument may be a constant to Triton.
  return !isa_and_present<func::FuncOp>(value.getParentBlock()->getParentOp()) ||
         value.getDefiningOp();
}

/// Whether a variable holds the whole shape of its value, and as a signed number: only then can
/// another value take its place around a loop or after a branch.
static bool isWhole(const Operand &held, Value value) {
  return held.shape == getExtents(value.getType()) && !held.isUnsigned;
}

/// The carried variable that a value of a loop's body may be written to at once, because nothing
/// reads the old value any more; else empty.
std::string TilePrinter::getCarriedName(Value value, Operation *at) {
  Operation *op = value.getDefiningOp();
  auto loop = dyn_cast_if_present<scf::ForOp>(at->getParentOp());
  if (!loop || op != at || op->getNumResults() != 1)
    return "";
  ValueRange yielded = loop.getYieldedValues();
  if (llvm::count(yielded, value) != 1)
    return "";
  unsigned place = std::distance(yielded.begin(), llvm::find(yielded, value));
  BlockArgument argument = loop.getRegionIterArg(place);
  if (argument.getType() != value.getType() || !folding.isDeadAfter(argument, at))
    return "";
  std::string name = named.lookup(argument).code.getText().str();
  // The result of an inner loop or branch may have taken the variable over.
  Value holder = holders.lookup(name);
  return holder == argument || folding.isDeadAfter(holder, at) ? name : "";
}

/// Names a carried variable and writes its start unless it is already there.
std::string TilePrinter::startCarried(Value init, BlockArgument argument, Value next,
                                      Operation *loop, llvm::ArrayRef<std::string> others) {
  llvm::StringRef user = getUserName(argument.getLoc());
  if (user.empty() && next && next.getDefiningOp() && next.getDefiningOp()->getNumResults() == 1)
    user = getUserName(next.getDefiningOp()->getLoc());
  if (isVariableOf(init, loop) && folding.isDeadAfter(init, loop) &&
      llvm::count(loop->getOperands(), init) == 1) {
    const Operand &held = named.lookup(init);
    llvm::StringRef name = held.code.getText();
    // `total_1` is called `total`, as another is.
    llvm::StringRef number = name;
    bool isCalledSo = user.empty() || (number.consume_front(toIdentifier(user)) &&
                                       number.find_first_not_of("_0123456789") == number.npos);
    if (isCalledSo && isWhole(held, init))
      return name.str();
  }
  std::string role = getCarriedRole(argument);
  std::string wish = user.empty() ? role : toIdentifier(user);
  auto holder = holders.find(wish);
  bool reuses = !user.empty() && !llvm::is_contained(others, wish) && holder != holders.end() &&
                isVariableOf(holder->second, loop) && folding.isDeadAfter(holder->second, loop);
  // The other starts and the bounds are printed after this one, and read what the name holds now.
  for (Value operand : loop->getOperands()) {
    llvm::StringSet<> read;
    if (operand != init || llvm::count(loop->getOperands(), init) > 1)
      collectNames(operand, read);
    reuses &= !read.contains(wish);
  }
  std::string name = reuses ? wish : user.empty() ? names.take(wish) : names.takeUserName(wish);
  writeAssignment(name, loop, [&] { return getExact(init); });
  return name;
}

void TilePrinter::collectNames(Value value, llvm::StringSet<> &found) {
  if (auto held = named.find(value); held != named.end()) {
    found.insert(held->second.code.getText());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  for (Value operand : op->getOperands())
    collectNames(operand, found);
}

/// `name = value` for all pairs at once: no update may come before a reader of the old value.
void TilePrinter::printUpdates(ValueRange values, llvm::ArrayRef<std::string> targets,
                               Operation *at) {
  struct Pending {
    std::string name;
    Value value;
  };
  std::vector<Pending> pending;
  for (auto [value, name] : llvm::zip_equal(values, targets)) {
    auto held = named.find(value);
    if (!name.empty() && (held == named.end() || held->second.code.getText() != name))
      pending.push_back({name, value});
  }
  auto isReadByOthers = [&](const Pending &update) {
    return llvm::any_of(pending, [&](const Pending &other) {
      llvm::StringSet<> read;
      collectNames(other.value, read);
      return &other != &update && read.contains(update.name);
    });
  };
  while (!pending.empty() && !failed) {
    auto next = llvm::find_if_not(pending, isReadByOthers);
    if (next == pending.end()) {
      // All wait for one another: Python assigns a tuple at once.
      std::string left, right;
      for (const Pending &each : pending) {
        Operation *op = each.value.getDefiningOp();
        if (op && !named.contains(each.value) && !folding.isTransparent(op))
          assign(each.value, at);
        left += (left.empty() ? "" : ", ") + each.name;
        right += (right.empty() ? "" : ", ") + getExact(each.value).code.str();
      }
      return writer.line(left + " = " + right);
    }
    Value value = next->value;
    writeAssignment(next->name, at, [&] { return getExact(value); });
    pending.erase(next);
  }
}

void TilePrinter::printFor(scf::ForOp loop) {
  llvm::SmallVector<std::string> carried;
  for (auto [init, argument, next] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues()))
    carried.push_back(startCarried(init, argument, next, loop, carried));
  Names outerNames = names;
  llvm::StringRef user = getUserName(loop.getInductionVar().getLoc());
  bool isUnit = matchPattern(loop.getStep(), m_One());
  std::string counter = user.empty() ? names.take(isUnit ? "k" : "start") : names.takeCounter(user);
  write("for " + counter + " in ", ":", loop, [&] {
    Operand low = getSigned(loop.getLowerBound()), high = getSigned(loop.getUpperBound());
    Operand step = getSigned(loop.getStep());
    bool unitStep = step.literal && cast<IntegerAttr>(step.literal).getInt() == 1;
    bool fromZero = low.literal && cast<IntegerAttr>(low.literal).getInt() == 0;
    llvm::SmallVector<Code> arguments = {low.code, high.code, step.code};
    if (unitStep)
      arguments.pop_back();
    if (unitStep && fromZero)
      arguments.erase(arguments.begin());
    if (loop->hasAttr(tile::staticLoopAttrName))
      return Code::call("tl.static_range", arguments);
    auto stages = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
    if (!stages)
      return Code::call("range", arguments);
    std::string number = std::to_string(stages.getInt());
    if (auto most = loop->getAttrOfType<IntegerAttr>("tile.most_ahead")) {
      // How large a tile is may hang on the sizes of the call.
      auto names = tile::getMetaNames(loop->getParentOfType<func::FuncOp>());
      number +=
          " if " + llvm::join(names, " * ") + " <= " + std::to_string(most.getInt()) + " else 1";
    }
    arguments.push_back(Code::keyword("num_stages", Code::text(number)));
    return Code::call("tl.range", arguments);
  });
  bool isWide = loop.getInductionVar().getType().isInteger(64);
  auto isNarrow = [&](Value bound) { return get(bound).literal || get(bound).mayBeKnown; };
  if (isWide && llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
                             isNarrow))
    return (void)refuse(loop, "counts in i64 between bounds that Triton reads as 32-bit");
  bind(loop.getInductionVar(), counter);
  // Upstream's interpreter counts with Python's integers.
  named[loop.getInductionVar()].mayBeKnown = true;
  for (auto [argument, result, name] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults(), carried))
    bind(argument, name);
  writer.indent();
  size_t start = writer.str().size();
  printBlock(*loop.getBody());
  printUpdates(loop.getYieldedValues(), carried, loop.getBody()->getTerminator());
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  names = outerNames;
  if (!user.empty())
    names.keepCounter(counter);
  for (auto [result, name] : llvm::zip_equal(loop.getResults(), carried))
    bind(result, name);
}

void TilePrinter::printWhile(scf::WhileOp loop) {
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  for (Operation &op : before.without_terminator())
    if (!folding.isTransparent(&op) && !folding.isFolded(&op) && !op.hasOneUse())
      return (void)refuse(loop, "has a condition that is more than one expression");
  llvm::SmallVector<std::string> carried;
  for (auto [place, init] : llvm::enumerate(loop.getInits())) {
    Value next = loop.getYieldOp().getOperand(place);
    carried.push_back(startCarried(init, before.getArgument(place), next, loop, carried));
    bind(before.getArgument(place), carried.back());
  }
  // Not `write`: a part with a name of its own would be computed once, before the loop.
  Code text = get(condition.getCondition()).code;
  if (failed)
    return;
  writer.statement("while ", text, ":");
  llvm::SmallVector<std::string> forwarded;
  for (Value value : condition.getArgs()) {
    if (!isa<BlockArgument>(value) || value.getParentBlock() != &before)
      return (void)refuse(loop, "passes a computed value from its condition to its body");
    forwarded.push_back(named.lookup(value).code.getText().str());
  }
  for (auto [argument, name] : llvm::zip_equal(after.getArguments(), forwarded))
    bind(argument, name);
  Names outerNames = names;
  writer.indent();
  size_t start = writer.str().size();
  printBlock(after);
  printUpdates(loop.getYieldOp().getOperands(), carried, after.getTerminator());
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  names = outerNames;
  for (auto [result, name] : llvm::zip_equal(loop.getResults(), forwarded))
    bind(result, name);
}

void TilePrinter::printArm(Region &region, llvm::ArrayRef<std::string> targets) {
  if (region.empty())
    return;
  printBlock(region.front());
  Operation *yield = region.front().getTerminator();
  printUpdates(yield->getOperands(), targets, yield);
}

void TilePrinter::printIf(scf::IfOp branch) {
  llvm::SmallVector<std::string> targets;
  for (OpResult result : branch.getResults()) {
    unsigned place = result.getResultNumber();
    Value then = branch.thenYield().getOperand(place), other = branch.elseYield().getOperand(place);
    std::string name;
    for (Value kept : {other, then})
      if (name.empty() && isVariableOf(kept, branch) && isWhole(named.lookup(kept), kept) &&
          folding.isDeadAfter(kept, branch, true) &&
          !llvm::is_contained(targets, named.lookup(kept).code.getText()))
        name = named.lookup(kept).code.getText().str();
    if (result.use_empty())
      name = "";
    else if (name.empty() && branch.getNumResults() == 1 && !getUserName(branch.getLoc()).empty())
      name = names.takeUserName(getUserName(branch.getLoc()));
    else if (name.empty())
      name = names.take(getRoleName(result));
    targets.push_back(name);
  }
  write("if ", ":", branch, [&] { return get(branch.getCondition()).code; });
  writer.indent();
  size_t start = writer.str().size();
  printArm(branch.getThenRegion(), targets);
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  Writer rest = writer;
  writer.line("else:");
  writer.indent();
  start = writer.str().size();
  printArm(branch.getElseRegion(), targets);
  bool isEmpty = writer.str().size() == start;
  writer.dedent();
  if (isEmpty)
    writer = rest;
  for (auto [result, name] : llvm::zip_equal(branch.getResults(), targets))
    if (!name.empty())
      bind(result, name);
}

} // namespace nereid::emit
