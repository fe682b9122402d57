// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library whose abstract values are texts: `x + 1` of the symbol x is the symbol "(x + 1)". It
// merges branches as `select(c, a, b)` and shows every hook of Library.h at work.
#pragma once

#include "python/machine/Machine.h"

namespace nereid::machine {

struct ToySymbol : Foreign {
  static constexpr unsigned Tag = 1000;
  ToySymbol(Library &library, ClassObject *cls, llvm::StringRef text)
      : Foreign(library, cls, Tag), text(text) {}
  static bool classof(const Object *o) { return isForeign(o, Tag); }
  llvm::StringRef text;
};

class ToyLibrary : public Library {
public:
  enum class Policy { Refuse, Merge, RunToEnd };

  explicit ToyLibrary(Machine &machine);
  Value symbol(const llvm::Twine &text);
  std::string show(Value value);

  Answer importModule(Machine &, llvm::StringRef name) override;
  Answer moduleAttribute(Machine &, ModuleObject &, Name) override;
  Answer getAttribute(Machine &, Value object, Name) override;
  Answer setAttribute(Machine &, Value object, Name, Value value) override;
  Answer call(Machine &, Value callee, const CallArgs &) override;
  Answer getItem(Machine &, Value object, Value key) override;
  Answer setItem(Machine &, Value object, Value key, Value value) override;
  Answer unary(Machine &, UnaryOperator, Value operand) override;
  Answer binary(Machine &, BinaryOperator, Value, Value, bool inPlace) override;
  Answer compare(Machine &, CompareOperator, Value, Value) override;
  Answer contains(Machine &, Value container, Value item) override;
  Answer length(Machine &, Value object) override;
  Answer iterate(Machine &, Value object) override;
  Answer convert(Machine &, Value object, llvm::StringRef target) override;
  Answer builtinCall(Machine &, llvm::StringRef name, const CallArgs &) override;
  std::optional<Completion> branch(Branch &) override;
  Answer branchValue(Branch &) override;
  std::optional<Completion> loop(Loop &) override;
  Answer create(Machine &, ClassObject &cls, const CallArgs &) override;
  bool classCreated(Machine &, ClassObject &cls) override;
  Answer callFunction(Machine &, FunctionObject &, const CallArgs &) override;
  Answer bind(Machine &, Frame &, Name, Value, const python::Expr *) override;
  Answer readGlobal(Machine &, Frame &, Name, Value) override;
  Answer returnValue(Machine &, Frame &, Value) override;
  bool beforeStatement(Machine &, Frame &, const python::Stmt &) override;

  Policy policy = Policy::Merge;
  std::vector<std::string> log;
  ClassObject *symbolClass = nullptr, *baseClass = nullptr;

private:
  Value select(Value condition, Value taken, Value other);
  Machine &machine;
};

} // namespace nereid::machine
