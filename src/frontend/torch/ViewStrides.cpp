// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a reshape is a view, as PyTorch decides by strides, or a copy, which writes do not pass.
// The strides are those of a tensor that was row-major when it was made.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;

namespace nereid::torch {
namespace {

/// Sizes and strides of a view.
struct Layout {
  Sizes sizes, strides;
};

class Strides {
public:
  explicit Strides(SizeSolver &solver) : solver(solver) {}

  Layout rowMajor(ArrayRef<Expr> sizes) const {
    Layout layout{Sizes(sizes), Sizes(sizes.size(), one())};
    for (size_t axis = sizes.size(); axis-- > 1;)
      layout.strides[axis - 1] = layout.strides[axis] * sizes[axis];
    return layout;
  }

  /// The layout of a view after one more step; nullopt where there is none.
  std::optional<Layout> after(const Layout &from, const ViewStep &step) const {
    Layout to = from;
    switch (step.kind) {
    case ViewStep::Detach:
      return to;
    case ViewStep::Transpose:
      for (auto [axis, source] : enumerate(step.axes)) {
        to.sizes[axis] = from.sizes[source];
        to.strides[axis] = from.strides[source];
      }
      return to;
    case ViewStep::Slice:
      to.sizes[step.dim] = step.size;
      to.strides[step.dim] = from.strides[step.dim] * step.step;
      return to;
    case ViewStep::Broadcast:
      to = {step.sizes, Sizes(step.sizes.size(), one() - 1)};
      for (auto [axis, place] : enumerate(step.axes))
        if (same(from.sizes[axis], step.sizes[place]))
          to.strides[place] = from.strides[axis];
      return to;
    case ViewStep::Diagonal:
      to.sizes.pop_back();
      to.strides.pop_back();
      to.sizes.back() = step.size;
      to.strides.back() = from.strides.back() + from.strides[from.strides.size() - 2];
      return to;
    case ViewStep::Reshape:
      return reshaped(from, step.sizes);
    case ViewStep::Window:
      return std::nullopt;
    }
    llvm_unreachable("covered switch");
  }

private:
  SizeSolver &solver;

  Expr one() const { return solver.getContext().constant(1); }

  /// Sizes that are not known are told apart by their typical values.
  bool same(Expr a, Expr b) const {
    if (std::optional<int64_t> distance = solver.resolve(a - b).getConstant())
      return *distance == 0;
    std::optional<int64_t> x = solver.hint(a), y = solver.hint(b);
    return x && y && *x == *y;
  }

  /// Axes merge where the strides of each continue those of the next.
  std::optional<Layout> reshaped(const Layout &from, ArrayRef<Expr> sizes) const {
    Layout to{Sizes(sizes), Sizes(sizes.size(), one())};
    int64_t open = static_cast<int64_t>(sizes.size()) - 1;
    Expr stride = one(), run = one();
    for (size_t axis = from.sizes.size(); axis-- > 0;) {
      if (run.isConstant(1))
        stride = from.strides[axis];
      run = run * from.sizes[axis];
      bool goesOn = axis > 0 && (from.sizes[axis - 1].isConstant(1) ||
                                 same(from.strides[axis - 1], run * stride));
      if (goesOn)
        continue;
      Expr filled = one();
      for (; open >= 0 && (!same(filled, run) || sizes[open].isConstant(1)); --open) {
        to.strides[open] = filled * stride;
        filled = filled * sizes[open];
      }
      if (!same(filled, run))
        return std::nullopt;
      run = one();
    }
    return open < 0 ? std::optional(to) : std::nullopt;
  }
};

} // namespace

bool TorchLibrary::isView(const TensorValue *tensor, ArrayRef<Expr> sizes) {
  Strides strides(solver);
  std::optional<Layout> layout = strides.rowMajor(writer.sizes(tensor->storage->value));
  for (const ViewStep &step : tensor->steps)
    if (!(layout = strides.after(*layout, step)))
      return false;
  ViewStep last(ViewStep::Reshape);
  last.sizes = Sizes(sizes);
  return strides.after(*layout, last).has_value();
}

} // namespace nereid::torch
