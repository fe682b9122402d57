// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python expressions as small trees that know how tightly they bind: printing puts parentheses only
// where the grammar needs them. A tree may remember which SSA value it stands for, so that a
// statement that grows too long can give that value a name instead.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::emit {

/// Python's precedences, loosest first.
enum class Binding : uint8_t {
  Lambda,
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Add,
  Multiply,
  Unary,
  Atom
};

enum class CodeKind : uint8_t { Text, Binary, Unary, Call, Suffix, Tuple, List, Dict };

/// An immutable expression; copies share.
class Code {
public:
  Code() = default;

  /// Finished text that binds as told.
  static Code text(std::string text, Binding binding = Binding::Atom);
  /// `lhs op rhs`, left-associative unless it is a comparison (which never chains).
  static Code binary(llvm::StringRef op, Binding binding, Code lhs, Code rhs);
  static Code unary(llvm::StringRef op, Binding binding, Code operand);
  /// `callee(arguments...)`; an argument is positional or made by `keyword`.
  static Code call(Code callee, llvm::ArrayRef<Code> arguments);
  static Code call(llvm::StringRef callee, llvm::ArrayRef<Code> arguments) {
    return call(text(callee.str()), arguments);
  }
  /// `value if condition else other`.
  static Code conditional(Code value, Code condition, Code other) {
    return binary("else", Binding::Lambda,
                  binary("if", Binding::Lambda, std::move(value), std::move(condition)),
                  std::move(other));
  }
  /// `base` followed by `suffix` without a space: `.to`, `[:, None]`.
  static Code suffix(Code base, llvm::StringRef suffix);
  static Code method(Code base, llvm::StringRef name, llvm::ArrayRef<Code> arguments) {
    return call(suffix(std::move(base), ("." + name).str()), arguments);
  }
  static Code tuple(llvm::ArrayRef<Code> elements);
  static Code list(llvm::ArrayRef<Code> elements);
  /// `{key: value, ...}`; each value is made by `keyword` with its key.
  static Code dict(llvm::ArrayRef<Code> elements);
  /// The same expression as a keyword argument.
  static Code keyword(llvm::StringRef name, Code value);

  explicit operator bool() const { return node != nullptr; }
  CodeKind getKind() const;
  Binding getBinding() const;
  llvm::ArrayRef<Code> getChildren() const;
  /// The operator of a Binary or Unary, the suffix of a Suffix.
  llvm::StringRef getText() const;
  /// `name=` of a keyword argument, else empty.
  llvm::StringRef getKeyword() const;

  /// As a part of this call or display: with its keyword before it.
  std::string spellPart(const Code &part) const;

  /// On one line; in parentheses when it binds more loosely than its place asks for.
  std::string str(Binding place = Binding::Lambda) const;

  /// The same expression as the first of its kind among arguments: where a list of them fills
  /// lines, it begins one.
  Code onNewLine() const;
  bool isOnNewLine() const;

  /// The opaque SSA value that this expression stands for, or null.
  const void *getOrigin() const;
  Code withOrigin(const void *origin) const;

private:
  struct Node;
  explicit Code(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

struct Code::Node {
  CodeKind kind;
  Binding binding = Binding::Atom;
  std::string text;
  std::string keyword;
  std::vector<Code> children;
  const void *origin = nullptr;
  bool isOnNewLine = false;
};

/// A Python string literal, in double quotes unless it has such and no other.
std::string quote(llvm::StringRef text);

} // namespace nereid::emit
