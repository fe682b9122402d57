// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/EqualParts.h"

#include "graph/GraphOps.h"
#include "support/SnakeCase.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {
namespace {

/// The operators of one call of a module, in the order of the program.
struct Part {
  func::FuncOp program;
  std::string name;
  SmallVector<Operation *> ops;
  /// What it takes from outside, in the order in which it asks for it.
  llvm::SetVector<Value> inputs;
};

/// The streams of the random numbers of a module. While parts are compared all of them are 0.
class Streams {
public:
  explicit Streams(ModuleOp module) : module(module) {
    module.walk([&](RandomOp op) {
      numbers[op] = op.getStream();
      op.setStreamAttr(sym::ExprAttr::get(op.getContext(), op.getStream().getExpr() * 0));
    });
  }

  /// Those of the operators, in their order.
  SmallVector<Expr> of(ArrayRef<Operation *> ops) const {
    SmallVector<Expr> found;
    for (Operation *op : ops)
      op->walk([&](RandomOp random) { found.push_back(numbers.lookup(random).getExpr()); });
    return found;
  }

  /// Functions count their own.
  void putBack() {
    module.walk([&](RandomOp op) {
      if (!op->getParentOfType<func::FuncOp>()->hasAttr("graph.function"))
        op.setStreamAttr(numbers.lookup(op));
    });
  }

private:
  ModuleOp module;
  llvm::DenseMap<Operation *, sym::ExprAttr> numbers;
};

/// The number of an operator of a part and of its result.
using Place = std::pair<unsigned, unsigned>;

// --- What a part is ------------------------------------------------------------------------------

/// Whether an operator says a constant, a size or an index: a function has its own.
bool isFree(Operation *op) {
  if (isa<ConstantOp, SizeOp, IotaOp>(op))
    return true;
  return isa<BroadcastOp, ReshapeOp, TransposeOp>(op) && op->getOperand(0).getDefiningOp() &&
         isFree(op->getOperand(0).getDefiningOp());
}

bool isFree(Value value) { return value.getDefiningOp() && isFree(value.getDefiningOp()); }

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
bool isContraction(FoldOp fold) {
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
  llvm::DenseSet<Operation *> inside(part.ops.begin(), part.ops.end()), behind;
  Operation *last = part.ops.back();
  for (Operation *op = part.ops.front(); op != last->getNextNode(); op = op->getNextNode()) {
    bool isBehind = false, isInside = inside.contains(op), needsInside = false;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp()) {
        isBehind |= behind.contains(maker);
        needsInside |= inside.contains(maker);
      }
    if (isInside && isBehind)
      return false;
    if (!isInside && (isBehind || needsInside))
      behind.insert(op);
  }
  return true;
}

/// The values from outside, of free ones what they are made of is not asked for.
void findInputs(Part &part) {
  part.inputs.clear();
  llvm::DenseSet<Operation *> inside(part.ops.begin(), part.ops.end());
  for (Operation *op : part.ops)
    for (Value operand : op->getOperands())
      if (!(operand.getDefiningOp() && inside.contains(operand.getDefiningOp())) &&
          !isFree(operand))
        part.inputs.insert(operand);
}

// --- Equality ------------------------------------------------------------------------------------

bool isScalar(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto program =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return program && program.getArgAttr(argument.getArgNumber(), "graph.scalar");
}

bool areEqualConstants(Value a, Value b) {
  return isFree(a) && isFree(b) &&
         OperationEquivalence::isEquivalentTo(
             a.getDefiningOp(), b.getDefiningOp(),
             [](Value x, Value y) { return success(areEqualConstants(x, y)); }, nullptr,
             OperationEquivalence::IgnoreLocations);
}

/// Whether the streams of two parts are the same, counted from the first.
bool haveEqualSteps(ArrayRef<Expr> a, ArrayRef<Expr> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
           return std::get<0>(pair) - a.front() == std::get<1>(pair) - b.front();
         });
}

/// Whether two parts compute the same of what they take.
bool areEqual(const Part &a, const Part &b, const Streams &streams) {
  if (a.ops.size() != b.ops.size() || a.inputs.size() != b.inputs.size() ||
      !haveEqualSteps(streams.of(a.ops), streams.of(b.ops)))
    return false;
  llvm::DenseMap<Value, Value> same;
  for (auto [x, y] : llvm::zip_equal(a.inputs, b.inputs)) {
    if (x.getType() != y.getType() || isScalar(x) != isScalar(y))
      return false;
    same[x] = y;
  }
  auto isSame = [&](Value x, Value y) {
    auto known = same.find(x);
    return success(known != same.end() ? known->second == y : areEqualConstants(x, y));
  };
  auto note = [&](Value x, Value y) { same[x] = y; };
  return llvm::all_of(llvm::zip_equal(a.ops, b.ops), [&](auto pair) {
    auto [x, y] = pair;
    return OperationEquivalence::isEquivalentTo(x, y, isSame, note,
                                                OperationEquivalence::IgnoreLocations);
  });
}

// --- Functions -----------------------------------------------------------------------------------

void forEachSymbolOf(Operation *op, llvm::function_ref<void(Expr)> visit) {
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      for (Expr size : cast<TensorType>(type).getSizes())
        index::forEachSymbol(size, visit);
    for (NamedAttribute attribute : inner->getAttrs())
      if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
        index::forEachSymbol(expr.getExpr(), visit);
  });
}

/// Makes a function of equal parts.
class Outliner {
public:
  Outliner(ModuleOp module, ArrayRef<Part *> parts, const Streams &streams)
      : module(module), parts(parts), first(*parts.front()), streams(streams),
        builder(module.getContext()) {}

  void run();

private:
  void findOutputs();
  std::string nameOfInput(unsigned place);
  void addArguments();
  void addSizes();
  void addNumber(StringRef name);
  void addStream();
  void copyBody();
  Value inside(Value value);
  void finish();
  void apply(Part &part);
  bool areAll(unsigned place, llvm::function_ref<bool(BlockArgument, func::FuncOp)> holds);

  ModuleOp module;
  ArrayRef<Part *> parts;
  Part &first;
  const Streams &streams;
  OpBuilder builder;
  func::FuncOp function;
  IRMapping copies;
  llvm::SetVector<Place> outputs;
  llvm::SmallVector<Expr> sizes;
  llvm::StringSet<> names;
  std::vector<NamedAttrList> attributes;
};

/// What any of the parts gives to others.
void Outliner::findOutputs() {
  for (Part *part : parts) {
    llvm::DenseSet<Operation *> own(part->ops.begin(), part->ops.end());
    for (auto [number, op] : llvm::enumerate(part->ops))
      for (OpResult result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !own.contains(user); }))
          outputs.insert({number, result.getResultNumber()});
  }
  auto ordered = outputs.takeVector();
  llvm::sort(ordered);
  outputs.insert(ordered.begin(), ordered.end());
}

/// The words of a path that the paths of a parameter in all parts end in: `attn.weight` of
/// `h.0.attn.weight` and `h.1.attn.weight`.
std::string commonEnd(ArrayRef<StringRef> paths) {
  SmallVector<StringRef> words;
  paths.front().split(words, '.');
  size_t kept = words.size();
  for (StringRef path : paths.drop_front()) {
    SmallVector<StringRef> others;
    path.split(others, '.');
    size_t count = 0;
    while (count < std::min(kept, others.size()) &&
           words[words.size() - 1 - count] == others[others.size() - 1 - count])
      ++count;
    kept = count;
  }
  return llvm::join(ArrayRef(words).take_back(kept), "_");
}

bool Outliner::areAll(unsigned place, llvm::function_ref<bool(BlockArgument, func::FuncOp)> holds) {
  return llvm::all_of(parts, [&](Part *part) {
    auto argument = dyn_cast<BlockArgument>(part->inputs[place]);
    return argument && holds(argument, part->program);
  });
}

std::string Outliner::nameOfInput(unsigned place) {
  SmallVector<StringRef> paths;
  bool isKept = areAll(place, [&](BlockArgument argument, func::FuncOp program) {
    auto path = program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.parameter");
    if (path)
      paths.push_back(path.getValue());
    return bool(path);
  });
  std::string name = isKept ? commonEnd(paths) : "";
  Value value = first.inputs[place];
  if (auto argument = dyn_cast<BlockArgument>(value); argument && name.empty())
    name = first.program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
  if (Operation *op = value.getDefiningOp())
    if (auto named = dyn_cast<NameLoc>(op->getLoc()))
      name = named.getName().str();
  return name.empty() ? "x" : name;
}

void Outliner::addArguments() {
  for (auto [place, input] : llvm::enumerate(first.inputs)) {
    std::string base = nameOfInput(place), name = base;
    for (unsigned count = 2; !names.insert(name).second; ++count)
      name = base + std::to_string(count);
    NamedAttrList &own = attributes.emplace_back();
    own.set("graph.name", builder.getStringAttr(name));
    if (isScalar(input))
      own.set("graph.scalar", builder.getUnitAttr());
    // No gradient is asked for what is a buffer or frozen wherever the function is applied.
    bool isFixed = areAll(place, [](BlockArgument argument, func::FuncOp program) {
      return program.getArgAttr(argument.getArgNumber(), "graph.buffer") ||
             program.getArgAttr(argument.getArgNumber(), "graph.frozen");
    });
    if (isFixed)
      own.set("graph.frozen", builder.getUnitAttr());
    copies.map(input, function.front().addArgument(input.getType(), input.getLoc()));
  }
}

/// Sizes that no argument has are numbers that the function is given.
void Outliner::addSizes() {
  llvm::SetVector<Expr> bound, used;
  auto use = [&](Expr symbol) { used.insert(symbol); };
  for (Type type : function.front().getArgumentTypes())
    for (Expr size : cast<TensorType>(type).getSizes()) {
      if (size.isSymbol())
        bound.insert(size);
      index::forEachSymbol(size, use);
    }
  for (Operation *op : first.ops)
    forEachSymbolOf(op, use);
  for (Expr size : used)
    if (!bound.contains(size)) {
      sizes.push_back(size);
      addNumber(size.getName());
    }
  auto isBound = [&](Expr symbol) { return used.contains(symbol); };
  for (CheckOp check : first.program.getOps<CheckOp>()) {
    bool all = true;
    index::forEachSymbol(check.getPred().getPred(), [&](Expr e) { all &= isBound(e); });
    bool isEverywhere = llvm::all_of(parts, [&](Part *part) {
      return llvm::any_of(part->program.getOps<CheckOp>(),
                          [&](CheckOp other) { return other.getPred() == check.getPred(); });
    });
    if (all && isEverywhere)
      builder.clone(*check);
  }
  for (StringRef kind : {"graph.hints", "graph.planned", "graph.typical"}) {
    auto known = first.program->getAttrOfType<DictionaryAttr>(kind);
    if (!known)
      continue;
    SmallVector<NamedAttribute> own;
    for (NamedAttribute size : known)
      if (llvm::any_of(used, [&](Expr e) { return e.getName() == size.getName().getValue(); }))
        own.push_back(size);
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
  SmallVector<Expr> numbers = streams.of(first.ops);
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

/// What a value is within the function; constants are made anew.
Value Outliner::inside(Value value) {
  if (Value known = copies.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    inside(operand);
  return builder.clone(*op, copies)->getResult(cast<OpResult>(value).getResultNumber());
}

void Outliner::copyBody() {
  for (Operation *op : first.ops) {
    for (Value operand : op->getOperands())
      inside(operand);
    builder.clone(*op, copies);
  }
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
    llvm::DenseSet<Operation *> own(part->ops.begin(), part->ops.end());
    return llvm::all_of(part->ops[place.first]->getResult(place.second).getUsers(),
                        [&](Operation *user) { return own.contains(user) || isa<AssignOp>(user); });
  });
}

void Outliner::finish() {
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

/// Replaces the operators of a part.
void Outliner::apply(Part &part) {
  // What stood before it may have been replaced.
  findInputs(part);
  Operation *last = part.ops.back();
  OpBuilder here(last->getContext());
  here.setInsertionPointAfter(last);
  SmallVector<Value> operands(part.inputs.begin(), part.inputs.end());
  auto type = TensorType::get(here.getContext(), {}, here.getI64Type());
  SmallVector<Expr> numbers(sizes);
  if (SmallVector<Expr> drawn = streams.of(part.ops); !drawn.empty())
    numbers.push_back(drawn.front());
  for (Expr number : numbers)
    operands.push_back(
        SizeOp::create(here, last->getLoc(), type, sym::ExprAttr::get(here.getContext(), number)));
  Location place = last->getLoc();
  auto made = ApplyOp::create(here, place, function.getResultTypes(), function.getName(), operands);
  for (auto [output, result] : llvm::zip_equal(outputs, made.getResults()))
    part.ops[output.first]->getResult(output.second).replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(part.ops))
    op->erase();
  bool sorted = sortTopologically(&part.program.front());
  assert(sorted && "a part of a program is not closed");
  (void)sorted;
}

void Outliner::run() {
  for (Part *part : parts)
    findInputs(*part);
  findOutputs();
  std::string base = toSnakeCase(first.name), name = base;
  for (unsigned count = 2; module.lookupSymbol(name); ++count)
    name = base + std::to_string(count);
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, first.ops.front()->getLoc(), name,
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  addArguments();
  addSizes();
  copyBody();
  addStream();
  finish();
  for (Part *part : parts)
    apply(*part);
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
      own[scope]->ops.push_back(&op);
      scope = cast<DictionaryAttr>(scopes[scope]).getAs<IntegerAttr>("outer").getInt();
    }
  }
  program.walk([](Operation *op) { op->removeAttr("graph.scope"); });
  program->removeAttr("graph.scopes");
  constexpr unsigned leastContractions = 2;
  for (std::unique_ptr<Part> &part : own) {
    if (countContractions(part->ops) < leastContractions || !llvm::all_of(part->ops, canStand) ||
        !isClosed(*part))
      continue;
    findInputs(*part);
    parts.push_back(std::move(part));
  }
}

} // namespace

void outlineEqualParts(ModuleOp module) {
  std::vector<std::unique_ptr<Part>> parts;
  for (auto program : module.getOps<func::FuncOp>())
    if (program->hasAttr("graph.program") && !program.isDeclaration())
      collectParts(program, parts);
  Streams streams(module);
  std::vector<SmallVector<Part *>> groups;
  for (std::unique_ptr<Part> &part : parts) {
    auto found = llvm::find_if(
        groups, [&](ArrayRef<Part *> group) { return areEqual(*group.front(), *part, streams); });
    if (found == groups.end())
      groups.push_back({part.get()});
    else
      found->push_back(part.get());
  }
  // The largest first: what stands within is part of it then.
  llvm::stable_sort(groups, [](ArrayRef<Part *> a, ArrayRef<Part *> b) {
    return a.front()->ops.size() > b.front()->ops.size();
  });
  llvm::DenseSet<Operation *> taken;
  for (SmallVector<Part *> &group : groups) {
    // A call that does no more than one within it has the same operators: one of them is enough.
    llvm::DenseSet<Operation *> own;
    llvm::erase_if(group, [&](Part *part) {
      bool isTaken = llvm::any_of(
          part->ops, [&](Operation *op) { return taken.contains(op) || own.contains(op); });
      if (!isTaken)
        own.insert(part->ops.begin(), part->ops.end());
      return isTaken;
    });
    if (group.size() < 2)
      continue;
    taken.insert(own.begin(), own.end());
    Outliner(module, group, streams).run();
  }
  streams.putBack();
}

} // namespace nereid::graph
