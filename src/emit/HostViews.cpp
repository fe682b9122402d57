// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of tensors as the methods that readers know.
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// `x.t()` or `x.permute(...)` where a view has the axes of its tensor in another order; else null.
Code HostPrinter::renderPermutation(host::ViewOp view, const Code &base) {
  host::TensorType to = view.getResult().getType(),
                   from = cast<host::TensorType>(view.getTensor().getType());
  llvm::ArrayRef<index::Expr> sizes = from.getSizes(), strides = from.getStrides();
  if (!view.getOffset().getExpr().isConstant(0) || sizes.size() != to.getSizes().size())
    return Code();
  llvm::SmallVector<unsigned> order;
  for (auto [size, stride] : llvm::zip_equal(to.getSizes(), to.getStrides())) {
    unsigned axis = 0;
    while (axis < sizes.size() &&
           (sizes[axis] != size || strides[axis] != stride || llvm::is_contained(order, axis)))
      ++axis;
    if (axis == sizes.size())
      return Code();
    order.push_back(axis);
  }
  // A number has no axes to reorder.
  if (order.empty())
    return base;
  if (order.size() == 2 && order[0] == 1)
    return Code::method(base, "t", {});
  llvm::SmallVector<Code> arguments;
  for (unsigned axis : order)
    arguments.push_back(Code::text(std::to_string(axis)));
  return Code::method(base, "permute", arguments);
}

/// The sizes of a view as a tensor's method takes them.
llvm::SmallVector<Code> HostPrinter::getSizeArguments(host::TensorType type) {
  llvm::SmallVector<Code> sizes;
  for (index::Expr size : type.getSizes())
    sizes.push_back(getExpr(size));
  return sizes;
}

/// `x[:, None].expand(M, N)` where a view repeats its tensor along new axes; else null.
Code HostPrinter::renderExpansion(host::ViewOp view, const Code &base) {
  host::TensorType to = view.getResult().getType(),
                   from = cast<host::TensorType>(view.getTensor().getType());
  if (!view.getOffset().getExpr().isConstant(0))
    return Code();
  // From the right: an axis of the tensor, or a new one.
  unsigned left = from.getRank(), added = 0;
  llvm::SmallVector<std::string> picks;
  for (unsigned axis = to.getRank(); axis-- > 0;) {
    bool isSame = left > 0 && to.getSizes()[axis] == from.getSizes()[left - 1] &&
                  to.getStrides()[axis] == from.getStrides()[left - 1];
    if (!isSame && !to.getStrides()[axis].isConstant(0))
      return Code();
    left -= isSame;
    picks.insert(picks.begin(), isSame ? ":" : "None");
  }
  if (left > 0)
    return Code();
  // New axes in front need no word.
  while (added < picks.size() && picks[added] == "None")
    ++added;
  Code source = base;
  if (llvm::is_contained(llvm::ArrayRef(picks).drop_front(added), "None"))
    source =
        Code::suffix(base, "[" + llvm::join(llvm::ArrayRef(picks).drop_front(added), ", ") + "]");
  return Code::method(source, "expand", getSizeArguments(to));
}

/// `x[:, 1::2]` where a view has every so many elements along axes whose starts are known; else
/// null.
Code HostPrinter::renderSteps(host::ViewOp view, const Code &base) {
  host::TensorType to = view.getResult().getType(),
                   from = cast<host::TensorType>(view.getTensor().getType());
  auto starts = view->getAttrOfType<ArrayAttr>(host::startsAttrName);
  if (!starts || to.getRank() != from.getRank())
    return Code();
  llvm::SmallVector<std::string> picks;
  for (unsigned axis = 0; axis < to.getRank(); ++axis) {
    index::Expr start = cast<sym::ExprAttr>(starts[axis]).getExpr(), size = to.getSizes()[axis],
                whole = from.getSizes()[axis],
                step = index::floordiv(to.getStrides()[axis], from.getStrides()[axis]);
    std::string first = start.isConstant(0) ? "" : getExpr(start).str();
    if (step.isConstant(1) && start.isConstant(0) && size == whole)
      picks.push_back(":");
    else if (step.isConstant(1))
      picks.push_back(first + ":" + getExpr(start + size).str());
    else if (step.isConstant() && step * from.getStrides()[axis] == to.getStrides()[axis] &&
             index::ceildiv(whole - start, step) == size)
      picks.push_back(first + "::" + step.str());
    else
      return Code();
  }
  while (picks.size() > 1 && picks.back() == ":")
    picks.pop_back();
  return Code::suffix(base, "[" + llvm::join(picks, ", ") + "]");
}

/// `x.narrow(1, K, N)` where a view is a part of its tensor along an axis, or along those whose
/// starts are known, or one element of the first; else null.
Code HostPrinter::renderPart(host::ViewOp view, const Code &base) {
  host::TensorType to = view.getResult().getType(),
                   from = cast<host::TensorType>(view.getTensor().getType());
  auto starts = view->getAttrOfType<ArrayAttr>(host::startsAttrName);
  // One element of the first axis.
  if (starts && to.getRank() + 1 == from.getRank())
    return Code::suffix(base, "[" + getExpr(cast<sym::ExprAttr>(starts[0]).getExpr()).str() + "]");
  if (to.getStrides() != from.getStrides())
    return Code();
  auto narrow = [&](const Code &whole, unsigned axis, index::Expr start) {
    return Code::method(
        whole, "narrow",
        {Code::text(std::to_string(axis)), getExpr(start), getExpr(to.getSizes()[axis])});
  };
  if (starts) {
    Code part = base;
    for (auto [axis, start] : llvm::enumerate(starts.getAsRange<sym::ExprAttr>()))
      if (to.getSizes()[axis] != from.getSizes()[axis])
        part = narrow(part, axis, start.getExpr());
    return part;
  }
  std::optional<unsigned> narrowed;
  for (unsigned axis = 0; axis < to.getRank(); ++axis)
    if (to.getSizes()[axis] != from.getSizes()[axis]) {
      if (narrowed)
        return Code();
      narrowed = axis;
    }
  if (!narrowed)
    return Code();
  index::Expr stride = from.getStrides()[*narrowed];
  auto start = index::asLinearIn(view.getOffset().getExpr(), stride);
  if (!stride.isSymbol() || !start || !start->rest.isConstant(0))
    return Code();
  return narrow(base, *narrowed, start->coefficient);
}

} // namespace nereid::emit
