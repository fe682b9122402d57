// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/FoldPlans.h"

#include "graph/GraphOps.h"
#include "schedule/folds/CascadeBody.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

FoldPlans::FoldPlans(const Program &program, const StoredSet &stored, const Kernel &kernel,
                     const Form &form, LoadedNames &names)
    : program(program), stored(stored), kernel(kernel), form(form), names(names) {
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
}

/// Whether a request is for a fold over the columns, which a loop or a reduction makes.
bool FoldPlans::isOwn(const Request &request) const {
  const Value &value = *request.value;
  return request.isFold() && value.kind == ValueKind::Fold && !kernel.carries(value) &&
         !kernel.termsOf(value);
}

llvm::SmallVector<const Value *> FoldPlans::foldsNeeded(const Value &value) const {
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < value.shape.size(); ++i)
    at.push_back(program.getIndex(i));
  Requests needs(program, stored, computed);
  needs.add(
      value, at, [&](const Value &fold, llvm::ArrayRef<Expr>) { return kernel.indicesOf(fold); },
      [](const Value &, llvm::ArrayRef<Expr>) { return Requests::StateRead::Stop; });
  llvm::SmallSetVector<const Value *, 4> needed;
  for (const Request &request : needs.getAll())
    if (request.value != &value && isOwn(request))
      needed.insert(request.value);
  return needed.takeVector();
}

unsigned FoldPlans::depthOf(const Value &fold,
                            llvm::DenseMap<const Value *, unsigned> &depths) const {
  if (auto known = depths.find(&fold); known != depths.end())
    return known->second;
  unsigned depth = 0;
  for (const Value *need : foldsNeeded(fold))
    depth = std::max(depth, depthOf(*need, depths) + 1);
  return depths[&fold] = depth;
}

void FoldPlans::plan(const Requests &requests, const index::Facts &facts) {
  llvm::DenseMap<const Value *, unsigned> depths;
  for (const Request &request : requests.getAll()) {
    if (!isOwn(request))
      continue;
    llvm::SmallVector<Expr, 4> at = decidedBy(facts, request.at);
    bool isKnown = llvm::any_of(folds, [&](const FoldPlan &other) {
      return other.value == request.value && other.at == at;
    });
    unsigned depth = depthOf(*request.value, depths);
    if (!isKnown)
      folds.push_back({request.value, std::move(at), depth, depth});
  }
  llvm::stable_sort(folds, [](const FoldPlan &a, const FoldPlan &b) { return a.level < b.level; });
  // A resident row is read once however many folds there are.
  if (!form.resident && (!kernel.contraction || kernel.isNested()) &&
      program.policy.decide(program.policy.has(MoveKind::OnlineFolds)))
    joinLoops();
}

bool FoldPlans::areTogether(const FoldPlan &a, const FoldPlan &b) const {
  return a.level == b.level && isAlong(a, b);
}

std::vector<FoldPlan> FoldPlans::getGroup(const Value &fold, llvm::ArrayRef<Expr> at) const {
  const auto *own = llvm::find_if(getAll(), [&](const FoldPlan &plan) {
    return plan.value == &fold && llvm::equal(plan.at, at);
  });
  assert(own != getAll().end() && "a fold that was not planned is requested");
  std::vector<FoldPlan> group;
  for (const FoldPlan &plan : folds)
    if (areTogether(plan, *own))
      group.push_back(plan);
  return group;
}

bool FoldPlans::hasLanes(llvm::ArrayRef<Expr> at) const {
  if (!kernel.isNested())
    return kernel.contraction.has_value();
  return llvm::any_of(kernel.contraction->right.symbols, [&](Expr symbol) {
    return llvm::any_of(at, [&](Expr coordinate) { return index::contains(coordinate, symbol); });
  });
}

Access FoldPlans::resolve(const Access &access, llvm::ArrayRef<Expr> at,
                          llvm::ArrayRef<Expr> over) const {
  return names.resolve(access, at, over, index::truth(*program.context, true));
}

unsigned FoldPlans::atomOf(Value &value, llvm::ArrayRef<Expr> at) {
  for (auto [number, atom] : llvm::enumerate(atoms))
    if (atom.value == &value && llvm::equal(atom.at, at))
      return number;
  atoms.push_back({&value, {at.begin(), at.end()}});
  return atoms.size() - 1;
}

/// Whether coordinates depend on the position in a row.
bool FoldPlans::varies(llvm::ArrayRef<Expr> at, unsigned columns) const {
  llvm::ArrayRef<Expr> own = kernel.columns[columns].symbols;
  bool isFound = false;
  for (Expr coordinate : at)
    names.forEachSymbol(coordinate,
                        [&](Expr symbol) { isFound |= llvm::is_contained(own, symbol); });
  return isFound;
}

/// Reads the body of one fold.
class FoldPlans::CascadeReader {
public:
  CascadeReader(FoldPlans &plans, const FoldPlan &fold, unsigned level)
      : plans(plans), columns(plans.kernel.columnsOf(*fold.value)) {
    for (const FoldPlan &other : plans.folds)
      if (other.level == level && other.depth < fold.depth)
        pending.insert(other.value);
  }

  Body read(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> over) {
    Access resolved = plans.resolve(access, at, over);
    return read(*resolved.from, resolved.at);
  }

private:
  Body read(Value &value, llvm::ArrayRef<Expr> at) {
    if (value.kind == ValueKind::Constant)
      if (auto constant = dyn_cast<graph::ConstantOp>(value.op))
        if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
          return {Body::Kind::Number, 0, number.getValueAsDouble(), "", {}};
    bool isData = plans.varies(at, columns), isPending = needsPending(value);
    if (!isData || !isPending) {
      if (!isa<FloatType>(value.elementType))
        return opaqueBody(value.name + " is not of floats");
      return {isData ? Body::Kind::Data : Body::Kind::Result, plans.atomOf(value, at), 0, "", {}};
    }
    if (value.kind == ValueKind::Map)
      return readMap(value, at);
    return opaqueBody("it selects between elements and results");
  }

  Body readMap(const Value &value, llvm::ArrayRef<Expr> at) {
    if (const Access *elided = elidedCast(value, plans.stored)) {
      Access down = plans.resolve(value.inputs[0], at, {});
      return read(*elided, down.at, {});
    }
    if (!value.op || keepsPrecision(value, plans.stored))
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
    if (!plans.isLoaded(value))
      forEachAccess(value, [&](const Access &access) { result |= needsPending(*access.from); });
    return needs[&value] = result;
  }

  FoldPlans &plans;
  unsigned columns;
  StoredSet pending;
  llvm::DenseMap<const Value *, bool> needs;
};

Derivation FoldPlans::derive(const FoldPlan &request, unsigned level) {
  const Value &value = *request.value;
  auto fold = cast<graph::FoldOp>(value.op);
  if (fold.getKind() != graph::FoldKind::Sum)
    return {std::nullopt,
            ("only sums follow a moving reference, not " + graph::stringifyFoldKind(fold.getKind()))
                .str()};
  if (!value.elementType.isF32() && !value.elementType.isF64())
    return {std::nullopt, "it adds neither f32 nor f64"};
  CascadeReader reader(*this, request, level);
  Derivation result =
      deriveCascade(reader.read(value.inputs[0], request.at, *kernel.indicesOf(value)));
  if (!result.cascade)
    return result;
  if (kernel.isNested() && hasLanes(request.at))
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
std::string FoldPlans::refuseProducts(const FoldPlan &request, const Cascade &cascade) const {
  auto contraction = asContraction(program, *request.value, stored);
  bool areHalves = !contraction->left.from->elementType.isF32();
  for (const Feature &feature : cascade.features) {
    for (auto &[atom, power] : feature.weights)
      if (power < 0 && hasLanes(atoms[atom].at))
        return "it divides by what varies along its lanes";
    // A sum of differences is moved by many times what its terms are in the end.
    if (areHalves && feature.power > 0)
      return "halves have too few digits for differences that are moved";
  }
  return "";
}

/// Whether a fold is the greatest (least) element of a base.
bool FoldPlans::isExtremeOf(const FoldPlan &request, bool greatest, unsigned base) const {
  auto wanted = greatest ? graph::FoldKind::Max : graph::FoldKind::Min;
  if (cast<graph::FoldOp>(request.value->op).getKind() != wanted)
    return false;
  Access folded = resolve(request.value->inputs[0], request.at, *kernel.indicesOf(*request.value));
  folded = throughExtensions(folded, program);
  Access element = throughExtensions(Access{atoms[base].value, atoms[base].at, {}}, program);
  return folded.from == element.from && folded.at == element.at;
}

/// Whether what exponentials are centred on is made of their base's greatest element (the least,
/// for a negative rate) and of sums that are so themselves. Then it is infinite only where all
/// elements are or the greatest one is, and no infinite element that others of its lane hide would
/// have met an infinity.
bool FoldPlans::comesFromExtreme(const FoldPlan &request, const Cascade &cascade) const {
  auto isMadeOf = [&](unsigned atom, unsigned base, bool greatest) {
    const Value &value = *atoms[atom].value;
    llvm::SmallVector<const Value *> needs = foldsNeeded(value);
    if (value.kind == ValueKind::Fold)
      needs.push_back(&value);
    return !needs.empty() && llvm::all_of(needs, [&](const Value *need) {
      return llvm::any_of(folds, [&](const FoldPlan &other) {
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
bool FoldPlans::hidesNan(const Cascade &cascade) const {
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
bool FoldPlans::followsInfinity(const LinearForm &centre, unsigned base) const {
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
      llvm::SmallVector<Expr, 4> over = *kernel.indicesOf(value);
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

/// Whether a fold is one of the same row as another, over the same elements. Sums of products all
/// have the rows of their tiles, also those that are parts of one fold.
bool FoldPlans::isAlong(const FoldPlan &fold, const FoldPlan &other) const {
  return kernel.columnsOf(*fold.value) == kernel.columnsOf(*other.value) &&
         (kernel.contraction || llvm::equal(fold.at, other.at));
}

/// Gives every fold the loop that answers it: that of the folds which it needs where it has an
/// online form, else the next one.
void FoldPlans::joinLoops() {
  for (FoldPlan &request : folds) {
    llvm::SmallVector<const Value *> needs = foldsNeeded(*request.value);
    request.needs.assign(needs.begin(), needs.end());
    unsigned level = 0;
    for (const FoldPlan &other : folds)
      if (other.depth < request.depth && llvm::is_contained(needs, other.value))
        level = std::max(level, other.level);
    request.level = 0;
    if (needs.empty())
      continue;
    bool isAlongside = true;
    for (const FoldPlan &other : folds)
      if (other.depth < request.depth && other.level == level &&
          llvm::is_contained(needs, other.value))
        isAlongside &= isAlong(other, request);
    Derivation derivation{std::nullopt, "it needs a fold over other elements"};
    if (isAlongside)
      derivation = derive(request, level);
    request.level = derivation.cascade ? level : level + 1;
    request.cascade = std::move(derivation.cascade);
    request.refusal = std::move(derivation.refusal);
  }
  llvm::stable_sort(folds, [](const FoldPlan &a, const FoldPlan &b) {
    return std::pair(a.level, a.depth) < std::pair(b.level, b.depth);
  });
}

} // namespace nereid::schedule
