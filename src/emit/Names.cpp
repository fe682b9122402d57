// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Names.h"

#include "tile/TileOps.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

static constexpr llvm::StringLiteral reservedNames[] = {
    "False",   "None",     "True",     "and",      "as",        "assert",    "async",      "await",
    "break",   "class",    "continue", "def",      "del",       "elif",      "else",       "except",
    "finally", "for",      "from",     "global",   "if",        "import",    "in",         "is",
    "lambda",  "nonlocal", "not",      "or",       "pass",      "raise",     "return",     "try",
    "while",   "with",     "yield",    "bool",     "float",     "int",       "isinstance", "len",
    "list",    "max",      "min",      "range",    "reversed",  "sorted",    "tuple",      "type",
    "zip",     "torch",    "triton",   "tl",       "libdevice", "math",      "inspect",    "nn",
    "F",       "os",       "self",     "super",    "print",     "TypeError", "ValueError", "abs",
    "all",     "any",      "bin",      "bytes",    "chr",       "complex",   "dict",       "dir",
    "divmod",  "eval",     "exec",     "filter",   "format",    "frozenset", "hash",       "help",
    "hex",     "id",       "input",    "iter",     "map",       "next",      "object",     "oct",
    "open",    "ord",      "pow",      "property", "repr",      "round",     "set",        "slice",
    "str",     "sum",      "vars"};

std::string toIdentifier(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (!name.empty() && llvm::isDigit(name[0]))
    name.insert(name.begin(), '_');
  // Python's linters reject names that read as digits.
  if (name == "l" || name == "O" || name == "I")
    name += "_";
  return name;
}

llvm::StringRef getUserName(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    return name.getName();
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      if (llvm::StringRef name = getUserName(part); !name.empty())
        return name;
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return getUserName(call.getCallee());
  return {};
}

static void dropName(mlir::Operation *op) {
  auto named = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
  op->setLoc(named ? named.getChildLoc() : mlir::UnknownLoc::get(op->getContext()));
}

void stripPartNames(mlir::Operation *root) {
  llvm::SmallVector<mlir::Operation *> parts;
  root->walk([&](mlir::Operation *op) {
    if (op->getNumResults() == 0 || getUserName(op->getLoc()).empty())
      return;
    bool isPart = llvm::any_of(op->getUsers(), [&](mlir::Operation *user) {
      bool ends = user->hasTrait<mlir::OpTrait::IsTerminator>() &&
                  llvm::isa<tile::ReduceOp, tile::ScanOp>(user->getParentOp());
      return user->getLoc() == op->getLoc() || (ends && op->hasOneUse());
    });
    if (isPart)
      parts.push_back(op);
  });
  for (mlir::Operation *op : parts)
    dropName(op);
}

void nameConvertedLoads(mlir::Operation *root) {
  root->walk([](tile::LoadOp load) {
    if (!load->hasOneUse() || getUserName(load.getLoc()).empty())
      return;
    mlir::Operation *cast = *load->getUsers().begin();
    if (!llvm::isa<mlir::CastOpInterface>(cast) || cast->getBlock() != load->getBlock() ||
        !getUserName(cast->getLoc()).empty())
      return;
    cast->moveAfter(load);
    cast->setLoc(load.getLoc());
    dropName(load);
  });
}

Names::Names() {
  for (llvm::StringLiteral name : reservedNames)
    taken.insert(name);
}

std::string Names::take(llvm::StringRef wish) {
  std::string base = wish.empty() ? "value" : toIdentifier(wish);
  std::string name = base;
  for (unsigned i = 1; taken.contains(name) || users.contains(name); ++i)
    name = base + "_" + std::to_string(i);
  taken.insert(name);
  return name;
}

std::string Names::takeUserName(llvm::StringRef wish) {
  std::string base = toIdentifier(wish);
  if (taken.contains(base))
    return take(base);
  taken.insert(base);
  return base;
}

std::string Names::takeCounter(llvm::StringRef wish) {
  std::string base = toIdentifier(wish);
  return formerCounters.erase(base) ? base : takeUserName(wish);
}

void Names::keepCounter(llvm::StringRef name) {
  taken.insert(name);
  formerCounters.insert(name);
}

} // namespace nereid::emit
