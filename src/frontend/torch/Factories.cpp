// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from nothing: constants, ranges, literal data, and contents that are not known while
// converting (random numbers), which only parameters and get_inputs() may be made of.
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

constexpr StringLiteral options = "dtype=None, layout=None, device=None, requires_grad=False, "
                                  "pin_memory=False, memory_format=None, generator=None, out=None)";

PyValue filled(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue value, PyValue dtypeGiven,
               std::optional<DType> dtype) {
  if (!t.dtypeArg(dtypeGiven, dtype))
    return nullptr;
  std::optional<Operand> operand = t.operand(value);
  if (!operand)
    return nullptr;
  DType type = dtype ? *dtype : isFloat(operand->dtype) ? DType::F32 : operand->dtype;
  return t.wrap(t.writer.broadcastTo(t.materialize(*operand, type), sizes));
}

PyValue unknown(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue dtypeGiven, DType dtype,
                StringRef name) {
  std::optional<DType> type = dtype;
  if (!t.dtypeArg(dtypeGiven, type))
    return nullptr;
  return t.wrap(t.writer.unknown(sizes, *type, name));
}

void defineConstants(TorchLibrary &library) {
  std::string tail = (", *, " + options).str();
  // What torch.empty holds is not defined, so zeros will do.
  for (auto [name, number] :
       {std::pair<StringRef, double>{"zeros", 0.0}, {"ones", 1.0}, {"empty", 0.0}})
    library.define("torch", name, "(*size, " + options.str(),
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
    library.define("Tensor", name, "(self, *size, " + options.str(),
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

/// Random numbers of a size, by a definition of random.py where the program draws them.
PyValue random(TorchLibrary &t, StringRef name, ArrayRef<Expr> sizes, PyValue dtypeGiven,
               DType dtype, ArrayRef<PyValue> more = {}) {
  if (!t.isDrawing())
    return unknown(t, sizes, dtypeGiven, dtype, name);
  std::optional<DType> type = dtype;
  if (!t.dtypeArg(dtypeGiven, type))
    return nullptr;
  SmallVector<PyValue> args{t.seed(), t.makeShape(sizes), t.makeDType(*type)};
  append_range(args, more);
  return t.machine->call(t.lookup("prims", ("draw_" + name).str()), args);
}

/// False after a refusal of `generator=`, the last argument but one of all that draw.
bool takesGenerator(TorchLibrary &t, ArrayRef<PyValue> args) {
  return t.machine->call(t.lookup("prims", "draws"), {args[args.size() - 2]});
}

PyValue randint(TorchLibrary &t, ArrayRef<Expr> sizes, PyValue low, PyValue high,
                PyValue dtypeGiven, DType dtype) {
  auto *least = dyn_cast<IntObject>(low), *end = dyn_cast<IntObject>(high);
  if (least && end && least->small >= end->small)
    return t.machine->raise("RuntimeError", "random_ expects 'from' to be less than 'to', but got "
                                            "from=" +
                                                Twine(least->small) +
                                                " >= to=" + Twine(end->small));
  if (least && end && end->small - least->small > int64_t(1) << 32)
    return t.machine->refuse("randint over more than 2**32 integers is not supported");
  PyValue result = random(t, "randint", sizes, dtypeGiven, dtype, {low, high});
  if (auto *tensor = dyn_cast_if_present<TensorValue>(result); tensor && end && !t.isDrawing())
    if (mlir::Operation *op = tensor->storage->value.getDefiningOp())
      op->setAttr("below", t.writer.builder.getI64IntegerAttr(end->small));
  return result;
}

void defineRandomTensors(TorchLibrary &library) {
  for (StringRef name : {"rand", "randn"}) {
    library.define("torch", name, "(*size, " + options.str(),
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     std::optional<Sizes> sizes = t.newSizesArg(a[0]);
                     return sizes && takesGenerator(t, a)
                                ? random(t, name, *sizes, a[1], DType::F32)
                                : nullptr;
                   });
    library.define("torch", (name + "_like").str(), "(input, *, " + options.str(),
                   [name](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                     TensorValue *x = t.tensorArg(a[0], name);
                     return x && takesGenerator(t, a)
                                ? random(t, name, t.sizesOf(x), a[1], x->dtype)
                                : nullptr;
                   });
  }
  library.define("torch", "randint", "(low, high, size=None, *, " + options.str(),
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   bool two = isa<NoneObject>(a[2]); // randint(high, size)
                   std::optional<Sizes> sizes = t.newSizesArg(two ? a[1] : a[2]);
                   if (!sizes || !takesGenerator(t, a))
                     return nullptr;
                   return randint(t, *sizes, two ? t.machine->makeInt(0) : a[0], two ? a[0] : a[1],
                                  a[3], DType::I64);
                 });
  library.define("torch", "randint_like", "(input, low, high=None, *, " + options.str(),
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   bool two = isa<NoneObject>(a[2]); // randint_like(input, high)
                   TensorValue *x = t.tensorArg(a[0], "randint_like");
                   if (!x || !takesGenerator(t, a))
                     return nullptr;
                   return randint(t, t.sizesOf(x), two ? t.machine->makeInt(0) : a[1],
                                  two ? a[1] : a[2], a[3], x->dtype);
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

/// Questions about sizes that the preludes ask: their answers are Python's own numbers, decided by
/// the typical sizes where they have to be.
void defineSizePrimitives(TorchLibrary &library) {
  library.define("prims", "same", "(a, b)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    std::optional<Expr> x = t.sizeArg(a[0], "a size"), y = x ? t.sizeArg(a[1], "a size") : x;
    return y ? t.machine->makeBool(t.solver.resolve(*x) == t.solver.resolve(*y)) : nullptr;
  });
  library.define("prims", "is_symbolic", "(size)", [](TorchLibrary &t, ArrayRef<PyValue> a) {
    return t.machine->makeBool(isa<SizeValue>(a[0]));
  });
  library.define("prims", "fixed", "(size)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    std::optional<Expr> size = t.sizeArg(a[0], "a size");
    std::optional<int64_t> fixed =
        size ? t.fixSizeOrRefuse(*size, TorchLibrary::mostTurns, "the number of tensors",
                                 "write the loop as an operator along the axis")
             : std::nullopt;
    return fixed ? t.machine->makeInt(*fixed) : nullptr;
  });
  // Whether a condition on sizes holds for the typical ones; from now on it does.
  library.define("prims", "holds", "(condition, message)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   Pred condition = t.conditionOf(a[0]);
                   std::string message = cast<StrObject>(a[1])->text.str();
                   return condition ? t.machine->makeBool(t.solver.require(condition, message))
                                    : a[0];
                 });
  // The length of the pieces of torch.chunk: equal ones where the typical size is divided evenly.
  library.define(
      "prims", "chunk_length", "(size, chunks)",
      [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
        std::optional<Expr> size = t.sizeArg(a[0], "a size");
        std::optional<int64_t> chunks = size ? t.intArg(a[1], "chunks") : std::nullopt;
        if (!chunks)
          return nullptr;
        if (*chunks < 1)
          return t.machine->raise("RuntimeError",
                                  "chunk expects `chunks` to be greater than 0, got: " +
                                      Twine(*chunks));
        std::string message =
            ("an axis of size " + size->str() + " is cut into " + Twine(*chunks) + " equal pieces")
                .str();
        // The general form where the typical size is not divided: it holds for those that are, too.
        Pred divides = index::divisible(*size, *chunks);
        bool even = !size->isConstant() && t.solver.require(divides, message);
        return t.makeSize(even ? index::floordiv(*size, *chunks) : index::ceildiv(*size, *chunks));
      });
  // How many pieces of a length an axis has.
  library.define(
      "prims", "pieces", "(total, length)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
        std::optional<Expr> total = t.sizeArg(a[0], "a size");
        std::optional<Expr> length = total ? t.sizeArg(a[1], "split_size") : total;
        if (!length)
          return nullptr;
        for (int64_t count = 1; count <= 256; ++count)
          if (t.solver.resolve(*length * count) == t.solver.resolve(*total))
            return t.machine->makeInt(count);
        // x.split(n // 3) makes three pieces where 3 divides n.
        Expr resolved = t.solver.resolve(*length);
        if (resolved.getKind() == index::ExprKind::FloorDiv &&
            resolved.getOperands()[0] == t.solver.resolve(*total))
          if (auto count = resolved.getOperands()[1].getConstant();
              count && *count <= 256 &&
              t.solver.require(index::divisible(*total, *count),
                               "an axis of size " + total->str() + " is cut into equal pieces"))
            return t.machine->makeInt(*count);
        std::optional<int64_t> whole = t.solver.hint(*total);
        std::optional<int64_t> part = t.solver.hint(*length);
        if (!whole || !part || *part < 1)
          return t.machine->refuse("the number of pieces depends on the size " + total->str() +
                                       ", which is not fixed",
                                   "use chunk, or give the axis a size in --inputs");
        int64_t count = std::max<int64_t>(1, (*whole + *part - 1) / *part);
        std::string message = ("an axis of size " + total->str() + " is cut into " + Twine(count) +
                               " pieces of " + length->str())
                                  .str();
        if (*whole)
          t.solver.require(index::gt(*total, *length * (count - 1)), message);
        t.solver.require(index::le(*total, *length * count), message);
        return t.machine->makeInt(count);
      });
  // a modulo a size, for the shift of torch.roll.
  library.define("prims", "remainder", "(a, size)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   std::optional<Expr> x = t.sizeArg(a[0], "a shift");
                   std::optional<Expr> size = x ? t.sizeArg(a[1], "a size") : x;
                   if (!size)
                     return nullptr;
                   if (x->isConstant() && size->isConstant())
                     return t.makeSize(size->isConstant(0) ? *size : index::mod(*x, *size));
                   std::string message = "a roll by more than the size " + size->str();
                   if (t.solver.hint(*size) == 0 && t.solver.require(index::eq(*size, 0), message))
                     return t.machine->makeInt(0);
                   auto isWithin = [&](Expr y) {
                     return t.solver.truth(index::ge(y, 0)) == index::Truth::True &&
                            t.solver.truth(index::le(y, *size)) == index::Truth::True;
                   };
                   for (Expr each : {*x, *x + *size})
                     if (isWithin(each))
                       return t.makeSize(each);
                   return t.makeSize(index::mod(*x, *size));
                 });
}

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
  define("torch", "arange", "(start=None, end=None, step=1, *, " + options.str(),
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           if (isa<NoneObject>(a[0]) && isa<NoneObject>(a[1]))
             return t.machine->raise("TypeError", "arange(): no end is given");
           if (isa<NoneObject>(a[0]))
             return arange(t, t.machine->makeInt(0), a[1], a[2], a[3]);
           bool one = isa<NoneObject>(a[1]);
           return arange(t, one ? t.machine->makeInt(0) : a[0], one ? a[0] : a[1], a[2], a[3]);
         });
  for (StringRef name : {"tensor", "as_tensor", "scalar_tensor"})
    define("torch", name, "(data, *, " + options.str(),
           [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
             std::optional<DType> dtype;
             if (!t.dtypeArg(a[1], dtype))
               return nullptr;
             if (auto *tensor = dyn_cast<TensorValue>(a[0]); tensor && !tensor->isNumber)
               return dtype ? t.castTo(tensor, *dtype) : t.wrap(t.read(tensor));
             Literal literal(t);
             return literal.read(a[0]) ? literal.make(dtype) : nullptr;
           });
  define("prims", "iota", "(sizes, dim)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    std::optional<Sizes> sizes = t.newSizesArg(a[0]);
    std::optional<int64_t> dim = sizes ? t.dimArg(a[1], sizes->size()) : std::nullopt;
    return dim ? t.wrap(t.writer.iota(*dim, *sizes, DType::I64)) : nullptr;
  });
  defineSizePrimitives(*this);
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
