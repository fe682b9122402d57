// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as maps and folds over index spaces: what the scheduler works on.
//
// Every value is a function of its own indices `$0, $1, ...`. A value reads others through
// accesses, whose coordinates are index expressions over those indices (and `$r0, $r1, ...`, the
// indices that a fold runs over). Views are no values: they are composed into the accesses, the
// only place where index maps live.
#pragma once

#include "index/Facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "schedule/policy/Policy.h"
#include "schedule/program/SizeForms.h"
#include "support/Source.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace nereid::schedule {

using index::Expr;
using index::Pred;

struct Value;
struct LoadedIndex;

/// One read of a value: `from[at...]`. Coordinates may contain symbols that stand for loaded data.
struct Access {
  Value *from = nullptr;
  llvm::SmallVector<Expr, 4> at;
  std::vector<LoadedIndex> loaded;
  /// Goes through a copy that lays the elements out in row-major order.
  bool isCopied = false;
};

/// What the symbols of places start with that a gather finds in another value.
inline constexpr llvm::StringLiteral lookupPrefix = "$g";

/// A symbol of an access's coordinates that stands for an element of an integer value: a gather.
struct LoadedIndex {
  Expr symbol;
  Access access;
};

/// An alternative of a select: where `when` holds (over the value's indices and loaded symbols) and
/// no earlier one did, the value is the access's.
struct Case {
  Pred when;
  Access access;
};

enum class ValueKind {
  /// An argument of the program.
  Input,
  /// A runtime scalar argument.
  Scalar,
  /// A number, or a size (an index expression).
  Constant,
  Size,
  /// `v[i] = i[dim]`.
  Iota,
  /// `v[i]` = the number that a generator makes of the seed inputs[0] and the row-major position i.
  Random,
  /// `v[i] = op(inputs[0][m0(i)], ...)`.
  Map,
  /// `v[i]` = the first case that holds.
  Select,
  /// `v[i] = (+)_r inputs[0][m(i, r)]`.
  Fold,
  /// `v[i] = (+)_{j <= i[dim]} inputs[0][i with j]`, or over `j >= i[dim]` when it is reversed.
  Scan,
  /// What a loop carries: `v[0, i] = inputs[0][i]` and `v[t + 1, i]` is inputs[1] at `[t, i]`, a
  /// member of the loop that reads `v[t, ...]`.
  State,
  /// What a loop leaves: `v[i]` is the state inputs[0] after the last turn. Its first coordinate is
  /// the symbol of the turn.
  Final,
  /// `v[..., k]` = the element of rank k among the integers inputs[0][..., r]: see SortKernels.h.
  /// What it reads is stored whole, and it has a kernel of its own.
  Sort,
  /// `v[i]` = how many of the sorted elements inputs[0][m(i, r)] lie before inputs[1][i].
  Search,
  /// `v[i]` = the fold of the inputs[0][j], over all `j` that are i but for `dim`, whose
  /// inputs[1][j]
  /// is `i[dim]`; made by atomics, in any order. Its kernel goes over the indices `j`.
  Scatter,
  /// One of the results of an operator that is left to PyTorch, which takes all of inputs[...],
  /// each over its own indices. It has no kernel: the host program calls PyTorch.
  Call,
};

struct Value {
  ValueKind kind;
  /// The user's word for it, or one made from the operator.
  std::string name;
  bool isNamed = false;
  mlir::Location loc;
  mlir::Type elementType;
  llvm::SmallVector<Expr, 4> shape;
  /// The operator of a Map, Fold, Scan, Sort, Constant, Random.
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Access, 2> inputs;
  llvm::SmallVector<Case, 2> cases;
  /// Fold, Sort and Search: the extents of `$r0, $r1, ...`.
  llvm::SmallVector<Expr, 2> foldExtents;
  /// Fold: when not 0, it runs only over the positions (counted row-major) from `$0 * window` on,
  /// at most `window` of them.
  int64_t window = 0;
  /// Fold: programs carry it over the rows that they go over, in a kernel of other outputs.
  bool isCarried = false;
  /// The loop whose state it depends on, within that loop; its first axis counts the turns. Such
  /// values are never stored.
  int loop = -1;
  /// Too large to be stored: it has an element for each element of each window.
  bool isInlineOnly = false;
  /// Fold: it runs only over the positions from inputs[1] on to before inputs[2], as far as there
  /// are such.
  bool isSegment = false;
  /// Fold: of float32 products, whose factors are stored as halves: inputs[1] to [4] are the parts
  /// of the left one, inputs[5] to [8] of the right one (StoredHalves.h).
  bool hasHalves = false;
  /// Halves of a factor: never inlined.
  bool isAlwaysStored = false;
  /// Stored, for what reads it would have to make it again at a high price.
  bool isNeverInlined = false;
  /// Map: a factor of products that may be TF32, and what is stored of it are halves where the
  /// launch takes these (ScaledFactors.h). Nothing else reads it.
  bool isHalfByPrecision = false;
  /// The lengths of rows, in memory, of all factors that meet it: halves have whole loads where
  /// these are multiples of `halvesOfLoad`, and are floats elsewhere.
  llvm::SmallVector<Expr, 1> halfRows = {};
  /// Fold: a part of what another fold combines, never inlined: its elements are read once, for all
  /// parts that are made of them.
  bool isPart = false;
  /// An elidable cast whose result all readers see rounded, wherever they stand.
  bool isRounded = false;
  /// Whatever is made of it becomes a half by elidable casts: no reader needs more digits.
  bool isShownAsHalf = false;
  /// The argument in whose memory it is stored (InPlace.h), and where it begins if it is a part.
  const Value *memory = nullptr;
  llvm::SmallVector<Expr, 4> memoryStarts;
  /// Select: its parts are stored in its memory, which is all of it, so that no kernel makes it
  /// (Joins.h).
  bool isJoin = false;
  /// The join in whose memory it is stored, and the places there, linear in its indices.
  Value *join = nullptr;
  llvm::SmallVector<Expr, 4> joinPlaces;
  /// Scan: it runs over the elements from its own to the last.
  bool isReversed = false;
  /// Scatter: the sizes that its kernel goes over.
  llvm::SmallVector<Expr, 4> updateShape;
  /// Size: the expression. Iota, Scan, Scatter: the dimension. Call: the number of the result.
  Expr size;
  unsigned dim = 0;
  /// Input and Scalar: the number of the argument.
  unsigned argument = 0;
  /// The operator of the user's program that this value belongs to; stage 1 stays within one.
  unsigned unit = 0;
  /// Position in program order.
  unsigned order = 0;

  Value(ValueKind kind, std::string name, mlir::Location loc, mlir::Type elementType)
      : kind(kind), name(std::move(name)), loc(loc), elementType(elementType) {}

  bool isCast() const;
  /// A cast that PyTorch's half-precision results imply, not the user.
  bool isElidableCast() const;
  /// The number by which forward and backward program know such a cast; nothing where only one of
  /// them has it.
  std::optional<int64_t> getSharedCast() const;
  /// Costs nothing to recompute anywhere: never worth storing.
  bool isFree() const {
    return kind == ValueKind::Input || kind == ValueKind::Scalar || kind == ValueKind::Constant ||
           kind == ValueKind::Size || kind == ValueKind::Iota;
  }
  int64_t getElementBytes() const;
};

/// Calls `visit` for every access of a value, those of loaded indices included.
void forEachAccess(const Value &value, llvm::function_ref<void(const Access &)> visit);
void forEachAccess(Value &value, llvm::function_ref<void(Access &)> visit);

/// What maps below a value are made of and are no maps themselves; of a value that is no map,
/// itself.
llvm::DenseSet<const Value *> findLeaves(const Value &top);

/// Whether neighbours along what a fold runs over lie beside one another in what it reads, as far
/// as shapes tell.
bool isContiguous(const Value &fold);

/// What is rounded to TF32, for products alone: others may read it as it was.
bool isRounding(const Value &value);

/// What a program yields or assigns.
struct Result {
  Value *value;
  /// The argument that it is assigned to; -1 for a returned result.
  int assignedArgument = -1;
  /// Where in the argument it begins, for each axis; empty where it is all of it.
  llvm::SmallVector<Expr, 4> starts = {};
};

/// A returned result that is memory of an argument under other sizes and strides: nothing computes
/// it. `place` is its number among what is returned.
struct ViewedResult {
  unsigned place;
  Access access;
  llvm::SmallVector<Expr, 4> shape;
  mlir::Location loc;
};

/// What index expressions became at coordinates: plans are made again and again while a partition
/// is looked for, and ask the same each time.
struct IndexMemory {
  /// The elements of a shape.
  Expr productOf(llvm::ArrayRef<Expr> shape, index::Context &context);
  /// The number of coordinates `at` and, for folds, `fold`.
  unsigned placeOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold);
  /// The number of coordinates, and the same coordinates for as long as this lives.
  std::pair<unsigned, llvm::ArrayRef<Expr>> keep(llvm::ArrayRef<Expr> at);
  Expr maximumOf(Expr a, Expr b);
  /// Whether coordinates are `$0, $1, ...`.
  bool isIdentity(llvm::ArrayRef<Expr> at, index::Context &context);
  /// The row-major position of coordinates in a shape.
  Expr positionOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape, index::Context &context);

  llvm::DenseMap<std::pair<Expr, unsigned>, Expr> exprs;
  llvm::DenseMap<std::pair<Pred, unsigned>, Pred> preds;
  /// Simplified where only the ranges of indices are known, by the place of these.
  llvm::DenseMap<std::pair<Expr, unsigned>, Expr> simplified;
  /// Values at the planned sizes.
  llvm::DenseMap<Expr, int64_t> estimates;

private:
  struct Hash {
    size_t operator()(const std::vector<Expr> &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };
  std::unordered_map<std::vector<Expr>, unsigned, Hash> places;
  /// What has each number in `places`.
  std::vector<const std::vector<Expr> *> keys;
  llvm::DenseMap<unsigned, Expr> products;
  llvm::DenseMap<std::pair<Expr, Expr>, Expr> maxima;
  llvm::SmallVector<Expr, 8> indices;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Expr> positions;
  std::vector<Expr> lastKey;
  unsigned lastPlace = 0;
};

/// How a loop and the program of its body fit together. The body takes the number of the turn, the
/// states, `sources`, and what it writes to: the next states, and each tensor in which a result of
/// all turns is stacked.
struct HostLoop {
  /// What the body reads besides the states: the tensors that the loop's inputs are views of, and
  /// constants.
  llvm::SmallVector<mlir::Value> sources;
  /// The symbol that counts the turns.
  Expr turn;
  /// The host program of the body, to be inlined.
  mlir::func::FuncOp body;
};

using HostLoops = llvm::DenseMap<mlir::Operation *, HostLoop>;

/// All values of a program in order, its results, sizes and requirements.
struct Program {
  /// A handle: reading through it needs no const-correctness of ours.
  mutable mlir::func::FuncOp func;
  index::Context *context = nullptr;
  std::deque<Value> values;
  std::vector<Value *> arguments;
  std::vector<Result> results;
  std::vector<ViewedResult> views;
  std::vector<std::pair<Pred, std::string>> checks;
  /// What the checks say of one size alone, and these sizes.
  std::optional<index::Facts> sizeFacts;
  llvm::DenseSet<Expr> boundedSizes;
  /// Sizes that the checks make multiples. All index expressions here are over their quotients; the
  /// checks are over the sizes themselves.
  SizeForms sizeForms;
  /// Operators of values that the scheduler adds.
  std::unique_ptr<mlir::Block> made;
  /// Sizes to choose kernels for.
  llvm::DenseMap<Expr, int64_t> planned;
  /// What may be done, and what decides.
  Policy policy;
  /// Whether kernels say what their loops are.
  bool describesNests = false;
  /// Loops of the host program: see HostLoops.h.
  HostLoops hostLoops;
  /// The operator of each loop that kernels make.
  std::vector<mlir::Operation *> loopOps;
  /// The symbol that counts the turns, of the body of a loop that the host program makes.
  Expr turn;
  /// For each loop, how many turns it makes.
  std::vector<Expr> turns;
  mutable IndexMemory indexMemory;

  /// The symbol of a value's index `i`, and of the index `i` that a fold runs over.
  Expr getIndex(unsigned i) const { return context->symbol("$" + std::to_string(i)); }
  Expr getFoldIndex(unsigned i) const { return context->symbol("$r" + std::to_string(i)); }
  /// The symbol that counts the turns of a loop.
  Expr getTurn(int loop) const { return context->symbol("@t" + std::to_string(loop)); }
  /// An expression's value at the planned sizes; unknown sizes count 1024.
  int64_t estimate(Expr expr) const;
  int64_t estimateElements(llvm::ArrayRef<Expr> shape) const;
};

/// The values that a kernel loads: others store them, or the caller has them.
using StoredSet = llvm::DenseSet<const Value *>;

/// Counts the values in their order anew, so many places apart: room for those that are put between
/// them. Equal places are taken in the order in which values were made.
void spaceOut(Program &program, unsigned places);

/// Reads a `graph.program`. Returns failure after a diagnostic at the operator that is not
/// supported.
mlir::LogicalResult buildProgram(mlir::func::FuncOp func, Program &program);

} // namespace nereid::schedule
