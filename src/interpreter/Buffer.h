// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a scalar or of a tile while a program runs: contiguous typed storage, shared until
// it is written. A uniform buffer stores one element that stands for every lane; a scalar is a
// uniform buffer of one lane.
//
// In checked mode a buffer may carry one flag byte for each stored element: a poison flag for lanes
// that nobody defined, and a wrap flag for lanes in whose making an int32 overflowed.
#pragma once

#include "interpreter/Element.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <cstddef>

namespace mlir {
class Operation;
}

namespace nereid::interpreter {

/// Reference-counted raw memory, aligned for vectors. That of short blocks goes from one to the
/// next: a kernel makes one or two for each operation that it runs.
class Block : public llvm::RefCountedBase<Block> {
public:
  explicit Block(size_t least);
  ~Block();
  Block(const Block &) = delete;

  std::byte *data() const { return bytes; }
  size_t getCapacity() const { return capacity; }

private:
  std::byte *bytes;
  size_t capacity;
};

enum LaneFlag : uint8_t { Poison = 1, Wrapped = 2 };

struct Buffer {
  Element element = Element::I32;
  bool uniform = true;
  int64_t count = 0;
  llvm::IntrusiveRefCntPtr<Block> data;
  llvm::IntrusiveRefCntPtr<Block> flags;
  /// Which operations made the first poison and the first wrapped lane.
  mlir::Operation *poisonedBy = nullptr;
  mlir::Operation *wrappedBy = nullptr;

  int64_t stored() const { return uniform ? 1 : count; }

  template <typename T> const T *as() const { return reinterpret_cast<const T *>(data->data()); }
  template <typename T> T *asMutable() { return reinterpret_cast<T *>(data->data()); }
  template <typename T> T first() const { return *as<T>(); }

  const uint8_t *getFlags() const {
    return flags ? reinterpret_cast<const uint8_t *>(flags->data()) : nullptr;
  }
  uint8_t flagOf(int64_t lane) const { return flags ? getFlags()[uniform ? 0 : lane] : uint8_t(0); }

  /// Makes this a buffer of this form whose storage nobody shares; its elements are undefined and
  /// it has no flags.
  void reset(Element newElement, int64_t newCount, bool newUniform);
  /// Storage for flags, all zero, that nobody shares.
  uint8_t *addFlags();
  void dropFlags();
  /// Every lane stored, as far as the lanes are equal anyhow.
  void spread();
};

/// A uniform buffer of `count` lanes.
template <typename T> Buffer makeUniform(Element element, T value, int64_t count = 1) {
  Buffer buffer;
  buffer.reset(element, count, true);
  *buffer.asMutable<T>() = value;
  return buffer;
}

/// The numbers of any integer buffer, sign-extended (an i1 gives 0 or 1).
int64_t readInteger(const Buffer &buffer, int64_t lane);
/// Whether an i1 buffer is true at a lane.
inline bool isTrue(const Buffer &buffer, int64_t lane) {
  return buffer.as<uint8_t>()[buffer.uniform ? 0 : lane] != 0;
}

/// Copies one element of a buffer into every lane.
void fillFrom(const std::byte *element, unsigned bytes, std::byte *to, int64_t count);

} // namespace nereid::interpreter
