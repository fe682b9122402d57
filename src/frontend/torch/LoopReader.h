// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a `for` as one graph.loop. The body is executed once on trial, to learn what it changes;
// what changes becomes the loop's state, and the body is executed again on placeholders. A turn
// that differs from the others (the first one, mostly) is executed apart. Loops within the body are
// read by readers of their own.
//
//   LoopReader reader(library, loop, items);
//   if (auto ended = reader.run()) return *ended;   // else the loop is to be unrolled
#pragma once

#include "frontend/torch/LoopSizes.h"
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

namespace nereid::torch {

/// Whether two steps make the same view of a tensor.
bool areSame(const SizeSolver &solver, const ViewStep &a, const ViewStep &b);

class LoopReader {
public:
  LoopReader(TorchLibrary &t, machine::Loop &loop, LoopItems *items, bool onlyCarried)
      : t(t), machine(*t.machine), loop(loop), items(items), onlyCarried(onlyCarried),
        around(t.loopReader) {}
  ~LoopReader();

  /// How the loop ended; nullopt when it has to be unrolled, and nothing has changed.
  std::optional<machine::Completion> run();

  // --- While the body is executed ----------------------------------------------------------------
  /// How many storages there were before the loop.
  size_t countOuterStorages() const { return outerStorages; }
  /// A tensor from outside is written.
  void noteWrite(TensorValue *tensor);
  /// Whether an expression differs from turn to turn, of a loop around this one too.
  bool moves(Expr expr) const;
  /// The number of turns before this one.
  Expr turnNumber() const { return index; }
  /// The current value of a view of rows of which a loop writes one a turn.
  static mlir::Value readRows(TensorValue *tensor);
  static bool writeRows(TensorValue *tensor, mlir::Value value);
  /// `base` with `value` in the place of a slice whose place moves from turn to turn.
  mlir::Value scatterMoving(mlir::Value base, const ViewStep &step, mlir::Value value);
  /// The item that was appended so many turns before; null after a refusal.
  PyValue lastOf(size_t number, int64_t age);
  PyValue itemAt(GrownList *list, Expr place);

private:
  enum class Outcome { Done, First, Last, Refused };

  /// A number or tensor that differs from turn to turn.
  struct Leaf {
    mlir::Value initial, argument, next;
    bool isNumber = false;
  };
  /// A place that the body binds anew: what stands there before the loop and within it.
  struct Cell {
    machine::Change place;
    PyValue initial, sample, placeholder = nullptr;
    /// What it leaves has another name too; what it begins with is the first item of a list.
    bool isLeftTwice = false, isAppended = false;
  };
  /// A tensor of outside that is written as a whole; of one of which a loop around this one writes
  /// rows, its current row.
  struct Written {
    Storage *storage;
    size_t leaf = 0;
  };
  /// A tensor of outside, or a view of it, of which each turn writes the rows from `written` on,
  /// along axis `dim`.
  struct Rows {
    LoopReader *reader;
    Storage *storage;
    Rows *around; // of a loop around this one
    std::vector<ViewStep> prefix;
    int64_t dim;
    Expr written, length; // the first one, how many
    int64_t stride;       // between the rows of two turns
    DType dtype;
    mlir::Value original, current;
    /// Leaves that hold the rows of earlier turns.
    llvm::SmallVector<size_t, 2> history;
  };
  /// What a storage holds.
  struct Held {
    mlir::Value value;
    Rows *rows;
    mlir::Value row; // the current one of `rows`
  };
  /// A list to which each turn appends.
  struct Grown {
    machine::ListObject *list;
    std::vector<PyValue> before;
    bool atFront;
    mlir::Value item;
    /// Leaves that hold the items of earlier turns, the last one first.
    llvm::SmallVector<size_t, 2> history;
    /// The last item, as the turn has it.
    TensorValue *last = nullptr;
    bool isLeftTwice = false;
  };
  // LoopReader.cpp: turns and attempts
  Outcome attempt();
  bool trial();
  bool turn(Expr index);
  bool plainTurn(Expr index);
  Outcome blame(const llvm::Twine &what);
  Outcome placeOfDifference();
  std::vector<Held> heldByStorages() const;
  void restoreStorages(llvm::ArrayRef<Held> held);
  mlir::Block *newBlock();
  bool sortChanges(llvm::ArrayRef<machine::Change> changes);
  bool sortStorages(llvm::ArrayRef<Held> before);
  bool sortRows(Storage *storage);
  bool sortChange(const machine::Change &change);
  bool hasTensors(PyValue value) const;

  /// Builds what stands before the loop.
  template <typename Make> auto buildOutside(Make make) {
    mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
    t.writer.builder.restoreInsertionPoint(outside);
    return make();
  }

  // LoopState.cpp: what is carried from turn to turn
  bool differ(const llvm::Twine &what);
  bool sameKnown(PyValue a, PyValue b);
  bool sameType(TensorValue *a, TensorValue *b);
  std::string describe(PyValue value);
  static bool isSizeLike(PyValue value);
  static Expr withoutInnerRemainders(Expr expr);
  bool isWithin(Expr number, Expr modulus) const;
  Expr cycleOf(StringRef name);
  PyValue placeholder(PyValue before, PyValue sample, StringRef name);
  PyValue placeholderOf(mlir::Value initial, bool isNumber);
  PyValue rebuild(PyValue like, ArrayRef<PyValue> items);
  size_t addLeaf(mlir::Value initial, bool isNumber);
  Leaf *leafOf(PyValue held);
  bool collect(PyValue before, PyValue held, PyValue after, StringRef name);
  std::optional<mlir::Value> numberAs(PyValue number, TensorValue *like);
  bool enterState();
  bool leaveState(llvm::ArrayRef<machine::Change> changes, bool &isNew);

  // LoopRows.cpp: rows that are written one a turn
  bool isShared(PyValue value) const;
  bool changesInFirstTurn(TensorValue *tensor) const;
  bool leaveRows();
  static Rows *rowsOf(const Storage &storage) { return static_cast<Rows *>(storage.rows); }
  mlir::Value wholeOf(const Storage &storage);
  static void setWhole(Storage &storage, mlir::Value value);
  std::optional<ArrayRef<ViewStep>> stepsIn(const Rows &rows, ArrayRef<ViewStep> steps) const;
  mlir::Value readRows(Rows &rows, TensorValue *tensor);
  bool writeRows(Rows &rows, TensorValue *tensor, mlir::Value value);
  mlir::Value rowAt(Rows &rows, Expr place);
  void finishRows(llvm::ArrayRef<mlir::Value> stacks);
  void putBack(Rows &rows, mlir::Value value);

  // LoopLists.cpp: lists to which each turn appends
  bool leaveList(Grown &each);
  void finishLists(llvm::ArrayRef<mlir::Value> stacks);

  // LoopNames.cpp: names that only the body binds
  bool isReadLater(const machine::Change &change) const;
  bool isBoundFirst(const machine::Change &change) const;
  bool leaveTemporaries();
  bool finishTemporaries();
  static void forEachTensor(PyValue value, llvm::function_ref<void(TensorValue *)> visit);
  void findSharedLeavings(llvm::ArrayRef<PyValue> left);

  // LoopInputs.cpp: what is read at places that move with the turn
  mlir::Value addInput(mlir::Value stacked);
  mlir::Value stackedRows(graph::SliceOp slice);
  mlir::Value gatheredRows(graph::SliceOp slice);
  std::optional<mlir::Value> stackedNumber(Expr expr);
  mlir::Value turnsFirst(mlir::Value rows, int64_t turns);
  mlir::Value numberInBody(Expr expr);
  mlir::Value gatheredPart(graph::SliceOp slice);

  // LoopBody.cpp: the body as a graph.loop
  bool makeOp();
  bool hoist(mlir::Operation &op);
  bool settlePlaces(mlir::Block &block);
  bool settleInner(graph::LoopOp inner);
  bool settleInside(mlir::Operation &op);
  /// Marks a tensor of which the body writes rows where the whole is read.
  static constexpr llvm::StringLiteral wholeRows = "whole rows";
  bool mentionsTurn(mlir::Operation &op) const;
  bool isInvariant(mlir::Operation &op) const;
  PyValue final(PyValue before, PyValue held);

  TorchLibrary &t;
  machine::Machine &machine;
  machine::Loop &loop;
  LoopItems *items;
  /// Only a loop that carries tensors is worth keeping.
  bool onlyCarried;

  Expr index;                  // the symbol of the turn
  int64_t first = 0, last = 0; // turns that are executed apart
  Expr count;                  // of the turns that the loop makes
  bool isTrial = false;
  /// A turn was not like the trial's: the first one is to be executed apart.
  bool isDifferent = false;
  /// A number of Python became a tensor of the loop's state.
  bool isConverted = false;
  /// The moduli of counters that begin again, by name; one more of them was found.
  llvm::StringMap<Expr> cycles;
  bool isCyclic = false;
  mlir::Block *body = nullptr;
  std::vector<mlir::Block *> blocks;
  mlir::OpBuilder::InsertPoint outside;
  size_t outerStorages = 0;
  /// The loop in whose body this one stands.
  LoopReader *around;
  /// The steps of the writes to places that move from turn to turn.
  llvm::DenseMap<Storage *, std::vector<std::vector<ViewStep>>> writes;
  llvm::DenseSet<Storage *> wholeWrites;
  llvm::SmallVector<machine::Name, 4> targets;

  std::vector<Leaf> leaves;
  std::vector<Cell> cells;
  std::vector<Written> written;
  std::vector<Rows> rows;
  std::vector<Grown> grown;
  /// Names that only the body binds.
  std::vector<machine::Change> temporaries;
  /// Those of them that are read after the loop, and the leaves that hold their values.
  std::vector<std::pair<machine::Change, size_t>> lastValues;
  /// Names of what they leave whose memory has another name too.
  llvm::DenseSet<size_t> lastLeftTwice;
  llvm::SmallVector<mlir::Value> inputs;
  /// Numbers that differ from turn to turn, as values of the body.
  llvm::DenseMap<Expr, mlir::Value> numbers;
  std::optional<LoopSizes> sizes;
  graph::LoopOp op;
};

} // namespace nereid::torch
