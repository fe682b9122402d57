// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: the program gets one more argument, the seed, and every draw a stream of its own
// in the order of the program. What is drawn while a file is read or a module is made is another
// matter: those are contents that are not known while converting (RandomTensors.cpp).
#include "frontend/torch/TorchLibrary.h"

#include "python/machine/Frame.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

bool TorchLibrary::isReadingFile() const {
  for (Frame *frame = machine->getFrame(); frame; frame = frame->caller)
    if (frame->kind == FrameKind::Module)
      return true;
  return false;
}

// A file that is imported in the middle of the program is still only read once.
bool TorchLibrary::isDrawing() const { return entry && !isReadingFile(); }

TensorValue *TorchLibrary::seed() {
  if (!seedArgument)
    seedArgument = entry->addArgument(
        writer.type({}, DType::I64),
        mlir::NameLoc::get(mlir::StringAttr::get(context, "seed"), writer.place));
  return wrapNumber(seedArgument);
}

static PyValue draw(TorchLibrary &t, ArrayRef<PyValue> a) {
  std::optional<graph::RandomKind> kind = graph::symbolizeRandomKind(cast<StrObject>(a[0])->text);
  auto *seed = cast<TensorValue>(a[1]);
  std::optional<Sizes> sizes = t.newSizesArg(a[2]);
  if (!sizes)
    return nullptr;
  DType dtype = *kind == graph::RandomKind::Bits ? DType::U32 : DType::F32;
  return t.wrap(graph::RandomOp::create(
      t.writer.builder, t.writer.place, t.writer.type(*sizes, dtype), *kind, t.read(seed),
      sym::ExprAttr::get(t.writer.builder.getContext(), t.writer.constantSize(t.drawCount++))));
}

void TorchLibrary::defineRandom() {
  // Whether the call of the program draws here, and not what is read or made before it.
  define("prims", "draws", "(generator=None)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    if (t.isDrawing() && !isa<NoneObject>(a[0]))
      return t.machine->refuse("a generator in the program is not supported",
                               "leave it away, and pass seed= to the converted program");
    return t.machine->makeBool(t.isDrawing());
  });
  define("prims", "seed", "()",
         [](TorchLibrary &t, ArrayRef<PyValue>) -> PyValue { return t.seed(); });
  define("prims", "random", "(kind, seed, size)", draw);
  // Whether a number is Python's own: runtime scalars and tensors are not.
  define("prims", "is_known", "(number)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    return t.machine->makeBool(isa<FloatObject, IntObject>(a[0]) || TorchLibrary::isLive(a[0]));
  });
  // Whether a number is live, and none of the others while converting: at these the program is
  // another one.
  define("prims", "is_live", "(number, *others)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
           auto *live = TorchLibrary::isLive(a[0]) ? cast<TensorValue>(a[0]) : nullptr;
           return t.machine->makeBool(
               live && none_of(cast<TupleObject>(a[1])->items, [&](PyValue other) {
                 return cast<FloatObject>(other)->value == cast<FloatObject>(live->known)->value;
               }));
         });
  // 1 / (1 - p), and 0 for 1.
  define("prims", "dropout_scale", "(p)",
         [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue { return t.dropoutScale(a[0]); });
  // The float32 number nearest to one of Python's.
  define("prims", "float32", "(number)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    if (auto *real = dyn_cast<FloatObject>(a[0]))
      return t.machine->makeFloat(static_cast<float>(real->value));
    return a[0];
  });
}

} // namespace nereid::torch
