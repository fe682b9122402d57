// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/folds/SplitCascades.h"

#include "graph/GraphOps.h"
#include "schedule/folds/CascadeBody.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/ValueMaker.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

namespace {

bool isSame(const Access &a, const Access &b) {
  return a.from == b.from && a.at == b.at && a.loaded.empty() && b.loaded.empty();
}

/// Reads what a fold adds up. Atoms are accesses over the fold's indices `$i` and `$ri`.
class SplitReader {
public:
  SplitReader(const Program &program, const SplitFoldSet &splits)
      : program(program), splits(splits) {}

  Body read(const Access &access);
  bool needsSplit(const Value &value);
  const Access &atom(unsigned number) const { return atoms[number]; }
  /// The casts that were passed over: from now on nobody sees what they round.
  void settlePassed() const {
    for (Value *cast : passed)
      cast->isInlineOnly = true;
  }

private:
  Body makeAtom(Body::Kind kind, const Access &access);

  const Program &program;
  const SplitFoldSet &splits;
  std::vector<Access> atoms;
  std::vector<Value *> passed;
  llvm::DenseMap<const Value *, bool> needs;
};

/// Makes maps over the parts: of one element for each, or for each of their elements. The latter
/// are never stored.
class PartMaps : public ValueMaker {
public:
  PartMaps(Program &program, const Value &fold, const FoldCut &cut, llvm::ArrayRef<Expr> shape,
           bool isInlineOnly)
      : ValueMaker(program, fold, shape, isInlineOnly), cut(cut) {}

  /// `access` of the fold, where its indices stand behind those that say which part.
  Access place(const Access &access) const;

private:
  const FoldCut &cut;
};

class CascadeSplitter {
public:
  CascadeSplitter(Program &program, Value &fold, const FoldCut &cut, SplitFoldSet &splits)
      : program(program), context(*program.context), fold(fold), cut(cut), splits(splits),
        reader(program, splits), type(fold.elementType) {}

  bool run();

private:
  /// What a base is taken relative to in a window, and how that is made.
  struct Reference {
    /// The fold of the whole row, and that over windows which it combines.
    Access whole;
    Value *partial = nullptr;
    bool isMean = false;
    double infinity = 0;
    /// Over the windows: as it is, and where an infinity of the base gives way to 0.
    Access own, finite;
  };

  bool findReference(unsigned base);
  Access findSum(const LinearForm &centre) const;
  Value *partialOf(const Access &access, graph::FoldKind kind) const;
  Access foldOfPart(llvm::StringRef name, Operation *op, Access input);
  Access featureOf(const Feature &feature);
  Access elementOf(const Feature &feature);
  Access moved(const Feature &feature, PartMaps &maps);
  Access termOf(const CascadeTerm &term, PartMaps &maps);
  void makeReference(unsigned base, Reference &reference, PartMaps &maps);
  llvm::SmallVector<Expr, 4> partShape() const;

  Program &program;
  index::Context &context;
  Value &fold;
  const FoldCut &cut;
  SplitFoldSet &splits;
  SplitReader reader;
  Type type;
  Cascade cascade;
  std::map<unsigned, Reference> references;
  std::vector<std::pair<Feature, Access>> features;
};

} // namespace

bool SplitReader::needsSplit(const Value &value) {
  auto [known, isNew] = needs.try_emplace(&value, false);
  if (!isNew)
    return known->second;
  bool result = splits.all.contains(&value);
  forEachAccess(value, [&](const Access &access) { result |= needsSplit(*access.from); });
  return needs[&value] = result;
}

static bool variesAlongFold(const Access &access) {
  bool varies = false;
  for (Expr coordinate : access.at)
    index::forEachSymbol(coordinate,
                         [&](Expr symbol) { varies |= symbol.getName().starts_with("$r"); });
  return varies || llvm::any_of(access.loaded, [](const LoadedIndex &loaded) {
           return variesAlongFold(loaded.access);
         });
}

Body SplitReader::makeAtom(Body::Kind kind, const Access &access) {
  if (!isa<FloatType>(access.from->elementType))
    return opaqueBody(access.from->name + " is not of floats");
  if (!access.loaded.empty())
    return opaqueBody("it gathers");
  auto known = llvm::find_if(atoms, [&](const Access &atom) { return isSame(atom, access); });
  unsigned number = known - atoms.begin();
  if (known == atoms.end())
    atoms.push_back(access);
  return {kind, number, 0, "", {}};
}

Body SplitReader::read(const Access &access) {
  const Value &value = *access.from;
  if (auto constant = dyn_cast_or_null<graph::ConstantOp>(value.op))
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return {Body::Kind::Number, 0, number.getValueAsDouble(), "", {}};
  bool isData = variesAlongFold(access);
  if (!isData || !needsSplit(value))
    return makeAtom(isData ? Body::Kind::Data : Body::Kind::Result, access);
  if (value.kind != ValueKind::Map || !access.loaded.empty())
    return opaqueBody("it selects between elements and results");
  if (!value.op || keepsPrecision(value, {})) {
    if (value.isElidableCast())
      passed.push_back(access.from);
    return read(compose(value.inputs[0], access.at, program));
  }
  auto kind = bodyKindOf(value.op);
  if (!kind)
    return opaqueBody(whyOpaque(value));
  Body body{*kind, 0, 0, "", {}};
  for (const Access &input : value.inputs)
    body.operands.push_back(read(compose(input, access.at, program)));
  return body;
}

llvm::SmallVector<Expr, 2> FoldCut::partsOf(const Value &fold, index::Context &context) const {
  if (leading == 0)
    return {index::ceildiv(index::product(context, fold.foldExtents), window)};
  return llvm::to_vector<2>(llvm::ArrayRef(fold.foldExtents).take_front(leading));
}

llvm::SmallVector<Expr, 4> FoldCut::outerIndices(const Program &program, const Value &fold) const {
  llvm::SmallVector<Expr, 4> indices;
  for (unsigned i = 0; i < fold.shape.size(); ++i)
    indices.push_back(program.getIndex(countIndices() + i));
  return indices;
}

llvm::SmallVector<Expr, 4> FoldCut::foldIndices(const Program &program, const Value &fold,
                                                llvm::function_ref<Expr(unsigned)> within) const {
  llvm::SmallVector<Expr, 4> indices;
  for (unsigned i = 0; i < fold.foldExtents.size(); ++i)
    indices.push_back(i < leading ? program.getIndex(i) : within(i - leading));
  return indices;
}

Access PartMaps::place(const Access &access) const {
  llvm::SmallVector<Expr, 4> outer = cut.outerIndices(program, fold);
  unsigned behind = cut.countIndices() + fold.shape.size();
  llvm::SmallVector<Expr, 4> inner =
      cut.foldIndices(program, fold, [&](unsigned i) { return program.getIndex(behind + i); });
  Access result{access.from, {}, {}};
  for (Expr coordinate : access.at)
    result.at.push_back(substituteIndices(coordinate, outer, inner, program));
  return result;
}

llvm::SmallVector<Expr, 4> CascadeSplitter::partShape() const {
  llvm::SmallVector<Expr, 4> shape(cut.partsOf(fold, context));
  shape.append(fold.shape.begin(), fold.shape.end());
  return shape;
}

/// The fold over windows of the fold's own length that an access's fold combines; null for others.
Value *CascadeSplitter::partialOf(const Access &access, graph::FoldKind kind) const {
  auto op = dyn_cast_or_null<graph::FoldOp>(access.from->op);
  auto partial = splits.partials.find(access.from);
  bool fits = access.from->kind == ValueKind::Fold && op && op.getKind() == kind &&
              partial != splits.partials.end() && splits.cuts.lookup(access.from) == cut &&
              llvm::equal(partial->second->foldExtents, cut.extentsWithin(fold)) &&
              llvm::equal(llvm::ArrayRef(partial->second->shape).take_front(cut.countIndices()),
                          cut.partsOf(fold, context));
  return fits ? partial->second : nullptr;
}

/// The sum that a centre is a part of: a mean is infinite where an element is.
Access CascadeSplitter::findSum(const LinearForm &centre) const {
  Access access = throughExtensions(reader.atom(centre.factors.begin()->first), program);
  while (access.from->kind == ValueKind::Map &&
         isa_and_nonnull<graph::DivOp, graph::MulOp>(access.from->op))
    access = throughExtensions(compose(access.from->inputs[0], access.at, program), program);
  return access;
}

bool CascadeSplitter::findReference(unsigned base) {
  const LinearForm &centre = cascade.centres.at(base);
  if (centre.number != 0 || centre.factors.size() != 1 || centre.factors.begin()->second != 1)
    return false;
  const Access &element = reader.atom(base);
  Reference reference;
  bool hasRate = false, hasNone = false;
  for (const Feature &feature : cascade.features) {
    if (feature.base != base)
      continue;
    (feature.rate != 0 ? hasRate : hasNone) = true;
    double infinity = feature.rate > 0 ? -INFINITY : INFINITY;
    if (feature.rate != 0 && reference.infinity != 0 && reference.infinity != infinity)
      return false;
    if (feature.rate != 0)
      reference.infinity = infinity;
  }
  if (hasRate && hasNone)
    return false;
  reference.isMean = !hasRate;
  reference.whole = hasRate ? throughExtensions(reader.atom(centre.factors.begin()->first), program)
                            : findSum(centre);
  reference.partial = partialOf(reference.whole, !hasRate                 ? graph::FoldKind::Sum
                                                 : reference.infinity < 0 ? graph::FoldKind::Max
                                                                          : graph::FoldKind::Min);
  if (!reference.partial || reference.partial->elementType != type)
    return false;
  // It must be of the same elements: what the windows read, at the row that the centre is of.
  llvm::SmallVector<Expr, 4> at, within;
  for (unsigned i = 0; i < cut.countIndices(); ++i)
    at.push_back(cut.leading != 0 ? program.getFoldIndex(i) : context.constant(0));
  at.append(reference.whole.at.begin(), reference.whole.at.end());
  for (unsigned i = 0; i < cut.extentsWithin(fold).size(); ++i)
    within.push_back(program.getFoldIndex(cut.leading + i));
  Access folded = reference.partial->inputs[0];
  for (Expr &coordinate : folded.at)
    coordinate = substituteIndices(coordinate, at, within, program);
  folded = throughExtensions(folded, program);
  if (!isSame(folded, throughExtensions(element, program)))
    return false;
  references[base] = reference;
  return true;
}

/// A fold of the window's elements, as a value over the windows.
Access CascadeSplitter::foldOfPart(llvm::StringRef name, Operation *op, Access input) {
  Value &partial = program.values.emplace_back(
      ValueKind::Fold, fold.name + "_" + name.str() + "_partial", fold.loc, type);
  partial.op = op;
  partial.unit = fold.unit;
  partial.order = orderBefore(program, fold);
  partial.foldExtents.assign(cut.extentsWithin(fold).begin(), cut.extentsWithin(fold).end());
  partial.window = cut.window;
  partial.isPart = cut.leading != 0;
  partial.shape = partShape();
  partial.inputs.push_back(std::move(input));
  Access access{&partial, {}, {}};
  for (unsigned i = 0; i < partial.shape.size(); ++i)
    access.at.push_back(program.getIndex(i));
  return access;
}

/// The mean of a window's elements, or their extreme.
void CascadeSplitter::makeReference(unsigned base, Reference &reference, PartMaps &maps) {
  Access own = maps.place(reference.whole);
  own.from = reference.partial;
  for (unsigned i = 0; i < cut.countIndices(); ++i)
    own.at.insert(own.at.begin() + i, program.getIndex(i));
  if (reference.isMean) {
    reference.own = reference.finite = maps.make<graph::DivOp>(type, {own, featureOf(Feature())});
    return;
  }
  Access infinity = maps.number(reference.infinity);
  Type isTrue = IntegerType::get(type.getContext(), 1);
  Access isInfinite = maps.make<graph::EqOp>(isTrue, {own, infinity});
  reference.own = own;
  reference.finite = maps.make<graph::WhereOp>(type, {isInfinite, maps.number(0), own});
}

/// What a feature adds up, for each element of each window.
Access CascadeSplitter::elementOf(const Feature &feature) {
  llvm::SmallVector<Expr, 4> shape = partShape();
  llvm::append_range(shape, cut.extentsWithin(fold));
  PartMaps maps(program, fold, cut, shape, true);
  std::optional<Access> product;
  auto multiply = [&](const Access &factor) {
    product = product ? maps.make<graph::MulOp>(type, {*product, factor}) : factor;
  };
  if (feature.base) {
    Access shift = maps.make<graph::SubOp>(
        type, {maps.place(reader.atom(*feature.base)), references.at(*feature.base).finite});
    for (unsigned i = 0; i < feature.power; ++i)
      multiply(shift);
    if (feature.rate != 0) {
      Access exponent = shift;
      if (feature.rate != 1)
        exponent = maps.make<graph::MulOp>(type, {shift, maps.number(feature.rate)});
      multiply(feature.isBinary ? maps.make<graph::Exp2Op>(type, exponent)
                                : maps.make<graph::ExpOp>(type, exponent));
    }
  }
  for (auto &[atom, power] : feature.weights)
    for (int i = 0; i < std::abs(power); ++i) {
      Access weight = maps.place(reader.atom(atom));
      if (power > 0)
        multiply(weight);
      else
        product = maps.make<graph::DivOp>(type, {product ? *product : maps.number(1), weight});
    }
  return product ? *product : maps.number(1);
}

/// A feature as a fold over windows.
Access CascadeSplitter::featureOf(const Feature &feature) {
  for (auto &[known, access] : features)
    if (known == feature)
      return access;
  Access element = elementOf(feature);
  // The fold reads at its own window, row and element.
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < cut.countIndices() + fold.shape.size(); ++i)
    at.push_back(program.getIndex(i));
  for (unsigned i = 0; i < cut.extentsWithin(fold).size(); ++i)
    at.push_back(program.getFoldIndex(i));
  Access input = compose(element, at, program);
  bool isCount = !feature.base && feature.weights.empty();
  std::string name = isCount             ? "count"
                     : feature.power > 0 ? "power" + std::to_string(feature.power)
                                         : "sum";
  Access made = foldOfPart(name, fold.op, std::move(input));
  features.emplace_back(feature, made);
  return made;
}

/// A window's feature about the centre of the result.
Access CascadeSplitter::moved(const Feature &feature, PartMaps &maps) {
  if (!feature.base)
    return featureOf(feature);
  const Reference &reference = references.at(*feature.base);
  unsigned centre = cascade.centres.at(*feature.base).factors.begin()->first;
  Access distance = maps.make<graph::SubOp>(type, {reference.own, maps.place(reader.atom(centre))});
  Access steps = distance;
  if (feature.rate != 0 && feature.power > 0) {
    // A window of infinities alone has nothing to move.
    Type isTrue = IntegerType::get(type.getContext(), 1);
    Access isInfinite =
        maps.make<graph::EqOp>(isTrue, {reference.own, maps.number(reference.infinity)});
    steps = maps.make<graph::WhereOp>(type, {isInfinite, maps.number(0), distance});
  }
  std::optional<Access> sum;
  for (unsigned lower = 0; lower <= feature.power; ++lower) {
    Access part = featureOf(feature.withPower(lower));
    for (unsigned i = lower; i < feature.power; ++i)
      part = maps.make<graph::MulOp>(type, {part, steps});
    if (double factor = binomial(feature.power, lower); factor != 1)
      part = maps.make<graph::MulOp>(type, {maps.number(factor), part});
    sum = sum ? maps.make<graph::AddOp>(type, {*sum, part}) : part;
  }
  if (feature.rate == 0)
    return *sum;
  if (feature.rate != 1)
    distance = maps.make<graph::MulOp>(type, {distance, maps.number(feature.rate)});
  Access scale = feature.isBinary ? maps.make<graph::Exp2Op>(type, distance)
                                  : maps.make<graph::ExpOp>(type, distance);
  return maps.make<graph::MulOp>(type, {*sum, scale});
}

Access CascadeSplitter::termOf(const CascadeTerm &term, PartMaps &maps) {
  Access product = moved(cascade.features[term.feature], maps);
  for (auto &[atom, power] : term.results)
    for (int i = 0; i < std::abs(power); ++i) {
      Access result = maps.place(reader.atom(atom));
      product = power > 0 ? maps.make<graph::MulOp>(type, {product, result})
                          : maps.make<graph::DivOp>(type, {product, result});
    }
  if (term.number != 1)
    product = maps.make<graph::MulOp>(type, {maps.number(term.number), product});
  return product;
}

bool CascadeSplitter::run() {
  auto op = dyn_cast<graph::FoldOp>(fold.op);
  if (!op || op.getKind() != graph::FoldKind::Sum || (!type.isF32() && !type.isF64()) ||
      fold.inputs[0].from->elementType != type || !reader.needsSplit(*fold.inputs[0].from))
    return false;
  Derivation derivation = deriveCascade(reader.read(fold.inputs[0]));
  if (!derivation.cascade)
    return false;
  cascade = std::move(*derivation.cascade);
  auto isOwnType = [&](unsigned atom) { return reader.atom(atom).from->elementType == type; };
  for (const CascadeTerm &term : cascade.terms)
    for (auto &[atom, power] : term.results)
      if (!isOwnType(atom))
        return false;
  for (const CascadeTerm &term : cascade.terms)
    if (!term.exponent.isZero())
      return false;
  for (const Feature &feature : cascade.features)
    for (auto &[atom, power] : feature.weights)
      if (!isOwnType(atom))
        return false;
  for (auto &[base, centre] : cascade.centres)
    if (!isOwnType(base) ||
        !isOwnType(centre.factors.empty() ? base : centre.factors.begin()->first) ||
        !findReference(base))
      return false;

  PartMaps maps(program, fold, cut, partShape(), false);
  for (auto &[base, reference] : references)
    makeReference(base, reference, maps);
  std::optional<Access> sum;
  for (const CascadeTerm &term : cascade.terms) {
    Access part = termOf(term, maps);
    sum = sum ? maps.make<graph::AddOp>(type, {*sum, part}) : part;
  }
  llvm::SmallVector<Expr, 2> parts = cut.partsOf(fold, context);
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < parts.size(); ++i)
    at.push_back(program.getFoldIndex(i));
  for (unsigned i = 0; i < fold.shape.size(); ++i)
    at.push_back(program.getIndex(i));
  fold.inputs[0] = compose(*sum, at, program);
  fold.foldExtents.assign(parts.begin(), parts.end());
  reader.settlePassed();
  return true;
}

bool splitCascade(Program &program, Value &fold, const FoldCut &cut, SplitFoldSet &splits) {
  return CascadeSplitter(program, fold, cut, splits).run();
}

} // namespace nereid::schedule
