// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose programs go over spans of rows: what is made row by row and what is folded over the
// rows, of the same elements, in one pass over them. The gradient of a normalisation is the
// example: each row has its sums and its part of the gradient of the input, while the gradients of
// weight and bias add up over all rows. A program carries those through its rows and stores its
// part; a second kernel adds the parts up, in a fixed order.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// The longest row that such a kernel holds.
inline constexpr int64_t spanColumnLimit = 16384;

/// Plans a kernel in which the folds among `outputs` that are carried run over the rows of the
/// others.
std::optional<Kernel> planSpans(const Program &program, llvm::ArrayRef<Value *> outputs,
                                const StoredSet &stored);

/// The kernels that do the work of one of spans apart, for rows that are too long for it.
std::vector<Kernel> planApart(const Program &program, const Kernel &kernel,
                              const StoredSet &stored);

/// How many programs of spans of rows of so many columns a multiprocessor holds at once: registers
/// carry a row for each.
int64_t spansTogether(int64_t columns);
/// How many rows a program goes over, at the planned sizes.
int64_t chooseSpan(const Program &program, const Value &carried, unsigned multiprocessors,
                   int64_t outer);

} // namespace nereid::schedule
