// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library `triton` of the Python machine: the modules `triton` and `triton.language`, the
// decorators around kernels, and the meaning of statements and operators inside them. It is the
// policy of every frame of a jit function; what it builds goes through KernelBuilder.
#pragma once

#include "frontend/triton/HostDescriptors.h"
#include "frontend/triton/KernelBuilder.h"
#include "frontend/triton/Requirement.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::triton {

class TritonLibrary : public machine::Library {
public:
  explicit TritonLibrary(machine::Machine &machine, llvm::StringRef version = "3.6.0");

  // --- Library ---------------------------------------------------------------------------------
  machine::Answer importModule(machine::Machine &, llvm::StringRef name) override;
  machine::Answer moduleAttribute(machine::Machine &, machine::ModuleObject &,
                                  machine::Name) override;
  machine::Answer getAttribute(machine::Machine &, PyValue object, machine::Name) override;
  machine::Answer missingAttribute(machine::Machine &, PyValue object, machine::Name) override;
  machine::Answer call(machine::Machine &, PyValue callee, const machine::CallArgs &) override;
  machine::Answer getItem(machine::Machine &, PyValue object, PyValue key) override;
  machine::Answer unary(machine::Machine &, machine::UnaryOperator, PyValue) override;
  machine::Answer binary(machine::Machine &, machine::BinaryOperator, PyValue left, PyValue right,
                         bool inPlace) override;
  machine::Answer compare(machine::Machine &, machine::CompareOperator, PyValue left,
                          PyValue right) override;
  machine::Answer length(machine::Machine &, PyValue) override;
  machine::Answer iterate(machine::Machine &, PyValue) override;
  machine::Answer convert(machine::Machine &, PyValue, llvm::StringRef target) override;
  machine::Answer builtinCall(machine::Machine &, llvm::StringRef name,
                              const machine::CallArgs &) override;
  machine::Truth truth(machine::Machine &, PyValue) override;
  std::optional<bool> isInstance(machine::Machine &, PyValue object, PyValue cls) override;
  machine::Answer create(machine::Machine &, machine::ClassObject &,
                         const machine::CallArgs &) override;
  machine::Answer decorated(machine::Machine &, PyValue value, const python::Expr &decorator,
                            PyValue result) override;
  std::optional<machine::Completion> branch(machine::Branch &) override;
  machine::Answer branchValue(machine::Branch &) override;

  machine::Answer bind(machine::Machine &, machine::Frame &, machine::Name, PyValue,
                       const python::Expr *annotation) override;
  machine::Answer readLocal(machine::Machine &, machine::Frame &, machine::Name, PyValue) override;
  machine::Answer readGlobal(machine::Machine &, machine::Frame &, machine::Name, PyValue) override;
  bool beforeStatement(machine::Machine &, machine::Frame &, const python::Stmt &) override;
  bool beforeExpression(machine::Machine &, machine::Frame &, const python::Expr &) override;
  machine::Answer policyBinary(machine::Machine &, machine::Frame &, const python::Expr &,
                               machine::BinaryOperator, PyValue left, PyValue right) override;
  machine::Answer policyUnary(machine::Machine &, machine::Frame &, const python::Expr &,
                              machine::UnaryOperator, PyValue) override;
  machine::Answer policyCompare(machine::Machine &, machine::Frame &, const python::Expr &,
                                machine::CompareOperator, PyValue left, PyValue right) override;
  machine::Answer policyCall(machine::Machine &, machine::Frame &, const python::Call &,
                             PyValue callee, const machine::CallArgs &) override;
  std::optional<machine::Completion> policyStatement(machine::Machine &, machine::Frame &,
                                                     const python::Stmt &) override;

  // --- Values ------------------------------------------------------------------------------------
  PyValue dtype(DType type);
  PyValue blockType(DType type, llvm::ArrayRef<Dim> dims);
  /// A named constexpr; a plain value where there is no name.
  PyValue constant(PyValue value, llvm::StringRef text, unsigned binding = ~0u);
  PyValue dim(const Dim &dim);
  PyValue shapeTuple(llvm::ArrayRef<Dim> dims);
  RangeValue *makeRange(bool isStatic);
  BlockPointerValue *makeBlockPointer();
  /// What `isinstance(x, tl.tensor_descriptor)` is true of.
  void makeDescriptor(BlockPointerValue &pointer);
  machine::ClassObject *tensorClass() const { return tensorCls; }
  bool isConstexprClass(PyValue value) const { return value == constCls; }

  /// What `triton.__version__` is.
  const std::string version;
  /// The kernel under construction; null outside kernels.
  KernelBuilder *kernel = nullptr;
  /// Asked for `kernel[grid]` outside of kernels; null: that is an error.
  machine::Library *launcher = nullptr;
  /// The signatures of the functions of `triton.language` that are no part of a prelude.
  llvm::StringMap<std::string> signatures;
  /// What `static_print` printed.
  std::vector<std::string> printed;
  /// The jit functions that were made, in order: a decorator above another makes a new one of the
  /// same Python function.
  std::vector<FunctionValue *> functions;
  /// A decorator above a jit function that failed, or put something else in its place. The function
  /// stays what it is.
  struct DroppedDecorator {
    FunctionValue *function;
    const python::Expr *decorator;
    const SourceFile *file;
    /// Why it failed; nothing where it made something else.
    std::optional<Diagnostic> error;
  };
  std::vector<DroppedDecorator> dropped;
  /// The jit functions that were called since this was cleared.
  llvm::DenseSet<const machine::FunctionObject *> called;
  /// The calls in kernels that were evaluated since then.
  llvm::DenseSet<const python::Call *> evaluated;
  /// Kernels may use what upstream removed: functions of libdevice in `tl.math` or `tl.libdevice`,
  /// experimental names.
  bool acceptsRemoved = false;
  /// ... and where files import them.
  bool acceptsRemovedImports = false;
  /// Meta-parameters whose value decided what the kernel looks like.
  std::set<std::string> lookedAt;
  /// What the last import would have needed where it failed.
  Requirement required;
  /// The last comparison of constexprs that did not hold, as Python text.
  std::string failedComparison;

  /// The frame's state; null for frames of other libraries.
  KernelFrame *frameState(machine::Frame &frame);
  /// Whether a location lies in one of the preludes.
  bool isPrelude(const SourceFile *file) const { return preludeFiles.contains(file); }
  PyValue callJit(FunctionValue &function, const machine::CallArgs &args);
  /// Runs the hook of the configuration where descriptors of the host's are among the arguments of
  /// a launch, and puts what a kernel is passed of each in its place: the base under its own name,
  /// the numbers under names of theirs. One whose rank is not known stays. False after an error.
  bool takeApart(FunctionValue &kernel, unsigned config, machine::DictObject &values,
                 machine::Library &policy, HostDescriptors &found);
  /// The class of tuples whose items have these names; null after an error.
  machine::ClassObject *makeFieldClass(llvm::StringRef name,
                                       llvm::ArrayRef<llvm::StringRef> fields);
  /// Whether a value is one of an aggregate: assigned to a name, its constexprs stay what they are.
  bool isAggregate(PyValue value);
  /// Notes that Python looked at a named constexpr.
  void look(PyValue value);

private:
  void addSubmodules();
  void addEnvironment();
  void addMethods();
  machine::ModuleObject *module(llvm::StringRef name);
  PyValue findRemoved(llvm::StringRef path, llvm::StringRef name);
  PyValue findAggregate(llvm::StringRef path, llvm::StringRef name);
  machine::ModuleObject *loadAggregates();
  /// `domain`: `libdevice`, `cuda`, or empty for the language itself.
  PyValue loadPrelude(llvm::StringRef name, llvm::StringRef domain);
  machine::ModuleObject *loadHostModule(llvm::StringRef name);
  PyValue takeApart(machine::ModuleObject &module, llvm::StringRef name, PyValue value,
                    machine::DictObject &values, HostDescriptors &found);
  PyValue tensorAttribute(TensorValue &tensor, llvm::StringRef name);
  PyValue dtypeAttribute(DTypeValue &type, llvm::StringRef name);
  PyValue descriptorAttribute(BlockPointerValue &descriptor, llvm::StringRef name);
  PyValue method(PyValue self, llvm::StringRef name);
  std::optional<PyValue> operate(machine::BinaryOperator op, PyValue left, PyValue right);
  std::optional<PyValue> compareValues(machine::CompareOperator op, PyValue left, PyValue right);
  machine::Answer rejectGlobal(machine::Frame &, machine::Name name, PyValue value);
  bool isAnnotatedConstexpr(machine::Frame &, machine::Name name);
  bool rejectAssignTarget(const python::Expr &target);
  std::optional<machine::Completion> assertStatement(machine::Frame &, const python::Assert &);

  machine::Machine &machine;
  machine::ClassObject *tensorCls, *constCls, *dtypeCls, *functionCls, *rangeCls, *blockPtrCls,
      *descriptorCls, *configCls, *nanCls;
  llvm::StringMap<machine::ModuleObject *> modules;
  llvm::StringMap<machine::ModuleObject *> preludes; // null while being read
  llvm::StringMap<PyValue> builtins;                 // what Python's builtins are in a kernel
  llvm::DenseSet<const SourceFile *> preludeFiles;
  std::map<std::tuple<unsigned, unsigned, bool>, PyValue> dtypes;
  Diagnostics preludeDiagnostics;
};

// What kernels call, by family (Language*.cpp), and what surrounds them (Host.cpp).
void addLanguageCore(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addLanguageMath(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addLanguageMemory(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addLanguageShape(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addLanguageDebug(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addLibdevice(TritonLibrary &, machine::Machine &, machine::ModuleObject *);
void addCuda(TritonLibrary &, machine::Machine &, machine::ModuleObject *);

/// `forward` of the class, where the callee is `apply` of a `torch.autograd.Function` of the
/// program's; null for others.
machine::FunctionObject *forwardOf(machine::Machine &machine, PyValue callee);

// --- Arguments of builtins (Arguments.cpp) ----------------------------------------------------
/// The value under a named constexpr; others as they are.
PyValue plain(PyValue value);
bool isKnownNumber(PyValue value);
bool isNone(PyValue value);
std::optional<int64_t> knownInt(machine::Machine &, PyValue, llvm::StringRef what);
std::optional<bool> knownBool(machine::Machine &, PyValue, llvm::StringRef what);
std::optional<std::string> knownString(machine::Machine &, PyValue, llvm::StringRef what);
std::optional<DType> knownDType(machine::Machine &, PyValue, llvm::StringRef what);
/// The items of a tuple or list; none for others.
llvm::ArrayRef<PyValue> itemsOf(PyValue value);
/// A tuple of these items; a named one where `like` is.
PyValue makeLike(machine::Machine &machine, PyValue like, llvm::ArrayRef<PyValue> items);
/// The items of a tuple or list; nullopt when it is neither.
std::optional<llvm::ArrayRef<PyValue>> sequence(PyValue value);

} // namespace nereid::triton
