// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/SumOrder.h"

#include "autodiff/PlannedBytes.h"

using namespace mlir;

namespace nereid::autodiff {

namespace {

/// A factor of a sum's terms: an element of a value, whose coordinates are numbered variables.
struct Factor {
  Value source;
  SmallVector<int, 4> at;
  bool has(int variable) const { return llvm::is_contained(at, variable); }
  bool hasAny(ArrayRef<int> variables) const {
    return llvm::any_of(variables, [&](int variable) { return has(variable); });
  }
};
using Factors = SmallVector<Factor, 4>;

/// A sum with names for the variables of its result and for those that it runs over.
struct NamedSum {
  graph::FoldOp op;
  SmallVector<int, 4> of, over;
  Factors factors;
};

/// The one coordinate of an axis of one element that is repeated.
constexpr int none = -1;

class SumExchange {
public:
  explicit SumExchange(Joint &joint)
      : joint(joint), bytes(joint.program), writer(joint.program.getContext()) {}

  void run();

private:
  void collect(Value value, ArrayRef<int> at, Factors &factors);
  NamedSum name(graph::FoldOp op, ArrayRef<int> of);
  bool exchange(graph::FoldOp op);
  std::optional<SmallVector<int, 4>> match(const NamedSum &sum, const Factors &wanted);
  bool matchFrom(ArrayRef<Factor> factors, Factors &wanted, llvm::DenseMap<int, int> &names);
  bool isPlain(const Factor &factor, size_t variables) const;
  Value place(const Factor &factor, ArrayRef<Expr> sizes, Type element);

  Joint &joint;
  PlannedBytes bytes;
  GradientWriter writer;
  int variables = 0;
  SmallVector<graph::FoldOp> forwardSums;
};

bool isSum(Operation *op) {
  auto fold = dyn_cast_or_null<graph::FoldOp>(op);
  return fold && fold.getKind() == graph::FoldKind::Sum &&
         isa<FloatType>(GradientWriter::typeOf(fold.getResult()).getElementType());
}

} // namespace

/// The factors of a value, through views that only name axes anew, and roundings.
void SumExchange::collect(Value value, ArrayRef<int> at, Factors &factors) {
  Operation *op = value.getDefiningOp();
  auto isFloat = [](Value v) { return isa<FloatType>(GradientWriter::typeOf(v).getElementType()); };
  if (auto product = dyn_cast_or_null<graph::MulOp>(op); product && isFloat(value)) {
    for (Value operand : product->getOperands())
      collect(operand, at, factors);
    return;
  }
  if (auto cast = dyn_cast_or_null<graph::CastOp>(op); cast && isFloat(cast->getOperand(0)))
    return collect(cast->getOperand(0), at, factors);
  SmallVector<int, 4> inner;
  if (auto repeat = dyn_cast_or_null<graph::BroadcastOp>(op)) {
    for (auto [axis, dim] : llvm::enumerate(repeat.getDims())) {
      bool isSame = writer.sizesOf(repeat.getInput())[axis] == writer.sizesOf(value)[dim];
      inner.push_back(isSame ? at[dim] : none);
    }
    return collect(repeat.getInput(), inner, factors);
  }
  if (auto transpose = dyn_cast_or_null<graph::TransposeOp>(op)) {
    inner.resize(at.size());
    for (auto [axis, from] : llvm::enumerate(transpose.getOrder()))
      inner[from] = at[axis];
    return collect(transpose.getInput(), inner, factors);
  }
  factors.push_back({value, llvm::to_vector<4>(at)});
}

/// New names for what a sum runs over.
NamedSum SumExchange::name(graph::FoldOp op, ArrayRef<int> of) {
  NamedSum sum{op, llvm::to_vector<4>(of), {}, {}};
  SmallVector<int, 4> at;
  size_t next = 0, rank = writer.sizesOf(op.getInput()).size();
  for (size_t axis = 0; axis < rank; ++axis) {
    bool isFolded = llvm::is_contained(op.getDims(), int64_t(axis));
    if (isFolded)
      sum.over.push_back(variables);
    at.push_back(isFolded ? variables++ : of[next++]);
  }
  collect(op.getInput(), at, sum.factors);
  return sum;
}

/// Finds a wanted factor for each of some, under one renaming of the variables.
bool SumExchange::matchFrom(ArrayRef<Factor> factors, Factors &wanted,
                            llvm::DenseMap<int, int> &names) {
  if (factors.empty())
    return wanted.empty();
  const Factor &own = factors.front();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].source != own.source)
      continue;
    llvm::DenseMap<int, int> tried = names;
    bool fits = llvm::all_of(llvm::zip_equal(own.at, wanted[i].at), [&](auto pair) {
      auto [mine, theirs] = pair;
      if (mine == none || theirs == none)
        return mine == theirs;
      return tried.try_emplace(mine, theirs).first->second == theirs;
    });
    Factors rest = wanted;
    rest.erase(rest.begin() + i);
    if (fits && matchFrom(factors.drop_front(), rest, tried)) {
      names = tried;
      return true;
    }
  }
  return false;
}

/// The coordinates of a forward sum at which it is the sum of the products of some factors.
std::optional<SmallVector<int, 4>> SumExchange::match(const NamedSum &sum, const Factors &wanted) {
  Factors rest = wanted;
  llvm::DenseMap<int, int> names;
  if (!matchFrom(sum.factors, rest, names))
    return std::nullopt;
  llvm::DenseSet<int> reached;
  for (auto [mine, theirs] : names)
    if (!reached.insert(theirs).second)
      return std::nullopt;
  SmallVector<int, 4> at;
  for (int variable : sum.of) {
    auto found = names.find(variable);
    if (found == names.end())
      return std::nullopt;
    at.push_back(found->second);
  }
  return at;
}

/// Whether a factor's axes are different variables, among the first few.
bool SumExchange::isPlain(const Factor &factor, size_t count) const {
  llvm::DenseSet<int> seen;
  return llvm::all_of(factor.at, [&](int variable) {
    return variable != none && variable < int(count) && seen.insert(variable).second;
  });
}

/// A factor as a tensor over all variables.
Value SumExchange::place(const Factor &factor, ArrayRef<Expr> sizes, Type element) {
  SmallVector<int64_t> order;
  for (size_t axis = 0; axis < factor.at.size(); ++axis)
    order.push_back(axis);
  llvm::sort(order, [&](int64_t a, int64_t b) { return factor.at[a] < factor.at[b]; });
  SmallVector<int64_t> dims;
  for (int64_t axis : order)
    dims.push_back(factor.at[axis]);
  Value value = writer.cast(factor.source, element);
  return writer.broadcast(writer.transpose(value, order), dims, sizes);
}

/// A sum as the program keeps it: a result of halves is rounded, and saved anyway.
static Value asStored(graph::FoldOp sum) {
  Value value = sum.getResult();
  auto widthOf = [](Value v) {
    return GradientWriter::typeOf(v).getElementType().getIntOrFloatBitWidth();
  };
  if (value.hasOneUse())
    if (auto cast = dyn_cast<graph::CastOp>(*value.user_begin()))
      if (widthOf(cast.getResult()) < widthOf(value))
        return cast.getResult();
  return value;
}

bool SumExchange::exchange(graph::FoldOp op) {
  SmallVector<Expr> sizes(writer.sizesOf(op.getResult()));
  SmallVector<int, 4> of;
  for (variables = 0; variables < int(sizes.size()); ++variables)
    of.push_back(variables);
  // The inner sum's variables come first, so that they and the result's are all that is left.
  NamedSum outer = name(op, of);
  auto inner = llvm::find_if(outer.factors, [&](const Factor &factor) {
    return isSum(factor.source.getDefiningOp()) && factor.hasAny(outer.over) && !factor.has(none);
  });
  if (inner == outer.factors.end())
    return false;
  auto innerOp = cast<graph::FoldOp>(inner->source.getDefiningOp());
  NamedSum nested = name(innerOp, inner->at);
  Factors wanted, left;
  for (const Factor &factor : nested.factors)
    (factor.hasAny(outer.over) ? wanted : left).push_back(factor);
  for (Factor &factor : outer.factors)
    if (&factor != &*inner)
      wanted.push_back(factor);
  if (left.empty())
    return false;
  // Variables that are left are numbered one after the other.
  llvm::DenseMap<int, int> numbers;
  for (int variable : of)
    numbers[variable] = variable;
  auto input = cast<graph::FoldOp>(nested.op).getInput();
  for (auto [dim, variable] : llvm::zip_equal(nested.op.getDims(), nested.over)) {
    numbers[variable] = sizes.size();
    sizes.push_back(writer.sizesOf(input)[dim]);
  }
  auto renumber = [&](Factor factor) {
    for (int &variable : factor.at)
      variable = variable == none ? none : numbers.lookup_or(variable, int(sizes.size()));
    return factor;
  };
  for (graph::FoldOp forward : forwardSums) {
    if (bytes.of(forward.getResult()) > bytes.of(innerOp.getResult()))
      continue;
    SmallVector<int, 4> own;
    for (size_t axis = 0; axis < writer.sizesOf(forward.getResult()).size(); ++axis)
      own.push_back(variables++);
    std::optional<SmallVector<int, 4>> at = match(name(forward, own), wanted);
    if (!at)
      continue;
    Factors factors = left;
    factors.push_back({asStored(forward), *at});
    for (Factor &factor : factors)
      factor = renumber(factor);
    if (!llvm::all_of(factors, [&](const Factor &f) { return isPlain(f, sizes.size()); }))
      continue;
    Operation *before = op->getPrevNode();
    writer.builder.setInsertionPoint(op);
    writer.place = op.getLoc();
    Type element = writer.typeOf(op.getResult()).getElementType();
    Value product;
    for (const Factor &factor : factors) {
      Value placed = place(factor, sizes, element);
      product = product ? writer.mul(product, placed) : placed;
    }
    SmallVector<int64_t> dims;
    for (size_t axis = of.size(); axis < sizes.size(); ++axis)
      dims.push_back(axis);
    op.getResult().replaceAllUsesWith(writer.fold(graph::FoldKind::Sum, product, dims));
    if (int group = joint.group(op); group >= 0)
      for (Operation *made = before ? before->getNextNode() : &joint.block().front(); made != op;
           made = made->getNextNode())
        joint.groupOf[made] = group;
    joint.groupOf.erase(op);
    op.erase();
    return true;
  }
  return false;
}

void SumExchange::run() {
  SmallVector<graph::FoldOp> sums;
  for (Operation &op : joint.block().without_terminator())
    if (isSum(&op))
      (joint.forwardOps.contains(&op) ? forwardSums : sums).push_back(cast<graph::FoldOp>(op));
  for (graph::FoldOp op : sums)
    (void)exchange(op);
}

void exchangeSums(Joint &joint) { SumExchange(joint).run(); }

} // namespace nereid::autodiff
