// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/host/LoopsAtOnce.h"

#include "host/HostOps.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/program/SizeNames.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// What the kernel of all turns has in place of an argument of the kernel of one turn.
struct TurnArgument {
  /// What the host passes; a state's tensors are one.
  mlir::Value passed;
  /// Of a pointer the elements that lie before its own; of a number the number itself, where it is
  /// not passed: expressions over the turn.
  Expr offset, number;
  /// Of a state's tensor the place among those, and whether it is the second half in even turns.
  std::optional<unsigned> state;
  bool isSecond = false;
};

/// One loop, while it is looked at and replaced.
class Loop {
public:
  Loop(host::ForOp loop, const Program &program)
      : loop(loop), program(program), module(loop->getParentOfType<ModuleOp>()), builder(loop),
        context(*program.context), turn(loop.getExpr()), inside(loop) {}

  bool read();
  void replace();

private:
  bool readArgument(mlir::Value value, BlockArgument parameter);
  std::optional<unsigned> stateOf(mlir::Value tensor);
  bool isOfTurn(Expr expr) const { return index::contains(expr, turn); }
  bool runsAtOnce();

  mlir::Value hostSize(Expr expr) {
    return host::SizeOp::create(builder, launch.getLoc(), builder.getI64Type(),
                                sym::ExprAttr::get(builder.getContext(), expr));
  }
  mlir::Value pairOf(unsigned state);
  void addParameters();
  unsigned addParameter(mlir::Value passed, Type type, llvm::StringRef name, bool varies = false);
  mlir::Value number(Expr expr);
  mlir::Value wideNumber(Expr expr);
  mlir::Value pointerOf(unsigned place);
  std::string nestOfTurns(StringRef nest);
  void buildKernel();
  void buildTurn(scf::ForOp turns);
  void hoist(scf::ForOp turns);
  void waitForAll(scf::ForOp turns);
  mlir::Value addAtomically(mlir::Value pointer, mlir::Value value, tile::MemSem order);

  host::ForOp loop;
  const Program &program;
  ModuleOp module;
  OpBuilder builder;
  index::Context &context;
  Expr turn;
  host::LaunchOp launch;
  func::FuncOp before, kernel;
  std::vector<TurnArgument> arguments;
  /// For each state the place that it changes with, and the tensor that has both.
  llvm::SmallVector<unsigned> partners;
  llvm::DenseMap<unsigned, mlir::Value> pairs;
  /// Of the kernel that is built: what is passed, the parameters of tensors and numbers.
  llvm::SmallVector<mlir::Value> passed;
  llvm::DenseMap<mlir::Value, unsigned> pointers;
  llvm::DenseMap<Expr, unsigned> sizes;
  llvm::StringSet<> names;
  unsigned first = 0, stop = 0, arrived = 0;
  OpBuilder inside;
  mlir::Value turnInside;
};

} // namespace

static Expr elementsOf(host::TensorType type, index::Context &context) {
  return index::product(context, type.getSizes());
}

/// Which of the loop's states a tensor is, in the body.
std::optional<unsigned> Loop::stateOf(mlir::Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != &loop.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Whether an argument of the launch is one that the kernel of all turns can have.
bool Loop::readArgument(mlir::Value value, BlockArgument parameter) {
  TurnArgument argument;
  if (auto size = value.getDefiningOp<host::SizeOp>()) {
    Expr expr = size.getExpr().getExpr();
    // What hangs on the turn is counted in 64 bits: the kernel widens it before anything else.
    bool isWidened = llvm::all_of(parameter.getUsers(), [](Operation *user) {
      auto widened = dyn_cast<arith::ExtSIOp>(user);
      return widened && widened.getType().isInteger(64);
    });
    if (isOfTurn(expr) && (!index::asLinearIn(expr, turn) || !isWidened))
      return false;
    argument.number = expr;
    arguments.push_back(argument);
    return true;
  }
  if (auto view = value.getDefiningOp<host::ViewOp>(); view && loop->isAncestor(view)) {
    argument.offset = view.getOffset().getExpr();
    if (!index::asLinearIn(argument.offset, turn))
      return false;
    value = view.getTensor();
  }
  auto type = dyn_cast<host::TensorType>(value.getType());
  if (std::optional<unsigned> state = stateOf(value)) {
    if (!type || !host::hasRowMajorStrides(type))
      return false;
    unsigned partner = partners[*state];
    argument.state = *state;
    argument.isSecond = partner < *state;
    arguments.push_back(argument);
    return true;
  }
  if (Operation *made = value.getDefiningOp(); made && loop->isProperAncestor(made)) {
    return false;
  }
  argument.passed = value;
  arguments.push_back(argument);
  return true;
}

/// Whether all programs of a turn run at once at the typical sizes.
bool Loop::runsAtOnce() {
  llvm::DenseMap<Expr, Expr> blocks;
  tile::ConfigAttr config = tile::getConfig(before, {});
  for (NamedAttribute entry : config.getValues())
    if (auto block = dyn_cast<IntegerAttr>(entry.getValue()))
      blocks[context.symbol(entry.getName().getValue())] = context.constant(block.getInt());
  int64_t programs = 1;
  for (Attribute extent : launch.getGrid()) {
    Expr expr = index::substitute(cast<sym::ExprAttr>(extent).getExpr(), blocks);
    if (isOfTurn(expr))
      return false;
    programs *= program.estimate(expr);
  }
  return programs <= program.policy.getDevice().multiprocessors;
}

/// Whether the loop's turns are one launch each, of tensors that are made before it.
bool Loop::read() {
  Block &body = loop.getBody().front();
  for (Operation &op : body.without_terminator()) {
    if (auto own = dyn_cast<host::LaunchOp>(op)) {
      if (launch)
        return false;
      launch = own;
    } else if (!isa<host::SizeOp, host::ViewOp>(op)) {
      return false;
    }
  }
  if (!launch || launch.getGrid().size() != 1 || !launch.getMeta().empty() ||
      isOfTurn(loop.getCount().getExpr()))
    return false;
  before = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  bool isOnlyUse = true;
  module.walk([&](host::LaunchOp other) {
    isOnlyUse &= other == launch || other.getKernel() != launch.getKernel();
  });
  if (!isOnlyUse)
    return false;
  // States change places with tensors of their own, which nothing else has.
  auto yield = cast<host::YieldOp>(body.getTerminator());
  for (mlir::Value next : yield.getValues())
    if (std::optional<unsigned> state = stateOf(next))
      partners.push_back(*state);
  if (partners.size() != loop.getInits().size())
    return false;
  for (auto [state, partner] : llvm::enumerate(partners)) {
    auto init = loop.getInits()[state].getDefiningOp<host::EmptyOp>();
    if (partner == state || partners[partner] != state || !init || init->getNumOperands() != 0 ||
        loop.getInits()[state].getType() != loop.getInits()[partner].getType())
      return false;
  }
  for (auto [value, parameter] : llvm::zip_equal(launch.getArguments(), before.getArguments()))
    if (!readArgument(value, parameter))
      return false;
  return runsAtOnce();
}

/// One tensor with both halves of a state, in place of the two that changed places.
mlir::Value Loop::pairOf(unsigned state) {
  unsigned least = std::min(state, partners[state]);
  auto [known, isNew] = pairs.try_emplace(least);
  if (!isNew)
    return known->second;
  unsigned most = partners[least];
  mlir::Value tensors[] = {loop.getInits()[least], loop.getInits()[most]};
  auto type = cast<host::TensorType>(tensors[0].getType());
  Expr elements = elementsOf(type, context);
  llvm::SmallVector<Expr> sizes = {context.constant(2)}, strides = {elements};
  llvm::append_range(sizes, type.getSizes());
  llvm::append_range(strides, type.getStrides());
  auto whole = host::TensorType::get(type.getContext(), sizes, type.getElementType(), strides);
  OpBuilder at(tensors[0].getDefiningOp());
  Location loc = NameLoc::get(builder.getStringAttr("states"), loop.getLoc());
  mlir::Value pair = host::EmptyOp::create(at, loc, whole, ValueRange{});
  auto halfAt = [&](OpBuilder &at, Expr half, Location loc) {
    auto exprOf = [&](Expr expr) { return sym::ExprAttr::get(at.getContext(), expr); };
    auto view = host::ViewOp::create(at, loc, type, pair, exprOf(half * elements));
    view->setAttr(host::startsAttrName, at.getArrayAttr(ArrayRef<Attribute>(exprOf(half))));
    return view;
  };
  for (unsigned half : {0, 1}) {
    OpBuilder own(tensors[half].getDefiningOp());
    if (half == 1)
      own.setInsertionPointAfter(pair.getDefiningOp());
    mlir::Value view = halfAt(own, context.constant(half), tensors[half].getLoc());
    tensors[half].replaceAllUsesWith(view);
    tensors[half].getDefiningOp()->erase();
  }
  // What the last turn wrote, or the first state where there is none.
  Expr last = index::mod(loop.getCount().getExpr(), context.constant(2));
  OpBuilder behind(loop);
  loop.getResult(least).replaceAllUsesWith(halfAt(behind, last, loop.getLoc()));
  loop.getResult(most).replaceAllUsesWith(
      halfAt(behind, context.constant(1) - last, loop.getLoc()));
  return known->second = pair;
}

unsigned Loop::addParameter(mlir::Value value, Type type, llvm::StringRef base, bool varies) {
  std::string name = base.str();
  for (unsigned count = 2; !names.insert(name).second; ++count)
    name = base.str() + std::to_string(count);
  unsigned place = kernel.getNumArguments();
  NamedAttrList attributes;
  attributes.set(tile::nameAttrName, builder.getStringAttr(name));
  if (varies)
    attributes.set(tile::variesAttrName, builder.getUnitAttr());
  (void)kernel.insertArgument(place, type, attributes.getDictionary(type.getContext()),
                              kernel.getLoc());
  passed.push_back(value);
  return place;
}

/// Pointers come first, as kernels have them.
void Loop::addParameters() {
  for (unsigned place = 0; place < arguments.size(); ++place) {
    TurnArgument &argument = arguments[place];
    if (argument.state)
      argument.passed = pairOf(*argument.state);
    if (!argument.passed || !isa<host::TensorType>(argument.passed.getType()))
      continue;
    if (pointers.contains(argument.passed))
      continue;
    StringRef name = before.getArgAttrOfType<StringAttr>(place, tile::nameAttrName).getValue();
    std::string base = name.str();
    if (argument.offset && !argument.state && name.consume_back("_part_ptr"))
      base = (name + "_ptr").str();
    pointers[argument.passed] =
        addParameter(argument.passed, before.getArgumentTypes()[place], base);
  }
  Location loc = launch.getLoc();
  auto type = host::TensorType::get(builder.getContext(), {context.constant(1)},
                                    builder.getI32Type(), {context.constant(1)});
  mlir::Value counter =
      host::FullOp::create(builder, NameLoc::get(builder.getStringAttr("arrived"), loc), type,
                           hostSize(context.constant(0)));
  auto pointer = tile::PtrType::get(builder.getContext(), builder.getI32Type());
  arrived = addParameter(counter, pointer, "arrived_ptr");
  for (unsigned place = 0; place < arguments.size(); ++place) {
    TurnArgument &argument = arguments[place];
    if (argument.number && !isOfTurn(argument.number) && !sizes.contains(argument.number)) {
      StringRef name = before.getArgAttrOfType<StringAttr>(place, tile::nameAttrName).getValue();
      sizes[argument.number] =
          addParameter(hostSize(argument.number), before.getArgumentTypes()[place], name);
    } else if (argument.passed && !isa<host::TensorType>(argument.passed.getType())) {
      StringRef name = before.getArgAttrOfType<StringAttr>(place, tile::nameAttrName).getValue();
      pointers[argument.passed] =
          addParameter(argument.passed, before.getArgumentTypes()[place], name);
    }
  }
}

/// A number of sizes within the kernel, as wide as the kernel's own.
mlir::Value Loop::number(Expr expr) {
  Location loc = kernel.getLoc();
  if (std::optional<int64_t> known = expr.getConstant()) {
    bool isNarrow = *known == int32_t(*known);
    return arith::ConstantOp::create(inside, loc,
                                     isNarrow ? inside.getI32IntegerAttr(*known)
                                              : inside.getI64IntegerAttr(*known));
  }
  auto [known, isNew] = sizes.try_emplace(expr);
  if (isNew) {
    known->second = addParameter(hostSize(expr), inside.getI32Type(), nameOfSize(expr));
  }
  return kernel.getArgument(known->second);
}

mlir::Value Loop::wideNumber(Expr expr) {
  mlir::Value narrow = number(expr);
  if (narrow.getType().isInteger(64))
    return narrow;
  return arith::ExtSIOp::create(inside, kernel.getLoc(), inside.getI64Type(), narrow);
}

/// A pointer of a turn: that of its tensor, its half of a state, and what lies before it.
mlir::Value Loop::pointerOf(unsigned place) {
  const TurnArgument &argument = arguments[place];
  Location loc = kernel.getLoc();
  mlir::Value pointer = kernel.getArgument(pointers.at(argument.passed));
  auto moveOn = [&](mlir::Value elements) {
    pointer = tile::AddPtrOp::create(inside, loc, pointer.getType(), pointer, elements);
  };
  auto times = [&](mlir::Value number, Expr expr) -> mlir::Value {
    mlir::Value wide = arith::ExtSIOp::create(inside, loc, inside.getI64Type(), number);
    if (expr.isConstant(1))
      return wide;
    return arith::MulIOp::create(inside, loc, wide, wideNumber(expr));
  };
  if (argument.state) {
    auto pair = cast<host::TensorType>(argument.passed.getType());
    mlir::Value two = number(context.constant(2)), one = number(context.constant(1));
    mlir::Value half = arith::RemSIOp::create(inside, loc, turnInside, two);
    if (argument.isSecond)
      half = arith::SubIOp::create(inside, loc, one, half);
    moveOn(times(half, pair.getStrides().front()));
  }
  if (argument.offset) {
    index::LinearIn offset = *index::asLinearIn(argument.offset, turn);
    if (!offset.coefficient.isConstant(0))
      moveOn(times(turnInside, offset.coefficient));
    if (!offset.rest.isConstant(0))
      moveOn(wideNumber(offset.rest));
  }
  return pointer;
}

/// A turn of the kernel, with what it computes anew for each.
void Loop::buildTurn(scf::ForOp turns) {
  IRMapping values;
  turnInside = turns.getInductionVar();
  inside.setInsertionPointToStart(turns.getBody());
  Location loc = kernel.getLoc();
  for (unsigned place = 0; place < arguments.size(); ++place) {
    const TurnArgument &argument = arguments[place];
    mlir::Value value;
    if (argument.passed && isa<host::TensorType>(argument.passed.getType())) {
      value = pointerOf(place);
    } else if (argument.passed) {
      value = kernel.getArgument(pointers.at(argument.passed));
    } else if (!isOfTurn(argument.number)) {
      value = number(argument.number);
    } else {
      // As wide as it may be: what is passed has the width that it needs.
      index::LinearIn of = *index::asLinearIn(argument.number, turn);
      value = arith::ExtSIOp::create(inside, loc, inside.getI64Type(), turnInside);
      if (!of.coefficient.isConstant(1))
        value = arith::MulIOp::create(inside, loc, value, wideNumber(of.coefficient));
      if (!of.rest.isConstant(0))
        value = arith::AddIOp::create(inside, loc, value, wideNumber(of.rest));
    }
    values.map(before.getArgument(place), value);
  }
  for (Operation &op : before.getBody().front().without_terminator()) {
    // A number that is wide already is not widened.
    auto widened = dyn_cast<arith::ExtSIOp>(op);
    mlir::Value wide = widened ? values.lookupOrNull(widened.getIn()) : mlir::Value();
    if (wide && wide.getType() == widened.getType())
      values.map(widened.getResult(), wide);
    else
      inside.clone(op, values);
  }
  waitForAll(turns);
}

mlir::Value Loop::addAtomically(mlir::Value pointer, mlir::Value value, tile::MemSem order) {
  MLIRContext *context = inside.getContext();
  return tile::AtomicRmwOp::create(inside, kernel.getLoc(), value.getType(),
                                   tile::RmwKindAttr::get(context, tile::RmwKind::Add), pointer,
                                   value, mlir::Value(), tile::MemSemAttr::get(context, order),
                                   tile::MemScopeAttr::get(context, tile::MemScope::Gpu));
}

/// Behind every turn but the last: what others wrote in it is there when the next one begins.
void Loop::waitForAll(scf::ForOp turns) {
  Location loc = kernel.getLoc();
  Type narrow = inside.getI32Type();
  mlir::Value one = number(context.constant(1));
  auto named = [&](StringRef name) { return NameLoc::get(inside.getStringAttr(name), loc); };
  mlir::Value next = arith::AddIOp::create(inside, named("next_turn"), turnInside, one);
  mlir::Value isNext =
      arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::slt, next, kernel.getArgument(stop));
  auto branch = scf::IfOp::create(inside, loc, isNext);
  OpBuilder::InsertionGuard guard(inside);
  inside.setInsertionPointToStart(branch.thenBlock());
  mlir::Value counter = kernel.getArgument(arrived);
  tile::BarrierOp::create(inside, loc);
  (void)addAtomically(counter, one, tile::MemSem::Release);
  mlir::Value made = arith::SubIOp::create(inside, loc, next, kernel.getArgument(first));
  mlir::Value all = arith::MulIOp::create(inside, named("arrivals"), made,
                                          tile::NumProgramsOp::create(inside, loc, narrow, 0));
  // What acquires has to be looked at: an H200 keeps lines of its near cache behind an atomic whose
  // result nobody reads, and turns read states of two turns before.
  auto wait = scf::WhileOp::create(inside, loc, TypeRange(), ValueRange());
  {
    OpBuilder::InsertionGuard within(inside);
    inside.createBlock(&wait.getBefore());
    mlir::Value seen = addAtomically(counter, number(context.constant(0)), tile::MemSem::Acquire);
    mlir::Value waits = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::slt, seen, all);
    scf::ConditionOp::create(inside, loc, waits, ValueRange());
    inside.createBlock(&wait.getAfter());
    scf::YieldOp::create(inside, loc);
  }
  tile::BarrierOp::create(inside, loc);
}

/// The printed nest of a turn within the loop over all of them.
std::string Loop::nestOfTurns(StringRef nest) {
  auto [head, rest] = nest.split('\n');
  std::string text =
      (head + "\n  for " + turn.getName() + " in " +
       program.sizeForms.outward(loop.getCount().getExpr()).str() + ", all programs at once:\n")
          .str();
  for (StringRef line : llvm::split(rest.rtrim('\n'), '\n'))
    text += ("  " + line + "\n").str();
  return text;
}

void Loop::buildKernel() {
  Location loc = before.getLoc();
  kernel =
      func::FuncOp::create(loc, before.getName(), FunctionType::get(loc->getContext(), {}, {}));
  for (NamedAttribute attribute : before->getDiscardableAttrs())
    if (attribute.getName() != tile::tunedForAttrName)
      kernel->setAttr(attribute.getName(), attribute.getValue());
  kernel->setAttr(tile::configsAttrName,
                  builder.getArrayAttr(ArrayRef<Attribute>(tile::getConfig(before, {}))));
  kernel->setAttr(tile::runsAtOnceAttrName, builder.getUnitAttr());
  auto doc = before->getAttrOfType<StringAttr>("tile.doc");
  kernel->setAttr("tile.doc", builder.getStringAttr(doc.getValue() +
                                                    "\nMakes the turns from first to stop; its "
                                                    "programs wait for one another between two."));
  if (auto nest = before->getAttrOfType<StringAttr>(nestAttrName))
    kernel->setAttr(nestAttrName, builder.getStringAttr(nestOfTurns(nest.getValue())));
  Block *entry = kernel.addEntryBlock();
  inside = OpBuilder::atBlockEnd(entry);
  addParameters();
  first = addParameter(hostSize(context.constant(0)), inside.getI32Type(), "first", true);
  stop = addParameter(hostSize(loop.getCount().getExpr()), inside.getI32Type(), "stop", true);
  auto turns = scf::ForOp::create(inside, NameLoc::get(builder.getStringAttr(turn.getName()), loc),
                                  kernel.getArgument(first), kernel.getArgument(stop),
                                  number(context.constant(1)));
  func::ReturnOp::create(inside, loc);
  // Nothing of a later turn is read before its time.
  turns->setAttr("tile.num_stages", builder.getI64IntegerAttr(1));
  buildTurn(turns);
  hoist(turns);
}

/// What is the same in all turns is computed before them. Its divisors are blocks and sizes, which
/// are not 0 where programs run.
void Loop::hoist(scf::ForOp turns) {
  for (Operation &op : llvm::make_early_inc_range(turns.getBody()->without_terminator()))
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getOperands(), [&](mlir::Value operand) {
          return operand.getParentRegion()->isProperAncestor(&turns.getRegion());
        }))
      op.moveBefore(turns);
}

void Loop::replace() {
  buildKernel();
  // `first` and `stop` were not the last: numbers are asked for when they are needed.
  unsigned count = kernel.getNumArguments();
  llvm::SmallVector<unsigned> order;
  for (unsigned place = 0; place < count; ++place)
    if (place != first && place != stop)
      order.push_back(place);
  order.append({first, stop});
  llvm::SmallVector<mlir::Value> values;
  for (unsigned place : order)
    values.push_back(passed[place]);
  llvm::SmallVector<DictionaryAttr> attributes;
  for (unsigned place : order)
    attributes.push_back(kernel.getArgAttrDict(place));
  Block &entry = kernel.getBody().front();
  for (unsigned place : order) {
    BlockArgument old = entry.getArgument(place);
    old.replaceAllUsesWith(entry.addArgument(old.getType(), old.getLoc()));
  }
  entry.eraseArguments(0, count);
  kernel.setType(FunctionType::get(kernel.getContext(), entry.getArgumentTypes(), {}));
  kernel.setAllArgAttrs(attributes);
  before->getBlock()->getOperations().insert(before->getIterator(), kernel.getOperation());
  before.erase();
  auto made = host::LaunchOp::create(builder, launch.getLoc(), FlatSymbolRefAttr::get(kernel),
                                     launch.getGrid(), values, launch.getMetaAttr());
  made->setAttr(host::inTurnsAttrName, builder.getUnitAttr());
  loop.erase();
}

void makeTurnsAtOnce(func::FuncOp func, const Program &program) {
  llvm::SmallVector<host::ForOp> loops;
  func.walk([&](host::ForOp loop) { loops.push_back(loop); });
  for (host::ForOp loop : loops)
    if (Loop own(loop, program); own.read())
      own.replace();
}

} // namespace nereid::schedule
