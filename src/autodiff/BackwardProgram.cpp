// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/BackwardProgram.h"

#include "autodiff/Rules.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::autodiff {
namespace {

class BackwardWriter {
public:
  BackwardWriter(Joint &joint, std::vector<Saved> &saved)
      : joint(joint), saved(saved), writer(joint.program.getContext()) {}

  OwningOpRef<func::FuncOp> run(StringRef name);

private:
  Joint &joint;
  std::vector<Saved> &saved;
  GradientWriter writer;
  func::FuncOp function;
  llvm::DenseMap<Value, Value> copies;
  llvm::DenseMap<std::pair<Value, int>, Value> again;
  llvm::DenseMap<Operation *, int> groupOf;
  llvm::DenseMap<Value, bool> fixed;
  /// The group of what is computed again of a composite, for others than its own gradient.
  llvm::DenseMap<int, int> againOf;
  llvm::StringSet<> names;
  SmallVector<NamedAttrList> argumentAttributes;

  void addArguments();
  Value addArgument(Type type, Location place, StringRef name, NamedAttrList attributes);
  Value addSaved(unsigned place);
  Value copyOf(Value value, int group);
  Value computeAgain(Value value, int group);
  bool isFixed(Value value);
  void copyGradients();
  void writeResults();
  void outline(int group, ArrayRef<Operation *> ops);
  void outlineGroups();
  void bindSizes();
  void takeSizes(ArrayRef<Expr> sizes);
  void copyChecks();
  llvm::SetVector<Expr> boundSymbols();
  Expr symbolOf(StringAttr name) const {
    return sym::SymDialect::getIndexContext(name.getContext()).symbol(name.getValue());
  }
};

Location namedAfter(Location place, StringRef name, MLIRContext *context) {
  return NameLoc::get(StringAttr::get(context, name), place);
}

std::string nameOf(Location place) {
  auto named = dyn_cast<NameLoc>(place);
  return named ? named.getName().str() : "";
}

/// Calls `visit` with every index expression of an operator.
void forEachExpr(Operation *op, llvm::function_ref<void(Expr)> visit) {
  auto ofType = [&](Type type) {
    if (auto tensor = dyn_cast<graph::TensorType>(type))
      llvm::for_each(tensor.getSizes(), visit);
  };
  llvm::for_each(op->getResultTypes(), ofType);
  for (NamedAttribute attribute : op->getAttrs())
    if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
      visit(expr.getExpr());
}

} // namespace

// --- Arguments -----------------------------------------------------------------------------------

Value BackwardWriter::addArgument(Type type, Location place, StringRef name,
                                  NamedAttrList attributes) {
  std::string unique = name.str();
  for (unsigned count = 1; !names.insert(unique).second; ++count)
    unique = (name + "_" + Twine(count)).str();
  attributes.set("graph.name", writer.builder.getStringAttr(unique));
  argumentAttributes.push_back(std::move(attributes));
  return function.front().addArgument(type, place);
}

/// `relu` for what the composite `aten::relu` gives; empty for another value of the program.
static std::string nameOfComposite(Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  auto composite = op ? dyn_cast<graph::CompositeOp>(op->getParentOp()) : graph::CompositeOp();
  if (!composite || composite->getNumResults() != 1 ||
      composite.getBody().front().getTerminator()->getOperand(0) != value)
    return "";
  StringRef name = composite.getName();
  return name.rsplit(':').second.split('.').first.ltrim('_').str();
}

/// What is saved is called as the user calls it, else after its operator.
static std::string nameOfSaved(const Saved &item, Value original) {
  Operation *op = item.value.getDefiningOp();
  while (isa<graph::DetachOp>(op))
    if (op = op->getOperand(0).getDefiningOp(); !op)
      return "saved";
  if (std::string own = nameOf(op->getLoc()); !own.empty())
    return own;
  if (item.result >= 0)
    return "out";
  if (std::string composite = nameOfComposite(original); !composite.empty())
    return composite;
  if (auto fold = dyn_cast<graph::FoldOp>(op))
    return graph::stringifyFoldKind(fold.getKind()).str();
  if (auto call = dyn_cast<graph::CallOp>(op))
    return call.getCallee().rsplit('.').second.str();
  return op->getName().stripDialect().str();
}

Value BackwardWriter::addSaved(unsigned place) {
  const Saved &item = saved[place];
  NamedAttrList attributes;
  std::string name;
  if (item.argument >= 0) {
    if (DictionaryAttr own = joint.program.getArgAttrDict(item.argument))
      attributes.append(own.getValue());
    name = joint.program.getArgAttrOfType<StringAttr>(item.argument, "graph.name").str();
    for (StringRef mark : {"graph.parameter", "graph.buffer", "graph.frozen", "graph.access",
                           "graph.live", "graph.complex", "graph.written", "graph.written_before"})
      attributes.erase(mark);
  } else if (auto argument = dyn_cast<BlockArgument>(item.value)) {
    auto own = joint.program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    name = (own.getValue() + "_before").str();
  } else {
    name = nameOfSaved(item, joint.originals.lookup(item.value));
    // What nothing but the gradient takes is laid out by rows.
    if (item.result < 0)
      attributes.set("graph.dense", writer.builder.getUnitAttr());
  }
  attributes.set("graph.saved", writer.builder.getI64IntegerAttr(place));
  if (item.shapeOnly) {
    attributes.set("graph.shape_only", writer.builder.getUnitAttr());
    // The forward pass has asked for its layout.
    attributes.erase("graph.row_major");
  }
  return addArgument(item.value.getType(), item.value.getLoc(), name, std::move(attributes));
}

void BackwardWriter::addArguments() {
  for (auto [number, cotangent] : llvm::zip_equal(joint.floatResults, joint.cotangents)) {
    NamedAttrList attributes;
    attributes.set("graph.cotangent", writer.builder.getI64IntegerAttr(number));
    std::string name = "grad_out";
    if (joint.program.getNumResults() > 1)
      name += std::to_string(number);
    copies[cotangent] = addArgument(cotangent.getType(), cotangent.getLoc(), name, attributes);
  }
  for (unsigned place = 0, count = saved.size(); place < count; ++place)
    copies[saved[place].value] = addSaved(place);
}

// --- Gradients, and what they need of the program ------------------------------------------------

bool BackwardWriter::isFixed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto [place, isNew] = fixed.try_emplace(value, false);
  if (!isNew)
    return place->second;
  bool all = llvm::all_of(op->getOperands(), [&](Value v) { return isFixed(v); });
  return fixed[value] = all;
}

Value BackwardWriter::computeAgain(Value value, int group) {
  Operation *op = value.getDefiningOp();
  assert(op && "an argument that the gradient needs is not saved");
  int owner = joint.group(op);
  int place = group;
  if (!isFixed(value)) {
    bool inside = owner >= 0 && group >= 0 && joint.groups[group].forward == owner;
    if (owner < 0) {
      place = -1;
    } else if (!inside) {
      auto [found, isNew] = againOf.try_emplace(owner, 0);
      if (isNew) {
        joint.groups.push_back({joint.groups[owner].name, owner});
        againOf[owner] = joint.groups.size() - 1;
      }
      place = againOf[owner];
    }
  }
  if (Value known = again.lookup({value, place}))
    return known;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(copyOf(operand, place));
  // What a declared gradient gave a name of its own is the same value.
  if (isa<graph::DetachOp>(op))
    return again[{value, place}] = operands.front();
  Operation *clone = writer.builder.clone(*op);
  clone->setOperands(operands);
  if (place >= 0)
    groupOf[clone] = place;
  for (auto [result, copy] : llvm::zip_equal(op->getResults(), clone->getResults()))
    again[{result, place}] = copy;
  return again.lookup({value, place});
}

Value BackwardWriter::copyOf(Value value, int group) {
  if (Value known = copies.lookup(value))
    return known;
  return computeAgain(value, group);
}

void BackwardWriter::copyGradients() {
  for (Operation &op : joint.block().without_terminator()) {
    if (joint.forwardOps.contains(&op) || isa<graph::CheckOp, graph::AssignOp>(op))
      continue;
    int group = joint.group(&op);
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(copyOf(operand, group));
    // Of a declared gradient nobody asks for another.
    if (isa<graph::DetachOp>(op)) {
      copies[op.getResult(0)] = operands.front();
      continue;
    }
    Operation *clone = writer.builder.clone(op);
    clone->setOperands(operands);
    if (group >= 0)
      groupOf[clone] = group;
    for (auto [result, copy] : llvm::zip_equal(op.getResults(), clone->getResults()))
      copies[result] = copy;
  }
}

void BackwardWriter::writeResults() {
  SmallVector<Value> results;
  for (auto [place, number] : llvm::enumerate(joint.wanted)) {
    Value argument = joint.block().getArgument(number);
    Value gradient = joint.gradient(place);
    Value result = gradient ? copyOf(gradient, -1) : writer.like(argument, 0);
    auto name = joint.program.getArgAttrOfType<StringAttr>(number, "graph.name").getValue();
    // One name says nothing of several results: these are named where they are scheduled.
    if (Operation *op = result.getDefiningOp(); op && op->getNumResults() == 1)
      op->setLoc(namedAfter(op->getLoc(), ("grad_" + name).str(), op->getContext()));
    results.push_back(result);
  }
  func::ReturnOp::create(writer.builder, joint.program.getLoc(), results);
}

// --- Composites ----------------------------------------------------------------------------------

/// Whether an operator only says where elements are, or which constant.
static bool isFree(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return name != "gather" &&
         llvm::any_of(viewRules(), [&](const RuleEntry &e) { return e.name == name; });
}

void BackwardWriter::outline(int group, ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Operation *> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> operands, results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        operands.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        results.insert(result);
  }
  writer.builder.setInsertionPoint(function.front().getTerminator());
  SmallVector<Type> types(ValueRange(results.getArrayRef()).getTypes());
  Location place = ops.back()->getLoc();
  auto composite = graph::CompositeOp::create(writer.builder, place, types,
                                              joint.groups[group].name, operands.getArrayRef());
  Block &body = composite.getBody().emplaceBlock();
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  auto isInside = [&](OpOperand &use) { return inside.contains(use.getOwner()); };
  for (Value operand : operands)
    operand.replaceUsesWithIf(body.addArgument(operand.getType(), operand.getLoc()), isInside);
  for (auto [inner, outer] : llvm::zip_equal(results.getArrayRef(), composite.getResults()))
    Value(inner).replaceUsesWithIf(outer, [&](OpOperand &use) { return !isInside(use); });
  writer.builder.setInsertionPointToEnd(&body);
  graph::YieldOp::create(writer.builder, place, results.getArrayRef());
}

void BackwardWriter::outlineGroups() {
  llvm::MapVector<int, SmallVector<Operation *>> members;
  for (Operation &op : function.front())
    if (auto found = groupOf.find(&op); found != groupOf.end())
      members[found->second].push_back(&op);
  for (auto &[group, ops] : members)
    if (llvm::count_if(ops, [](Operation *op) { return !isFree(op); }) > 1)
      outline(group, ops);
  bool sorted = sortTopologically(&function.front());
  assert(sorted && "composites of gradients depend on each other");
  (void)sorted;
}

// --- Sizes ---------------------------------------------------------------------------------------

llvm::SetVector<Expr> BackwardWriter::boundSymbols() {
  llvm::SetVector<Expr> bound;
  for (Type type : function.front().getArgumentTypes())
    for (Expr size : cast<graph::TensorType>(type).getSizes())
      if (size.isSymbol())
        bound.insert(size);
  for (const NamedAttrList &attributes : argumentAttributes)
    if (auto number = dyn_cast_if_present<StringAttr>(attributes.get("graph.symbol")))
      bound.insert(symbolOf(number));
  return bound;
}

/// Who applies a function gives it the sizes that no tensor has, as numbers.
void BackwardWriter::takeSizes(ArrayRef<Expr> sizes) {
  MLIRContext *context = function.getContext();
  auto type = graph::TensorType::get(context, {}, writer.builder.getI64Type());
  for (Expr size : sizes) {
    Saved &item = saved.emplace_back();
    item.size = size;
    NamedAttrList attributes;
    attributes.set("graph.scalar", writer.builder.getUnitAttr());
    attributes.set("graph.symbol", writer.builder.getStringAttr(size.getName()));
    attributes.set("graph.saved", writer.builder.getI64IntegerAttr(saved.size() - 1));
    addArgument(type, joint.program.getLoc(), size.getName(), attributes);
  }
}

/// Sizes and streams that no argument has come from the arguments of the forward program: of
/// numbers the value is saved, of tensors only the shape.
void BackwardWriter::bindSizes() {
  llvm::SetVector<Expr> bound = boundSymbols(), missing;
  auto note = [&](Expr expr) {
    index::forEachSymbol(expr, [&](Expr symbol) {
      if (!bound.contains(symbol))
        missing.insert(symbol);
    });
  };
  // Of arguments too: the gradient of a result may have sizes that are sums.
  for (Type type : function.front().getArgumentTypes())
    llvm::for_each(cast<graph::TensorType>(type).getSizes(), note);
  function.walk([&](Operation *op) { forEachExpr(op, note); });
  auto arguments = joint.block().getArguments().take_front(joint.program.getNumArguments());
  for (BlockArgument argument : arguments) {
    auto number =
        joint.program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.symbol");
    if (number && missing.remove(symbolOf(number))) {
      saved.push_back({argument, static_cast<int>(argument.getArgNumber()), -1, false});
      addSaved(saved.size() - 1);
    }
  }
  if (joint.program->hasAttr("graph.function"))
    return takeSizes(missing.getArrayRef());
  for (BlockArgument argument : arguments) {
    ArrayRef<Expr> sizes = GradientWriter::sizesOf(argument);
    if (llvm::none_of(sizes, [&](Expr size) { return missing.contains(size); }))
      continue;
    saved.push_back({argument, static_cast<int>(argument.getArgNumber()), -1, true});
    addSaved(saved.size() - 1);
    for (Expr size : sizes)
      missing.remove(size);
  }
}

void BackwardWriter::copyChecks() {
  llvm::SetVector<Expr> bound = boundSymbols();
  writer.builder.setInsertionPointToStart(&function.front());
  auto isBound = [&](sym::PredAttr condition) {
    bool known = true;
    index::forEachSymbol(condition.getPred(),
                         [&](Expr symbol) { known &= bound.contains(symbol); });
    return known;
  };
  for (graph::CheckOp check : joint.program.getOps<graph::CheckOp>())
    if (isBound(check.getPred()))
      writer.builder.clone(*check);
  // The forward pass of a case asks for what tells it from others.
  auto when = joint.program->getAttrOfType<sym::PredAttr>("graph.when");
  if (when && isBound(when))
    function->setAttr("graph.assumed", when);
  for (StringRef kind : {"graph.hints", "graph.planned", "graph.typical"}) {
    auto all = joint.program->getAttrOfType<DictionaryAttr>(kind);
    if (!all)
      continue;
    SmallVector<NamedAttribute> sizes;
    for (NamedAttribute size : all)
      if (llvm::any_of(bound, [&](Expr e) { return e.getName() == size.getName().getValue(); }))
        sizes.push_back(size);
    function->setAttr(kind, writer.builder.getDictionaryAttr(sizes));
  }
}

OwningOpRef<func::FuncOp> BackwardWriter::run(StringRef name) {
  OpBuilder &builder = writer.builder;
  OwningOpRef<func::FuncOp> owner =
      func::FuncOp::create(joint.program.getLoc(), name, builder.getFunctionType({}, {}));
  function = *owner;
  function.addEntryBlock();
  builder.setInsertionPointToEnd(&function.front());
  addArguments();
  copyGradients();
  writeResults();
  outlineGroups();
  bindSizes();
  copyChecks();
  Operation *end = function.front().getTerminator();
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), end->getOperandTypes()));
  for (auto [number, attributes] : llvm::enumerate(argumentAttributes))
    function.setArgAttrs(number, attributes);
  std::string text;
  for (auto [place, number] : llvm::enumerate(joint.wanted)) {
    function.setResultAttr(place, "graph.gradient", builder.getI64IntegerAttr(number));
    if (!joint.gradient(place))
      function.setResultAttr(place, "graph.zero", builder.getUnitAttr());
    text += (place ? ", {" : "{") + std::to_string(place) + "}";
  }
  function->setAttr("graph.program", builder.getUnitAttr());
  function->setAttr("graph.result",
                    builder.getStringAttr(joint.wanted.size() == 1 ? text : "(" + text + ")"));
  function->setAttr("graph.gradient_of", FlatSymbolRefAttr::get(joint.program));
  if (Attribute mark = joint.program->getAttr("graph.function"))
    function->setAttr("graph.function", mark);
  if (failed(verify(function)))
    return {};
  return owner;
}

OwningOpRef<func::FuncOp> writeBackward(Joint &joint, std::vector<Saved> &saved, StringRef name) {
  return BackwardWriter(joint, saved).run(name);
}

} // namespace nereid::autodiff
