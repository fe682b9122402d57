// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graph programs: pointwise chains, views, casts, folds, cascades of folds, scans, gathers,
// over symbolic sizes. `makeRandomGraph` gives a program and the sizes at which it is to be run.
//
// What decides (a comparison, a rounding to an integer, an argmax) is only built on numbers that
// every order of evaluation computes exactly: small multiples of a power of two. So a difference
// between two runs is a mistake and no luck of rounding.
#pragma once

#include "graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <random>
#include <vector>

namespace nereid::schedule::test {

using Sizes = llvm::DenseMap<index::Expr, int64_t>;

struct RandomGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Sizes> sizes;
};

/// How the numbers of an argument are drawn: an attribute of the argument.
constexpr llvm::StringLiteral valuesAttrName = "random.values";

/// A source of choices.
class Choices {
public:
  explicit Choices(uint64_t seed) : engine(seed) {}
  /// In [0, count).
  unsigned below(unsigned count) { return engine() % count; }
  int64_t between(int64_t low, int64_t high) { return low + int64_t(engine() % (high - low + 1)); }
  bool oneIn(unsigned count) { return below(count) == 0; }
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <typename List> auto &pickFrom(List &&list) { return list[below(list.size())]; }
  std::mt19937_64 &getEngine() { return engine; }

private:
  std::mt19937_64 engine;
};

RandomGraph makeRandomGraph(mlir::MLIRContext &context, uint64_t seed);

/// What is known of a tensor's numbers.
struct Known {
  /// Multiples of 2^-scale of at most `bound`, computed without rounding.
  bool exact = true;
  double bound = 4;
  int scale = 2;
  /// Neither NaN nor infinite.
  bool finite = true;

  /// Bits of significand that such a number may need.
  int bits() const;
  static Known unite(const Known &a, const Known &b);
};

struct Entry {
  mlir::Value value;
  Known known;

  graph::TensorType type() const { return llvm::cast<graph::TensorType>(value.getType()); }
  mlir::Type element() const { return type().getElementType(); }
  llvm::ArrayRef<index::Expr> sizes() const { return type().getSizes(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element()); }
  bool isBool() const { return element().isInteger(1); }
};

/// Grows a program operator by operator. Each `add*` tries one kind of operator on random values of
/// the pool; it gives up silently where the choice does not fit.
class GraphGenerator {
public:
  GraphGenerator(mlir::MLIRContext &context, uint64_t seed);
  RandomGraph make();

private:
  using Expr = index::Expr;
  using Shape = llvm::SmallVector<Expr, 4>;

  // Program: RandomGraph.cpp
  void chooseSizes();
  void makeArguments();
  void addOperator();
  void addAssignment();
  void finish();
  Entry &pick();
  /// A recent value of float32 or float64, cast up when it is half; null when there is none.
  std::optional<Entry> pickFloat();
  std::optional<Entry> pickInteger();
  std::optional<Entry> pickBool();
  bool holds(index::Pred pred) const;
  bool fits(llvm::ArrayRef<Expr> shape) const;
  int64_t most(Expr expr) const;
  mlir::Location loc();
  graph::TensorType typeOf(llvm::ArrayRef<Expr> shape, mlir::Type element);
  mlir::Value emit(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands, mlir::Type type);
  mlir::Value emitSame(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands) {
    return emit(name, operands, operands.front().getType());
  }
  mlir::Value constant(double number, mlir::Type element);
  /// A constant repeated to the sizes of a tensor.
  mlir::Value constantLike(double number, graph::TensorType type);
  void add(mlir::Value value, Known known);
  void check(index::Pred pred);

  // Views and index maps: RandomViews.cpp
  void addView();
  std::optional<Entry> toShape(const Entry &entry, llvm::ArrayRef<Expr> shape);
  void addBroadcast();
  void addTranspose();
  void addSlice();
  void addReshape();
  void addFlip();
  void addPad();
  void addConcat();
  void addGather();
  void addIota();

  // Arithmetic, folds, cascades: RandomMath.cpp
  void addUnary();
  void addBinary();
  void addInteger();
  void addCompare();
  void addWhere();
  void addCast();
  void addFold();
  void addScan();
  void addCascade();
  void addGrouped();
  void addAcross();
  mlir::Value cast(mlir::Value value, mlir::Type element, bool elidable = false);
  mlir::Value fold(llvm::StringRef kind, mlir::Value input, llvm::ArrayRef<int64_t> dims);
  /// The result of a fold of `like` over `dims`, repeated along them.
  mlir::Value spread(mlir::Value folded, graph::TensorType like, llvm::ArrayRef<int64_t> dims);
  mlir::Value cascade(unsigned kind, mlir::Value input, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<int64_t> pickDims(const Entry &entry);

  mlir::MLIRContext &context;
  index::Context &index;
  Choices choices;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp func;
  llvm::SmallVector<Expr> symbols;
  std::vector<Sizes> sizes;
  std::vector<Entry> pool;
  /// What only says something when all of it is asked for.
  llvm::SmallVector<mlir::Value> wanted;
};

} // namespace nereid::schedule::test
