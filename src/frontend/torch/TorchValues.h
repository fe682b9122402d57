// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The abstract values of library torch: tensors, symbolic sizes and conditions on them, element
// types. A tensor is (storage, view): in-place writes replace the storage's value, and a write
// through a view is carried back step by step.
#pragma once

#include "frontend/torch/GraphWriter.h"
#include "python/machine/Machine.h"

namespace nereid::torch {

using machine::Foreign;
using machine::Machine;
using PyValue = machine::Value;

enum Tag : unsigned {
  TensorTag = 0x70,
  SizeTag,
  ConditionTag,
  DTypeTag,
  DeviceTag,
  PoisonTag,
  MaskedTag,
  LoopItemsTag,
  GrownListTag,
  ComplexTag,
};

/// One step from a storage's value to a view of it.
struct ViewStep {
  enum Kind : uint8_t { Transpose, Reshape, Slice, Broadcast, Diagonal, Window, Detach, Pick };
  explicit ViewStep(Kind kind) : kind(kind) {}

  Kind kind;
  llvm::SmallVector<int64_t, 4> axes; // Transpose: the order; Broadcast: the dims
  // Reshape, Broadcast: of the result. Diagonal: the first column. Window: the number of windows.
  Sizes sizes;
  int64_t dim = 0;   // Slice, Window, Pick; Detach: what made it
  Expr start, size;  // Slice; Diagonal: the first row, the length; Window: the length
  int64_t step = 1;  // Slice, Window
  int doubt = -1;    // Reshape: the number of the decision that it is a view (Sharing.h)
  mlir::Value place; // Pick: the index, a number that is data, counted from the start
  /// Detach: the number of what autograd takes for a tensor of its own.
  unsigned history = 0;

  /// What makes tensors that autograd does not follow: detach(), `.data`, of which it counts no
  /// versions, and views under torch.no_grad().
  enum Detacher : int64_t { ByMethod, ByData, ByMode };
};

/// The elements of a tensor that was detached, with the gradient that it got by writes since: that
/// of the tensor which it shares them with is another one.
struct History {
  unsigned number; // ViewStep::history
  mlir::Value value;
  unsigned version; // of the storage, for which `value` holds
};

/// What tensors share when one is a view of the other.
struct Storage {
  mlir::Value value;
  mlir::Value first; // as it was made
  /// How many were made before it.
  size_t number;
  unsigned version = 0;
  /// Made before the call and no argument of it: a write would be seen by the next call.
  bool isOuter = false;
  /// The memory of an argument: other tensors may start with the same elements.
  bool isArgument = false;
  /// How the loop that is read sees a tensor of which each turn writes one row; null otherwise.
  void *rows = nullptr;
  std::vector<History> histories = {};
  /// How often it was written to while the program is read.
  unsigned writes = 0;
  /// Something that may have a gradient was written where that is recorded.
  bool isRecorded = false;
  /// A kept loop or a branch leaves it where the program has another name for the same memory.
  bool isLeftTwice = false;
};

/// A number that every call may give anew, where it stands in the call: `lr`, `self.norm.eps`.
struct NumberRoot {
  std::string access;
  PyValue value; // while converting
};

/// How tightly the outermost operator of a Python expression binds.
enum class Binding : uint8_t { Condition, Sum, Product, Sign, Power, Atom };

/// What a Python number is computed from that every call may give anew, as the expression that the
/// wrapper evaluates: `1.0 - self.momentum`.
struct NumberOrigin {
  std::string text;
  Binding binding;
  std::vector<const NumberRoot *> roots;
  std::string name; // what the program calls it
};

struct TensorValue : Foreign {
  TensorValue(machine::Library &library, machine::ClassObject *cls, Storage *storage, DType dtype)
      : Foreign(library, cls, TensorTag), storage(storage), dtype(dtype) {}
  static bool classof(const machine::Object *o) { return isForeign(o, TensorTag); }

  Storage *storage;
  std::vector<ViewStep> steps;
  DType dtype;
  /// A Python number that is not known (`alpha=f64`, `math.sqrt(n)`): of rank 0, and promoted as
  /// Python numbers are.
  bool isNumber = false;
  /// Of a live number (LiveNumbers.cpp): what it is computed from, and its value while converting.
  NumberOrigin *origin = nullptr;
  PyValue known = nullptr;
  /// A branch on data leaves it: it is one tensor or another.
  bool isChosen = false;
  /// False of a parameter that is to have no gradient.
  bool requiresGrad = true;
  /// Of a flag of the call (`causal=bool`): the symbol of its value.
  Expr flag;
  /// The view's value and the version of the storage for which it holds.
  mlir::Value view;
  unsigned viewVersion = 0;
};

struct SizeValue : Foreign {
  SizeValue(machine::Library &library, machine::ClassObject *cls, Expr expr)
      : Foreign(library, cls, SizeTag), expr(expr) {}
  static bool classof(const machine::Object *o) { return isForeign(o, SizeTag); }
  Expr expr;
};

/// A comparison of sizes that is not decided.
struct ConditionValue : Foreign {
  ConditionValue(machine::Library &library, machine::ClassObject *cls, Pred pred)
      : Foreign(library, cls, ConditionTag), pred(pred) {}
  static bool classof(const machine::Object *o) { return isForeign(o, ConditionTag); }
  Pred pred;
};

struct DTypeValue : Foreign {
  DTypeValue(machine::Library &library, machine::ClassObject *cls, DType dtype)
      : Foreign(library, cls, DTypeTag), dtype(dtype) {}
  static bool classof(const machine::Object *o) { return isForeign(o, DTypeTag); }
  DType dtype;
};

/// `x[mask]`: the elements of `tensor` where `mask` holds. Its size depends on the data, so it can
/// only meet numbers and others of the same mask, and be written back through that mask.
struct MaskedValue : Foreign {
  MaskedValue(machine::Library &library, machine::ClassObject *cls, PyValue tensor,
              mlir::Value mask)
      : Foreign(library, cls, MaskedTag), tensor(tensor), mask(mask) {}
  static bool classof(const machine::Object *o) { return isForeign(o, MaskedTag); }
  PyValue tensor;
  mlir::Value mask;
  /// `x[None, places]`: an axis of one element stands before them, which a reshape is to take away.
  bool isBehindOne = false;
  /// The elements as a tensor, once sizes alone have told which they are: all that reads or writes
  /// them from then on does so there.
  PyValue known = nullptr;
};

/// A complex tensor. Its real and imaginary parts are the two elements of the last axis of `parts`,
/// as torch.view_as_real has them: writes to it and views of it are those of `parts`.
struct ComplexValue : Foreign {
  ComplexValue(machine::Library &library, machine::ClassObject *cls, TensorValue *parts)
      : Foreign(library, cls, ComplexTag), parts(parts) {}
  static bool classof(const machine::Object *o) { return isForeign(o, ComplexTag); }
  TensorValue *parts;
};

/// A device, layout, memory format or generator: carried around and without effect.
struct DeviceValue : Foreign {
  DeviceValue(machine::Library &library, machine::ClassObject *cls, llvm::StringRef text,
              bool isOfTensor = false)
      : Foreign(library, cls, DeviceTag), text(text), isOfTensor(isOfTensor) {}
  static bool classof(const machine::Object *o) { return isForeign(o, DeviceTag); }
  llvm::StringRef type() const { return text.split(':').first; }
  llvm::StringRef text;
  /// The device that the call's tensors are on, or its number: one of several GPUs.
  bool isOfTensor;
};

/// Stands for the result of an operator that was reported, so that reading goes on and finds the
/// other problems of the program.
struct PoisonValue : Foreign {
  PoisonValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, PoisonTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, PoisonTag); }
};

} // namespace nereid::torch
