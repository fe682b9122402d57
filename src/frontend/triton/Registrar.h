// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the families of the language put functions into their module: each has a Python signature and
// is called with one value per parameter, inside of a kernel only.
#pragma once

#include "frontend/triton/TritonLibrary.h"

namespace nereid::triton {

class Registrar {
public:
  using KernelFn = std::function<PyValue(KernelBuilder &, llvm::ArrayRef<PyValue>)>;

  Registrar(TritonLibrary &library, machine::Machine &machine, machine::ModuleObject *module)
      : library(library), machine(machine), module(module) {}

  void define(llvm::StringRef name, llvm::StringRef signature, KernelFn fn) {
    if (module->name == "triton.language")
      library.signatures[name] = signature.str();
    TritonLibrary *owner = &library;
    std::string spelling = name.str();
    auto call = [owner, fn, spelling](machine::Machine &machine,
                                      llvm::ArrayRef<PyValue> args) -> PyValue {
      if (!owner->kernel)
        return machine.raise("RuntimeError",
                             "tl." + spelling + " can only be called inside of a kernel",
                             "put @triton.jit above the function that calls it");
      return fn(*owner->kernel, args);
    };
    machine::BuiltinObject *builtin =
        machine.makeBuiltin(machine.save(name), signature, std::move(call));
    builtin->library = &library;
    machine.setName(module, name, builtin);
  }

  TritonLibrary &library;
  machine::Machine &machine;
  machine::ModuleObject *module;
};

} // namespace nereid::triton
