// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "eager/Views.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nereid::eager {

std::optional<unsigned> axisOf(int64_t axis, int64_t rank, std::string &why) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  why = "dimension out of range (" + std::to_string(axis) + " of " + std::to_string(rank) + ")";
  return std::nullopt;
}

std::optional<Tensor> permute(const Tensor &tensor, Sizes order, std::string &why) {
  Tensor result = tensor;
  SmallVector<bool> isTaken(tensor.getRank(), false);
  if (int64_t(order.size()) != tensor.getRank()) {
    why = "permute needs every axis once";
    return std::nullopt;
  }
  for (auto [place, axis] : enumerate(order)) {
    std::optional<unsigned> from = axisOf(axis, tensor.getRank(), why);
    if (!from || isTaken[*from]) {
      why = "permute needs every axis once";
      return std::nullopt;
    }
    isTaken[*from] = true;
    result.sizes[place] = tensor.sizes[*from];
    result.strides[place] = tensor.strides[*from];
  }
  return result;
}

std::optional<Tensor> transpose(const Tensor &tensor, int64_t first, int64_t second,
                                std::string &why) {
  if (tensor.getRank() == 0)
    return tensor;
  std::optional<unsigned> a = axisOf(first, tensor.getRank(), why);
  std::optional<unsigned> b = axisOf(second, tensor.getRank(), why);
  if (!a || !b)
    return std::nullopt;
  Tensor result = tensor;
  std::swap(result.sizes[*a], result.sizes[*b]);
  std::swap(result.strides[*a], result.strides[*b]);
  return result;
}

/// The sizes with what stands for -1; nullopt where they hold another number of elements.
static std::optional<SmallVector<int64_t>> completeSizes(const Tensor &tensor, Sizes sizes,
                                                         std::string &why) {
  SmallVector<int64_t> result(sizes);
  int64_t count = tensor.getNumElements(), others = 1, *open = nullptr;
  for (int64_t &size : result) {
    if (size == -1 && !open)
      open = &size;
    else
      others *= size;
  }
  bool isOpen = open && others > 0 && count % others == 0;
  if (isOpen)
    *open = count / others;
  if ((open && !isOpen) || (!open && others != count) ||
      any_of(result, [](int64_t s) { return s < 0; })) {
    why = "the shape is invalid for a tensor of " + std::to_string(count) + " elements";
    return std::nullopt;
  }
  return result;
}

std::optional<Tensor> view(const Tensor &tensor, Sizes wanted, std::string &why) {
  std::optional<SmallVector<int64_t>> sizes = completeSizes(tensor, wanted, why);
  if (!sizes)
    return std::nullopt;
  Tensor result = tensor;
  result.sizes = *sizes;
  if (tensor.getNumElements() == 0) {
    result.strides = interpreter::getContiguousStrides(*sizes);
    return result;
  }
  result.strides.assign(sizes->size(), 1);
  // From the end, runs of axes that lie dense take as many new axes as hold the same elements.
  int64_t place = int64_t(sizes->size()) - 1, run = 1;
  for (int64_t axis = tensor.getRank() - 1, last = axis; axis >= 0; --axis) {
    run *= tensor.sizes[axis];
    bool isEnd =
        axis == 0 || (tensor.sizes[axis - 1] != 1 &&
                      tensor.strides[axis - 1] !=
                          tensor.sizes[last] * tensor.strides[last] * (run / tensor.sizes[last]));
    if (!isEnd)
      continue;
    int64_t made = 1;
    for (; place >= 0 && (made < run || (*sizes)[place] == 1); --place) {
      result.strides[place] = made * tensor.strides[last];
      made *= (*sizes)[place];
    }
    if (made != run) {
      why = "view size is not compatible with the tensor's size and stride: use reshape";
      return std::nullopt;
    }
    last = axis - 1;
    run = 1;
  }
  return result;
}

std::optional<Tensor> unsqueeze(const Tensor &tensor, int64_t axis, std::string &why) {
  std::optional<unsigned> place = axisOf(axis, tensor.getRank() + 1, why);
  if (!place)
    return std::nullopt;
  Tensor result = tensor;
  bool isLast = *place == tensor.sizes.size();
  int64_t stride = isLast ? 1 : tensor.sizes[*place] * tensor.strides[*place];
  result.sizes.insert(result.sizes.begin() + *place, 1);
  result.strides.insert(result.strides.begin() + *place, stride);
  return result;
}

std::optional<Tensor> squeeze(const Tensor &tensor, std::optional<int64_t> only, std::string &why) {
  std::optional<unsigned> wanted;
  if (only && !(wanted = axisOf(*only, tensor.getRank(), why)))
    return std::nullopt;
  Tensor result = tensor;
  result.sizes.clear();
  result.strides.clear();
  for (unsigned axis = 0; axis < tensor.sizes.size(); ++axis)
    if (tensor.sizes[axis] != 1 || (wanted && axis != *wanted)) {
      result.sizes.push_back(tensor.sizes[axis]);
      result.strides.push_back(tensor.strides[axis]);
    }
  return result;
}

std::optional<Tensor> expand(const Tensor &tensor, Sizes sizes, std::string &why) {
  int64_t added = int64_t(sizes.size()) - tensor.getRank();
  Tensor result = tensor;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(sizes.size(), 0);
  for (int64_t axis = 0; axis < tensor.getRank() && added >= 0; ++axis) {
    int64_t &size = result.sizes[axis + added];
    if (size == -1)
      size = tensor.sizes[axis];
    if (size == tensor.sizes[axis])
      result.strides[axis + added] = tensor.strides[axis];
    else if (tensor.sizes[axis] != 1)
      added = -1;
  }
  if (added >= 0 && none_of(result.sizes, [](int64_t size) { return size < 0; }))
    return result;
  why = "the tensor cannot be expanded to that shape";
  return std::nullopt;
}

std::optional<Tensor> flatten(const Tensor &tensor, int64_t first, int64_t last, std::string &why) {
  std::optional<unsigned> from = axisOf(first, std::max<int64_t>(tensor.getRank(), 1), why);
  std::optional<unsigned> to = axisOf(last, std::max<int64_t>(tensor.getRank(), 1), why);
  if (!from || !to || *from > *to) {
    why = "flatten needs axes in their order";
    return std::nullopt;
  }
  SmallVector<int64_t> sizes;
  int64_t merged = 1;
  for (unsigned axis = 0; axis < tensor.sizes.size(); ++axis) {
    bool isMerged = axis >= *from && axis <= *to;
    merged *= isMerged ? tensor.sizes[axis] : 1;
    if (!isMerged || axis == *to)
      sizes.push_back(isMerged ? merged : tensor.sizes[axis]);
  }
  if (sizes.empty())
    sizes.push_back(1);
  std::string copies;
  std::optional<Tensor> shown = view(tensor, sizes, copies);
  return shown ? shown : view(copy(tensor), sizes, why);
}

std::optional<Tensor> select(const Tensor &tensor, int64_t axis, int64_t place, std::string &why) {
  std::optional<unsigned> from = axisOf(axis, tensor.getRank(), why);
  if (!from)
    return std::nullopt;
  int64_t size = tensor.sizes[*from];
  if (place < -size || place >= size) {
    why = "index " + std::to_string(place) + " is out of bounds for an axis of " +
          std::to_string(size);
    return std::nullopt;
  }
  Tensor result = tensor;
  result.offset += (place < 0 ? place + size : place) * tensor.strides[*from];
  result.sizes.erase(result.sizes.begin() + *from);
  result.strides.erase(result.strides.begin() + *from);
  return result;
}

Tensor slice(const Tensor &tensor, unsigned axis, int64_t start, int64_t stop, int64_t step) {
  int64_t size = tensor.sizes[axis];
  auto within = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
  };
  start = within(start);
  stop = std::max(within(stop), start);
  Tensor result = tensor;
  result.sizes[axis] = (stop - start + step - 1) / step;
  if (result.sizes[axis] > 0)
    result.offset += start * tensor.strides[axis];
  result.strides[axis] *= step;
  return result;
}

Tensor copy(const Tensor &tensor) {
  Tensor result = interpreter::makeEmpty(tensor.storage->name, tensor.elementType, tensor.sizes,
                                         interpreter::getContiguousStrides(tensor.sizes),
                                         /*undefined=*/!tensor.storage->defined.empty());
  if (tensor.getNumElements() > 0)
    interpreter::copyElements(tensor, result);
  return result;
}

/// Strides without gaps that keep the axes in their order in memory. Axes of stride 0 have none:
/// they stay between those that they stand between.
static SmallVector<int64_t> makeDenseStrides(const Tensor &tensor) {
  SmallVector<unsigned> innermostFirst(llvm::reverse(seq<unsigned>(0, tensor.sizes.size())));
  auto isInner = [&](unsigned a, unsigned b) {
    return tensor.strides[a] < tensor.strides[b] ||
           (tensor.strides[a] == tensor.strides[b] && tensor.sizes[a] <= tensor.sizes[b]);
  };
  for (unsigned end = 1; end < innermostFirst.size(); ++end)
    for (unsigned place = end, before = end; before-- > 0;) {
      unsigned &low = innermostFirst[before], &high = innermostFirst[place];
      if (tensor.strides[low] == 0 || tensor.strides[high] == 0)
        continue;
      if (tensor.strides[low] == tensor.strides[high] && isInner(low, high))
        continue;
      if (isInner(low, high))
        break;
      std::swap(low, high);
      place = before;
    }
  SmallVector<int64_t> strides(tensor.sizes.size());
  int64_t stride = 1;
  for (unsigned axis : innermostFirst) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(tensor.sizes[axis], 1);
  }
  return strides;
}

Tensor emptyLike(const Tensor &tensor, mlir::Type elementType, StringRef name) {
  return interpreter::makeEmpty(name, elementType, tensor.sizes, makeDenseStrides(tensor),
                                /*undefined=*/true);
}

void fill(const Tensor &tensor, double value) {
  unsigned bytes = getBytes(tensor.getElement());
  std::vector<uint8_t> &defined = tensor.storage->defined;
  for (int64_t at = 0, count = tensor.getNumElements(); at < count; ++at) {
    uint8_t *place = tensor.at(at);
    writeNumber(tensor.getElement(), value, place, tensor.isUnsigned());
    if (!defined.empty())
      std::fill_n(defined.begin() + (place - tensor.storage->bytes.data()), bytes, 1);
  }
}

} // namespace nereid::eager
