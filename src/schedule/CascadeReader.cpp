// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which folds of a kernel share a loop: reads what a fold adds up as a body of the cascade algebra,
// and joins it to the loop of the folds that it needs where the algebra finds an online form.
#include "schedule/OnlineFolds.h"

#include "graph/GraphOps.h"
#include "schedule/CascadeBody.h"
#include "schedule/Contraction.h"
#include "schedule/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

unsigned KernelBuilder::atomOf(Value &value, llvm::ArrayRef<Expr> at) {
  for (auto [number, atom] : llvm::enumerate(atoms))
    if (atom.value == &value && llvm::equal(atom.at, at))
      return number;
  atoms.push_back({&value, {at.begin(), at.end()}});
  return atoms.size() - 1;
}

/// Whether coordinates depend on the position in a row.
bool KernelBuilder::varies(llvm::ArrayRef<Expr> at, unsigned columns) const {
  llvm::ArrayRef<Expr> own = kernel.columns[columns].symbols;
  bool found = false;
  std::function<void(Expr)> visit = [&](Expr symbol) {
    found |= llvm::is_contained(own, symbol);
    if (auto loaded = loadedSymbols.find(symbol); loaded != loadedSymbols.end())
      for (Expr coordinate : loaded->second.at)
        index::forEachSymbol(coordinate, visit);
  };
  for (Expr coordinate : at)
    index::forEachSymbol(coordinate, visit);
  return found;
}

/// Reads the body of one fold.
class KernelBuilder::CascadeReader {
public:
  CascadeReader(KernelBuilder &kernel, const FoldRequest &fold, unsigned level)
      : kernel(kernel), columns(kernel.columnsOf(*fold.value)) {
    for (const FoldRequest &other : kernel.folds)
      if (other.level == level && other.depth < fold.depth)
        pending.insert(other.value);
  }

  Body read(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> over) {
    Pred always = index::truth(kernel.context, true);
    Access resolved = kernel.resolve(access, at, over, always);
    return read(*resolved.from, resolved.at);
  }

private:
  Body read(Value &value, llvm::ArrayRef<Expr> at) {
    if (value.kind == ValueKind::Constant)
      if (auto constant = dyn_cast<graph::ConstantOp>(value.op))
        if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
          return {Body::Kind::Number, 0, number.getValueAsDouble(), "", {}};
    bool isData = kernel.varies(at, columns), isPending = needsPending(value);
    if (!isData || !isPending) {
      if (!isa<FloatType>(value.elementType))
        return opaqueBody(value.name + " is not of floats");
      return {isData ? Body::Kind::Data : Body::Kind::Result, kernel.atomOf(value, at), 0, "", {}};
    }
    if (value.kind == ValueKind::Map)
      return readMap(value, at);
    return opaqueBody("it selects between elements and results");
  }

  Body readMap(const Value &value, llvm::ArrayRef<Expr> at) {
    if (const Access *elided = elidedCast(value, kernel.stored)) {
      Access down = kernel.resolve(value.inputs[0], at, {}, index::truth(kernel.context, true));
      return read(*elided, down.at, {});
    }
    if (!value.op || keepsPrecision(value, kernel.stored))
      return read(value.inputs[0], at, {});
    auto kind = bodyKindOf(value.op);
    if (!kind)
      return opaqueBody(whyOpaque(value));
    Body body{*kind, 0, 0, "", {}};
    for (const Access &access : value.inputs)
      body.operands.push_back(read(access, at, {}));
    return body;
  }

  /// Whether a value is known only after the loop.
  bool needsPending(const Value &value) {
    auto [known, isNew] = needs.try_emplace(&value, false);
    if (!isNew)
      return known->second;
    if (pending.contains(&value))
      return needs[&value] = true;
    bool result = false;
    if (!kernel.isLoaded(value))
      forEachAccess(value, [&](const Access &access) { result |= needsPending(*access.from); });
    return needs[&value] = result;
  }

  KernelBuilder &kernel;
  unsigned columns;
  StoredSet pending;
  llvm::DenseMap<const Value *, bool> needs;
};

Derivation KernelBuilder::deriveFold(const FoldRequest &request, unsigned level) {
  const Value &value = *request.value;
  auto fold = cast<graph::FoldOp>(value.op);
  if (fold.getKind() != graph::FoldKind::Sum)
    return {std::nullopt,
            ("only sums follow a moving reference, not " + graph::stringifyFoldKind(fold.getKind()))
                .str()};
  if (!value.elementType.isF32() && !value.elementType.isF64())
    return {std::nullopt, "it adds neither f32 nor f64"};
  CascadeReader reader(*this, request, level);
  Derivation result = deriveCascade(reader.read(value.inputs[0], request.at, foldIndices(value)));
  if (!result.cascade)
    return result;
  if (isNested() && hasLanes(request))
    if (std::string refusal = refuseProducts(request, *result.cascade); !refusal.empty())
      return {std::nullopt, refusal};
  if (!comesFromExtreme(request, *result.cascade))
    return {std::nullopt, "what is subtracted does not come from the extreme element"};
  if (hidesNan(*result.cascade))
    return {std::nullopt, "a factor may be 0 where what is subtracted beside it is infinite"};
  // Powers about a pilot are moved to the result's centre at the end. Where the centre stays finite
  // though an element is infinite, that would subtract infinities.
  for (const Feature &feature : result.cascade->features)
    if (feature.base && feature.rate == 0 && feature.power > 1 &&
        !followsInfinity(result.cascade->centres.at(*feature.base), *feature.base))
      return {std::nullopt, "what is subtracted is no mean of the elements"};
  return result;
}

/// Why the features of a contraction cannot be products of tiles.
std::string KernelBuilder::refuseProducts(const FoldRequest &request,
                                          const Cascade &cascade) const {
  auto contraction = asContraction(program, *request.value, stored);
  bool areHalves = !contraction->left.from->elementType.isF32();
  for (const Feature &feature : cascade.features) {
    for (auto &[atom, power] : feature.weights)
      if (power < 0 && hasLanes({atoms[atom].value, atoms[atom].at, 0, 0, {}}))
        return "it divides by what varies along its lanes";
    // A sum of differences is moved by many times what its terms are in the end.
    if (areHalves && feature.power > 0)
      return "halves have too few digits for differences that are moved";
  }
  return "";
}

/// Whether a fold is the greatest (least) element of a base.
bool KernelBuilder::isExtremeOf(const FoldRequest &request, bool greatest, unsigned base) {
  auto wanted = greatest ? graph::FoldKind::Max : graph::FoldKind::Min;
  if (cast<graph::FoldOp>(request.value->op).getKind() != wanted)
    return false;
  Access folded = resolve(request.value->inputs[0], request.at, foldIndices(*request.value),
                          index::truth(context, true));
  folded = throughExtensions(folded, program);
  Access element = throughExtensions(Access{atoms[base].value, atoms[base].at, {}}, program);
  return folded.from == element.from && folded.at == element.at;
}

/// Whether what exponentials are centred on is made of their base's greatest element (the least,
/// for a negative rate) and of sums that are so themselves. Then it is infinite only where all
/// elements are or the greatest one is, and no infinite element that others of its lane hide would
/// have met an infinity.
bool KernelBuilder::comesFromExtreme(const FoldRequest &request, const Cascade &cascade) {
  auto isMadeOf = [&](unsigned atom, unsigned base, bool greatest) {
    const Value &value = *atoms[atom].value;
    llvm::SmallVector<const Value *> needs = foldsNeeded(value);
    if (value.kind == ValueKind::Fold)
      needs.push_back(&value);
    return !needs.empty() && llvm::all_of(needs, [&](const Value *need) {
      return llvm::any_of(folds, [&](const FoldRequest &other) {
        bool isOne = other.value == need && isAlong(other, request);
        if (!isOne || !other.cascade)
          return isOne && isExtremeOf(other, greatest, base);
        return llvm::all_of(other.cascade->features, [&](const Feature &feature) {
          return feature.base == base && feature.power == 0 && (feature.rate > 0) == greatest;
        });
      });
    });
  };
  return llvm::all_of(cascade.terms, [&](const CascadeTerm &term) {
    const Feature &feature = cascade.features[term.feature];
    if (feature.rate == 0)
      return true;
    auto isMade = [&](auto &factor) {
      return isMadeOf(factor.first, *feature.base, feature.rate > 0);
    };
    return llvm::all_of(cascade.centres.at(*feature.base).factors, isMade) &&
           llvm::all_of(term.exponent.factors, isMade);
  });
}

/// Whether w * (x - c) is taken apart though c may be infinite where no x is: there each product is
/// infinite, or NaN where w is 0, and both signs give NaN, of which the sum of all w tells nothing.
/// Exponentials are not 0 and have one sign.
bool KernelBuilder::hidesNan(const Cascade &cascade) const {
  auto isExponential = [&](auto &factor) {
    const Value *value = atoms[factor.first].value;
    while (value->isCast())
      value = value->inputs[0].from;
    return isa_and_nonnull<graph::ExpOp, graph::Exp2Op>(value->op);
  };
  return llvm::any_of(cascade.features, [&](const Feature &feature) {
    if (!feature.base || feature.rate != 0 || llvm::all_of(feature.weights, isExponential))
      return false;
    const LinearForm &centre = cascade.centres.at(*feature.base);
    return !centre.isZero() && !followsInfinity(centre, *feature.base);
  });
}

/// Whether an infinite element makes a result infinite or NaN: by way of a sum of the elements.
bool KernelBuilder::followsInfinity(const LinearForm &centre, unsigned base) const {
  Access wanted = throughExtensions(Access{atoms[base].value, atoms[base].at, {}}, program);
  // What was seen before does not lead there, else this would not be asked.
  llvm::DenseSet<std::pair<const Value *, unsigned>> seen;
  std::function<bool(const Access &)> follows = [&](const Access &access) {
    Access read = throughExtensions(access, program);
    if (read.from == wanted.from && read.at == wanted.at)
      return true;
    if (!seen.insert({read.from, program.indexMemory.placeOf(read.at, {})}).second)
      return false;
    const Value &value = *read.from;
    if (isLoaded(value) || (value.kind != ValueKind::Map && value.kind != ValueKind::Fold))
      return false;
    if (value.kind == ValueKind::Fold) {
      if (cast<graph::FoldOp>(value.op).getKind() != graph::FoldKind::Sum)
        return false;
      // What is folded over other elements than a row's may be anything.
      if (llvm::none_of(kernel.columns, [&](const Space &space) { return space.isOf(value); }))
        return true;
      llvm::SmallVector<Expr, 4> over = foldIndices(value);
      Access input = value.inputs[0];
      for (Expr &coordinate : input.at)
        coordinate = substituteIndices(coordinate, read.at, over, program);
      return follows(input);
    }
    if (!isa_and_nonnull<graph::NegOp, graph::AddOp, graph::SubOp, graph::MulOp, graph::DivOp>(
            value.op) &&
        !value.isCast())
      return false;
    // A number divided by infinity is 0.
    auto inputs = llvm::ArrayRef(value.inputs);
    if (isa<graph::DivOp>(value.op))
      inputs = inputs.take_front();
    return llvm::any_of(inputs, [&](const Access &input) {
      return input.loaded.empty() && follows(compose(input, read.at, program));
    });
  };
  return llvm::any_of(centre.factors, [&](auto &factor) {
    return follows(Access{atoms[factor.first].value, atoms[factor.first].at, {}});
  });
}

/// Whether a fold is one of the same row as another, over the same elements. With nested
/// contractions all folds of a kernel are.
bool KernelBuilder::isAlong(const FoldRequest &fold, const FoldRequest &other) const {
  return columnsOf(*fold.value) == columnsOf(*other.value) &&
         (isNested() || llvm::equal(fold.at, other.at));
}

/// Gives every fold the loop that answers it: that of the folds which it needs where it has an
/// online form, else the next one.
void KernelBuilder::joinLoops() {
  for (FoldRequest &request : folds) {
    llvm::SmallVector<const Value *> needs = foldsNeeded(*request.value);
    unsigned level = 0;
    for (const FoldRequest &other : folds)
      if (other.depth < request.depth && llvm::is_contained(needs, other.value))
        level = std::max(level, other.level);
    request.level = 0;
    if (needs.empty())
      continue;
    bool isAlongside = true;
    for (const FoldRequest &other : folds)
      if (other.depth < request.depth && other.level == level &&
          llvm::is_contained(needs, other.value))
        isAlongside &= isAlong(other, request);
    Derivation derivation{std::nullopt, "it needs a fold over other elements"};
    if (isAlongside)
      derivation = deriveFold(request, level);
    request.level = derivation.cascade ? level : level + 1;
    request.cascade = std::move(derivation.cascade);
    if (!request.cascade)
      refusals.push_back("Goes over the row again for " + request.value->name + ": " +
                         derivation.refusal);
  }
  llvm::stable_sort(folds, [](const FoldRequest &a, const FoldRequest &b) {
    return std::pair(a.level, a.depth) < std::pair(b.level, b.depth);
  });
}

} // namespace nereid::schedule
