// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbolic index expressions: integer polynomials over named sizes with floor division, modulo,
// min, max and the next power of two. Expressions are uniqued in a Context and kept in one
// canonical form, so equality is pointer equality; `index::Expr` is a pointer-sized handle to copy
// freely.
//
// Meaning: values are integers of Z. The canonical form never uses anything known about a symbol
// (its range or divisibility: see Facts.h), so a rewrite holds for every integer value of the
// symbols, negative ones too. Division and modulo are Python's (round towards minus infinity, a
// modulo has the sign of its divisor); dividing by zero has no value. A rewrite may give a value to
// an expression that had none (`M // M` is 1), but never changes a value.
//
//   index::Context context;
//   Expr m = context.symbol("M"), block = context.symbol("BLOCK");
//   Expr programs = ceildiv(m, block);          // prints as `cdiv(M, BLOCK)`
//   Expr tail = m - (m / 4) * 4;                // no operator/: write floordiv(m, 4)
//
// Form of a canonical expression: an *atom* is a symbol, floordiv, mod, min, max or nextPow2; a
// *monomial* is an atom or a Product of atom powers; a Sum is constant + sum of coefficient *
// monomial. A Sum with no constant and one term of coefficient 1 is that monomial. Constants are
// int64; where folding would overflow, the parts stay unfolded (a constant then stands as an atom).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace nereid::index {

class Context;
struct ExprNode;
struct Term;
struct Factor;

enum class ExprKind : uint8_t { Constant, Symbol, FloorDiv, Mod, Min, Max, NextPow2, Product, Sum };

/// An immutable expression. The default one is null: it belongs to no context and only answers
/// comparison and conversion to bool.
class Expr {
public:
  Expr() = default;
  explicit Expr(const ExprNode *node) : node(node) {}

  explicit operator bool() const { return node; }
  bool operator==(Expr other) const { return node == other.node; }
  bool operator!=(Expr other) const { return node != other.node; }

  ExprKind getKind() const;
  Context &getContext() const;

  bool isConstant() const { return getKind() == ExprKind::Constant; }
  bool isConstant(int64_t value) const { return getConstant() == value; }
  bool isSymbol() const { return getKind() == ExprKind::Symbol; }
  /// The value of a constant, else nullopt.
  std::optional<int64_t> getConstant() const;
  /// The name of a symbol.
  llvm::StringRef getName() const;

  /// FloorDiv and Mod: {dividend, divisor}; Min and Max: two or more, sorted; NextPow2: one.
  llvm::ArrayRef<Expr> getOperands() const;
  /// The factors of a Product.
  llvm::ArrayRef<Factor> getFactors() const;

  /// The expression read as constant + sum of coefficient * monomial, whatever its kind. A constant
  /// has no terms, an atom or a Product has one term of coefficient 1.
  int64_t getConstantTerm() const;
  llvm::SmallVector<Term, 4> getTerms() const;

  /// Prints in Python's syntax (see Printer.h for others).
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  const ExprNode *getNode() const { return node; }
  const void *getAsOpaquePointer() const { return node; }
  static Expr getFromOpaquePointer(const void *pointer) {
    return Expr(static_cast<const ExprNode *>(pointer));
  }

private:
  const ExprNode *node = nullptr;
};

/// A part of a sum: coefficient * monomial.
struct Term {
  Expr monomial;
  int64_t coefficient;
  bool operator==(const Term &) const = default;
};

/// A part of a product: atom to the power of `power` >= 1.
struct Factor {
  Expr atom;
  unsigned power;
  bool operator==(const Factor &) const = default;
};

inline llvm::hash_code hash_value(Expr expr) { return llvm::hash_value(expr.getAsOpaquePointer()); }
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Expr expr);

/// A total order that depends on structure only (never on addresses or on the order of creation):
/// negative, zero or positive.
int compare(Expr a, Expr b);
inline bool operator<(Expr a, Expr b) { return compare(a, b) < 0; }

/// Owns expressions and predicates; safe to use from several threads. Expressions of different
/// contexts must not meet.
class Context {
public:
  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  Expr constant(int64_t value);
  Expr symbol(llvm::StringRef name);

  class Storage;
  Storage &getStorage() { return *storage; }

private:
  std::unique_ptr<Storage> storage;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator-(Expr a);
inline Expr operator+(Expr a, int64_t b) { return a + a.getContext().constant(b); }
inline Expr operator-(Expr a, int64_t b) { return a - a.getContext().constant(b); }
inline Expr operator*(Expr a, int64_t b) { return a * a.getContext().constant(b); }
inline Expr operator*(int64_t a, Expr b) { return b * a; }
inline Expr operator+(int64_t a, Expr b) { return b + a; }
inline Expr operator-(int64_t a, Expr b) { return b.getContext().constant(a) - b; }

Expr floordiv(Expr a, Expr b);
/// a - b * floordiv(a, b)
Expr mod(Expr a, Expr b);
/// -floordiv(-a, b), kept as floordiv(a + b - 1, b), which is equal for b >= 1; a constant b < 0 is
/// folded into the sign of a first. For a symbolic b this states that b is a size (b >= 1).
Expr ceildiv(Expr a, Expr b);
inline Expr floordiv(Expr a, int64_t b) { return floordiv(a, a.getContext().constant(b)); }
inline Expr mod(Expr a, int64_t b) { return mod(a, a.getContext().constant(b)); }
inline Expr ceildiv(Expr a, int64_t b) { return ceildiv(a, a.getContext().constant(b)); }
Expr min(llvm::ArrayRef<Expr> operands);
Expr max(llvm::ArrayRef<Expr> operands);
inline Expr min(Expr a, Expr b) { return min({a, b}); }
inline Expr max(Expr a, Expr b) { return max({a, b}); }
/// Takes multiples of a divisor of several terms, such as M * N - N, out of `rest`: those that
/// leave fewer terms than there were; returns how many times. `eager`: the first may leave as many
/// terms, as o - (N // 2) * q is (N - N // 2) * q + (o - N * q).
Expr takeMultiples(Expr &rest, Expr divisor, bool eager = false);
/// The polynomial q of few terms with q * divisor == a; null where there is none.
Expr exactRatio(Expr a, Expr divisor);
/// A sum without the factors and the number that all of its terms have: 2 * N - 1 of 6 * M * N - 3
/// * M. Null where that is no sum.
Expr primitiveSum(Expr expr);
/// The least power of two >= a for a >= 1, and 0 for a <= 0 (as triton.next_power_of_2).
Expr nextPow2(Expr a);
/// The sum (0 when empty) and the product (1 when empty) of many.
Expr sum(Context &context, llvm::ArrayRef<Expr> operands);
Expr product(Context &context, llvm::ArrayRef<Expr> operands);

/// A fraction-free linear reading: expr = coefficient * symbol + rest, where neither part contains
/// the symbol. Fails when the symbol occurs in a power above one or inside another atom.
struct LinearIn {
  Expr coefficient;
  Expr rest;
};
std::optional<LinearIn> asLinearIn(Expr expr, Expr symbol);
/// The greatest total degree of a monomial; an atom counts 1, a constant 0.
unsigned degree(Expr expr);

/// Calls `visit` once for each symbol, in the order of compare().
void forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit);
llvm::ArrayRef<Expr> collectSymbols(Expr expr);
bool contains(Expr expr, Expr symbolOrAtom);

/// Replaces symbols (or whole atoms) and rebuilds the canonical form.
Expr substitute(Expr expr, const llvm::DenseMap<Expr, Expr> &replacements);
/// The same, by a function: returns null to keep an atom. Asked for the outermost atoms first.
Expr substitute(Expr expr, llvm::function_ref<Expr(Expr)> replace);

/// The value under the given symbols; nullopt when a symbol is missing, on division by zero and
/// when an intermediate value leaves int64.
using SymbolValue = llvm::function_ref<std::optional<int64_t>(Expr symbol)>;
std::optional<int64_t> evaluate(Expr expr, SymbolValue valueOf);
std::optional<int64_t> evaluate(Expr expr, const llvm::DenseMap<Expr, int64_t> &values);

/// Python's floor division and modulo on numbers; nullopt for b = 0 and on overflow.
std::optional<int64_t> floorDivide(int64_t a, int64_t b);
std::optional<int64_t> floorModulo(int64_t a, int64_t b);
std::optional<int64_t> nextPowerOfTwo(int64_t a);

} // namespace nereid::index

template <> struct llvm::DenseMapInfo<nereid::index::Expr> {
  using Expr = nereid::index::Expr;
  using Pointers = llvm::DenseMapInfo<const void *>;
  static Expr getEmptyKey() { return Expr::getFromOpaquePointer(Pointers::getEmptyKey()); }
  static Expr getTombstoneKey() { return Expr::getFromOpaquePointer(Pointers::getTombstoneKey()); }
  static unsigned getHashValue(Expr expr) {
    return Pointers::getHashValue(expr.getAsOpaquePointer());
  }
  static bool isEqual(Expr a, Expr b) { return a == b; }
};
