// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the body of a kernel, or of a function that combines two values, as Triton. Values that
// fold (Folding.h) are printed inside their user; the others get a statement and a name. Shapes are
// followed as Triton sees them: what its broadcasting implies is not printed.
#pragma once

#include "emit/Code.h"
#include "emit/FileParts.h"
#include "emit/Folding.h"
#include "emit/Writer.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit {

/// Extents of a tile. That of an axis with a meta-parameter for a name is the same wherever it has
/// that name, and never 1: blocks that are 1 at the sizes of the conversion are not at others.
using Shape = llvm::SmallVector<int64_t, 4>;
Shape getExtents(mlir::Type type);

/// A value as it is printed at a use.
struct Operand {
  Code code;
  /// The shape that Triton gives the expression: that of the value, or one that broadcasts to it.
  Shape shape;
  /// The number, when the expression is a literal.
  mlir::Attribute literal;
  /// Triton reads the integer as unsigned (values of the dialect have no sign).
  bool isUnsigned = false;
  /// Triton may know the number while compiling (an argument that is 1, a meta-parameter): it then
  /// has no methods.
  bool mayBeKnown = false;
};

class TilePrinter {
public:
  TilePrinter(mlir::Region &region, FileParts &parts, Writer &writer)
      : parts(parts), writer(writer), folding(region) {}

  /// Prints a kernel with its decorators.
  mlir::LogicalResult printKernel(mlir::func::FuncOp kernel);
  /// Prints the region of a reduce or scan as a function body with these argument names.
  mlir::LogicalResult printCombiner(mlir::Region &region, llvm::ArrayRef<std::string> arguments);

private:
  // Names and statements: TilePrinter.cpp.
  void keepUserNames(mlir::Region &region);
  void nameArguments(mlir::func::FuncOp kernel, llvm::SmallVectorImpl<Code> &parameters);
  std::string nameConfigs(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::Attribute> configs);
  void printDecorators(mlir::func::FuncOp kernel);
  bool isPlain(mlir::func::FuncOp kernel, mlir::BlockArgument argument);
  llvm::SmallVector<mlir::BlockArgument> getAligned(mlir::func::FuncOp kernel);
  void printBlock(mlir::Block &block);
  void printOp(mlir::Operation *op);
  void printResults(mlir::Operation *op);
  void printProduct(mlir::arith::MulUIExtendedOp op);
  void printWherePresent(mlir::Value pointer, llvm::function_ref<void()> print);
  void printEffect(mlir::Operation *op);
  void assign(mlir::Value value, mlir::Operation *at, llvm::function_ref<Operand()> build);
  void assign(mlir::Value value, mlir::Operation *at);
  void writeAssignment(llvm::StringRef name, mlir::Operation *at,
                       llvm::function_ref<Operand()> build);
  void write(llvm::StringRef prefix, llvm::StringRef suffix, mlir::Operation *at,
             llvm::function_ref<Code()> build);
  std::string chooseName(mlir::Value value, mlir::Operation *at);
  std::string getRoleName(mlir::Value value);
  llvm::StringRef getAxisName(mlir::Operation *op) const;
  /// What a loop calls a variable that it carries.
  std::string getCarriedRole(mlir::Value argument);
  void bind(mlir::Value value, llvm::StringRef name, const Operand &operand);
  void bind(mlir::Value value, llvm::StringRef name);

  // Control flow: TileControl.cpp.
  void printFor(mlir::scf::ForOp loop);
  void printWhile(mlir::scf::WhileOp loop);
  void printIf(mlir::scf::IfOp branch);
  void printArm(mlir::Region &region, llvm::ArrayRef<std::string> names);
  std::string startCarried(mlir::Value init, mlir::BlockArgument argument, mlir::Value next,
                           mlir::Operation *loop, llvm::ArrayRef<std::string> others);
  void printUpdates(mlir::ValueRange values, llvm::ArrayRef<std::string> names,
                    mlir::Operation *at);
  void collectNames(mlir::Value value, llvm::StringSet<> &names);
  bool isVariableOf(mlir::Value value, mlir::Operation *op);
  std::string getCarriedName(mlir::Value value, mlir::Operation *at);

  // Operands: TileOperands.cpp.
  Operand get(mlir::Value value);
  /// With the whole shape of the value, and signed.
  Operand getExact(mlir::Value value);
  Operand getSigned(mlir::Value value);
  Operand getUnsigned(mlir::Value value);
  /// Whether Triton would round this number, which it takes for a float32.
  static bool losesBits(const Operand &operand, mlir::Type type);
  /// Signed, for memory: what Triton converts to the type of an element without looking at it
  /// first.
  Operand getStored(mlir::Value value);
  Operand toSigned(Operand operand, mlir::Type type);
  Operand toFull(Operand operand, mlir::Type type, bool wholeShape);
  Operand cast(Operand operand, mlir::Type type, bool isUnsigned = false);
  /// The operands of an elementwise operation, at least one of them not a literal.
  llvm::SmallVector<Operand> getElementwise(mlir::ValueRange values, bool wantsUnsigned = false);
  /// Beside an unsigned operand a negative number becomes the unsigned one of the same bits, since
  /// Triton refuses a negative one there.
  static void matchLiterals(llvm::MutableArrayRef<Operand> operands);
  Operand combine(Code code, llvm::ArrayRef<Operand> operands);
  Code getShape(mlir::Type type);
  Operand refuse(mlir::Operation *op, const llvm::Twine &message);
  static bool isHalf(mlir::Type type);

  // Expressions by family: TileArith.cpp, TileMath.cpp, TileShapes.cpp, TileFolds.cpp.
  Operand render(mlir::Operation *op);
  Operand renderTransparent(mlir::Operation *op);
  Operand renderArith(mlir::Operation *op);
  Operand renderBinary(mlir::Operation *op, llvm::StringRef symbol, Binding binding,
                       bool isSigned = false, bool isUnsigned = false);
  std::string getUnsignedDivision(bool isQuotient);
  Operand renderUnsignedDivision(mlir::Operation *op);
  Operand renderXor(mlir::arith::XOrIOp op);
  Operand renderCompare(mlir::arith::CmpIOp op);
  Operand renderCompare(mlir::arith::CmpFOp op);
  Operand renderExtreme(mlir::Operation *op, llvm::StringRef name, bool propagatesNan,
                        bool isUnsigned = false);
  Operand renderSelect(mlir::arith::SelectOp op);
  Operand renderCast(mlir::Operation *op);
  llvm::SmallVector<Operand> getWidened(mlir::Operation *op);
  llvm::SmallVector<Operand> getComparable(mlir::Operation *op, bool wantsSigned,
                                           bool wantsUnsigned);
  Operand renderMath(mlir::Operation *op);
  Operand renderCall(mlir::Operation *op, llvm::StringRef callee);
  std::string getShortErfc();
  Operand renderTf32(tile::Tf32Op op);
  Operand renderHalfScale(tile::HalfScaleOp op);
  Operand renderLaunched(mlir::Operation *op, llvm::StringRef helper);
  std::string getSharedDraw(bool isBits);
  Operand renderRandom(tile::RandomOp op);
  Operand renderAssembly(tile::InlineAsmOp op);
  Operand renderShape(mlir::Operation *op);
  Operand renderExpandDims(Operand base, unsigned axis);
  Operand renderMemory(mlir::Operation *op);
  Operand renderProgram(mlir::Operation *op);
  Operand renderDot(tile::DotOp op);
  Operand renderReduce(tile::ReduceOp op);
  Operand renderScan(tile::ScanOp op);
  Operand renderGenericFold(mlir::Operation *op, llvm::StringRef function, mlir::Region &region,
                            int axis, bool reverse);
  std::optional<Operand> renderArgFold(tile::ReduceOp op);
  std::string getCombinerName(mlir::Operation *op, mlir::Region &region);
  Code renderAtomic(tile::AtomicRmwOp op);
  Code renderAtomic(tile::AtomicCasOp op);
  Code renderStore(tile::StoreOp op);
  bool printHint(mlir::Operation *op);

  FileParts &parts;
  Writer &writer;
  Folding folding;
  Names names;
  /// Values that have a name (or, for arguments, are one).
  llvm::DenseMap<mlir::Value, Operand> named;
  /// The value that a name holds now.
  llvm::StringMap<mlir::Value> holders;
  bool failed = false;
};

} // namespace nereid::emit
