// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PartFunction.h"

#include "graph/PartNames.h"
#include "graph/PartNeeds.h"
#include "support/SnakeCase.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

Streams::Streams(ModuleOp module) : module(module) {
  module.walk([&](RandomOp op) {
    numbers[op] = op.getStream();
    op.setStreamAttr(sym::ExprAttr::get(op.getContext(), op.getStream().getExpr() * 0));
  });
}

SmallVector<Expr> Streams::of(const Part &part) const {
  SmallVector<Expr> found;
  for (Operation *op : part.ops)
    op->walk([&](RandomOp random) { found.push_back(numbers.lookup(random).getExpr()); });
  return found;
}

void Streams::putBack() {
  module.walk([&](RandomOp op) {
    if (!op->getParentOfType<func::FuncOp>()->hasAttr("graph.function"))
      op.setStreamAttr(numbers.lookup(op));
  });
}

namespace {

/// The number of an operator of a part and of its result.
using Place = std::pair<unsigned, unsigned>;

/// Makes a function of equal parts.
class Outliner {
public:
  Outliner(ModuleOp module, ArrayRef<Part *> parts, const Streams &streams)
      : module(module), parts(parts), first(*parts.front()), streams(streams),
        builder(module.getContext()) {}

  /// Fails, and changes nothing, where the parts have sizes that no function is found for.
  LogicalResult run();

private:
  void findOutputs();
  void addArguments();
  void addSizes(PartNeeds &known, ArrayRef<index::Pred> needs);
  void addChecks(PartNeeds &known, ArrayRef<index::Pred> needs,
                 llvm::function_ref<bool(Expr)> isUsed);
  void addCheck(index::Pred pred);
  void addHints(llvm::function_ref<bool(Expr)> isUsed);
  void addNumber(StringRef name);
  void addStream();
  Expr takeSize() { return general->getSizes()[nextSize++]; }
  Operation *copy(Operation *op);
  void copyBody();
  void finish();
  void apply(unsigned number);
  Expr sizeOf(unsigned number, Expr size);

  ModuleOp module;
  ArrayRef<Part *> parts;
  Part &first;
  const Streams &streams;
  OpBuilder builder;
  func::FuncOp function;
  std::optional<PartSizes> general;
  /// How many of the sizes of the parts stand in the function yet.
  unsigned nextSize = 0;
  IRMapping copies;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> copiesOfFree;
  llvm::SetVector<Place> outputs;
  /// The sizes that the function is given as numbers.
  llvm::SmallVector<Expr> sizes;
  llvm::StringSet<> names;
  std::vector<NamedAttrList> attributes;
};

/// What any of the parts gives to others.
void Outliner::findOutputs() {
  for (Part *part : parts) {
    for (auto [number, op] : llvm::enumerate(part->ops))
      for (OpResult result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !part->ops.contains(user); }))
          outputs.insert({number, result.getResultNumber()});
  }
  auto ordered = outputs.takeVector();
  llvm::sort(ordered);
  outputs.insert(ordered.begin(), ordered.end());
}

void Outliner::addArguments() {
  for (auto [place, input] : llvm::enumerate(first.inputs)) {
    std::string base = nameOfInput(parts, place), name = base;
    for (unsigned count = 2; !names.insert(name).second; ++count)
      name = base + std::to_string(count);
    NamedAttrList &own = attributes.emplace_back();
    own.set("graph.name", builder.getStringAttr(name));
    if (isScalar(input))
      own.set("graph.scalar", builder.getUnitAttr());
    // No gradient is asked for what is a buffer or frozen wherever the function is applied.
    bool isFixed = areAllArguments(parts, place, [](BlockArgument argument, func::FuncOp program) {
      return program.getArgAttr(argument.getArgNumber(), "graph.buffer") ||
             program.getArgAttr(argument.getArgNumber(), "graph.frozen");
    });
    if (isFixed)
      own.set("graph.frozen", builder.getUnitAttr());
    auto type = cast<TensorType>(input.getType());
    SmallVector<Expr> inner;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      inner.push_back(takeSize());
    copies.map(input, function.front().addArgument(type.withSizes(inner), input.getLoc()));
  }
}

/// Sizes that no argument has are numbers that the function is given.
void Outliner::addSizes(PartNeeds &known, ArrayRef<index::Pred> needs) {
  llvm::SetVector<Expr> bound, used;
  for (Type type : function.front().getArgumentTypes())
    for (Expr size : cast<TensorType>(type).getSizes())
      if (size.isSymbol())
        bound.insert(size);
  for (Expr size : general->getSizes())
    index::forEachSymbol(size, [&](Expr symbol) { used.insert(symbol); });
  for (Expr size : used)
    if (!bound.contains(size)) {
      sizes.push_back(size);
      addNumber(size.getName());
    }
  auto isUsed = [&](Expr symbol) { return used.contains(symbol); };
  addChecks(known, needs, isUsed);
  addHints(isUsed);
}

/// What all callers have checked holds within, and that sizes which differ are as large as the
/// least of them.
void Outliner::addChecks(PartNeeds &known, ArrayRef<index::Pred> needs,
                         llvm::function_ref<bool(Expr)> isUsed) {
  for (CheckOp check : first.program.getOps<CheckOp>()) {
    bool all = true;
    index::forEachSymbol(check.getPred().getPred(), [&](Expr e) { all &= isUsed(e); });
    bool isEverywhere = llvm::all_of(parts, [&](Part *part) {
      return llvm::any_of(part->program.getOps<CheckOp>(),
                          [&](CheckOp other) { return other.getPred() == check.getPred(); });
    });
    if (all && isEverywhere)
      builder.clone(*check);
  }
  for (const PartSizes::Symbol &symbol : general->getSymbols())
    if (int64_t least = known.leastOf(symbol); least > 0)
      addCheck(index::ge(symbol.name, least));
  for (index::Pred need : needs)
    addCheck(need);
}

void Outliner::addCheck(index::Pred pred) {
  CheckOp::create(builder, function.getLoc(), sym::PredAttr::get(builder.getContext(), pred),
                  "sizes are other than where the function is applied");
}

/// Kernels are chosen for the sizes of one of the parts: of those of the first case, which is the
/// example's, the one in the middle.
void Outliner::addHints(llvm::function_ref<bool(Expr)> isUsed) {
  SmallVector<unsigned> ofFirst;
  for (auto [number, part] : llvm::enumerate(parts))
    if (part->program == parts.front()->program)
      ofFirst.push_back(number);
  unsigned middle = ofFirst[ofFirst.size() / 2];
  for (StringRef kind : {"graph.hints", "graph.planned", "graph.typical"}) {
    auto known = parts[middle]->program->getAttrOfType<DictionaryAttr>(kind);
    if (!known)
      continue;
    index::Context &context = sym::SymDialect::getIndexContext(builder.getContext());
    llvm::DenseMap<Expr, int64_t> values;
    SmallVector<NamedAttribute> own;
    for (NamedAttribute size : known) {
      Expr symbol = context.symbol(size.getName().getValue());
      if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
        values[symbol] = number.getInt();
      if (isUsed(symbol))
        own.push_back(size);
    }
    for (const PartSizes::Symbol &symbol : general->getSymbols())
      if (auto value = index::evaluate(symbol.values[middle], values))
        own.push_back(
            builder.getNamedAttr(symbol.name.getName(), builder.getI64IntegerAttr(*value)));
    function->setAttr(kind, builder.getDictionaryAttr(own));
  }
}

/// A number that the function is given and that its sizes and streams may mention.
void Outliner::addNumber(StringRef name) {
  NamedAttrList &own = attributes.emplace_back();
  own.set("graph.name", builder.getStringAttr(name));
  own.set("graph.scalar", builder.getUnitAttr());
  own.set("graph.symbol", builder.getStringAttr(name));
  function.front().addArgument(TensorType::get(builder.getContext(), {}, builder.getI64Type()),
                               function.getLoc());
}

/// Random numbers of the function count their streams from the one that it is given.
void Outliner::addStream() {
  SmallVector<Expr> numbers = streams.of(first);
  if (numbers.empty())
    return;
  std::string name = "stream";
  while (!names.insert(name).second)
    name += "_";
  addNumber(name);
  Expr start = numbers.front().getContext().symbol(name);
  unsigned count = 0;
  function.walk([&](RandomOp op) {
    op.setStreamAttr(sym::ExprAttr::get(op.getContext(), start + (numbers[count++] - numbers[0])));
  });
}

/// An operator with the sizes of the function; constants are made anew.
Operation *Outliner::copy(Operation *op) {
  Operation *made = builder.clone(*op, copies);
  replaceSizes(made, [&](Expr) { return takeSize(); });
  if (first.ops.contains(op))
    return made;
  SmallVector<Operation *> &others = copiesOfFree[op];
  for (Operation *other : others)
    if (OperationEquivalence::isEquivalentTo(made, other, OperationEquivalence::IgnoreLocations)) {
      made->erase();
      return other;
    }
  others.push_back(made);
  return made;
}

void Outliner::copyBody() {
  for (Operation *op : first.ops)
    walkWithFree(op, first, [&](Operation *each) {
      for (auto [result, made] : llvm::zip_equal(each->getResults(), copy(each)->getResults()))
        copies.map(result, made);
    });
  SmallVector<Value> results;
  std::string text;
  for (auto [op, number] : outputs) {
    text += (results.empty() ? "{" : ", {") + std::to_string(results.size()) + "}";
    results.push_back(copies.lookup(first.ops[op]->getResult(number)));
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function->setAttr("graph.result",
                    builder.getStringAttr(results.size() == 1 ? text : "(" + text + ")"));
}

/// What is only assigned to a buffer has no gradient.
bool isOnlyAssigned(ArrayRef<Part *> parts, Place place) {
  return llvm::all_of(parts, [&](Part *part) {
    return llvm::all_of(
        part->ops[place.first]->getResult(place.second).getUsers(),
        [&](Operation *user) { return part->ops.contains(user) || isa<AssignOp>(user); });
  });
}

/// Whole numbers that differ from part to part are sizes.
void makeSizes(func::FuncOp function) {
  function.walk([](ConstantOp constant) {
    auto size = constant->getAttrOfType<sym::ExprAttr>("graph.size");
    if (!size)
      return;
    OpBuilder builder(constant);
    TensorType type = constant.getType();
    Value number = SizeOp::create(builder, constant.getLoc(),
                                  type.withElementType(builder.getI64Type()), size);
    if (type != number.getType())
      number = CastOp::create(builder, constant.getLoc(), type, number);
    constant.replaceAllUsesWith(number);
    constant.erase();
  });
}

void Outliner::finish() {
  makeSizes(function);
  Operation *end = function.front().getTerminator();
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), end->getOperandTypes()));
  function->setAttr("graph.program", builder.getUnitAttr());
  function->setAttr("graph.function", builder.getUnitAttr());
  for (auto [place, own] : llvm::enumerate(attributes))
    function.setArgAttrs(place, own);
  for (auto [number, place] : llvm::enumerate(outputs))
    if (isOnlyAssigned(parts, place))
      function.setResultAttr(number, "graph.constant", builder.getUnitAttr());
}

/// What a symbol of the function is in a part.
Expr Outliner::sizeOf(unsigned number, Expr size) {
  for (const PartSizes::Symbol &symbol : general->getSymbols())
    if (symbol.name == size)
      return symbol.values[number];
  return size;
}

/// Replaces the operators of a part.
void Outliner::apply(unsigned number) {
  Part &part = *parts[number];
  // What stood before it may have been replaced.
  part.findInputs();
  Operation *last = part.ops.back();
  OpBuilder here(last->getContext());
  here.setInsertionPointAfter(last);
  SmallVector<Value> operands(part.inputs.begin(), part.inputs.end());
  auto type = TensorType::get(here.getContext(), {}, here.getI64Type());
  SmallVector<Expr> numbers;
  for (Expr size : sizes)
    numbers.push_back(sizeOf(number, size));
  if (SmallVector<Expr> drawn = streams.of(part); !drawn.empty())
    numbers.push_back(drawn.front());
  for (Expr given : numbers)
    operands.push_back(
        SizeOp::create(here, last->getLoc(), type, sym::ExprAttr::get(here.getContext(), given)));
  SmallVector<Type> types;
  for (auto [op, result] : outputs)
    types.push_back(part.ops[op]->getResult(result).getType());
  auto made = ApplyOp::create(here, last->getLoc(), types, function.getName(), operands);
  for (auto [output, result] : llvm::zip_equal(outputs, made.getResults()))
    part.ops[output.first]->getResult(output.second).replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(part.ops.getArrayRef()))
    op->erase();
  bool sorted = sortTopologically(&part.program.front());
  assert(sorted && "a part of a program is not closed");
  (void)sorted;
}

LogicalResult Outliner::run() {
  for (Part *part : parts)
    part->findInputs();
  general = PartSizes::find(parts);
  if (!general)
    return failure();
  PartNeeds known(parts, *general);
  std::optional<SmallVector<index::Pred>> needs = known.find();
  if (!needs)
    return failure();
  findOutputs();
  std::string base = toSnakeCase(first.name), name = base;
  for (unsigned count = 2; module.lookupSymbol(name); ++count)
    name = base + std::to_string(count);
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, first.ops.front()->getLoc(), name,
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  addArguments();
  addSizes(known, *needs);
  copyBody();
  addStream();
  finish();
  ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  if (failed(verify(function))) {
    function.erase();
    return failure();
  }
  for (unsigned number = 0; number < parts.size(); ++number)
    apply(number);
  return success();
}

} // namespace

LogicalResult outlineParts(ModuleOp module, ArrayRef<Part *> parts, const Streams &streams) {
  return Outliner(module, parts, streams).run();
}

} // namespace nereid::graph
