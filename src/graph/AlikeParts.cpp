// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/AlikeParts.h"

#include "sym/SymDialect.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

static bool isFreeOp(Operation *op) {
  if (isa<ConstantOp, SizeOp, IotaOp>(op))
    return true;
  return isa<BroadcastOp, ReshapeOp, TransposeOp>(op) && isFree(op->getOperand(0));
}

bool isFree(Value value) { return value.getDefiningOp() && isFreeOp(value.getDefiningOp()); }

bool isScalar(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto program =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return program && program.getArgAttr(argument.getArgNumber(), "graph.scalar");
}

void Part::findInputs() {
  inputs.clear();
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!knows(operand) && !isFree(operand))
        inputs.insert(operand);
}

bool Part::knows(Value value) const {
  return inputs.contains(value) || (value.getDefiningOp() && ops.contains(value.getDefiningOp()));
}

// --- Sizes ---------------------------------------------------------------------------------------

Expr getWholeNumber(ConstantOp constant) {
  constexpr int64_t greatest = int64_t(1) << 31;
  index::Context &context = sym::SymDialect::getIndexContext(constant.getContext());
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return number.getInt() > 0 && number.getInt() < greatest ? context.constant(number.getInt())
                                                             : Expr();
  double number = cast<FloatAttr>(constant.getValue()).getValueAsDouble();
  bool isWhole = number > 0 && number < double(greatest) && number == double(int64_t(number));
  return isWhole ? context.constant(int64_t(number)) : Expr();
}

static void replaceSizes(Value value, llvm::function_ref<Expr(Expr)> replace) {
  auto type = cast<TensorType>(value.getType());
  SmallVector<Expr> sizes = llvm::map_to_vector(type.getSizes(), replace);
  if (ArrayRef(sizes) != type.getSizes())
    value.setType(type.withSizes(sizes));
}

void replaceSizes(Operation *op, llvm::function_ref<Expr(Expr)> replace) {
  for (Value result : op->getResults())
    replaceSizes(result, replace);
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
      if (Expr next = replace(expr.getExpr()); next != expr.getExpr())
        op->setAttr(attribute.getName(), sym::ExprAttr::get(op->getContext(), next));
  if (auto constant = dyn_cast<ConstantOp>(op))
    if (Expr number = getWholeNumber(constant))
      if (Expr size = replace(number); size != number)
        op->setAttr("graph.size", sym::ExprAttr::get(op->getContext(), size));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        replaceSizes(argument, replace);
      for (Operation &inner : block)
        replaceSizes(&inner, replace);
    }
}

void walkWithFree(Operation *op, const Part &part, llvm::function_ref<void(Operation *)> visit) {
  for (Value operand : op->getOperands())
    if (!part.knows(operand))
      walkWithFree(operand.getDefiningOp(), part, visit);
  visit(op);
}

// --- Comparison ----------------------------------------------------------------------------------

namespace {

class Comparison {
public:
  bool areAlike(const Part &a, const Part &b);

private:
  bool areAlike(Operation *x, Operation *y);
  bool haveAlikeTypes(Value x, Value y);
  bool isSame(Value x, Value y);

  llvm::DenseMap<Value, Value> same;
};

} // namespace

static bool areAlikeTypes(Type a, Type b) {
  auto x = dyn_cast<TensorType>(a), y = dyn_cast<TensorType>(b);
  return x && y ? x.getRank() == y.getRank() && x.getElementType() == y.getElementType() : a == b;
}

static bool haveAlikeAttributes(Operation *x, Operation *y) {
  if (auto p = dyn_cast<ConstantOp>(x), q = dyn_cast<ConstantOp>(y); p && q)
    if (getWholeNumber(p) && getWholeNumber(q))
      return p.getValue().getTypeID() == q.getValue().getTypeID();
  DictionaryAttr a = x->getAttrDictionary(), b = y->getAttrDictionary();
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           auto [p, q] = pair;
           bool areSizes = isa<sym::ExprAttr>(p.getValue()) && isa<sym::ExprAttr>(q.getValue());
           return p.getName() == q.getName() && (areSizes || p.getValue() == q.getValue());
         });
}

/// Whether two operators take windows of one number of elements, where that is known: kernels write
/// small windows out, and divide by sizes that they do not know. Others are alike.
static bool haveEqualWindows(Operation *x, Operation *y) {
  auto windowOf = [](Operation *op) {
    auto window = dyn_cast<WindowOp>(op);
    return window ? window.getType().getSizes()[window.getDim() + 1] : Expr();
  };
  Expr a = windowOf(x), b = windowOf(y);
  return !a || !b || a == b || !(a.isConstant() && b.isConstant());
}

bool Comparison::haveAlikeTypes(Value x, Value y) {
  same[x] = y;
  return areAlikeTypes(x.getType(), y.getType());
}

bool Comparison::isSame(Value x, Value y) {
  auto known = same.find(x);
  if (known != same.end())
    return known->second == y;
  if (!isFree(x) || !isFree(y))
    return false;
  // What is free is looked at for each use: its sizes may differ from use to use.
  bool areSame = cast<OpResult>(x).getResultNumber() == cast<OpResult>(y).getResultNumber() &&
                 areAlike(x.getDefiningOp(), y.getDefiningOp());
  same.erase(x);
  return areSame;
}

bool Comparison::areAlike(Operation *x, Operation *y) {
  auto all = [](auto &&a, auto &&b, auto holds) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), holds);
  };
  auto alikeTypes = [&](Value p, Value q) { return haveAlikeTypes(p, q); };
  return x->getName() == y->getName() && haveAlikeAttributes(x, y) && haveEqualWindows(x, y) &&
         all(x->getOperands(), y->getOperands(), [&](Value p, Value q) { return isSame(p, q); }) &&
         all(x->getResults(), y->getResults(), alikeTypes) &&
         all(x->getRegions(), y->getRegions(), [&](Region &r, Region &s) {
           return all(r, s, [&](Block &p, Block &q) {
             return all(p.getArguments(), q.getArguments(), alikeTypes) &&
                    all(p, q, [&](Operation &o, Operation &u) { return areAlike(&o, &u); });
           });
         });
}

bool Comparison::areAlike(const Part &a, const Part &b) {
  if (a.ops.size() != b.ops.size() || a.inputs.size() != b.inputs.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(a.inputs, b.inputs))
    if (isScalar(x) != isScalar(y) || !haveAlikeTypes(x, y))
      return false;
  return llvm::all_of(llvm::zip_equal(a.ops, b.ops),
                      [&](auto pair) { return areAlike(std::get<0>(pair), std::get<1>(pair)); });
}

bool areAlike(const Part &a, const Part &b) { return Comparison().areAlike(a, b); }

} // namespace nereid::graph
