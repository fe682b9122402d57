// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles made and rearranged. What only rearranges lanes is a list, made once, of where each lane of
// the result comes from.
#include "interpreter/Access.h"
#include "interpreter/Elementwise.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nereid::interpreter {

namespace {

template <typename T>
void pickAs(const std::byte *from, const int32_t *lanes, std::byte *to, int64_t count) {
  const T *x = reinterpret_cast<const T *>(from);
  T *out = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < count; ++i)
    out[i] = x[lanes[i]];
}

void pick(unsigned bytes, const std::byte *from, const int32_t *lanes, std::byte *to,
          int64_t count) {
  switch (bytes) {
  case 1:
    return pickAs<uint8_t>(from, lanes, to, count);
  case 2:
    return pickAs<uint16_t>(from, lanes, to, count);
  case 4:
    return pickAs<uint32_t>(from, lanes, to, count);
  default:
    return pickAs<uint64_t>(from, lanes, to, count);
  }
}

/// result[i] = value[lanes[i]], flags too.
void pickLanes(const Buffer &value, llvm::ArrayRef<int32_t> lanes, Buffer &result) {
  auto count = static_cast<int64_t>(lanes.size());
  if (value.stored() == 1) {
    result = value;
    result.uniform = true;
    result.count = count;
    return;
  }
  result.reset(value.element, count, false);
  pick(getBytes(value.element), value.data->data(), lanes.data(), result.data->data(), count);
  if (!value.flags)
    return;
  auto *flags = reinterpret_cast<std::byte *>(result.addFlags());
  pick(1, value.flags->data(), lanes.data(), flags, count);
  result.poisonedBy = value.poisonedBy;
  result.wrappedBy = value.wrappedBy;
}

void runPick(Machine &, Program &program, const Instruction &at) {
  pickLanes(operand(program, at, 0), at.lanes, program.slots[at.results[0]]);
}

/// Broadcasts along the last axis: each lane as often as `variant` says.
void runRepeat(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &value = operand(program, at, 0);
  if (value.stored() == 1 || value.flags)
    return runPick(machine, program, at);
  Buffer &result = program.slots[at.results[0]];
  result.reset(value.element, at.count, false);
  unsigned bytes = getBytes(value.element);
  for (int64_t lane = 0; lane < value.count; ++lane)
    fillFrom(value.data->data() + lane * bytes, bytes,
             result.data->data() + lane * at.variant * bytes, at.variant);
}

/// Broadcasts along the first axis: all lanes, and again.
void runCycle(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &value = operand(program, at, 0);
  if (value.stored() == 1 || value.flags)
    return runPick(machine, program, at);
  Buffer &result = program.slots[at.results[0]];
  result.reset(value.element, at.count, false);
  size_t bytes = value.count * getBytes(value.element);
  for (int64_t turn = 0; turn < at.count / value.count; ++turn)
    std::memcpy(result.data->data() + turn * bytes, value.data->data(), bytes);
}

/// The same lanes under another shape.
void runShare(Machine &, Program &program, const Instruction &at) {
  program.slots[at.results[0]] = operand(program, at, 0);
}

void selectShare(mlir::Operation *, Instruction &at) { at.handler = runShare; }

void runSplat(Machine &, Program &program, const Instruction &at) {
  Buffer &result = program.slots[at.results[0]];
  result = operand(program, at, 0);
  result.uniform = true;
  result.count = at.count;
}

void selectSplat(mlir::Operation *, Instruction &at) { at.handler = runSplat; }

void runRange(Machine &, Program &program, const Instruction &at) {
  program.slots[at.results[0]] = at.constant;
}

void selectRange(mlir::Operation *op, Instruction &at) {
  at.constant.reset(Element::I32, at.count, false);
  auto start = static_cast<uint32_t>(mlir::cast<tile::RangeOp>(op).getStart());
  for (int64_t i = 0; i < at.count; ++i)
    at.constant.asMutable<uint32_t>()[i] = start + static_cast<uint32_t>(i);
  at.handler = runRange;
}

llvm::SmallVector<int64_t> getRowMajor(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// Fills `lanes` with sum over axes of index * stride, for every index of the shape in order.
void makeLanes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
               std::vector<int32_t> &lanes) {
  lanes.assign(1, 0);
  for (auto [extent, stride] : llvm::zip(shape, strides)) {
    std::vector<int32_t> next;
    next.reserve(lanes.size() * extent);
    for (int32_t base : lanes)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(static_cast<int32_t>(base + i * stride));
    lanes = std::move(next);
  }
}

void selectBroadcast(mlir::Operation *op, Instruction &at) {
  llvm::ArrayRef<int64_t> from = tile::getShape(op->getOperand(0).getType());
  llvm::SmallVector<int64_t> strides = getRowMajor(from);
  for (auto [extent, stride] : llvm::zip(from, strides))
    if (extent == 1)
      stride = 0;
  makeLanes(tile::getShape(op->getResult(0).getType()), strides, at.lanes);
  int64_t count = mlir::ShapedType::getNumElements(from);
  at.variant = at.count / count;
  auto isRepeat = [&](auto lane) { return lane.value() == int64_t(lane.index()) / at.variant; };
  auto isCycle = [&](auto lane) { return lane.value() == int64_t(lane.index()) % count; };
  at.handler = llvm::all_of(llvm::enumerate(at.lanes), isRepeat)  ? runRepeat
               : llvm::all_of(llvm::enumerate(at.lanes), isCycle) ? runCycle
                                                                  : runPick;
}

void selectTrans(mlir::Operation *op, Instruction &at) {
  auto trans = mlir::cast<tile::TransOp>(op);
  llvm::SmallVector<int64_t> from = getRowMajor(trans.getValue().getType().getShape()), strides;
  for (int32_t axis : trans.getOrder())
    strides.push_back(from[axis]);
  makeLanes(trans.getResult().getType().getShape(), strides, at.lanes);
  at.handler = runPick;
}

/// The results of two operands' lanes put together: lane i is lane lanes[i] of both in a row.
void runCombine(Machine &, Program &program, const Instruction &at) {
  Buffer a = operand(program, at, 0), b = operand(program, at, 1), both;
  a.spread();
  b.spread();
  unsigned bytes = getBytes(a.element);
  both.reset(a.element, a.count + b.count, false);
  std::memcpy(both.data->data(), a.data->data(), a.count * bytes);
  std::memcpy(both.data->data() + a.count * bytes, b.data->data(), b.count * bytes);
  if (a.flags || b.flags) {
    uint8_t *flags = both.addFlags();
    for (int64_t i = 0; i < both.count; ++i)
      flags[i] = i < a.count ? a.flagOf(i) : b.flagOf(i - a.count);
    both.poisonedBy = a.poisonedBy ? a.poisonedBy : b.poisonedBy;
    both.wrappedBy = a.wrappedBy ? a.wrappedBy : b.wrappedBy;
  }
  pickLanes(both, at.lanes, program.slots[at.results[0]]);
}

void selectCat(mlir::Operation *, Instruction &at) {
  for (int64_t i = 0; i < at.count; ++i)
    at.lanes.push_back(static_cast<int32_t>(i));
  at.handler = runCombine;
}

void selectJoin(mlir::Operation *, Instruction &at) {
  for (int64_t i = 0; i < at.count; ++i)
    at.lanes.push_back(static_cast<int32_t>(i / 2 + i % 2 * (at.count / 2)));
  at.handler = runCombine;
}

void runSplit(Machine &, Program &program, const Instruction &at) {
  for (int32_t half : {0, 1}) {
    llvm::SmallVector<int32_t> lanes;
    for (int64_t i = 0; i < at.count; ++i)
      lanes.push_back(static_cast<int32_t>(2 * i + half));
    Buffer &result = program.slots[at.results[half]];
    pickLanes(operand(program, at, 0), lanes, result);
    result.uniform = result.stored() == 1;
  }
}

void selectSplit(mlir::Operation *, Instruction &at) { at.handler = runSplit; }

/// `lanes` holds for each lane of the result the value's lane for index 0; variant is the axis.
void runGather(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &indices = operand(program, at, 1);
  mlir::Type type = at.op->getOperand(0).getType();
  llvm::ArrayRef<int64_t> shape = tile::getShape(type);
  int64_t extent = shape[at.variant], stride = getRowMajor(shape)[at.variant];
  std::vector<int32_t> lanes(at.lanes);
  for (int64_t i = 0; i < at.count; ++i) {
    int64_t index = readInteger(indices, i);
    if (indices.flagOf(i) & Poison)
      machine.report(
          FindingKind::Undefined, program, at,
          [&] { return std::string("an index is an undefined value"); }, i);
    if (index < 0 || index >= extent) {
      machine.report(
          FindingKind::OutOfBounds, program, at,
          [&] {
            return "index " + std::to_string(index) + " is not within the extent " +
                   std::to_string(extent);
          },
          i);
      index = 0;
    }
    lanes[i] += static_cast<int32_t>(index * stride);
  }
  pickLanes(operand(program, at, 0), lanes, program.slots[at.results[0]]);
}

/// Puts the lanes of one line in the order that the network makes which sorts what rises and falls.
template <typename T>
void mergeLine(llvm::MutableArrayRef<int32_t> lanes, const T *elements, bool descends) {
  for (size_t distance = lanes.size() / 2; distance > 0; distance /= 2)
    for (size_t i = 0; i < lanes.size(); ++i)
      if ((i & distance) == 0) {
        T low = elements[lanes[i]], high = elements[lanes[i + distance]];
        if (descends ? low < high : high < low)
          std::swap(lanes[i], lanes[i + distance]);
      }
}

/// Where each lane of the result of a sort comes from. Undefined elements have no order.
template <typename T> void runSort(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &value = operand(program, at, 0);
  if (value.stored() == 1) {
    program.slots[at.results[0]] = value;
    return;
  }
  const T *elements = value.as<T>();
  int64_t extent = tile::getShape(at.op->getOperand(0).getType()).back();
  auto sort = mlir::cast<tile::SortOp>(at.op);
  bool descends = sort.getDescending(), merges = sort.getMerges();
  std::vector<int32_t> lanes(at.count);
  std::iota(lanes.begin(), lanes.end(), 0);
  for (int64_t i = 0; i < at.count; ++i)
    if (value.flagOf(i) & Poison)
      machine.report(
          FindingKind::Undefined, program, at,
          [&] { return "sorts an undefined value" + getOriginText(value.poisonedBy); }, i);
  for (int64_t line = 0; line < at.count; line += extent) {
    llvm::MutableArrayRef<int32_t> own(lanes.data() + line, extent);
    if (merges)
      mergeLine(own, elements, descends);
    else
      llvm::stable_sort(own, [&](int32_t a, int32_t b) {
        return descends ? elements[a] > elements[b] : elements[a] < elements[b];
      });
  }
  pickLanes(value, lanes, program.slots[at.results[0]]);
}

void selectSort(mlir::Operation *op, Instruction &at) {
  at.handler = at.source == Element::I64 ? runSort<int64_t> : runSort<int32_t>;
}

void selectGather(mlir::Operation *op, Instruction &at) {
  auto gather = mlir::cast<tile::GatherOp>(op);
  llvm::SmallVector<int64_t> strides = getRowMajor(gather.getValue().getType().getShape());
  at.variant = gather.getAxis();
  strides[at.variant] = 0;
  makeLanes(gather.getResult().getType().getShape(), strides, at.lanes);
  at.handler = runGather;
}

} // namespace

void addShapeHandlers(HandlerTable &table) {
  table["tile.range"] = selectRange;
  table["tile.splat"] = selectSplat;
  table["tile.broadcast"] = selectBroadcast;
  table["tile.expand_dims"] = selectShare;
  table["tile.reshape"] = selectShare;
  table["tile.relabel"] = selectShare;
  table["tile.hint"] = selectShare;
  table["tile.trans"] = selectTrans;
  table["tile.join"] = selectJoin;
  table["tile.split"] = selectSplit;
  table["tile.cat"] = selectCat;
  table["tile.gather"] = selectGather;
  table["tile.sort"] = selectSort;
}

} // namespace nereid::interpreter
