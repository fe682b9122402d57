// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the machine share and nobody outside it sees: the arena, interned names,
// modules, code, and the operations that are spread over the files of this folder.
#pragma once

#include "python/ParsedFiles.h"
#include "python/machine/Builtins.h"
#include "python/machine/Iterator.h"
#include "python/machine/Machine.h"
#include "support/Answers.h"

#include "llvm/Support/Allocator.h"

#include <map>

namespace nereid::machine {

namespace ast = nereid::python;
class Fiber;
class GeneratorObject;

/// What a raise leaves behind for the message if nobody catches it.
struct RaiseRecord {
  std::vector<SourceLocation> stack; // innermost first
  std::string help;
};

struct Internals {
  explicit Internals(Machine &machine);
  ~Internals();

  Machine &m;
  // Shorthands for the machine's own fields.
  Frame *&frame;
  Value &exception;
  std::optional<Diagnostic> &refused;
  bool fatal = false; // the refusal is one of a budget: nothing goes on after it
  bool late = false;  // something was refused as its time was over (Outside.h)
  /// Told what the outside is asked and answers (Outside.h); null: nobody is.
  Answers *answers = nullptr;
  /// Where files are parsed for several machines (Outside.h); null: each is parsed here.
  ast::ParsedFiles *sharedFiles = nullptr;
  /// How often a value that nothing is known of was taken for false (Machine::spreadsOpaque).
  unsigned guesses = 0;

  llvm::BumpPtrAllocator arena;
  uint64_t allocated = 0;
  std::vector<std::pair<void *, void (*)(void *)>> destructors;
  llvm::StringMap<Name> names;
  llvm::DenseMap<const char *, Name> astNames;
  llvm::DenseMap<const ast::Node *, Value> constants;
  llvm::DenseMap<const ast::Node *, CodeInfo *> codes;
  std::vector<std::unique_ptr<CodeInfo>> ownedCodes;
  std::vector<std::shared_ptr<const ast::ParsedFile>> files;
  llvm::DenseMap<const SourceFile *, const ast::ParsedFile *> bySource;
  /// What Machine::evaluate parsed, by message name and text: many ask for the same.
  std::map<std::pair<std::string, std::string>, const ast::ParsedFile *> expressions;
  /// Texts with syntax errors, at which diagnostics point.
  std::vector<std::shared_ptr<const SourceFile>> broken;
  llvm::StringMap<ModuleObject *> modules;
  llvm::DenseMap<const ast::Stmt *, std::vector<Effect>> effects; // Machine::recordsEffects
  std::vector<Library *> libraries;
  std::vector<IntObject *> smallInts; // -16 .. 1023
  llvm::DenseMap<const Object *, RaiseRecord> raises;
  llvm::DenseMap<const FunctionObject *, Library *> marked;
  llvm::DenseMap<const Object *, std::vector<std::pair<Name, const ast::Expr *>>> classAnnotations;
  llvm::DenseMap<const Object *, SourceLocation> classLocations;
  std::vector<std::pair<const Object *, const Object *>> reprStack;
  std::vector<std::string> searchPath;
  std::vector<std::shared_ptr<const SourceFile>> keptSources;
  llvm::DenseMap<const SourceFile *, std::string> filePaths;
  Builtins classes;
  CommonNames n;
  ModuleObject *builtinsModule = nullptr;
  Namespace *importing = nullptr;

  // Stacks.
  char *stackLimit = nullptr; // the lowest address that may be used
  Fiber *currentFiber = nullptr;
  std::vector<Fiber *> idleFibers;
  std::vector<GeneratorObject *> liveGenerators;
  unsigned depth = 0;
  bool closing = false;

  // Calls.
  /// Frames that something which was made in them refers to.
  llvm::DenseSet<const Frame *> captured;
  /// Those of calls that have ended, with empty locals, for the next ones.
  std::vector<Frame *> idleFrames;

  // --- Objects.cpp, Setup.cpp
  void setUp();
  Name nameOf(llvm::StringRef identifier); // of the AST, whose names are unique in their file
  Name name(llvm::StringRef text) { return m.intern(text); }
  ClassObject *newClass(llvm::StringRef name, ClassObject *base, Kind layout);
  Value constant(const ast::Constant &node);
  /// The attributes of an object, made when it has none; as old as the object for every journal.
  Namespace *attrsOf(Object *object);
  bool charge(uint64_t count); // steps for work that depends on sizes
  /// Calls `visit` with each item of an iterable as soon as it is made: a generator may read what
  /// the items before have changed. False: it failed, or `visit` did.
  bool forEachItem(Value iterable, llvm::function_ref<bool(Value)> visit);
  /// `list.extend(iterable)`.
  bool extend(ListObject &list, Value iterable);
  bool checkItems(uint64_t count);
  bool stackLow() { return reinterpret_cast<char *>(__builtin_frame_address(0)) < stackLimit; }

  // --- Errors.cpp
  Failure raiseArgs(ClassObject *cls, llvm::ArrayRef<Value> args);
  InstanceObject *makeException(ClassObject *cls, llvm::ArrayRef<Value> args);
  Failure typeError(const llvm::Twine &message) { return m.raise("TypeError", message); }
  Failure stopIteration(Value value);
  Failure attributeError(Value object, Name name);
  bool isException(Value value) const;
  bool matches(Value exception, ClassObject *cls) const {
    return exception->cls->isSubclassOf(cls);
  }
  std::string exceptionText(Value exception); // `TypeError: message`

  // --- Attributes.cpp, ComputedAttributes.cpp
  Value lookupSpecial(Value object, Name name); // on the class, bound; null: absent or failed
  Value bind(Value found, Value object, ClassObject *cls);
  Value genericGet(Value object, Name name, bool &found);
  Value classGet(ClassObject *cls, Name name, bool &found);
  Value builtinAttribute(Value object, Name name, bool &found);
  Value docOf(ast::Body body); // null: it has none
  bool genericSet(Value object, Name name, Value value);
  bool setDict(Value object, Namespace &attrs, Value value);
  Library *libraryOf(Value object) const;
  /// What decides whether an object is true: the length of a list that a library stands in for,
  /// else the object itself. Null after an exception.
  Value decisive(Value object);
  /// A dunder method that the user or a library defined (not the machine's own).
  Value userMethod(Value object, Name name);
  std::optional<bool> hasAttribute(Value object, Name name);
  /// An attribute of the instance itself, as `__dict__` reads it; null where it has none.
  Value getStored(Value object, Name name);
  /// Tells the observer that the program asked for an attribute that is not there.
  void noteAbsent(Value object, Name name);
  /// How many built-in functions wait for an attribute that may be missing.
  unsigned seeking = 0;

  // --- Calls.cpp
  /// A frame with locals, for who gives it back where nothing refers to it when it ends.
  Frame *takeFrame();
  void giveFrame(Frame *ended);
  /// Something that outlives the frame refers to it, and to those around it.
  void capture(const Frame *frame);
  Value callFunction(FunctionObject &function, const CallArgs &args, Library *policy,
                     void *policyData);
  bool bindParameters(FunctionObject &function, const CallArgs &args, Namespace &locals,
                      Frame *policyFrame);
  Value callClass(ClassObject &cls, const CallArgs &args);
  Value instantiate(ClassObject &cls, const CallArgs &args);
  std::string describeCallable(Value callee);
  Value refuseOpaque(OpaqueObject &opaque, llvm::StringRef what);
  /// What comes of using such a value: another one where they spread (Machine::spreadsOpaque),
  /// called `path` and what follows it; else a refusal.
  Value useOpaque(OpaqueObject &opaque, llvm::StringRef what, llvm::StringRef suffix);

  // --- Classes.cpp
  ClassObject *buildClass(llvm::StringRef name, llvm::ArrayRef<Value> bases, Namespace *body,
                          llvm::ArrayRef<std::pair<Name, Value>> keywords, ModuleObject *module,
                          llvm::StringRef qualifiedName);
  bool computeMro(ClassObject &cls);
  /// The function that builds the class when one of the bases is typing.NamedTuple; else null.
  Value namedTupleHook(llvm::ArrayRef<Value> bases);

  // --- Scopes.cpp
  CodeInfo *codeOf(const ast::Node &node, const ast::ParsedFile &file);

  // --- Operators.cpp, ContainerOperators.cpp, Compare.cpp
  Value nativeBinary(BinaryOperator op, Value left, Value right); // NotImplemented when it has none
  Value nativeUnary(UnaryOperator op, Value operand);
  Value nativeCompare(CompareOperator op, Value left, Value right);
  Value repeat(Value sequence, int64_t count);

  // --- Conditions.cpp
  /// What an answer says; nullopt where there is none, and where its truth is refused.
  std::optional<bool> truthOf(Value answer);

  // --- Indices.cpp, Items.cpp, Contents.cpp
  struct SliceRange {
    int64_t start, stop, step, count;
  };
  std::optional<SliceRange> sliceRange(SliceObject &slice, int64_t size);
  Value typingAlias(InstanceObject &form, Value key); // typing.Optional[int]
  /// The alternatives of Union[int, str] and int | str; null for other values.
  TupleObject *unionArguments(Value value);
  std::optional<bool> equalAliases(Value left, Value right);
  Value nativeGetItem(Value object, Value key);
  bool nativeSetItem(Value object, Value key, Value value);
  bool nativeDelItem(Value object, Value key);
  std::optional<bool> nativeContains(Value container, Value item);
  std::optional<int64_t> nativeLength(Value value, bool &known);

  // --- Hash.cpp
  int64_t find(HashTable &table, Value key, uint64_t hash, bool &failed); // index into entries
  bool insert(HashTable &table, Value key, Value value);
  std::optional<bool> erase(HashTable &table, Value key);
  Value lookup(HashTable &table, Value key);
  bool setInsert(SetObject &set, Value item);
  void clear(HashTable &table);

  // --- Repr.cpp, Format.cpp
  std::string quote(StrObject &text);
  std::string quoteBytes(llvm::StringRef data);
  std::optional<std::string> nativeRepr(Value value);
  std::optional<std::string> nativeStr(Value value);
  std::optional<std::string> nativeFormat(Value value, llvm::StringRef spec);
  std::optional<std::string> formatPercent(StrObject &format, Value args, bool bytes);
  std::optional<std::string> formatBraces(llvm::StringRef format, const CallArgs &args);

  // --- Iterators
  IteratorObject *makeIterator(ClassObject *cls, IteratorObject::Step step, Value source = nullptr,
                               Value extra = nullptr);
  Value sequenceIterator(Value sequence);

  // --- Generators.cpp
  Value makeGenerator(Frame *frame, std::function<Completion()> body);
  Value resume(GeneratorObject &generator, Value sent, Value thrown);
  Value yieldValue(Value value);
  /// Ends a generator that nothing refers to any more: its stack is free for the next.
  void abandon(Value iterator);
  /// What a finished generator returned; null for other iterators.
  Value generatorResult(Value iterator);
  static Internals &of(Machine &machine) { return *machine.internals; }
  void closeGenerators();
  void enter(llvm::function_ref<void()> body);

  // --- Imports.cpp
  Value importByName(llvm::StringRef dotted, ModuleObject *from); // the last module of the name
  Value moduleMember(ModuleObject &module, Name name, bool &found);
  std::string absoluteName(ModuleObject *from, llvm::StringRef module, unsigned level,
                           bool &failed);
  Value opaqueModule(llvm::StringRef dotted);

  // --- SourceModules.cpp
  bool raisePoisoned(ModuleObject &module, Name name);
  ModuleObject *loadSource(std::shared_ptr<const SourceFile> file, llvm::StringRef name,
                           bool isPackage, Library *library,
                           llvm::ArrayRef<std::pair<llvm::StringRef, Value>> globals,
                           Diagnostics &diagnostics);
  /// A text of one expression; null after a refusal.
  const ast::ParsedFile *parseExpression(llvm::StringRef text, llvm::StringRef name);

  // --- ModuleSearch.cpp
  /// A question of yes or no about a path.
  bool asks(Question question, llvm::StringRef path);
  /// Null, with the reason: it cannot be read.
  std::shared_ptr<const SourceFile> readFile(llvm::StringRef path, std::string &error);
  /// Null, with a located error, whose file is kept: it is no Python.
  const ast::ParsedFile *parse(std::shared_ptr<const SourceFile> file, Diagnostics &diagnostics);
  /// One module of a dotted name whose parents are there already. Null without an error: unknown.
  Value findModule(llvm::StringRef dotted, ModuleObject *from);
  ModuleObject *findSource(llvm::StringRef dotted, ModuleObject *from, bool &failed);
  ModuleObject *findFolder(llvm::StringRef dotted);
  Value builtinModule(llvm::StringRef name);

  // --- Setup of the built-in classes, functions and modules
  void setUpExceptions();
  void setUpObjectMethods();
  void setUpNumberMethods();
  void setUpStrMethods();
  void setUpListMethods();
  void setUpDictMethods();
  void setUpSetMethods();
  void setUpBytesMethods();
  void setUpFunctions();
  void setUpObjectFunctions();
  void setUpNumberFunctions();
  void setUpIterators();
  void setUpGenerators();
  void setUpConstructors();
  ModuleObject *makeMathModule();
  ModuleObject *makeTypingModule(llvm::StringRef name);
  ModuleObject *makeMachineModule(); // what the preludes need from C++

  /// The first library whose abstract value is among the arguments, asked about a built-in
  /// function.
  Answer askBuiltin(llvm::StringRef name, const CallArgs &args);
  /// The arguments of a function that needs numbers; nullopt after a refusal.
  std::optional<llvm::SmallVector<Value>> knownArguments(llvm::StringRef name,
                                                         llvm::ArrayRef<Value> args);
  /// What a library takes an abstract value to be where its number is needed (Library::known): the
  /// value itself where that is none. Null: it refused.
  Value knownOf(Value value, llvm::StringRef reason) {
    auto *foreign = llvm::dyn_cast<Foreign>(value);
    Answer answer = foreign ? foreign->library.known(m, value, reason) : std::nullopt;
    return answer ? *answer : value;
  }
};

} // namespace nereid::machine
