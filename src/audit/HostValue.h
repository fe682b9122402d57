// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names of a wrapper are bound to while it is evaluated without a call: tensors of
// symbolic sizes, numbers over these, conditions, and what nothing is known of.
#pragma once

#include "frontend/triton/TritonLibrary.h"
#include "index/Pred.h"

namespace nereid::audit {

using triton::PyValue;

enum HostTag : unsigned {
  SizeTag = 400,
  ConditionTag,
  UnknownTag,
  TensorTag,
  MethodTag,
  LaunchTag
};

/// A number over sizes.
struct SizeValue : machine::Foreign {
  SizeValue(machine::Library &library, machine::ClassObject *cls, index::Expr expr)
      : Foreign(library, cls, SizeTag), expr(expr) {}
  static bool classof(const machine::Object *o) { return isForeign(o, SizeTag); }
  index::Expr expr;
};

/// Something that a wrapper asks. `decided` is told what it was taken to be.
struct ConditionValue : machine::Foreign {
  ConditionValue(machine::Library &library, machine::ClassObject *cls)
      : Foreign(library, cls, ConditionTag) {}
  static bool classof(const machine::Object *o) { return isForeign(o, ConditionTag); }
  index::Pred pred;
  /// Conditions of one key are taken to be the same; empty for none.
  std::string key;
  std::function<void(bool)> decided;
  /// What of it is not known whether it is a tensor: where its truth is asked, a number is
  /// compared.
  std::function<index::Pred()> compare;
};

/// `origin`: what it is, in the words of the wrapper.
struct UnknownValue : machine::Foreign {
  UnknownValue(machine::Library &library, machine::ClassObject *cls, llvm::StringRef origin)
      : Foreign(library, cls, UnknownTag), origin(origin) {}
  static bool classof(const machine::Object *o) { return isForeign(o, UnknownTag); }
  llvm::StringRef origin;
  /// The caller gives it.
  bool isParameter = false;
  /// Its number, once it is used as one.
  index::Expr symbol;
  /// A quotient of whole numbers, which may be rounded: null for others.
  index::Expr dividend, divisor;
  /// `n & (n - 1)`: what is 0 just where it is; null for others.
  index::Expr zeroAlike;
  /// Of `range(n)`, or one of its items: n. Each number below it has its turn.
  index::Expr turns;
};

/// What is known of a tensor on one path through a wrapper. Sizes, and strides that nobody has
/// asked for, come about when they are.
struct TensorInfo {
  std::string name;
  /// A parameter of the wrapper, or a view of one: its sizes and strides are free.
  const TensorInfo *parameter = nullptr;
  bool hasRank = false;
  llvm::SmallVector<index::Expr> sizes;
  /// Null where nobody has asked.
  llvm::SmallVector<index::Expr> strides;
  /// While its rank is open: how many elements it has.
  index::Expr count;
  bool isContiguous = false;
  /// On this path it is known not to be.
  bool isStrided = false;
  /// A view of this tensor, or, where it may have to be one, a copy: its strides come from there.
  TensorInfo *viewed = nullptr;
  bool mayCopy = false;
  /// Made by the wrapper: nothing else lies in its memory.
  bool isFresh = false;
  /// The wrapper says how it lies: elements may lie in the same place.
  bool isLaidOut = false;
  /// It holds what its memory held before.
  bool isBlank = false;
  /// A part of a greater tensor: what lies outside may still be memory.
  bool isPart = false;
  /// ... but behind its last element: that is the last one of its memory.
  bool endsMemory = false;
  /// Of which tensor, and the axes of that; none for one that was put in.
  TensorInfo *whole = nullptr;
  llvm::SmallVector<std::optional<unsigned>> wholeAxes;
  /// Along which axes of that one it begins behind the first element, and where.
  llvm::SmallVector<std::pair<unsigned, index::Expr>> begins;
  /// What it shows in another shape: it begins where that does.
  TensorInfo *shown = nullptr;
  /// Of every how many elements of these; fewer entries than axes: 1 for the others.
  llvm::SmallVector<int64_t> steps;
  /// `empty_like`: as dense as this one.
  TensorInfo *alike = nullptr;
  const TensorInfo *memory = nullptr;
  /// As a signature has it, `fp32`; empty when not known.
  std::string element;
};

/// A tensor, or a parameter of which it is not known yet what it is.
struct HostTensor : machine::Foreign {
  HostTensor(machine::Library &library, machine::ClassObject *cls, TensorInfo *info)
      : Foreign(library, cls, TensorTag), info(info) {}
  static bool classof(const machine::Object *o) { return isForeign(o, TensorTag); }
  enum State : uint8_t { Open, Tensor, Number } state = Tensor;
  TensorInfo *info;
  /// Number.
  index::Expr number;
};

/// `x.stride`, waiting for its call.
struct MethodValue : machine::Foreign {
  MethodValue(machine::Library &library, machine::ClassObject *cls, PyValue self,
              llvm::StringRef name)
      : Foreign(library, cls, MethodTag), self(self), name(name) {}
  static bool classof(const machine::Object *o) { return isForeign(o, MethodTag); }
  PyValue self;
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
  /// Whether only what is known gives arguments, and why Triton refuses these.
  bool isPlain = false;
  std::string refusal;
};

} // namespace nereid::audit
