// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Finding.h"

#include "llvm/Support/ErrorHandling.h"

namespace nereid::interpreter {

llvm::StringRef getName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out of bounds";
  case FindingKind::Undefined:
    return "undefined value";
  case FindingKind::Race:
    return "race";
  case FindingKind::Overflow:
    return "int32 overflow";
  case FindingKind::Assertion:
    return "assertion";
  case FindingKind::Stuck:
    return "no progress";
  case FindingKind::Invalid:
    return "invalid";
  }
  llvm_unreachable("all kinds are listed");
}

void print(const Finding &finding, llvm::raw_ostream &os) {
  if (auto place = finding.location->findInstanceOf<mlir::FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
       << ": ";
  os << getName(finding.kind) << ": " << finding.message << "\n";
}

} // namespace nereid::interpreter
