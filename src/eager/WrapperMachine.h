// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the wrapper of a kernel on tensors that hold numbers: Python by the machine, views and new
// tensors in memory, other operators of PyTorch by the torch front end (Operators.h), and launches
// in the interpreter. What is not known is refused by name, with its place.
//
//   WrapperMachine wrapper(project, &context);
//   validate::Run run = wrapper.run(*function, {{"x", false, x}}, {.checked = true});
#pragma once

#include "eager/Operators.h"
#include "eager/Views.h"

#include "frontend/triton/TritonLibrary.h"
#include "frontend/triton/TritonProject.h"
#include "validate/Validate.h"

#include <deque>

namespace nereid::eager {

using triton::PyValue;
using validate::HostValue;

enum EagerTag : unsigned { TensorTag = 500, MethodTag, LaunchTag, DeviceTag };

struct TensorValue : machine::Foreign {
  TensorValue(machine::Library &library, machine::ClassObject *cls, Tensor tensor)
      : Foreign(library, cls, TensorTag), tensor(std::move(tensor)) {}
  static bool classof(const machine::Object *o) { return isForeign(o, TensorTag); }
  Tensor tensor;
};

/// `x.sum`, waiting for its call.
struct MethodValue : machine::Foreign {
  MethodValue(machine::Library &library, machine::ClassObject *cls, TensorValue *self,
              llvm::StringRef name)
      : Foreign(library, cls, MethodTag), self(self), name(name) {}
  static bool classof(const machine::Object *o) { return isForeign(o, MethodTag); }
  TensorValue *self;
  llvm::StringRef name;
};

/// `kernel[grid]`.
struct LaunchValue : machine::Foreign {
  LaunchValue(machine::Library &library, machine::ClassObject *cls, triton::FunctionValue *kernel,
              PyValue grid)
      : Foreign(library, cls, LaunchTag), kernel(kernel), grid(grid) {}
  static bool classof(const machine::Object *o) { return isForeign(o, LaunchTag); }
  triton::FunctionValue *kernel;
  PyValue grid;
};

/// The device, `x.device`, or what is known of it, `torch.cuda.get_device_properties(...)`.
struct DeviceValue : machine::Foreign {
  DeviceValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, DeviceTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, DeviceTag); }
};

/// What the wrapper is called with.
struct WrapperArgument {
  std::string name;
  bool isKeyword = false;
  /// An integer that is a truth value.
  bool isBool = false;
  HostValue value;
  /// Not empty: Python text in place of a value.
  std::string text;
};

class WrapperMachine : public machine::Library {
public:
  WrapperMachine(triton::TritonProject &project, mlir::MLIRContext *context);
  ~WrapperMachine() override;

  /// What the function is bound to, without decorators that nothing is known of; of a class, where
  /// one is named, its autograd function. Null where there is none.
  machine::FunctionObject *find(const python::ParsedFile &file, const python::FunctionDef &def,
                                llvm::StringRef className = "");
  /// `takesContext`: it is `forward` of an autograd function.
  validate::Run run(machine::FunctionObject &wrapper, llvm::ArrayRef<WrapperArgument> arguments,
                    bool takesContext, const interpreter::RunOptions &options);

  // --- machine::Library
  machine::Answer getAttribute(machine::Machine &, PyValue object, machine::Name) override;
  machine::Answer call(machine::Machine &, PyValue callee, const machine::CallArgs &) override;
  machine::Answer getItem(machine::Machine &, PyValue object, PyValue key) override;
  machine::Answer setItem(machine::Machine &, PyValue, PyValue, PyValue value) override;
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
  machine::Answer policyCall(machine::Machine &, machine::Frame &, const python::Call &,
                             PyValue callee, const machine::CallArgs &) override;
  std::optional<machine::Completion> policyStatement(machine::Machine &, machine::Frame &,
                                                     const python::Stmt &) override;

private:
  // --- Values (WrapperMachine.cpp)
  PyValue applyFunction(machine::FunctionObject &forward, const machine::CallArgs &args);
  PyValue tensor(Tensor tensor);
  /// A view, or PyTorch's error.
  PyValue shown(std::optional<Tensor> view, const std::string &why);
  PyValue path(const llvm::Twine &dotted);
  PyValue toPython(const WrapperArgument &argument);
  bool flatten(PyValue value, std::vector<HostValue> &results);
  validate::Run describeFailure();

  // --- Operators of PyTorch (WrapperOperators.cpp)
  /// The value as Python text in which tensors are `a0`, `a1`, ...; nullopt after a refusal.
  std::optional<std::string> spell(PyValue value, std::vector<Tensor> &operands);
  PyValue evaluate(const std::string &expression, llvm::ArrayRef<Tensor> operands);
  PyValue callOperator(llvm::StringRef path, TensorValue *self, const machine::CallArgs &args);
  PyValue changeInPlace(TensorValue &self, llvm::StringRef name, const machine::CallArgs &args);
  PyValue assign(const Tensor &target, PyValue value);
  PyValue convertTo(const Tensor &from, mlir::Type type, bool copies);
  PyValue itemOf(const Tensor &tensor);

  // --- Tensors (WrapperTensors.cpp)
  std::optional<mlir::Type> typeOf(PyValue dtype);
  std::optional<llvm::SmallVector<int64_t>> numbersOf(llvm::ArrayRef<PyValue> args);
  PyValue tensorAttribute(TensorValue &self, llvm::StringRef name);
  PyValue tensorMethod(TensorValue &self, llvm::StringRef name, const machine::CallArgs &args);
  /// Null with nothing in flight: it is none of these.
  PyValue askMethod(TensorValue &self, llvm::StringRef name, const machine::CallArgs &args);
  PyValue viewMethod(TensorValue &self, llvm::StringRef name, const machine::CallArgs &args);
  PyValue copyMethod(TensorValue &self, llvm::StringRef name, const machine::CallArgs &args);
  std::optional<Tensor> partOf(const Tensor &whole, PyValue key, bool &isView);

  // --- Functions of torch (WrapperTorch.cpp)
  PyValue callTorch(llvm::StringRef name, const machine::CallArgs &args);
  /// Null with nothing in flight: it asks nothing about devices.
  PyValue askDevice(llvm::StringRef name);
  PyValue deviceAttribute(llvm::StringRef name);
  PyValue makeNew(llvm::StringRef name, const machine::CallArgs &args, mlir::Type fallback);
  PyValue makeLike(llvm::StringRef name, const machine::CallArgs &args);
  PyValue makeStrided(const machine::CallArgs &args);

  // --- Launches (WrapperLaunch.cpp)
  PyValue launch(LaunchValue &target, const machine::CallArgs &args);
  machine::DictObject *bindLaunch(LaunchValue &target, const machine::CallArgs &args);
  bool readGrid(PyValue grid, machine::DictObject &meta, llvm::SmallVectorImpl<int64_t> &extents);
  std::optional<triton::KernelRequest> requestFor(triton::FunctionValue &kernel,
                                                  machine::DictObject &meta);
  mlir::func::FuncOp compile(triton::FunctionValue &kernel, const triton::KernelRequest &request);

  triton::TritonProject &project;
  /// Of the launch that is bound.
  triton::HostDescriptors descriptors;
  machine::Machine &machine;
  mlir::MLIRContext *context;
  Operators operators;
  machine::ClassObject *tensorClass, *methodClass, *launchClass, *contextClass, *deviceClass;
  std::deque<python::FunctionDef> definitions;
  /// By kernel, types and constants.
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> kernels;

  // --- Of one run
  interpreter::RunOptions running;
  std::optional<interpreter::Finding> finding;
  /// A kernel does not compile.
  bool isRejected = false;
};

} // namespace nereid::eager
