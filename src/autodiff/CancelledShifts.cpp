// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/CancelledShifts.h"

#include "autodiff/Rules.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <map>
#include <numbers>
#include <queue>

using namespace mlir;
using nereid::graph::FoldKind;

namespace nereid::autodiff {
namespace {

/// A number times powers of scalars that are known at run time.
struct Factor {
  double number = 1;
  std::map<void *, int> powers;

  bool operator==(const Factor &) const = default;
  Factor times(double other) const { return {number * other, powers}; }
  Factor times(const Factor &other, int exponent) const {
    Factor result{number * std::pow(other.number, exponent), powers};
    for (auto [scalar, power] : other.powers)
      if ((result.powers[scalar] += power * exponent) == 0)
        result.powers.erase(scalar);
    return result;
  }
};

enum class Form : uint8_t { Sum, Product };

/// How the elements of a tensor depend on those of the shift m: by `a + rate * m` or by
/// `a * exp(rate * m)`. For each axis of the tensor which axis of m is followed along it, -1 where
/// all elements depend on the same one.
struct Dependence {
  Form form = Form::Sum;
  Factor rate;
  SmallVector<int, 6> axes;

  bool operator==(const Dependence &) const = default;
  bool isFree(int64_t dim) const { return axes[dim] < 0; }
  bool isFree(ArrayRef<int64_t> dims) const {
    return llvm::all_of(dims, [&](int64_t dim) { return isFree(dim); });
  }
};

/// What is found for a result: how it depends on m, or that it does not.
struct Answer {
  bool isKnown = true;
  std::optional<Dependence> dependence;

  static Answer independent() { return {}; }
  static Answer unknown() { return {false, std::nullopt}; }
  Answer(Dependence found) : dependence(std::move(found)) {
    if (dependence->rate.number == 0)
      dependence.reset();
  }

private:
  Answer() = default;
  Answer(bool isKnown, std::nullopt_t) : isKnown(isKnown) {}
};

class ShiftTracker {
public:
  explicit ShiftTracker(function_ref<bool(Operation *)> isOpaque) : isOpaque(isOpaque) {}

  bool run(Value shift);

private:
  const Dependence *find(Value value) const {
    auto known = dependences.find(value);
    return known == dependences.end() ? nullptr : &known->second;
  }
  void note(Value value, Dependence dependence);
  Answer follow(Operation *op);
  Answer followUnary(Operation *op, Dependence own);
  Answer followSum(Operation *op, double sign);
  Answer followProduct(Operation *op, int exponent);
  Answer followChoice(Value left, Value right);
  Answer followView(Operation *op, Dependence own);
  Answer followReshape(graph::ReshapeOp op, Dependence own);

  function_ref<bool(Operation *)> isOpaque;
  llvm::DenseMap<Value, Dependence> dependences;
  struct Later {
    bool operator()(Operation *a, Operation *b) const { return b->isBeforeInBlock(a); }
  };
  std::priority_queue<Operation *, std::vector<Operation *>, Later> waiting;
};

// --- Constants -----------------------------------------------------------------------------------

/// What a tensor repeats, where it repeats one element.
Value findScalar(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isSame = isa<graph::BroadcastOp, graph::ReshapeOp, graph::ContiguousOp>(op);
    if (!isSame)
      break;
    value = op->getOperand(0);
  }
  return GradientWriter::typeOf(value).getRank() == 0 ? value : Value();
}

std::optional<double> findNumber(Value value) {
  Value scalar = findScalar(value);
  auto constant = scalar ? scalar.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!constant)
    return std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
    return real.getValueAsDouble();
  return cast<IntegerAttr>(constant.getValue()).getInt();
}

std::optional<Factor> findFactor(Value value) {
  if (auto number = findNumber(value))
    return *number == 0 ? std::nullopt : std::optional(Factor{*number, {}});
  if (Value scalar = findScalar(value))
    return Factor{1, {{scalar.getAsOpaquePointer(), 1}}};
  return std::nullopt;
}

/// Whether a constant depends on the shift in any way one likes: 0 as a product, an infinity as a
/// sum.
bool isAbsorbing(Value value, Form form) {
  std::optional<double> number = findNumber(value);
  return number && (form == Form::Product ? *number == 0 : std::isinf(*number));
}

// --- Elementwise operators -----------------------------------------------------------------------

Answer ShiftTracker::followUnary(Operation *op, Dependence own) {
  using std::numbers::ln10, std::numbers::ln2;
  auto become = [&](Form form, double factor) {
    own.rate = own.rate.times(factor);
    own.form = form;
    return Answer(own);
  };
  if (own.form == Form::Sum)
    return llvm::TypeSwitch<Operation *, Answer>(op)
        .Case([&](graph::CastOp) { return Answer(own); })
        .Case([&](graph::NegOp) { return become(Form::Sum, -1); })
        .Case([&](graph::ExpOp) { return become(Form::Product, 1); })
        .Case([&](graph::Exp2Op) { return become(Form::Product, ln2); })
        .Default([](Operation *) { return Answer::unknown(); });
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::CastOp, graph::NegOp, graph::AbsOp>([&](auto) { return Answer(own); })
      .Case([&](graph::LogOp) { return become(Form::Sum, 1); })
      .Case([&](graph::Log2Op) { return become(Form::Sum, 1 / ln2); })
      .Case([&](graph::Log10Op) { return become(Form::Sum, 1 / ln10); })
      .Case([&](graph::SqrtOp) { return become(Form::Product, 0.5); })
      .Case([&](graph::RsqrtOp) { return become(Form::Product, -0.5); })
      .Default([](Operation *) { return Answer::unknown(); });
}

/// left + sign * right.
Answer ShiftTracker::followSum(Operation *op, double sign) {
  const Dependence *left = find(op->getOperand(0)), *right = find(op->getOperand(1));
  const Dependence &any = left ? *left : *right;
  if (any.form == Form::Product)
    return followChoice(op->getOperand(0), op->getOperand(1));
  Dependence result = any;
  if (!left)
    result.rate = result.rate.times(sign);
  if (!left || !right)
    return result;
  if (right->form != Form::Sum || left->axes != right->axes ||
      left->rate.powers != right->rate.powers)
    return Answer::unknown();
  result.rate.number += sign * right->rate.number;
  // Rates such as 1 / ln(2) times ln(2) are 1 up to rounding.
  if (std::abs(result.rate.number) < 1e-12 * std::abs(left->rate.number))
    result.rate.number = 0;
  return result;
}

/// left * right ** exponent.
Answer ShiftTracker::followProduct(Operation *op, int exponent) {
  const Dependence *left = find(op->getOperand(0)), *right = find(op->getOperand(1));
  Dependence result = left ? *left : *right;
  if (left && right) {
    if (left->form != Form::Product || right->form != Form::Product || left->axes != right->axes ||
        left->rate.powers != right->rate.powers)
      return Answer::unknown();
    result.rate.number += exponent * right->rate.number;
    return result;
  }
  if (result.form == Form::Product) {
    result.rate = result.rate.times(left ? 1 : exponent);
    return result;
  }
  std::optional<Factor> factor = findFactor(op->getOperand(left ? 1 : 0));
  if (!factor || (!left && exponent < 0))
    return Answer::unknown();
  result.rate = result.rate.times(*factor, exponent);
  return result;
}

/// One of two elements, or the sum of two that depend on the shift as products.
Answer ShiftTracker::followChoice(Value left, Value right) {
  const Dependence *a = find(left), *b = find(right);
  if (a && b)
    return *a == *b ? Answer(*a) : Answer::unknown();
  const Dependence &own = a ? *a : *b;
  return isAbsorbing(a ? right : left, own.form) ? Answer(own) : Answer::unknown();
}

// --- Views and folds -----------------------------------------------------------------------------

/// Axes of one element come and go; else the axes have to stay, or all elements depend on the same.
Answer ShiftTracker::followReshape(graph::ReshapeOp op, Dependence own) {
  auto isUnit = [](index::Expr size) { return size.isConstant(1); };
  ArrayRef<index::Expr> from = GradientWriter::typeOf(op.getInput()).getSizes();
  ArrayRef<index::Expr> to = GradientWriter::typeOf(op.getResult()).getSizes();
  SmallVector<int, 6> axes(to.size(), -1);
  if (llvm::any_of(own.axes, [](int axis) { return axis >= 0; })) {
    size_t next = 0;
    for (auto [place, size] : llvm::enumerate(to)) {
      if (isUnit(size))
        continue;
      while (next < from.size() && isUnit(from[next]))
        ++next;
      if (next == from.size() || from[next] != size)
        return Answer::unknown();
      axes[place] = own.axes[next++];
    }
  }
  own.axes = axes;
  return own;
}

Answer ShiftTracker::followView(Operation *op, Dependence own) {
  auto keep = [&](bool holds) { return holds ? Answer(own) : Answer::unknown(); };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](graph::ContiguousOp) { return Answer(own); })
      .Case([&](graph::ReshapeOp op) { return followReshape(op, own); })
      .Case([&](graph::BroadcastOp op) {
        ArrayRef<index::Expr> from = GradientWriter::typeOf(op.getInput()).getSizes();
        ArrayRef<index::Expr> to = GradientWriter::typeOf(op.getResult()).getSizes();
        SmallVector<int, 6> axes(to.size(), -1);
        for (auto [place, dim] : llvm::enumerate(op.getDims()))
          if (from[place] == to[dim])
            axes[dim] = own.axes[place];
        own.axes = axes;
        return Answer(own);
      })
      .Case([&](graph::TransposeOp op) {
        SmallVector<int, 6> axes;
        for (int64_t dim : op.getOrder())
          axes.push_back(own.axes[dim]);
        own.axes = axes;
        return Answer(own);
      })
      .Case([&](graph::FlipOp op) { return keep(own.isFree(op.getDims())); })
      .Case([&](graph::SliceOp op) { return keep(own.isFree(op.getDim())); })
      .Case([&](graph::PadOp op) {
        return keep(find(op.getInput()) && !find(op.getValue()) && own.isFree(op.getDim()) &&
                    isAbsorbing(op.getValue(), own.form));
      })
      .Case([&](graph::ConcatOp op) {
        auto isAlike = [&](Value input) { return find(input) && *find(input) == own; };
        return keep(own.isFree(op.getDim()) && llvm::all_of(op.getInputs(), isAlike));
      })
      .Case([&](graph::WindowOp op) {
        own.axes.insert(own.axes.begin() + op.getDim(), -1);
        return keep(own.isFree(op.getDim() + 1));
      })
      .Case([&](graph::FoldOp op) {
        bool isExtreme = op.getKind() == FoldKind::Max || op.getKind() == FoldKind::Min;
        bool isSum = op.getKind() == FoldKind::Sum && own.form == Form::Product;
        bool holds = own.isFree(op.getDims()) && (isExtreme || isSum);
        for (int64_t dim : llvm::reverse(op.getDims()))
          own.axes.erase(own.axes.begin() + dim);
        return keep(holds);
      })
      .Default([](Operation *) { return Answer::unknown(); });
}

// --- The walk ------------------------------------------------------------------------------------

Answer ShiftTracker::follow(Operation *op) {
  const RuleEntry *entry = findRule(op->getName().stripDialect());
  if (!entry || isOpaque(op) || op->getNumResults() != 1)
    return Answer::unknown();
  // No gradient goes through it.
  bool isFloat = isa<FloatType>(GradientWriter::typeOf(op->getResult(0)).getElementType());
  if (!entry->rule || !isFloat)
    return Answer::independent();
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](graph::AddOp) { return followSum(op, 1); })
      .Case([&](graph::SubOp) { return followSum(op, -1); })
      .Case([&](graph::MulOp) { return followProduct(op, 1); })
      .Case([&](graph::DivOp) { return followProduct(op, -1); })
      .Case<graph::MaximumOp, graph::MinimumOp>(
          [&](auto op) { return followChoice(op.getLhs(), op.getRhs()); })
      .Case([&](graph::WhereOp op) { return followChoice(op.getLhs(), op.getRhs()); })
      .Default([&](Operation *) {
        const Dependence *own = nullptr;
        for (Value operand : op->getOperands())
          own = own ? own : find(operand);
        bool isUnary = op->getNumOperands() == 1;
        Answer answer = followView(op, *own);
        return answer.isKnown || !isUnary ? answer : followUnary(op, *own);
      });
}

void ShiftTracker::note(Value value, Dependence dependence) {
  dependences[value] = std::move(dependence);
  // Composites that were opened stand in no block.
  for (Operation *user : value.getUsers())
    if (user->getBlock())
      waiting.push(user);
}

bool ShiftTracker::run(Value shift) {
  Dependence itself;
  for (int axis = 0; axis < GradientWriter::typeOf(shift).getRank(); ++axis)
    itself.axes.push_back(axis);
  note(shift, itself);
  Operation *last = nullptr;
  while (!waiting.empty()) {
    Operation *op = waiting.top();
    waiting.pop();
    if (op == last)
      continue;
    last = op;
    Answer answer = follow(op);
    if (!answer.isKnown)
      return false;
    if (answer.dependence)
      note(op->getResult(0), *answer.dependence);
  }
  return true;
}

} // namespace

bool cancels(Value value, function_ref<bool(Operation *)> isOpaque) {
  return ShiftTracker(isOpaque).run(value);
}

} // namespace nereid::autodiff
