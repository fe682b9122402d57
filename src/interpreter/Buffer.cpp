// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Buffer.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace nereid::interpreter {

namespace {
/// The memory of blocks that are gone, by its size: 64 bytes, twice that, and so on.
class FreeMemory {
public:
  static constexpr size_t smallest = 64, classes = 11, most = 128;

  ~FreeMemory() {
    for (std::vector<std::byte *> &list : lists)
      for (std::byte *bytes : list)
        std::free(bytes);
  }

  /// The list for a capacity of a power of two; null where it is too large to be kept.
  std::vector<std::byte *> *listOf(size_t capacity) {
    size_t place = std::countr_zero(capacity / smallest);
    return place < classes ? &lists[place] : nullptr;
  }

private:
  std::array<std::vector<std::byte *>, classes> lists;
};
} // namespace

static FreeMemory &getFreeMemory() {
  static thread_local FreeMemory memory;
  return memory;
}

Block::Block(size_t least) : capacity(std::bit_ceil(std::max(least, FreeMemory::smallest))) {
  if (auto *list = getFreeMemory().listOf(capacity); list && !list->empty()) {
    bytes = list->back();
    list->pop_back();
    return;
  }
  bytes = static_cast<std::byte *>(std::aligned_alloc(FreeMemory::smallest, capacity));
}

Block::~Block() {
  auto *list = getFreeMemory().listOf(capacity);
  if (list && list->size() < FreeMemory::most)
    list->push_back(bytes);
  else
    std::free(bytes);
}

void Buffer::reset(Element newElement, int64_t newCount, bool newUniform) {
  element = newElement;
  count = newCount;
  uniform = newUniform;
  dropFlags();
  size_t bytes = static_cast<size_t>(stored()) * getBytes(element);
  if (data && data->UseCount() == 1 && data->getCapacity() >= bytes)
    return;
  data = llvm::makeIntrusiveRefCnt<Block>(bytes);
}

uint8_t *Buffer::addFlags() {
  size_t bytes = static_cast<size_t>(stored());
  flags = llvm::makeIntrusiveRefCnt<Block>(bytes);
  std::memset(flags->data(), 0, bytes);
  return reinterpret_cast<uint8_t *>(flags->data());
}

void Buffer::dropFlags() {
  flags.reset();
  poisonedBy = nullptr;
  wrappedBy = nullptr;
}

template <typename T> static void fillAs(const std::byte *element, std::byte *to, int64_t count) {
  std::fill_n(reinterpret_cast<T *>(to), count, *reinterpret_cast<const T *>(element));
}

void fillFrom(const std::byte *element, unsigned bytes, std::byte *to, int64_t count) {
  switch (bytes) {
  case 1:
    return fillAs<uint8_t>(element, to, count);
  case 2:
    return fillAs<uint16_t>(element, to, count);
  case 4:
    return fillAs<uint32_t>(element, to, count);
  default:
    return fillAs<uint64_t>(element, to, count);
  }
}

void Buffer::spread() {
  if (!uniform || count == 1) {
    uniform = count == 1 && uniform;
    return;
  }
  auto spreadBlock = [&](llvm::IntrusiveRefCntPtr<Block> &block, unsigned bytes) {
    auto all = llvm::makeIntrusiveRefCnt<Block>(static_cast<size_t>(count) * bytes);
    fillFrom(block->data(), bytes, all->data(), count);
    block = all;
  };
  spreadBlock(data, getBytes(element));
  if (flags)
    spreadBlock(flags, 1);
  uniform = false;
}

int64_t readInteger(const Buffer &buffer, int64_t lane) {
  int64_t at = buffer.uniform ? 0 : lane;
  switch (buffer.element) {
  case Element::I1:
    return buffer.as<uint8_t>()[at];
  case Element::I8:
    return buffer.as<int8_t>()[at];
  case Element::I16:
    return buffer.as<int16_t>()[at];
  case Element::I32:
    return buffer.as<int32_t>()[at];
  case Element::I64:
  case Element::Pointer:
    return buffer.as<int64_t>()[at];
  default:
    llvm_unreachable("not an integer buffer");
  }
}

} // namespace nereid::interpreter
