// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions and predicates as text: in Python (also the textual form inside IR), in C and in
// MLIR's affine syntax, with as few parentheses as the language allows; and the parser of the
// Python form.
#pragma once

#include "index/Facts.h"

#include <functional>

namespace nereid::index {

enum class Syntax : uint8_t {
  /// `a // b`, `a % b`, `min(a, b)`, `cdiv(a, b)`, `next_power_of_2(a)`, `and`, `or`, `not`.
  Python,
  /// `a / b` and `a % b` where both operands are known to be >= 0, else `floordiv(a, b)` and
  /// `floormod(a, b)`; `&&`, `||`, `!`.
  C,
  /// `a floordiv b`, `a mod b`, `a ceildiv b`.
  Mlir
};

struct PrintOptions {
  Syntax syntax = Syntax::Python;
  /// Names of functions, e.g. "triton.cdiv" or "tl.cdiv"; an empty cdiv prints `(a + b - 1) // b`.
  std::string cdiv = "cdiv";
  std::string nextPow2 = "next_power_of_2";
  std::string min = "min";
  std::string max = "max";
  /// C only: floor division and modulo of operands of unknown sign.
  std::string floorDiv = "floordiv";
  std::string floorMod = "floormod";
  /// C only: what is known of signs.
  const Facts *facts = nullptr;
  /// The spelling of a symbol; its name when null.
  std::function<std::string(Expr symbol)> symbolName;
};

/// How tightly an expression binds in the printed syntax; a place that needs more gets parentheses.
enum class Binding : uint8_t { Or, And, Not, Compare, Add, Multiply, Unary, Atom };

void print(Expr expr, llvm::raw_ostream &os, const PrintOptions &options = {},
           Binding place = Binding::Or);
void print(Pred pred, llvm::raw_ostream &os, const PrintOptions &options = {},
           Binding place = Binding::Or);
std::string toString(Expr expr, const PrintOptions &options = {}, Binding place = Binding::Or);
std::string toString(Pred pred, const PrintOptions &options = {}, Binding place = Binding::Or);

/// Why a text is no expression, and where (a byte offset).
struct ParseError {
  std::string message;
  size_t offset = 0;
};

/// Parses the Python form. Functions: cdiv, next_power_of_2, min, max, floordiv, mod, each also
/// with a dotted prefix (`triton.cdiv`). On failure returns null and sets `error`.
Expr parseExpr(llvm::StringRef text, Context &context, ParseError &error);
/// Also takes chained comparisons, `True`, `False`, and `&&`, `||`, `!` beside `and`, `or`, `not`;
/// `a % d == 0` is divisible(a, d).
Pred parsePred(llvm::StringRef text, Context &context, ParseError &error);

} // namespace nereid::index
