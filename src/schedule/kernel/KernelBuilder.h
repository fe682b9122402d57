// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the tile IR of one kernel by answering requests: a value at coordinates, walking back from
// the outputs. Equal requests are answered once, and a request that does not depend on a loop's
// index is answered outside of the loop, so that hoisting needs no pass.
#pragma once

#include "schedule/kernel/TileValue.h"
#include "schedule/nest/Cost.h"
#include "schedule/nest/FoldPlans.h"
#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"
#include "schedule/program/LoadedNames.h"

#include "index/Printer.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

namespace nereid::schedule {

/// How many elements are counted in 32 bits, with room for a block beyond the last one.
inline constexpr int64_t longest32 = (int64_t(1) << 31) - 65536;

struct Pass;

/// Where a parameter of a kernel comes from.
struct KernelParameter {
  /// A stored value or an argument (a pointer), or a runtime scalar.
  const Value *value = nullptr;
  /// An index expression, when `value` is null.
  Expr size;
};

/// A kernel in IR and how to launch it.
struct BuiltKernel {
  mlir::func::FuncOp func;
  std::vector<KernelParameter> parameters;
  /// Extents of the grid, over sizes and meta-parameters.
  llvm::SmallVector<Expr, 3> grid;
  /// Meta-parameters that follow from sizes.
  llvm::SmallVector<std::pair<std::string, Expr>, 2> meta;
  /// Meta-parameters that are conditions on sizes.
  llvm::SmallVector<std::pair<std::string, Pred>, 2> conditions;
  /// What the sizes must fulfil for the kernel's index arithmetic.
  std::vector<std::pair<Pred, std::string>> checks;
  /// Folds that need a loop of their own, and why.
  std::vector<std::string> refusals;
  /// What a loop over the row reads that an earlier one has read.
  llvm::SmallVector<const Value *, 2> readAgain;
  /// All that the outputs are made of.
  std::optional<Requests> requests;
  /// Its loops as text, where they were asked for.
  std::string nest;
};

class KernelBuilder {
public:
  KernelBuilder(const Program &program, const StoredSet &stored, const StrideMap &strides,
                const Kernel &kernel, const Form &form, mlir::ModuleOp module);

  /// Appends the kernel to the module under the given symbol name.
  mlir::FailureOr<BuiltKernel> build(llvm::StringRef name);

private:
  /// How wide a number is made: as its parts are where the result fits, in 64 bits, or in 32 as the
  /// bounds of a loop are.
  enum class Width : uint8_t { Own, Wide, Narrow };
  /// A level of loop nesting, where what depends on the loop's index is answered.
  struct Scope {
    Scope *parent = nullptr;
    mlir::Block *block = nullptr;
    /// The loop of an open inner scope: new operations of this scope go before it.
    mlir::Operation *inner = nullptr;
    /// What `inner` of the outer scope was when this one was opened.
    mlir::Operation *next = nullptr;
    using Key = std::tuple<const Value *, std::vector<Expr>, const void *>;
    std::map<Key, TileValue> values;
    llvm::DenseMap<Expr, TileValue> symbols;
    /// By expression, width that is wanted and condition that is assumed.
    std::map<std::tuple<Expr, Width, const void *>, TileValue> numbers;
    llvm::DenseMap<Pred, TileValue> predicates;
  };
  class InScope;

  // Set-up: KernelBuilder.cpp
  void createPointers();
  void bindRows(BuiltKernel &built);
  TileValue bindBlock(unsigned axis, TileValue number, Expr extent, llvm::StringRef name,
                      llvm::StringRef mask);
  void bindRowBlock(TileValue number, Expr extent);
  void bindOuterRows(const Space &rows, TileValue number, llvm::StringRef name);
  Expr takeColumnBlock(TileValue &program);
  void bindColumnBlock();
  TileValue countBlocks(Expr extent, unsigned axis);
  TileValue takeBlock(TileValue &program, Expr extent, unsigned axis);
  void addColumnAxes(BuiltKernel &built);
  index::Expr longestColumns() const;
  index::Expr leastRowsTogether() const;
  int64_t rowsTogether(BuiltKernel *built);
  void bindFlat();
  void bindColumns(unsigned columns, TileValue start, bool isReversed = false);
  void bindAxes(const Space &space, TileValue position, Scope &scope);
  void chainQuotients();
  void finish(BuiltKernel &built, llvm::StringRef name);
  std::string uniqueName(llvm::StringRef base);

  // Index arithmetic: KernelIndex.cpp
  Scope &scopeOf(llvm::ArrayRef<Expr> exprs, Pred guard);
  TileValue number(Expr expr, bool wide, mlir::Location loc);
  TileValue literal(int64_t value, mlir::Location loc);
  static std::pair<Expr, Expr> splitSizes(Expr monomial);
  TileValue symbolNumber(Expr symbol, mlir::Location loc);
  TileValue extremeNumber(Expr expr, bool wide, mlir::Location loc);
  TileValue product(Expr expr, bool wide, mlir::Location loc);
  std::vector<Expr> partsByAxes(Expr expr, bool wide, mlir::Location loc);
  TileValue sum(Expr expr, bool wide, mlir::Location loc);
  bool isMadeOfPassed(Expr sum) const;
  TileValue computeNumber(Expr expr, bool wide, mlir::Location loc);
  TileValue divide(Expr expr, mlir::Location loc);
  template <typename OpTy>
  TileValue combineTerms(TileValue a, TileValue b, Expr result, mlir::Location loc);
  static bool isUniform(Expr expr);
  TileValue parameter(Expr size, mlir::Location loc);
  /// The parts of an offset: one number for the program in 64 bits, and a tile; null where 0.
  struct Offset {
    TileValue scalar, lanes;
  };
  Offset splitOffset(Expr offset, mlir::Location loc);
  bool isShort(const Value &value) const;
  TileValue address(const Value &value, llvm::ArrayRef<Expr> at, mlir::Location loc);
  Expr usePositions(Expr offset);
  Expr offsetOf(const Value &value, llvm::ArrayRef<Expr> at);

  // What is known of numbers: KernelBounds.cpp
  enum class Wrap : uint8_t { None, Below, Past };
  Wrap wrapOf(Expr dividend, Expr divisor);
  Expr turnDivisions(Expr expr);
  bool isNeverNegative(Expr expr, Pred under);
  bool needsGuard(Expr expr);
  bool isNarrow(Expr expr);
  bool demandNarrow(Expr expr);
  std::optional<Expr> greatest(Expr atom);
  std::optional<Expr> greatestOfSum(Expr expr);
  static bool provesNarrow(Expr expr, index::Facts known);
  const index::Facts &knownBounds();

  // Conditions: KernelConditions.cpp
  TileValue predicate(Pred pred, mlir::Location loc);
  TileValue mergedPredicate(Pred pred, mlir::Location loc);
  TileValue computePredicate(Pred pred, mlir::Location loc);
  static void gatherSizes(Expr &left, Expr &right);
  std::optional<TileValue> boundsMask(llvm::ArrayRef<unsigned> axes, mlir::Location loc);
  /// The lanes of axes that lie within their bounds and fulfil a condition.
  std::optional<TileValue> maskUnder(Pred guard, llvm::ArrayRef<unsigned> axes, mlir::Location loc);
  /// `input` with `fill` beyond the bounds of an axis.
  TileValue inBounds(unsigned axis, TileValue input, TileValue fill, mlir::Location loc);

  // Requests: KernelRequests.cpp
  bool isLoaded(const Value &value) const {
    return value.kind == ValueKind::Input ||
           (stored.contains(&value) && !computed.contains(&value));
  }
  bool isOneNumber(const Value &value, llvm::ArrayRef<Expr> at) const;
  TileValue request(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                    std::optional<double> padWanted = {});
  TileValue answer(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                   std::optional<double> padWanted);
  Access resolve(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                 Pred guard, llvm::DenseMap<Expr, Expr> *ownNames = nullptr) {
    return names.resolve(access, at, fold, guard, ownNames);
  }
  TileValue read(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                 Pred guard, std::optional<double> padWanted = {});
  TileValue load(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                 std::optional<double> padWanted);
  void hintReuse(BuiltKernel &built);
  std::optional<TileValue> withoutPads(const Value &value,
                                       llvm::ArrayRef<TileValue> operands) const;
  index::Facts factsAbout(llvm::ArrayRef<Pred> preds) const;
  std::optional<TileValue> ofPlaces(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  TileValue map(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                std::optional<double> padWanted);
  TileValue checkedIndex(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  /// Where the operand of a choice between elements is looked at, as far as loads gain by it.
  Pred neededWhere(const Value &value, unsigned operand, llvm::ArrayRef<Expr> at, Pred guard);
  /// Whether a division by a number of the row is made by its reciprocal.
  bool takesReciprocal(const Value &value, const TileValue &dividend,
                       const TileValue &divisor) const;
  TileValue reciprocal(const TileValue &divisor, llvm::ArrayRef<Expr> at, Pred guard,
                       mlir::Location loc);
  TileValue random(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  TileValue firstCounter(Expr stream, unsigned shift, mlir::Location loc);
  TileValue select(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  /// Around the end of which axis two accesses go, and the place that both are then.
  struct AroundEnd {
    size_t axis;
    Expr place;
  };
  std::optional<AroundEnd> aroundEnd(const Access &before, const Access &behind, Pred when);
  std::optional<Access> wrapAround(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  llvm::SmallVector<Access> throughMaps(Access top, Pred guard);
  std::optional<TileValue> selectAroundEnd(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  Pred decide(Pred pred, Pred under);
  TileValue joinPair(const KernelOutput &output,
                     llvm::function_ref<TileValue(llvm::ArrayRef<Expr>)> make);
  void store(const KernelOutput &output, TileValue result);
  void store(const KernelOutput &output);

  // Folds: KernelFolds.cpp
  void answerFolds(llvm::ArrayRef<FoldPlan> group);
  void answerFoldsResident(llvm::ArrayRef<FoldPlan> group, unsigned columns);
  TileValue foldInPlace(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  std::optional<TileValue> foldInTurns(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  std::optional<TileValue> foldInTurns(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                                       llvm::SmallVector<unsigned, 2> &axes);
  bool isTurnOfFew(Expr expr) const;
  bool isOfAllTurns(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) const;
  Expr openTurns(int64_t turns, llvm::SmallVectorImpl<mlir::scf::ForOp> &loops,
                 llvm::SmallVectorImpl<mlir::Value> &state, mlir::Location loc);
  // Folds in strips: StripFolds.cpp
  TileValue foldInStrip(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  Pred insideOf(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) const;
  llvm::SmallVector<Expr, 4> withShiftedTurns(llvm::ArrayRef<Expr> at);
  void answerFoldsInLoop(llvm::ArrayRef<FoldPlan> group, unsigned columns);
  /// What folds in a loop have in the current turn: their input, their state before and after.
  struct LoopFold {
    TileValue input;
    TileValue before, after;
  };
  LoopFold foldTurn(const FoldPlan &request, unsigned columns, llvm::ArrayRef<unsigned> along,
                    bool isReduced, mlir::ValueRange before,
                    llvm::SmallVectorImpl<mlir::Value> &next);
  void initialState(const FoldPlan &request, llvm::ArrayRef<unsigned> along,
                    llvm::SmallVectorImpl<mlir::Value> &initial);
  TileValue foldInput(const FoldPlan &request, unsigned columns, double neutral);
  TileValue foldInput(const FoldPlan &request, llvm::ArrayRef<Expr> symbols, unsigned axis,
                      double neutral);
  unsigned columnsOf(const Value &fold) const { return kernel.columnsOf(fold); }
  bool showsEmptyFold(const Value &fold) const;
  llvm::SmallVector<Expr, 4> foldIndices(const Value &fold) const;
  llvm::SmallVector<Expr, 4> decide(llvm::ArrayRef<Expr> at) const;
  llvm::SmallVector<Expr, 4> decideUnder(llvm::ArrayRef<Expr> at, Pred guard) const;
  llvm::SmallVector<Expr, 4> plannedUnder(const Value &fold, llvm::ArrayRef<Expr> at,
                                          Pred guard) const;
  TileValue placeInFold(unsigned columns, mlir::Location loc);
  TileValue loopBound(Expr expr, mlir::Location loc);
  TileValue columnBound(unsigned columns, mlir::Location loc);
  TileValue rowBound(unsigned columns, mlir::Location loc);
  void remember(const FoldPlan &request, TileValue value);
  // Columns that masks hide: HiddenTiles.cpp
  struct LoopBounds {
    TileValue start, stop;
    /// Up to here, or from here on, all rows look at all columns, as far as there are any; null
    /// where that is not known. The same held within the columns.
    TileValue whole, wholeWithin;
    bool isWholeBefore = false;
  };
  /// Whether programs of later rows make more turns, fewer, or as many.
  enum class Growth : uint8_t { None, More, Fewer };
  Pred visibleTerms(llvm::ArrayRef<FoldPlan> group);
  LoopBounds visibleColumns(Pred visible, unsigned columns, mlir::Location loc);
  Growth growthOfTurns();
  bool runsLongestFirst(Growth growth) const;
  class Assumption;
  mlir::scf::ForOp openLoop(unsigned columns, mlir::ValueRange initial, mlir::Location loc,
                            bool isReversed = false, const LoopBounds *bounds = nullptr);
  mlir::scf::ForOp openSteps(mlir::ValueRange initial, mlir::Location loc);
  mlir::scf::ForOp enterLoop(TileValue start, TileValue bound, unsigned axis,
                             mlir::ValueRange initial, mlir::Location loc);
  mlir::scf::ForOp enterLoop(TileValue start, TileValue bound, mlir::Value step,
                             mlir::ValueRange initial, mlir::Location loc);
  void enterScope(mlir::Operation *op, mlir::Block *block);
  void closeScope(mlir::ValueRange results, mlir::Location loc);
  /// Closes what `openLoop` opened; returns the results behind it.
  mlir::ValueRange closeColumns(mlir::scf::ForOp loop, mlir::ValueRange results,
                                mlir::Location loc);

  // Contractions: KernelContractions.cpp
  void addContractionAxes(BuiltKernel &built);
  void addHeldAxis(BuiltKernel &built, llvm::StringRef name, const Space &space);
  void bindContraction(BuiltKernel &built);
  void bindHeld(unsigned axis, const Space &space, llvm::StringRef name, llvm::StringRef mask);
  std::optional<Access> heldWithin(const Access &own, unsigned side);
  int64_t evenStep() const;
  void maskUnlessEven(unsigned axis, TileValue inside, Pred even, llvm::StringRef name);
  /// Whether a fold's result has lanes: it is a sum of products of tiles.
  bool hasLanes(const FoldPlan &fold) const { return folds.hasLanes(fold.at); }
  /// A factor's tile at coordinates of its fold, zero beyond the end of an axis of its terms: there
  /// the other one may hold anything.
  TileValue factor(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> over,
                   llvm::ArrayRef<unsigned> along, unsigned terms, Pred guard, mlir::Location loc);
  mlir::Value multiply(TileValue left, TileValue right, mlir::Value sum, bool mayBeTf32,
                       mlir::Location loc);
  mlir::Value contractionTurn(const FoldPlan &request, mlir::Value before);
  // Factors that are stored as halves: KernelHalves.cpp
  struct HalfSums;
  TileValue numbersOf(const Access &numbers, const FoldPlan &request, double beyond);
  mlir::Value mayTakeHalves(llvm::ArrayRef<HalfSums> sums, mlir::Location loc);
  llvm::SmallVector<mlir::Value> sumHalves(llvm::ArrayRef<HalfSums> sums, mlir::Location loc);
  llvm::SmallVector<mlir::Value> sumFloats(llvm::ArrayRef<FoldPlan> group, mlir::Location loc);
  void answerFromHalves(llvm::ArrayRef<FoldPlan> group);
  TileValue nestedTile(const Value &value, llvm::ArrayRef<Expr> at);
  Pred insideOf(const Value &value, llvm::ArrayRef<Expr> at, bool alongColumns);
  std::optional<TileValue> chooseByIndex(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                                         std::optional<double> padWanted);

  // Scans: KernelScans.cpp
  struct ScanTiles {
    TileValue elements;
    std::optional<TileValue> resets;
  };
  TileValue elementsBehind(const Value &value, llvm::ArrayRef<Expr> at, unsigned axis,
                           double neutral);
  ScanTiles scanInput(const Value &value, llvm::ArrayRef<Expr> at);
  ScanTiles scanTiles(const Value &value, const ScanTiles &input, unsigned axis, bool isReversed);
  TileValue scan(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  TileValue lastOfBlock(unsigned axis, mlir::Location loc);
  mlir::Value carryOf(const Value &value, const ScanTiles &input, const TileValue &prefixes,
                      const TileValue &carry, unsigned axis);
  void storeScanInLoop(const KernelOutput &output);

  // The passes of the nest: KernelPasses.cpp
  void makePasses();
  void makeFolds(const Pass &pass);
  void foldAndStore(const Pass &pass);
  void makeOverwritten();
  void storeOutputs(const Pass &pass);

  // Programs that make the turns of a loop: LoopTurns.cpp
  void makeTurns(const Pass &pass);
  llvm::SmallVector<unsigned, 2> stateAxes(llvm::ArrayRef<Expr> at) const;
  Pred isInside(const Value &state, llvm::ArrayRef<Expr> at) const;

  // Programs that go over spans of rows: SpanFolds.cpp
  void bindSpan();
  mlir::scf::ForOp openRows(mlir::ValueRange initial);
  llvm::SmallVector<unsigned, 2> carriedAxes(const KernelOutput &output) const;
  void makeSpan(const Pass &pass);

  // Bounds that are data: DataBounds.cpp
  TileValue search(const Value &value, llvm::ArrayRef<Expr> at, Pred guard);
  llvm::SmallVector<unsigned, 2> searchAxes(const TileValue &wanted, llvm::ArrayRef<Expr> line,
                                            Expr place, mlir::Location loc);
  TileValue searchTurn(const Value &value, llvm::ArrayRef<Expr> at, Pred guard, Expr place,
                       TileValue wanted, TileValue count, TileValue step);
  TileValue segmentBound(unsigned columns, bool end, mlir::Location loc);
  void storeScatter(const KernelOutput &output);

  /// The tile axis of a pair, behind those of a flat kernel or of spans.
  unsigned pairAxis() const { return kernel.span == 0 ? 1 : 2; }
  void bindPair();
  bool fillsBlock(const Space &space) const;
  /// Of a contraction's tile axes that of rows is the first, then come what nested ones are summed
  /// over, columns and lanes: both factors of each product have their axes in order.
  unsigned columnAxis(unsigned columns) const {
    return columns + (form.tiledRows ? 1 : 0) + heldTerms;
  }
  unsigned laneAxis() const { return columnAxis(0) + 1; }
  bool isNested() const { return kernel.isNested(); }
  /// Whether its loop goes over the steps of all outer columns, which are so many for each; one of
  /// both is a number.
  bool hasSteps() const {
    return kernel.contraction && !isNested() && !form.outerColumns.symbols.empty() &&
           (form.columns[0].extents.front().isConstant() ||
            index::product(context, form.outerColumns.extents).isConstant());
  }

  // Cascades of folds in one loop: OnlineFolds.cpp
  class OnlineFolds;
  const Program &program;
  const StoredSet &stored;
  StoredSet computed;
  const StrideMap &strides;
  Kernel kernel;
  Form form;
  /// All that the outputs are made of.
  Requests requests;
  LoadedNames names;
  FoldPlans folds;
  index::Facts facts, factsOfRows;
  /// Of the indices that numbers are made of: some of several axes that are traversed as one.
  std::optional<index::Facts> positionFacts;
  /// Holds wherever the number that is being made is used: the condition of a load.
  Pred assumed;
  llvm::DenseMap<Expr, bool> guardNeeds, narrowness;
  /// Where the counters of each stream begin, by how far its number is shifted.
  std::map<std::pair<Expr, unsigned>, TileValue> streams;
  std::optional<index::Facts> bounds;
  /// How many there are of each coordinate that is bound.
  llvm::DenseMap<Expr, Expr> extents;
  /// How many positions and checks they came from.
  size_t boundsKnown = 0;
  /// The counters of loops of a few turns, and those less a constant, with the range of each.
  std::vector<std::pair<Expr, index::Range>> turnsOfFew;
  /// Off while a loop's bounds are made: their counter has 32 bits, and the checks of the launch
  /// leave room for a block beyond the last element.
  bool widens = true;
  /// Numbers of which it is not known that they fit into 32 bits are asked to, where they are no
  /// parts of addresses.
  bool demands = true;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  TileMath math;
  index::Context &context;

  mlir::func::FuncOp func;
  Scope root;
  Scope *current = &root;
  std::vector<std::unique_ptr<Scope>> openScopes;
  std::vector<KernelParameter> parameters;
  llvm::DenseMap<const Value *, mlir::Value> pointers;
  /// The linear position of each space that is bound, as a symbol.
  std::vector<std::pair<Expr, Space>> positions;
  /// Quotients of the positions of lanes by all axes within one, and by one axis less.
  struct Quotients {
    mlir::Operation *coarse, *fine;
    llvm::SmallVector<unsigned, 2> axes;
    /// What makes the coarse one of the fine one.
    Expr divisor;
  };
  std::vector<Quotients> quotients;
  std::map<unsigned, TileValue> axisMasks;
  /// Where the segment of some columns starts, and where it ends.
  std::map<std::pair<unsigned, bool>, TileValue> segmentBounds;
  /// Blocks of rows: where they lie. A transposed map: the number of the program's block of
  /// columns.
  TileValue rowPositions, columnBlock;
  /// Conditions under which blocks fill an axis, by the name of the meta-parameter that says so.
  llvm::SmallVector<std::pair<std::string, Pred>, 2> conditions;
  /// Of a contraction: the first row of the program's block.
  TileValue rowStart;
  /// The tile axis of what each nested contraction is summed over; equal lengths share one.
  std::vector<unsigned> nestedAxes;
  unsigned heldTerms = 0;
  std::map<std::string, unsigned> usedNames;
  /// Loads of a part of a row, in loops.
  std::vector<std::pair<const Value *, tile::LoadOp>> rowLoads;
  /// The reciprocals of numbers of the row.
  llvm::DenseMap<mlir::Value, TileValue> reciprocals;
  /// While the folds of a pass are made whose loop stores too.
  const Pass *storing = nullptr;
  bool failedAlready = false;
  unsigned searches = 0;
  std::vector<std::pair<Pred, std::string>> checks;
};

} // namespace nereid::schedule
