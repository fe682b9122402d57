// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is being executed: code (a function's definition with the scopes of its names), frames, and
// the ways in which a block of statements ends. Libraries see these in their hooks for statements.
#pragma once

#include "python/Ast.h"
#include "python/machine/Value.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::machine {

/// A function's definition: one for all closures made from it.
struct CodeInfo {
  const python::ParsedFile *file = nullptr;
  /// A FunctionDef, Lambda or comprehension; a ClassDef or Module for their bodies.
  const python::Node *node = nullptr;
  const python::Arguments *args = nullptr; // null where there are none
  python::Body body;                       // empty for a lambda and a comprehension
  Name name = nullptr;
  bool isGenerator = false;
  bool isAsync = false;
  /// Names as the symbol table of CPython sorts them; all others are looked up in the globals.
  llvm::DenseSet<const void *> locals, globals, nonlocals;

  const python::FunctionDef *getDef() const { return llvm::dyn_cast<python::FunctionDef>(node); }
  const python::Lambda *getLambda() const { return llvm::dyn_cast<python::Lambda>(node); }
};

/// How a block ended.
struct Completion {
  enum Kind : uint8_t {
    Normal,
    Break,
    Continue,
    Return, // `value` is returned
    Raise,  // an exception or refusal is in flight
    /// The rest of the function has been executed by a library (see Branch::runToEnd): `value` is
    /// the function's result, and nothing that encloses the statement is executed again.
    Finished,
  };
  Kind kind = Normal;
  Value value = nullptr;

  static Completion normal() { return {}; }
  static Completion raise() { return {Raise, nullptr}; }
  static Completion returns(Value value) { return {Return, value}; }
  static Completion finished(Value value) { return {Finished, value}; }
  bool isNormal() const { return kind == Normal; }
  bool isRaise() const { return kind == Raise; }
};

/// One step of the way from a function's body to the statement that is being executed; from these
/// the machine knows what remains to be done after a statement.
struct ControlEntry {
  enum Kind : uint8_t { Block, ForLoop, WhileLoop, WithBody, TryBody, TryHandler, TryFinal };
  Kind kind;
  python::Body body;                  // Block
  size_t next = 0;                    // Block: index of the next statement
  const python::Stmt *stmt = nullptr; // the others
  Value state = nullptr;              // ForLoop: the iterator; WithBody: the exits
};

enum class FrameKind : uint8_t { Module, Class, Function, Comprehension };

struct Frame {
  FrameKind kind = FrameKind::Function;
  const CodeInfo *code = nullptr;
  Namespace *locals = nullptr; // for modules the globals, for classes the class body's names
  ModuleObject *module = nullptr;
  Frame *closure = nullptr; // the enclosing function's frame
  Frame *caller = nullptr;
  FunctionObject *function = nullptr; // null outside functions
  /// The library that is asked about every binding, name, statement, call and return in this frame,
  /// known values included; null in most frames. See Library, "frames of a library's own".
  Library *policy = nullptr;
  /// Free for that library.
  void *policyData = nullptr;
  const python::Node *current = nullptr; // being evaluated
  llvm::SmallVector<ControlEntry, 3> control;
  Value generator = nullptr; // the generator whose body this is
  Value handled = nullptr;   // the exception that an `except` block is handling
  unsigned depth = 0;

  const python::ParsedFile &getFile() const { return *code->file; }
  SourceLocation getLocation() const {
    return current ? code->file->getLocation(*current) : SourceLocation{};
  }
};

} // namespace nereid::machine
