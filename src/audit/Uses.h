// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a jit function does with its parameters, read off its text and that of the jit functions
// that it calls: which are pointers, and to what, which are numbers, and what kind of constant the
// others must be. A guess, which compiling the function puts to the test.
//
//   ptrs = x + row * stride + tl.arange(0, BLOCK)     x: pointer   stride: integer   BLOCK: size
//   i = tl.load(index_ptr + row)                      index_ptr: pointer to integers, because
//   tl.load(x + i * stride)                           what it leads to is part of an address
#pragma once

#include "frontend/triton/TritonProject.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace nereid::audit {

/// What a pointer points at.
enum class Pointee : uint8_t { Unknown, Integer, Bit, Byte, Address };

struct ParameterUse {
  bool isConstexpr = false; // annotated
  bool isPointer = false;
  bool isDescriptor = false;
  unsigned descriptorRank = 0; // of one whose methods are called: the host makes it
  bool isInteger = false;
  bool isFloat = false;
  bool isSize = false;  // of a tile: a power of two
  bool isAxis = false;  // an axis, or a number of stages: a small number
  bool isCount = false; // of turns that are written out
  bool isCondition = false;
  bool isBit = false; // a mask
  bool isDtype = false;
  bool isNarrow = false;   // a dtype of 8 bits
  bool isIntegers = false; // a dtype of integers
  bool isText = false;     // an eviction policy, a cache modifier
  bool isCalled = false;
  bool isOptional = false; // compared with None
  unsigned tileRank = 0;   // of a tile that is given new axes: 1 of `x[:, None]`
  Pointee pointee = Pointee::Unknown;
  /// The dtypes that what it points at is compared with, as signatures have them: `fp16`.
  std::set<std::string> pointees;
  /// The strings and numbers that it is compared with, as Python text.
  std::set<std::string> compared;
  /// It is indexed by a number, taken apart, or asked for its length. `items`: what is known of
  /// single ones, by number; `each`, none or one: of all of them.
  bool isTuple = false;
  std::vector<ParameterUse> items, each;
  /// The names of the items of a named tuple, in the order in which they are seen.
  std::vector<std::string> names;
  /// The numbers that a callee compares it with: one of them, where nothing else is known of it.
  std::set<std::string> comparedWithin;
  /// The first place that tells what it is.
  const python::Node *place = nullptr;

  /// What is known of one item of a tuple.
  ParameterUse getItem(unsigned number) const;
  /// ... and of the item of a name.
  ParameterUse getField(llvm::StringRef name) const;
  /// Adds what is known of another.
  void add(const ParameterUse &other);
};

/// One assignment to a local name: of a value, or of an item of it.
struct Definition {
  const python::Expr *value = nullptr;
  int item = -1;
  bool isLoopIndex = false; // `value` is what is iterated over
};

struct FunctionUses {
  const triton::JitFunction *function = nullptr;
  llvm::MapVector<llvm::StringRef, ParameterUse> parameters;
  llvm::StringMap<std::vector<Definition>> definitions;
  std::vector<const python::Expr *> returns;
  /// The jit functions that it names, called or passed on.
  llvm::SetVector<triton::JitFunction *> callees;

  ParameterUse *find(llvm::StringRef name) {
    auto *it = parameters.find(name);
    return it == parameters.end() ? nullptr : &it->second;
  }
};

class Uses {
public:
  explicit Uses(triton::TritonProject &project) : project(project) {}

  /// Reads these functions and those that they call; more may be added later.
  void add(llvm::ArrayRef<triton::JitFunction *> functions);
  /// Null for a function that was not added.
  FunctionUses *find(const triton::JitFunction *function);
  /// The number or string that a name of the function's file stands for, as Python text; empty for
  /// others.
  std::string constantOf(const triton::JitFunction &function, const python::Expr &name);
  /// The names of the items of what a class of the caller's file makes; none where it makes no
  /// named tuple.
  llvm::ArrayRef<std::string> getFields(const FunctionUses &caller, const python::Expr &callee);
  /// The methods of an aggregate that are jit functions.
  llvm::ArrayRef<FunctionUses *> getMethods(const FunctionUses &caller, const python::Expr &callee);
  /// The jit function that is called, or null.
  triton::JitFunction *getCallee(const FunctionUses &caller, const python::Expr &callee);

private:
  void read(triton::JitFunction &function);

  triton::TritonProject &project;
  llvm::MapVector<const triton::JitFunction *, std::unique_ptr<FunctionUses>> all;
  llvm::DenseMap<const python::Expr *, triton::JitFunction *> callees;
  llvm::DenseMap<const python::Expr *, std::string> constants;
  llvm::DenseMap<const python::Expr *, std::vector<std::string>> fields;
  std::map<std::pair<const python::ParsedFile *, std::string>, std::vector<FunctionUses *>> methods;
};

/// The parameters of a function, in order.
std::vector<const python::Arg *> getParameters(const python::Arguments &arguments);
/// Whether a parameter of a function is annotated as `tl.constexpr`.
bool isConstexpr(const triton::JitFunction &function, llvm::StringRef name);

} // namespace nereid::audit
