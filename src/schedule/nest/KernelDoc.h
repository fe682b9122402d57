// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel says about itself: the operators that it fuses, the lines of the program that they
// come from, and what one program of its grid does.
#pragma once

#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"

namespace nereid::schedule {

/// The text of a kernel's docstring. `ownLoops` says which folds go over the row once more, and
/// why.
std::string describeKernel(const Program &program, const Requests &requests, const Kernel &kernel,
                           const Form &form, llvm::ArrayRef<std::string> ownLoops);

} // namespace nereid::schedule
