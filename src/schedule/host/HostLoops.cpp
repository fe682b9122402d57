// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/host/HostLoops.h"

#include "schedule/nest/TurnKernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::schedule {

// --- Which loops ---------------------------------------------------------------------------------

/// Whether a body has what needs a kernel, or several, of its own.
static bool needsLaunches(graph::LoopOp loop) {
  return loop.getBody()
      .walk([](Operation *op) {
        return isa<graph::LoopOp, graph::SegmentOp, graph::RunsOp, graph::ScatterOp, graph::SortOp,
                   graph::SearchOp, graph::CallOp, graph::ApplyOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::SmallVector<graph::LoopOp> findHostLoops(func::FuncOp func) {
  llvm::SmallVector<graph::LoopOp> found;
  unsigned loops = 0;
  func.walk<WalkOrder::PreOrder>([&](graph::LoopOp loop) {
    ++loops;
    if (needsLaunches(loop))
      found.push_back(loop);
    return WalkResult::skip();
  });
  if (loops == found.size())
    return found;
  // The others are tried. One that fails may hide the next.
  ScopedDiagnosticHandler silent(func.getContext(), [](mlir::Diagnostic &) { return success(); });
  HostLoops known;
  for (graph::LoopOp loop : found)
    (void)outlineBody(loop, "body", known[loop]);
  while (true) {
    Program program;
    program.hostLoops = known;
    if (failed(buildProgram(func, program)))
      return found;
    std::optional<int> number = findUnmadeLoop(program);
    if (!number)
      return found;
    auto loop = cast<graph::LoopOp>(program.loopOps[*number]);
    found.push_back(loop);
    (void)outlineBody(loop, "body", known[loop]);
  }
}

// --- Their bodies --------------------------------------------------------------------------------

namespace {

class BodyWriter {
public:
  BodyWriter(graph::LoopOp loop, HostLoop &info)
      : loop(loop), program(loop->getParentOfType<func::FuncOp>()), info(info),
        builder(loop.getContext()), context(sym::SymDialect::getIndexContext(loop.getContext())) {}

  OwningOpRef<func::FuncOp> run(llvm::StringRef name);

private:
  void chooseTurn();
  void addArguments();
  mlir::Value addArgument(Type type, llvm::StringRef base, Location place,
                          NamedAttrList attributes = {});
  std::string nameOf(mlir::Value value, llvm::StringRef fallback);
  mlir::Value sourceOf(mlir::Value input);
  mlir::Value viewOf(mlir::Value input);
  void copyFree(mlir::Value value);
  mlir::Value elementOf(mlir::Value stacked);
  void copyBody();
  void copyChecks();
  void writeResults();
  void finish();

  graph::LoopOp loop;
  func::FuncOp program;
  HostLoop &info;
  OpBuilder builder;
  index::Context &context;
  func::FuncOp function;
  IRMapping copies;
  llvm::SmallVector<mlir::Value> next, stacks;
  llvm::StringSet<> names;
  std::vector<NamedAttrList> attributes;
};

void forEachSymbol(Operation *op, llvm::function_ref<void(Expr)> visit) {
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (auto tensor = dyn_cast<graph::TensorType>(type))
        for (Expr size : tensor.getSizes())
          index::forEachSymbol(size, visit);
    for (NamedAttribute attribute : inner->getAttrs())
      if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
        index::forEachSymbol(expr.getExpr(), visit);
  });
}

/// A name that no size of the program has.
void BodyWriter::chooseTurn() {
  llvm::StringSet<> taken;
  auto take = [&](Expr symbol) { taken.insert(symbol.getName()); };
  forEachSymbol(program, take);
  for (Type type : program.getArgumentTypes())
    for (Expr size : cast<graph::TensorType>(type).getSizes())
      index::forEachSymbol(size, take);
  for (unsigned number = 0; number < program.getNumArguments(); ++number)
    for (llvm::StringRef mark : {"graph.symbol", "graph.name"})
      if (auto own = program.getArgAttrOfType<StringAttr>(number, mark))
        taken.insert(own.getValue());
  std::string name = "t";
  for (unsigned count = 2; taken.contains(name); ++count)
    name = "t" + std::to_string(count);
  info.turn = context.symbol(name);
}

mlir::Value BodyWriter::addArgument(Type type, llvm::StringRef base, Location place,
                                    NamedAttrList own) {
  std::string name = base.str();
  for (unsigned count = 2; !names.insert(name).second; ++count)
    name = base.str() + std::to_string(count);
  own.set("graph.name", builder.getStringAttr(name));
  attributes.push_back(std::move(own));
  return function.front().addArgument(type, place);
}

std::string BodyWriter::nameOf(mlir::Value value, llvm::StringRef fallback) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto parent = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      return parent.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
  auto named = value.getLoc()->findInstanceOf<NameLoc>();
  return named ? named.getName().str() : fallback.str();
}

/// What a view of the loop's inputs is of: the body looks at its elements itself.
mlir::Value BodyWriter::sourceOf(mlir::Value input) {
  while (Operation *op = input.getDefiningOp()) {
    if (!isa<graph::FlipOp, graph::TransposeOp, graph::SliceOp, graph::ReshapeOp,
             graph::BroadcastOp>(op))
      break;
    input = op->getOperand(0);
  }
  return input;
}

/// Whether a value says a constant, a size or an index.
static bool isFree(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<graph::ConstantOp, graph::SizeOp, graph::IotaOp>(op) ||
         (isa_and_present<graph::BroadcastOp, graph::ReshapeOp>(op) && isFree(op->getOperand(0)));
}

void BodyWriter::copyFree(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  for (mlir::Value operand : op->getOperands())
    if (!copies.contains(operand))
      copyFree(operand);
  builder.clone(*op, copies);
}

mlir::Value BodyWriter::viewOf(mlir::Value input) {
  if (mlir::Value known = copies.lookupOrNull(input))
    return known;
  Operation *op = input.getDefiningOp();
  (void)viewOf(op->getOperand(0));
  return builder.clone(*op, copies)->getResult(0);
}

/// What a turn sees of a tensor with the turns as its first axis.
mlir::Value BodyWriter::elementOf(mlir::Value stacked) {
  auto type = cast<graph::TensorType>(stacked.getType());
  auto sizes = llvm::to_vector(type.getSizes());
  sizes.front() = context.constant(1);
  mlir::Value slice =
      graph::SliceOp::create(builder, loop.getLoc(), type.withSizes(sizes), stacked, 0,
                             sym::ExprAttr::get(builder.getContext(), info.turn), 1);
  return graph::ReshapeOp::create(builder, loop.getLoc(),
                                  type.withSizes(llvm::ArrayRef(sizes).drop_front()), slice);
}

void BodyWriter::addArguments() {
  Block &body = loop.getBody().front();
  auto number = graph::TensorType::get(builder.getContext(), {}, builder.getI64Type());
  NamedAttrList turn;
  turn.set("graph.scalar", builder.getUnitAttr());
  turn.set("graph.symbol", builder.getStringAttr(info.turn.getName()));
  addArgument(number, info.turn.getName(), loop.getLoc(), turn);
  for (auto [argument, result] : llvm::zip(body.getArguments(), loop.getResults()))
    if (argument.getArgNumber() < loop.getInits().size())
      copies.map(argument,
                 addArgument(argument.getType(), nameOf(argument, nameOf(result, "state")),
                             argument.getLoc()));
  auto give = [&](mlir::Value outer) {
    if (copies.contains(outer))
      return;
    // Constants are made where they are used.
    if (isFree(outer)) {
      copyFree(outer);
      return;
    }
    NamedAttrList own;
    auto given = dyn_cast<BlockArgument>(outer);
    if (given && given.getOwner() == &program.front() &&
        program.getArgAttr(given.getArgNumber(), "graph.scalar"))
      own.set("graph.scalar", builder.getUnitAttr());
    info.sources.push_back(outer);
    copies.map(outer, addArgument(outer.getType(), nameOf(outer, "x"), outer.getLoc(), own));
  };
  for (mlir::Value input : loop.getInputs())
    give(sourceOf(input));
  llvm::for_each(loop.getConstants(), give);
}

void BodyWriter::copyBody() {
  Block &body = loop.getBody().front();
  auto inputs = body.getArguments().drop_front(loop.getInits().size());
  for (auto [argument, input] : llvm::zip(inputs, loop.getInputs()))
    copies.map(argument, elementOf(viewOf(input)));
  for (auto [argument, constant] : llvm::zip_equal(
           body.getArguments().take_back(loop.getConstants().size()), loop.getConstants()))
    copies.map(argument, copies.lookup(constant));
  for (Operation &op : body.without_terminator())
    builder.clone(op, copies);
}

/// What holds for the program holds for its loops.
void BodyWriter::copyChecks() {
  OpBuilder start = OpBuilder::atBlockBegin(&function.front());
  for (graph::CheckOp check : program.getOps<graph::CheckOp>())
    start.clone(*check);
}

/// The next states are assigned whole, what is stacked at its turn.
void BodyWriter::writeResults() {
  Location place = loop.getLoc();
  for (auto [value, result] : llvm::zip(loop.getNext(), loop.getResults())) {
    mlir::Value target = addArgument(value.getType(), nameOf(result, "state") + "_next", place);
    graph::AssignOp::create(builder, place, target, copies.lookup(value));
  }
  for (auto [value, result] :
       llvm::zip(loop.getStacked(), loop.getResults().drop_front(loop.getInits().size()))) {
    auto type = cast<graph::TensorType>(result.getType());
    mlir::Value target = addArgument(type, nameOf(result, "out"), place);
    auto part = [&](Expr start, Expr size) -> mlir::Value {
      auto sizes = llvm::to_vector(type.getSizes());
      sizes.front() = size;
      return graph::SliceOp::create(builder, place, type.withSizes(sizes), target, 0,
                                    sym::ExprAttr::get(builder.getContext(), start), 1);
    };
    Expr count = loop.getCount().getExpr(), one = context.constant(1);
    auto sizes = llvm::to_vector(type.getSizes());
    sizes.front() = one;
    mlir::Value row =
        graph::ReshapeOp::create(builder, place, type.withSizes(sizes), copies.lookup(value));
    mlir::Value all =
        graph::ConcatOp::create(builder, place, type,
                                ValueRange{part(context.constant(0), info.turn), row,
                                           part(info.turn + one, count - info.turn - one)},
                                0);
    graph::AssignOp::create(builder, place, target, all);
  }
  func::ReturnOp::create(builder, place);
}

void BodyWriter::finish() {
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(), {}));
  function->setAttr("graph.program", builder.getUnitAttr());
  function->setAttr("graph.function", builder.getUnitAttr());
  function->setAttr("graph.turn", builder.getStringAttr(info.turn.getName()));
  function->setAttr("graph.result", builder.getStringAttr("()"));
  for (auto [place, own] : llvm::enumerate(attributes))
    function.setArgAttrs(place, own);
  for (llvm::StringRef kind : {"graph.hints", "graph.planned", "graph.typical"})
    if (Attribute sizes = program->getAttr(kind))
      function->setAttr(kind, sizes);
}

OwningOpRef<func::FuncOp> BodyWriter::run(llvm::StringRef name) {
  info.sources.clear();
  OwningOpRef<func::FuncOp> owner =
      func::FuncOp::create(loop.getLoc(), name, builder.getFunctionType({}, {}));
  function = *owner;
  builder.setInsertionPointToEnd(function.addEntryBlock());
  chooseTurn();
  addArguments();
  copyBody();
  copyChecks();
  writeResults();
  finish();
  return owner;
}

} // namespace

OwningOpRef<func::FuncOp> outlineBody(graph::LoopOp loop, llvm::StringRef name, HostLoop &info) {
  return BodyWriter(loop, info).run(name);
}

} // namespace nereid::schedule
