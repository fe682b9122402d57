// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a front end gives to the machine: modules to import, the meaning of its abstract values
// (`Foreign`), and what to do when control flow meets a value that is not known. Every hook is
// optional. An `Answer` of std::nullopt means "not mine, go on as Python would"; an engaged null
// means that the library raised (Machine::raise) or refused (Machine::refuse).
//
//   class Toy : public Library {
//     std::optional<Value> importModule(Machine &machine, llvm::StringRef name) override {
//       if (name != "toy") return std::nullopt;
//       ModuleObject *module = machine.makeModule(name, this);
//       machine.addBuiltin(module, "tensor", "(size, *, dtype=None)",
//           [this](Machine &machine, llvm::ArrayRef<Value> args) -> Value {
//             return machine.make<ToyTensor>(*this, tensorClass, args[0]); });
//       return module;
//     }
//     Answer binary(Machine &m, BinaryOperator op, Value l, Value r, bool inPlace) override {...}
//   };
//   Machine machine;  Toy toy;  machine.addLibrary(toy);
//   ModuleObject *module = machine.importFile("model.py", diagnostics);
//   machine.session([&] {
//     Value result = machine.call(machine.getAttribute(module, "forward"), {tensor});
//     if (!result) machine.report(diagnostics);
//   });
#pragma once

#include "python/machine/Frame.h"
#include "python/machine/Journal.h"

namespace nereid::machine {

using python::BinaryOperator;
using python::CompareOperator;
using python::UnaryOperator;

using Answer = std::optional<Value>;

enum class Truth : uint8_t { False, True, Failed, Unknown };

/// An `if`, ternary, `and`/`or` or assertion whose condition is not known.
class Branch {
public:
  Machine &machine;
  Frame &frame;
  /// If, While (only its test), IfExp, BoolOp, Assert, UnaryOp (not), Compare (chained), or the
  /// Comprehension whose condition it is.
  const python::Node &node;
  Value condition;
  /// Of a chain of comparisons: how many are done, and the operand that the next one begins with.
  size_t compared = 0;
  Value operand = nullptr;

  /// Executes one arm of an `if` (statements) and nothing after it. Other nodes: see evaluate.
  Completion run(bool taken);
  /// Evaluates one arm of a ternary or the remaining operands of `and`/`or` (the condition itself
  /// where the arm is the condition). Null: failed.
  Value evaluate(bool taken);
  /// Evaluates the comparisons of a chain that follow. Null: failed.
  Value evaluateRest();
  /// True when the rest of the function can be run after each arm: not in generators,
  /// comprehensions and class bodies.
  bool canRunToEnd() const;
  /// Executes one arm of an `if` and then the rest of the function (loops that are under way go on,
  /// `with` and `finally` run), as if the condition were `taken`. Return (None when the end is
  /// reached) or Raise. Call it in a Journal, undo, call it for the other arm, and end the hook
  /// with Completion::finished(merged result).
  Completion runToEnd(bool taken);
  /// True when the rest of the turn of the innermost loop can be run after each arm.
  bool canRunTurn() const;
  /// The same with the rest of that turn: Continue, Break, Return or Raise.
  Completion runTurn(bool taken);
};

/// A `for`, a `while` or the first `for` of a list comprehension that the library takes over.
class Loop {
public:
  Machine &machine;
  Frame &frame;
  const python::Node &node;   // For, While or ListComp
  Value iterable;             // what is iterated over; While: the first value of the test
  ListObject *list = nullptr; // ListComp: to which its elements are appended

  bool isFor() const { return !llvm::isa<python::While>(node); }
  /// What a `for` binds; null for a `while`.
  const python::Expr *target() const;
  /// While: evaluates the test (again). Null: failed.
  Value test();
  /// For: binds the target(s) to a value as an assignment would.
  bool bindTarget(Value value);
  /// Executes the body once. ListComp: evaluates the conditions, and appends the element.
  Completion runBody();
  /// Executes the `else` block, which belongs to a loop that was not left by break.
  Completion runElse();
  /// The names that the target binds, the body assigns (not those of nested functions), in order.
  std::vector<Name> assignedNames() const;
};

class Library {
public:
  virtual ~Library() = default;

  // --- Imports -------------------------------------------------------------------------------
  /// The module of this dotted name; nullopt when the library has none. Asked after source files.
  virtual Answer importModule(Machine &, llvm::StringRef name) { return std::nullopt; }
  /// An attribute of a module made by this library that is not among its globals. An engaged null
  /// after machine.raise or machine.refuse lets the library name the right spelling.
  virtual Answer moduleAttribute(Machine &, ModuleObject &, Name) { return std::nullopt; }

  // --- Abstract values -----------------------------------------------------------------------
  // For operators the left operand's library is asked first, then the right one's. Of tuples each
  // library is asked for the attributes that Python's lack.
  virtual Answer getAttribute(Machine &, Value object, Name) { return std::nullopt; }
  /// A program reads an attribute that an object lacks; the AttributeError is pending, and nothing
  /// of the program can catch it. An answer takes its place, after the library has reported it.
  virtual Answer missingAttribute(Machine &, Value object, Name) { return std::nullopt; }
  virtual Answer setAttribute(Machine &, Value object, Name, Value value) { return std::nullopt; }
  /// A stored attribute of an instance or of its class was found while this library is the
  /// machine's observer: what is read in its place. Null: the program asked whether the instance
  /// has the attribute, and it has not.
  virtual Answer readAttribute(Machine &, InstanceObject &object, Name, Value value) {
    return std::nullopt;
  }
  virtual Answer delAttribute(Machine &, Value object, Name) { return std::nullopt; }
  virtual Answer call(Machine &, Value callee, const CallArgs &) { return std::nullopt; }
  virtual Answer getItem(Machine &, Value object, Value key) { return std::nullopt; }
  virtual Answer setItem(Machine &, Value object, Value key, Value value) { return std::nullopt; }
  virtual Answer delItem(Machine &, Value object, Value key) { return std::nullopt; }
  virtual Answer unary(Machine &, UnaryOperator, Value operand) { return std::nullopt; }
  /// `inPlace` for augmented assignment; nullopt then falls back to the plain operator.
  virtual Answer binary(Machine &, BinaryOperator, Value left, Value right, bool inPlace) {
    return std::nullopt;
  }
  /// `left is right`, or `left is not right`, where one of the two stands for one of several
  /// objects; null refuses.
  virtual Answer identity(Machine &, Value left, Value right, bool isNegated) {
    return std::nullopt;
  }
  /// Eq to GtE; `is` compares identity, `in` asks contains.
  virtual Answer compare(Machine &, CompareOperator, Value left, Value right) {
    return std::nullopt;
  }
  /// Two tuples or lists are equal if all of these comparisons of their items hold, none of which
  /// is known; `negated`: whether they differ.
  virtual Answer allOf(Machine &, llvm::ArrayRef<Value> comparisons, bool negated) {
    return std::nullopt;
  }
  virtual Answer contains(Machine &, Value container, Value item) { return std::nullopt; }
  virtual Answer length(Machine &, Value object) { return std::nullopt; }
  /// A list, tuple, or iterator object to iterate over instead.
  virtual Answer iterate(Machine &, Value object) { return std::nullopt; }
  /// int(x), float(x), bool(x), str(x), repr(x), index (use as an index or in range()), complex,
  /// format (`f"{x}"`), hash: `target` is the name, e.g. "int". "key": anything where hashing would
  /// decide what the program leaves open. "truth": True or False, where bool(x) may be left open.
  virtual Answer convert(Machine &, Value object, llvm::StringRef target) { return std::nullopt; }
  /// math.sqrt(x) and other functions of built-in modules, sum, abs, min, max, round, divmod, pow
  /// that meet an abstract argument; `name` is "math.sqrt", "sum", ...
  virtual Answer builtinCall(Machine &, llvm::StringRef name, const CallArgs &) {
    return std::nullopt;
  }
  virtual Truth truth(Machine &, Value object) { return Truth::Unknown; }
  /// The number that an abstract value is taken to be where Python has to know it, as that of a
  /// method of int: the library makes it hold and tells `reason`. nullopt: there is none.
  virtual Answer known(Machine &, Value object, llvm::StringRef reason) { return std::nullopt; }
  /// isinstance(object, cls) where either side is the library's, `cls` a class or a tuple of them;
  /// nullopt: by the class of the value.
  virtual std::optional<bool> isInstance(Machine &, Value object, Value cls) {
    return std::nullopt;
  }

  // --- Control flow on conditions that are not known -------------------------------------------
  // Asked when truth answered Unknown; nullopt is refused with the place.
  virtual std::optional<Completion> branch(Branch &) { return std::nullopt; }
  /// A ternary, `and`, `or`, `not`, chained comparison, assertion or comprehension condition.
  virtual Answer branchValue(Branch &) { return std::nullopt; }
  /// A `while` whose test, or a `for` whose iterable, is not known (`for`: iterate is asked next).
  virtual std::optional<Completion> loop(Loop &) { return std::nullopt; }
  /// The same for the first `for` of a list comprehension: normal when all elements are appended.
  virtual std::optional<Completion> comprehension(Loop &) { return std::nullopt; }
  /// A `for` over a range with known bounds, which a library may keep as one loop.
  virtual std::optional<Completion> rangeLoop(Loop &) { return std::nullopt; }

  // --- Classes of this library (ClassObject::library, inherited by the user's subclasses) -------
  /// Making an instance of `cls`: the user's class or the library's own. nullopt: an InstanceObject
  /// or what the layout says, then __init__.
  virtual Answer create(Machine &, ClassObject &cls, const CallArgs &) { return std::nullopt; }
  /// A class body that derives from a class of the library has just been executed.
  virtual bool classCreated(Machine &, ClassObject &cls) { return true; }
  // getAttribute (asked only when nothing was found), setAttribute and delAttribute (asked first)
  // and call (asked first) are asked for instances of such classes as for abstract values.

  /// A decorator made `result` of `value`, or failed: `result` is null and the error in flight. An
  /// answer is what the next decorator gets instead; the error is then forgotten. `decorator` is in
  /// the file of the current frame.
  virtual Answer decorated(Machine &, Value value, const python::Expr &decorator, Value result) {
    return std::nullopt;
  }

  // --- User functions --------------------------------------------------------------------------
  /// A function that this library marked (Machine::markFunction) is called.
  virtual Answer callFunction(Machine &, FunctionObject &, const CallArgs &) {
    return std::nullopt;
  }

  // --- Frames of a library's own: Machine::callWithPolicy ---------------------------------------
  // Asked for every known or abstract value in such a frame. Functions called from it have no
  // policy, unless policyCall passes it on.
  /// What an assignment to a local name binds instead of `value` (decay, naming, types).
  virtual Answer bind(Machine &, Frame &, Name, Value value, const python::Expr *annotation) {
    return std::nullopt;
  }
  /// A local name is about to be read; `value` may be null (not bound).
  virtual Answer readLocal(Machine &, Frame &, Name, Value value) { return std::nullopt; }
  /// A global, closure or built-in name was read; `value` is null when there is no such name.
  virtual Answer readGlobal(Machine &, Frame &, Name, Value value) { return std::nullopt; }
  virtual Answer passArgument(Machine &, Frame &callee, Name, Value value) { return std::nullopt; }
  virtual Answer returnValue(Machine &, Frame &, Value value) { return std::nullopt; }
  /// Before each statement and expression: false, after machine.refuse, to reject a construct.
  virtual bool beforeStatement(Machine &, Frame &, const python::Stmt &) { return true; }
  virtual bool beforeExpression(Machine &, Frame &, const python::Expr &) { return true; }
  /// A literal.
  virtual Answer literal(Machine &, Frame &, const python::Constant &, Value value) {
    return std::nullopt;
  }
  /// Operators, calls and control flow on any operands, asked before Python's own meaning.
  virtual Answer policyBinary(Machine &, Frame &, const python::Expr &, BinaryOperator, Value left,
                              Value right) {
    return std::nullopt;
  }
  virtual Answer policyUnary(Machine &, Frame &, const python::Expr &, UnaryOperator, Value) {
    return std::nullopt;
  }
  virtual Answer policyCompare(Machine &, Frame &, const python::Expr &, CompareOperator,
                               Value left, Value right) {
    return std::nullopt;
  }
  virtual Answer policyCall(Machine &, Frame &, const python::Call &, Value callee,
                            const CallArgs &) {
    return std::nullopt;
  }
  /// Whole statements of control flow (If, For, While, With, Return, ...), before anything of them
  /// is evaluated.
  virtual std::optional<Completion> policyStatement(Machine &, Frame &, const python::Stmt &) {
    return std::nullopt;
  }
};

} // namespace nereid::machine
