// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One import: finds the program in its file, makes its arguments, calls it, and finishes the graph
// function that its operators were written to.
#pragma once

#include "frontend/torch/TorchFrontend.h"
#include "frontend/torch/TorchLibrary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::torch {

/// The text of a class up to `forward`, and the definitions that the text needs: of files of the
/// user's, and the classes that it derives from up to theirs.
struct ConstructorText {
  std::string bases; // with the keywords; empty: nn.Module
  std::string body;
  std::string decorators; // lines
  std::string definitions;
  std::string tail;     // statements behind the class
  std::string compared; // classes and functions with which arguments may be compared: `Mode, Cfg`
  std::string clash;    // what of two files has one name and is not the same; empty: nothing
  /// The names that the definitions bind at the top of the file, and whose they are.
  std::vector<std::pair<ModuleObject *, llvm::SmallVector<std::string>>> names;
};
/// `isDecorated`: with the decorators of the module's class and of those that it derives from.
ConstructorText constructorText(Machine &machine, ClassObject &cls, bool isDecorated);

class ProgramImport {
public:
  ProgramImport(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics)
      : context(context), request(request), diagnostics(diagnostics),
        library(context, diagnostics) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(Machine &machine);
  /// In a machine of its own: the text of the program's constructor, after it was executed too and
  /// made the same module; nullopt after an error.
  std::optional<ConstructorText> readConstructor(Machine &machine);

  /// The case of the program to read, and how it went.
  ProgramCase &getCase() { return library.programCase; }
  /// The operators that are left to PyTorch, and whether the case calls them.
  ArrayRef<KeptOperator> getKept() const { return library.kept; }
  /// What the case raises when it is met; empty when it computes.
  const std::string &getRaised() const { return raised; }
  /// The types of the arguments before anything was known of their sizes.
  llvm::SmallVector<mlir::Type> declaredTypes() const;
  Pred resolve(Pred pred) const { return library.solver.resolve(pred); }

private:
  struct Results {
    llvm::SmallVector<mlir::Value> values;
    std::vector<TensorValue *> tensors;
  };
  /// A parameter or buffer of a module, by its path in the tree; or a tensor that hangs there as it
  /// is.
  struct Leaf {
    std::string path;
    TensorValue *tensor;
    bool isParameter;
    bool isPersistent;
    bool isPlain = false;
    bool isComplex = false; // `tensor` has its parts
  };
  struct Argument {
    TensorValue *tensor;
    mlir::Value value;
    std::string name;
    mlir::NamedAttrList attributes;
    mlir::Type declared;
  };
  /// Where an argument is found in a call: a parameter, or an item of one.
  struct Place {
    std::string name;   // an identifier: `xs_0`
    std::string access; // Python text: `xs[0]`
  };

  mlir::MLIRContext *context;
  const ImportRequest &request;
  Diagnostics &diagnostics;
  TorchLibrary library;
  Machine *machine = nullptr;
  ModuleObject *source = nullptr;
  SourceLocation place; // of the program's definition
  mlir::func::FuncOp function;
  std::vector<Argument> arguments;
  std::vector<Leaf> leaves;
  std::unique_ptr<SourceFile> specFile;
  ClassObject *moduleClass = nullptr;
  std::string raised;
  llvm::SmallVector<Expr> namedSizes; // by the user
  llvm::DenseMap<Expr, Expr> derived; // names of sizes that stand alone on no axis
  std::string definitions;            // of classes that results are made of
  std::vector<std::pair<std::string, std::string>> known;
  /// What hangs at several places of the module's tree.
  std::vector<std::pair<std::string, std::string>> shared;
  std::vector<std::pair<std::string, std::string>> records; // where arguments hold which classes
  llvm::DenseMap<const machine::Object *, std::string> containers; // lists and dicts of arguments
  std::vector<std::pair<std::string, PyValue>> stores; // tensors that the call puts into them

  void tellWhatIsLeftOut();
  PyValue findProgram();
  PyValue namedProgram(StringRef name);
  llvm::SmallVector<StringRef> publicPrograms();
  void dropParts(llvm::SmallVectorImpl<StringRef> &programs);
  static std::string listing(ArrayRef<StringRef> names);
  mlir::OwningOpRef<mlir::ModuleOp> readFile(Machine &theMachine);
  PyValue construct(ClassObject &cls);
  std::string namesOfCompared(const ModuleObject &copy, ClassObject &cls);
  bool makesSame(ConstructorText &text, ClassObject &cls, PyValue instance, std::string &problem);
  PyValue makeModule(ClassObject &cls);
  PyValue constructAsGiven(ClassObject &cls);
  PyValue constructOf(ClassObject &cls, PyValue given);
  bool moveModule(PyValue instance);
  bool settleModes(PyValue instance);
  std::optional<std::vector<Leaf>> leavesOf(PyValue instance, llvm::StringRef lister,
                                            llvm::function_ref<Leaf(llvm::ArrayRef<PyValue>)> make);
  std::optional<std::vector<Leaf>> plainLeavesOf(PyValue instance);
  std::optional<std::vector<Leaf>> treeOf(PyValue instance);
  bool readTree(PyValue instance);
  std::vector<std::pair<std::string, std::string>> sharedPartsOf(PyValue instance);
  mlir::DictionaryAttr stepsOf(PyValue instance);

  // ProgramInputs.cpp
  std::optional<std::vector<InputSpec>> readSpec(FunctionObject &callee, bool isMethod);
  std::optional<std::vector<InputSpec>> specOfGetInputs(FunctionObject &callee, bool isMethod);
  /// What get_inputs() gives for a name; nullopt after an error, and the others are false then.
  std::optional<InputSpec> specOf(PyValue value, StringRef name);
  void describeTensor(TensorValue *tensor, InputSpec &spec);
  bool describeItem(PyValue item, StringRef key, InputSpec &spec);
  bool describeRecord(PyValue value, PyValue fields, InputSpec &spec);
  bool describeDict(machine::DictObject &dict, InputSpec &spec);
  PyValue recordFields(PyValue value);
  bool checkArguments(FunctionObject &callee, const std::vector<InputSpec> &inputs, bool isMethod);
  SourceLocation placeOf(const InputSpec &spec);
  SourceLocation placeOfGetInputs();

  // ProgramArguments.cpp
  void tellOfSetters(const machine::Object &instance);
  bool callProgram(PyValue program, PyValue instance);
  bool takeFailure();
  PyValue makeArgument(const InputSpec &spec, const Place &place);
  PyValue makeTensor(const InputSpec &spec, const Place &place);
  PyValue makeScalar(const InputSpec &spec, const Place &place);
  PyValue makeSequence(const InputSpec &spec, const Place &place);
  PyValue makeDict(const InputSpec &spec, const Place &place);
  PyValue makeRecord(const InputSpec &spec, const Place &place);
  void nameSizes(const InputSpec &spec);
  bool deriveSizes(const InputSpec &spec);
  std::optional<Sizes> sizesOf(const InputSpec &spec);
  TensorValue *addArgument(ArrayRef<Expr> sizes, DType dtype, const Place &place,
                           mlir::NamedAttrList attributes);

  // ProgramState.cpp
  /// Calls the program; null with an error in flight if a second call would give another result.
  PyValue callStateless(FunctionObject &callee, llvm::function_ref<PyValue()> call);
  std::vector<machine::Change> lostChanges(machine::Journal &journal,
                                           std::vector<machine::Change> &kept);
  void warnOfAttributes(FunctionObject &callee, ArrayRef<machine::Change> lost);
  void resetArguments();
  bool givesSame(llvm::function_ref<PyValue()> call, const std::string &text,
                 const Results &expected, Results &values);
  bool repeats(llvm::function_ref<PyValue()> call, PyValue first, ArrayRef<machine::Change> kept,
               ArrayRef<machine::Change> lost);
  bool addStores(const machine::Change &change);
  bool hangsOnData(mlir::Value value);
  bool isRemade(TensorValue *before, TensorValue *after);
  std::vector<TensorValue *> tensorsLeft(ArrayRef<machine::Change> lost);
  bool isToldOf(const machine::Change &change);

  // ProgramSignature.cpp
  std::optional<std::string> literalText(PyValue value);
  std::optional<std::string> defaultText(PyValue value);
  /// Notes that a part of a parameter is known while converting.
  void relyOn(const std::string &access, PyValue value);
  void writeSignature(FunctionObject &callee, const std::vector<InputSpec> &inputs, bool isMethod);

  // ResultText.cpp
  /// The memory of buffers that were bound anew: a call writes to it at its end.
  llvm::SmallPtrSet<const Storage *, 4> overwritten;
  bool sharesResults = true; // what is returned twice, or is an argument, is no result of the graph
  std::string symbolText(Expr symbol);
  template <typename T> std::string sizeText(T size, StringRef callee = "");
  std::string tensorText(TensorValue *tensor, Results &results);
  std::optional<std::string> resultText(PyValue value, Results &results);
  std::optional<std::string> itemsText(ArrayRef<PyValue> items, Results &results);
  std::optional<std::string> entriesText(machine::DictObject *dict, Results &results);
  std::optional<std::string> factoryText(PyValue factory);
  std::optional<std::string> dictText(machine::DictObject *dict, Results &results);
  std::optional<std::string> objectText(PyValue value, Results &results);
  std::string memberText(PyValue value);
  bool isMadeByFields(machine::ClassObject &cls);
  std::optional<std::string> namespaceText(PyValue value, Results &results);
  std::optional<std::string> recordText(PyValue value, Results &results);
  machine::Name addDefinition(ClassObject &cls);
  void addImport(StringRef module);

  // NumberArguments.cpp
  /// Gives the parameters that keep a float default, which the inputs do not name.
  void addDefaults(FunctionObject &callee, const std::vector<InputSpec> &inputs, bool isMethod,
                   llvm::SmallVectorImpl<std::pair<machine::Name, PyValue>> &keywords);
  /// Makes the live numbers that are left arguments of the program.
  void liftNumbers();
  /// What the call compares with what conversion relied on.
  void writeRelied();
  int64_t hooksOf(const machine::InstanceObject &module);

  // ProgramFinish.cpp
  bool finish(PyValue result, PyValue instance);
  std::vector<std::pair<const Leaf *, Leaf>> reboundLeaves(PyValue instance);
  bool writeAssignments(PyValue instance);
  void markWrites();
  void finishSeed();
  bool setTypicalSizes();
  void finishTypes();
  bool reportUnknowns();
  void noteFixedSizes();
  void noteMergedSizes();
  bool writeChecks();
  void addModule(mlir::ModuleOp module, ClassObject &cls);
};

/// Rows of two texts each, as attributes of a program keep them.
mlir::ArrayAttr pairsAttr(mlir::Builder builder,
                          ArrayRef<std::pair<std::string, std::string>> pairs);

/// The definition of a name of a user's file, and what it needs.
std::string classDefinition(Machine &machine, const ModuleObject &home, StringRef name);

} // namespace nereid::torch
