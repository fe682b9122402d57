// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One import of one kernel: its parameters become function arguments, meta-parameters or constants,
// then its body is executed with the Triton library as the policy of its frame.
#pragma once

#include "frontend/triton/TritonFrontend.h"
#include "frontend/triton/TritonLibrary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::triton {

/// Imports a jit function of any file that the machine read, and verifies what it made.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importFunction(machine::Machine &machine, TritonLibrary &library, FunctionValue &function,
               const KernelRequest &request, mlir::MLIRContext &context, Diagnostics &diagnostics);

class KernelImport {
public:
  KernelImport(machine::Machine &machine, TritonLibrary &library, machine::ModuleObject &module,
               FunctionValue &function, const KernelRequest &request, mlir::MLIRContext &context);

  /// Null: an error is in flight in the machine.
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  /// How a parameter is given.
  struct Parameter {
    machine::Name name;
    bool isMeta = false; // declared tl.constexpr
    PyValue known = nullptr;
    DType type;
    std::vector<int64_t> shape = {}; // of a tile
    /// A tensor descriptor that the host makes, of elements of `type`: the shape of its blocks as
    /// Python text over the meta-parameters, empty where the configuration's hook sets it.
    std::optional<std::string> block;
    bool padsWithNan = false;
    PyValue blockShape = nullptr;
    /// A tuple: what is passed of it are its items, named `x_0`, `x_1`.
    bool isTuple = false;
    std::vector<Parameter> items = {};
    /// ... a named one.
    machine::ClassObject *tupleClass = nullptr;
  };

  SourceLocation place();
  PyValue evaluate(llvm::StringRef text, llvm::StringRef name);

  // KernelParameters.cpp
  bool readParameters();
  bool readParameter(const python::Arg &arg, PyValue fallback);
  bool readType(Parameter &parameter, const python::Arg &arg);
  /// False, without an error: the text is no type.
  bool parseType(Parameter &parameter, llvm::StringRef text);
  bool parseTuple(Parameter &parameter, llvm::StringRef name, llvm::StringRef text);
  bool parseItem(Parameter &item, llvm::StringRef text);
  void setShape(Parameter &parameter, llvm::ArrayRef<int64_t> shape);
  /// The value of a meta-parameter from the request, the configuration or the default.
  PyValue findValue(llvm::StringRef name, PyValue fallback);
  bool checkTypes();
  std::map<llvm::StringRef, PyValue> getDefaults();
  bool applyHeuristics();

  // KernelImport.cpp
  bool findBlocks();
  bool findBlock(Parameter &parameter);
  PyValue evaluateBlock(const Parameter &parameter);
  bool runHook();
  void addArgumentTypes(const Parameter &parameter, llvm::SmallVectorImpl<mlir::Type> &types);
  /// What the kernel sees of a parameter; `next` is the function's next argument.
  PyValue makeArgument(mlir::func::FuncOp function, unsigned &next, const Parameter &parameter);
  PyValue makeHostDescriptor(mlir::func::FuncOp function, unsigned &next,
                             const Parameter &parameter);
  mlir::func::FuncOp makeFunction(mlir::ModuleOp module);
  bool runBody(mlir::func::FuncOp function);
  void setAttributes(mlir::func::FuncOp function);
  mlir::Attribute getValueAttr(PyValue value);

  machine::Machine &machine;
  TritonLibrary &library;
  machine::ModuleObject &module;
  FunctionValue &function;
  const KernelRequest &request;
  KernelBuilder kernel;
  std::vector<Parameter> parameters;
  std::map<std::string, PyValue> heuristics;
};

} // namespace nereid::triton
