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
  /// Sizes of arguments without a hint, and what they are taken to be.
  Sizes assume();

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
  std::optional<Sizes> assumeAbout(llvm::ArrayRef<Expr> open, int64_t checked) const;
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

/// The open sizes are 1024 each, those that a check speaks of `checked`; the largest ones are
/// halved until each argument has a sane number of elements. Nothing where a check forbids them.
std::optional<Sizes> Planner::assumeAbout(llvm::ArrayRef<Expr> open, int64_t checked) const {
  Sizes sizes = hinted;
  for (Expr symbol : open)
    sizes[symbol] = 1024;
  for (CheckOp check : func::FuncOp(program).getOps<CheckOp>())
    index::forEachSymbol(check.getPred().getPred(), [&](Expr symbol) {
      if (llvm::is_contained(open, symbol))
        sizes[symbol] = checked;
    });
  for (Type type : types) {
    auto tensor = dyn_cast<TensorType>(type);
    auto countElements = [&] {
      double elements = 1;
      for (Expr extent : tensor.getSizes())
        elements *= double(evaluate(extent, sizes).value_or(1));
      return elements;
    };
    while (tensor && countElements() > double(plannedElements)) {
      Expr largest;
      for (Expr extent : tensor.getSizes())
        index::forEachSymbol(extent, [&](Expr symbol) {
          if (llvm::is_contained(open, symbol) && (!largest || sizes[symbol] > sizes[largest]))
            largest = symbol;
        });
      if (!largest || sizes[largest] < 4)
        break;
      sizes[largest] /= 2;
    }
  }
  return isPossible(sizes) ? std::optional(sizes) : std::nullopt;
}

Sizes Planner::assume() {
  readHints();
  SmallVector<Expr> open;
  for (Type type : types)
    if (auto tensor = dyn_cast<TensorType>(type))
      for (Expr size : tensor.getSizes())
        index::forEachSymbol(size, [&](Expr symbol) {
          if (!hinted.contains(symbol) && !llvm::is_contained(open, symbol))
            open.push_back(symbol);
        });
  if (open.empty())
    return {};
  // Multiples of 3, 5 and 7 too, which checks may ask for.
  for (int64_t checked : {1024, 960, 1008, 840, 64, 60, 16, 9, 2, 1})
    if (std::optional<Sizes> sizes = assumeAbout(open, checked)) {
      sizes->remove_if([&](auto &each) { return hinted.contains(each.first); });
      return *sizes;
    }
  return {};
}

static void setSizes(func::FuncOp program, llvm::StringRef name, const Sizes &sizes,
                     DictionaryAttr others = {}) {
  NamedAttrList named(others);
  Builder builder(program.getContext());
  for (auto [symbol, size] : sizes)
    named.set(symbol.getName(), builder.getI64IntegerAttr(size));
  program->setAttr(name, named.getDictionary(program.getContext()));
}

void assumeSizes(func::FuncOp program) {
  Sizes sizes = Planner(program).assume();
  if (!sizes.empty())
    setSizes(program, "graph.typical", sizes,
             program->getAttrOfType<DictionaryAttr>("graph.typical"));
}

void planSizes(func::FuncOp program) {
  std::optional<Sizes> sizes = Planner(program).run();
  if (!sizes)
    return;
  setSizes(program, "graph.planned", *sizes, program->getAttrOfType<DictionaryAttr>("graph.hints"));
}

DictionaryAttr getPlannedSizes(Operation *program) {
  auto planned = program->getAttrOfType<DictionaryAttr>("graph.planned");
  if (!planned)
    planned = program->getAttrOfType<DictionaryAttr>("graph.hints");
  auto typical = program->getAttrOfType<DictionaryAttr>("graph.typical");
  if (!typical)
    return planned;
  NamedAttrList all(planned);
  for (NamedAttribute size : typical)
    all.set(size.getName(), size.getValue());
  return all.getDictionary(program->getContext());
}

} // namespace nereid::graph
