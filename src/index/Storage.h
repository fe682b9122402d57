// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes behind Expr and Pred and the table that makes them unique. Private to this folder:
// others see handles only. A node is complete before it is published and never changes after.
#pragma once

#include "index/Pred.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Allocator.h"

#include <mutex>

namespace nereid::index {

struct ExprNode {
  ExprKind kind;
  Context *context;
  unsigned hash = 0;
  /// See index::degree(); set when the node is made unique.
  unsigned degree = 0;
  /// A bit for each ExprKind of the node and of what it is made of.
  unsigned kinds = 0;
  /// Those that it holds, in the order of compare(); set when the node is made unique.
  llvm::ArrayRef<Expr> symbols = {};
  /// The value of a Constant, the constant of a Sum.
  int64_t value = 0;
  llvm::StringRef name = {};
  llvm::ArrayRef<Expr> operands = {};
  llvm::ArrayRef<Factor> factors = {};
  llvm::ArrayRef<Term> terms = {};

  bool hasContentOf(const ExprNode &other) const {
    return kind == other.kind && value == other.value && name == other.name &&
           operands == other.operands && factors == other.factors && terms == other.terms;
  }
};

struct PredNode {
  PredKind kind;
  Context *context;
  unsigned hash = 0;
  Expr expr = {};
  Expr divisor = {};
  llvm::ArrayRef<Pred> operands = {};
  /// As of an ExprNode.
  llvm::ArrayRef<Expr> symbols = {};

  bool hasContentOf(const PredNode &other) const {
    return kind == other.kind && expr == other.expr && divisor == other.divisor &&
           operands == other.operands;
  }
};

template <typename Node> struct NodeInfo {
  static Node *getEmptyKey() { return llvm::DenseMapInfo<Node *>::getEmptyKey(); }
  static Node *getTombstoneKey() { return llvm::DenseMapInfo<Node *>::getTombstoneKey(); }
  static unsigned getHashValue(const Node *node) { return node->hash; }
  static bool isEqual(const Node *a, const Node *b) {
    if (a == b || a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return a == b;
    return a->hash == b->hash && a->hasContentOf(*b);
  }
};

class Context::Storage {
public:
  /// Returns the unique node with the content of `content`, whose arrays may be temporary.
  Expr intern(ExprNode content);
  Pred intern(PredNode content);

private:
  using SymbolLists = llvm::ArrayRef<llvm::ArrayRef<Expr>>;
  llvm::ArrayRef<Expr> unite(SymbolLists lists);

  std::mutex mutex;
  llvm::BumpPtrAllocator allocator;
  llvm::DenseSet<ExprNode *, NodeInfo<ExprNode>> exprs;
  llvm::DenseSet<PredNode *, NodeInfo<PredNode>> preds;
};

/// Whether an expression is, or has in it, one of a kind.
inline bool hasKind(Expr expr, ExprKind kind) {
  return expr.getNode()->kinds >> unsigned(kind) & 1;
}

/// The parts that an expression is made of, one level down.
template <typename Visit> void forEachPart(Expr expr, Visit visit) {
  const ExprNode *node = expr.getNode();
  for (Expr operand : node->operands)
    visit(operand);
  for (const Factor &factor : node->factors)
    visit(factor.atom);
  for (const Term &term : node->terms)
    visit(term.monomial);
}

inline Expr intern(ExprNode content) { return content.context->getStorage().intern(content); }
inline Pred intern(PredNode content) { return content.context->getStorage().intern(content); }

/// A node of a division, min, max or nextPow2 as given, without rewriting.
Expr makeAtom(ExprKind kind, llvm::ArrayRef<Expr> operands);
/// The factors of a monomial; none for null (the monomial 1).
llvm::SmallVector<Factor, 4> factorsOf(Expr monomial);
/// monomial / divisor when that is a monomial, null-with-true for 1; nullopt when not divisible.
std::optional<Expr> divideMonomial(Expr monomial, Expr divisor);
/// The product of two monomials, either of which may be null for 1.
Expr multiplyMonomials(Expr a, Expr b);

/// Rebuilds expressions with some atoms replaced; what they share is rebuilt once.
class Substitution {
public:
  explicit Substitution(llvm::function_ref<Expr(Expr)> replace) : replace(replace) {}

  Expr run(Expr expr);
  Pred run(Pred pred);

private:
  Expr rebuild(Expr expr);

  llvm::function_ref<Expr(Expr)> replace;
  /// What is no symbol; most expressions have few parts.
  llvm::SmallDenseMap<Expr, Expr, 8> done;
};

std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
std::optional<int64_t> checkedMultiply(int64_t a, int64_t b);
int64_t greatestCommonDivisor(int64_t a, int64_t b);

/// Collects constant + sum of coefficient * monomial and makes the canonical expression.
class LinearSum {
public:
  explicit LinearSum(Context &context) : context(context) {}
  void add(Expr expr, int64_t scale = 1);
  void addConstant(int64_t value);
  /// `monomial` may be null for 1.
  void addTerm(Expr monomial, int64_t coefficient);
  /// Adds coefficient * scale * monomial, unfolded on overflow.
  void addScaled(Expr monomial, int64_t coefficient, int64_t scale);
  Expr take();

private:
  bool recombineModulo();

  Context &context;
  int64_t constant = 0;
  llvm::SmallVector<Term, 8> terms;
};

} // namespace nereid::index
