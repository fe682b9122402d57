// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program says about gradients: those that definitions declare (@op(grad=)), detach, no_grad
// and requires_grad. Read only when gradients are asked for.
#include "frontend/torch/CompositeOperands.h"
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// A gradient summed to the sizes of what it is the gradient of.
static mlir::Value sumTo(GraphWriter &writer, mlir::Value value, ArrayRef<Expr> sizes) {
  Sizes from = writer.sizes(value);
  int64_t extra = static_cast<int64_t>(from.size()) - static_cast<int64_t>(sizes.size());
  SmallVector<int64_t> repeated, kept;
  for (int64_t axis = 0, rank = from.size(); axis < rank; ++axis) {
    bool isOne = axis >= extra && sizes[axis - extra].isConstant(1) && !from[axis].isConstant(1);
    if (axis < extra || isOne)
      repeated.push_back(axis);
    else
      kept.push_back(axis - extra);
  }
  value = writer.fold(graph::FoldKind::Sum, value, repeated);
  if (kept.size() != sizes.size())
    return writer.broadcast(value, kept, sizes);
  // Equal sizes may be spelled in other ways: `C // 2`, which the operator found to be 2.
  return equal(writer.sizes(value), sizes) ? value : writer.reshape(value, sizes);
}

namespace {

/// Reads a declared gradient into the second region of a composite.
class GradientReader {
public:
  GradientReader(TorchLibrary &t, graph::CompositeOp composite, StringRef dtypes)
      : t(t), composite(composite), block(composite.getGradient().emplaceBlock()),
        operands(t, block, {composite->getBlock(), composite->getIterator()}, dtypes) {}

  using Arguments = SmallVector<std::pair<machine::Name, PyValue>>;
  /// False after an error.
  bool run(FunctionObject &gradient, const Arguments &bound, PyValue result, unsigned &depth);

private:
  TorchLibrary &t;
  graph::CompositeOp composite;
  mlir::Block &block;
  Operands operands;
  StringMap<PyValue> given;
  TensorValue *first = nullptr;
  SmallVector<mlir::Value> sums;

  void addGradients(PyValue result);
  void addResults(PyValue result);
  PyValue shapedLike(PyValue result, ArrayRef<PyValue> items);
  bool take(PyValue returned);
  bool add(PyValue parameter, PyValue gradient);
  void yield();
};

} // namespace

/// The items in the places of a composite's results.
PyValue GradientReader::shapedLike(PyValue result, ArrayRef<PyValue> items) {
  auto *tuple = dyn_cast<TupleObject>(result);
  if (!tuple)
    return items.front();
  SmallVector<PyValue> all;
  for (PyValue item : tuple->items) {
    bool isTensor = isa<TensorValue>(item);
    all.push_back(isTensor ? items.front() : item);
    items = items.drop_front(isTensor);
  }
  return t.machine->makeTuple(all);
}

void GradientReader::addGradients(PyValue result) {
  SmallVector<PyValue> items;
  for (mlir::Value value : composite.getResults()) {
    DType dtype = t.writer.dtype(value);
    PyValue item = t.machine->none();
    if (isFloat(dtype))
      item = t.wrap(block.addArgument(t.writer.type(t.writer.sizes(value), computeType(dtype)),
                                      t.writer.place));
    items.push_back(item);
  }
  given["grad"] = shapedLike(result, items);
}

void GradientReader::addResults(PyValue result) {
  SmallVector<PyValue> items;
  for (mlir::Value value : composite.getResults()) {
    mlir::Value argument = block.addArgument(value.getType(), t.writer.place);
    items.push_back(t.wrap(t.writer.cast(argument, computeType(t.writer.dtype(value)))));
  }
  given["result"] = shapedLike(result, items);
  given["result_dtype"] = t.makeDType(t.writer.dtype(composite.getResult(0)));
}

bool GradientReader::add(PyValue parameter, PyValue gradient) {
  auto *operand = dyn_cast_if_present<TensorValue>(parameter);
  auto *value = dyn_cast<TensorValue>(gradient);
  if (!operand || !value)
    return !value;
  auto *place = find(operands.inner, operand);
  if (place == operands.inner.end())
    return false;
  mlir::Value &sum = sums[place - operands.inner.begin()];
  mlir::Value outer = operands.values[place - operands.inner.begin()];
  if (!isFloat(t.writer.dtype(outer)))
    return true;
  mlir::Value held = t.writer.cast(t.read(value), computeType(t.writer.dtype(outer)));
  held = sumTo(t.writer, held, t.writer.sizes(outer));
  sum = sum ? t.writer.pointwise("add", {sum, held}) : held;
  return true;
}

bool GradientReader::take(PyValue returned) {
  // One gradient for each item of `inputs`; None of those that have none, and of arguments that
  // the call leaves out.
  if (auto *tuple = dyn_cast<TupleObject>(returned)) {
    auto *inputs = dyn_cast_if_present<TupleObject>(given.lookup("inputs"));
    size_t count = inputs ? inputs->items.size() : 0;
    return inputs && tuple->items.size() >= count &&
           all_of(ArrayRef(tuple->items).drop_front(count),
                  [](PyValue rest) { return isa<NoneObject>(rest); }) &&
           all_of(zip(inputs->items, tuple->items), [&](auto pair) {
             return !isa<TensorValue>(std::get<0>(pair)) ||
                    add(std::get<0>(pair), std::get<1>(pair));
           });
  }
  auto *dict = dyn_cast<DictObject>(returned);
  if (!dict)
    return add(first, returned);
  for (const HashTable::Entry &entry : dict->table.entries)
    if (entry.key && !add(given.lookup(cast<StrObject>(entry.key)->text), entry.value))
      return false;
  return true;
}

void GradientReader::yield() {
  SmallVector<mlir::Value> values;
  for (auto [outer, sum] : zip_equal(operands.values, sums)) {
    DType dtype = t.writer.dtype(outer);
    if (!isFloat(dtype))
      continue;
    values.push_back(
        sum ? sum
            : t.writer.broadcastTo(t.writer.number(computeType(dtype), 0), t.writer.sizes(outer)));
  }
  graph::YieldOp::create(t.writer.builder, t.writer.place, values);
}

bool GradientReader::run(FunctionObject &gradient, const Arguments &bound, PyValue result,
                         unsigned &depth) {
  mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
  t.writer.builder.setInsertionPointToEnd(&block);
  addGradients(result);
  for (auto [name, value] : bound) {
    PyValue inside = operands.replace(value);
    given[name->text] = inside;
    auto *tensor = dyn_cast<TensorValue>(inside);
    if (!first && tensor && !tensor->isNumber)
      first = tensor;
  }
  addResults(result);
  sums.resize(operands.values.size());
  Arguments keywords;
  for (machine::Name name : t.machine->parameterNames(gradient))
    keywords.push_back({name, given.lookup(name->text)});
  if (any_of(keywords, [](const auto &keyword) { return !keyword.second; })) {
    t.machine->refuse("a gradient asks for an argument that its operator does not have");
    return false;
  }
  ++depth;
  PyValue returned = t.machine->callWithPolicy(gradient, CallArgs{{}, keywords}, t);
  --depth;
  if (!returned)
    return false;
  if (!take(returned)) {
    t.machine->refuse("a gradient is of nothing that its operator takes");
    return false;
  }
  yield();
  return true;
}

bool TorchLibrary::writeGradient(graph::CompositeOp composite, const CompositeInfo &info,
                                 ArrayRef<std::pair<machine::Name, PyValue>> bound,
                                 PyValue result) {
  auto isReal = [&](mlir::Value value) { return isFloat(writer.dtype(value)); };
  if (none_of(composite.getResults(), isReal) || none_of(composite.getOperands(), isReal))
    return true;
  GradientReader reader(*this, composite, info.dtypes);
  ++compositeDepth;
  bool done = reader.run(*info.gradient, GradientReader::Arguments(bound), result, gradientDepth);
  --compositeDepth;
  return done;
}

// --- What has no gradient ------------------------------------------------------------------------

mlir::Value TorchLibrary::detached(mlir::Value value) {
  if (!gradients || !isFloat(writer.dtype(value)) || value.getDefiningOp<graph::DetachOp>())
    return value;
  return graph::DetachOp::create(writer.builder, writer.place, value.getType(), value);
}

/// Whether something holds for any argument that a value depends on other than by what is detached.
static bool anyRoot(mlir::Value value, function_ref<bool(mlir::Value)> holds) {
  SmallVector<mlir::Value> open{value};
  DenseSet<mlir::Value> seen;
  while (!open.empty()) {
    mlir::Value next = open.pop_back_val();
    if (!seen.insert(next).second || next.getDefiningOp<graph::DetachOp>())
      continue;
    if (mlir::Operation *op = next.getDefiningOp())
      open.append(op->operand_begin(), op->operand_end());
    else if (holds(next))
      return true;
  }
  return false;
}

/// Whether a value depends on a floating-point argument of the program other than a buffer.
bool TorchLibrary::mayHaveGradient(mlir::Value value) {
  return anyRoot(value, [&](mlir::Value root) {
    return isFloat(writer.dtype(root)) && !buffers.contains(root);
  });
}

/// What a loop carries from turn to turn has a gradient where it began with one, or got one.
bool TorchLibrary::mayHaveGradient(const Storage &storage) {
  auto argument = dyn_cast<mlir::BlockArgument>(storage.value);
  bool isCarried = argument && argument != storage.first && argument.getOwner() != entry;
  return isCarried ? storage.isRecorded || mayHaveGradient(storage.first)
                   : mayHaveGradient(storage.value);
}

bool TorchLibrary::requiresGradient(TensorValue *tensor) {
  if (tensor->cls == parameterClass)
    return tensor->requiresGrad;
  if (!gradients || !isFloat(tensor->dtype))
    return false;
  mlir::Value value = read(tensor);
  return tensor->steps.empty() ? mayHaveGradient(*tensor->storage) : mayHaveGradient(value);
}

/// How the caller reaches the arguments whose gradients a value's hangs on.
std::vector<std::string> TorchLibrary::gradientRoots(mlir::Value value) const {
  std::vector<std::string> roots;
  (void)anyRoot(value, [&](mlir::Value root) {
    if (auto access = accesses.find(root); access != accesses.end())
      roots.push_back(access->second);
    return false;
  });
  llvm::sort(roots);
  return roots;
}

PyValue TorchLibrary::askGradient(TensorValue *tensor) {
  PyValue answer = machine->makeBool(requiresGradient(tensor));
  if (!isDrawing() || isReadByOurs() || !isFloat(tensor->dtype))
    return answer;
  mlir::Value value = tensor->steps.empty() ? tensor->storage->value : read(tensor);
  std::vector<std::string> roots = gradientRoots(value);
  for (std::string &root : roots)
    root += ".requires_grad";
  if (isa<mlir::BlockArgument>(value) && roots.size() == 1)
    rely(roots.front(), answer);
  else if (recording && !roots.empty())
    rely("torch.is_grad_enabled() and " +
             (roots.size() == 1 ? roots.front() : "any([" + llvm::join(roots, ", ") + "])"),
         answer);
  return answer;
}

/// The last step of a view by which it was detached; null where none was.
static const ViewStep *lastDetach(const TensorValue &tensor) {
  auto steps = reverse(tensor.steps);
  auto found = find_if(steps, [](const ViewStep &step) { return step.kind == ViewStep::Detach; });
  return found == steps.end() ? nullptr : &*found;
}

bool TorchLibrary::isDetached(const TensorValue &tensor) { return lastDetach(tensor); }

/// Whether autograd does not see a write to a tensor that has a gradient.
bool TorchLibrary::isUnrecordedWrite(TensorValue *tensor) {
  return gradients && isFloat(tensor->dtype) && (!recording || isDetached(*tensor)) &&
         mayHaveGradient(*tensor->storage);
}

/// `.data` shares no counter of versions, so that what was saved before changes with it; an
/// argument of the call is a leaf, which has the gradient of its last value.
bool TorchLibrary::checkUnrecordedWrite(TensorValue *tensor) {
  const Storage &storage = *tensor->storage;
  bool isOfData = any_of(tensor->steps, [](const ViewStep &step) {
    return step.kind == ViewStep::Detach && step.dim == ViewStep::ByData;
  });
  if (!isOfData && !storage.isArgument && !storage.rows)
    return true;
  machine->refuse("a write behind autograd's back, to " +
                      Twine(storage.isArgument ? "an argument" : "a tensor") +
                      " that has a gradient",
                  isOfData ? "write to .detach() under torch.no_grad(), or to a clone"
                           : "write to a clone, or outside of torch.no_grad()");
  return false;
}

/// The tensor keeps its history: the gradient of what is written goes to what was there, element by
/// element.
mlir::Value TorchLibrary::unrecorded(mlir::Value before, mlir::Value value) {
  bool recordedBefore = std::exchange(recording, true);
  PyValue kept = machine->call(lookup("prims", "unrecorded"), {wrap(before), wrap(value)});
  recording = recordedBefore;
  auto *result = dyn_cast_if_present<TensorValue>(kept);
  return result ? read(result) : mlir::Value();
}

// --- Tensors that were detached, and written to since --------------------------------------------
//
//   v = w.detach()
//   v += x           # v has a gradient now, w has the one that it had
//   w * x            # reads what was written, without a gradient

History *TorchLibrary::historyOf(const TensorValue &tensor) {
  const ViewStep *detach = tensor.storage->histories.empty() ? nullptr : lastDetach(tensor);
  if (!detach)
    return nullptr;
  auto found = find_if(tensor.storage->histories,
                       [&](const History &each) { return each.number == detach->history; });
  return found == tensor.storage->histories.end() ? nullptr : &*found;
}

/// Writes by other ways than the tensor's own change its elements and not its gradient.
mlir::Value TorchLibrary::readHistory(const TensorValue &tensor, History &history) {
  ArrayRef<ViewStep> steps(tensor.steps);
  size_t own = lastDetach(tensor) - steps.data() + 1;
  mlir::Value value = history.value;
  if (history.version != tensor.storage->version) {
    value = unrecorded(value, applySteps(tensor.storage->value, steps.take_front(own)));
    if (!loopReader) {
      history.value = value;
      history.version = tensor.storage->version;
    }
  }
  return applySteps(value, steps.drop_front(own));
}

std::optional<bool> TorchLibrary::writesHistory(TensorValue *tensor, mlir::Value value) {
  const ViewStep *detach = lastDetach(*tensor);
  if (!gradients || !recording || !detach || !isFloat(tensor->dtype))
    return false;
  bool hasGradient = mayHaveGradient(value);
  if (!hasGradient && !historyOf(*tensor))
    return false;
  if (detach->dim == ViewStep::ByMode) {
    machine->raise("RuntimeError",
                   "a view that was created under torch.no_grad() is modified in place where "
                   "gradients are recorded",
                   "make the view outside of torch.no_grad(), or write to it there");
    return std::nullopt;
  }
  if (loopReader && tensor->storage->number < loopReader->countOuterStorages()) {
    machine->refuse("a write through .detach() or .data of what has a gradient, in a loop",
                    "write under torch.no_grad()");
    return std::nullopt;
  }
  return true;
}

mlir::Value TorchLibrary::writtenHistory(TensorValue *tensor, ArrayRef<mlir::Value> bases,
                                         mlir::Value value) {
  ArrayRef<ViewStep> steps(tensor->steps);
  size_t own = lastDetach(*tensor) - steps.data() + 1;
  SmallVector<mlir::Value> behind(bases.drop_front(own));
  if (History *history = historyOf(*tensor)) {
    TensorValue whole = *tensor;
    whole.steps.erase(whole.steps.begin() + own, whole.steps.end());
    behind = {readHistory(whole, *history)};
    for (const ViewStep &step : steps.drop_front(own))
      behind.push_back(applyStep(behind.back(), step));
  }
  return scatterSteps(behind, steps.drop_front(own), value);
}

void TorchLibrary::keepHistory(TensorValue *tensor, mlir::Value value) {
  unsigned version = tensor->storage->version;
  if (History *history = historyOf(*tensor))
    *history = {history->number, value, version};
  else
    tensor->storage->histories.push_back({lastDetach(*tensor)->history, value, version});
}

PyValue TorchLibrary::embeddingWithGradient(TensorValue *rows, TensorValue *weight,
                                            TensorValue *index, ArrayRef<PyValue> args) {
  auto isSet = [](PyValue flag) {
    return isa<BoolObject>(flag) && cast<BoolObject>(flag)->value();
  };
  if (isSet(args[6]))
    return machine->refuse("the gradient of an embedding with sparse=True is not supported",
                           "use sparse=False");
  if (rows && isSet(args[5])) {
    PyValue shared = machine->call(lookup("prims", "rows_by_frequency"), {weight, index});
    rows = dyn_cast_or_null<TensorValue>(shared);
  }
  if (!rows || isa<NoneObject>(args[2]))
    return rows;
  std::optional<int64_t> padding = intArg(args[2], "padding_idx");
  if (!padding)
    return nullptr;
  mlir::Value value = read(rows), places = writer.cast(read(index), DType::I64);
  Expr row = writer.constantSize(*padding);
  if (*padding < 0)
    row = solver.resolve(row + sizesOf(weight)[0]);
  mlir::Value hit =
      writer.test("eq", {places, writer.broadcastTo(writer.size(row), writer.sizes(places))});
  SmallVector<int64_t> dims = to_vector(seq<int64_t>(0, writer.rank(places)));
  hit = writer.broadcast(hit, dims, writer.sizes(value));
  return wrap(writer.where(hit, detached(value), value));
}

void TorchLibrary::defineGradientModes() {
  define("prims", "record", "(mode)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    bool before = t.recording;
    t.recording = cast<BoolObject>(a[0])->value();
    return t.machine->makeBool(before);
  });
  define("prims", "recorded", "(function, mode)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           if (auto *function = dyn_cast<FunctionObject>(a[0]); function && t.gradients) {
             t.machine->markFunction(*function, t);
             t.modes[function].records = cast<BoolObject>(a[1])->value();
           }
           return a[0];
         });
  // Where no mode of the program's own says it, the caller does.
  define("torch", "is_grad_enabled", "()", [](TorchLibrary &t, ArrayRef<PyValue>) -> PyValue {
    PyValue answer = t.machine->makeBool(t.gradients && t.recording);
    if (t.recording && t.isDrawing() && !t.isReadByOurs())
      t.rely("torch.is_grad_enabled()", answer);
    return answer;
  });
  // Whether a tensor of the call itself is taken as one without a gradient from now on.
  define("prims", "without_gradient", "(tensor)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           auto *tensor = cast<TensorValue>(a[0]);
           mlir::Value value = tensor->steps.empty() ? tensor->storage->value : mlir::Value();
           auto access = t.accesses.find(value);
           bool isGiven = value && access != t.accesses.end() && tensor->cls != t.parameterClass &&
                          cast<mlir::BlockArgument>(value).getOwner() == t.entry;
           if (isGiven) {
             t.buffers.insert(value);
             t.ungraded.insert(value);
             t.rely(access->second + ".requires_grad", t.machine->makeBool(false));
           }
           return t.machine->makeBool(isGiven);
         });
  define("prims", "is_recording", "()", [](TorchLibrary &t, ArrayRef<PyValue>) -> PyValue {
    return t.machine->makeBool(t.gradients && t.recording);
  });
}

PyValue TorchLibrary::callInMode(FunctionObject &function, const CallArgs &args, const Mode &mode) {
  bool recordedBefore = recording;
  std::optional<DType> castBefore = autocast;
  recording = mode.records.value_or(recording);
  autocast = mode.autocast.value_or(autocast);
  PyValue result = machine->callWithPolicy(function, args, *this);
  recording = recordedBefore;
  autocast = castBefore;
  return result;
}

PyValue TorchLibrary::callProgram(FunctionObject &function, const CallArgs &args) {
  recording = true;
  return callInMode(function, args, modes.lookup(&function));
}

} // namespace nereid::torch
