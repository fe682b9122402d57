// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random expressions and predicates against brute force over small boxes, negative values included.
// NEREID_RANDOM_COUNT raises the number of expressions for long runs.
#include "RandomExpr.h"
#include "index/Printer.h"
#include "index/SamplePoints.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace nereid::index;
using namespace nereid::index::test;

static unsigned countOf(unsigned usual) {
  const char *text = std::getenv("NEREID_RANDOM_COUNT");
  return text ? std::strtoul(text, nullptr, 10) : usual;
}

/// Where both have a value they agree.
template <typename T>
static bool agree(const std::optional<T> &wanted, const std::optional<T> &found) {
  return !wanted || !found || *wanted == *found;
}

TEST(Property, CanonicalFormKeepsValues) {
  Context context;
  ExprGenerator generator(context, 1, 3);
  unsigned compared = 0, lost = 0;
  for (unsigned i = 0, count = countOf(20000); i < count; ++i) {
    RandomExpr random = generator.expr(4);
    for (unsigned sample = 0; sample < 12; ++sample) {
      Values values = generator.values(-9, 9);
      auto wanted = random.oracle(values);
      auto found = valueOf(random.expr, generator.getSymbols(), values);
      ASSERT_TRUE(agree(wanted, found))
          << random.expr.str() << " at " << values[0] << " " << values[1] << " " << values[2]
          << ": expected " << *wanted << ", found " << *found;
      compared += wanted && found;
      // A value may be lost only where an intermediate number leaves int64.
      lost += wanted && !found;
    }
  }
  EXPECT_GT(compared, countOf(20000) * 6);
  EXPECT_LT(lost, compared / 50);
}

TEST(Property, PrintedTextParsesToTheSameExpression) {
  Context context;
  ExprGenerator generator(context, 2, 4);
  unsigned refolded = 0;
  for (unsigned i = 0, count = countOf(20000); i < count; ++i) {
    Expr expr = generator.expr(4).expr;
    std::string text = expr.str();
    ParseError error;
    Expr parsed = parseExpr(text, context, error);
    ASSERT_TRUE(parsed) << text << ": " << error.message << " at " << error.offset;
    if (parsed == expr)
      continue;
    ++refolded;
    for (unsigned sample = 0; sample < 10; ++sample) {
      Values values = generator.values(-9, 9);
      ASSERT_TRUE(agree(valueOf(expr, generator.getSymbols(), values),
                        valueOf(parsed, generator.getSymbols(), values)))
          << text << " became " << parsed.str();
    }
  }
  // Numbers near the ends of int64, one leaf in 500, may fold in another order.
  EXPECT_LT(refolded, countOf(20000) / 200);
}

TEST(Property, PredicatesKeepTruthAndRoundTrip) {
  Context context;
  ExprGenerator generator(context, 3, 3);
  unsigned compared = 0, refolded = 0;
  for (unsigned i = 0, count = countOf(10000); i < count; ++i) {
    RandomPred random = generator.pred(3);
    std::string text = random.pred.str();
    ParseError error;
    Pred parsed = parsePred(text, context, error);
    ASSERT_TRUE(parsed) << text << ": " << error.message << " at " << error.offset;
    for (unsigned sample = 0; sample < 10; ++sample) {
      Values values = generator.values(-7, 7);
      auto wanted = random.oracle(values);
      auto found = valueOf(random.pred, generator.getSymbols(), values);
      ASSERT_TRUE(agree(wanted, found)) << text;
      ASSERT_TRUE(agree(found, valueOf(parsed, generator.getSymbols(), values)))
          << text << " became " << parsed.str();
      compared += wanted && found;
    }
    refolded += parsed != random.pred;
  }
  EXPECT_GT(compared, countOf(10000) * 5);
  EXPECT_LT(refolded, countOf(10000) / 200);
}

TEST(Property, SubstitutionCommutesWithEvaluation) {
  Context context;
  ExprGenerator generator(context, 4, 3);
  for (unsigned i = 0, count = countOf(10000); i < count; ++i) {
    RandomExpr outer = generator.expr(3), inner = generator.expr(2);
    Expr symbol = generator.getSymbols()[0];
    Expr result =
        substitute(outer.expr, [&](Expr atom) { return atom == symbol ? inner.expr : Expr(); });
    for (unsigned sample = 0; sample < 8; ++sample) {
      Values values = generator.values(-6, 6);
      std::optional<int64_t> value = inner.oracle(values);
      if (!value)
        continue;
      Values changed = values;
      changed[0] = *value;
      ASSERT_TRUE(agree(outer.oracle(changed), valueOf(result, generator.getSymbols(), values)))
          << outer.expr.str() << " with " << symbol.str() << " = " << inner.expr.str() << " is "
          << result.str();
    }
  }
}

namespace {
/// Random facts over a small box, and the points of the box that satisfy them.
struct Scene {
  Facts facts;
  std::vector<Values> points;
};
} // namespace

static Scene makeScene(Context &context, ExprGenerator &generator) {
  Scene scene{Facts(context), {}};
  llvm::ArrayRef<Expr> symbols = generator.getSymbols();
  std::vector<Range> ranges;
  for (Expr symbol : symbols) {
    int64_t lo = generator.number(-4, 3);
    ranges.push_back(Range::of(lo, lo + generator.number(0, 5)));
    scene.facts.setRange(symbol, ranges.back());
  }
  int64_t divisor = generator.number(1, 3);
  scene.facts.setDivisible(symbols[0], divisor);
  llvm::SmallVector<Pred> assumed;
  for (int64_t i = 0, count = generator.number(0, 2); i < count; ++i)
    assumed.push_back(generator.pred(1).pred);
  for (Pred pred : assumed)
    scene.facts.assume(pred);
  for (int64_t a = *ranges[0].lo; a <= *ranges[0].hi; ++a)
    for (int64_t b = *ranges[1].lo; b <= *ranges[1].hi; ++b)
      for (int64_t c = *ranges[2].lo; c <= *ranges[2].hi; ++c) {
        Values values{a, b, c};
        bool holds = a % divisor == 0;
        for (Pred pred : assumed)
          holds = holds && valueOf(pred, symbols, values) == true;
        if (holds)
          scene.points.push_back(values);
      }
  return scene;
}

TEST(Property, FactsAnswerSoundly) {
  Context context;
  ExprGenerator generator(context, 5, 3);
  unsigned decided = 0, asked = 0;
  for (unsigned i = 0, count = countOf(3000); i < count; ++i) {
    Scene scene = makeScene(context, generator);
    if (scene.points.empty())
      continue;
    llvm::ArrayRef<Expr> symbols = generator.getSymbols();
    for (unsigned question = 0; question < 3; ++question) {
      RandomExpr random = generator.expr(3);
      Range range = scene.facts.range(random.expr);
      int64_t multiple = scene.facts.knownMultiple(random.expr);
      Expr simple = scene.facts.simplify(random.expr);
      RandomPred claim = generator.pred(1);
      Truth truth = scene.facts.prove(claim.pred);
      Pred simplePred = scene.facts.simplify(claim.pred);
      ++asked;
      decided += truth != Truth::Unknown;
      for (const Values &values : scene.points) {
        std::string where = random.expr.str() + " at " + std::to_string(values[0]) + " " +
                            std::to_string(values[1]) + " " + std::to_string(values[2]);
        if (auto value = valueOf(random.expr, symbols, values)) {
          ASSERT_TRUE(range.contains(*value)) << where;
          ASSERT_TRUE(multiple == 0 ? *value == 0 : *value % multiple == 0) << where;
          auto simpleValue = valueOf(simple, symbols, values);
          ASSERT_TRUE(agree(std::optional(*value), simpleValue)) << where << " " << simple.str();
        }
        if (auto value = valueOf(claim.pred, symbols, values)) {
          ASSERT_TRUE(truth == Truth::Unknown || (truth == Truth::True) == *value)
              << claim.pred.str();
          ASSERT_TRUE(agree(value, valueOf(simplePred, symbols, values)))
              << claim.pred.str() << " became " << simplePred.str();
        }
      }
    }
  }
  // The box is small, so ranges alone settle many questions.
  EXPECT_GT(decided, asked / 4);
}

TEST(Property, SamplePointsSatisfyWhatIsKnown) {
  Context context;
  ExprGenerator generator(context, 9, 3);
  unsigned found = 0, satisfiable = 0;
  for (unsigned i = 0, count = countOf(3000); i < count; ++i) {
    llvm::SmallVector<Pred> known = {generator.pred(2).pred, generator.pred(2).pred};
    Expr symbol = generator.getSymbols()[0];
    Range range = Range::of(-3, 5);
    llvm::DenseMap<Expr, Range> ranges;
    ranges[symbol] = range;
    SamplePoints samples(ranges, llvm::DenseMap<Expr, int64_t>(), known, nullptr);
    known.push_back(ge(symbol, -3) & le(symbol, 5));
    for (const SamplePoints::Point &point : samples.getPoints())
      for (Pred pred : known)
        ASSERT_EQ(evaluate(pred, point), true) << pred.str();
    found += !samples.getPoints().empty();
    for (unsigned sample = 0, isIn = 0; sample < 200 && !isIn; ++sample) {
      Values values = generator.values(-3, 5);
      isIn = llvm::all_of(
          known, [&](Pred pred) { return valueOf(pred, generator.getSymbols(), values) == true; });
      satisfiable += isIn;
    }
  }
  // Where drawing at random finds a point, the search rarely misses one.
  EXPECT_GT(found, satisfiable * 9 / 10);
}

TEST(Property, SamplePointsRefute) {
  Context context;
  Facts facts(context);
  Expr i = context.symbol("i"), m = context.symbol("M"), n = context.symbol("N");
  facts.assume(ge(i, 0) & lt(i, m * n) & ge(m, 1) & ge(n, 1));
  EXPECT_TRUE(facts.isNegativeSomewhere(-i - 1, true));
  EXPECT_TRUE(facts.isNegativeSomewhere(i - m * n, true));
  EXPECT_FALSE(facts.isNegativeSomewhere(m * n - 1 - i, true));
  EXPECT_FALSE(facts.isNegativeSomewhere(m - 1 - floordiv(i, n), true));
}
