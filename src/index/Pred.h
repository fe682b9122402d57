// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicates over index expressions: comparisons and divisibility joined by and, or and not. They
// are uniqued in the same Context as expressions and kept in a canonical form, so equality is
// pointer equality; `not` is pushed to the leaves.
//
// Canonical leaves: `NonNegative` e >= 0, `Zero` e == 0, `NonZero` e != 0, `Divisible` d | e and
// `NotDivisible`. So `a < b` and `a + 1 <= b` are one predicate; printing brings back the spelling
// that reads best.
#pragma once

#include "index/Expr.h"

namespace nereid::index {

struct PredNode;

enum class PredKind : uint8_t {
  True,
  False,
  NonNegative,
  Zero,
  NonZero,
  Divisible,
  NotDivisible,
  And,
  Or
};

class Pred {
public:
  Pred() = default;
  explicit Pred(const PredNode *node) : node(node) {}

  explicit operator bool() const { return node; }
  bool operator==(Pred other) const { return node == other.node; }
  bool operator!=(Pred other) const { return node != other.node; }

  PredKind getKind() const;
  Context &getContext() const;
  bool isTrue() const { return getKind() == PredKind::True; }
  bool isFalse() const { return getKind() == PredKind::False; }
  /// The expression of a leaf.
  Expr getExpr() const;
  /// The divisor of Divisible and NotDivisible.
  Expr getDivisor() const;
  /// The parts of And and Or: two or more, sorted, none of them of the same kind.
  llvm::ArrayRef<Pred> getOperands() const;

  /// Prints in Python's syntax (see Printer.h for others).
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  const PredNode *getNode() const { return node; }
  const void *getAsOpaquePointer() const { return node; }
  static Pred getFromOpaquePointer(const void *pointer) {
    return Pred(static_cast<const PredNode *>(pointer));
  }

private:
  const PredNode *node = nullptr;
};

inline llvm::hash_code hash_value(Pred pred) { return llvm::hash_value(pred.getAsOpaquePointer()); }
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Pred pred);

/// A total order by structure, as for expressions.
int compare(Pred a, Pred b);
inline bool operator<(Pred a, Pred b) { return compare(a, b) < 0; }

Pred truth(Context &context, bool value);
Pred le(Expr a, Expr b);
Pred lt(Expr a, Expr b);
inline Pred ge(Expr a, Expr b) { return le(b, a); }
inline Pred gt(Expr a, Expr b) { return lt(b, a); }
Pred eq(Expr a, Expr b);
Pred ne(Expr a, Expr b);
inline Pred le(Expr a, int64_t b) { return le(a, a.getContext().constant(b)); }
inline Pred lt(Expr a, int64_t b) { return lt(a, a.getContext().constant(b)); }
inline Pred ge(Expr a, int64_t b) { return ge(a, a.getContext().constant(b)); }
inline Pred gt(Expr a, int64_t b) { return gt(a, a.getContext().constant(b)); }
inline Pred eq(Expr a, int64_t b) { return eq(a, a.getContext().constant(b)); }
inline Pred ne(Expr a, int64_t b) { return ne(a, a.getContext().constant(b)); }
/// mod(a, divisor) == 0; has no value for a divisor 0.
Pred divisible(Expr a, Expr divisor);
inline Pred divisible(Expr a, int64_t divisor) {
  return divisible(a, a.getContext().constant(divisor));
}
Pred notOf(Pred a);
/// True when empty.
Pred allOf(Context &context, llvm::ArrayRef<Pred> operands);
/// False when empty.
Pred anyOf(Context &context, llvm::ArrayRef<Pred> operands);
inline Pred operator&(Pred a, Pred b) { return allOf(a.getContext(), {a, b}); }
inline Pred operator|(Pred a, Pred b) { return anyOf(a.getContext(), {a, b}); }

void forEachSymbol(Pred pred, llvm::function_ref<void(Expr)> visit);
Pred substitute(Pred pred, const llvm::DenseMap<Expr, Expr> &replacements);
Pred substitute(Pred pred, llvm::function_ref<Expr(Expr)> replace);
/// Three-valued: a false part makes an And false whatever the others are; nullopt when it hangs on
/// a part without a value.
std::optional<bool> evaluate(Pred pred, SymbolValue valueOf);
std::optional<bool> evaluate(Pred pred, const llvm::DenseMap<Expr, int64_t> &values);

} // namespace nereid::index

template <> struct llvm::DenseMapInfo<nereid::index::Pred> {
  using Pred = nereid::index::Pred;
  using Pointers = llvm::DenseMapInfo<const void *>;
  static Pred getEmptyKey() { return Pred::getFromOpaquePointer(Pointers::getEmptyKey()); }
  static Pred getTombstoneKey() { return Pred::getFromOpaquePointer(Pointers::getTombstoneKey()); }
  static unsigned getHashValue(Pred pred) {
    return Pointers::getHashValue(pred.getAsOpaquePointer());
  }
  static bool isEqual(Pred a, Pred b) { return a == b; }
};
