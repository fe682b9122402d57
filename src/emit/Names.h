// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of one Python scope: unique, valid, never a keyword, a builtin that emitted code uses or a
// name of the module. The same requests in the same order give the same names.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace nereid::emit {

/// The text as a Python identifier: other characters become underscores. Empty stays empty.
std::string toIdentifier(llvm::StringRef text);

/// The user's name in a location, or empty.
llvm::StringRef getUserName(mlir::Location location);

/// A statement's name belongs to its last operation: takes it from those that were made for the
/// same statement and only lead to that, and from what a combiner returns at once. (Locations are
/// hints.)
void stripPartNames(mlir::Operation *root);

/// What is only read to be converted is named after its conversion: `x = tl.load(...).to(...)`.
void nameConvertedLoads(mlir::Operation *root);

class Names {
public:
  Names();

  /// Takes `wish` or, when it is taken, `wish_1`, `wish_2`, ...
  std::string take(llvm::StringRef wish);
  bool isTaken(llvm::StringRef name) const { return taken.contains(name); }
  void reserve(llvm::StringRef name) { taken.insert(name); }
  /// Names that only `takeUserName` may give.
  void keepForUser(llvm::StringRef name) { users.insert(name); }
  std::string takeUserName(llvm::StringRef wish);
  /// A user's name for the counter of a loop; that of an earlier loop may count again.
  std::string takeCounter(llvm::StringRef wish);
  /// After its loop. Triton keeps the variable: a value of another type under its name would be
  /// taken for an update of the counter in the next loop.
  void keepCounter(llvm::StringRef name);

private:
  llvm::StringSet<> taken;
  llvm::StringSet<> users;
  llvm::StringSet<> formerCounters;
};

} // namespace nereid::emit
