// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a partition while it is made: the kernels so far, and the moves between them. Moves
// are looked at in PartitionMoves.cpp; which one is made, and what is remembered of those that were
// looked at, stands in Partition.cpp.
#pragma once

#include "schedule/partition/Partition.h"

#include "llvm/ADT/BitVector.h"

#include <memory>

namespace nereid::schedule {

class StoredHalves;

/// A kernel with what planning and costing it showed.
struct Candidate {
  /// No other candidate has it: what was found out about some candidates holds while they exist.
  unsigned id = 0;
  llvm::SmallVector<Value *, 2> outputs;
  Kernel kernel;
  double cost = 0;
  llvm::SetVector<const Value *> loads;
};

class Partitioner {
public:
  explicit Partitioner(Program &program)
      : program(program), policy(program.policy), device(policy.getDevice()) {}

  Partition run();

private:
  void start();
  /// Null where one kernel cannot do it.
  std::unique_ptr<Candidate> evaluate(llvm::ArrayRef<Value *> outputs, const StoredSet &stored);
  struct Move {
    Move() = default;
    Move(Move &&) = default;
    Move &operator=(Move &&) = default;

    double gain = 0;
    llvm::SmallVector<Value *, 1> inlined;
    /// Folds over windows that are carried from now on, and the length of their windows.
    llvm::SmallVector<Value *, 2> carried;
    int64_t span = 0;
    /// Values that were inlined and are stored from now on: those of them that were inlined into a
    /// cast, folds of what is inlined now.
    llvm::SmallVector<Value *, 2> restored;
    std::vector<size_t> removed;
    std::vector<std::unique_ptr<Candidate>> added;
  };
  std::optional<Move> tryInline(Value *value, llvm::ArrayRef<size_t> involved);
  std::optional<Move> tryInlineAll(llvm::ArrayRef<Value *> values, llvm::ArrayRef<size_t> involved,
                                   double ofOthers = 0);
  std::optional<Move> tryInlineBesideFolds(Value *value, llvm::ArrayRef<size_t> involved);
  std::optional<Move> tryInlineBesideHalf(Value *value, llvm::ArrayRef<size_t> involved);
  llvm::SmallVector<Value *, 2> foldsOf(Value &value) const;
  void addRowFolds(llvm::SmallVectorImpl<Value *> &values, llvm::ArrayRef<size_t> involved) const;
  std::optional<Move> tryJoin(size_t first, size_t second);
  bool isCarriable(const Value &value) const;
  Value *carriedFor(Value *output) const;
  bool areRelated(const Candidate &a, const Candidate &b) const;
  bool mayShareLaunch(const Candidate &a, const Candidate &b) const;
  bool mayJoin(size_t first, size_t second) const;
  bool mayCarry(const Candidate &folds) const;
  std::optional<Move> tryCarry(size_t rows, size_t folds);
  /// A join of two kernels, or one of rows and one of folds that it carries, that gains so much.
  struct PairMove {
    double gain;
    size_t first, second;
  };
  std::optional<PairMove> bestPair(double leastGain);
  std::optional<PairMove> bestCarry(double leastGain);
  std::optional<Move> bestInline();
  bool closesCircle(const Move &move) const;
  bool makesInline(const Candidate &candidate, const Value *wanted) const;
  bool planReaders(Move &move, llvm::ArrayRef<Value *> restored);
  std::optional<Move> bestJoin();
  /// Storing what a kernel's outputs are made into by others in their place. PartitionLater.cpp
  Value *laterOf(const Value &output, size_t number) const;
  llvm::SmallVector<size_t, 4> findMakers(size_t number, const Value *later) const;
  std::optional<Move> tryStoreLater(Value *later, llvm::ArrayRef<size_t> involved);
  std::optional<Move> bestLater();
  std::optional<Move> bestMove();
  std::optional<Move> anyMove();
  /// Stores factors as halves where that pays; whether it did anywhere. PartitionHalves.cpp
  bool storeHalves();
  bool storeHalvesOf(size_t number, StoredHalves &halves);
  bool tryHalves(size_t number, llvm::ArrayRef<Value *> products, llvm::ArrayRef<Value *> restored,
                 StoredHalves &halves);
  llvm::SmallVector<Value *, 2> madeFactorsOf(llvm::ArrayRef<Value *> products) const;
  void apply(Move move);
  void note(const Move &move);
  bool mayInline(const Value &value) const;
  bool isOfPlaces(const Value &value);
  llvm::ArrayRef<const Value *> readersOf(const Value &value) const {
    auto found = readers.find(&value);
    return found == readers.end() ? llvm::ArrayRef<const Value *>() : found->second.getArrayRef();
  }
  bool isReadWithin(const Value &value, unsigned unit) const;
  bool standsBetween(size_t from, size_t to) const;
  void findReaders();
  bool stores(const Candidate &candidate, const Value *value) const {
    return llvm::is_contained(candidate.outputs, value);
  }
  void sortKernels();

  /// For each stored value, the kernels that store or load it.
  using Involved = llvm::DenseMap<const Value *, llvm::SmallVector<size_t, 4>>;
  Involved findInvolved() const;
  /// What a move gains; null when it cannot be made.
  using Gain = std::optional<double>;
  struct KnownGain {
    llvm::SmallVector<unsigned, 4> ids;
    Gain gain;
  };
  struct KnownMove {
    llvm::SmallVector<unsigned, 4> ids;
    std::optional<Move> move;
  };
  /// A join that may gain something, by the ids of its kernels: before it was looked at, how much
  /// at most.
  struct PossibleJoin {
    unsigned firstId, secondId;
    double gain;
    bool isBound = true;
    /// The places of the kernels.
    size_t first = 0, second = 0;
  };
  llvm::SmallVector<unsigned, 4> idsOf(llvm::ArrayRef<size_t> numbers) const;
  double bytesOf(const Value &value);
  /// What a move must gain to be made.
  static constexpr double leastGain = 1e-9;
  Gain boundOfJoin(const Candidate &a, const Candidate &b);
  void findPossibleJoins(double leastGain);

  Program &program;
  const Policy &policy;
  const Device &device;
  StoredSet stored;
  llvm::DenseSet<const Value *> results;
  /// Of each join, what is stored in its memory.
  std::map<const Value *, llvm::SmallVector<const Value *, 4>> partsOf;
  llvm::DenseMap<const Value *, llvm::SetVector<const Value *>> readers;
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::vector<MadeMove> made;
  /// By kernel, those that load what it stores, and all that wait for it; found when joins are
  /// looked for.
  std::vector<llvm::SmallVector<size_t, 4>> kernelReaders;
  std::vector<llvm::BitVector> waiting;
  unsigned nextId = 0;
  /// A move's gain depends on the kernels that it replaces, on nothing else: most moves are the
  /// same after another was made. By value, and by the ids of the pair of kernels.
  llvm::DenseMap<const Value *, KnownMove> inlineMoves;
  /// Of all pairs of the kernels with these ids.
  std::vector<PossibleJoin> possibleJoins;
  llvm::DenseSet<unsigned> pairedIds;
  llvm::DenseMap<std::pair<unsigned, unsigned>, KnownGain> carryGains;
  llvm::DenseMap<const Value *, double> valueBytes;
  /// Of each value that may be stored in place of what a kernel with this id makes for it.
  llvm::DenseMap<std::pair<const Value *, unsigned>, KnownMove> laterMoves;
  /// Those for which such a move was made, which is made once: it may be inlined again.
  llvm::DenseSet<const Value *> storedLater;
};

} // namespace nereid::schedule
