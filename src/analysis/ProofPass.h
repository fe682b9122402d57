// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proofs as a pass, for tests and for looking into them: `nereid-opt --prove-accesses` says the
// verdict on each access as a remark at its place.
#pragma once

namespace nereid::analysis {

void registerProofPass();

} // namespace nereid::analysis
