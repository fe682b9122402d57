// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Aggregates and named tuples: values of a kernel under one name. Both are tuples whose class has
// names for the items; what `triton.aggregate` does with a class is prelude/host/aggregate.py.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using nereid::machine::Machine;

namespace nereid::triton {

machine::ModuleObject *TritonLibrary::loadAggregates() {
  // A kernel may be the first that asks for it.
  KernelBuilder *outer = std::exchange(kernel, nullptr);
  machine::ModuleObject *loaded = loadHostModule("triton.aggregate");
  kernel = outer;
  return loaded;
}

/// `triton.aggregate`, which stands in `triton.language.core` under another name, and what goes
/// with it.
PyValue TritonLibrary::findAggregate(StringRef path, StringRef name) {
  bool isKnown = (path == "triton" && name == "aggregate") ||
                 (path == "triton.language.core" && name == "_aggregate") ||
                 (path.starts_with("triton.language") && name == "aggregate_replace");
  machine::ModuleObject *loaded = isKnown ? loadAggregates() : nullptr;
  return loaded ? loaded->attrs->get(machine.intern(name.ltrim('_'))) : nullptr;
}

machine::ClassObject *TritonLibrary::makeFieldClass(StringRef name, ArrayRef<StringRef> fields) {
  machine::ModuleObject *loaded = loadAggregates();
  SmallVector<PyValue> names;
  for (StringRef field : fields)
    names.push_back(machine.makeStr(field));
  PyValue make = loaded ? loaded->attrs->get(machine.intern("_named")) : nullptr;
  PyValue made =
      make ? machine.call(make, {machine.makeStr(name), machine.makeList(names)}) : nullptr;
  return dyn_cast_if_present<machine::ClassObject>(made);
}

bool TritonLibrary::isAggregate(PyValue value) {
  auto *tuple = dyn_cast<machine::TupleObject>(value);
  return tuple && !tuple->cls->builtin &&
         tuple->cls->lookup(machine.intern("_aggregate_fields")) != nullptr;
}

/// What a jit function in an aggregate becomes: a method, which is called with its object.
void TritonLibrary::addMethods() {
  auto make = [this](Machine &machine, ArrayRef<PyValue> args) -> PyValue {
    auto *function = dyn_cast<FunctionValue>(args[0]);
    if (!function)
      return args[0];
    auto *method = machine.makeBuiltin(function->function->name->text,
                                       [this, function](Machine &, const machine::CallArgs &given) {
                                         return callJit(*function, given);
                                       });
    method->library = this;
    return method;
  };
  machine.addBuiltin(module("triton.language.core"), "_method", "(fn, /)", make);
}

} // namespace nereid::triton
