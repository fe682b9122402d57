// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed of `x[mask]`, whose size depends on the data: operators that make rows of rows
// go over all elements and stay selected, folds and losses count those that the mask holds.
#include "frontend/torch/KnownPlaces.h"
#include "frontend/torch/SelectedRows.h"
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphEvaluator.h"
#include "python/machine/Frame.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

MaskedValue *firstMasked(PyValue value) {
  if (auto *masked = dyn_cast_if_present<MaskedValue>(value))
    return masked;
  ArrayRef<PyValue> items;
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    items = tuple->items;
  if (auto *list = dyn_cast_if_present<ListObject>(value))
    items = list->items;
  for (PyValue item : items)
    if (MaskedValue *masked = firstMasked(item))
      return masked;
  return nullptr;
}

MaskedValue *firstMasked(const CallArgs &args) {
  for (PyValue arg : args.positional)
    if (MaskedValue *masked = firstMasked(arg))
      return masked;
  for (const auto &[name, value] : args.keywords)
    if (MaskedValue *masked = firstMasked(value))
      return masked;
  return nullptr;
}

} // namespace

PyValue TorchLibrary::refuseMasked() {
  return machine->refuse("indexing with a mask has a size that depends on the data",
                         "use torch.where(mask, a, b)");
}

PyValue TorchLibrary::reportMasked() {
  return reportAndPoison("indexing with a mask has a size that depends on the data",
                         "use torch.where(mask, a, b)");
}

PyValue TorchLibrary::unmasked(TensorValue *tensor, TensorValue *mask, PyValue value) {
  auto *masked = dyn_cast<MaskedValue>(value);
  if (!masked)
    return value;
  if (!mask || mask->dtype != DType::Bool || masked->isBehindOne || masked->known ||
      !equalValues(masked->mask, read(mask)))
    return refuseMasked();
  return masked->tensor;
}

static bool isSettled(const CallArgs &args) {
  auto isKnown = [](PyValue value) {
    auto *masked = dyn_cast_if_present<MaskedValue>(value);
    return masked && masked->known;
  };
  return any_of(args.positional, isKnown) ||
         any_of(args.keywords, [&](const auto &entry) { return isKnown(entry.second); });
}

bool TorchLibrary::isMasked(const CallArgs &args) { return firstMasked(args) != nullptr; }

/// Whether a definition is a loss: it says how the losses of the elements become one.
static bool isLoss(const FunctionObject *definition) {
  return definition && any_of(definition->code->args->args,
                              [](const python::Arg *arg) { return arg->arg == "reduction"; });
}

int64_t TorchLibrary::rowRank(MaskedValue *masked) {
  return rankOf(cast<TensorValue>(masked->tensor)) -
         static_cast<int64_t>(writer.sizes(masked->mask).size());
}

mlir::Value TorchLibrary::heldApart(mlir::Value value, mlir::Value mask) {
  Sizes sizes = writer.sizes(value);
  DType dtype = writer.dtype(value);
  mlir::Value half =
      writer.broadcastTo(writer.cast(writer.number(computeType(dtype), 0.5), dtype), sizes);
  SmallVector<int64_t> dims = to_vector(seq<int64_t>(0, writer.sizes(mask).size()));
  return writer.where(writer.broadcast(mask, dims, sizes), value, half);
}

bool TorchLibrary::keepApart(ArrayRef<PyValue> arguments) {
  bool meetsGradient = gradients && any_of(arguments, [&](PyValue value) {
                         auto *tensor = dyn_cast_if_present<TensorValue>(value);
                         return tensor && !tensor->isNumber && requiresGradient(tensor);
                       });
  return !meetsGradient || all_of(arguments, [&](PyValue value) {
    auto *masked = dyn_cast_if_present<MaskedValue>(value);
    auto *tensor = masked ? cast<TensorValue>(masked->tensor) : nullptr;
    return !tensor || !isFloat(tensor->dtype) ||
           storeInPlace(tensor, wrap(heldApart(read(tensor), masked->mask)));
  });
}

PyValue TorchLibrary::wholeArgument(PyValue value, MaskedValue *first, int64_t rowAxes,
                                    SelectedRows &rows) {
  if (auto *list = dyn_cast_if_present<ListObject>(value); list && firstMasked(value)) {
    SmallVector<PyValue> items;
    for (PyValue item : list->items)
      items.push_back(wholeArgument(item, first, rowAxes, rows));
    return is_contained(items, nullptr) ? nullptr : machine->makeList(items);
  }
  if (auto *masked = dyn_cast_if_present<MaskedValue>(value)) {
    if (masked->isBehindOne || masked->known || !equalValues(masked->mask, first->mask))
      return nullptr;
    // Other views of the same storage may be read too.
    auto *all = cast<TensorValue>(masked->tensor);
    rows.addSelected(all->storage->value);
    rows.addSelected(read(all));
    return all;
  }
  auto *tensor = dyn_cast_if_present<TensorValue>(value);
  if (!tensor)
    return firstMasked(value) ? nullptr : value;
  if (!tensor->isNumber && rankOf(tensor) > rowAxes)
    return nullptr;
  rows.addOther(read(tensor));
  return tensor;
}

PyValue TorchLibrary::selectedLoss(FunctionObject *loss, PyValue mask, const CallArgs &args) {
  SmallVector<std::pair<machine::Name, PyValue>> named(args.keywords);
  for (auto [parameter, value] : zip(loss->code->args->args, args.positional))
    named.push_back({machine->intern(parameter->arg), value});
  PyValue function = lookup("prims", "selected_loss");
  SmallVector<PyValue> given{mask, loss, machine->makeStr(loss->name->text)};
  return function ? machine->call(function, CallArgs{given, named}) : nullptr;
}

PyValue TorchLibrary::maskedResult(PyValue result, StringRef name, const CallArgs &args,
                                   SelectedRows &rows,
                                   function_ref<PyValue(const CallArgs &)> call) {
  auto *tensor = dyn_cast_if_present<TensorValue>(result);
  if (!tensor)
    return result;
  // An operator in place has changed the elements themselves.
  for (PyValue arg : args.positional)
    if (auto *masked = dyn_cast<MaskedValue>(arg); masked && masked->tensor == result)
      return rows.areRows(read(tensor)) ? PyValue(masked) : reportMasked();
  MaskedValue *first = firstMasked(args);
  bool isAlike =
      name.ends_with("_like") && sizesOf(tensor) == sizesOf(cast<TensorValue>(first->tensor));
  // Places whose axes of one element come or go are made anew.
  static constexpr StringLiteral views[] = {"squeeze", "unsqueeze", "getitem", "select"};
  Sizes held = writer.sizes(first->mask), own = sizesOf(tensor);
  bool arePlaces = is_contained(views, name) && held.size() == 1 && !own.empty() &&
                   solver.resolve(own[0]) == solver.resolve(held[0]) &&
                   findAxisOfPlaces(read(tensor), solver.getContext()) == 0;
  return isAlike || arePlaces || rows.areRows(read(tensor))
             ? machine->make<MaskedValue>(*this, tensorClass, result, first->mask)
             : settledCall(args, call);
}

/// Whether a call means the same axes of all elements as of those that are selected, which have
/// fewer: it counts none, or from the last.
static bool countsFromLast(StringRef name, const CallArgs &args) {
  static constexpr StringLiteral ofLast[] = {"arithmetic", "matmul", "linear", "layer_norm",
                                             "rms_norm"};
  static constexpr StringLiteral named[] = {"gather", "unsqueeze", "cumsum", "flip"};
  PyValue dim = args.positional.size() > 1 ? args.positional[1] : args.keyword("dim");
  auto *number = dyn_cast_if_present<IntObject>(dim);
  return is_contained(ofLast, name) || (is_contained(named, name) && number && number->small < 0);
}

PyValue TorchLibrary::maskedCall(StringRef name, FunctionObject *definition, const CallArgs &args,
                                 function_ref<PyValue(const CallArgs &)> call) {
  // Once settled, elements are a tensor for all that reads or writes them.
  if (isSettled(args))
    return settledCall(args, call);
  // The one with the fewest axes, which others may have in each of its rows.
  MaskedValue *first = firstMasked(args);
  int64_t mostAxes = rowRank(first);
  // The other elements may be anything.
  SaveAndRestore<bool> unchecked(checksIndices, false);
  for (PyValue arg : args.positional)
    if (auto *masked = dyn_cast<MaskedValue>(arg)) {
      first = rowRank(masked) < rowRank(first) ? masked : first;
      mostAxes = std::max(mostAxes, rowRank(masked));
    }
  // Weights of classes go with the rows of scores, which the labels do not have.
  int64_t rowAxes = isLoss(definition) ? mostAxes : rowRank(first);
  // A product's right factor has axes of its own; whether rows stay rows is asked of the result.
  // What selected rows are added to has others.
  if (name == "matmul" || name == "linear" || name == "index_add")
    rowAxes = std::numeric_limits<int64_t>::max();
  SmallVector<PyValue> all(args.positional);
  append_range(all, make_second_range(args.keywords));
  if (!keepApart(all))
    return nullptr;
  SelectedRows rows(writer.sizes(first->mask).size(), countsFromLast(name, args), solver);
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  for (PyValue arg : args.positional)
    positional.push_back(wholeArgument(arg, first, rowAxes, rows));
  for (const auto &[keyword, value] : args.keywords)
    keywords.push_back({keyword, wholeArgument(value, first, rowAxes, rows)});
  if (machine->pending())
    return nullptr;
  if (is_contained(positional, nullptr) ||
      any_of(keywords, [](const auto &entry) { return !entry.second; }))
    return settledCall(args, call);
  if (PyValue fold = lookup("prims", ("selected_" + name).str())) {
    positional.insert(positional.begin(), wrap(first->mask));
    PyValue result = machine->call(fold, CallArgs{positional, keywords});
    // None: a view of the elements as a tensor.
    if (isa_and_present<NoneObject>(result))
      return settledCall(args, call);
    if (name == "view" || name == "reshape")
      settleAsViewed(first, result);
    return machine->pending() ? nullptr : result;
  }
  if (isLoss(definition))
    return selectedLoss(definition, wrap(first->mask), CallArgs{positional, keywords});
  PyValue result = call(CallArgs{positional, keywords});
  if (isa_and_present<TensorValue>(result) || !result || isPoisoned(result))
    return maskedResult(result, name, args, rows, call);
  return settledCall(args, call);
}

void TorchLibrary::settleAsViewed(MaskedValue *masked, PyValue view) {
  auto *tensor = dyn_cast_if_present<TensorValue>(view);
  if (!tensor)
    return;
  SmallVector<PyValue> sizes{tensor, machine->makeInt(-1)};
  Sizes own = sizesOf(cast<TensorValue>(masked->tensor));
  for (Expr size : ArrayRef(own).drop_front(writer.sizes(masked->mask).size()))
    sizes.push_back(makeSize(size));
  PyValue elements = machine->call(lookup("Tensor", "view"), sizes);
  masked->known = dyn_cast_if_present<TensorValue>(elements);
}

PyValue TorchLibrary::maskedInPlace(MaskedValue *masked, PyValue result) {
  auto *changed = dyn_cast_if_present<MaskedValue>(result);
  if (isa_and_present<TensorValue>(result)) {
    if (!masked->known)
      return reportMasked();
    return storeInPlace(cast<TensorValue>(masked->known), result) ? masked : nullptr;
  }
  if (!changed || changed == masked)
    return result;
  return storeInPlace(cast<TensorValue>(masked->tensor), changed->tensor) ? masked : nullptr;
}

PyValue TorchLibrary::maskedArithmetic(BinaryOperator op, PyValue left, PyValue right,
                                       bool inPlace) {
  if (op == BinaryOperator::MatMult) {
    PyValue product = lookup("torch", "matmul");
    return product ? machine->call(product, {left, right}) : nullptr;
  }
  PyValue result =
      maskedCall("arithmetic", nullptr, CallArgs{{left, right}, {}}, [&](const CallArgs &whole) {
        return arithmetic(op, whole.positional[0], whole.positional[1]);
      });
  // Another name of the same elements sees the change.
  auto *changed = dyn_cast<MaskedValue>(left);
  return inPlace && changed ? maskedInPlace(changed, result) : result;
}

PyValue TorchLibrary::maskedItem(MaskedValue *masked, PyValue key) {
  if (masked->known)
    return machine->getItem(masked->known, key);
  if (masked->isBehindOne)
    return reportMasked();
  auto *condition = dyn_cast<MaskedValue>(key);
  auto *held = condition ? cast<TensorValue>(condition->tensor) : nullptr;
  if (held && held->dtype == DType::Bool && equalValues(condition->mask, masked->mask)) {
    SmallVector<int64_t> dims = to_vector(seq<int64_t>(0, writer.sizes(masked->mask).size()));
    mlir::Value all = writer.broadcast(masked->mask, dims, sizesOf(held));
    return selected(cast<TensorValue>(masked->tensor),
                    wrap(writer.pointwise("and", {all, read(held)})));
  }
  if (condition)
    return reportMasked();
  return maskedCall("getitem", nullptr, CallArgs{{masked}, {}}, [&](const CallArgs &whole) {
    return index(cast<TensorValue>(whole.positional[0]), key);
  });
}

/// How long an axis of selected elements is: of the first one that is data.
PyValue TorchLibrary::selectedSize(MaskedValue *masked, int64_t axis) {
  axis = axis < 0 ? axis + 1 + rowRank(masked) : axis;
  auto *all = cast<TensorValue>(masked->tensor);
  if (axis > 0)
    return makeSize(sizesOf(all)[writer.sizes(masked->mask).size() + axis - 1]);
  PyValue count = lookup("prims", "selected_numel");
  return count ? machine->call(count, {wrap(masked->mask), all, machine->makeInt(0)}) : nullptr;
}

Answer TorchLibrary::maskedAttribute(MaskedValue *masked, StringRef name) {
  static constexpr StringLiteral alike[] = {"dtype", "device", "requires_grad", "is_cuda"};
  if (masked->known)
    return machine->getAttribute(masked->known, name);
  if (is_contained(alike, name))
    return machine->getAttribute(masked->tensor, name);
  if (masked->isBehindOne)
    return attributeBehindOne(masked, name);
  if (name == "ndim")
    return machine->makeInt(rowRank(masked) + 1);
  if (name == "dim" || name == "ndimension")
    return machine->makeBuiltin(name == "dim" ? "dim" : "ndimension",
                                [this, masked](Machine &m, const CallArgs &) -> PyValue {
                                  return m.makeInt(rowRank(masked) + 1);
                                });
  if (name == "numel" || name == "nelement")
    return machine->makeBuiltin("numel", [this, masked](Machine &m, const CallArgs &) -> PyValue {
      PyValue count = lookup("prims", "selected_numel");
      return count ? m.call(count, {wrap(masked->mask), masked->tensor}) : nullptr;
    });
  if (name == "shape") {
    SmallVector<PyValue> sizes;
    for (int64_t axis = 0; axis <= rowRank(masked); ++axis)
      sizes.push_back(selectedSize(masked, axis));
    return is_contained(sizes, nullptr) ? nullptr : machine->makeTuple(sizes);
  }
  if (name == "size")
    return machine->makeBuiltin("size", [this, masked](Machine &, const CallArgs &args) -> PyValue {
      PyValue axis = args.positional.empty() ? args.keyword("dim") : args.positional[0];
      auto *number = dyn_cast_if_present<IntObject>(axis);
      if (!number || number->small < -1 - rowRank(masked) || number->small > rowRank(masked))
        return reportMasked();
      return selectedSize(masked, number->small);
    });
  if (name == "flatten")
    return machine->makeBuiltin("flatten", [this, masked](Machine &m, const CallArgs &args) {
      SmallVector<PyValue> all{wrap(masked->mask), masked->tensor};
      all.append(args.positional.begin(), args.positional.end());
      PyValue flatten = lookup("prims", "selected_flatten");
      return flatten ? m.call(flatten, CallArgs{all, args.keywords}) : nullptr;
    });
  PyValue method = lookup("Tensor", name);
  if (!method && !machine->pending())
    method = inPlaceForm("Tensor", name);
  if (!method) {
    if (PyValue known = machine->pending() ? nullptr : settled(masked))
      return machine->getAttribute(known, name);
    return machine->pending() ? nullptr : reportMasked();
  }
  return machine->makeBuiltin(machine->save(name),
                              [method, masked](Machine &m, const CallArgs &args) -> PyValue {
                                SmallVector<PyValue> all{masked};
                                all.append(args.positional.begin(), args.positional.end());
                                return m.call(method, CallArgs{all, args.keywords});
                              });
}

/// Up to so many runs of neighbours are written out.
static constexpr size_t mostRunsWritten = 4;

/// The elements that a mask selects, by sizes alone, which are fixed by it: where each run of
/// neighbours begins and ends in row-major order, or how many they are where there are many runs.
/// None where data decide.
static PyValue knownPlaces(TorchLibrary &t, TensorValue *mask) {
  SmallVector<Expr> sizes;
  std::optional<graph::Array> found = graph::evaluateConstant(t.read(mask), [&](Expr symbol) {
    if (!is_contained(sizes, symbol))
      sizes.push_back(symbol);
    return t.solver.givenHint(symbol);
  });
  if (!found || found->isFloat())
    return t.machine->none();
  for (Expr size : sizes)
    if (!t.solver.resolve(size).isConstant() &&
        !t.fixSizeOrRefuse(size, TorchLibrary::greatestSize, "which elements a mask selects"))
      return nullptr;
  SmallVector<std::pair<int64_t, int64_t>> runs;
  for (auto [place, holds] : enumerate(found->integers)) {
    if (!holds)
      continue;
    if (runs.empty() || runs.back().second != int64_t(place))
      runs.push_back({place, place});
    ++runs.back().second;
  }
  if (runs.empty() || runs.size() > mostRunsWritten)
    return t.machine->makeInt(count_if(found->integers, [](int64_t holds) { return holds != 0; }));
  SmallVector<PyValue> written;
  for (auto [start, stop] : runs)
    written.push_back(t.machine->makeTuple({t.machine->makeInt(start), t.machine->makeInt(stop)}));
  return t.machine->makeList(written);
}

PyValue TorchLibrary::settled(MaskedValue *masked) {
  if (masked->isBehindOne || masked->known)
    return masked->known;
  mlir::Value all = read(cast<TensorValue>(masked->tensor));
  // What the others were replaced by is not asked for.
  while (auto where = all.getDefiningOp<graph::WhereOp>()) {
    mlir::Value holds = where.getCondition();
    if (auto broadcast = holds.getDefiningOp<graph::BroadcastOp>())
      holds = broadcast.getInput();
    if (!equalValues(holds, masked->mask))
      break;
    all = where.getLhs();
  }
  PyValue settle = lookup("prims", "settled");
  PyValue elements = settle ? machine->call(settle, {wrap(masked->mask), wrap(all)}) : nullptr;
  return masked->known = dyn_cast_if_present<TensorValue>(elements);
}

PyValue TorchLibrary::settledCall(const CallArgs &args,
                                  function_ref<PyValue(const CallArgs &)> call) {
  SmallVector<PyValue> positional(args.positional);
  SmallVector<std::pair<machine::Name, PyValue>> keywords(args.keywords);
  auto settle = [&](PyValue &value) {
    if (auto *masked = dyn_cast<MaskedValue>(value))
      value = settled(masked);
    return value && !firstMasked(value);
  };
  bool isWhole = all_of(positional, settle) &&
                 all_of(keywords, [&](auto &entry) { return settle(entry.second); });
  if (isWhole)
    return call(CallArgs{positional, keywords});
  return machine->pending() ? nullptr : reportMasked();
}

void TorchLibrary::defineSelections() {
  // prims.known_places(mask): see knownPlaces.
  define("prims", "known_places", "(mask)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    TensorValue *mask = t.tensorArg(a[0], "known_places");
    return mask ? knownPlaces(t, mask) : nullptr;
  });
  // prims.axis_of_places(tensor, mask, places): the axis of the mask whose indices the places are,
  // where the tensor's first axis is as long; None for others.
  define("prims", "axis_of_places", "(tensor, mask, places)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           TensorValue *tensor = t.tensorArg(a[0], "axis_of_places"),
                       *mask = t.tensorArg(a[1], "axis_of_places");
           if (!tensor || !mask)
             return nullptr;
           auto *places = t.machine->make<MaskedValue>(t, t.tensorClass, a[2], t.read(mask));
           std::optional<int64_t> axis = t.axisOfPlaces(tensor, places);
           return axis ? PyValue(t.machine->makeInt(*axis)) : t.machine->none();
         });
  // prims.is_off_diagonal(mask): all places of a matrix but the diagonal.
  define("prims", "is_off_diagonal", "(mask)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    TensorValue *mask = t.tensorArg(a[0], "is_off_diagonal");
    if (!mask)
      return nullptr;
    Sizes sizes = t.sizesOf(mask);
    bool isSquare = sizes.size() == 2 && t.solver.resolve(sizes[0]) == t.solver.resolve(sizes[1]);
    return t.machine->makeBool(isSquare && isOffDiagonal(t.read(mask), t.solver.getContext()));
  });
}

} // namespace nereid::torch
