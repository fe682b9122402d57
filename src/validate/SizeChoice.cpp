// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/SizeChoice.h"

#include "graph/GraphOps.h"
#include "validate/Matrix.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using nereid::index::Expr;

namespace nereid::validate {

SmallVector<int64_t> SizeChoice::sizesOf(graph::TensorType type) const {
  SmallVector<int64_t> sizes;
  for (Expr size : type.getSizes())
    sizes.push_back(index::evaluate(size, values).value_or(0));
  return sizes;
}

std::string SizeChoice::str() const {
  SmallVector<std::string> parts;
  for (auto [symbol, value] : values)
    parts.push_back((symbol.getName() + " = " + Twine(value)).str());
  sort(parts);
  return join(parts, ", ");
}

namespace {

/// Chooses for one program and one size.
class Chooser {
public:
  Chooser(func::FuncOp program, int64_t wished, int64_t batch,
          const llvm::DenseMap<Expr, int64_t> &flags, ArrayRef<index::Pred> kernelChecks,
          ArrayRef<index::Pred> limits)
      : program(program), wished(wished), batch(batch), flags(flags), kernelChecks(kernelChecks) {
    for (index::Pred limit : limits)
      index::forEachSymbol(limit, [&](Expr symbol) { limited.insert(symbol); });
    readTypes();
    respectLimits();
  }

  SizeChoice choose();

private:
  void readTypes();
  void respectLimits();
  int64_t hintOf(Expr symbol) const;
  SizeChoice attempt(int64_t main, ArrayRef<int64_t> others) const;
  void scaleDown(SizeChoice &choice) const;
  bool isTooLarge(const SizeChoice &choice, bool inputsOnly) const;
  std::string findBroken(const SizeChoice &choice) const;

  func::FuncOp program;
  int64_t wished;
  int64_t batch;
  /// All symbols, in the order of the arguments.
  SmallVector<Expr> symbols;
  /// Those that take the wished size.
  SmallVector<Expr> mains;
  SmallVector<graph::TensorType> inputs;
  const llvm::DenseMap<Expr, int64_t> &flags;
  ArrayRef<index::Pred> kernelChecks;
  /// Sizes that are no greater than their hints.
  SmallSetVector<Expr, 4> limited;
  /// Of inputs and of every value.
  SmallVector<graph::TensorType> types;
  /// The factor of the symbol in the last axis: 4 for `4*D`.
  int64_t factor = 1;
  /// False when the last axes are constants: then the main symbol is another axis and may be less.
  bool mainIsLast = true;
};

} // namespace

/// The last axis that is not a constant, if any.
static Expr getLastAxis(graph::TensorType type) {
  for (Expr size : reverse(type.getSizes()))
    if (!size.isConstant())
      return size;
  return Expr();
}

void Chooser::readTypes() {
  auto addSymbols = [&](graph::TensorType type) {
    for (Expr size : type.getSizes())
      index::forEachSymbol(size, [&](Expr symbol) {
        if (!is_contained(symbols, symbol))
          symbols.push_back(symbol);
      });
  };
  // A symbol is a main one when it is the last axis of some input and of no input another axis.
  llvm::MapVector<Expr, std::pair<unsigned, int64_t>> last;
  llvm::DenseSet<Expr> earlier;
  for (Type type : program.getArgumentTypes()) {
    auto tensor = cast<graph::TensorType>(type);
    inputs.push_back(tensor);
    addSymbols(tensor);
    Expr axis = getLastAxis(tensor);
    for (Expr size : tensor.getSizes())
      if (size != axis)
        index::forEachSymbol(size, [&](Expr symbol) { earlier.insert(symbol); });
    ArrayRef<Expr> inAxis = axis ? index::collectSymbols(axis) : ArrayRef<Expr>();
    if (inAxis.empty())
      continue;
    auto &[count, scale] = last.insert({inAxis.front(), {0, 1}}).first->second;
    ++count;
    mainIsLast &= axis == tensor.getSizes().back();
    if (auto linear = index::asLinearIn(axis, inAxis.front()))
      scale = std::max(scale, linear->coefficient.getConstant().value_or(1));
  }
  unsigned most = 0;
  for (auto &[symbol, use] : last) {
    if (use.first > most) {
      most = use.first;
      factor = use.second;
      mains = {symbol};
    }
  }
  for (auto &[symbol, use] : last)
    if (!earlier.contains(symbol) && !is_contained(mains, symbol))
      mains.push_back(symbol);
  types = inputs;
  program.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<graph::TensorType>(type)) {
        types.push_back(tensor);
        addSymbols(tensor);
      }
  });
}

/// In place of a size that may not grow another one takes the wished size: the greatest one, or the
/// next to it in every other batch.
void Chooser::respectLimits() {
  bool exceeds = any_of(
      mains, [&](Expr symbol) { return limited.contains(symbol) && wished > hintOf(symbol); });
  if (!exceeds)
    return;
  erase_if(mains, [&](Expr symbol) { return limited.contains(symbol); });
  SmallVector<Expr> others;
  for (Expr symbol : symbols)
    if (!limited.contains(symbol) && !flags.contains(symbol))
      others.push_back(symbol);
  llvm::stable_sort(others, [&](Expr a, Expr b) { return hintOf(a) > hintOf(b); });
  if (mains.empty() && !others.empty())
    mains = {others[others.size() > 1 && batch == largeBatch]};
  factor = 1;
  mainIsLast = false;
}

int64_t Chooser::hintOf(Expr symbol) const {
  auto hints = program->getAttrOfType<DictionaryAttr>("graph.hints");
  auto hint = hints ? hints.getAs<IntegerAttr>(symbol.getName()) : IntegerAttr();
  return hint ? hint.getInt() : 64;
}

static int64_t countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(count, size, &count))
      return INT64_MAX;
  return count;
}

bool Chooser::isTooLarge(const SizeChoice &choice, bool inputsOnly) const {
  // Values between may be a few times larger than inputs (a concatenation, an outer sum).
  bool isLarge = wished == largeSize || batch == largeBatch || (mainIsLast && wished != hintedSize);
  int64_t most = isLarge ? mostElements : mostTypicalElements;
  return any_of(inputsOnly ? ArrayRef(inputs) : ArrayRef(types), [&](graph::TensorType type) {
    return countElements(choice.sizesOf(type)) > (inputsOnly ? most : 4 * most);
  });
}

/// Halves the largest symbol that may be changed until nothing is too large.
void Chooser::scaleDown(SizeChoice &choice) const {
  // What tells this case of a program from others stays as long as it can.
  SmallVector<Expr> telling;
  if (auto when = func::FuncOp(program)->getAttrOfType<sym::PredAttr>("graph.when"))
    index::forEachSymbol(when.getPred(), [&](Expr symbol) { telling.push_back(symbol); });
  while (isTooLarge(choice, true) || isTooLarge(choice, false)) {
    bool hasOther = any_of(symbols, [&](Expr symbol) {
      return !is_contained(telling, symbol) && choice.values[symbol] > 1;
    });
    Expr largest;
    for (Expr symbol : symbols)
      if (!(hasOther && wished == hintedSize && is_contained(telling, symbol)) &&
          (wished == hintedSize || !mainIsLast || !is_contained(mains, symbol)) &&
          choice.values[symbol] > 1 && (!largest || choice.values[symbol] > choice.values[largest]))
        largest = symbol;
    if (!largest)
      return;
    choice.values[largest] = (choice.values[largest] + 1) / 2;
  }
}

std::string Chooser::findBroken(const SizeChoice &choice) const {
  if (isTooLarge(choice, false))
    return "a value of the program would hold more than " + std::to_string(4 * mostElements) +
           " elements";
  for (graph::TensorType type : types)
    for (Expr size : type.getSizes())
      if (index::evaluate(size, choice.values).value_or(-1) < 0)
        return "the size " + size.str() + " would be negative";
  if (auto when = func::FuncOp(program)->getAttrOfType<sym::PredAttr>("graph.when"))
    if (!index::evaluate(when.getPred(), choice.values).value_or(false))
      return "they are those of another case of the program";
  std::string broken;
  func::FuncOp(program).walk([&](graph::CheckOp check) {
    if (broken.empty() &&
        !index::evaluate(check.getPred().getPred(), choice.values).value_or(false))
      broken = check.getMessage().str();
  });
  bool isEmpty = any_of(
      inputs, [&](graph::TensorType type) { return countElements(choice.sizesOf(type)) == 0; });
  for (index::Pred check : kernelChecks)
    if (broken.empty() && isEmpty && !index::evaluate(check, choice.values).value_or(true))
      broken = "the kernels ask for " + check.str();
  return broken;
}

SizeChoice Chooser::attempt(int64_t main, ArrayRef<int64_t> others) const {
  SizeChoice choice;
  choice.values = flags;
  unsigned next = 0;
  for (Expr symbol : symbols) {
    if (flags.contains(symbol))
      continue;
    bool isHinted = wished == hintedSize;
    if (!isHinted && is_contained(mains, symbol))
      choice.values[symbol] = main;
    else if (isHinted || others.empty())
      choice.values[symbol] = hintOf(symbol);
    else
      choice.values[symbol] = others[next++ % others.size()];
    if (limited.contains(symbol))
      choice.values[symbol] = std::min(choice.values[symbol], hintOf(symbol));
  }
  scaleDown(choice);
  choice.refusal = findBroken(choice);
  return choice;
}

SizeChoice Chooser::choose() {
  // Odd sizes find more mistakes than even ones; some programs need even ones, or their own.
  const int64_t odd[] = {batch, 3, 2, 5};
  const int64_t even[] = {batch == largeBatch ? batch : 4, 6, 2, 8}, ones[] = {1};
  SmallVector<ArrayRef<int64_t>> lists = {odd, even, {}, ones};
  int64_t main = (wished + factor - 1) / factor;
  SizeChoice first = attempt(main, lists.front());
  if (first.refusal.empty() || wished == hintedSize)
    return first;
  // The next larger size that the program takes, for one whose sizes must be multiples.
  int64_t furthest = wished == 0 ? 0 : 64;
  for (ArrayRef<int64_t> others : lists)
    for (int64_t more = 0; more <= furthest; ++more)
      if (SizeChoice choice = attempt(main + more, others); choice.refusal.empty())
        return choice;
  return first;
}

/// The flags of the call that conditions of the program ask for, and its whole numbers that are
/// sizes.
static void readNumbers(func::FuncOp program, SmallVector<Expr> &flags, SmallVector<Expr> &counts) {
  index::Context &context = sym::SymDialect::getIndexContext(program.getContext());
  for (unsigned argument = 0; argument < program.getNumArguments(); ++argument)
    if (auto name = program.getArgAttrOfType<StringAttr>(argument, "graph.symbol")) {
      auto type = cast<graph::TensorType>(program.getArgumentTypes()[argument]);
      bool isFlag = type.getElementType().isInteger(1);
      (isFlag ? flags : counts).push_back(context.symbol(name.getValue()));
    }
}

static SizeChoice chooseAll(func::FuncOp program, int64_t size, int64_t batch,
                            ArrayRef<index::Pred> kernelChecks, ArrayRef<index::Pred> limits) {
  SmallVector<Expr> flags, counts;
  readNumbers(program, flags, counts);
  // All or none of many, each combination of few.
  unsigned all = 1u << std::min<size_t>(flags.size(), 5);
  // Numbers that bound slices are mostly less than the axis.
  SmallVector<int64_t> trials = {std::max<int64_t>(size / 2, 1), 5, 2, 1, 0};
  trials.resize(counts.empty() ? 1 : trials.size());
  SizeChoice choice;
  for (int64_t trial : trials)
    for (unsigned set = 0; set < all; ++set) {
      llvm::DenseMap<Expr, int64_t> values;
      for (auto [number, flag] : enumerate(flags))
        values[flag] = flags.size() > 5 ? set + 1 == all : set >> number & 1;
      for (Expr count : counts)
        values[count] = trial;
      choice = Chooser(program, size, batch, values, kernelChecks, limits).choose();
      if (choice.refusal.empty())
        return choice;
    }
  return choice;
}

SizeChoice chooseSizes(func::FuncOp program, int64_t size, int64_t batch,
                       ArrayRef<index::Pred> kernelChecks, ArrayRef<index::Pred> limits) {
  SizeChoice choice = chooseAll(program, size, batch, kernelChecks, limits);
  // What the kernels refuse though the program takes it is to be seen.
  if (!choice.refusal.empty() && !kernelChecks.empty())
    choice = chooseAll(program, size, batch, {}, limits);
  return choice;
}

} // namespace nereid::validate
