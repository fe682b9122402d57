// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about sizes that the preludes ask.
#include "frontend/torch/Factories.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

namespace {

/// The length of the pieces of torch.chunk: equal ones where the typical size is divided evenly.
PyValue chunkLength(TorchLibrary &t, ArrayRef<PyValue> a) {
  std::optional<Expr> size = t.sizeArg(a[0], "a size");
  std::optional<int64_t> chunks = size ? t.intArg(a[1], "chunks") : std::nullopt;
  if (!chunks)
    return nullptr;
  if (*chunks < 1)
    return t.machine->raise("RuntimeError",
                            "chunk expects `chunks` to be greater than 0, got: " + Twine(*chunks));
  std::string message =
      ("an axis of size " + size->str() + " is cut into " + Twine(*chunks) + " equal pieces").str();
  // The general form where the typical size is not divided: it holds for those that are, too.
  Pred divides = index::divisible(*size, *chunks);
  bool even = !size->isConstant() && t.solver.require(divides, message);
  return t.makeSize(even ? index::floordiv(*size, *chunks) : index::ceildiv(*size, *chunks));
}

/// How many pieces of a length an axis has.
PyValue countPieces(TorchLibrary &t, ArrayRef<PyValue> a) {
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
}

/// A shift modulo a size, for torch.roll.
PyValue shiftWithin(TorchLibrary &t, ArrayRef<PyValue> a) {
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
}

} // namespace

void defineSizeQuestions(TorchLibrary &library) {
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
  library.define("prims", "pinned", "(size, reason)",
                 [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
                   std::optional<Expr> size = t.sizeArg(a[0], "a size");
                   std::optional<int64_t> fixed =
                       size ? t.fixSizeOrRefuse(*size, std::numeric_limits<int64_t>::max(),
                                                cast<StrObject>(a[1])->text, "")
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
  library.define("prims", "chunk_length", "(size, chunks)", chunkLength);
  library.define("prims", "pieces", "(total, length)", countPieces);
  library.define("prims", "remainder", "(a, size)", shiftWithin);
}

} // namespace nereid::torch
