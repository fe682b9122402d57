// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a reshape or contiguous() is a view, as PyTorch decides by strides, or a copy, which
// writes do not pass. The strides are those of a tensor that was row-major when it was made; sizes
// that are not known are told apart by their typical values. Where the decision is seen, the call
// is checked for both.
#include "frontend/torch/LoopReader.h"
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphPointwise.h"

using namespace llvm;

namespace nereid::torch {
namespace {

/// Sizes and strides of a view.
struct Layout {
  Sizes sizes, strides;
};

class Strides {
public:
  Strides(SizeSolver &solver, std::vector<Pred> &conditions)
      : solver(solver), conditions(conditions) {}

  Layout rowMajor(ArrayRef<Expr> sizes) const {
    Layout layout{Sizes(sizes), Sizes(sizes.size(), one())};
    for (size_t axis = sizes.size(); axis-- > 1;)
      layout.strides[axis - 1] = layout.strides[axis] * sizes[axis];
    return layout;
  }

  /// The layout of a view after one more step; nullopt where there is none.
  std::optional<Layout> after(const Layout &from, const ViewStep &step) {
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
    case ViewStep::Pick:
      to.sizes.erase(to.sizes.begin() + step.dim);
      to.strides.erase(to.strides.begin() + step.dim);
      return to;
    case ViewStep::Reshape:
      return reshaped(from, step.sizes);
    case ViewStep::Window:
      return std::nullopt;
    }
    llvm_unreachable("covered switch");
  }

  bool isRowMajor(const Layout &layout) {
    Expr stride = one();
    for (size_t axis = layout.sizes.size(); axis-- > 0; stride = stride * layout.sizes[axis])
      if (!continues(layout, axis, stride))
        return false;
    return true;
  }

private:
  SizeSolver &solver;
  std::vector<Pred> &conditions;

  Expr one() const { return solver.getContext().constant(1); }

  /// Whether they are equal, where their difference is known.
  std::optional<bool> known(Expr a, Expr b) const {
    std::optional<int64_t> distance = solver.resolve(a - b).getConstant();
    return distance ? std::optional(*distance == 0) : std::nullopt;
  }

  bool same(Expr a, Expr b, std::vector<Pred> &decided) const {
    if (std::optional<bool> equal = known(a, b))
      return *equal;
    std::optional<int64_t> x = solver.hint(a), y = solver.hint(b);
    bool equal = x && y && *x == *y;
    decided.push_back(equal ? index::eq(a, b) : index::ne(a, b));
    return equal;
  }
  bool same(Expr a, Expr b) { return same(a, b, conditions); }

  /// Whether an axis has this stride; that of a single element does not matter.
  bool continues(const Layout &layout, size_t axis, Expr stride) {
    return known(layout.strides[axis], stride) == true || same(layout.sizes[axis], one()) ||
           same(layout.strides[axis], stride);
  }

  /// Axes merge where the strides of each continue those of the next.
  std::optional<Layout> reshaped(const Layout &from, ArrayRef<Expr> sizes) {
    // Where sizes meet on the way decides for copies only: those could be views then.
    std::vector<Pred> onTheWay;
    Layout to{Sizes(sizes), Sizes(sizes.size(), one())};
    int64_t open = static_cast<int64_t>(sizes.size()) - 1;
    Expr stride = one(), run = one();
    for (size_t axis = from.sizes.size(); axis-- > 0;) {
      if (run.isConstant(1))
        stride = from.strides[axis];
      run = run * from.sizes[axis];
      if (axis > 0 && continues(from, axis - 1, run * stride))
        continue;
      Expr filled = one();
      for (; open >= 0 && (!same(filled, run, onTheWay) || sizes[open].isConstant(1)); --open) {
        to.strides[open] = filled * stride;
        filled = filled * sizes[open];
      }
      if (!same(filled, run)) {
        append_range(conditions, onTheWay);
        return std::nullopt;
      }
      run = one();
    }
    return open < 0 ? std::optional(to) : std::nullopt;
  }
};

} // namespace

/// `sizes`: of the reshape; nothing for contiguous().
static SharingDecision decideSharing(TorchLibrary &t, const TensorValue *tensor,
                                     std::optional<ArrayRef<Expr>> sizes) {
  SharingDecision decision;
  Strides strides(t.solver, decision.conditions);
  std::optional<Layout> layout = strides.rowMajor(t.writer.sizes(tensor->storage->value));
  for (const ViewStep &step : tensor->steps)
    if (!(layout = strides.after(*layout, step)))
      return decision;
  ViewStep last(ViewStep::Reshape);
  if (sizes)
    last.sizes = Sizes(*sizes);
  decision.isShared =
      sizes ? strides.after(*layout, last).has_value() : strides.isRowMajor(*layout);
  return decision;
}

void warnOfCopiedView(TorchLibrary &t, const TensorValue *tensor, ArrayRef<Expr> sizes) {
  auto isWindow = [](const ViewStep &step) { return step.kind == ViewStep::Window; };
  SourceLocation at = t.machine->location();
  if (tensor->steps.empty() || any_of(tensor->steps, isWindow) || !at.file ||
      at.file->getName().starts_with("<"))
    return;
  if (!decideSharing(t, tensor, sizes).isShared)
    t.diagnostics.warning(at,
                          "PyTorch raises here for tensors that are contiguous: the axes of this "
                          "view do not follow each other in memory",
                          "write .reshape(), which copies as the emitted program does");
}

TensorValue *TorchLibrary::shareOrCopy(TensorValue *tensor, std::optional<ArrayRef<Expr>> sizes) {
  SharingDecision decision = decideSharing(*this, tensor, sizes);
  StringRef operation = sizes ? "reshape()" : "contiguous()";
  if (!decision.isShared) {
    TensorValue *copy =
        wrap(sizes ? writer.reshape(read(tensor), *sizes) : writer.contiguous(read(tensor)));
    sharing.add(std::move(decision), operation, tensor, copy->storage);
    return copy;
  }
  ViewStep step(ViewStep::Reshape);
  step.sizes = sizes ? Sizes(*sizes) : sizesOf(tensor);
  step.doubt = sharing.add(std::move(decision), operation, tensor, nullptr);
  return view(tensor, step);
}

/// Finds the arguments that must be row-major for a value to be, as PyTorch lays out results like
/// their operands; false where axes change places on the way.
static bool isRowMajorFor(mlir::Value value,
                          const DenseMap<mlir::BlockArgument, mlir::Value> &operandValues,
                          SmallSetVector<mlir::BlockArgument, 4> &arguments) {
  SetVector<mlir::Value> reached;
  auto reach = [&](mlir::OperandRange operands) {
    reached.insert(operands.begin(), operands.end());
  };
  reached.insert(value);
  for (size_t place = 0; place < reached.size(); ++place) {
    if (auto argument = dyn_cast<mlir::BlockArgument>(reached[place])) {
      auto type = dyn_cast<graph::TensorType>(argument.getType());
      mlir::Operation *parent = argument.getOwner()->getParentOp();
      if (mlir::Value operand = operandValues.lookup(argument))
        reached.insert(operand);
      else if (!parent)
        return false; // of the body of a loop, while it is read
      else if (!isa<mlir::func::FuncOp>(parent))
        reach(parent->getOperands());
      else if (type && type.getSizes().size() > 1)
        arguments.insert(argument);
      continue;
    }
    mlir::Operation *op = reached[place].getDefiningOp();
    // The result of a reshape that copied, like that of contiguous(), is row-major.
    if (isa<graph::ContiguousOp>(op) || (place == 0 && isa<graph::ReshapeOp>(op)))
      continue;
    // What is left to PyTorch has the strides that it gives it.
    bool permutes = isa<graph::CallOp>(op);
    op->walk([&](graph::TransposeOp) { permutes = true; });
    if (permutes)
      return false;
    reach(op->getOperands());
  }
  return true;
}

/// Whether all that an operator is made of is computed element by element.
static bool isElementwise(mlir::Operation *op) {
  auto isOne = [](mlir::Operation *each) {
    return graph::isPointwise(each) || isa<graph::DetachOp, graph::BroadcastOp>(each);
  };
  auto composite = dyn_cast<graph::CompositeOp>(op);
  return composite ? all_of(composite.getBody().front().without_terminator(),
                            [&](mlir::Operation &each) {
                              return isElementwise(&each) || isa<graph::ConstantOp>(each);
                            })
                   : isOne(op);
}

/// What is computed element by element lies as its operands do; the results of other operators are
/// row-major.
ProgramCase::Layout TorchLibrary::layoutOf(const Storage &storage) {
  ProgramCase::Layout layout{{}, true, index::truth(solver.getContext(), true), {{}}};
  SetVector<mlir::Value> reached;
  reached.insert(storage.first);
  for (size_t place = 0; place < reached.size(); ++place) {
    mlir::Value value = reached[place];
    if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
      auto type = dyn_cast<graph::TensorType>(argument.getType());
      mlir::Operation *parent = argument.getOwner()->getParentOp();
      if (mlir::Value operand = operandValues.lookup(argument))
        reached.insert(operand);
      else if (type && type.getSizes().size() > 1 && isa_and_nonnull<mlir::func::FuncOp>(parent))
        layout.arguments->push_back(argument);
      continue;
    }
    mlir::Operation *op = value.getDefiningOp();
    bool isView = isa<graph::ReshapeOp, graph::SliceOp, graph::BroadcastOp>(op);
    if (isa<graph::TransposeOp>(op)) {
      layout.arguments = std::nullopt;
      return layout;
    }
    if ((place == 0 && isa<graph::ReshapeOp>(op)) || (!isView && !isElementwise(op)))
      continue;
    reached.insert(op->operand_begin(), op->operand_end());
  }
  return layout;
}

bool TorchLibrary::requireLayout(const ProgramCase::Layout &layout, StringRef operation) {
  std::string message = (Twine("what ") + operation + " says differs at these sizes").str();
  if (!layout.arguments || !solver.require(layout.condition, message)) {
    machine->refuse("what " + operation + " says is known only when it runs",
                    "call contiguous(), which copies only what is not");
    return false;
  }
  for (mlir::BlockArgument argument : *layout.arguments)
    rowMajorArguments.insert({argument, operation});
  return true;
}

PyValue TorchLibrary::isContiguous(TensorValue *tensor, bool channelsLast) {
  ProgramCase::Layout layout = layoutOf(*tensor->storage);
  std::vector<Pred> conditions;
  Strides strides(solver, conditions);
  std::optional<Layout> lies = strides.rowMajor(writer.sizes(tensor->storage->value));
  for (const ViewStep &step : tensor->steps)
    lies = lies ? strides.after(*lies, step) : lies;
  if (lies && channelsLast) {
    auto toLast = [](Sizes &each) { std::rotate(each.begin() + 1, each.begin() + 2, each.end()); };
    toLast(lies->sizes);
    toLast(lies->strides);
  }
  layout.isExpected = lies && strides.isRowMajor(*lies);
  layout.condition = solver.resolve(index::allOf(solver.getContext(), conditions));
  if (layout.arguments && layout.arguments->empty() && layout.condition.isTrue())
    return machine->makeBool(layout.isExpected);
  for (const AskedLayout &asked : askedLayouts)
    if (asked.first == tensor->storage->first && asked.channelsLast == channelsLast &&
        asked.steps.size() == tensor->steps.size() &&
        all_of(zip(asked.steps, tensor->steps),
               [&](auto pair) { return areSame(solver, std::get<0>(pair), std::get<1>(pair)); }))
      layout.flag = asked.flag;
  static constexpr size_t mostAsked = 3;
  if (!layout.flag && (loopReader || isTrying || askedLayouts.size() >= mostAsked))
    return requireLayout(layout, "is_contiguous()") ? machine->makeBool(layout.isExpected)
                                                    : nullptr;
  if (!layout.flag) {
    layout.flag = solver.flag("contiguous_" + std::to_string(askedLayouts.size()));
    askedLayouts.push_back({tensor->storage->first, tensor->steps, channelsLast, layout.flag});
    programCase.layouts.push_back(layout);
  }
  std::optional<bool> answer = decide(index::ne(layout.flag, 0), userLocation());
  return answer ? machine->makeBool(*answer) : nullptr;
}

bool TorchLibrary::settle(const Sharing::Doubts &doubts) {
  for (unsigned number : doubts) {
    Sharing::Doubt &doubt = sharing[number];
    if (std::exchange(doubt.isSettled, true))
      continue;
    bool isShared = doubt.decision.isShared;
    std::string message =
        (Twine("PyTorch's ") + doubt.operation + (isShared ? " copies" : " shares memory") +
         " at these sizes, and a write tells the difference")
            .str();
    SmallSetVector<mlir::BlockArgument, 4> arguments;
    Pred condition = index::allOf(solver.getContext(), doubt.decision.conditions);
    if (!isRowMajorFor(doubt.base->first, operandValues, arguments) ||
        !solver.require(condition, message)) {
      machine->refuse("whether " + doubt.operation +
                          " copies is not known, and a write tells the difference",
                      "write .clone() for a copy, or .view() to share memory");
      return false;
    }
    for (mlir::BlockArgument argument : arguments)
      rowMajorArguments[argument] = doubt.operation;
  }
  return true;
}

} // namespace nereid::torch
