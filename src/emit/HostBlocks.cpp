// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The statements of a block of a host program, and how long what they make is held.
#include "emit/HostPrinter.h"

#include "emit/KernelTraits.h"
#include "emit/Spelling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::emit {

/// The variable of a tensor that a contiguous copy may take over: nothing asks for the tensor or
/// its strides any more.
std::string HostPrinter::getReplaced(Value value) {
  auto copy = value.getDefiningOp<host::ContiguousOp>();
  if (!copy || copy->getBlock() != &program.getBody().front())
    return "";
  for (Operation *user : copy.getTensor().getUsers())
    if (user != copy && (user->getBlock() != copy->getBlock() || copy->isBeforeInBlock(user)))
      return "";
  bool asksStride = false;
  for (index::Expr stride : copy.getTensor().getType().getStrides())
    program.walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](Attribute part) {
          if (auto expr = dyn_cast<sym::ExprAttr>(part))
            asksStride |= !stride.isConstant() && index::contains(expr.getExpr(), stride);
        });
    });
  std::string name = get(copy.getTensor()).str();
  if (size_t dot = name.rfind('.'); dot != std::string::npos)
    return names.takeUserName(name.substr(dot + 1));
  return asksStride ? "" : name;
}

void HostPrinter::assign(Value value, Code code) {
  std::string name = wishes.lookup(value);
  if (name.empty())
    name = getReplaced(value);
  if (name.empty()) {
    llvm::StringRef user = getUserName(value.getLoc());
    bool isTensor = isa<host::TensorType>(value.getType());
    name = user.empty() ? names.take(isTensor ? "out" : "value") : names.takeUserName(user);
  }
  if (!savesIfAsked() || !needs->mayBeAbsent(value)) {
    writer.statement(name + " = ", code);
  } else if (writer.fits(name + " = ", code, " if saves else None")) {
    writer.line(name + " = " + code.str() + " if saves else None");
  } else {
    writer.line(name + " = None");
    writer.line("if saves:");
    writer.indent();
    writer.statement(name + " = ", code);
    writer.dedent();
  }
  values[value] = Code::text(name);
  auto type = dyn_cast<host::TensorType>(value.getType());
  auto empty = value.getDefiningOp<host::EmptyOp>();
  if (type && empty && !empty.getLike().empty())
    for (auto [dim, stride] : llvm::enumerate(type.getStrides()))
      symbols[stride.getName()] = strideOf(name, value, dim);
}

bool isRepeatedCopy(host::ContiguousOp copy) {
  Value tensor = copy.getTensor();
  while (auto same = tensor.getDefiningOp<host::AsContiguousOp>())
    tensor = same.getTensor();
  return bool(tensor.getDefiningOp<host::ContiguousOp>());
}

/// Scalars and views used once and names for the same tensor have no statement.
bool HostPrinter::isInline(Operation *op) {
  if (auto copy = dyn_cast<host::ContiguousOp>(op); copy && isRepeatedCopy(copy))
    return true;
  if (isa<host::AsContiguousOp, host::SizeOp, host::CondOp, arith::ConstantOp>(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  bool isTensor = isa<host::TensorType>(op->getResult(0).getType());
  if (isTensor && !isa<host::ViewOp>(op))
    return false;
  return op->getResult(0).hasOneUse() && getUserName(op->getLoc()).empty();
}

void HostPrinter::printOp(Operation *op) {
  if (auto check = dyn_cast<host::CheckOp>(op)) {
    // Whoever applies a function has made its checks.
    if (isFunction())
      return;
    Code condition = getPred(check.getPred().getPred());
    Code message = Code::text(quote(check.getMessage()));
    Code call = Code::call("_require", {condition, message});
    if (writer.fits("", call) || condition.getBinding() > Binding::And) {
      parts.usesRequire = true;
      return writer.statement("", call);
    }
    printCondition(getPred(index::notOf(check.getPred().getPred())));
    writer.indent();
    writer.statement("raise ", Code::call("ValueError", {message}));
    return writer.dedent();
  }
  if (auto choice = dyn_cast<host::IfOp>(op))
    return printIf(choice);
  if (auto loop = dyn_cast<host::WhileOp>(op))
    return printWhile(loop);
  if (auto loop = dyn_cast<host::ForOp>(op))
    return printFor(loop);
  if (auto call = dyn_cast<host::CallOp>(op))
    return printCall(call);
  if (auto apply = dyn_cast<host::ApplyOp>(op))
    return printApply(apply);
  if (isa<func::ReturnOp>(op)) {
    noteWrites();
    return printReturn(op);
  }
  if (auto dispatch = dyn_cast<host::DispatchOp>(op))
    return printDispatch(dispatch);
  if (op->getNumResults() != 1)
    return refuse(op, "has no spelling in Python");
  if (op->use_empty())
    return;
  assign(op->getResult(0), render(op));
}

bool HostPrinter::hasSameGuard(host::LaunchOp a, host::LaunchOp b) {
  Code first = getGuard(a), second = getGuard(b);
  return bool(first) == bool(second) && (!first || first.str() == second.str());
}

/// Whether memory is taken for what an operation makes.
static bool allocates(Operation &op) {
  return op
      .walk([](Operation *part) {
        return isa<host::EmptyOp, host::CopyLikeOp, host::FullOp, host::CallOp, host::ApplyOp>(part)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing from `next` on names a tensor. Views are written where they are used.
bool HostPrinter::isDone(Value tensor, Operation *next) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (isInline(user))
      return isDone(user->getResult(0), next);
    Operation *reader = next->getBlock()->findAncestorOpInBlock(*user);
    // A copy may take over the name.
    return reader && reader->isBeforeInBlock(next) && !isa<host::ContiguousOp>(user);
  });
}

/// Before more memory is taken, that of tensors which nothing looks at any more is given back: the
/// caching allocator reuses it.
void HostPrinter::printRelease(llvm::SmallVectorImpl<Value> &held, Operation *next) {
  llvm::SmallVector<std::string> released;
  llvm::erase_if(held, [&](Value tensor) {
    if (!isDone(tensor, next))
      return false;
    released.push_back(values.at(tensor).str());
    return true;
  });
  if (!released.empty())
    writer.deletion(released);
}

void HostPrinter::printBlock(Block &block) {
  llvm::SmallVector<host::LaunchOp> launches;
  llvm::SmallVector<host::AssignOp> assigns;
  llvm::SmallVector<Value> held;
  if (&block == &program.getBody().front())
    makeRowMajor(block);
  auto flush = [&] {
    if (!launches.empty())
      printGuarded(launches);
    launches.clear();
  };
  for (Operation &op : block) {
    bool isKnown = op.getNumResults() == 1 && values.contains(op.getResult(0));
    if (isInline(&op) || isa<host::YieldOp>(op) || isKnown)
      continue;
    auto launch = dyn_cast<host::LaunchOp>(op);
    if (!launch || (!launches.empty() && !hasSameGuard(launch, launches.back())))
      flush();
    if (auto assign = dyn_cast<host::AssignOp>(op); assign && !failed) {
      if (!getReturnedState(program, parts).empty())
        continue;
      assigns.push_back(assign);
      if (isa_and_present<host::AssignOp>(op.getNextNode()))
        continue;
      printAssignments(assigns);
      assigns.clear();
      continue;
    }
    if (launch) {
      launches.push_back(launch);
      continue;
    }
    if (failed)
      continue;
    bool takesMemory = allocates(op);
    if (takesMemory)
      printRelease(held, &op);
    printOp(&op);
    if (takesMemory)
      for (Value result : op.getResults())
        if (isa<host::TensorType>(result.getType()) && !result.use_empty())
          held.push_back(result);
  }
  flush();
}

/// Of a group whose tensors the program takes row-major, all are copied in one statement where they
/// are not.
void HostPrinter::makeRowMajor(Block &block) {
  for (const ArgumentGroup &group : groups) {
    llvm::SmallVector<host::ContiguousOp> copies;
    for (auto copy : block.getOps<host::ContiguousOp>())
      if (auto argument = dyn_cast<BlockArgument>(copy.getTensor()))
        if (llvm::is_contained(group.places, argument.getArgNumber()))
          copies.push_back(copy);
    if (copies.size() < 2)
      continue;
    std::string name =
        names.take(group.type == "_Parameters" ? "dense" : "dense_" + group.variable);
    writer.statement(name + " = ", Code::call(group.type, {Code::text("*(x.contiguous() for x in " +
                                                                      group.variable + ")")}));
    for (host::ContiguousOp copy : copies) {
      unsigned place = cast<BlockArgument>(copy.getTensor()).getArgNumber();
      std::string field = getField(program, place, parts).substr(group.variable.size());
      values[copy.getResult()] = Code::text(name + field);
    }
  }
}

/// Many copies are one launch.
void HostPrinter::printAssignments(llvm::ArrayRef<host::AssignOp> assigns) {
  llvm::SmallVector<Code> targets, sources;
  llvm::SmallPtrSet<Value, 8> seen;
  for (host::AssignOp assign : assigns) {
    targets.push_back(get(assign.getTarget()));
    sources.push_back(get(assign.getValue()));
    seen.insert(assign.getTarget());
  }
  bool areDistinct =
      seen.size() == assigns.size() && llvm::all_of(assigns, [&](host::AssignOp assign) {
        return isa<BlockArgument>(assign.getTarget()) && isNewTensor(assign.getValue());
      });
  if (areDistinct && assigns.size() >= leastGrouped)
    return writer.statement(
        "", Code::call("torch._foreach_copy_", {Code::list(targets), Code::list(sources)}));
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    writer.statement("", Code::method(target, "copy_", {source}));
}

} // namespace nereid::emit
