// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/MixedRadix.h"
#include "RandomExpr.h"
#include "ReadExpr.h"

#include <cstdlib>

using namespace nereid::index;
using namespace nereid::index::test;

namespace {
class MixedRadixTest : public ReadExpr {
protected:
  MixedRadix digitsOf(llvm::StringRef text) {
    return MixedRadix(facts, parse(text), [](Expr symbol) { return symbol.getName() == "i"; });
  }

  Facts facts{context};
};
} // namespace

TEST_F(MixedRadixTest, AddressOfAViewStaysInside) {
  facts.assume(condition("M >= 1 and N >= 1 and B >= 1 and 0 <= i and i < B * M * N"));
  // The index of a transposed view.
  Expr offset = parse("i % N * B * M + i // N % M * B + i // (M * N)");
  MixedRadix digits(facts, offset, [](Expr symbol) { return symbol.getName() == "i"; });
  ASSERT_TRUE(digits.hasDigits());
  EXPECT_EQ(digits.rewrite(parse("i % N")).str(), "$digit2");
  EXPECT_EQ(digits.rewrite(parse("i // N")),
            digits.rewrite(parse("M * (i // (M * N)) + i // N % M")));
  EXPECT_TRUE(digits.isTrue(digits.rewrite(lt(offset, parse("B * M * N")))));
  EXPECT_TRUE(digits.isTrue(digits.rewrite(condition("i // (M * N) < B"))));
  EXPECT_FALSE(digits.isTrue(digits.rewrite(condition("i // (M * N) < B - 1"))));
}

TEST_F(MixedRadixTest, DigitsOfDigits) {
  facts.assume(condition("H >= 1 and N == 12 * (N // 12) and N >= 1 and 0 <= i and i < H * N"));
  MixedRadix digits = digitsOf("i % N // (N // 12)");
  EXPECT_TRUE(digits.isTrue(digits.rewrite(condition("i % N // (N // 12) <= 11"))));
  EXPECT_TRUE(digits.isTrue(digits.rewrite(condition("i % N % (N // 12) < N // 12"))));
}

TEST_F(MixedRadixTest, SumsOfDigitsAreBoundedByTheirBounds) {
  // Rows of a matrix without its diagonal: n - 1 rows of n + 1, the first column cut off.
  facts.assume(condition("N >= 2 and 0 <= i and i < N * (N - 1)"));
  Expr row = parse("i // N"), next = parse("(i // N + i % N + 1) // N");
  MixedRadix digits(facts, {row, next}, [](Expr symbol) { return symbol.getName() == "i"; });
  EXPECT_TRUE(digits.isTrue(digits.rewrite(le(next, parse("1")))));
  EXPECT_TRUE(digits.isTrue(digits.rewrite(lt(row + next, parse("N")))));
  EXPECT_FALSE(digits.isTrue(digits.rewrite(lt(row + next, parse("N - 1")))));
}

TEST_F(MixedRadixTest, NothingIsTakenApartByWhatMayBeZero) {
  facts.assume(condition("M >= 0 and 0 <= i"));
  EXPECT_FALSE(digitsOf("i // M + i % M").hasDigits());
  EXPECT_FALSE(digitsOf("i + M").hasDigits());
}

/// Random sums of quotients and remainders of i and j: whatever is proved over digits holds at
/// every point of a box.
TEST(MixedRadixProperty, ProofsHoldEverywhere) {
  Context context;
  ExprGenerator random(context, 11, 4);
  llvm::ArrayRef<Expr> symbols = random.getSymbols();
  Expr i = symbols[0], j = symbols[1], m = symbols[2], n = symbols[3];
  const char *text = std::getenv("NEREID_RANDOM_COUNT");
  unsigned proved = 0, refused = 0, count = text ? std::strtoul(text, nullptr, 10) : 2000;
  for (unsigned turn = 0; turn < count; ++turn) {
    Facts facts(context);
    int64_t least = random.number(0, 1), start = random.number(-6, 0);
    for (Expr size : {m, n})
      facts.assume(ge(size, least));
    facts.setRange(j, Range::of(0, 3));
    Expr extent = random.number(0, 1) ? m * n * 2 : n * 3;
    llvm::SmallVector<Pred> assumed = {ge(i, start), lt(i, extent)};
    auto divisor = [&] {
      Expr divisors[] = {m, n, m * n, n * 2, context.constant(2), context.constant(6), m + 1};
      return divisors[random.number(0, 6)];
    };
    auto number = [&] {
      Expr dividends[] = {i, i, i + j, i * 2 + j, i - j * n};
      Expr x = dividends[random.number(0, 4)];
      for (int64_t depth = random.number(0, 2); depth-- > 0;)
        x = random.number(0, 1) ? floordiv(x, divisor()) : mod(x, divisor());
      return x;
    };
    if (random.number(0, 1))
      assumed.push_back(lt(number(), random.number(0, 1) ? m : n));
    for (Pred pred : assumed)
      facts.assume(pred);
    Expr claim = (random.number(0, 1) ? m * n * 2 : n) + random.number(-2, 2) - number() -
                 number() * (random.number(0, 1) ? m : context.constant(1));
    MixedRadix digits(facts, claim, [&](Expr symbol) { return symbol == i || symbol == j; });
    if (!digits.hasDigits())
      continue;
    bool isProved = digits.isTrue(digits.rewrite(ge(claim, 0)));
    (isProved ? proved : refused) += 1;
    if (!isProved)
      continue;
    for (int64_t a = -6; a <= 18; ++a)
      for (int64_t point = 0; point < 4 * 4 * 4; ++point) {
        Values values{a, point % 4, point / 4 % 4, point / 16};
        bool holds = values[2] >= least && values[3] >= least;
        for (Pred pred : assumed)
          holds = holds && valueOf(pred, symbols, values) == true;
        std::optional<int64_t> value = holds ? valueOf(claim, symbols, values) : std::nullopt;
        ASSERT_TRUE(!value || *value >= 0) << claim.str() << " at " << a << ", " << values[1]
                                           << ", " << values[2] << ", " << values[3];
      }
  }
  EXPECT_GT(proved, count / 20);
  EXPECT_GT(refused, count / 20);
}

TEST_F(MixedRadixTest, DigitsThatLieOneBehindTheOtherAreTheNumber) {
  auto isSize = [](Expr expr) {
    bool isPositive = expr.getTerms().size() == 1 && expr.getConstantTerm() == 0;
    for (Expr symbol : collectSymbols(expr))
      isPositive &= symbol.getName() != "i";
    return isPositive || expr.getConstant().value_or(0) > 0;
  };
  auto joined = [&](llvm::StringRef text) { return joinDigits(parse(text), isSize).str(); };
  EXPECT_EQ(
      joined("i // (L * M * N) * L * M * N + i // (M * N) % L * M * N + i // N % M * N + i % N"),
      "i");
  EXPECT_EQ(joined("i // (3 * N) * 3 * N + i // N % 3 * N"), "N * (i // N)");
  EXPECT_EQ(joined("4 * (i // (M * N)) * M * N * B + 4 * (i // N % M) * N * B + B"),
            parse("4 * N * B * (i // N) + B").str());
  EXPECT_EQ(joined("(i + 8 * B + 2) // (M * N) * M * N + (i + 8 * B + 2) // N % M * N + (i + 8 * B "
                   "+ 2) % N"),
            parse("i + 8 * B + 2").str());
  // Other strides, a digit that is missing, and what may be negative stay.
  for (llvm::StringRef text : {"i // (M * N) * M * B + i // N % M * B * 2",
                               "i // N % M * N + i % N", "i // (i * N) * i * N + i // N % i * N"})
    EXPECT_EQ(joined(text), parse(text).str());
}
