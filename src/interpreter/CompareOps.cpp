// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith.cmpi, arith.cmpf and arith.select.
#include "interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <cstring>

namespace nereid::interpreter {

namespace {

using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

template <CmpIPredicate predicate, typename T> bool compareIntegers(T a, T b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return a < b;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return a <= b;
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return a > b;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return a >= b;
  }
}

constexpr bool isUnsigned(CmpIPredicate predicate) {
  return predicate >= CmpIPredicate::ult && predicate <= CmpIPredicate::uge;
}

/// Comparisons do not carry the wrap flag on: an address is never a truth value.
void mergePoison(Machine &machine, Program &program, const Instruction &at) {
  mergeFlags(machine, program, at);
  Buffer &result = program.slots[at.results[0]];
  if (!result.wrappedBy)
    return;
  bool poisoned = false;
  auto *flags = reinterpret_cast<uint8_t *>(result.flags->data());
  for (int64_t i = 0, n = result.stored(); i < n; ++i)
    poisoned |= (flags[i] &= Poison) != 0;
  result.wrappedBy = nullptr;
  if (!poisoned)
    result.dropFlags();
}

template <CmpIPredicate predicate, typename T>
void runCompareI(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, Element::I1);
  mapLanes<T, uint8_t>(operand(program, at, 0), operand(program, at, 1), result,
                       [](T a, T b) -> uint8_t { return compareIntegers<predicate>(a, b); });
  mergePoison(machine, program, at);
}

/// A signed i1 is 0 or -1: the order of its bits is turned round.
template <CmpIPredicate predicate>
void runCompareI1(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, Element::I1);
  mapLanes<int8_t, uint8_t>(
      operand(program, at, 0), operand(program, at, 1), result, [](int8_t a, int8_t b) -> uint8_t {
        if constexpr (isUnsigned(predicate))
          return compareIntegers<predicate>(a, b);
        return compareIntegers<predicate>(static_cast<int8_t>(-a), static_cast<int8_t>(-b));
      });
  mergePoison(machine, program, at);
}

template <CmpIPredicate predicate> Handler getCompareI(Element element) {
  constexpr bool u = isUnsigned(predicate);
  switch (element) {
  case Element::I1:
    return runCompareI1<predicate>;
  case Element::I8:
    return runCompareI<predicate, std::conditional_t<u, uint8_t, int8_t>>;
  case Element::I16:
    return runCompareI<predicate, std::conditional_t<u, uint16_t, int16_t>>;
  case Element::I32:
    return runCompareI<predicate, std::conditional_t<u, uint32_t, int32_t>>;
  case Element::I64:
    return runCompareI<predicate, std::conditional_t<u, uint64_t, int64_t>>;
  default:
    return nullptr;
  }
}

void selectCompareI(mlir::Operation *op, Instruction &at) {
  switch (mlir::cast<mlir::arith::CmpIOp>(op).getPredicate()) {
  case CmpIPredicate::eq:
    at.handler = getCompareI<CmpIPredicate::eq>(at.source);
    return;
  case CmpIPredicate::ne:
    at.handler = getCompareI<CmpIPredicate::ne>(at.source);
    return;
  case CmpIPredicate::slt:
    at.handler = getCompareI<CmpIPredicate::slt>(at.source);
    return;
  case CmpIPredicate::sle:
    at.handler = getCompareI<CmpIPredicate::sle>(at.source);
    return;
  case CmpIPredicate::sgt:
    at.handler = getCompareI<CmpIPredicate::sgt>(at.source);
    return;
  case CmpIPredicate::sge:
    at.handler = getCompareI<CmpIPredicate::sge>(at.source);
    return;
  case CmpIPredicate::ult:
    at.handler = getCompareI<CmpIPredicate::ult>(at.source);
    return;
  case CmpIPredicate::ule:
    at.handler = getCompareI<CmpIPredicate::ule>(at.source);
    return;
  case CmpIPredicate::ugt:
    at.handler = getCompareI<CmpIPredicate::ugt>(at.source);
    return;
  case CmpIPredicate::uge:
    at.handler = getCompareI<CmpIPredicate::uge>(at.source);
    return;
  }
}

// A float predicate is a set of outcomes. MLIR numbers the ordered ones 0 to 7 by bits for equal,
// greater and less; ueq to une are 8 to 13, one less than their bits; uno is 14, true 15.
enum Outcome : uint8_t { Equal = 1, Greater = 2, Less = 4, Unordered = 8 };

constexpr uint8_t getOutcomes(CmpFPredicate predicate) {
  if (predicate == CmpFPredicate::UNO)
    return Unordered;
  auto number = static_cast<uint8_t>(predicate);
  return number < 8 || number == 15 ? number : number + 1;
}

template <typename T> uint8_t getOutcome(T a, T b) {
  return static_cast<uint8_t>((a == b) * Equal | (a > b) * Greater | (a < b) * Less |
                              (std::isnan(a) || std::isnan(b)) * Unordered);
}

template <typename T>
void compareFloats(const Buffer &a, const Buffer &b, Buffer &result, uint8_t wanted) {
  mapLanes<T, uint8_t>(a, b, result,
                       [wanted](T x, T y) -> uint8_t { return (getOutcome(x, y) & wanted) != 0; });
}

void runCompareF(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, Element::I1);
  const Buffer &a = operand(program, at, 0), &b = operand(program, at, 1);
  auto wanted = static_cast<uint8_t>(at.variant);
  if (at.source == Element::F32)
    compareFloats<float>(a, b, result, wanted);
  else if (at.source == Element::F64)
    compareFloats<double>(a, b, result, wanted);
  else
    compareFloats<float>(toFloat(a), toFloat(b), result, wanted);
  mergePoison(machine, program, at);
}

void selectCompareF(mlir::Operation *op, Instruction &at) {
  static_assert(getOutcomes(CmpFPredicate::OGT) == Greater &&
                getOutcomes(CmpFPredicate::OLE) == (Less | Equal) &&
                getOutcomes(CmpFPredicate::ORD) == (Less | Equal | Greater) &&
                getOutcomes(CmpFPredicate::UEQ) == (Unordered | Equal) &&
                getOutcomes(CmpFPredicate::UNE) == (Unordered | Greater | Less));
  at.variant = getOutcomes(mlir::cast<mlir::arith::CmpFOp>(op).getPredicate());
  at.handler = runCompareF;
}

/// The chosen value's flags, and poison where the condition is poison.
void mergeSelectFlags(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &condition = operand(program, at, 0);
  const Buffer &a = operand(program, at, 1), &b = operand(program, at, 2);
  if (!machine.isChecked() || (!condition.flags && !a.flags && !b.flags))
    return;
  Buffer &result = program.slots[at.results[0]];
  uint8_t *flags = result.addFlags();
  for (int64_t i = 0, n = result.stored(); i < n; ++i)
    flags[i] = (isTrue(condition, i) ? a : b).flagOf(i) | (condition.flagOf(i) & Poison);
  for (const Buffer *from : {&condition, &a, &b}) {
    if (!result.poisonedBy)
      result.poisonedBy = from->poisonedBy;
    if (!result.wrappedBy)
      result.wrappedBy = from->wrappedBy;
  }
}

template <typename T> void runSelect(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  const Buffer &condition = operand(program, at, 0);
  const Buffer &a = operand(program, at, 1), &b = operand(program, at, 2);
  const uint8_t *choice = condition.as<uint8_t>();
  const T *x = a.as<T>(), *y = b.as<T>();
  T *out = result.asMutable<T>();
  int64_t dc = !condition.uniform, dx = !a.uniform, dy = !b.uniform;
  int64_t n = result.stored();
  // Both are read whatever is chosen, so that it is done by vectors.
  auto choose = [&](int64_t c, int64_t from, int64_t other) {
    T chosen = x[from], left = y[other];
    return choice[c] ? chosen : left;
  };
  if (dc && dx && dy)
    for (int64_t i = 0; i < n; ++i)
      out[i] = choose(i, i, i);
  else if (dc && dx)
    for (int64_t i = 0; i < n; ++i)
      out[i] = choose(i, i, 0);
  else
    for (int64_t i = 0; i < n; ++i)
      out[i] = choose(i * dc, i * dx, i * dy);
  mergeSelectFlags(machine, program, at);
}

void selectSelect(mlir::Operation *, Instruction &at) {
  switch (getBytes(at.element)) {
  case 1:
    at.handler = runSelect<uint8_t>;
    return;
  case 2:
    at.handler = runSelect<uint16_t>;
    return;
  case 4:
    at.handler = runSelect<uint32_t>;
    return;
  default:
    at.handler = runSelect<uint64_t>;
    return;
  }
}

} // namespace

void addCompareHandlers(HandlerTable &table) {
  table["arith.cmpi"] = selectCompareI;
  table["arith.cmpf"] = selectCompareF;
  table["arith.select"] = selectSelect;
}

} // namespace nereid::interpreter
