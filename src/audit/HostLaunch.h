// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch that a wrapper comes to on one path, under one configuration: what its arguments are
// over the sizes of the wrapper's tensors, the grid, and what holds there.
#pragma once

#include "index/Pred.h"
#include "support/Answers.h"
#include "support/Source.h"

#include "llvm/ADT/iterator.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace nereid::audit {

struct HostArgument {
  enum Kind : uint8_t { Default, Tensor, Number, Known, Unknown, Tuple };
  Kind kind = Default;
  std::string name;
  /// Tensor: its shape in elements, and what tells its memory from others in the launch.
  llvm::SmallVector<index::Expr> sizes, strides;
  const void *memory = nullptr;
  /// Tensor: where it begins there, in elements; null where that is not known.
  index::Expr offset;
  /// Tensor: the parameter of the wrapper that it shows; empty for what the wrapper makes. What was
  /// taken for granted of its strides.
  std::string owner;
  std::set<std::string> assumed;
  /// Tensor: elements lie apart. Part of a greater tensor, see TensorInfo.
  bool isInjective = false, isPart = false, endsMemory = false, isFresh = false;
  /// Tensor: made by `torch.empty` or the like, and nothing has stored to it before the launch;
  /// nothing but the launch ever does.
  bool isBlank = false, isAlone = false;
  /// Tensor of the caller's: nothing but the launch uses what it holds.
  bool isReadAlone = false;
  /// Tensor: made by `torch.zeros` or the like, and nothing has stored to it before.
  bool isZero = false;
  /// Tensor: `fp32`; empty when not known.
  std::string element;
  /// Tensor: the shape of the blocks of a descriptor of it, as in a signature. Number: of a
  /// descriptor, no parameter of its own.
  std::string block;
  bool isOfDescriptor = false;
  /// Number.
  index::Expr number;
  /// Known: its value as Python text. Unknown: what it is.
  std::string text;
  /// Tuple: its items, which follow it as arguments of their own: `x_0`, or `x_row` of a named one.
  std::vector<std::string> items;
  bool isNamed = false;
  /// Of a tuple, no parameter of its own.
  bool isItem = false;
};

/// The arguments of a launch. Equal ones of several launches are kept once.
class HostArguments {
  using List = std::vector<std::shared_ptr<HostArgument>>;

public:
  auto begin() { return llvm::pointee_iterator<List::iterator>(list.begin()); }
  auto end() { return llvm::pointee_iterator<List::iterator>(list.end()); }
  auto begin() const {
    return llvm::pointee_iterator<List::const_iterator, const HostArgument>(list.begin());
  }
  auto end() const {
    return llvm::pointee_iterator<List::const_iterator, const HostArgument>(list.end());
  }
  size_t size() const { return list.size(); }
  HostArgument &operator[](size_t place) { return *list[place]; }
  HostArgument &back() { return *list.back(); }
  HostArgument &add(HostArgument argument = {}) {
    return *list.emplace_back(std::make_shared<HostArgument>(std::move(argument)));
  }

  using Known = std::map<Digest, std::shared_ptr<HostArgument>>;
  /// Takes those that are known in place of equal ones, and makes the others known. None may be
  /// changed any more.
  void share(Known &known);

private:
  List list;
};

struct HostLaunch {
  /// The wrapper, and the place of the launch in it.
  std::string wrapper;
  SourceLocation place;
  unsigned config = 0;
  /// In the order of the kernel's parameters.
  HostArguments arguments;
  llvm::SmallVector<index::Expr> grid;
  std::vector<index::Pred> facts;
  /// What was taken for granted, in words.
  std::set<std::string> assumptions;
  /// Tensors of which the wrapper does not say how many axes they have.
  std::set<std::string> guessedRanks;
  /// Numbers that are no sizes of tensors: the caller's, or unknown.
  std::set<std::string> freeNumbers;
  /// Why no contract can be made of it; empty when one can.
  std::string problem;
  /// Why Triton refuses it, whatever the sizes; empty when it does not.
  std::string refusal;
};

/// All that a proof under the launch may depend on, as text.
std::string keyOf(const HostLaunch &launch);

} // namespace nereid::audit
