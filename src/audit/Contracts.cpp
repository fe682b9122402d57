// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Contracts.h"
#include "audit/Uses.h"

#include "analysis/LaneValues.h"
#include "analysis/LinearProof.h"
#include "frontend/triton/Types.h"
#include "sym/SymDialect.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::audit {

/// Sizes are at least 0, numbers of the caller's are free.
static void assumeSizesIn(index::Expr expr, const HostLaunch &launch,
                          std::vector<index::Pred> &known) {
  index::forEachSymbol(expr, [&](index::Expr symbol) {
    if (!launch.freeNumbers.count(symbol.getName().str()))
      known.push_back(index::ge(symbol, 0));
  });
}

/// Whether the number is one that 32 bits never hold, where the launch is reached: Triton gives it
/// 64 then, and the kernel is another.
static bool isAlwaysWide(const HostLaunch &launch, index::Expr number) {
  index::Facts facts(number.getContext());
  std::vector<index::Pred> known(launch.facts);
  assumeSizesIn(number, launch, known);
  for (index::Pred fact : known)
    facts.assume(fact);
  constexpr int64_t first = int64_t(1) << 31;
  return facts.isTrue(index::ge(number, first)) || facts.isTrue(index::lt(number, -first));
}

bool isNeverReached(const HostLaunch &launch, index::Context &context) {
  index::Facts facts(context);
  std::vector<index::Pred> known(launch.facts);
  for (index::Pred fact : launch.facts)
    index::forEachSymbol(fact, [&](index::Expr symbol) { assumeSizesIn(symbol, launch, known); });
  for (index::Pred fact : known)
    facts.assume(fact);
  return analysis::areContradictory(facts);
}

/// What was guessed of the items of a tuple, without their names; none where it has others.
static std::vector<std::string> splitGuess(StringRef guess, size_t count) {
  std::vector<std::string> items;
  if (size_t open = guess.find('('); open != StringRef::npos && guess.ends_with(")"))
    for (StringRef item : triton::splitSignature(guess.slice(open + 1, guess.size() - 1))) {
      auto [field, type] = item.split(": ");
      bool isNamed = !type.empty() && !field.contains('(') && !field.contains('<');
      items.push_back((isNamed ? type : item).trim().str());
    }
  if (items.size() != count)
    items.assign(count, "");
  return items;
}

/// An item of a tuple in a signature.
static std::string spellItem(const HostLaunch &launch, const std::string &name, StringRef guess);

static std::string spellTuple(const HostLaunch &launch, const HostArgument &tuple,
                              StringRef guess) {
  std::string text = "(";
  std::vector<std::string> guesses = splitGuess(guess, tuple.items.size());
  for (auto [item, own] : zip(tuple.items, guesses)) {
    text += text.size() > 1 ? ", " : "";
    if (tuple.isNamed)
      text += item.substr(tuple.name.size() + 1) + ": ";
    text += spellItem(launch, item, own);
  }
  return text + ")";
}

static std::string spellItem(const HostLaunch &launch, const std::string &name, StringRef guess) {
  auto given = find_if(launch.arguments, [&](const auto &a) { return a.name == name; });
  bool isConstant = guess.starts_with("=");
  bool isNumber = given->number && !isConstant;
  switch (given->kind) {
  case HostArgument::Tuple:
    return spellTuple(launch, *given, guess);
  case HostArgument::Tensor:
    if (!given->block.empty())
      return "tensordesc<" + (given->element.empty() ? "fp32" : given->element) + given->block +
             ">";
    if (!given->element.empty())
      return "*" + given->element;
    return guess.starts_with("*") ? guess.str() : "*fp32";
  case HostArgument::Known:
    if (given->text == "None")
      return "None";
    if (isConstant || StringRef("'\"").contains(given->text.front()))
      return "=" + given->text;
    if (given->text == "True" || given->text == "False")
      return "i1";
    if (!isNumber)
      return "fp32";
    break;
  case HostArgument::Number:
    break;
  default:
    return guess.empty() ? "i32" : guess.str();
  }
  if (isConstant)
    return guess.str();
  if (isAlwaysWide(launch, given->number))
    return "i64";
  return guess.empty() || !StringRef(guess).starts_with("i") ? "i32" : guess.str();
}

/// A tuple of constants as Python text; empty where an item is none.
static std::string spellConstants(const HostLaunch &launch, const HostArgument &tuple) {
  std::string text = "(";
  for (const std::string &name : tuple.items) {
    auto given = find_if(launch.arguments, [&](const auto &a) { return a.name == name; });
    std::string item = given->kind == HostArgument::Known   ? given->text
                       : given->kind == HostArgument::Tuple ? spellConstants(launch, *given)
                                                            : "";
    if (item.empty())
      return "";
    text += item + ", ";
  }
  return text + ")";
}

triton::KernelRequest requestFor(const triton::JitFunction &function, const HostLaunch &launch,
                                 const Attempt &guess) {
  triton::KernelRequest request = guess.request;
  request.config = launch.config;
  request.isDevice = false;
  for (const HostArgument &argument : launch.arguments) {
    const std::string &name = argument.name;
    bool isMeta = isConstexpr(function, name);
    if (argument.isOfDescriptor || argument.isItem)
      continue;
    auto setType = [&](const std::string &type) {
      request.constexprs.erase(name);
      request.signature[name] = type;
    };
    bool isWide = argument.number && !isMeta && isAlwaysWide(launch, argument.number);
    std::string guessed = request.signature.count(name) ? request.signature[name] : "";
    // `stride: tl.int64` is that of whatever number is passed.
    bool isAnnotated = guessed.empty() && any_of(guess.parameters, [&](const auto &parameter) {
                         return parameter.name == name && parameter.source == "its annotation";
                       });
    switch (argument.kind) {
    case HostArgument::Known:
      if (isMeta || argument.text == "None") {
        request.signature.erase(name);
        request.constexprs[name] = argument.text;
      } else if (guessed.empty() && !isAnnotated) {
        bool isBoolean = argument.text == "True" || argument.text == "False";
        setType(isBoolean ? "i1" : argument.number ? "i32" : "fp32");
      }
      break;
    case HostArgument::Number:
      if (!isMeta && !isAnnotated && (guessed.empty() || StringRef(guessed).starts_with("*")))
        setType("i32");
      if (isMeta && !request.constexprs.count(name))
        request.constexprs[name] = "64";
      break;
    case HostArgument::Tensor:
      if (isMeta)
        break;
      if (!argument.block.empty()) {
        setType("tensordesc<" + (argument.element.empty() ? "fp32" : argument.element) +
                argument.block + ">");
        break;
      }
      // What heuristics were guessed to need has no say over what is launched.
      if (!argument.element.empty())
        setType("*" + argument.element);
      else if (guessed.empty() || (argument.isFresh && !StringRef(guessed).starts_with("*")))
        setType("*fp32");
      break;
    case HostArgument::Tuple:
      if (!isMeta || argument.isNamed)
        setType(spellTuple(launch, argument, guessed));
      else if (std::string text = spellConstants(launch, argument); !text.empty())
        request.constexprs[name] = text;
      break;
    case HostArgument::Default:
    case HostArgument::Unknown:
      break;
    }
    if (isWide && request.signature.count(name) && request.signature[name] == "i32")
      request.signature[name] = "i64";
  }
  return request;
}

/// The number that a configuration of the kernel has for a meta-parameter.
static std::optional<int64_t> numberOf(mlir::func::FuncOp kernel, StringRef name) {
  auto number =
      dyn_cast_if_present<mlir::IntegerAttr>(tile::getConfig(kernel, {}).getValues().get(name));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

static bool isLookedAt(mlir::func::FuncOp kernel, StringRef name) {
  auto looked = kernel->getAttrOfType<mlir::ArrayAttr>("tile.looked_at");
  return looked && any_of(looked.getAsRange<mlir::StringAttr>(),
                          [&](mlir::StringAttr text) { return text.getValue() == name; });
}

namespace {
class ContractMaker {
public:
  ContractMaker(mlir::func::FuncOp kernel, const HostLaunch &launch, bool isBounded)
      : kernel(kernel), launch(launch), isBounded(isBounded),
        result{analysis::LaunchContract(sym::SymDialect::getIndexContext(kernel.getContext())),
               {},
               launch.problem} {}

  HostContract make() {
    checkItems();
    for (auto [position, type] : enumerate(kernel.getArgumentTypes()))
      addArgument(tile::getArgumentName(kernel, position), type);
    addMeta();
    contract().grid.append(launch.grid.begin(), launch.grid.end());
    for (auto [axis, extent] : enumerate(launch.grid)) {
      assumeSizes(extent);
      // With more programs along these axes nothing is launched.
      if (axis > 0)
        known.push_back(index::le(extent, UINT16_MAX));
    }
    append_range(known, launch.facts);
    if (isBounded)
      boundSizes();
    analysis::assumeKnown(contract(), known);
    result.isImpossible = analysis::areContradictory(contract().facts);
    return std::move(result);
  }

private:
  analysis::LaunchContract &contract() { return result.contract; }

  /// Items of tuples that the kernel has as constants are to be the ones of the launch.
  void checkItems() {
    llvm::StringSet<> names;
    for (unsigned position = 0; position < kernel.getNumArguments(); ++position)
      names.insert(tile::getArgumentName(kernel, position));
    for (const HostArgument &argument : launch.arguments)
      if (argument.isItem && !names.contains(argument.name) &&
          (argument.kind == HostArgument::Number || argument.kind == HostArgument::Unknown))
        result.problem = "'" + argument.name + "' is a constant of the kernel, and not known";
  }

  void assumeSizes(index::Expr expr) { assumeSizesIn(expr, launch, known); }

  /// Of all tensors that the launch speaks of.
  void boundSizes() {
    result.assumptions.insert(boundedTensors.str());
    llvm::DenseSet<index::Expr> symbols;
    auto add = [&](index::Expr symbol) {
      if (!ownerOf(symbol.getName()).empty() && symbols.insert(symbol).second)
        known.push_back(index::le(symbol, mostElements));
    };
    for (index::Expr extent : launch.grid)
      index::forEachSymbol(extent, add);
    for (const HostArgument &argument : launch.arguments) {
      for (const auto *exprs : {&argument.sizes, &argument.strides})
        for (index::Expr expr : *exprs)
          index::forEachSymbol(expr, add);
      if (argument.number)
        index::forEachSymbol(argument.number, add);
    }
  }

  void addTensor(const HostArgument &given, analysis::ArgumentContract &argument) {
    argument.isTensor = true;
    argument.sizes.assign(given.sizes.begin(), given.sizes.end());
    argument.strides.assign(given.strides.begin(), given.strides.end());
    argument.memory = given.memory;
    argument.isAtStart = !given.isPart;
    argument.isInjective = given.isInjective;
    for (auto [size, stride] : zip_equal(given.sizes, given.strides)) {
      assumeSizes(size);
      assumeSizes(stride);
      known.push_back(index::ge(size, 0));
      known.push_back(index::ge(stride, 0));
      if (!isBounded)
        continue;
      known.push_back(index::le(size, mostElements));
      known.push_back(index::le(stride, mostElements));
      known.push_back(index::le(size * stride, mostElements));
    }
    if (isBounded && !given.sizes.empty()) {
      known.push_back(
          index::le(index::product(contract().getContext(), given.sizes), mostElements));
    }
  }

  void addArgument(const std::string &name, mlir::Type type) {
    analysis::ArgumentContract &argument = contract().arguments.emplace_back();
    auto given = find_if(launch.arguments, [&](const auto &a) { return a.name == name; });
    if (given == launch.arguments.end())
      return;
    if (isa<tile::PtrType>(type)) {
      if (given->kind == HostArgument::Tensor)
        addTensor(*given, argument);
      return;
    }
    if (!type.isIntOrIndex() || type.isInteger(1) || !given->number)
      return;
    argument.value = given->number;
    assumeSizes(argument.value);
    // A number gets the type that holds it.
    index::Range range = analysis::signedRange(type);
    known.push_back(index::ge(argument.value, *range.lo));
    known.push_back(index::le(argument.value, isBounded ? mostElements : *range.hi));
    constexpr unsigned bitsOfUsual = 32;
    if (!isBounded && !argument.value.isConstant() && type.isInteger(bitsOfUsual))
      result.assumptions.insert("numbers that the kernel is given are below 2**31");
  }

  void addMeta() {
    for (const HostArgument &given : launch.arguments) {
      if (given.kind != HostArgument::Number ||
          !is_contained(tile::getMetaNames(kernel), StringRef(given.name)))
        continue;
      index::Expr name = contract().getContext().symbol(given.name);
      assumeSizes(given.number);
      if (!isLookedAt(kernel, given.name)) {
        contract().meta[name] = given.number;
        continue;
      }
      std::optional<int64_t> number = numberOf(kernel, given.name);
      if (!number) {
        result.problem = given.name + " has no number";
        return;
      }
      known.push_back(index::eq(given.number, *number));
      result.assumptions.insert(given.name + " = " + std::to_string(*number));
      index::Facts facts(contract().getContext());
      for (index::Pred fact : launch.facts)
        facts.assume(fact);
      if (facts.prove(index::eq(given.number, *number)) == index::Truth::False)
        result.problem = "the kernel depends on the number of " + given.name;
    }
  }

  mlir::func::FuncOp kernel;
  const HostLaunch &launch;
  bool isBounded;
  HostContract result;
  std::vector<index::Pred> known;
};
} // namespace

HostContract contractFor(mlir::func::FuncOp kernel, const HostLaunch &launch, bool isBounded) {
  return ContractMaker(kernel, launch, isBounded).make();
}

std::string ownerOf(StringRef symbol) {
  for (StringRef part : {".shape[", ".stride(", ".numel()"})
    if (size_t at = symbol.find(part); at != StringRef::npos)
      return symbol.take_front(at).str();
  return "";
}

} // namespace nereid::audit
