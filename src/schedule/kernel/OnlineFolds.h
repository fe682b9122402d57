// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folds of a loop that follow a moving reference: their state before the loop, what a turn adds
// to it, and their results from it.
//
// The features are tiles, as the state of other folds is: the lanes are brought together after the
// loop. An exponential follows the greatest element that the row has had (the least, when its rate
// is negative), which is one of the loop's own folds where the program asks for it. All lanes share
// it, so that an element costs one exponential: on an H200 a reference for each lane, which needs a
// second one to move the lane's sums, makes a row of 32000 halves 1.6 times as slow. Powers without
// an exponential are about the mean of the elements of the first turn: all lanes share it, so that
// nothing has to count a lane's elements (493 us to 384 for the folds of a smoothed cross entropy).
#pragma once

#include "schedule/kernel/KernelScope.h"

namespace nereid::schedule {

class KernelBuilder::OnlineFolds {
public:
  OnlineFolds(KernelBuilder &kernel, llvm::ArrayRef<FoldPlan> group, unsigned columns,
              llvm::ArrayRef<unsigned> along);

  /// Before the loop: appends the initial state, behind that of the other folds.
  void open(llvm::SmallVectorImpl<mlir::Value> &initial);
  /// What another fold of the loop does in this turn.
  void follow(const FoldPlan &request, const LoopFold &fold);
  /// Whether features follow a fold of the loop, so that it is needed for the row in each turn.
  bool isReference(const FoldPlan &request) const;
  /// In the loop, after the other folds: appends the state after the turn.
  void turn(mlir::ValueRange state, llvm::SmallVectorImpl<mlir::Value> &next);
  /// After the loop: makes the results known.
  void close(mlir::ValueRange state);

private:
  /// First: the mean of the elements of the first turn.
  enum class Kind { Greatest, Least, First };
  /// What is taken from a base in the loop.
  struct Reference {
    unsigned base;
    Kind kind;
    mlir::Type type;
    /// The fold of the loop that is just this; else the state has it.
    const FoldPlan *fold = nullptr;
    unsigned state = 0;
    /// First: a number of the row.
    TileValue first;
    /// In a turn.
    LoopFold turn;
    /// What the row's reference moves by, and the elements less the new one.
    TileValue shift, difference;
  };
  /// A feature in an element type, shared by the folds that need it.
  struct State {
    Feature feature;
    mlir::Type type;
    const Value *owner;
    std::optional<unsigned> reference;
    unsigned state = 0;
    /// Of a contraction: a tile of rows and lanes, to which a turn adds products of factors of this
    /// type.
    mlir::Type factor;
    /// How many elements there are, which the loop's bounds tell.
    bool isCount() const { return !feature.base && feature.weights.empty(); }
  };

  unsigned addState(const Feature &feature, const FoldPlan &request);
  unsigned findReference(unsigned base, Kind kind, const FoldPlan &request);
  double neutral(const Reference &reference) const;
  TileValue bindFirst();
  TileValue countElements(TileValue start, bool isFirstTurn, mlir::Type type);
  TileValue pilot(const Reference &reference, TileValue start);
  void turnReference(Reference &reference, mlir::ValueRange state,
                     llvm::SmallVectorImpl<mlir::Value> &next);
  mlir::Value rebased(const State &state, mlir::ValueRange values);
  llvm::ArrayRef<unsigned> axesOf(const State &state) const {
    return state.factor ? tile : isReduced() ? rest : along;
  }
  /// Whether the lanes are brought together in each turn: beside the tiles of nested contractions
  /// registers are scarce.
  bool isReduced() const { return kernel.isNested(); }
  TileValue baseProduct(const State &state);
  mlir::Value element(const State &state);
  TileValue requestFactor(unsigned atom, mlir::Type type);
  mlir::Value products(const State &state, mlir::Value before);
  unsigned lower(const State &state, unsigned power) const;
  TileValue finite(TileValue value, mlir::Location name);
  bool isSumOfShares(unsigned reference) const;
  bool areFactorsOfHalves(unsigned reference) const;
  TileValue exponential(TileValue of, const Feature &feature,
                        std::optional<mlir::Location> name = {}, bool isShare = false);
  TileValue moved(const State &state, TileValue shift,
                  llvm::function_ref<TileValue(unsigned)> valueOf);
  TileValue merged(unsigned state, const LinearForm &centre, mlir::ValueRange values);
  TileValue zeroWhereEmpty(TileValue value, const Value &fold);
  TileValue finalReference(const Reference &reference, mlir::ValueRange values);
  TileValue combined(const FoldPlan &request, mlir::ValueRange values);
  TileValue requestAtom(unsigned atom, mlir::Type type, bool isFirstTurn = false);
  TileValue linear(const LinearForm &form, mlir::Type type);
  TileValue number(double value, mlir::Type type);
  template <typename OpTy> TileValue combine(TileValue a, TileValue b);
  mlir::Value splat(double value, mlir::Type type);
  mlir::Location stateLoc(const State &state) const;
  std::string baseName(const Reference &reference) const;
  mlir::Location named(llvm::StringRef name) const { return nameLoc(name, loc); }

  KernelBuilder &kernel;
  llvm::ArrayRef<FoldPlan> group;
  unsigned columns;
  llvm::SmallVector<unsigned, 2> along;
  /// The axes of the rows, and those of rows and lanes.
  llvm::SmallVector<unsigned, 2> rest, tile;
  mlir::Location loc;
  std::vector<Reference> references;
  std::vector<State> states;
  /// By fold of the group, the states of its features.
  std::map<const FoldPlan *, std::vector<unsigned>> statesOf;
  /// What a turn has made already: by reference and rate.
  std::map<std::pair<unsigned, double>, TileValue> exponentials, scales;
  std::map<unsigned, TileValue> sums;
  std::map<std::pair<unsigned, LinearForm>, TileValue> mergedStates;
};

template <typename OpTy> TileValue KernelBuilder::OnlineFolds::combine(TileValue a, TileValue b) {
  TileValue operands[] = {a, b};
  auto axes = kernel.math.unify(operands, loc);
  mlir::Value value = OpTy::create(kernel.builder, loc, operands[0].value, operands[1].value);
  return {value, axes, {}};
}

} // namespace nereid::schedule
