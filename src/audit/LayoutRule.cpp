// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LayoutRule.h"

#include "analysis/Access.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::audit {

namespace {
/// What the address of one access is made of: arguments of the kernel and meta-parameters, by name.
class AddressParts {
public:
  AddressParts(mlir::func::FuncOp kernel, mlir::Value pointer) : kernel(kernel) { visit(pointer); }

  std::string base;
  llvm::StringSet<> numbers;

private:
  void visit(mlir::Value value);

  mlir::func::FuncOp kernel;
  llvm::DenseSet<mlir::Value> seen;
};

struct KernelAccess {
  mlir::Operation *op;
  std::string argument;
  llvm::StringSet<> numbers;
  /// It is of several elements.
  bool isTile;
};
} // namespace

void AddressParts::visit(mlir::Value value) {
  if (!seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<mlir::scf::ForOp>(parent);
    if (loop && argument != loop.getInductionVar()) {
      visit(loop.getTiedLoopInit(argument)->get());
      visit(loop.getTiedLoopYieldedValue(argument)->get());
    } else if (isa<mlir::func::FuncOp>(parent)) {
      std::string name = tile::getArgumentName(kernel, argument.getArgNumber());
      if (isa<tile::PtrType>(argument.getType()))
        base = name;
      else
        numbers.insert(name);
    }
    return;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (auto meta = dyn_cast<tile::MetaOp>(op))
    numbers.insert(meta.getName());
  // What is loaded is no part of the address that it came from.
  if (isa<tile::LoadOp>(op))
    return;
  for (mlir::Value operand : op->getOperands())
    visit(operand);
  if (isa<mlir::scf::ForOp, mlir::scf::IfOp>(op))
    for (mlir::Region &region : op->getRegions())
      if (!region.empty())
        visit(region.front().getTerminator()->getOperand(
            cast<mlir::OpResult>(value).getResultNumber()));
}

static std::vector<KernelAccess> findAccesses(ArrayRef<mlir::func::FuncOp> kernels) {
  std::vector<KernelAccess> accesses;
  for (mlir::func::FuncOp kernel : kernels)
    kernel.walk([&](mlir::Operation *op) {
      mlir::Value pointer = analysis::memoryOperandsOf(op).pointer;
      if (!pointer)
        return;
      AddressParts parts(kernel, pointer);
      accesses.push_back(
          {op, parts.base, std::move(parts.numbers), isa<mlir::ShapedType>(pointer.getType())});
    });
  return accesses;
}

/// Whether the tensor has several axes, or as many as it likes, and the launch goes over all of its
/// elements: what has one axis has holes only where somebody has cut it out of something.
static bool mayHaveHoles(const HostArgument &tensor, const HostLaunch &launch) {
  if (tensor.sizes.size() != 1)
    return !tensor.sizes.empty();
  index::Expr count = tensor.sizes[0];
  if (!count.isSymbol() || !count.getName().ends_with(".numel()"))
    return false;
  auto isCounted = [&](index::Expr expr) {
    return expr && is_contained(index::collectSymbols(expr), count);
  };
  return any_of(launch.grid, isCounted) ||
         any_of(launch.arguments, [&](const HostArgument &a) { return isCounted(a.number); });
}

/// Whether all of it goes, element by element, to a tensor that is made for it: the order of the
/// elements is the same on both sides.
static bool isElementwise(const HostLaunch &launch, const HostArgument &given) {
  return given.sizes.size() == 1 && any_of(launch.arguments, [&](const auto &other) {
           return other.kind == HostArgument::Tensor && other.isFresh && other.sizes == given.sizes;
         });
}

namespace {
/// One launch, and what the kernel does with the tensors that it is given.
class LaunchLayouts {
public:
  LaunchLayouts(const HostLaunch &launch, ArrayRef<KernelAccess> accesses, RuleSite &site)
      : launch(launch), accesses(accesses), site(site) {}

  void report();

private:
  const KernelAccess *accessOf(const HostArgument &tensor) const;
  const HostArgument *lenderOf(const HostArgument &tensor, const KernelAccess *&access) const;
  void reportDense(ArrayRef<const HostArgument *> tensors);
  void reportPart(const HostArgument &tensor);
  void reportUnused(const HostArgument &tensor);
  void add(std::string message, const KernelAccess *access, StringRef argument);

  const HostLaunch &launch;
  ArrayRef<KernelAccess> accesses;
  RuleSite &site;
};
} // namespace

/// The first access of several elements of the tensor.
const KernelAccess *LaunchLayouts::accessOf(const HostArgument &tensor) const {
  auto found = find_if(accesses, [&](const KernelAccess &access) {
    return access.isTile && access.argument == tensor.name;
  });
  return found == accesses.end() ? nullptr : found;
}

/// `x` of `x.stride(0)`.
static StringRef strideOwner(const HostArgument &argument) {
  if (!argument.number || !argument.number.isSymbol())
    return "";
  StringRef name = argument.number.getName();
  size_t at = name.find(".stride(");
  return at == StringRef::npos ? "" : name.take_front(at);
}

/// The tensor whose strides the kernel takes for those of this one, of which it is given none.
const HostArgument *LaunchLayouts::lenderOf(const HostArgument &tensor,
                                            const KernelAccess *&access) const {
  for (const KernelAccess &candidate : accesses) {
    if (candidate.argument != tensor.name)
      continue;
    for (const HostArgument &number : launch.arguments) {
      StringRef owner = strideOwner(number);
      if (owner.empty() || owner == tensor.owner || !candidate.numbers.contains(number.name))
        continue;
      for (const HostArgument &other : launch.arguments)
        if (other.kind == HostArgument::Tensor && other.owner == owner) {
          access = &candidate;
          return &other;
        }
    }
  }
  return nullptr;
}

void LaunchLayouts::add(std::string message, const KernelAccess *access, StringRef argument) {
  // One call of .contiguous() mends all launches of a wrapper.
  if (Finding *same = site.findSame("TRC011", message, launch.place)) {
    bool isNew = same->diagnostic.location.range.begin != launch.place.range.begin &&
                 none_of(same->diagnostic.notes, [&](const Diagnostic &note) {
                   return note.location.range.begin == launch.place.range.begin;
                 });
    if (isNew)
      same->diagnostic.addNote(launch.place, "and so by '" + site.kernel + "'");
    return;
  }
  Finding *finding = site.add("TRC011", Certainty::Likely, launch.place, std::move(message),
                              "call .contiguous(), or give the kernel the strides");
  if (finding && access)
    if (SourceLocation place = site.placeOf(access->op); place.file)
      finding->diagnostic.addNote(place, "'" + argument.str() + "' is used so here");
}

void LaunchLayouts::reportDense(ArrayRef<const HostArgument *> tensors) {
  std::vector<std::string> names;
  for (const HostArgument *tensor : tensors)
    if (!is_contained(names, tensor->owner))
      names.push_back(tensor->owner);
  std::string list;
  for (auto [place, name] : enumerate(names))
    list += (place == 0 ? "'" : place + 1 == names.size() ? "' and '" : "', '") + name;
  add(list + "' " + (names.size() == 1 ? "is" : "are") +
          " read as if contiguous: " + launch.wrapper + " neither passes strides nor asks for that",
      nullptr, "");
}

/// Some strides are passed and others are not.
void LaunchLayouts::reportPart(const HostArgument &tensor) {
  const KernelAccess *access = accessOf(tensor);
  auto assumed = find_if(
      tensor.assumed, [&](StringRef text) { return text.starts_with(tensor.owner + ".stride("); });
  if (access && assumed != tensor.assumed.end())
    add("'" + tensor.owner + "' is read as if " + *assumed + ": " + launch.wrapper +
            " passes other strides of it, and does not ask for that",
        access, tensor.name);
}

/// A stride that is passed, and that no access to the tensor has to do with.
void LaunchLayouts::reportUnused(const HostArgument &tensor) {
  const KernelAccess *access = accessOf(tensor);
  if (!access)
    return;
  for (index::Expr stride : tensor.strides) {
    auto has = [&](const HostArgument &given) {
      return given.number && is_contained(index::collectSymbols(given.number), stride);
    };
    if (!stride.isSymbol() || !stride.getName().starts_with(tensor.owner + ".stride(") ||
        none_of(launch.arguments, has))
      continue;
    bool isUsed = any_of(accesses, [&](const KernelAccess &candidate) {
      return candidate.argument == tensor.name &&
             any_of(launch.arguments, [&](const HostArgument &given) {
               return has(given) && candidate.numbers.contains(given.name);
             });
    });
    if (isUsed)
      continue;
    add("'" + stride.getName().str() + "' is passed, and the kernel does not use it: '" +
            tensor.owner + "' is read as if its strides were others",
        access, tensor.name);
    return;
  }
}

void LaunchLayouts::report() {
  SmallVector<const HostArgument *> dense;
  for (const HostArgument &tensor : launch.arguments) {
    if (tensor.kind != HostArgument::Tensor || tensor.isFresh || tensor.owner.empty())
      continue;
    if (!tensor.assumed.count(tensor.owner + " is contiguous")) {
      reportPart(tensor);
      reportUnused(tensor);
      continue;
    }
    const KernelAccess *access = nullptr;
    if (const HostArgument *lender = lenderOf(tensor, access))
      add("'" + tensor.owner + "' is read with the strides of '" + lender->owner +
              "': " + launch.wrapper + " neither passes its own nor compares them",
          access, tensor.name);
    else if (mayHaveHoles(tensor, launch))
      dense.push_back(&tensor);
  }
  if (!dense.empty() && !(dense.size() == 1 && isElementwise(launch, *dense.front())))
    reportDense(dense);
}

void findAssumedLayouts(ArrayRef<mlir::func::FuncOp> kernels, const KernelLaunches &launches,
                        RuleSite &site) {
  std::vector<KernelAccess> accesses = findAccesses(kernels);
  for (const FoundLaunch &found : launches.launches)
    if (found.isPublic && found.launch->problem.empty())
      LaunchLayouts(*found.launch, accesses, site).report();
}

} // namespace nereid::audit
