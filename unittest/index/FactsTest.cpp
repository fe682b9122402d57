// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Facts.h"
#include "ReadExpr.h"

using namespace nereid::index;
using namespace nereid::index::test;

namespace {
class FactsTest : public ReadExpr {
protected:
  void assume(llvm::StringRef text) { facts.assume(condition(text)); }
  Truth prove(llvm::StringRef text) { return facts.prove(condition(text)); }
  std::string simplify(llvm::StringRef text) { return facts.simplify(parse(text)).str(); }

  Facts facts{context};
};
} // namespace

TEST_F(FactsTest, Ranges) {
  assume("0 <= M <= 10 and 2 <= N <= 4");
  EXPECT_EQ(facts.range(parse("M * N - 3")), Range::of(-3, 37));
  EXPECT_EQ(facts.range(parse("M // N")), Range::of(0, 5));
  EXPECT_EQ(facts.range(parse("M % 4 + Z % 8")), Range::of(0, 10));
  EXPECT_EQ(facts.range(parse("max(M, Z)")), Range::atLeast(0));
  EXPECT_EQ(facts.range(parse("Z")), Range::all());
}

TEST_F(FactsTest, RootsOfBoundedProducts) {
  assume("M >= 0 and N >= 1 and M * M * N <= 101");
  EXPECT_EQ(facts.range(parse("M")), Range::of(0, 10));
  EXPECT_EQ(facts.range(parse("N")), Range::atLeast(1));
  assume("K >= 0 and K * K * K <= 26");
  EXPECT_EQ(facts.range(parse("K")), Range::of(0, 2));
}

TEST_F(FactsTest, Divisibility) {
  assume("D % 16 == 0 and E % 6 == 0");
  EXPECT_EQ(facts.knownMultiple(parse("3 * D + 24")), 24);
  EXPECT_EQ(facts.knownMultiple(parse("D * E")), 96);
  EXPECT_EQ(facts.knownMultiple(parse("D // 4")), 4);
  EXPECT_EQ(prove("(D + 8) % 16 == 0"), Truth::False);
  EXPECT_EQ(prove("D + E != 1"), Truth::True);
  // Half of half of a number.
  assume("F % 2 == 0 and F // 2 % 2 == 0 and G // 3 % 2 == 0");
  EXPECT_EQ(facts.knownMultiple(parse("F")), 4);
  EXPECT_EQ(facts.knownMultiple(parse("G")), 1);
}

// Of sizes that are multiples of others few numbers are samples.
TEST_F(FactsTest, SamplesOfMultiples) {
  assume("M >= 32 and N >= 32 and M // 32 == 7 * (M // 224) and N // 32 == 7 * (N // 224)");
  assume("2 * H <= M and 2 * H >= M - 1 and H >= 1 and B >= 1 and B * H <= 16776704");
  EXPECT_TRUE(facts.isNegativeSomewhere(parse("M - 225"), /*looks=*/true));
  EXPECT_TRUE(facts.isNegativeSomewhere(parse("2 * H * B - M - 1"), true));
  EXPECT_FALSE(facts.isNegativeSomewhere(parse("M - 224"), true));
}

TEST_F(FactsTest, RowMajorIndexStaysInBounds) {
  assume("M >= 1 and K >= 1 and 0 <= m < M and 0 <= k < K");
  EXPECT_EQ(prove("m * K + k < M * K"), Truth::True);
  EXPECT_EQ(prove("m * K + k >= 0"), Truth::True);
  EXPECT_EQ(prove("m * K + k < M * K - 1"), Truth::Unknown);
}

TEST_F(FactsTest, GridCoversTheLastBlock) {
  assume("N >= 1 and 0 <= pid < cdiv(N, 128) and 0 <= lane < 128");
  EXPECT_EQ(prove("pid * 128 < N"), Truth::True);
  EXPECT_EQ(prove("pid * 128 + lane < N + 128"), Truth::True);
  EXPECT_EQ(prove("pid * 128 + lane < N"), Truth::Unknown);
}

TEST_F(FactsTest, SymbolicBlock) {
  assume("N >= 0 and B >= 1 and 0 <= pid < cdiv(N, B)");
  EXPECT_EQ(prove("pid * B < N"), Truth::True);
  assume("N % B == 0 and 0 <= r < B");
  EXPECT_EQ(prove("pid >= 0"), Truth::True);
}

TEST_F(FactsTest, QuotientOfAProduct) {
  assume("B >= 1 and T >= 1 and 0 <= row < B * T");
  EXPECT_EQ(prove("row // T < B"), Truth::True);
  EXPECT_EQ(prove("row // T < B - 1"), Truth::Unknown);
  EXPECT_EQ(prove("row // T >= 0"), Truth::True);
}

TEST_F(FactsTest, OffsetsFitMachineIntegers) {
  assume("M >= 0 and N >= 0 and M * N <= 2147418112 and 0 <= t and 0 <= lane < 4096");
  assume("4096 * t < M * N");
  EXPECT_EQ(prove("4096 * t + lane <= 2147483647"), Truth::True);
  assume("B >= 1 and H >= 1 and D >= 1 and D * H * B <= 1000");
  EXPECT_EQ(prove("D * H <= 1000"), Truth::True);
  EXPECT_EQ(prove("D <= 1000"), Truth::True);
  EXPECT_EQ(prove("D * H <= 999"), Truth::Unknown);
  assume("K >= 1 and K * R <= K + 2147418112 and 0 <= pid < cdiv(K * R - K, 1024)");
  EXPECT_EQ(prove("1024 * pid + lane // 4 <= 2147483647"), Truth::True);
}

TEST_F(FactsTest, QuotientBySum) {
  assume("K >= 0 and N >= 0 and K + N >= 1 and 0 <= x < M * (K + N)");
  EXPECT_EQ(prove("x // (K + N) < M"), Truth::True);
  EXPECT_EQ(prove("x // (K + N) >= 0"), Truth::True);
}

TEST_F(FactsTest, Reflection) {
  assume("H >= 4 and 0 <= i < H + 6");
  EXPECT_EQ(prove("max(3 - i, i - 3) >= 0"), Truth::True);
  EXPECT_EQ(prove("max(3 - i, i - 3) >= 1"), Truth::Unknown);
  EXPECT_EQ(prove("min(3 - i, i - 3) <= 0"), Truth::True);
  EXPECT_EQ(prove("max(max(3 - i, i - 3) - H + 1, H - 1 - max(3 - i, i - 3)) < H"), Truth::True);
  EXPECT_EQ(prove("max(max(3 - i, i - 3) - H + 1, H - 1 - max(3 - i, i - 3)) >= 0"), Truth::True);
}

TEST_F(FactsTest, SplitAxis) {
  assume("N >= 1 and N // 4 >= 1 and x >= 0 and T >= 1");
  EXPECT_EQ(prove("N // 4 * (x // (T * (N // 4)) % 4) + x % (N // 4) < N"), Truth::True);
}

TEST_F(FactsTest, ExactQuotients) {
  assume("M >= 1 and N >= 1 and p >= 0 and 0 <= l < 1024 and l + 1024 * p < M * N");
  EXPECT_EQ(prove("64 * p + l // 16 < M * N // 16"), Truth::Unknown);
  assume("M * N % 16 == 0");
  EXPECT_EQ(prove("64 * p + l // 16 < M * N // 16"), Truth::True);
  EXPECT_EQ(prove("16 * (M * N // 16) >= M * N"), Truth::True);
  EXPECT_EQ(prove("64 * p + l // 16 + 1 < M * N // 16"), Truth::Unknown);
}

TEST_F(FactsTest, ProductOfPositiveSizes) {
  assume("M >= 1 and K >= 0");
  EXPECT_EQ(prove("M * K >= K"), Truth::True);
  EXPECT_EQ(prove("K >= M * K"), Truth::Unknown);
}

TEST_F(FactsTest, ChainsOfInequalities) {
  assume("a <= b and b <= c and c < d");
  EXPECT_EQ(prove("a < d"), Truth::True);
  EXPECT_EQ(prove("d <= a"), Truth::False);
  EXPECT_EQ(prove("min(a, c) < d"), Truth::True);
  EXPECT_EQ(prove("a < d or x == 0"), Truth::True);
}

TEST_F(FactsTest, Simplifies) {
  assume("0 <= r < 8 and D % 32 == 0 and 0 <= s < N");
  EXPECT_EQ(simplify("r % 8 + r // 8"), "r");
  EXPECT_EQ(simplify("(D + r) // 8"), "D // 8");
  EXPECT_EQ(simplify("(D + r) % 8"), "r");
  EXPECT_EQ(simplify("(q * N + s) // N"), "q");
  EXPECT_EQ(simplify("(q * N + s) % N"), "s");
  EXPECT_EQ(simplify("-1 % N"), "N - 1");
  EXPECT_EQ(simplify("-1 // N"), "-1");
  EXPECT_EQ(simplify("-3 % N"), "-3 % N");
  EXPECT_EQ(simplify("min(s, N)"), "s");
  assume("T == 2 * S");
  EXPECT_EQ(simplify("T - S"), "S");
}

TEST_F(FactsTest, QuotientsByWhatTermsShare) {
  assume("k >= 1 and M >= 2 and 0 <= c and c < 2 * k and 0 <= b and 0 <= i and i < M - 1");
  EXPECT_EQ(simplify("(2 * k * b + c) // (4 * k)"), "b // 2");
  EXPECT_EQ(simplify("(2 * k * b + c) % (4 * k)"), "2 * k * (b % 2) + c");
  EXPECT_EQ(simplify("(M * b - b + i) // (M - 1)"), "b");
  EXPECT_EQ(simplify("(64 * b + c % 64) // (64 * k)"), "b // k");
}

TEST_F(FactsTest, ChangeOfVariables) {
  assume("0 <= i and i < M and i < 100 and M >= 1 and M % 4 == 0");
  llvm::DenseMap<Expr, Expr> changes;
  changes[parse("i")] = parse("8 * a + b");
  Facts changed = facts.substituted(changes);
  EXPECT_EQ(changed.prove(condition("8 * a + b < M")), Truth::True);
  EXPECT_EQ(changed.prove(condition("8 * a + b <= 99")), Truth::True);
  EXPECT_EQ(changed.prove(condition("i < M")), Truth::Unknown);
  EXPECT_EQ(changed.knownMultiple(parse("M")), 4);
}

TEST_F(FactsTest, ProductsOfSums) {
  assume("A >= -2 and B >= -2 and C >= -5");
  EXPECT_EQ(prove("A * B + 3 * A + 3 * B + 9 >= 1"), Truth::True);
  EXPECT_EQ(prove("A * B + 3 * A + 3 * B + 9 >= 2"), Truth::Unknown);
  EXPECT_EQ(prove("A * B + 2 * A + 2 * B + 4 >= 0"), Truth::True);
  EXPECT_EQ(prove("A * C + 3 * A + 3 * C + 9 >= 1"), Truth::Unknown);
}

TEST_F(FactsTest, MultiplesAreNoLessThanTheLeastOne) {
  assume("M >= 63 and ((M + 1) // 32 + 5) % 6 == 0");
  EXPECT_EQ(prove("(M + 161) // 192 >= 2"), Truth::True);
  EXPECT_EQ(prove("(M + 1) // 32 >= 7"), Truth::True);
  EXPECT_EQ(prove("(M + 161) // 192 >= 3"), Truth::Unknown);
}

TEST_F(FactsTest, MultiplesOfWhatDividesNothing) {
  EXPECT_EQ(condition("3 * N % 2 == 0"), condition("N % 2 == 0"));
  EXPECT_EQ(condition("(6 * N + 3) % 9 == 0"), condition("(2 * N + 1) % 3 == 0"));
  assume("3 * N % 2 == 0");
  EXPECT_EQ(facts.knownMultiple(parse("N")), 2);
}
