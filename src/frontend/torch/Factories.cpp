// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from nothing: constants, ranges and literal data; and what preludes say of loops, modules
// and refusals.
#include "frontend/torch/Factories.h"
#include "frontend/torch/LoopValues.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

PyValue filled(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue value, PyValue dtypeGiven,
               std::optional<DType> dtype) {
  if (!t.dtypeArg(dtypeGiven, dtype))
    return nullptr;
  std::optional<Operand> operand = t.operand(value);
  if (!operand)
    return nullptr;
  if (!dtype && !t.isReadByOurs())
    t.relyOnKind(value);
  DType type = dtype ? *dtype : isFloat(operand->dtype) ? DType::F32 : operand->dtype;
  return t.wrap(t.writer.broadcastTo(t.materialize(*operand, type), sizes));
}

void defineConstants(TorchLibrary &library) {
  std::string tail = (", *, " + factoryOptions).str();
  // What torch.empty holds is not defined, so zeros will do.
  for (auto [name, number] :
       {std::pair<StringRef, double>{"zeros", 0.0}, {"ones", 1.0}, {"empty", 0.0}})
    library.define("torch", name, "(*size, " + factoryOptions.str(),
                   [number](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     std::optional<Sizes> sizes = t.newSizesArg(a[0]);
                     return sizes
                                ? filled(t, *sizes, t.machine->makeFloat(number), a[1], DType::F32)
                                : nullptr;
                   });
  library.define("torch", "full", "(size, fill_value" + tail,
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   std::optional<Sizes> sizes = t.newSizesArg(a[0]);
                   return sizes ? filled(t, *sizes, a[1], a[2], std::nullopt) : nullptr;
                 });
  for (auto [name, number] :
       {std::pair<StringRef, double>{"zeros_like", 0.0}, {"ones_like", 1.0}, {"empty_like", 0.0}})
    library.define("torch", name, "(input" + tail,
                   [name, number](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     return x ? filled(t, t.sizesOf(x), t.machine->makeFloat(number), a[1],
                                       x->dtype)
                              : nullptr;
                   });
  library.define("torch", "full_like", "(input, fill_value" + tail,
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "full_like");
                   return x ? filled(t, t.sizesOf(x), a[1], a[2], x->dtype) : nullptr;
                 });
  for (auto [name, number] :
       {std::pair<StringRef, double>{"new_zeros", 0.0}, {"new_ones", 1.0}, {"new_empty", 0.0}})
    library.define("Tensor", name, "(self, *size, " + factoryOptions.str(),
                   [name, number](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     std::optional<Sizes> sizes = x ? t.newSizesArg(a[1]) : std::nullopt;
                     return sizes ? filled(t, *sizes, t.machine->makeFloat(number), a[2], x->dtype)
                                  : nullptr;
                   });
  library.define("Tensor", "new_full", "(self, size, fill_value" + tail,
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   TensorValue *x = t.tensorArg(a[0], "new_full");
                   std::optional<Sizes> sizes = x ? t.newSizesArg(a[1]) : std::nullopt;
                   return sizes ? filled(t, *sizes, a[2], a[3], x->dtype) : nullptr;
                 });
}

/// 2.0 as 2: the integer that a float is, others as they are.
PyValue whole(TorchLibrary &t, PyValue number) {
  auto *given = dyn_cast<FloatObject>(number);
  bool is = given && std::abs(given->value) <= 1e15 && given->value == std::floor(given->value);
  return is ? t.machine->makeInt(static_cast<int64_t>(given->value)) : number;
}

/// start + step * i, for integers of any size or known floats.
PyValue arange(TorchLibrary &t, PyValue start, PyValue end, PyValue step, PyValue dtypeGiven) {
  start = t.settled(start), end = t.settled(end), step = t.settled(step);
  auto real = [](PyValue v) -> std::optional<double> {
    if (auto *f = dyn_cast<FloatObject>(v))
      return f->value;
    if (auto *i = dyn_cast<IntObject>(v))
      return static_cast<double>(i->small);
    return std::nullopt;
  };
  bool floats = isa<FloatObject>(start) || isa<FloatObject>(end) || isa<FloatObject>(step);
  std::optional<DType> dtype = floats ? DType::F32 : DType::I64;
  if (!t.dtypeArg(dtypeGiven, dtype))
    return nullptr;
  Expr count;
  std::optional<double> a = real(start), b = real(end), c = real(step);
  if (floats && !(a && b && c)) { // arange(n - 1, -1, -1.0): its numbers are whole, and n a size
    start = whole(t, start), end = whole(t, end), step = whole(t, step);
    if (isa<FloatObject>(start) || isa<FloatObject>(end) || isa<FloatObject>(step))
      return t.machine->refuse("arange of floats needs known bounds", "use integers");
  } else if (floats && *c == 0) {
    return t.machine->raise("RuntimeError", "step must be nonzero");
  }
  if (floats && a && b && c) {
    count = t.writer.constantSize(
        std::max<int64_t>(0, static_cast<int64_t>(std::ceil((*b - *a) / *c))));
  } else {
    std::optional<Expr> a = t.sizeArg(start, "start"), b = a ? t.sizeArg(end, "end") : std::nullopt;
    std::optional<int64_t> c = b ? t.intArg(step, "step") : std::nullopt;
    if (!c)
      return nullptr;
    if (*c == 0)
      return t.machine->raise("RuntimeError", "step must be nonzero");
    Expr length = *c > 0 ? *b - *a : *a - *b;
    if (!t.solver.decide(index::ge(length, 0), "arange: its bounds are in the wrong order"))
      length = t.writer.constantSize(0);
    count = index::ceildiv(length, std::abs(*c));
  }
  DType computed = computeType(*dtype);
  bool wide = floats && !isFloat(*dtype);
  DType steps = wide ? DType::F64 : computed;
  mlir::Value at = t.writer.iota(0, {t.solver.resolve(count)}, DType::I64);
  mlir::Value value = t.writer.cast(at, steps);
  Sizes sizes = t.writer.sizes(value);
  auto plain = [](PyValue v, int64_t number) {
    auto *i = dyn_cast<IntObject>(v);
    return i && i->small == number;
  };
  auto constant = [&](PyValue v) {
    return t.writer.broadcastTo(t.materialize(*t.operand(v), steps), sizes);
  };
  if (!plain(step, 1))
    value = t.writer.pointwise("mul", {value, constant(step)});
  if (!plain(start, 0))
    value = t.writer.pointwise("add", {value, constant(start)});
  return t.wrap(t.writer.cast(value, *dtype, true));
}

/// torch.tensor(data): numbers and nested lists of them.
class Literal {
public:
  explicit Literal(TorchLibrary &t) : t(t) {}

  bool read(PyValue value, unsigned depth = 0) {
    ArrayRef<PyValue> items;
    if (auto *list = dyn_cast<ListObject>(value))
      items = list->items;
    else if (auto *tuple = dyn_cast<TupleObject>(value))
      items = tuple->items;
    else
      return leaf(value, depth);
    if (shape.size() <= depth)
      shape.push_back(items.size());
    if (shape[depth] != static_cast<int64_t>(items.size()) || depth >= 8)
      return t.machine->raise("ValueError", "expected sequence of length " + Twine(shape[depth]) +
                                                " at dim " + Twine(depth) + " (got " +
                                                Twine(items.size()) + ")"),
             false;
    return all_of(items, [&](PyValue item) { return read(item, depth + 1); });
  }

  PyValue make(std::optional<DType> dtype) {
    // What a constructor makes of many numbers, the call takes from the module.
    bool isOfConstructor = leaves.size() > 256 && !t.isDrawing();
    if (leaves.size() > 256 && !isOfConstructor)
      return t.machine->refuse("a literal tensor of more than 256 elements is not supported",
                               "make it a buffer of a module");
    std::optional<DType> common = resultType(types);
    DType type = dtype ? *dtype : common ? *common : DType::F32;
    Sizes sizes;
    for (int64_t size : shape)
      sizes.push_back(t.writer.constantSize(size));
    if (isOfConstructor)
      return t.wrap(t.writer.unknown(sizes, type, "a literal tensor of many elements"));
    SmallVector<mlir::Value> values;
    for (const Operand &leaf : leaves)
      values.push_back(t.materialize(leaf, type));
    if (shape.empty())
      return t.wrap(values.front());
    if (values.empty())
      return t.wrap(t.writer.broadcastTo(t.writer.integer(type, 0), sizes));
    bool same = all_of(leaves, [&](const Operand &leaf) {
      return !leaf.tensor && !leaf.size && leaf.real == leaves[0].real &&
             leaf.integer == leaves[0].integer;
    });
    if (same)
      return t.wrap(t.writer.broadcastTo(values.front(), sizes));
    for (mlir::Value &value : values)
      value = t.writer.broadcastTo(value, {t.writer.constantSize(1)});
    return t.wrap(t.writer.reshape(t.writer.concat(values, 0), sizes));
  }

private:
  TorchLibrary &t;
  SmallVector<int64_t> shape;
  std::vector<Operand> leaves;
  SmallVector<Typed> types;

  bool leaf(PyValue value, unsigned depth) {
    std::optional<Operand> operand = t.operand(value);
    if (!operand)
      return false;
    if (operand->tensor && t.rankOf(operand->tensor))
      return t.machine->refuse("torch.tensor of tensors is not supported", "use torch.stack"),
             false;
    leaves.push_back(*operand);
    bool isNumber = !operand->tensor || operand->tensor->isNumber;
    types.push_back({operand->dtype, isNumber ? Rank::Number : Rank::Dimensions});
    return true;
  }
};

} // namespace

static LoopItems *turnsOf(TorchLibrary &t, PyValue count) {
  auto *items = t.machine->make<LoopItems>(t, t.machine->builtinClass("range"), LoopItems::Range,
                                           *t.sizeArg(count, "a number of turns"));
  items->start = t.writer.constantSize(0);
  return items;
}

void TorchLibrary::defineFactories() {
  defineConstants(*this);
  defineRandomTensors(*this);
  define("torch", "arange", "(start=None, end=None, step=1, *, " + factoryOptions.str(),
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           if (isa<NoneObject>(a[0]) && isa<NoneObject>(a[1]))
             return t.machine->raise("TypeError", "arange(): no end is given");
           if (isa<NoneObject>(a[0]))
             return arange(t, t.machine->makeInt(0), a[1], a[2], a[3]);
           bool one = isa<NoneObject>(a[1]);
           return arange(t, one ? t.machine->makeInt(0) : a[0], one ? a[0] : a[1], a[2], a[3]);
         });
  for (StringRef name : {"tensor", "as_tensor", "scalar_tensor"})
    define("torch", name,
           name == "as_tensor" ? "(data, dtype=None, device=None)"
                               : "(data, *, " + factoryOptions.str(),
           [shares = name == "as_tensor",
            isScalar = name == "scalar_tensor"](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
             std::optional<DType> dtype;
             if (!t.dtypeArg(a[1], dtype))
               return nullptr;
             // It has the default type whatever the number is.
             if (isScalar && !dtype)
               dtype = DType::F32;
             if (auto *tensor = dyn_cast<TensorValue>(a[0]); tensor && !tensor->isNumber) {
               DType type = dtype.value_or(tensor->dtype);
               if (shares)
                 return t.castTo(tensor, type);
               PyValue copy = t.copyAs(tensor, type);
               return t.gradients ? t.view(cast<TensorValue>(copy), ViewStep(ViewStep::Detach))
                                  : copy;
             }
             Literal literal(t);
             return literal.read(a[0]) ? literal.make(dtype) : nullptr;
           });
  define("prims", "iota", "(sizes, dim)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    std::optional<Sizes> sizes = t.newSizesArg(a[0]);
    std::optional<int64_t> dim = sizes ? t.dimArg(a[1], sizes->size()) : std::nullopt;
    return dim ? t.wrap(t.writer.iota(*dim, *sizes, DType::I64)) : nullptr;
  });
  defineSizeQuestions(*this);
  define("prims", "turns", "(count)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    LoopItems *items = turnsOf(t, a[0]);
    items->isAsked = true;
    return items;
  });
  // As turns(), of a loop that is kept or written out as one of the program is.
  define("prims", "times", "(count)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    LoopItems *items = turnsOf(t, a[0]);
    items->isOwn = true;
    return items;
  });
  // The rows of a tensor, or its pieces of a length, as a list whose length is a size; None where
  // they are better made one by one.
  define("prims", "rows", "(input, dim, length)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue { return t.rowsOrNone(a); });
  define("prims", "training", "(module)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue { return t.training(a[0]); });
  define("prims", "set_training", "(module, mode)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue { return t.setTraining(a[0], a[1]); });
  // prims.enter(module): a call of a module begins; returns what prims.leave() takes at its end.
  define("prims", "enter", "(module)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    return t.machine->makeInt(t.scopes.enter(cast<InstanceObject>(a[0])->cls->name));
  });
  define("prims", "leave", "(outer)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    t.scopes.leave(cast<IntObject>(a[0])->small);
    return t.machine->none();
  });
  // prims.refuse(message, help): a prelude's way to say that it does not support something.
  define("prims", "refuse", "(message, help='')",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           return t.reportAndPoison(cast<StrObject>(a[0])->text, cast<StrObject>(a[1])->text);
         });
  define("prims", "unknown", "(like)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    auto *x = cast<TensorValue>(a[0]);
    return t.wrap(t.writer.unknown(t.sizesOf(x), x->dtype, "initial values"));
  });
}

} // namespace nereid::torch
