// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/Relayouts.h"

#include "graph/GraphOps.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

namespace {

/// Gives the factors of one program's contractions the layouts that they want.
class Relayouts {
public:
  explicit Relayouts(Program &program) : program(program) {
    for (const Result &result : program.results)
      results.insert(result.value);
  }

  void add(Value &fold);
  /// An index for each factor, left and right.
  using Pieces = std::array<Expr, 2>;
  std::optional<Pieces> choosePieces(const Value &fold, const Contraction &contraction) const;

private:
  Expr pieceOfTerms(const Value &fold) const;
  Pieces piecesOfSides(const Value &fold, const Contraction &contraction,
                       llvm::SmallVectorImpl<Expr> &moving) const;
  std::optional<unsigned> findLaneFactor(const Value &fold, const Contraction &contraction) const;
  bool gainsAlongTerms(const Value &fold, const Contraction &contraction, unsigned lane) const;
  bool choosesAlong(const Access &access, Expr piece) const;
  bool isBase(const Access &access, Expr piece) const;
  void findBases(const Access &access, llvm::ArrayRef<Expr> at, Expr piece,
                 llvm::function_ref<void(const Access &)> found) const;
  bool mayReadAlong(const Access &factor, Expr index) const;
  bool readsAlong(const Access &factor, llvm::ArrayRef<Expr> pieces,
                  llvm::ArrayRef<Expr> moving) const;
  Access relaid(Access access, llvm::ArrayRef<Expr> at, Expr piece);
  Access relaidBelow(const Access &access, llvm::ArrayRef<Expr> at, Expr piece);
  Value &relayoutOf(Value &base, unsigned last);
  Value &roundedRelayoutOf(Value &rounded, unsigned last);
  static Access reordered(Access access, Value &relayout, unsigned last);

  Program &program;
  llvm::DenseSet<const Value *> results;
  std::map<std::pair<Value *, unsigned>, Value *> known;
};

} // namespace

/// Whether the elements along a piece are those of several tensors, one behind the other: channels
/// that are concatenated.
bool Relayouts::choosesAlong(const Access &access, Expr piece) const {
  auto place = llvm::find(access.at, piece);
  if (!piece || place == access.at.end())
    return false;
  Expr index = program.getIndex(place - access.at.begin());
  return llvm::any_of(access.from->cases, [&](const Case &alternative) {
    return llvm::any_of(alternative.access.at, [&](Expr coordinate) {
      return coordinate != index && index::contains(coordinate, index);
    });
  });
}

/// Whether an access reads a tensor; else it reads a choice, or what repeats or rounds elements, of
/// others.
bool Relayouts::isBase(const Access &access, Expr piece) const {
  const Value &value = *access.from;
  if (value.isNeverInlined)
    return true;
  if (value.kind == ValueKind::Select)
    return choosesAlong(access, piece);
  if (value.kind != ValueKind::Map)
    return true;
  if (isRounding(value))
    return false;
  int64_t own = program.estimateElements(value.shape);
  return llvm::any_of(value.inputs, [&](const Access &input) {
    return program.estimateElements(input.from->shape) >= own;
  });
}

/// Finds the coordinates of all tensors of an access that is read at some.
void Relayouts::findBases(const Access &access, llvm::ArrayRef<Expr> at, Expr piece,
                          llvm::function_ref<void(const Access &)> found) const {
  Access here = compose(access, at, program);
  if (isBase(here, piece)) {
    if (!access.from->shape.empty() &&
        (!access.from->isFree() || access.from->kind == ValueKind::Input))
      found(here);
    return;
  }
  for (const Access &input : access.from->inputs)
    findBases(input, here.at, piece, found);
  for (const Case &alternative : access.from->cases)
    findBases(alternative.access, here.at, piece, found);
}

/// Whether all tensors of a factor have an axis that is an index as it is.
bool Relayouts::mayReadAlong(const Access &factor, Expr index) const {
  bool all = bool(index);
  findBases(factor, {}, index,
            [&](const Access &here) { all &= llvm::is_contained(here.at, index); });
  return all;
}

/// Whether the innermost axis goes along one of some indices already.
bool Relayouts::readsAlong(const Access &factor, llvm::ArrayRef<Expr> pieces,
                           llvm::ArrayRef<Expr> moving) const {
  bool all = true;
  findBases(factor, {}, pieces.front(), [&](const Access &here) {
    all &= goesAlong(lineOf(here.at, here.from->shape).coordinate, pieces,
                     [&](Expr symbol) { return llvm::is_contained(moving, symbol); });
  });
  return all;
}

/// The longest index that a fold runs over, where it fills the steps of a tile.
Expr Relayouts::pieceOfTerms(const Value &fold) const {
  Expr piece;
  int64_t longest = 1;
  for (auto [number, extent] : llvm::enumerate(fold.foldExtents))
    if (int64_t length = program.estimate(extent); length > longest) {
      longest = length;
      piece = program.getFoldIndex(number);
    }
  return isTermPiece(longest, program.estimateElements(fold.foldExtents)) ? piece : Expr();
}

/// The longest of the indices along which one factor varies and not the other, where it fills the
/// side of a tile; adds all of them to those that move within one.
Relayouts::Pieces Relayouts::piecesOfSides(const Value &fold, const Contraction &contraction,
                                           llvm::SmallVectorImpl<Expr> &moving) const {
  auto reads = [&](const Access &access, Expr index) {
    return llvm::any_of(access.at, [&](Expr each) { return index::contains(each, index); });
  };
  Pieces pieces;
  std::array<int64_t, 2> longest = {1, 1}, all = {1, 1};
  for (auto [dim, size] : llvm::enumerate(fold.shape)) {
    Expr index = program.getIndex(dim);
    bool isOfLeft = reads(contraction.left, index), side = reads(contraction.right, index);
    if (isOfLeft == side)
      continue;
    moving.push_back(index);
    int64_t length = program.estimate(size);
    all[side] *= length;
    if (length > longest[side]) {
      longest[side] = length;
      pieces[side] = index;
    }
  }
  for (bool side : {false, true})
    if (!isSidePiece(longest[side], all[side]))
      pieces[side] = Expr();
  return pieces;
}

/// The factor that varies along what lies side by side in the result.
std::optional<unsigned> Relayouts::findLaneFactor(const Value &fold,
                                                  const Contraction &contraction) const {
  for (unsigned dim = fold.shape.size(); dim-- > 0;) {
    if (program.estimate(fold.shape[dim]) == 1)
      continue;
    auto reads = [&](const Access &access) {
      return llvm::any_of(access.at,
                          [&](Expr each) { return index::contains(each, program.getIndex(dim)); });
    };
    if (reads(contraction.left) == reads(contraction.right))
      return std::nullopt;
    return reads(contraction.right);
  }
  return std::nullopt;
}

/// Whether products of float32 gain more than a copy of a factor takes, whose tiles go along what
/// is summed over.
bool Relayouts::gainsAlongTerms(const Value &fold, const Contraction &contraction,
                                unsigned lane) const {
  constexpr double surely = 2;
  const Device &device = program.policy.getDevice();
  ContractionSizes sizes = sizesOf(program, fold, contraction);
  if (program.policy.isChosen() || sizes.bytesOfElement <= 2 || sizes.areTf32)
    return false;
  if (lane == 0)
    std::swap(sizes.rows, sizes.columns);
  double ofLanes = double(sizes.batch) * double(sizes.columns) * double(sizes.terms);
  double products = 2 * ofLanes * double(sizes.rows) / device.floatProductsPerUs;
  double copy = device.launchUs + 2 * ofLanes * double(sizes.bytesOfElement) / device.bytesPerUs;
  return products * (acrossTerms - 1) > surely * copy;
}

/// The indices along which tiles of both factors are to go, where one has to change for it: an
/// index that is summed over, or one of each side. Nothing where all is well, or cannot be.
std::optional<Relayouts::Pieces> Relayouts::choosePieces(const Value &fold,
                                                         const Contraction &contraction) const {
  Expr term = pieceOfTerms(fold);
  llvm::SmallVector<Expr, 4> moving;
  for (unsigned number = 0; number < fold.foldExtents.size(); ++number)
    moving.push_back(program.getFoldIndex(number));
  Pieces sides = piecesOfSides(fold, contraction, moving);
  if (readsAlong(contraction.left, {term, sides[0]}, moving) &&
      readsAlong(contraction.right, {term, sides[1]}, moving)) {
    std::optional<unsigned> lane = findLaneFactor(fold, contraction);
    const Access *factors[] = {&contraction.left, &contraction.right};
    if (!lane || readsAlong(*factors[*lane], {term}, moving) ||
        !mayReadAlong(*factors[*lane], term) || !gainsAlongTerms(fold, contraction, *lane))
      return std::nullopt;
    Pieces pieces;
    pieces[*lane] = term;
    return pieces;
  }
  for (const Pieces &pieces : {Pieces{term, term}, sides})
    if (mayReadAlong(contraction.left, pieces[0]) && mayReadAlong(contraction.right, pieces[1]))
      return pieces;
  return std::nullopt;
}

/// The coordinates of a read with the axis `last` behind the others.
Access Relayouts::reordered(Access access, Value &relayout, unsigned last) {
  access.from = &relayout;
  access.at.push_back(access.at[last]);
  access.at.erase(access.at.begin() + last);
  return access;
}

/// A value with the elements of another and its axis `last` as the innermost one. What else reads
/// the other one reads it from now on, but for what takes tensors as they are.
Value &Relayouts::relayoutOf(Value &base, unsigned last) {
  Value *&relayout = known[{&base, last}];
  if (relayout)
    return *relayout;
  relayout = &program.values.emplace_back(ValueKind::Map, base.name + "_relayout", base.loc,
                                          base.elementType);
  relayout->unit = base.unit;
  relayout->order = base.order + 1;
  Access whole{&base, {}, {}};
  for (unsigned dim = 0; dim < base.shape.size(); ++dim)
    whole.at.push_back(program.getIndex(dim < last ? dim : dim - 1));
  whole.at[last] = program.getIndex(base.shape.size() - 1);
  relayout->shape = base.shape;
  relayout->shape.push_back(relayout->shape[last]);
  relayout->shape.erase(relayout->shape.begin() + last);
  base.isRounded |= base.isElidableCast();
  bool isKept = base.kind == ValueKind::Input || results.contains(&base);
  for (Value &reader : program.values) {
    bool mayChoose = reader.kind == ValueKind::Map || reader.kind == ValueKind::Select ||
                     reader.kind == ValueKind::Fold;
    if (isKept || !mayChoose || reader.loop >= 0)
      continue;
    forEachAccess(reader, [&](Access &access) {
      if (access.from == &base && !access.isCopied)
        access = reordered(access, *relayout, last);
    });
  }
  relayout->inputs.push_back(std::move(whole));
  return *relayout;
}

/// The rounded elements of another relayout, in the same order.
Value &Relayouts::roundedRelayoutOf(Value &rounded, unsigned last) {
  Value *&relayout = known[{&rounded, last}];
  if (relayout)
    return *relayout;
  relayout = &program.values.emplace_back(rounded);
  Value &own = *relayout;
  own.order = rounded.order + 1;
  own.name = rounded.inputs[0].from->name + "_tf32";
  own.shape.push_back(own.shape[last]);
  own.shape.erase(own.shape.begin() + last);
  llvm::SmallVector<Expr, 4> indices, old;
  for (unsigned dim = 0; dim < own.shape.size(); ++dim) {
    indices.push_back(program.getIndex(dim));
    old.push_back(program.getIndex(dim < last ? dim : dim - 1));
  }
  old[last] = indices.back();
  own.inputs[0] = relaid(compose(own.inputs[0], old, program), indices, indices.back());
  return own;
}

/// An access that is read at coordinates, with tensors whose innermost axis is a piece.
Access Relayouts::relaid(Access access, llvm::ArrayRef<Expr> at, Expr piece) {
  if (isRounding(*access.from)) {
    Access here = compose(access, at, program);
    auto place = llvm::find(here.at, piece);
    if (place == here.at.end() || piece == here.at.back())
      return access;
    unsigned last = place - here.at.begin();
    return reordered(access, roundedRelayoutOf(*access.from, last), last);
  }
  Access here = compose(access, at, program);
  if (!isBase(here, piece))
    return relaidBelow(access, at, piece);
  auto place = llvm::find(here.at, piece);
  if (place == here.at.end() || piece == here.at.back())
    return access;
  unsigned last = place - here.at.begin();
  return reordered(access, relayoutOf(*access.from, last), last);
}

/// The same for a choice or a repetition, which is this reader's own from here on.
Access Relayouts::relaidBelow(const Access &access, llvm::ArrayRef<Expr> at, Expr piece) {
  llvm::SmallVector<Expr, 4> here = compose(access, at, program).at;
  Value &own = program.values.emplace_back(*access.from);
  own.order = access.from->order + 1;
  for (Access &input : own.inputs)
    input = relaid(input, here, piece);
  for (Case &alternative : own.cases)
    alternative.access = relaid(alternative.access, here, piece);
  Access result = access;
  result.from = &own;
  return result;
}

void Relayouts::add(Value &fold) {
  auto contraction = asContraction(program, fold, StoredSet());
  if (!contraction || !contraction->left.loaded.empty() || !contraction->right.loaded.empty())
    return;
  if (!fillsTiles(sizesOf(program, fold, *contraction)))
    return;
  auto pieces = choosePieces(fold, *contraction);
  if (!pieces || !program.policy.decide(true))
    return;
  llvm::SmallVector<Expr, 4> indices;
  for (unsigned dim = 0; dim < fold.shape.size() + fold.foldExtents.size(); ++dim)
    indices.push_back(program.getIndex(dim));
  auto kept = llvm::ArrayRef(indices).take_front(fold.shape.size());
  auto folded = llvm::ArrayRef(indices).drop_front(fold.shape.size());
  Access factors[] = {contraction->left, contraction->right};
  for (auto [factor, piece] : llvm::zip_equal(factors, *pieces)) {
    for (Expr &coordinate : factor.at)
      coordinate = substituteIndices(coordinate, kept, folded, program);
    if (piece)
      factor = relaid(factor, indices, substituteIndices(piece, kept, folded, program));
  }
  setFactors(program, fold, fold.foldExtents, std::move(factors[0]), std::move(factors[1]));
}

/// The axis of a value along which what it is made of lies in memory.
static unsigned axisInMemory(const Program &program, const Value &value) {
  unsigned last = value.shape.size() - 1;
  const Access *base = nullptr;
  if (value.kind == ValueKind::Map && (!value.op || isRounding(value)))
    base = &value.inputs[0];
  for (const Case &alternative : value.cases)
    if (!base && alternative.access.from->kind != ValueKind::Constant)
      base = &alternative.access;
  if (!base || base->at.empty())
    return last;
  Expr coordinate = base->at[axisInMemory(program, *base->from)];
  for (unsigned axis = 0; axis < value.shape.size(); ++axis) {
    auto linear = index::asLinearIn(coordinate, program.getIndex(axis));
    if (linear && linear->coefficient.isConstant(1))
      return axis;
  }
  return last;
}

std::optional<std::array<Expr, 2>> piecesOfFactors(Program &program, const Value &fold,
                                                   const Contraction &contraction) {
  return Relayouts(program).choosePieces(fold, contraction);
}

std::array<std::optional<unsigned>, 2> axesOfFactors(Program &program, const Value &fold,
                                                     const Contraction &contraction) {
  auto pieces = piecesOfFactors(program, fold, contraction);
  std::array<std::optional<unsigned>, 2> axes;
  const Access *factors[] = {&contraction.left, &contraction.right};
  for (auto [number, factor] : llvm::enumerate(factors)) {
    if (factor->at.empty())
      continue;
    Expr piece = pieces ? (*pieces)[number] : Expr();
    auto *place = piece ? llvm::find(factor->at, piece) : factor->at.end();
    axes[number] = place == factor->at.end() ? axisInMemory(program, *factor->from)
                                             : unsigned(place - factor->at.begin());
  }
  return axes;
}

void addRelayouts(Program &program) {
  // Room for what is put behind a value.
  constexpr unsigned placesBehind = 2;
  spaceOut(program, placesBehind);
  llvm::SmallVector<Value *> folds;
  for (Value &value : program.values)
    if (value.kind == ValueKind::Fold && value.loop < 0)
      folds.push_back(&value);
  Relayouts relayouts(program);
  for (Value *fold : folds)
    relayouts.add(*fold);
}

} // namespace nereid::schedule
