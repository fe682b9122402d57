// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as programs see them, and the address space of a launch. Every allocation gets its own
// region of 2^40 addresses, its first byte in the middle, so that an address names its allocation
// and a stray access is told by the name of the tensor that it was derived from.
#pragma once

#include "interpreter/Element.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::interpreter {

/// Bytes that tensors share.
struct Storage {
  std::string name;
  std::vector<uint8_t> bytes;
  /// One entry a byte, zero where nothing was ever written; empty when all is defined.
  std::vector<uint8_t> defined;
  /// One entry a byte, not zero where a checked run has read it; empty where nobody asks.
  std::vector<uint8_t> read;
};

/// A strided view of a storage. Sizes and strides are in elements, as in PyTorch.
struct Tensor {
  std::shared_ptr<Storage> storage;
  /// Keeps its sign: `ui8` for uint8; `i1` for bool.
  mlir::Type elementType;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;

  int64_t getRank() const { return sizes.size(); }
  int64_t getNumElements() const;
  Element getElement() const { return *interpreter::getElement(elementType); }
  bool isUnsigned() const { return elementType.isUnsignedInteger(); }
  bool isContiguous() const;

  /// The element of a position in row-major order, as the address in the storage.
  uint8_t *at(int64_t linear) const;
  /// Numbers in row-major order.
  double get(int64_t linear) const;
  void set(int64_t linear, double value);
  std::vector<double> toNumbers() const;
};

/// Row-major strides: products of max(size, 1).
llvm::SmallVector<int64_t> getContiguousStrides(llvm::ArrayRef<int64_t> sizes);

/// A new row-major tensor of zeros, all defined.
Tensor makeTensor(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes);
Tensor makeTensor(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<double> numbers);
/// A new tensor with these strides (all >= 0) that nothing has been written to; `undefined` marks
/// its bytes as such.
Tensor makeEmpty(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> strides, bool undefined);
/// Element by element; the sizes agree. Undefined bytes stay undefined.
void copyElements(const Tensor &from, Tensor &to);

/// Who wrote an element last, for the report of races.
struct Writer {
  uint32_t program = 0; ///< One more than its linear index; 0 for nobody.
  bool atomic = false;
  uint64_t time = 0;
};

/// The program that read an element last, and the last other one; numbers as in Writer.
struct Readers {
  struct Reader {
    uint32_t program = 0;
    uint32_t time = 0;
  };
  Reader last, other;
};

struct Allocation {
  std::shared_ptr<Storage> storage;
  unsigned elementBytes = 1;
  /// One an element; only in checked mode.
  std::vector<Writer> writers;
  /// The same, from the first load on.
  std::vector<Readers> readers;
};

/// The address space of one launch.
class Memory {
public:
  static constexpr unsigned regionBits = 40;
  static constexpr int64_t regionMiddle = int64_t(1) << (regionBits - 1);

  /// The address of a tensor's first element; a storage is entered once.
  int64_t getAddress(const Tensor &tensor, bool trackWriters);

  static int64_t getRegion(int64_t address) { return address >> regionBits; }
  /// The offset in bytes from the start of its allocation, perhaps outside it.
  static int64_t getOffset(int64_t address) {
    return (address & ((int64_t(1) << regionBits) - 1)) - regionMiddle;
  }
  /// The allocation that an address belongs to; null for an address that was never given out.
  Allocation *find(int64_t address) {
    int64_t region = getRegion(address) - 1;
    return region >= 0 && region < static_cast<int64_t>(allocations.size()) ? &allocations[region]
                                                                            : nullptr;
  }

private:
  std::vector<Allocation> allocations;
  llvm::DenseMap<const Storage *, int64_t> regions;
};

} // namespace nereid::interpreter
