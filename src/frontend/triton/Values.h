// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names of a kernel are bound to: values of the machine that only the Triton library
// understands. Compile-time values (constexpr) are plain Python values, but for those that come
// from a meta-parameter, which remember how they are spelled (ConstValue).
#pragma once

#include "frontend/triton/Types.h"
#include "python/machine/Library.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Value.h"

namespace nereid::triton {

using PyValue = machine::Value;

enum Tag : unsigned {
  TensorTag = 200,
  ConstTag,
  DTypeTag,
  FunctionTag,
  RangeTag,
  BlockPointerTag,
  ConfigTag,
};

/// A size that may have a name: one axis of a tile, one item of a shape.
struct Dim {
  int64_t size = 1;
  std::string name; // Python text over meta-parameters; empty for a plain number

  bool operator==(const Dim &other) const { return size == other.size; }
};
using Dims = llvm::SmallVector<Dim, 3>;

struct TensorValue : machine::Foreign {
  TensorValue(machine::Library &library, machine::ClassObject *cls, mlir::Value value, DType type)
      : Foreign(library, cls, TensorTag), value(value), type(type) {}
  static bool classof(const machine::Object *o) { return isForeign(o, TensorTag); }

  bool isBlock() const { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
  llvm::ArrayRef<int64_t> shape() const { return tile::getShape(value.getType()); }
  unsigned rank() const { return shape().size(); }
  Dims dims() const;

  mlir::Value value;
  DType type; // of an element
};

/// A constexpr. `text` is its spelling in meta-parameters, or empty for one that was boxed with
/// `tl.constexpr(...)`; `binding` tells how tightly the text's outermost operator binds.
struct ConstValue : machine::Foreign {
  ConstValue(machine::Library &library, machine::ClassObject *cls, PyValue value,
             llvm::StringRef text, unsigned binding)
      : Foreign(library, cls, ConstTag), value(value), text(text), binding(binding) {}
  static bool classof(const machine::Object *o) { return isForeign(o, ConstTag); }

  PyValue value;
  llvm::StringRef text;
  unsigned binding;
};

/// A dtype, or with `isBlock` the type of a tile.
struct DTypeValue : machine::Foreign {
  DTypeValue(machine::Library &library, machine::ClassObject *cls, DType type)
      : Foreign(library, cls, DTypeTag), type(type) {}
  static bool classof(const machine::Object *o) { return isForeign(o, DTypeTag); }

  DType type;
  bool isBlock = false;
  Dims dims;
};

/// One `triton.Config(...)`.
struct ConfigValue : machine::Foreign {
  ConfigValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, ConfigTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, ConfigTag); }

  machine::DictObject *values = nullptr;
  int64_t numWarps = 4, numStages = 3;
  PyValue preHook = nullptr; // called with the arguments of a launch before it
};

/// A function under `@triton.jit` (and what else decorates it), or under
/// `@triton.constexpr_function`, which runs as plain Python on known values.
struct FunctionValue : machine::Foreign {
  FunctionValue(machine::Library &library, machine::ClassObject *cls,
                machine::FunctionObject *function)
      : Foreign(library, cls, FunctionTag), function(function) {}
  static bool classof(const machine::Object *o) { return isForeign(o, FunctionTag); }

  machine::FunctionObject *function;
  bool isConstexpr = false;
  std::vector<ConfigValue *> configs;
  bool makesConfigs = false;                     // an `early_config_prune` gives others, maybe
  std::vector<std::string> tuningKey;            // names by whose values configurations are chosen
  std::vector<machine::DictObject *> heuristics; // innermost decorator last
};

/// `range(...)`, `tl.range(...)` or `tl.static_range(...)` in a kernel.
struct RangeValue : machine::Foreign {
  RangeValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, RangeTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, RangeTag); }

  PyValue start = nullptr, stop = nullptr, step = nullptr;
  bool isStatic = false;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> hints;
};

/// `tl.make_block_ptr(...)`: i64 shape, strides and offsets, one a dimension. A tensor descriptor
/// is one without offsets, whose loads and stores give them and check every dimension.
struct BlockPointerValue : machine::Foreign {
  BlockPointerValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, BlockPointerTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, BlockPointerTag); }

  TensorValue *base = nullptr;
  llvm::SmallVector<TensorValue *, 3> shape, strides, offsets;
  Dims block;
  bool isDescriptor = false;
  bool padsWithNan = false; // descriptors
};

} // namespace nereid::triton
