// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace nereid::schedule {

Location nameLoc(llvm::StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), plainLoc(loc));
}

/// A name may stand around another, or in a part.
Location plainLoc(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return plainLoc(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return CallSiteLoc::get(plainLoc(call.getCallee()), call.getCaller());
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!fused)
    return loc;
  llvm::SmallVector<Location> parts = llvm::map_to_vector(fused.getLocations(), plainLoc);
  return FusedLoc::get(parts, fused.getMetadata(), loc.getContext());
}

} // namespace nereid::schedule
