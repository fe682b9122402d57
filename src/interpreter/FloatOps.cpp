// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith on floats: computed in float for narrow floats, which are then rounded.
#include "interpreter/Elementwise.h"

#include <cmath>

namespace nereid::interpreter {

namespace {

struct AddF {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct SubF {
  template <typename T> static T apply(T a, T b) { return a - b; }
};
struct MulF {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
struct DivF {
  template <typename T> static T apply(T a, T b) { return a / b; }
};
struct RemF {
  template <typename T> static T apply(T a, T b) { return std::fmod(a, b); }
};
/// NaN if either is NaN; the zeros are ordered -0 < +0.
struct MaximumF {
  template <typename T> static T apply(T a, T b) {
    if (a == b)
      return std::signbit(a) ? b : a;
    return a > b || std::isnan(a) ? a : b;
  }
};
struct MinimumF {
  template <typename T> static T apply(T a, T b) {
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b || std::isnan(a) ? a : b;
  }
};
/// The other one if one is NaN.
struct MaxNumF {
  template <typename T> static T apply(T a, T b) { return a > b || std::isnan(b) ? a : b; }
};
struct MinNumF {
  template <typename T> static T apply(T a, T b) { return a < b || std::isnan(b) ? a : b; }
};
struct CopySign {
  template <typename T> static T apply(T a, T b) { return std::copysign(a, b); }
};
struct Negate {
  template <typename T> static T apply(T a) { return -a; }
};
struct Absolute {
  template <typename T> static T apply(T a) { return std::fabs(a); }
};
struct SquareRoot {
  template <typename T> static T apply(T a) { return std::sqrt(a); }
};
struct ReciprocalRoot {
  template <typename T> static T apply(T a) { return T(1) / std::sqrt(a); }
};

template <typename Op, typename T>
void runFloatBinary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  mapLanes<T, T>(operand(program, at, 0), operand(program, at, 1), result,
                 [](T a, T b) { return Op::template apply<T>(a, b); });
  mergeFlags(machine, program, at);
}

template <typename Op>
void runNarrowBinary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  Buffer a = toFloat(operand(program, at, 0)), b = toFloat(operand(program, at, 1)), wide;
  wide.reset(Element::F32, result.count, result.uniform);
  mapLanes<float, float>(a, b, wide,
                         [](float x, float y) { return Op::template apply<float>(x, y); });
  fromFloat(wide, result);
  mergeFlags(machine, program, at);
}

template <typename Op> void selectFloatBinary(mlir::Operation *, Instruction &at) {
  if (at.element == Element::F32)
    at.handler = runFloatBinary<Op, float>;
  else if (at.element == Element::F64)
    at.handler = runFloatBinary<Op, double>;
  else if (isNarrow(at.element))
    at.handler = runNarrowBinary<Op>;
}

template <typename Op, typename T>
void runFloatUnary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  mapLanes<T, T>(operand(program, at, 0), result, [](T a) { return Op::template apply<T>(a); });
  mergeFlags(machine, program, at);
}

template <typename Op>
void runNarrowUnary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  Buffer wide = toFloat(operand(program, at, 0));
  for (int64_t i = 0, n = wide.stored(); i < n; ++i)
    wide.asMutable<float>()[i] = Op::template apply<float>(wide.as<float>()[i]);
  fromFloat(wide, result);
  mergeFlags(machine, program, at);
}

template <typename Op> void selectFloatUnary(mlir::Operation *, Instruction &at) {
  if (at.element == Element::F32)
    at.handler = runFloatUnary<Op, float>;
  else if (at.element == Element::F64)
    at.handler = runFloatUnary<Op, double>;
  else if (isNarrow(at.element))
    at.handler = runNarrowUnary<Op>;
}

template <typename T> void runFma(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  mapLanes<T, T>(operand(program, at, 0), operand(program, at, 1), operand(program, at, 2), result,
                 [](T a, T b, T c) { return std::fma(a, b, c); });
  mergeFlags(machine, program, at);
}

void runNarrowFma(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  Buffer a = toFloat(operand(program, at, 0)), b = toFloat(operand(program, at, 1));
  Buffer c = toFloat(operand(program, at, 2)), wide;
  wide.reset(Element::F32, result.count, result.uniform);
  mapLanes<float, float>(a, b, c, wide,
                         [](float x, float y, float z) { return std::fma(x, y, z); });
  fromFloat(wide, result);
  mergeFlags(machine, program, at);
}

void selectFma(mlir::Operation *, Instruction &at) {
  if (at.element == Element::F32)
    at.handler = runFma<float>;
  else if (at.element == Element::F64)
    at.handler = runFma<double>;
  else if (isNarrow(at.element))
    at.handler = runNarrowFma;
}

} // namespace

void addFloatHandlers(HandlerTable &table) {
  table["arith.addf"] = selectFloatBinary<AddF>;
  table["arith.subf"] = selectFloatBinary<SubF>;
  table["arith.mulf"] = selectFloatBinary<MulF>;
  table["arith.divf"] = selectFloatBinary<DivF>;
  table["arith.remf"] = selectFloatBinary<RemF>;
  table["arith.maximumf"] = selectFloatBinary<MaximumF>;
  table["arith.minimumf"] = selectFloatBinary<MinimumF>;
  table["arith.maxnumf"] = selectFloatBinary<MaxNumF>;
  table["arith.minnumf"] = selectFloatBinary<MinNumF>;
  table["math.copysign"] = selectFloatBinary<CopySign>;
  table["arith.negf"] = selectFloatUnary<Negate>;
  table["math.absf"] = selectFloatUnary<Absolute>;
  table["math.sqrt"] = selectFloatUnary<SquareRoot>;
  table["math.rsqrt"] = selectFloatUnary<ReciprocalRoot>;
  table["math.fma"] = selectFma;
}

} // namespace nereid::interpreter
