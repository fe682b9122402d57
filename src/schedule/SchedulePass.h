// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler as a pass, for tests and for looking into it: `nereid-opt --schedule=stage=2`.
#pragma once

namespace nereid::schedule {

void registerSchedulePass();

} // namespace nereid::schedule
