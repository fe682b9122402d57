// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typing rules of the Triton language, and the `tile` operators that follow from them. One
// object serves one kernel. Functions take constexprs and tensors alike, and return null, with a
// located refusal in flight in the machine, when upstream would reject the operation.
#pragma once

#include "frontend/triton/Values.h"
#include "python/machine/Machine.h"
#include "tile/TileOps.h"

#include "mlir/IR/Builders.h"

#include <set>

namespace nereid::triton {

class TritonLibrary;

/// What the library knows of one frame: a kernel or a jit function called from it.
struct KernelFrame {
  unsigned loops = 0; // runtime loops around the current statement
  /// Assignments do not decay: the target of a static_range.
  bool keepConstants = false;
};

class KernelBuilder {
public:
  KernelBuilder(machine::Machine &machine, TritonLibrary &library, mlir::MLIRContext *context)
      : machine(machine), library(library), builder(context) {}

  using Pair = std::pair<TensorValue *, TensorValue *>;
  using Tensors = llvm::SmallVector<TensorValue *, 4>;

  // --- Values (Constants.cpp) ------------------------------------------------------------------
  TensorValue *make(mlir::Value value, DType type);
  /// The place of the user's statement, not of a prelude's.
  mlir::Location location();
  machine::Failure fail(const llvm::Twine &message, const llvm::Twine &help = "");
  // What would have to hold for what fails next (Requirements.cpp).
  void requireCondition(const std::string &condition);
  void requireEqual(llvm::ArrayRef<Dim> left, llvm::ArrayRef<Dim> right);
  void requireShape(TensorValue *value, llvm::ArrayRef<Dim> dims);
  void requireAtLeast(const Dim &size, int64_t least);
  void requirePowerOfTwo(const Dim &size);
  void requireRank(llvm::ArrayRef<TensorValue *> values, unsigned rank);
  void requireTypes(llvm::ArrayRef<std::pair<TensorValue *, DType>> values);
  void requireAlike(PyValue left, PyValue right);
  void requireOffset(PyValue pointer, PyValue other, bool isAddress);
  void requireIntegers(PyValue left, PyValue right);
  mlir::Value getOrigin(mlir::BlockArgument argument);
  /// A known number as a value of this type: a constant, or `tile.meta` where it has a name.
  TensorValue *constant(PyValue number, DType type);
  /// Null, without an error, when the value is neither a tensor nor a number.
  TensorValue *tryTensor(PyValue value);
  TensorValue *toTensor(PyValue value, llvm::StringRef what = "an operand");
  /// The type that a number takes on its own.
  std::optional<DType> literalType(PyValue number);
  /// What an assignment to a name without annotation binds.
  PyValue decay(PyValue value);
  /// `tensor<64x32xfp32>`, `fp32`, `constexpr 5`: for messages.
  std::string describe(PyValue value);
  mlir::Type tileType(DType element, llvm::ArrayRef<Dim> dims);

  // --- Shapes (Shapes.cpp) -----------------------------------------------------------------------
  /// A shape argument: a tuple or list of known sizes, or several of them.
  std::optional<Dims> toDims(PyValue shape, llvm::StringRef what = "shape");
  bool checkDims(llvm::ArrayRef<Dim> dims);
  TensorValue *splat(TensorValue *scalar, llvm::ArrayRef<Dim> dims);
  /// The same value under exactly these dims (broadcast, relabelled or splatted).
  TensorValue *broadcastTo(TensorValue *value, llvm::ArrayRef<Dim> dims);
  /// Brings all values to one shape.
  bool unify(llvm::MutableArrayRef<TensorValue *> values);
  /// The same tile with the axis names of `type`.
  mlir::Value relabel(mlir::Value value, mlir::Type type);
  TensorValue *arange(PyValue start, PyValue stop);
  TensorValue *full(PyValue shape, PyValue value, DType type);
  TensorValue *expandDims(TensorValue *value, int64_t axis);
  TensorValue *reshape(TensorValue *value, llvm::ArrayRef<Dim> dims);
  TensorValue *permute(TensorValue *value, llvm::ArrayRef<int64_t> order);
  TensorValue *join(TensorValue *left, TensorValue *right);
  PyValue split(TensorValue *value);
  TensorValue *catAlong(TensorValue *left, TensorValue *right, int64_t axis);
  TensorValue *cat(TensorValue *left, TensorValue *right, int64_t axis);
  TensorValue *gather(TensorValue *value, TensorValue *indices, int64_t axis);
  TensorValue *sortLines(TensorValue *value, bool descending, bool merges);
  /// `x[:, None]`.
  PyValue index(TensorValue *value, PyValue key);

  // --- Casts (Casts.cpp)
  // --------------------------------------------------------------------------
  TensorValue *castTo(TensorValue *value, DType type);
  TensorValue *bitcast(TensorValue *value, DType type);
  TensorValue *toBool(TensorValue *value);

  // --- Arithmetic (Arithmetic.cpp, Compare.cpp) --------------------------------------------------
  /// Promotes and broadcasts two operands.
  std::optional<Pair> operands(PyValue left, PyValue right, bool divides = false,
                               bool leftPtr = false, bool rightPtr = false);
  TensorValue *binary(python::BinaryOperator op, PyValue left, PyValue right);
  TensorValue *compare(python::CompareOperator op, PyValue left, PyValue right);
  TensorValue *negate(TensorValue *value);
  TensorValue *invert(TensorValue *value);
  /// `not x`, and `x and y`, `x or y`: on single bits.
  TensorValue *logicalNot(TensorValue *value);
  TensorValue *logical(bool isAnd, TensorValue *left, TensorValue *right);
  TensorValue *extreme(bool isMax, PyValue left, PyValue right, bool propagateNan);
  TensorValue *clamp(PyValue value, PyValue low, PyValue high, bool propagateNan);
  TensorValue *fma(PyValue x, PyValue y, PyValue z);
  TensorValue *where(PyValue condition, PyValue x, PyValue y);
  TensorValue *fdiv(PyValue x, PyValue y);
  TensorValue *umulhi(PyValue x, PyValue y);
  TensorValue *dot(TensorValue *lhs, TensorValue *rhs, TensorValue *acc, tile::Precision precision,
                   std::optional<DType> outType);
  TensorValue *libdevice(llvm::StringRef name, llvm::ArrayRef<PyValue> args);
  /// A function that is linked in, of which only the types are known.
  TensorValue *externCall(llvm::StringRef symbol, llvm::ArrayRef<TensorValue *> operands,
                          DType result);

  // --- Memory (Memory.cpp, BlockPointers.cpp)
  // -----------------------------------------------------
  TensorValue *load(TensorValue *pointer, PyValue mask, PyValue other, llvm::StringRef cache,
                    llvm::StringRef eviction, bool isVolatile);
  bool store(TensorValue *pointer, PyValue value, PyValue mask, llvm::StringRef cache,
             llvm::StringRef eviction);
  TensorValue *atomicRmw(llvm::StringRef name, PyValue pointer, PyValue value, PyValue mask,
                         tile::MemSem sem, tile::MemScope scope);
  TensorValue *atomicCas(PyValue pointer, PyValue expected, PyValue value, tile::MemSem sem,
                         tile::MemScope scope);
  BlockPointerValue *makeBlockPointer(PyValue base, PyValue shape, PyValue strides, PyValue offsets,
                                      PyValue block);
  BlockPointerValue *advance(BlockPointerValue *pointer, PyValue offsets);
  /// The tile of pointers, and the mask over the checked dimensions (null: none).
  std::optional<Pair> expandBlockPointer(BlockPointerValue *pointer,
                                         llvm::ArrayRef<int64_t> checked);

  /// `tl.make_tensor_descriptor`, and what its methods load and store (Descriptors.cpp).
  BlockPointerValue *makeDescriptor(PyValue base, PyValue shape, PyValue strides, PyValue block,
                                    llvm::StringRef padding);
  TensorValue *loadDescriptor(PyValue descriptor, PyValue offsets);
  bool storeDescriptor(PyValue descriptor, PyValue offsets, PyValue value);
  /// By an atomic operation, `add` say.
  bool foldDescriptor(llvm::StringRef name, PyValue descriptor, PyValue offsets, PyValue value);
  /// Rows by their numbers, from a column on.
  TensorValue *gatherRows(PyValue descriptor, PyValue rows, PyValue column);
  bool scatterRows(PyValue descriptor, PyValue value, PyValue rows, PyValue column);

  // --- Folds (Folds.cpp)
  // ----------------------------------------------------------------------------
  /// `reduce` and `associative_scan` of one tensor or a tuple of them.
  PyValue reduce(PyValue input, PyValue axis, PyValue combine, bool keepDims);
  PyValue scan(PyValue input, int64_t axis, PyValue combine, bool reverse);

  // --- Control flow (Branches.cpp, Loops.cpp)
  // -------------------------------------------------------
  machine::Completion ifStatement(machine::Branch &branch);
  PyValue ifExpression(machine::Branch &branch);
  machine::Completion forLoop(machine::Frame &frame, const python::For &loop);
  machine::Completion whileLoop(machine::Frame &frame, const python::While &loop);
  /// Gives the operation that defines a value the user's name.
  void nameValue(PyValue value, llvm::StringRef name);

  machine::Machine &machine;
  TritonLibrary &library;
  mlir::OpBuilder builder;
  mlir::MLIRContext *context() { return builder.getContext(); }
  /// In a trial run of a loop's body: inner loops need no body of their own.
  unsigned trials = 0;
  /// What the placeholders of trials stand for.
  llvm::DenseMap<mlir::Value, mlir::Value> placeholders;
  /// Where functions that are linked in are declared.
  mlir::ModuleOp module;
  /// How many warps a program has.
  int64_t warps = 4;

private:
  template <typename Op, typename... Args> TensorValue *emit(DType type, Args &&...args) {
    return make(Op::create(builder, location(), std::forward<Args>(args)...)->getResult(0), type);
  }
  TensorValue *addPointer(TensorValue *pointer, TensorValue *offset);
  TensorValue *divide(PyValue left, PyValue right);
  TensorValue *floorDivide(PyValue left, PyValue right);
  TensorValue *modulo(PyValue left, PyValue right);
  TensorValue *bitwise(python::BinaryOperator op, PyValue left, PyValue right);
  /// Whether an integer is one of a type.
  static bool fits(PyValue number, DType type);
  TensorValue *castLiteral(PyValue number, DType type);
  TensorValue *castFloatToInt(TensorValue *value, DType type, mlir::Type to);
  BlockPointerValue *toDescriptor(PyValue value);
  TensorValue *toDescriptorOffset(PyValue offset);
  TensorValue *makeCoordinates(TensorValue *offset, Dim extent);
  std::optional<Pair> expandDescriptor(PyValue descriptor, PyValue offsets);
  std::optional<Pair> expandRows(PyValue descriptor, PyValue rows, PyValue column);
  /// The pointers at these coordinates, a tile for each axis, and the mask of the checked ones
  /// (null: none are).
  std::optional<Pair> expandCoordinates(const BlockPointerValue &pointer,
                                        llvm::ArrayRef<TensorValue *> coordinates,
                                        llvm::ArrayRef<bool> isChecked);
  TensorValue *loadPadded(const BlockPointerValue &descriptor, Pair place);
  bool checkAccess(TensorValue *pointer, TensorValue *value, llvm::StringRef what);
  std::optional<DType> dotResult(TensorValue *lhs, TensorValue *rhs, TensorValue *acc,
                                 std::optional<DType> outType);
  bool checkDotShapes(TensorValue *lhs, TensorValue *rhs);
  bool combineRegion(mlir::Region &region, llvm::ArrayRef<TensorValue *> inputs, PyValue combine);
  std::optional<Tensors> foldInputs(PyValue input);

  // Values that cross the edge of a region.
  struct Arm;
  struct Carried;
  std::optional<Arm> runArm(llvm::function_ref<machine::Completion()> run);
  machine::Completion ifToEnd(machine::Branch &branch, TensorValue *condition);
  bool mergeArms(machine::Branch &branch, TensorValue *condition, Arm &then, Arm &otherwise);
  std::optional<std::vector<Carried>> findCarried(machine::Frame &frame,
                                                  llvm::function_ref<machine::Completion()> body,
                                                  const llvm::DenseSet<machine::Name> &ignored);
  bool noteTurn(machine::Name name, PyValue initial, PyValue before, PyValue after,
                std::vector<Carried> &carried);
  bool runLoopBody(machine::Frame &frame, std::vector<Carried> &carried, mlir::Block &body,
                   unsigned firstArgument, llvm::function_ref<machine::Completion()> run,
                   llvm::SmallVectorImpl<mlir::Value> &yielded);
  void bindCarried(machine::Frame &frame, std::vector<Carried> &carried, mlir::ValueRange values);
  std::optional<TensorValue *> loopBound(PyValue value, llvm::StringRef what);
  machine::Completion staticLoop(machine::Frame &frame, const python::For &loop, RangeValue &range);
  machine::Completion runtimeLoop(machine::Frame &frame, const python::For &loop,
                                  RangeValue &range);
};

/// The tensors in a value, in order: itself, those of a tuple, those of a block pointer.
void flatten(PyValue value, llvm::SmallVectorImpl<TensorValue *> &tensors);
/// Whether every part of a value is a tensor (or known and therefore equal everywhere).
bool isTritonValue(PyValue value);

} // namespace nereid::triton
