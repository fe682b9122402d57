// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The abstract Python machine: reads modules, evaluates Python exactly on known values and asks
// libraries about the others (Library.h has an example). Nothing outside the process is touched but
// the source files that are imported. Functions that return a Value return null when a Python
// exception or a refusal is in flight: pass the null on, or take the error with `report`.
#pragma once

#include "python/machine/Library.h"
#include "support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <chrono>
#include <memory>
#include <string>

namespace nereid::machine {

struct Builtins;  // the built-in classes, see Builtins.h
struct Internals; // of the machine alone

/// What a program may spend; beyond it the machine refuses (and no `except` catches that).
struct Limits {
  uint64_t steps = 10'000'000;
  unsigned depth = 1000;              // nested Python calls
  uint64_t items = 16'000'000;        // in one list, tuple, dict, set or string
  unsigned integerBits = 1u << 20;    // of one integer
  uint64_t bytes = uint64_t(1) << 30; // in all objects
};

/// What functions that raise or refuse return: null as a value, false as a truth.
struct Failure {
  template <typename T> operator T *() const { return nullptr; }
  operator bool() const { return false; }
};

/// A failed top-level statement of a module that was imported all the same: what it should have
/// bound raises this when used.
struct ImportError {
  ModuleObject *module;
  Diagnostic diagnostic;
  /// The exception; null for a refusal.
  Value exception = nullptr;
};

/// What a top-level statement of a program's file changed of what was there before it.
struct Effect {
  Object *holder;        // a namespace, or a list, dict, set, iterator
  Name name = nullptr;   // what the namespace binds otherwise since
  Value value = nullptr; // what it is bound to; null: it no longer is
};

class Machine {
public:
  explicit Machine(Limits limits = {});
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  /// Libraries are asked in the order in which they were added; they outlive the machine.
  void addLibrary(Library &library);
  /// What stands in for the texts of files that are imported; null: nothing.
  const SourceTexts *texts = nullptr;
  /// Asked of every attribute of an instance that is read (Library::readAttribute); null: nobody.
  Library *observer = nullptr;
  /// The policy of functions that are called without one (by built-in functions, as methods of the
  /// program's classes); null: they have none.
  Library *defaultPolicy = nullptr;
  /// Runs `body` on the machine's own large stack (once; nested calls run directly). Everything
  /// that may execute Python from outside a hook belongs in here; importFile, importSource and call
  /// enter by themselves.
  void session(llvm::function_ref<void()> body);

  // --- Programs ------------------------------------------------------------------------------
  /// Reads and evaluates a file; its folder (and package) is where its imports are looked for
  /// first. A file that was read already, by an import too, is not read again. On failure returns
  /// null and adds located errors.
  ModuleObject *importFile(llvm::StringRef path, Diagnostics &diagnostics);
  /// The same for a text that is already in memory; `file` has the name for messages and, if it is
  /// a path, the folder for imports. `library`: a prelude of that library, whose functions may use
  /// the names in `globals`.
  ModuleObject *importSource(std::shared_ptr<const SourceFile> file, llvm::StringRef moduleName,
                             Diagnostics &diagnostics, Library *library = nullptr,
                             llvm::ArrayRef<std::pair<llvm::StringRef, Value>> globals = {});
  /// Evaluates one expression in a module's globals; `name` is for messages ("--init").
  Value evaluate(llvm::StringRef expression, ModuleObject *module, llvm::StringRef name);
  /// Top-level statements that failed so far.
  const std::vector<ImportError> &getImportErrors() const { return importErrors; }
  /// Whether effects of top-level statements are kept, of files that are imported from now on.
  bool recordsEffects = false;
  llvm::ArrayRef<Effect> effectsOf(const python::Stmt &statement) const;
  /// Modules that nothing is known of and that were taken for absent, since the program says what
  /// it does without them; with the places of the imports.
  std::vector<std::pair<std::string, SourceLocation>> absentModules;

  // --- Errors --------------------------------------------------------------------------------
  /// A Python exception or a refusal is in flight.
  bool pending() const { return exception || refused; }
  bool pendingRefusal() const { return refused.has_value(); }
  Value pendingException() const { return exception; }
  /// Raises a built-in exception by name ("TypeError"); returns null.
  Failure raise(llvm::StringRef exceptionName, const llvm::Twine &message);
  /// Raises with a help line for the diagnostic if nobody catches it.
  Failure raise(llvm::StringRef exceptionName, const llvm::Twine &message, const llvm::Twine &help);
  Failure raiseValue(Value exceptionInstance);
  /// Refuses: not catchable by the program. The place is the node under evaluation unless given.
  Failure refuse(const llvm::Twine &message, const llvm::Twine &help = "");
  Failure refuseAt(SourceLocation location, const llvm::Twine &message,
                   const llvm::Twine &help = "");
  /// Ends what is in flight and returns it as a diagnostic with the Python call stack as notes.
  Diagnostic takeError();
  void report(Diagnostics &diagnostics);
  /// Ends a Python exception that is in flight if it is an instance of the built-in class; returns
  /// it.
  Value catchException(llvm::StringRef exceptionName);
  /// Whether a `try`, a `with` or a built-in function such as hasattr may catch an exception here.
  bool mayCatch() const;
  /// The place of the node under evaluation, and the frames around it, innermost first.
  SourceLocation location() const;
  std::vector<SourceLocation> callStack() const;
  Frame *getFrame() const { return frame; }
  /// Whether what is made of values that nothing is known of (of modules that are not there) is
  /// such a value too, and a condition on one does not hold. Else their use is refused.
  bool spreadsOpaque = false;
  /// Whether what is evaluated decides nothing: the message of an exception, or a statement whose
  /// value is dropped, as a print.
  bool isShown = false;

  // --- Making values -------------------------------------------------------------------------
  template <typename T, typename... Args> T *make(Args &&...args) {
    void *memory = allocate(sizeof(T), alignof(T));
    T *object = new (memory) T(std::forward<Args>(args)...);
    if constexpr (std::is_base_of_v<Object, T>)
      object->epoch = journalCounter;
    if constexpr (!std::is_trivially_destructible_v<T>)
      addDestructor(object, [](void *object) { static_cast<T *>(object)->~T(); });
    return object;
  }
  Value none() const { return noneValue; }
  Value notImplemented() const { return notImplementedValue; }
  Value ellipsis() const { return ellipsisValue; }
  BoolObject *makeBool(bool value) const { return value ? trueValue : falseValue; }
  IntObject *makeInt(int64_t value);
  IntObject *makeInt(const llvm::APInt &value); // signed
  FloatObject *makeFloat(double value);
  ComplexObject *makeComplex(double real, double imag);
  StrObject *makeStr(llvm::StringRef text);
  BytesObject *makeBytes(llvm::StringRef data);
  /// A name outside of what the program is made of, `triton.runtime`: nothing is known of it.
  OpaqueObject *makeOpaque(llvm::StringRef path);
  TupleObject *makeTuple(llvm::ArrayRef<Value> items);
  ListObject *makeList(llvm::ArrayRef<Value> items = {});
  DictObject *makeDict();
  SetObject *makeSet(bool frozen = false);
  RangeObject *makeRange(int64_t start, int64_t stop, int64_t step = 1);
  SliceObject *makeSlice(Value start, Value stop, Value step);
  Name intern(llvm::StringRef text);
  /// A copy of the text in the arena.
  llvm::StringRef save(llvm::StringRef text);
  Namespace *makeNamespace(Value owner);

  /// A C++ function as a value. It gets the arguments as they were passed.
  BuiltinObject *makeBuiltin(llvm::StringRef name, BuiltinFn fn);
  /// A C++ function with a Python signature, e.g. "(input, dim=-1, /, *sizes, keepdim=False,
  /// **rest)": it gets one value per parameter (a tuple for *sizes, a dict for **rest). Defaults
  /// are literals: None, True, False, numbers, strings, (); a parameter without a default is
  /// required. Wrong calls raise TypeError with CPython's wording.
  using BoundFn = std::function<Value(Machine &, llvm::ArrayRef<Value>)>;
  BuiltinObject *makeBuiltin(llvm::StringRef name, llvm::StringRef signature, BoundFn fn);
  /// The same, put into a module's globals or a class's dictionary.
  void addBuiltin(Value moduleOrClass, llvm::StringRef name, llvm::StringRef signature, BoundFn fn);
  ModuleObject *makeModule(llvm::StringRef name, Library *library);
  /// A class of a library. `bases` empty: object.
  ClassObject *makeClass(llvm::StringRef name, llvm::ArrayRef<ClassObject *> bases,
                         Library *library, ModuleObject *module = nullptr);
  Value makeProperty(BoundFn getter);
  /// Makes calls of this function ask Library::callFunction of `library`.
  void markFunction(FunctionObject &function, Library &library);
  /// Binds a name of a module, class or object without asking any hook.
  void setName(Value moduleOrClassOrObject, llvm::StringRef name, Value value);
  void setName(Namespace &names, Name name, Value value);

  // --- Python's operations (hooks, dunder methods and all) --------------------------------------
  Value getAttribute(Value object, llvm::StringRef name);
  Value getAttribute(Value object, Name name);
  /// Null without an error in flight when there is no such attribute.
  Value findAttribute(Value object, Name name);
  bool setAttribute(Value object, Name name, Value value);
  bool delAttribute(Value object, Name name);
  Value getItem(Value object, Value key);
  bool setItem(Value object, Value key, Value value);
  bool delItem(Value object, Value key);
  Value call(Value callee, llvm::ArrayRef<Value> args = {});
  Value call(Value callee, const CallArgs &args);
  Value callMethod(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args = {});
  Value unary(UnaryOperator op, Value operand);
  Value binary(BinaryOperator op, Value left, Value right, bool inPlace = false);
  Value compare(CompareOperator op, Value left, Value right);
  Truth truth(Value value);
  /// Refuses when the truth is not known.
  Truth knownTruth(Value value);
  std::optional<bool> contains(Value container, Value item);
  std::optional<bool> isInstance(Value object, Value classOrTuple);
  std::optional<bool> equal(Value left, Value right);
  std::optional<uint64_t> hash(Value value);
  std::optional<int64_t> length(Value value);
  /// All items of an iterable; nullopt: failed.
  std::optional<std::vector<Value>> items(Value iterable);
  /// An iterator, and its next item; at the end `next` returns null with nothing in flight.
  Value iterator(Value iterable);
  Value next(Value iterator);
  /// The value as an index (int, bool, __index__); nullopt: failed.
  std::optional<int64_t> index(Value value);
  std::optional<std::string> str(Value value);
  std::optional<std::string> repr(Value value);
  std::optional<std::string> format(Value value, llvm::StringRef spec);

  /// Dictionaries and sets. dictGet: null without an error when there is no such key.
  Value dictGet(DictObject &dict, Value key);
  Value dictGet(DictObject &dict, llvm::StringRef key);
  bool dictSet(DictObject &dict, Value key, Value value);
  std::optional<bool> dictErase(DictObject &dict, Value key);
  bool setAdd(SetObject &set, Value item);

  // --- Statements, for hooks ---------------------------------------------------------------------
  Completion runBlock(python::Body body, Frame &frame);
  Value evaluateExpr(const python::Expr &expr, Frame &frame);
  bool assignTo(const python::Expr &target, Value value, Frame &frame);
  /// Calls a user's function in a frame of a library's own.
  Value callWithPolicy(FunctionObject &function, const CallArgs &args, Library &policy,
                       void *policyData = nullptr);
  /// A function's annotation of a parameter, evaluated; null without an error when there is none.
  Value annotation(FunctionObject &function, llvm::StringRef parameter);
  /// Binds arguments to a function's parameters as a call would, in the order of its parameters
  /// (*args as a tuple, **kwargs as a dict); nullopt: TypeError in flight.
  std::optional<std::vector<std::pair<Name, Value>>> bindArguments(FunctionObject &function,
                                                                   const CallArgs &args);
  std::vector<Name> parameterNames(const FunctionObject &function);

  // --- Looking at values ---------------------------------------------------------------------
  ClassObject *typeOf(Value value) const { return value->cls; }
  /// A built-in class: "int", "list", "ValueError", ...
  ClassObject *builtinClass(llvm::StringRef name);
  /// A name of the module `builtins`; null when there is none.
  Value builtin(llvm::StringRef name);
  /// `list`, `Tensor`, `MyModule`: the name of the value's class.
  llvm::StringRef typeName(Value value) const { return value->cls->name; }
  ModuleObject *findModule(llvm::StringRef name);
  /// The whole source of a function or class statement, decorators included.
  SourceLocation definitionOf(Value functionOrClass);
  /// The tree of a file that this machine read; null when it read no such file.
  const python::ParsedFile *parsedFile(const SourceFile *file) const;
  /// The file at whose top level a name is bound to the value, and the name; nulls when there is
  /// none.
  std::pair<ModuleObject *, Name> findBinding(Value value) const;
  /// The module that was made of a file; null when there is none.
  ModuleObject *moduleOf(const SourceFile *file) const;

  /// Tells the journal that the object is about to change.
  void willWrite(Object *object) {
    if (journal && object->epoch < journalId)
      noteWrite(object);
  }
  /// Counts one step; false: the budget is spent and a refusal is in flight.
  bool step();
  const Limits &getLimits() const { return limits; }
  uint64_t getSteps() const { return steps; }
  /// From now on the program may take this many steps, and as many seconds (0: any number).
  void renewBudget(uint64_t steps, double seconds = 0);
  /// The memory that objects take so far, in bytes.
  uint64_t getAllocated() const;

  Builtins &classes() { return *builtins; }

  /// What print() writes goes here; without it print() does nothing.
  std::function<void(llvm::StringRef)> onPrint;

private:
  friend class Journal;
  friend struct Internals;

  void *allocate(size_t size, size_t align);
  void addDestructor(void *object, void (*destroy)(void *));
  void noteWrite(Object *object);

  Limits limits;
  uint64_t steps = 0;
  uint64_t allowedSteps = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  Journal *journal = nullptr; // the innermost
  uint32_t journalId = 0;     // its id
  uint32_t journalCounter = 0;
  Frame *frame = nullptr;
  Value exception = nullptr;
  std::optional<Diagnostic> refused;
  std::vector<ImportError> importErrors;
  Value noneValue = nullptr, notImplementedValue = nullptr, ellipsisValue = nullptr;
  BoolObject *trueValue = nullptr, *falseValue = nullptr;
  Builtins *builtins = nullptr;
  std::unique_ptr<Internals> internals;
};

} // namespace nereid::machine
