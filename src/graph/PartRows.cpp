// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of sizes of alike parts, read off their operators, and what these say of them.
#include "graph/PartSizes.h"

#include "sym/SymDialect.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

/// Lists the sizes of a part; of the first one also what its operators say of them.
class PartSizes::Walk {
public:
  struct PlaceRule {
    RuleKind kind;
    unsigned result;
    Places of;
    int64_t step;
  };

  explicit Walk(const Part &part) {
    for (Value input : part.inputs)
      enter(input);
    inputSizes = sizes.size();
    for (Operation *op : part.ops)
      walkWithFree(op, part, [&](Operation *each) { enter(each); });
  }

  std::vector<Expr> sizes;
  unsigned inputSizes = 0;
  /// The places of whole numbers.
  llvm::DenseSet<unsigned> numbers;
  std::vector<PlaceRule> rules;
  std::vector<std::pair<Places, Places>> reshapes;
  std::vector<Cut> cuts;

private:
  /// In the order of replaceSizes().
  void enter(Operation *op) {
    for (Value result : op->getResults())
      enter(result);
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue())) {
        if (auto slice = dyn_cast<SliceOp>(op); slice && attribute.getName() == "start")
          cuts.push_back({placesOf(slice.getInput())[slice.getDim()],
                          placesOf(slice)[slice.getDim()], unsigned(sizes.size()), std::nullopt,
                          static_cast<int64_t>(slice.getStep())});
        sizes.push_back(expr.getExpr());
      }
    if (auto constant = dyn_cast<ConstantOp>(op))
      if (Expr number = getWholeNumber(constant)) {
        numbers.insert(sizes.size());
        sizes.push_back(number);
      }
    learn(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Value argument : block.getArguments())
          enter(argument);
        for (Operation &inner : block)
          enter(&inner);
      }
  }

  void enter(Value value) {
    places[value] = sizes.size();
    llvm::append_range(sizes, cast<TensorType>(value.getType()).getSizes());
  }

  Places placesOf(Value value) const {
    Places all;
    for (int64_t axis = 0; axis < cast<TensorType>(value.getType()).getRank(); ++axis)
      all.push_back(places.lookup(value) + axis);
    return all;
  }

  void learn(Operation *op) {
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      Places parts;
      for (Value input : concat.getInputs())
        parts.push_back(placesOf(input)[concat.getDim()]);
      rules.push_back({RuleKind::Sum, placesOf(concat)[concat.getDim()], parts, 1});
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      reshapes.push_back({placesOf(reshape.getInput()), placesOf(reshape)});
    } else if (auto window = dyn_cast<WindowOp>(op)) {
      int64_t dim = window.getDim();
      Places result = placesOf(window);
      cuts.push_back({placesOf(window.getInput())[dim], result[dim], std::nullopt, result[dim + 1],
                      static_cast<int64_t>(window.getStep())});
      rules.push_back({RuleKind::Windows,
                       result[dim],
                       {placesOf(window.getInput())[dim], result[dim + 1]},
                       static_cast<int64_t>(window.getStep())});
    }
  }

  llvm::DenseMap<Value, unsigned> places;
};

PartSizes::Row PartSizes::rowAt(unsigned place) const {
  Row row;
  for (const std::vector<Expr> &kind : kinds)
    row.push_back(kind[place]);
  return row;
}

PartSizes::Row PartSizes::productAt(ArrayRef<unsigned> places) const {
  Row row;
  for (const std::vector<Expr> &kind : kinds) {
    Expr product = kind[places.front()];
    for (unsigned place : places.drop_front())
      product = product * kind[place];
    row.push_back(product);
  }
  return row;
}

/// A size that is split into others, or made of them, is their product.
void PartSizes::learnReshape(ArrayRef<unsigned> before, ArrayRef<unsigned> after) {
  auto withoutOnes = [&](ArrayRef<unsigned> places) {
    Places rest;
    for (unsigned place : places)
      if (!llvm::all_of(rowAt(place), [](Expr size) { return size.isConstant(1); }))
        rest.push_back(place);
    return rest;
  };
  Places from = withoutOnes(before), to = withoutOnes(after);
  ArrayRef<unsigned> left = from, right = to;
  auto learn = [&](unsigned whole, ArrayRef<unsigned> factors) {
    if (factors.size() < 2)
      return;
    std::vector<Row> of;
    for (unsigned place : factors)
      of.push_back(rowAt(place));
    rules[rowAt(whole)].push_back({RuleKind::Product, std::move(of)});
  };
  while (!left.empty() && !right.empty()) {
    // The first axes of both that have as many elements.
    size_t taken = 0, made = 0;
    for (size_t total = 2; !taken && total <= left.size() + right.size(); ++total)
      for (size_t count = 1; count < total; ++count)
        if (count <= left.size() && total - count <= right.size() &&
            productAt(left.take_front(count)) == productAt(right.take_front(total - count)))
          std::tie(taken, made) = std::pair(count, total - count);
    if (!taken)
      return;
    if (taken == 1)
      learn(left.front(), right.take_front(made));
    if (made == 1)
      learn(right.front(), left.take_front(taken));
    left = left.drop_front(taken);
    right = right.drop_front(made);
  }
}

bool PartSizes::read(ArrayRef<Part *> parts) {
  Walk first(*parts.front());
  reshapes = first.reshapes;
  cuts = first.cuts;
  numbers = first.numbers;
  for (Part *part : parts) {
    Walk walk(*part);
    if (walk.sizes.size() != first.sizes.size())
      return false;
    auto equal = llvm::find(kinds, walk.sizes);
    kindOf.push_back(equal - kinds.begin());
    if (equal == kinds.end())
      kinds.push_back(std::move(walk.sizes));
  }
  auto take = [&](Expr symbol) { taken.insert(symbol); };
  for (const std::vector<Expr> &kind : kinds)
    for (Expr size : kind)
      index::forEachSymbol(size, take);
  for (Part *part : parts) {
    for (Type type : part->program.getArgumentTypes())
      for (Expr size : cast<TensorType>(type).getSizes())
        index::forEachSymbol(size, take);
    for (CheckOp check : part->program.getOps<CheckOp>())
      index::forEachSymbol(check.getPred().getPred(), take);
  }
  for (unsigned place = 0; place < first.inputSizes; ++place)
    inputs.insert(rowAt(place));
  for (const Walk::PlaceRule &rule : first.rules) {
    std::vector<Row> of;
    for (unsigned place : rule.of)
      of.push_back(rowAt(place));
    rules[rowAt(rule.result)].push_back({rule.kind, std::move(of), rule.step});
  }
  for (const auto &[before, after] : reshapes)
    learnReshape(before, after);
  return true;
}

bool haveEqualSizes(const Part &a, const Part &b) {
  return PartSizes::Walk(a).sizes == PartSizes::Walk(b).sizes;
}

} // namespace nereid::graph
