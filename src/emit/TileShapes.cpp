// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program ids, tiles made and rearranged, and memory.
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/TileTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::emit {

static Code number(int64_t value) { return Code::text(std::to_string(value)); }

static Operand whole(Code code, Type type) {
  return {std::move(code), getExtents(type), {}, false, false};
}

Operand TilePrinter::renderExpandDims(Operand base, unsigned axis) {
  // Broadcasting gives a scalar any rank.
  if (base.shape.empty())
    return base;
  llvm::SmallVector<std::string> entries(base.shape.size(), ":");
  Code inner = base.code;
  if (inner.getKind() == CodeKind::Suffix && inner.getText().starts_with("[")) {
    llvm::SmallVector<llvm::StringRef> parts;
    inner.getText().drop_front().drop_back().split(parts, ", ");
    entries.assign(parts.begin(), parts.end());
    inner = inner.getChildren()[0];
  }
  entries.insert(entries.begin() + axis, "None");
  base.code = Code::suffix(inner, "[" + llvm::join(entries, ", ") + "]");
  base.shape.insert(base.shape.begin() + axis, 1);
  base.mayBeKnown = false;
  return base;
}

static Code rangeBounds(int64_t start, Code extent, bool isNumber, int64_t size) {
  if (start == 0)
    return Code::call("tl.arange", {number(0), extent});
  Code end =
      isNumber ? number(start + size) : Code::binary("+", Binding::Add, number(start), extent);
  return Code::call("tl.arange", {number(start), end});
}

/// Two tiles of one extent, one after the other. `tl.cat` may reorder elements, or has other
/// arguments, depending on the version.
static Code concatenate(const Code &lhs, const Code &rhs, const Code &shape) {
  Code joined = Code::call("tl.join", {lhs, rhs});
  Code order = Code::tuple({number(1), number(0)});
  return Code::call("tl.reshape", {Code::call("tl.permute", {joined, order}), shape});
}

Operand TilePrinter::renderShape(Operation *op) {
  Type type = op->getResult(0).getType();
  return llvm::TypeSwitch<Operation *, Operand>(op)
      .Case([&](tile::RangeOp range) {
        bool isNumber = tile::getDimName(type, 0).empty();
        Code extent = getShape(type).getChildren()[0];
        int64_t size = tile::getShape(type)[0];
        return whole(rangeBounds(range.getStart(), extent, isNumber, size), type);
      })
      .Case([&](tile::ExpandDimsOp expand) {
        return renderExpandDims(get(expand.getValue()), expand.getAxis());
      })
      .Case([&](tile::ReshapeOp reshape) {
        return whole(Code::call("tl.reshape", {getExact(reshape.getValue()).code, getShape(type)}),
                     type);
      })
      .Case([&](tile::TransOp trans) {
        Code value = getExact(trans.getValue()).code;
        if (trans.getOrder() == llvm::ArrayRef<int32_t>{1, 0})
          return whole(Code::call("tl.trans", {value}), type);
        llvm::SmallVector<Code> order;
        for (int32_t axis : trans.getOrder())
          order.push_back(number(axis));
        return whole(Code::call("tl.permute", {value, Code::tuple(order)}), type);
      })
      .Case([&](tile::JoinOp join) {
        Code lhs = getExact(join.getLhs()).code, rhs = getExact(join.getRhs()).code;
        return whole(Code::call("tl.join", {lhs, rhs}), type);
      })
      .Case([&](tile::CatOp cat) {
        if (cat.getLhs().getType() != cat.getRhs().getType() || tile::getShape(type).size() != 1)
          return refuse(op, "joins tiles of unequal shapes or of rank above 1");
        Code lhs = getExact(cat.getLhs()).code, rhs = getExact(cat.getRhs()).code;
        return whole(concatenate(lhs, rhs, getShape(type)), type);
      })
      .Case([&](tile::GatherOp gather) {
        Code value = getExact(gather.getValue()).code, at = getExact(gather.getIndices()).code;
        return whole(Code::call("tl.gather", {value, at, number(gather.getAxis())}), type);
      })
      .Case([&](tile::SortOp sort) {
        llvm::SmallVector<Code> arguments = {getExact(sort.getValue()).code};
        if (sort.getDescending())
          arguments.push_back(Code::keyword("descending", Code::text("True")));
        llvm::StringRef name = sort.getMerges() ? "tl.bitonic_merge" : "tl.sort";
        return whole(Code::call(name, arguments), type);
      })
      .Default([&](Operation *) { return refuse(op, "has no spelling in Triton"); });
}

Operand TilePrinter::renderProgram(Operation *op) {
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return whole(Code::call("tl.program_id", {number(id.getAxis())}), id.getType());
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return whole(Code::call("tl.num_programs", {number(count.getAxis())}), count.getType());
  auto hint = cast<tile::HintOp>(op);
  Operand value = getExact(hint.getValue());
  llvm::SmallVector<Code> values;
  for (int64_t each : hint.getValues())
    values.push_back(number(each));
  Code list = values.size() == 1 ? values[0] : Code::list(values);
  value.code = Code::call(("tl." + hint.getKind()).str(), {value.code, list});
  value.mayBeKnown = false;
  return value;
}

static void addOptions(llvm::SmallVectorImpl<Code> &arguments, llvm::StringRef cache,
                       llvm::StringRef eviction) {
  if (!cache.empty())
    arguments.push_back(Code::keyword("cache_modifier", Code::text(quote(cache))));
  if (!eviction.empty())
    arguments.push_back(Code::keyword("eviction_policy", Code::text(quote(eviction))));
}

static bool isUnsignedPointee(Type pointer) {
  return tile::getPtrType(pointer).getPointee().isUnsignedInteger();
}

Operand TilePrinter::renderMemory(Operation *op) {
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    Operand pointer = get(add.getPtr()), offset = getSigned(add.getOffset());
    if (offset.literal && cast<IntegerAttr>(offset.literal).getValue().isZero())
      return pointer;
    Operand result =
        combine(Code::binary("+", Binding::Add, pointer.code, offset.code), {pointer, offset});
    result.mayBeKnown = false;
    return result;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    llvm::SmallVector<Code> arguments = {getExact(load.getPtr()).code};
    if (load.getMask())
      arguments.push_back(Code::keyword("mask", get(load.getMask()).code));
    if (load.getOther())
      arguments.push_back(Code::keyword("other", getStored(load.getOther()).code));
    addOptions(arguments, load.getCacheModifier(), load.getEvictionPolicy());
    if (load.getIsVolatile())
      arguments.push_back(Code::keyword("volatile", Code::text("True")));
    Operand result = whole(Code::call("tl.load", arguments), load.getResult().getType());
    result.isUnsigned = isUnsignedPointee(load.getPtr().getType());
    return result;
  }
  Type type = op->getResult(0).getType();
  Operand operand = getExact(op->getOperand(0));
  return cast(operand, type);
}

Code TilePrinter::renderStore(tile::StoreOp op) {
  llvm::SmallVector<Code> arguments = {getExact(op.getPtr()).code, getStored(op.getValue()).code};
  if (op.getMask())
    arguments.push_back(Code::keyword("mask", get(op.getMask()).code));
  addOptions(arguments, op.getCacheModifier(), op.getEvictionPolicy());
  return Code::call("tl.store", arguments);
}

template <typename OpTy> static void addOrdering(llvm::SmallVectorImpl<Code> &arguments, OpTy op) {
  if (op.getSem() != tile::MemSem::AcqRel)
    arguments.push_back(
        Code::keyword("sem", Code::text(quote(tile::stringifyMemSem(op.getSem())))));
  if (op.getScope() != tile::MemScope::Gpu)
    arguments.push_back(
        Code::keyword("scope", Code::text(quote(tile::stringifyMemScope(op.getScope())))));
}

static llvm::StringRef getAtomic(tile::RmwKind kind) {
  switch (kind) {
  case tile::RmwKind::And:
    return "tl.atomic_and";
  case tile::RmwKind::Or:
    return "tl.atomic_or";
  case tile::RmwKind::Xor:
    return "tl.atomic_xor";
  case tile::RmwKind::Add:
  case tile::RmwKind::FAdd:
    return "tl.atomic_add";
  case tile::RmwKind::Max:
  case tile::RmwKind::UMax:
  case tile::RmwKind::FMax:
    return "tl.atomic_max";
  case tile::RmwKind::Min:
  case tile::RmwKind::UMin:
  case tile::RmwKind::FMin:
    return "tl.atomic_min";
  case tile::RmwKind::Xchg:
    return "tl.atomic_xchg";
  }
  llvm_unreachable("no other read-modify-write");
}

Code TilePrinter::renderAtomic(tile::AtomicRmwOp op) {
  bool isUnsigned = isUnsignedPointee(op.getPtr().getType());
  bool wantsUnsigned = op.getKind() == tile::RmwKind::UMax || op.getKind() == tile::RmwKind::UMin;
  bool wantsSigned = op.getKind() == tile::RmwKind::Max || op.getKind() == tile::RmwKind::Min;
  if ((wantsUnsigned && !isUnsigned) || (wantsSigned && isUnsigned))
    return refuse(op, "compares with another sign than the pointee has").code;
  Operand value = isUnsigned ? getUnsigned(op.getValue()) : getStored(op.getValue());
  llvm::SmallVector<Code> arguments = {getExact(op.getPtr()).code, value.code};
  if (op.getMask())
    arguments.push_back(Code::keyword("mask", get(op.getMask()).code));
  addOrdering(arguments, op);
  return Code::call(getAtomic(op.getKind()), arguments);
}

Code TilePrinter::renderAtomic(tile::AtomicCasOp op) {
  llvm::SmallVector<Code> arguments = {getExact(op.getPtr()).code, getExact(op.getExpected()).code,
                                       getExact(op.getValue()).code};
  addOrdering(arguments, op);
  return Code::call("tl.atomic_cas", arguments);
}

} // namespace nereid::emit
