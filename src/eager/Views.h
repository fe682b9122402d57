// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of tensors that lie in memory, by PyTorch's rules: no element moves, only sizes, strides
// and the first place change. Functions that may refuse return nullopt and say why, in PyTorch's
// words.
#pragma once

#include "interpreter/Memory.h"

#include <optional>

namespace nereid::eager {

using interpreter::Tensor;
using Sizes = llvm::ArrayRef<int64_t>;

/// An axis of a tensor of that rank, counted from its end where it is negative; nullopt: none.
std::optional<unsigned> axisOf(int64_t axis, int64_t rank, std::string &why);
/// The axes in another order.
std::optional<Tensor> permute(const Tensor &tensor, Sizes order, std::string &why);
std::optional<Tensor> transpose(const Tensor &tensor, int64_t first, int64_t second,
                                std::string &why);
/// `view`; one size may be -1. Refuses where the elements would have to be copied.
std::optional<Tensor> view(const Tensor &tensor, Sizes sizes, std::string &why);
/// An axis of one element, in front of the given one.
std::optional<Tensor> unsqueeze(const Tensor &tensor, int64_t axis, std::string &why);
/// Without axes of one element, or without that one.
std::optional<Tensor> squeeze(const Tensor &tensor, std::optional<int64_t> axis, std::string &why);
std::optional<Tensor> expand(const Tensor &tensor, Sizes sizes, std::string &why);
/// All axes from `first` to `last` as one.
std::optional<Tensor> flatten(const Tensor &tensor, int64_t first, int64_t last, std::string &why);
/// One place of an axis, which goes.
std::optional<Tensor> select(const Tensor &tensor, int64_t axis, int64_t place, std::string &why);
/// `start:stop:step` of an axis, bounds as Python has them.
Tensor slice(const Tensor &tensor, unsigned axis, int64_t start, int64_t stop, int64_t step);

/// A row-major tensor of the same elements in memory of its own.
Tensor copy(const Tensor &tensor);
/// A new tensor of these sizes that nothing has been written to, laid out as `empty_like` does:
/// dense, the axes in the order of those of the tensor in memory.
Tensor emptyLike(const Tensor &tensor, mlir::Type elementType, llvm::StringRef name);
void fill(const Tensor &tensor, double value);

} // namespace nereid::eager
