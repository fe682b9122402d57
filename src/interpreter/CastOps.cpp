// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between numbers. Floats become integers by truncation; what does not fit becomes the
// nearest integer that there is, and a NaN becomes 0, as GPUs do it.
#include "interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <limits>

namespace nereid::interpreter {

namespace {

template <typename Signed, typename Unsigned, typename F> void withSign(bool isSigned, F f) {
  if (isSigned)
    f(Signed());
  else
    f(Unsigned());
}

/// Calls `f` with a value of the integer type that holds the element's bits (i1 and i8: 8 bits).
template <typename F> bool withInteger(Element element, bool isSigned, F f) {
  if (element == Element::I1)
    f(uint8_t());
  else if (element == Element::I8)
    withSign<int8_t, uint8_t>(isSigned, f);
  else if (element == Element::I16)
    withSign<int16_t, uint16_t>(isSigned, f);
  else if (element == Element::I32)
    withSign<int32_t, uint32_t>(isSigned, f);
  else if (element == Element::I64)
    withSign<int64_t, uint64_t>(isSigned, f);
  else
    return false;
  return true;
}

/// Integer to integer. An i1 read as signed is 0 or -1; one written keeps the lowest bit.
template <typename From, typename To, bool fromSignedBit>
void runResize(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  uint64_t mask = at.element == Element::I1 ? 1 : ~uint64_t(0);
  mapLanes<From, To>(operand(program, at, 0), result, [mask](From a) {
    if constexpr (fromSignedBit)
      return static_cast<To>(-static_cast<int64_t>(a) & mask);
    return static_cast<To>(static_cast<uint64_t>(static_cast<int64_t>(a)) & mask);
  });
  mergeFlags(machine, program, at);
}

template <bool isSigned> void selectResize(mlir::Operation *, Instruction &at) {
  withInteger(at.source, isSigned, [&](auto from) {
    withInteger(at.element, false, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      if constexpr (isSigned && std::is_same_v<From, uint8_t>)
        at.handler = runResize<From, To, true>;
      else
        at.handler = runResize<From, To, false>;
    });
  });
}

/// Stores numbers computed as float or double into a result of any float element, rounding once.
template <typename T> void storeRounded(const Buffer &exact, Buffer &result) {
  if (isNarrow(result.element))
    narrow(result.element, exact.as<T>(), result.data->data(), result.stored());
  else if (result.element == Element::F32)
    mapLanes<T, float>(exact, result, [](T a) { return static_cast<float>(a); });
  else
    mapLanes<T, double>(exact, result, [](T a) { return static_cast<double>(a); });
}

template <typename From, bool fromSignedBit>
void runIntToFloat(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &from = operand(program, at, 0);
  Buffer &result = prepareResult(program, at, at.element);
  auto read = [](From a) { return fromSignedBit ? From(0) - static_cast<int>(a) : a + 0; };
  if (at.element == Element::F32) {
    mapLanes<From, float>(from, result, [&](From a) { return static_cast<float>(read(a)); });
  } else if (at.element == Element::F64) {
    mapLanes<From, double>(from, result, [&](From a) { return static_cast<double>(read(a)); });
  } else {
    Buffer exact;
    exact.reset(Element::F64, result.count, result.uniform);
    mapLanes<From, double>(from, exact, [&](From a) { return static_cast<double>(read(a)); });
    storeRounded<double>(exact, result);
  }
  mergeFlags(machine, program, at);
}

template <bool isSigned> void selectIntToFloat(mlir::Operation *, Instruction &at) {
  if (!isFloat(at.element))
    return;
  withInteger(at.source, isSigned, [&](auto from) {
    using From = decltype(from);
    if constexpr (isSigned && std::is_same_v<From, uint8_t>)
      at.handler = runIntToFloat<From, true>;
    else
      at.handler = runIntToFloat<From, false>;
  });
}

/// Calls `f` with the buffer as float or double and a value of that type.
template <typename F> void withWide(const Buffer &buffer, F f) {
  if (buffer.element == Element::F64)
    return f(buffer, double());
  if (buffer.element == Element::F32)
    return f(buffer, float());
  f(toFloat(buffer), float());
}

template <typename To> To saturate(double value, double least, double most) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  if (value <= least)
    return static_cast<To>(static_cast<int64_t>(least));
  // 2^63 and 2^64 are not integers of the type: compare before converting.
  if (value >= most)
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

/// The narrowest integers that GPUs convert to have 16 bits: of those 8 are taken, so that 200 is
/// -56 (`cvt.rzi.s16.f32` in PTX).
template <typename To>
using Converted = std::conditional_t<std::is_same_v<To, int8_t>, int16_t,
                                     std::conditional_t<std::is_same_v<To, uint8_t>, uint16_t, To>>;

template <typename To>
void runFloatToInt(Machine &machine, Program &program, const Instruction &at) {
  using Wide = Converted<To>;
  Buffer &result = prepareResult(program, at, at.element);
  auto least = static_cast<double>(std::numeric_limits<Wide>::min());
  auto most = static_cast<double>(std::numeric_limits<Wide>::max());
  withWide(operand(program, at, 0), [&](const Buffer &from, auto wide) {
    using T = decltype(wide);
    mapLanes<T, To>(from, result,
                    [=](T a) { return static_cast<To>(saturate<Wide>(a, least, most)); });
  });
  mergeFlags(machine, program, at);
}

/// i1: signed numbers saturate at -1 and 0, unsigned ones at 0 and 1.
template <bool isSigned>
void runFloatToI1(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  withWide(operand(program, at, 0), [&](const Buffer &from, auto wide) {
    using T = decltype(wide);
    mapLanes<T, uint8_t>(from, result,
                         [](T a) -> uint8_t { return isSigned ? a <= T(-1) : a >= T(1); });
  });
  mergeFlags(machine, program, at);
}

template <bool isSigned> void selectFloatToInt(mlir::Operation *, Instruction &at) {
  if (!isFloat(at.source))
    return;
  if (at.element == Element::I1) {
    at.handler = runFloatToI1<isSigned>;
    return;
  }
  withInteger(at.element, isSigned, [&](auto to) { at.handler = runFloatToInt<decltype(to)>; });
}

void runFloatToFloat(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  withWide(operand(program, at, 0),
           [&](const Buffer &from, auto wide) { storeRounded<decltype(wide)>(from, result); });
  mergeFlags(machine, program, at);
}

void selectFloatToFloat(mlir::Operation *op, Instruction &at) {
  // Other roundings than to nearest even are not supported.
  if (auto truncation = mlir::dyn_cast<mlir::arith::TruncFOp>(op))
    if (truncation.getRoundingmode().value_or(mlir::arith::RoundingMode::to_nearest_even) !=
        mlir::arith::RoundingMode::to_nearest_even)
      return;
  if (isFloat(at.source) && isFloat(at.element))
    at.handler = runFloatToFloat;
}

/// The same bits as another element of the same size.
void runBitcast(Machine &, Program &program, const Instruction &at) {
  Buffer &result = program.slots[at.results[0]];
  result = program.slots[at.operands[0]];
  result.element = at.element;
}

void selectBitcast(mlir::Operation *, Instruction &at) {
  bool isBit = at.source == Element::I1, toBit = at.element == Element::I1;
  if (getBytes(at.source) == getBytes(at.element) && isBit == toBit)
    at.handler = runBitcast;
}

} // namespace

void addCastHandlers(HandlerTable &table) {
  table["arith.extsi"] = selectResize<true>;
  table["arith.extui"] = selectResize<false>;
  table["arith.trunci"] = selectResize<false>;
  table["arith.index_cast"] = selectResize<true>;
  table["arith.index_castui"] = selectResize<false>;
  table["arith.sitofp"] = selectIntToFloat<true>;
  table["arith.uitofp"] = selectIntToFloat<false>;
  table["arith.fptosi"] = selectFloatToInt<true>;
  table["arith.fptoui"] = selectFloatToInt<false>;
  table["arith.extf"] = selectFloatToFloat;
  table["arith.truncf"] = selectFloatToFloat;
  table["arith.bitcast"] = selectBitcast;
  table["tile.ptr_cast"] = selectBitcast;
  table["tile.ptr_to_int"] = selectBitcast;
  table["tile.int_to_ptr"] = selectBitcast;
}

} // namespace nereid::interpreter
