// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PlannedSizes.h"

#include "graph/GraphOps.h"
#include "sym/SymDialect.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using nereid::index::Expr;
using nereid::index::Pred;

namespace nereid::graph {
namespace {

using Sizes = llvm::MapVector<Expr, int64_t>;

/// A size that is at most this may count channels or coordinates.
constexpr int64_t mostWithin = 4;

class Planner {
public:
  explicit Planner(func::FuncOp program) : program(program), types(program.getArgumentTypes()) {
    SetVector<Type> all(types.begin(), types.end());
    program.walk([&](Operation *op) { all.insert_range(op->getResultTypes()); });
    made.assign(all.begin(), all.end());
  }

  /// The sizes to plan for; nothing where the hinted ones will do.
  std::optional<Sizes> run();

private:
  func::FuncOp program;
  SmallVector<Type> types; // of the arguments
  SmallVector<Type> made;  // and of what is computed: pairs of rows are many
  Sizes hinted;
  llvm::SetVector<Expr> growing;

  void readHints();
  void findGrowing();
  int64_t countLargest(const Sizes &sizes) const;
  bool isPossible(const Sizes &sizes) const;
  Sizes grow() const;
};

} // namespace

static std::optional<int64_t> evaluate(Expr expr, const Sizes &sizes) {
  return index::evaluate(expr, [&](Expr symbol) -> std::optional<int64_t> {
    auto known = sizes.find(symbol);
    return known == sizes.end() ? std::nullopt : std::optional(known->second);
  });
}

void Planner::readHints() {
  auto hints = program->getAttrOfType<DictionaryAttr>("graph.hints");
  if (!hints)
    return;
  llvm::StringMap<int64_t> named;
  for (NamedAttribute hint : hints)
    if (auto number = dyn_cast<IntegerAttr>(hint.getValue()))
      named[hint.getName().getValue()] = number.getInt();
  for (Type type : types)
    if (auto tensor = dyn_cast<TensorType>(type))
      for (Expr size : tensor.getSizes())
        index::forEachSymbol(size, [&](Expr symbol) {
          if (auto known = named.find(symbol.getName()); known != named.end())
            hinted[symbol] = known->second;
        });
}

void Planner::findGrowing() {
  bool hasRows = llvm::any_of(types, [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && tensor.getRank() > 1;
  });
  for (Type type : types)
    if (auto tensor = dyn_cast<TensorType>(type))
      for (auto [axis, size] : llvm::enumerate(tensor.getSizes())) {
        bool isOuter = axis == 0 && (tensor.getRank() > 1 || !hasRows);
        auto known = hinted.find(size);
        if (known != hinted.end() && known->second > (isOuter ? 1 : mostWithin))
          growing.insert(size);
      }
}

int64_t Planner::countLargest(const Sizes &sizes) const {
  int64_t largest = 0;
  for (Type type : made)
    if (auto tensor = dyn_cast<TensorType>(type)) {
      double elements = 1;
      for (Expr size : tensor.getSizes())
        elements *= double(evaluate(size, sizes).value_or(smallElements));
      largest = std::max<int64_t>(largest, int64_t(std::min(elements, 1e18)));
    }
  return largest;
}

bool Planner::isPossible(const Sizes &sizes) const {
  auto holds = [&](Pred pred) {
    return index::evaluate(pred, [&](Expr symbol) { return evaluate(symbol, sizes); }) != false;
  };
  auto when = program->getAttrOfType<sym::PredAttr>("graph.when");
  return (!when || holds(when.getPred())) &&
         llvm::all_of(func::FuncOp(program).getOps<CheckOp>(),
                      [&](CheckOp check) { return holds(check.getPred().getPred()); });
}

Sizes Planner::grow() const {
  Sizes sizes = hinted;
  while (countLargest(sizes) < plannedElements)
    for (Expr size : growing)
      sizes[size] *= 2;
  return sizes;
}

std::optional<Sizes> Planner::run() {
  readHints();
  if (countLargest(hinted) >= smallElements)
    return std::nullopt;
  findGrowing();
  // What a check bounds stays; the others may depend on one another.
  for (bool isAlone : {false, true}) {
    if (isAlone)
      growing.remove_if([&](Expr size) {
        Sizes sizes = hinted;
        sizes[size] *= 2;
        return !isPossible(sizes);
      });
    // Sizes that no argument's element count grows with would never end it.
    Sizes doubled = hinted;
    for (Expr size : growing)
      doubled[size] *= 2;
    if (countLargest(doubled) <= countLargest(hinted))
      return std::nullopt;
    Sizes sizes = grow();
    if (isPossible(sizes))
      return sizes;
  }
  return std::nullopt;
}

void planSizes(func::FuncOp program) {
  std::optional<Sizes> sizes = Planner(program).run();
  if (!sizes)
    return;
  NamedAttrList planned(program->getAttrOfType<DictionaryAttr>("graph.hints"));
  Builder builder(program.getContext());
  for (auto [symbol, size] : *sizes)
    planned.set(symbol.getName(), builder.getI64IntegerAttr(size));
  program->setAttr("graph.planned", planned.getDictionary(program.getContext()));
}

DictionaryAttr getPlannedSizes(Operation *program) {
  auto planned = program->getAttrOfType<DictionaryAttr>("graph.planned");
  return planned ? planned : program->getAttrOfType<DictionaryAttr>("graph.hints");
}

} // namespace nereid::graph
