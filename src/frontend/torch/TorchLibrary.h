// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library `torch` of the abstract machine: what PyTorch's names mean while a program is read
// into the graph dialect. Primitives are C++ (Pointwise.cpp, Views.cpp, Indexing.cpp, Folds.cpp,
// Sorting.cpp, Factories.cpp, ...); all other operators are definitions in prelude/*.py, registered
// by
// @op.
#pragma once

#include "frontend/torch/CallScopes.h"
#include "frontend/torch/KnownPlaces.h"
#include "frontend/torch/Sharing.h"
#include "frontend/torch/TorchFrontend.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace nereid::torch {

using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
using machine::Answer;
using machine::CallArgs;
using machine::ClassObject;
using machine::FunctionObject;
using machine::ModuleObject;

/// How the result type of a pointwise operator follows from its operands.
enum class Rule : uint8_t {
  Promote, // their common type
  Float,   // their common type; integers give float32
  Test,    // computed in the common type, the result is bool
  FloatTest,
};

/// An operand of a pointwise operator: a tensor, a Python number or a size.
struct Operand {
  TensorValue *tensor = nullptr;
  Expr size;
  std::optional<double> real;
  int64_t integer = 0;
  DType dtype = DType::F32;
  Rank rank = Rank::Number;
};

/// What @op says about a definition.
struct CompositeInfo {
  std::string name;   // `aten::softmax.int`
  std::string dtypes; // "float", "norm", "promote", "promote_number", "number", "first", "any"
  bool isView = false;
  machine::FunctionObject *gradient = nullptr; // of @op(grad=)
};

/// A name of the library, kept for its documentation.
struct Registered {
  std::string spaces, names; // words: "torch Tensor", "clamp clip"
  std::string signature;     // the ATen schema of a definition, Python's parameters of a primitive
  std::string file;          // of a definition: "activations.py"
  std::string dtypes;        // of a definition
};

/// The case of a program that is being read. A condition that is open (on sizes, on flags of the
/// call, on self.training) is decided one way, and the program is read anew for the other way: see
/// CaseTree.h.
struct ProgramCase {
  struct Decision {
    Pred pred;
    bool taken;
    SourceLocation place;
  };
  /// The ways to go at the first conditions; from there on conditions hold.
  std::vector<bool> given;
  std::vector<Decision> decisions;
  /// Flags of modules that the program reads: their symbols and paths (`blocks.0`, empty for
  /// itself).
  std::vector<std::pair<Expr, std::string>> flags;
  /// Conditions that tensors with elements decide are decided so, and checked: there are too many
  /// cases otherwise.
  bool hasElements = false;
  /// There are too many cases otherwise: the sizes that conditions of `while` loops speak of are
  /// fixed, those of all conditions.
  bool fixesLoops = false, fixesAll = false;
  /// Too many conditions are open on this way.
  bool isTooDeep = false;
  /// A question of how a tensor lies in memory, which is decided one way and the other like a
  /// flag. Where the program hangs on it, calls are as `isExpected` says: the arguments are
  /// row-major, and the condition on sizes holds.
  struct Layout {
    Expr flag;
    bool isExpected;
    Pred condition;
    /// Those that must be row-major for that; nothing where it follows from none.
    std::optional<llvm::SmallVector<mlir::BlockArgument>> arguments;
    llvm::SmallVector<unsigned> places = {}; // of these arguments in the program
  };
  std::vector<Layout> layouts;
};

/// An operator that is left to PyTorch: how the command line names it, and whether the program
/// calls it.
struct KeptOperator {
  std::string text;
  bool isCalled = false;
};

class LoopReader;
class SelectedRows;
struct LoopItems;
struct GrownList;
struct ListPart;

/// The primitive of one of Python's operators; empty for a product of matrices.
StringRef nameOf(machine::BinaryOperator op);

/// What to do about a program of more cases than are followed.
inline constexpr llvm::StringLiteral helpOfManyCases =
    "give the sizes in it typical values, --size NAME=N, so that they can be fixed; or assert the "
    "condition";

/// Begins the names that definitions of ours give values: those of the program come before them.
inline constexpr llvm::StringLiteral defaultNameMark = "~";

class TorchLibrary : public machine::Library {
public:
  TorchLibrary(mlir::MLIRContext *context, Diagnostics &diagnostics);

  SizeSolver solver;
  GraphWriter writer;
  Diagnostics &diagnostics;
  Machine *machine = nullptr;

  /// Registers classes and modules; call once, before the machine reads anything.
  void attach(Machine &machine);

  // --- Machine hooks ---------------------------------------------------------------------------
  Answer importModule(Machine &, StringRef name) override;
  Answer moduleAttribute(Machine &, ModuleObject &, machine::Name) override;
  Answer getAttribute(Machine &, PyValue object, machine::Name) override;
  Answer missingAttribute(Machine &, PyValue object, machine::Name) override;
  Answer setAttribute(Machine &, PyValue object, machine::Name, PyValue value) override;
  Answer call(Machine &, PyValue callee, const CallArgs &) override;
  Answer getItem(Machine &, PyValue object, PyValue key) override;
  Answer setItem(Machine &, PyValue object, PyValue key, PyValue value) override;
  Answer unary(Machine &, machine::UnaryOperator, PyValue operand) override;
  Answer binary(Machine &, machine::BinaryOperator, PyValue left, PyValue right,
                bool inPlace) override;
  Answer compare(Machine &, machine::CompareOperator, PyValue left, PyValue right) override;
  Answer identity(Machine &, PyValue left, PyValue right, bool isNegated) override;
  std::optional<bool> isInstance(Machine &, PyValue object, PyValue cls) override;
  Answer allOf(Machine &, ArrayRef<PyValue> comparisons, bool negated) override;
  Answer contains(Machine &, PyValue container, PyValue item) override;
  Answer length(Machine &, PyValue object) override;
  Answer iterate(Machine &, PyValue object) override;
  Answer convert(Machine &, PyValue object, StringRef target) override;
  Answer builtinCall(Machine &, StringRef name, const CallArgs &) override;
  machine::Truth truth(Machine &, PyValue object) override;
  std::optional<machine::Completion> branch(machine::Branch &) override;
  Answer branchValue(machine::Branch &) override;
  std::optional<machine::Completion> loop(machine::Loop &) override;
  std::optional<machine::Completion> rangeLoop(machine::Loop &) override;
  std::optional<machine::Completion> comprehension(machine::Loop &) override;
  Answer create(Machine &, ClassObject &cls, const CallArgs &) override;
  Answer callFunction(Machine &, FunctionObject &, const CallArgs &) override;
  Answer bind(Machine &, machine::Frame &, machine::Name, PyValue value,
              const python::Expr *annotation) override;
  Answer compareDevices(machine::CompareOperator op, PyValue left, PyValue right);
  Answer deviceAttribute(DeviceValue &device, llvm::StringRef name);
  Answer policyCall(Machine &, machine::Frame &, const python::Call &, PyValue callee,
                    const CallArgs &) override;

  // --- Cases (Cases.cpp) -----------------------------------------------------------------------
  /// Goes one way at an open condition; nullopt after a refusal.
  std::optional<bool> decide(Pred condition, SourceLocation place, bool isOfLoop = false);
  /// A condition that is the value of a tensor of one element, as a bool of rank 0; null for
  /// others.
  mlir::Value dataCondition(PyValue condition);
  /// How many branches on data were followed beyond their arms (DataBranch.h).
  unsigned followedBranches = 0;
  /// The predicate of a condition on sizes or flags; null for one on data.
  Pred conditionOf(PyValue condition);
  /// Makes a condition on sizes hold, by equal sizes or a check; false when it cannot.
  bool demand(Pred condition);
  /// Sets it while the program is read: for the rest of the call, whatever mode the caller is in.
  PyValue setTraining(PyValue module, PyValue mode);
  /// `self.training` of a module: known, or decided for this case.
  PyValue training(PyValue module);
  ProgramCase programCase;
  /// The calls of modules that operators are made in.
  CallScopes scopes;
  /// The module whose forward is read; null before, and for functions.
  machine::InstanceObject *instance = nullptr;

  // --- Loops that are kept (LoopItems.cpp, LoopReader.h) ----------------------------------------
  PyValue loopItem(LoopItems *items, Expr number);
  PyValue rangeItem(LoopItems *range, PyValue key);
  /// The rows of a tensor along an axis, or pieces of a length.
  LoopItems *rowsOf(TensorValue *tensor, int64_t dim, Expr length = Expr());
  machine::ListObject *grownOf(machine::ListObject *list, std::vector<ListPart> parts,
                               const GrownList *from = nullptr);
  PyValue joinGrown(GrownList *grown, PyValue axis, bool isStack);
  PyValue rowsOrNone(ArrayRef<PyValue> args);
  /// The loop whose body is being read; null outside of loops.
  LoopReader *loopReader = nullptr;

  // --- Random numbers (Random.cpp) --------------------------------------------------------------
  /// Whether random numbers are drawn by the call of the program.
  bool isDrawing() const;
  /// Whether a file is being read, and not the program called.
  bool isReadingFile() const;
  /// The seed: an argument that the program gets when it draws for the first time.
  TensorValue *seed();
  /// The block of the program while it is called; null before.
  mlir::Block *entry = nullptr;
  mlir::Value seedArgument;
  int64_t drawCount = 0;

  // --- Gradients (Gradients.cpp) ---------------------------------------------------------------
  /// Whether the program is read for its gradients: what it says about them is kept.
  bool gradients = false;
  KeptLoops keptLoops = KeptLoops::All;
  /// False inside of torch.no_grad().
  bool recording = true;
  /// Arguments of the program that are buffers, or parameters without a gradient.
  llvm::DenseSet<mlir::Value> buffers;
  /// Tensors of the call that are to have no gradient, which it is asked: PyTorch has none there.
  llvm::DenseSet<mlir::Value> ungraded;
  /// How the caller reaches each argument of the program.
  llvm::DenseMap<mlir::Value, std::string> accesses;
  std::vector<std::string> gradientRoots(mlir::Value value) const;
  mlir::Value detached(mlir::Value value);
  /// Calls the program, in the mode with which it is decorated.
  PyValue callProgram(FunctionObject &function, const CallArgs &args);
  /// The rows of an embedding, of which those at `padding_idx` have no gradient; `args` are the
  /// call's.
  PyValue embeddingWithGradient(TensorValue *rows, TensorValue *weight, TensorValue *index,
                                ArrayRef<PyValue> args);
  // --- Autocast regions (Autocast.cpp) ----------------------------------------------------------
  /// The type of the region that the program is in; nothing outside of them.
  std::optional<DType> autocast;
  /// Where regions of other devices were warned of.
  llvm::DenseSet<std::pair<const SourceFile *, uint32_t>> warnedRegions;
  /// The arguments of an operator as the region passes them on; nullopt after a refusal.
  std::optional<llvm::SmallVector<PyValue>>
  autocastArguments(StringRef name, ArrayRef<PyValue> args, bool hasDType);
  PyValue autocastTo(PyValue value, DType target);
  /// Whether autograd would follow a tensor.
  bool requiresGradient(TensorValue *tensor);
  /// Whether our own definitions ask, not the program.
  bool isReadByOurs() const;
  /// The same for the program, which relies on it from then on.
  PyValue askGradient(TensorValue *tensor);
  /// Writes that autograd does not see: false after refusing one, and what the tensor becomes.
  static bool isDetached(const TensorValue &tensor);
  bool isUnrecordedWrite(TensorValue *tensor);
  bool checkUnrecordedWrite(TensorValue *tensor);
  mlir::Value unrecorded(mlir::Value before, mlir::Value value);
  /// `tensor.data`.
  TensorValue *dataOf(TensorValue *tensor);
  /// How many tensors were detached.
  unsigned historyCount = 0;
  /// The history of a detached tensor or a view of one; null where its elements have no gradient.
  static History *historyOf(const TensorValue &tensor);
  /// What a tensor with a history holds now.
  mlir::Value readHistory(const TensorValue &tensor, History &history);
  /// Whether a write gives a detached tensor a gradient; nullopt after a refusal.
  std::optional<bool> writesHistory(TensorValue *tensor, mlir::Value value);
  /// A detached tensor behind a write; `bases` are those of its view of the storage.
  mlir::Value writtenHistory(TensorValue *tensor, ArrayRef<mlir::Value> bases, mlir::Value value);
  static void keepHistory(TensorValue *tensor, mlir::Value value);

  // --- Complex numbers (Complex.cpp, prelude/complex.py) ----------------------------------------
  /// Whether one of the arguments is a complex tensor, or the type of one; `numbers`: or a complex
  /// number of Python's.
  bool isComplexCall(const CallArgs &args, bool numbers = false) const;
  /// An operator whose arguments are complex, by its definition for them; else a refusal.
  PyValue complexCall(StringRef name, const CallArgs &args);
  Answer complexBinary(machine::BinaryOperator op, PyValue left, PyValue right, bool inPlace);
  Answer complexAttribute(ComplexValue *value, StringRef name);
  /// The complex tensor of which `parts` has the parts, along its last axis of two; null where it
  /// has raised.
  ComplexValue *complexOf(TensorValue *parts);
  /// What stores the result of an operator in its first operand.
  PyValue complexInPlace(StringRef name, const CallArgs &args);

  // --- Live numbers (LiveNumbers.cpp) -----------------------------------------------------------
  /// The number at this place of the call; `value` is a float. Equal places are one number.
  PyValue liveNumber(std::string access, PyValue value);
  static bool isLive(PyValue value);
  /// The call compares whether a live number is a float.
  void relyOnKind(PyValue number);
  llvm::SmallVector<const NumberRoot *> getRoots() const {
    return llvm::map_to_vector(roots,
                               [](const auto &root) { return (const NumberRoot *)root.get(); });
  }
  /// The value of a live number, which every call is to have; other values as they are.
  PyValue settled(PyValue value);
  /// By what a dropout multiplies what it keeps.
  PyValue dropoutScale(PyValue p);
  /// Expressions over the call that must have the values that they had while converting.
  std::vector<std::pair<std::string, PyValue>> relied;
  void rely(const std::string &access, PyValue value);
  Answer liveConvert(TensorValue &live, StringRef target);

  // --- What a call reads of its module (ModuleReads.cpp) ----------------------------------------
  /// An object that the module of the call holds: how the call reaches it, its path in the tree of
  /// modules (of a module), and its attributes before the call.
  struct Reached {
    std::string access;
    std::optional<std::string> path;
    std::vector<machine::Namespace::Slot> before;
  };
  llvm::DenseMap<const machine::Object *, Reached> reached;
  /// How long the lists and dicts were that the module holds, before the call.
  llvm::DenseMap<const machine::Object *, size_t> lengths;
  /// Tensors that the constructor computes, and what is known of them.
  std::vector<std::pair<std::string, std::string>> constants;
  /// The modules of which something was read, in that order.
  llvm::SetVector<const machine::InstanceObject *> usedModules;
  /// Those of them that are in training where the whole is.
  llvm::DenseSet<const machine::InstanceObject *> followers;
  void reachFrom(PyValue value, std::string access, std::optional<std::string> modulePath);
  bool isModule(PyValue value);
  void noteAbsent(const Reached &owner, machine::Name name);
  bool isEntry(const machine::InstanceObject &container, llvm::StringRef name);
  Answer readAttribute(Machine &, machine::InstanceObject &object, machine::Name,
                       PyValue value) override;

  // --- Whole numbers of the call as sizes (WholeNumbers.cpp) ------------------------------------
  /// The arguments that are such, and their symbols.
  llvm::DenseMap<mlir::Value, Expr> givenNumbers;
  /// A number as an expression in sizes and in numbers that the call gives; null where it depends
  /// on data.
  Expr sizeOfNumber(mlir::Value number);
  /// The same of a comparison of numbers.
  Pred conditionOfNumber(mlir::Value number);

  // --- Tensors ---------------------------------------------------------------------------------
  TensorValue *wrap(mlir::Value value);
  TensorValue *wrapNumber(mlir::Value value);
  TensorValue *parameterOf(TensorValue *tensor);
  /// The current value of a tensor or view.
  mlir::Value read(TensorValue *tensor);
  /// Stores a value of the view's own sizes and type.
  bool write(TensorValue *tensor, mlir::Value value);
  void noteUse(const Storage &storage);
  /// The result of an operator stored in its first operand, after PyTorch's checks.
  PyValue storeInPlace(TensorValue *tensor, PyValue result);
  /// The result of an operator that was called with `out=`, None included.
  PyValue storeOut(PyValue out, PyValue result);
  /// A view of a tensor by one more step.
  TensorValue *view(TensorValue *tensor, ViewStep step);
  /// A reshape to these sizes, or contiguous(): a view or a copy, as PyTorch decides.
  TensorValue *shareOrCopy(TensorValue *tensor, std::optional<ArrayRef<Expr>> sizes);
  /// x.is_contiguous(), `channelsLast` or row-major.
  PyValue isContiguous(TensorValue *tensor, bool channelsLast);
  /// Calls in which arguments are not row-major are refused; `layout` without arguments: refuses.
  bool requireLayout(const ProgramCase::Layout &layout, StringRef operation);
  /// The layout of a tensor that was stored: what it takes for it to be row-major.
  ProgramCase::Layout layoutOf(const Storage &storage);
  /// The arguments that must be row-major, and the operation that asks for it.
  llvm::MapVector<mlir::BlockArgument, StringRef> rowMajorArguments;
  /// Arguments in the order in which they were first written to, and how many of them were so when
  /// another was last read or written to: where they share memory in a call, it would see what the
  /// writes left.
  llvm::SmallSetVector<const Storage *, 4> writtenArguments;
  llvm::MapVector<const Storage *, int64_t> writtenBefore;
  /// What the arguments of bodies stand for that are no operator's yet.
  llvm::DenseMap<mlir::BlockArgument, mlir::Value> operandValues;
  mlir::Value applyStep(mlir::Value value, const ViewStep &step);

  // --- Operators, callable from C++
  // ----------------------------------------------------------------
  PyValue pointwise(StringRef name, ArrayRef<PyValue> args, Rule rule);
  PyValue arithmetic(machine::BinaryOperator op, PyValue left, PyValue right);
  Answer sizeArithmetic(machine::BinaryOperator op, PyValue left, PyValue right);
  PyValue fold(graph::FoldKind kind, TensorValue *tensor, ArrayRef<int64_t> dims, bool keepdim);
  PyValue selected(TensorValue *tensor, TensorValue *mask);
  /// Whether a mask has the sizes of the axes from `dim` on, which are equal from now on; else it
  /// has raised.
  bool fitsMask(TensorValue *tensor, TensorValue *mask, int64_t dim);
  /// `x[mask]` as a tensor, where sizes alone tell what the mask selects: they are fixed. Null
  /// where data do, or a refusal is in flight.
  PyValue settled(MaskedValue *masked);
  PyValue index(TensorValue *tensor, PyValue key);
  bool storeItem(TensorValue *tensor, PyValue key, PyValue value);
  bool storeBy(StringRef name, TensorValue *tensor, PyValue key, const Operand &stored);
  TensorValue *slice(TensorValue *tensor, int64_t dim, PyValue start, PyValue stop, int64_t step);
  TensorValue *select(TensorValue *tensor, int64_t dim, PyValue index);
  TensorValue *narrow(TensorValue *tensor, int64_t dim, Expr start, int64_t step, Expr size);
  /// The part of a tensor at an index that is data, a view; null after an error.
  TensorValue *pick(TensorValue *tensor, int64_t dim, TensorValue *index);
  /// A slice from a place that is data (DataSlices.cpp).
  struct DataSlice {
    mlir::Value start;
    Expr length;
  };
  bool isDataBound(PyValue value);
  std::optional<DataSlice> dataSlice(PyValue item);
  /// The axis of a tensor at which each item of a key begins; nothing where it has too few.
  std::optional<llvm::SmallVector<int64_t>> axesOfItems(TensorValue *tensor,
                                                        ArrayRef<PyValue> items);
  /// Takes such slices out of a subscript, and the parts at them.
  bool takeDataSlices(TensorValue *&tensor, PyValue &key);
  std::optional<bool> storeDataSlice(TensorValue *tensor, PyValue key, PyValue value);
  /// Takes the numbers that are data out of a subscript, and the parts at them.
  bool pickNumbers(TensorValue *&tensor, PyValue &key);
  /// The view that a subscript makes beside its mask, and the first axis that the mask takes there.
  struct MaskedView {
    TensorValue *tensor, *mask;
    int64_t dim;
  };
  /// Without a mask the tensor as it is; nothing after an error.
  std::optional<MaskedView> viewUnderMask(TensorValue *tensor, PyValue key);
  /// Whether a value is the view that `target` is, by numbers that are data.
  bool isPicked(TensorValue *target, PyValue value);
  /// input.index_select(dim, indices) for indices of any rank, whose axes replace `dim`; `wraps`:
  /// negative ones count from the end, and the rest is checked.
  TensorValue *take(TensorValue *input, int64_t dim, TensorValue *indices, bool wraps = true);
  /// ImportRequest::checksIndices. False within operators on elements that a mask selects.
  bool checksIndices = false;
  /// What was checked already, and against which size.
  llvm::DenseMap<mlir::Value, Expr> checkedIndices;
  /// With `checksIndices` the indices in 64 bits, asserted to lie within an axis of `size`; else as
  /// they are. `what`: the operator that takes them.
  mlir::Value checkedIndex(mlir::Value indices, Expr size, StringRef what);
  TensorValue *checkedIndex(TensorValue *indices, Expr size, StringRef what);
  /// Indices that the program counts lie within an axis of `size`, by a check of sizes where it is
  /// open; those that it reads are not looked at. `wraps`: negative ones count from the end. False
  /// where it raised.
  bool requireInside(mlir::Value places, Expr size, bool wraps);
  /// Indices in 64 bits of which negative ones count from the end, as such that do not; null where
  /// it raised.
  mlir::Value countFromStart(mlir::Value places, Expr size);
  std::optional<PlaceRange> rangeOfPlaces(mlir::Value places);
  TensorValue *unsqueeze(TensorValue *tensor, int64_t dim);
  TensorValue *squeeze(TensorValue *tensor, ArrayRef<int64_t> dims);
  TensorValue *permute(TensorValue *tensor, ArrayRef<int64_t> order);
  void alignEnds(ArrayRef<Expr> from, ArrayRef<Expr> to, size_t open);
  /// A copy where PyTorch's reshape makes one; `isView`: PyTorch raises there.
  TensorValue *reshape(TensorValue *tensor, ArrayRef<PyValue> shape, bool isView = false);
  TensorValue *expand(TensorValue *tensor, ArrayRef<Expr> sizes);
  PyValue castTo(TensorValue *tensor, DType dtype);
  /// The same elements in memory of their own.
  PyValue copyAs(TensorValue *tensor, DType dtype);
  /// The whole part ("int", "floor", "ceil") of a number that follows from sizes, as a size; null
  /// where Python's float could lie on the other side of a whole number.
  PyValue wholePart(TensorValue *number, StringRef rounding);
  PyValue wholeOfFixed(TensorValue *number, StringRef rounding);
  /// The element of a number that follows from sizes, all of which `fixes` gives their typical
  /// values: null, without an error, for others.
  PyValue numberOfSizes(TensorValue *number, StringRef reason);
  /// The element of a tensor of one that follows from constants alone; null for others.
  PyValue constantItem(TensorValue *tensor);

  // --- Reading arguments -----------------------------------------------------------------------
  TensorValue *tensorArg(PyValue value, StringRef what);
  std::optional<Operand> operand(PyValue value);
  mlir::Value materialize(const Operand &operand, DType dtype);
  std::optional<Expr> sizeArg(PyValue value, StringRef what);
  /// A list, tuple or single size; `packed` may be a tuple that holds one list.
  llvm::SmallVector<PyValue> listArg(PyValue packed);
  std::optional<Sizes> sizesArg(PyValue packed);
  /// The same for a tensor that is made: none of them is negative.
  std::optional<Sizes> newSizesArg(PyValue packed);
  std::optional<int64_t> intArg(PyValue value, StringRef what);
  std::optional<int64_t> dimArg(PyValue value, int64_t rank);
  /// None: all axes; sorted.
  std::optional<llvm::SmallVector<int64_t>> dimsArg(PyValue value, int64_t rank);
  std::optional<bool> boolArg(PyValue value, StringRef what);
  /// None leaves `dtype` as it is.
  bool dtypeArg(PyValue value, std::optional<DType> &dtype);
  /// Whether it is an element type that is known by its name only: fp8, complex.
  bool isForeignDType(PyValue value) const;
  bool isDerivedOne(Expr size, Expr beside);
  bool isDerivedOne(Expr size);
  std::optional<Sizes> broadcastSizes(ArrayRef<Sizes> all);
  Sizes sizesOf(TensorValue *tensor) { return writer.sizes(valueOf(tensor)); }
  int64_t rankOf(TensorValue *tensor) { return writer.rank(valueOf(tensor)); }
  PyValue makeSize(Expr expr);
  // --- Sizes whose numbers Python has to know (FixedSizes.cpp) ----------------------------------
  /// More turns of a loop are not written out, and longer lists are not made.
  static constexpr int64_t mostTurns = 64, longestList = 4096;
  static constexpr int64_t greatestSize = int64_t(1) << 31;
  /// Gives a size its typical value for good, for a `reason` that conversion tells ("a key");
  /// nullopt when it has none, or is greater than `limit`.
  std::optional<int64_t> fixSize(Expr size, int64_t limit, const Twine &reason);
  /// The same; refuses.
  std::optional<int64_t> fixSizeOrRefuse(Expr size, int64_t limit, const Twine &reason,
                                         const Twine &help = "");
  /// Python's number or truth of a size, of a number that follows from sizes or of a condition on
  /// them, which are fixed for `reason`; nullopt for what depends on data.
  Answer known(Machine &, PyValue object, StringRef reason) override;
  /// Fixes the sizes of a condition; false when one has no typical value.
  bool fixSizesOf(Pred condition, const Twine &reason);
  /// Makes two sizes equal: by what equate() finds, else by fixing both at one typical value.
  bool equateOrFix(Expr a, Expr b);
  /// Sizes that fixSize() gave their values, and what of the program asked for that.
  struct FixedSize {
    Expr size;
    SourceLocation place;
    std::string reason;
  };
  std::vector<FixedSize> fixedSizes;
  /// Sizes that became another one, and where.
  struct MergedSize {
    Expr size, by;
    SourceLocation place;
  };
  std::vector<MergedSize> mergedSizes;
  PyValue makeShape(ArrayRef<Expr> sizes);
  PyValue makeDType(DType dtype);

  // --- Operators that are left to PyTorch (KeptOperators.cpp)
  // -------------------------------------
  std::vector<KeptOperator> kept;
  /// The operator that a name of a space (`torch`, `F`, `Tensor`, `linalg`) is to be left to
  /// PyTorch as; null for others. `path` is how PyTorch spells it: `torch.linalg.inv`.
  PyValue keptFunction(StringRef space, StringRef path, PyValue own);
  /// How `--keep-torch` would name an operator; empty where nothing is known of its results.
  std::string keepOption(StringRef path);
  /// What to do about an operator that is not supported.
  std::string helpFor(StringRef path);

  // --- Registry --------------------------------------------------------------------------------
  using Body = std::function<PyValue(TorchLibrary &, ArrayRef<PyValue>)>;
  /// `spaces`: words of "torch F Tensor prims special init nn".
  void define(StringRef spaces, StringRef name, StringRef signature, Body body);
  void definePointwise();
  void defineSelections();
  void defineViews();
  void defineIndexing();
  void defineIndexViews();
  void defineFolds();
  void defineSorting();
  void defineScattering();
  void defineFactories();
  void defineRandom();
  void defineTensorMethods();
  void defineData();
  void definePrelude();
  void defineGradientModes();
  void defineAutocast();
  void defineComplex();
  PyValue lookup(StringRef space, StringRef name);
  PyValue poison();
  /// The pending error; what a definition of ours raises is told where the user calls it.
  Diagnostic takeError();
  /// Reports a refusal at the user's place and goes on with a poisoned value.
  PyValue reportAndPoison(const llvm::Twine &message, const llvm::Twine &help);
  bool isPoisoned(PyValue value);
  void setPlace();
  SourceLocation userLocation();
  mlir::Location toMlir(SourceLocation location);
  /// Reads the files of "functional", "nn", "init" or "distributions" once; the first of them, null
  /// after an error.
  ModuleObject *prelude(StringRef family);
  /// Every name that was defined so far, in that order.
  ArrayRef<Registered> getRegistered() const { return registered; }
  /// The names of PyTorch that a family of preludes has, sorted.
  llvm::SmallVector<StringRef> publicNames(StringRef family);

  ClassObject *tensorClass = nullptr, *parameterClass = nullptr, *dtypeClass = nullptr,
              *deviceClass = nullptr;
  ModuleObject *torchModule = nullptr;
  /// True once an operator was reported: later errors may follow from it.
  bool reported = false;

private:
  /// What a decorated function is called in.
  struct Mode {
    std::optional<bool> records;                  // @torch.no_grad(), @torch.enable_grad()
    std::optional<std::optional<DType>> autocast; // @torch.autocast(...)
  };
  friend class LoopReader;
  friend class DataBranch;
  LoopItems *loopItemsOf(PyValue value);
  bool cutsEvenly(LoopItems *items);
  LoopItems *reversedItems(LoopItems *items);
  PyValue rangeOf(ArrayRef<PyValue> args);
  Answer loopBuiltin(StringRef name, ArrayRef<PyValue> args);
  Answer unrolledItems(LoopItems *items);
  bool keepsLoops() const;
  std::optional<machine::Completion> keepLoop(machine::Loop &loop);
  // GrownLists.cpp
  std::vector<ListPart> reversedParts(ArrayRef<ListPart> parts);
  LoopItems *itemsOfGrown(GrownList *grown);
  Answer listOf(PyValue value, machine::ListObject *list);
  std::optional<std::vector<PyValue>> writtenOut(GrownList *grown, StringRef what);
  machine::ListObject *writeOut(GrownList *grown, StringRef what);
  Answer grownAttribute(GrownList *grown, StringRef name);
  Answer grownSum(PyValue left, PyValue right);
  PyValue grownItem(GrownList *grown, PyValue key);
  PyValue grownItemAt(GrownList *grown, Expr place);
  PyValue grownLength(GrownList *grown);
  bool isJoinable(GrownList *grown);
  mlir::Value stackedItems(LoopItems *items);
  mlir::Value applySteps(mlir::Value value, ArrayRef<ViewStep> steps);
  PyValue torchConstant(StringRef name);
  /// NumPy's names of arguments, which PyTorch takes too, replaced by PyTorch's own.
  llvm::SmallVector<std::pair<machine::Name, PyValue>>
  withTorchNames(ArrayRef<std::pair<machine::Name, PyValue>> keywords);
  // --- Elements that a mask selects (Selections.cpp)
  // ----------------------------------------------
  /// An operator with `x[mask]` among its arguments; `call` is the operator over all elements,
  /// `definition` null for a primitive.
  PyValue maskedCall(llvm::StringRef name, FunctionObject *definition, const CallArgs &args,
                     llvm::function_ref<PyValue(const CallArgs &)> call);
  PyValue maskedArithmetic(machine::BinaryOperator op, PyValue left, PyValue right, bool inPlace);
  /// Gives selected elements the value `result`, selected elements too; returns them, or what else
  /// `result` is.
  PyValue maskedInPlace(MaskedValue *masked, PyValue result);
  PyValue maskedItem(MaskedValue *masked, PyValue key);
  /// What a masked read that is stored through `mask` is on all places; null after a refusal.
  PyValue unmasked(TensorValue *tensor, TensorValue *mask, PyValue value);
  /// Places that a mask selects (SelectedPlaces.cpp): `torch.where(condition)`, for each axis its
  /// indices.
  PyValue placesWhere(TensorValue *condition);
  /// The same in one tensor, along a last axis: `torch.nonzero(condition)`.
  PyValue joinPlaces(PyValue places);
  /// Makes places in a key that are all of those of their mask that mask.
  void restoreMask(TensorValue *tensor, PyValue &key);
  std::optional<int64_t> axisOfPlaces(TensorValue *tensor, MaskedValue *places);
  /// `tensor[places] = value`, for whole rows.
  bool storeAtPlaces(TensorValue *tensor, MaskedValue *places, PyValue value);
  /// `x[places]`, selected rows of what all places of the mask take.
  PyValue indexByPlaces(TensorValue *tensor, PyValue key, MaskedValue *first);
  PyValue indexBehindOne(TensorValue *tensor, PyValue key);
  /// What becomes of `x[None, places]`: `x[places]` by the reshape that means it.
  Answer attributeBehindOne(MaskedValue *masked, llvm::StringRef name);
  /// A call whose selected elements are tensors by `settled`; refused where one is not.
  PyValue settledCall(const CallArgs &args, llvm::function_ref<PyValue(const CallArgs &)> call);
  /// Settles elements by a view of all of them that was made: both are the same memory.
  void settleAsViewed(MaskedValue *masked, PyValue view);
  /// `tensor[items]` with places of such masks.
  PyValue settledIndex(TensorValue *tensor, llvm::ArrayRef<PyValue> items);
  PyValue refuseMasked();
  PyValue reportMasked();
  PyValue selectedSize(MaskedValue *masked, int64_t axis);
  Answer maskedAttribute(MaskedValue *masked, llvm::StringRef name);
  static bool isMasked(const CallArgs &args);
  /// An argument over all elements; null where it is a tensor of other elements, or after an error.
  PyValue wholeArgument(PyValue value, MaskedValue *first, int64_t rowAxes, SelectedRows &rows);
  /// What an operator over all elements gave, as selected elements; `args` are those of the call.
  PyValue maskedResult(PyValue result, llvm::StringRef name, const CallArgs &args,
                       SelectedRows &rows, llvm::function_ref<PyValue(const CallArgs &)> call);
  PyValue selectedLoss(FunctionObject *loss, PyValue mask, const CallArgs &args);
  /// The axes behind those of the mask.
  int64_t rowRank(MaskedValue *masked);
  /// `value` where the mask holds, else 1/2, of which most functions and their derivatives are
  /// numbers: what is computed of elements that are not selected must not reach a gradient.
  mlir::Value heldApart(mlir::Value value, mlir::Value mask);
  /// Holds selected elements apart where an argument beside them has a gradient; false after an
  /// error.
  bool keepApart(ArrayRef<PyValue> arguments);
  /// True when two values are computed alike: by one operator from equal operands.
  bool equalValues(mlir::Value a, mlir::Value b);
  /// What is_contiguous() was asked of already, and the flag of its answer.
  struct AskedLayout {
    mlir::Value first;
    std::vector<ViewStep> steps;
    bool channelsLast;
    Expr flag;
  };
  std::vector<AskedLayout> askedLayouts;
  Storage *makeStorage(mlir::Value value);
  /// read() where no element is looked at.
  mlir::Value valueOf(TensorValue *tensor);
  /// Makes decisions that are seen hold for every call; false after a refusal.
  bool settle(const Sharing::Doubts &doubts);
  mlir::Value scatterStep(mlir::Value base, const ViewStep &step, mlir::Value value);
  mlir::Value applyDiagonal(mlir::Value value, const ViewStep &step);
  mlir::Value scatterDiagonal(mlir::Value base, const ViewStep &step, mlir::Value value);
  mlir::Value takeValue(mlir::Value from, int64_t dim, mlir::Value places);
  mlir::Value scatterPick(mlir::Value base, const ViewStep &step, mlir::Value value);
  /// `value` in the places of a view by `steps` of the first of `bases`, which the others follow by
  /// one step each; null after an error.
  mlir::Value scatterSteps(ArrayRef<mlir::Value> bases, ArrayRef<ViewStep> steps,
                           mlir::Value value);
  mlir::Value applyWindow(mlir::Value value, const ViewStep &step);
  PyValue runComposite(FunctionObject &function, const CompositeInfo &info, const CallArgs &args);
  bool writeGradient(graph::CompositeOp composite, const CompositeInfo &info,
                     ArrayRef<std::pair<machine::Name, PyValue>> bound, PyValue result);
  bool mayHaveGradient(mlir::Value value);
  bool mayHaveGradient(const Storage &storage);
  PyValue callInMode(FunctionObject &function, const CallArgs &args, const Mode &mode);
  bool readPreludePart(StringRef family, StringRef name, StringRef text);
  PyValue registerDefinition(const CallArgs &args, PyValue function);
  /// `relu_` in a name space that has `relu`; null when there is none.
  PyValue inPlaceForm(StringRef space, StringRef name);
  /// The function behind a method of tensors; nullopt when there is none.
  Answer tensorMethod(StringRef name);
  PyValue changeView(TensorValue *tensor, PyValue view);
  PyValue unsupported(StringRef name);
  PyValue callKept(KeptOperator &op, StringRef path, PyValue own, const CallArgs &args);
  PyValue measureKept(StringRef path, PyValue definition, const CallArgs &args,
                      llvm::SmallVectorImpl<mlir::Type> &types,
                      llvm::SmallVectorImpl<TensorValue *> &handedOn);
  std::optional<llvm::SmallVector<TensorValue *>> writeKept(StringRef path, const CallArgs &args,
                                                            llvm::ArrayRef<mlir::Type> types);
  PyValue shapesOf(StringRef path);
  PyValue unknownName(StringRef space, StringRef owner, StringRef name);
  ModuleObject *module(StringRef name);
  bool reportBranch(PyValue condition, SourceLocation place, bool isAssert = false);
  bool armRaises(machine::Branch &branch, bool taken);
  Answer dataBranchValue(machine::Branch &branch, mlir::Value condition);
  /// A turn for each row that a mask may select, whose effects its condition chooses.
  std::optional<machine::Completion> loopOverSelected(machine::Loop &loop, MaskedValue *masked);
  std::optional<bool> moduleTrains(PyValue module, StringRef path, std::optional<bool> settled);
  PyValue makeLive(std::string text, Binding binding, PyValue known,
                   std::vector<const NumberRoot *> roots);
  mlir::Value liveValue(const TensorValue &number, DType dtype);
  /// Makes constants of the live numbers that a value follows from, if it follows from no data:
  /// every call compares them.
  void settleNumbers(mlir::Value value);
  bool settleTruth(const TensorValue &live);
  Answer liveUnary(machine::UnaryOperator op, PyValue operand);
  Answer liveBinary(machine::BinaryOperator op, PyValue left, PyValue right);
  Answer liveCompare(machine::CompareOperator op, PyValue left, PyValue right);
  Answer liveCall(StringRef name, const CallArgs &args);
  bool derivesFrom(const machine::InstanceObject &object, StringRef base);
  void useModule(const machine::InstanceObject &object);
  void relyOnConstant(const std::string &access, TensorValue *tensor);
  std::string accessOf(const Reached &owner, const machine::InstanceObject &object, StringRef name);
  std::vector<std::pair<std::string, PyValue>> closedOver(const machine::FunctionObject &own);
  void relyOnFunction(const std::string &access, PyValue function);
  void relyOnMaker(const std::string &access, const machine::ClassObject &cls);
  void relyOnHooks(const std::string &access, const machine::InstanceObject &module);
  /// The functions whose parts are being relied on: one may close over itself.
  llvm::SmallPtrSet<const machine::Object *, 4> openFunctions;
  void relyOnPart(const std::string &access, PyValue value);
  llvm::StringMap<PyValue> liveNumbers;
  std::vector<std::unique_ptr<NumberRoot>> roots;
  std::vector<std::unique_ptr<NumberOrigin>> origins;

  bool isTrying = false;
  /// A definition is read only for the types of its results.
  bool isMeasuring = false;
  Sharing sharing;

  mlir::MLIRContext *context;
  std::vector<std::unique_ptr<Storage>> storages;
  llvm::StringMap<llvm::StringMap<PyValue>> spaces;
  llvm::StringMap<ModuleObject *> modules;
  llvm::StringMap<llvm::SmallVector<ModuleObject *, 8>> preludes;
  llvm::DenseMap<const FunctionObject *, CompositeInfo> composites;
  /// Functions of the preludes that are no operators, and one of their names.
  llvm::DenseMap<const FunctionObject *, std::string> exported;
  /// Definitions that know `axis` as `dim`.
  llvm::DenseSet<const FunctionObject *> renaming;
  std::vector<Registered> registered;
  std::string preludeFile; // the one that is being read
  llvm::DenseMap<unsigned, PyValue> dtypes;
  llvm::DenseMap<const FunctionObject *, Mode> modes;
  unsigned compositeDepth = 0, gradientDepth = 0;
  /// What the outermost operator rounds its results to whose definition is running.
  std::optional<DType> rounding;
  /// Modules whose mode forward() has set.
  llvm::DenseSet<const machine::InstanceObject *> ownModes;
  PyValue poisonValue = nullptr;
};

} // namespace nereid::torch
