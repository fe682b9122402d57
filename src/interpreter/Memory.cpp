// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Memory.h"

#include <algorithm>
#include <cstring>

namespace nereid::interpreter {

namespace {

/// Walks the elements of a tensor in row-major order.
class Walk {
public:
  explicit Walk(const Tensor &tensor)
      : tensor(tensor), index(tensor.sizes.size(), 0), position(tensor.offset) {}

  /// The offset of the element in its storage, in elements.
  int64_t getPosition() const { return position; }

  void next() {
    for (size_t axis = index.size(); axis-- > 0;) {
      position += tensor.strides[axis];
      if (++index[axis] < tensor.sizes[axis])
        return;
      position -= tensor.strides[axis] * tensor.sizes[axis];
      index[axis] = 0;
    }
  }

private:
  const Tensor &tensor;
  llvm::SmallVector<int64_t, 6> index;
  int64_t position;
};

} // namespace

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool Tensor::isContiguous() const {
  if (getNumElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    if (sizes[axis] == 1)
      continue;
    if (strides[axis] != expected)
      return false;
    expected *= sizes[axis];
  }
  return true;
}

uint8_t *Tensor::at(int64_t linear) const {
  int64_t position = offset;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    position += linear % sizes[axis] * strides[axis];
    linear /= sizes[axis];
  }
  int64_t byte = position * getBytes(getElement());
  assert(byte >= 0 &&
         byte + getBytes(getElement()) <= static_cast<int64_t>(storage->bytes.size()) &&
         "a tensor lies within its storage");
  return storage->bytes.data() + byte;
}

double Tensor::get(int64_t linear) const {
  return readNumber(getElement(), at(linear), isUnsigned());
}

void Tensor::set(int64_t linear, double value) {
  writeNumber(getElement(), value, at(linear), isUnsigned());
}

std::vector<double> Tensor::toNumbers() const {
  std::vector<double> numbers(getNumElements());
  Element element = getElement();
  unsigned bytes = getBytes(element);
  Walk walk(*this);
  for (double &number : numbers) {
    number = readNumber(element, storage->bytes.data() + walk.getPosition() * bytes, isUnsigned());
    walk.next();
  }
  return numbers;
}

llvm::SmallVector<int64_t> getContiguousStrides(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

Tensor makeEmpty(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> strides, bool undefined) {
  Tensor tensor;
  tensor.elementType = elementType;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.strides.assign(strides.begin(), strides.end());
  int64_t extent = tensor.getNumElements() > 0 ? 1 : 0;
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    assert(stride >= 0 && "a new tensor has no negative strides");
    if (extent > 0)
      extent += (size - 1) * stride;
  }
  tensor.storage = std::make_shared<Storage>();
  tensor.storage->name = name.str();
  tensor.storage->bytes.resize(extent * getBytes(tensor.getElement()));
  if (undefined)
    tensor.storage->defined.resize(tensor.storage->bytes.size());
  return tensor;
}

Tensor makeTensor(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes) {
  return makeEmpty(name, elementType, sizes, getContiguousStrides(sizes), false);
}

Tensor makeTensor(llvm::StringRef name, mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<double> numbers) {
  Tensor tensor = makeTensor(name, elementType, sizes);
  assert(static_cast<int64_t>(numbers.size()) == tensor.getNumElements() && "a number an element");
  for (auto [i, number] : llvm::enumerate(numbers))
    tensor.set(i, number);
  return tensor;
}

void copyElements(const Tensor &from, Tensor &to) {
  unsigned bytes = getBytes(from.getElement());
  assert(from.getNumElements() == to.getNumElements() && from.getElement() == to.getElement() &&
         "copies do not convert");
  const std::vector<uint8_t> &source = from.storage->defined;
  std::vector<uint8_t> &target = to.storage->defined;
  if (!source.empty() && target.empty())
    target.assign(to.storage->bytes.size(), 1);
  Walk reader(from), writer(to);
  for (int64_t left = from.getNumElements(); left > 0; --left, reader.next(), writer.next()) {
    int64_t read = reader.getPosition() * bytes, write = writer.getPosition() * bytes;
    std::memcpy(to.storage->bytes.data() + write, from.storage->bytes.data() + read, bytes);
    if (target.empty())
      continue;
    if (source.empty())
      std::fill_n(target.begin() + write, bytes, 1);
    else
      std::copy_n(source.begin() + read, bytes, target.begin() + write);
  }
}

int64_t Memory::getAddress(const Tensor &tensor, bool trackWriters) {
  unsigned bytes = getBytes(tensor.getElement());
  auto [found, isNew] = regions.try_emplace(tensor.storage.get(), allocations.size() + 1);
  if (isNew) {
    Allocation allocation{tensor.storage, bytes, {}, {}};
    if (trackWriters)
      allocation.writers.resize(tensor.storage->bytes.size() / bytes);
    allocations.push_back(std::move(allocation));
  }
  return (found->second << regionBits) + regionMiddle + tensor.offset * bytes;
}

} // namespace nereid::interpreter
