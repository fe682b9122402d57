// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith on integers. Values are held unsigned; operators that read a sign say so. Division by zero
// gives -1 and a remainder by zero the dividend; shifts by the width or more give 0 or the sign.
#include "interpreter/Elementwise.h"

#include <type_traits>

namespace nereid::interpreter {

namespace {

template <typename U> using SignedOf = std::make_signed_t<U>;

// Each operator: `isSigned` says how an i1 is read (as 0 and -1, or as 0 and 1).
struct Add {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return static_cast<U>(a + b); }
};
struct Sub {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return static_cast<U>(a - b); }
};
struct Mul {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) {
    return static_cast<U>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct DivU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) {
    return b == 0 ? static_cast<U>(-1) : static_cast<U>(a / b);
  }
};
struct RemU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return b == 0 ? a : static_cast<U>(a % b); }
};
struct DivS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    using S = SignedOf<U>;
    if (b == 0)
      return static_cast<U>(-1);
    if (b == static_cast<U>(-1))
      return static_cast<U>(0 - a);
    return static_cast<U>(static_cast<S>(a) / static_cast<S>(b));
  }
};
struct RemS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    using S = SignedOf<U>;
    if (b == 0)
      return a;
    if (b == static_cast<U>(-1))
      return 0;
    return static_cast<U>(static_cast<S>(a) % static_cast<S>(b));
  }
};
struct FloorDivS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    using S = SignedOf<U>;
    U quotient = DivS::apply(a, b), rest = RemS::apply(a, b);
    bool isBelow = b != 0 && rest != 0 && (static_cast<S>(rest) < 0) != (static_cast<S>(b) < 0);
    return static_cast<U>(quotient - isBelow);
  }
};
struct CeilDivS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    using S = SignedOf<U>;
    U quotient = DivS::apply(a, b), rest = RemS::apply(a, b);
    bool isAbove = b != 0 && rest != 0 && (static_cast<S>(rest) < 0) == (static_cast<S>(b) < 0);
    return static_cast<U>(quotient + isAbove);
  }
};
struct CeilDivU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) {
    return b == 0 ? static_cast<U>(-1) : static_cast<U>(a / b + (a % b != 0));
  }
};
struct And {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return a & b; }
};
struct Or {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return a | b; }
};
struct Xor {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return a ^ b; }
};
struct ShL {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) {
    return b >= sizeof(U) * 8 ? U(0) : static_cast<U>(static_cast<uint64_t>(a) << b);
  }
};
struct ShRU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) {
    return b >= sizeof(U) * 8 ? U(0) : static_cast<U>(a >> b);
  }
};
struct ShRS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    unsigned most = sizeof(U) * 8 - 1;
    return static_cast<U>(static_cast<SignedOf<U>>(a) >> (b > most ? most : b));
  }
};
struct MaxS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    return static_cast<SignedOf<U>>(a) < static_cast<SignedOf<U>>(b) ? b : a;
  }
};
struct MinS {
  static constexpr bool isSigned = true;
  template <typename U> static U apply(U a, U b) {
    return static_cast<SignedOf<U>>(b) < static_cast<SignedOf<U>>(a) ? b : a;
  }
};
struct MaxU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return a < b ? b : a; }
};
struct MinU {
  static constexpr bool isSigned = false;
  template <typename U> static U apply(U a, U b) { return b < a ? b : a; }
};

template <typename Op, typename U>
void runBinary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  mapLanes<U, U>(operand(program, at, 0), operand(program, at, 1), result,
                 [](U a, U b) { return Op::template apply<U>(a, b); });
  mergeFlags(machine, program, at);
}

/// A defined false decides an `and`, a defined true an `or`, whatever the other side is.
template <typename Op> void dropDecidedPoison(Program &program, const Instruction &at) {
  if constexpr (std::is_same_v<Op, And> || std::is_same_v<Op, Or>) {
    Buffer &result = program.slots[at.results[0]];
    if (!result.flags)
      return;
    constexpr bool deciding = std::is_same_v<Op, Or>;
    const Buffer &a = operand(program, at, 0), &b = operand(program, at, 1);
    auto *flags = reinterpret_cast<uint8_t *>(result.flags->data());
    auto decides = [](const Buffer &side, int64_t lane) {
      return side.flagOf(lane) == 0 && isTrue(side, lane) == deciding;
    };
    for (int64_t i = 0, n = result.stored(); i < n; ++i)
      if (decides(a, i) || decides(b, i))
        flags[i] = 0;
  }
}

template <typename Op> void runBinaryI1(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  auto read = [](uint8_t bit) { return static_cast<uint8_t>(Op::isSigned ? -bit : bit); };
  mapLanes<uint8_t, uint8_t>(
      operand(program, at, 0), operand(program, at, 1), result,
      [&](uint8_t a, uint8_t b) { return Op::template apply<uint8_t>(read(a), read(b)) & 1; });
  mergeFlags(machine, program, at);
  dropDecidedPoison<Op>(program, at);
}

/// Flags the lanes in which an i32 operation leaves the range of int32.
template <typename Op>
void runWatchedI32(Machine &machine, Program &program, const Instruction &at) {
  runBinary<Op, uint32_t>(machine, program, at);
  if (!machine.isChecked())
    return;
  const Buffer &a = operand(program, at, 0), &b = operand(program, at, 1);
  Buffer &result = program.slots[at.results[0]];
  const auto *x = a.as<int32_t>(), *y = b.as<int32_t>();
  uint8_t *flags = nullptr;
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    auto exact = static_cast<int64_t>(Op::template apply<uint64_t>(
        static_cast<int64_t>(x[a.uniform ? 0 : i]), static_cast<int64_t>(y[b.uniform ? 0 : i])));
    if (exact == result.as<int32_t>()[i])
      continue;
    if (!flags)
      flags = result.flags ? reinterpret_cast<uint8_t *>(result.flags->data()) : result.addFlags();
    flags[i] |= Wrapped;
    if (!result.wrappedBy)
      result.wrappedBy = at.op;
  }
}

template <typename Op> void selectBinary(mlir::Operation *, Instruction &at) {
  switch (at.element) {
  case Element::I1:
    at.handler = runBinaryI1<Op>;
    return;
  case Element::I8:
    at.handler = runBinary<Op, uint8_t>;
    return;
  case Element::I16:
    at.handler = runBinary<Op, uint16_t>;
    return;
  case Element::I32:
    at.handler = runBinary<Op, uint32_t>;
    return;
  case Element::I64:
    at.handler = runBinary<Op, uint64_t>;
    return;
  default:
    return;
  }
}

template <typename Op> void selectWatched(mlir::Operation *op, Instruction &at) {
  selectBinary<Op>(op, at);
  if (at.element == Element::I32)
    at.handler = runWatchedI32<Op>;
}

/// The two halves of a product of twice the width.
template <typename U, typename Wide>
void runExtendedMul(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &a = operand(program, at, 0), &b = operand(program, at, 1);
  Buffer &low = prepareResult(program, at, at.element);
  Buffer &high = program.slots[at.results[1]];
  high.reset(at.element, low.count, low.uniform);
  using Number = std::conditional_t<std::is_signed_v<Wide>, SignedOf<U>, U>;
  for (int64_t i = 0, n = low.stored(); i < n; ++i) {
    Wide product = static_cast<Wide>(a.as<Number>()[a.uniform ? 0 : i]) *
                   static_cast<Wide>(b.as<Number>()[b.uniform ? 0 : i]);
    low.asMutable<U>()[i] = static_cast<U>(product);
    high.asMutable<U>()[i] = static_cast<U>(product >> (sizeof(U) * 8));
  }
  mergeFlags(machine, program, at);
  high.flags = low.flags;
  high.poisonedBy = low.poisonedBy;
}

template <bool isSigned> void selectExtendedMul(mlir::Operation *, Instruction &at) {
  using Wide32 = std::conditional_t<isSigned, int64_t, uint64_t>;
  using Wide64 = std::conditional_t<isSigned, __int128, unsigned __int128>;
  if (at.element == Element::I32)
    at.handler = runExtendedMul<uint32_t, Wide32>;
  else if (at.element == Element::I64)
    at.handler = runExtendedMul<uint64_t, Wide64>;
}

// Functions of one integer.
struct AbsI {
  template <typename U> static U apply(U a) {
    return static_cast<SignedOf<U>>(a) < 0 ? static_cast<U>(0 - a) : a;
  }
};
struct CountLeadingZeros {
  template <typename U> static U apply(U a) {
    return a == 0 ? sizeof(U) * 8 : __builtin_clzll(a) - (64 - sizeof(U) * 8);
  }
};
struct CountTrailingZeros {
  template <typename U> static U apply(U a) { return a == 0 ? sizeof(U) * 8 : __builtin_ctzll(a); }
};
struct CountOnes {
  template <typename U> static U apply(U a) { return __builtin_popcountll(a); }
};

template <typename Op, typename U>
void runUnary(Machine &machine, Program &program, const Instruction &at) {
  Buffer &result = prepareResult(program, at, at.element);
  mapLanes<U, U>(operand(program, at, 0), result,
                 [](U a) { return static_cast<U>(Op::template apply<U>(a)); });
  mergeFlags(machine, program, at);
}

template <typename Op> void selectUnary(mlir::Operation *, Instruction &at) {
  if (at.element == Element::I8)
    at.handler = runUnary<Op, uint8_t>;
  else if (at.element == Element::I16)
    at.handler = runUnary<Op, uint16_t>;
  else if (at.element == Element::I32)
    at.handler = runUnary<Op, uint32_t>;
  else if (at.element == Element::I64)
    at.handler = runUnary<Op, uint64_t>;
}

} // namespace

void addIntegerHandlers(HandlerTable &table) {
  table["arith.addi"] = selectWatched<Add>;
  table["arith.subi"] = selectWatched<Sub>;
  table["arith.muli"] = selectWatched<Mul>;
  table["arith.divsi"] = selectBinary<DivS>;
  table["arith.divui"] = selectBinary<DivU>;
  table["arith.remsi"] = selectBinary<RemS>;
  table["arith.remui"] = selectBinary<RemU>;
  table["arith.floordivsi"] = selectBinary<FloorDivS>;
  table["arith.ceildivsi"] = selectBinary<CeilDivS>;
  table["arith.ceildivui"] = selectBinary<CeilDivU>;
  table["arith.andi"] = selectBinary<And>;
  table["arith.ori"] = selectBinary<Or>;
  table["arith.xori"] = selectBinary<Xor>;
  table["arith.shli"] = selectBinary<ShL>;
  table["arith.shrui"] = selectBinary<ShRU>;
  table["arith.shrsi"] = selectBinary<ShRS>;
  table["arith.maxsi"] = selectBinary<MaxS>;
  table["arith.minsi"] = selectBinary<MinS>;
  table["arith.maxui"] = selectBinary<MaxU>;
  table["arith.minui"] = selectBinary<MinU>;
  table["arith.mulsi_extended"] = selectExtendedMul<true>;
  table["arith.mului_extended"] = selectExtendedMul<false>;
  table["math.absi"] = selectUnary<AbsI>;
  table["math.ctlz"] = selectUnary<CountLeadingZeros>;
  table["math.cttz"] = selectUnary<CountTrailingZeros>;
  table["math.ctpop"] = selectUnary<CountOnes>;
}

} // namespace nereid::interpreter
