// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Online forms at random points in double precision: a derived sum is the direct one, and moving
// the reference by way of a third point is moving it at once.
#include "schedule/folds/Cascade.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace nereid::schedule;

namespace {

using Kind = Body::Kind;

Body data(unsigned atom) { return {Kind::Data, atom, 0, "", {}}; }
Body result(unsigned atom) { return {Kind::Result, atom, 0, "", {}}; }
Body number(double value) { return {Kind::Number, 0, value, "", {}}; }
Body opaque(std::string reason) { return {Kind::Opaque, 0, 0, std::move(reason), {}}; }
Body apply(Kind kind, std::vector<Body> operands) { return {kind, 0, 0, "", std::move(operands)}; }
Body operator-(Body a, Body b) { return apply(Kind::Sub, {a, b}); }
Body operator+(Body a, Body b) { return apply(Kind::Add, {a, b}); }
Body operator*(Body a, Body b) { return apply(Kind::Mul, {a, b}); }
Body operator/(Body a, Body b) { return apply(Kind::Div, {a, b}); }
Body exp(Body a) { return apply(Kind::Exp, {a}); }
Body exp2(Body a) { return apply(Kind::Exp2, {a}); }

/// Atoms 0..3 are data, one number a column; 4..7 are results.
struct Point {
  std::vector<std::vector<double>> columns;
  double results[8] = {};
};

double evaluate(const Body &body, const Point &point, unsigned column) {
  auto operand = [&](unsigned i) { return evaluate(body.operands[i], point, column); };
  switch (body.kind) {
  case Kind::Data:
    return point.columns[column][body.atom];
  case Kind::Result:
    return point.results[body.atom];
  case Kind::Number:
    return body.number;
  case Kind::Neg:
    return -operand(0);
  case Kind::Add:
    return operand(0) + operand(1);
  case Kind::Sub:
    return operand(0) - operand(1);
  case Kind::Mul:
    return operand(0) * operand(1);
  case Kind::Div:
    return operand(0) / operand(1);
  case Kind::Exp:
    return std::exp(operand(0));
  case Kind::Exp2:
    return std::exp2(operand(0));
  case Kind::Opaque:
    break;
  }
  return NAN;
}

double evaluate(const LinearForm &form, const Point &point) {
  double value = form.number;
  for (auto &[atom, factor] : form.factors)
    value += factor * point.results[atom];
  return value;
}

double exponential(double of, bool isBinary) { return isBinary ? std::exp2(of) : std::exp(of); }

/// A feature of some columns about a reference.
double sum(const Feature &feature, const Point &point, unsigned from, unsigned to,
           double reference) {
  double total = 0;
  for (unsigned column = from; column < to; ++column) {
    double element = 1;
    for (auto &[atom, power] : feature.weights)
      element *= std::pow(point.columns[column][atom], power);
    if (feature.base) {
      double u = point.columns[column][*feature.base] - reference;
      element *= std::pow(u, feature.power) * exponential(feature.rate * u, feature.isBinary);
    }
    total += element;
  }
  return total;
}

/// A state moved from a reference to another: what OnlineFolds emits.
std::vector<double> move(const Cascade &cascade, const std::vector<double> &state, double from,
                         double to) {
  double d = from - to;
  std::vector<double> moved;
  for (const Feature &feature : cascade.features) {
    double total = 0;
    for (unsigned l = 0; l <= feature.power; ++l) {
      Feature lower = feature.withPower(l);
      unsigned at = std::find(cascade.features.begin(), cascade.features.end(), lower) -
                    cascade.features.begin();
      EXPECT_LT(at, cascade.features.size()) << "a lower power is no feature";
      total += binomial(feature.power, l) * std::pow(d, feature.power - l) * state[at];
    }
    moved.push_back(exponential(feature.rate * d, feature.isBinary) * total);
    if (!feature.base)
      moved.back() = state[moved.size() - 1];
  }
  return moved;
}

double combine(const Cascade &cascade, const std::vector<double> &state, const Point &point) {
  double value = 0;
  for (const CascadeTerm &term : cascade.terms) {
    double product = term.number * state[term.feature];
    for (auto &[atom, power] : term.results)
      product *= std::pow(point.results[atom], power);
    bool isBinary = cascade.features[term.feature].isBinary;
    value += product * exponential(evaluate(term.exponent, point), isBinary);
  }
  return value;
}

void expectNear(double a, double b) { EXPECT_NEAR(a, b, 1e-9 * (1 + std::abs(a))); }

void check(const Body &body) {
  Derivation derivation = deriveCascade(body);
  ASSERT_TRUE(derivation.cascade) << derivation.refusal;
  const Cascade &cascade = *derivation.cascade;
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> numbers(0.5, 2);
  for (unsigned turn = 0; turn < 8; ++turn) {
    Point point;
    for (unsigned column = 0; column < 9; ++column)
      point.columns.push_back({numbers(engine), numbers(engine), numbers(engine)});
    for (double &result : point.results)
      result = numbers(engine);
    double direct = 0;
    for (unsigned column = 0; column < 9; ++column)
      direct += evaluate(body, point, column);
    double first = numbers(engine), second = numbers(engine), third = numbers(engine);
    // Two parts about references of their own.
    std::vector<double> left, right;
    for (const Feature &feature : cascade.features) {
      left.push_back(sum(feature, point, 0, 4, first));
      right.push_back(sum(feature, point, 4, 9, second));
    }
    std::vector<double> at = move(cascade, left, first, third),
                        back = move(cascade, at, third, first),
                        through = move(cascade, at, third, second),
                        straight = move(cascade, left, first, second),
                        nothing = move(cascade, std::vector<double>(left.size()), first, second);
    for (unsigned i = 0; i < left.size(); ++i) {
      expectNear(left[i], back[i]);
      expectNear(straight[i], through[i]);
      EXPECT_EQ(nothing[i], 0);
    }
    ASSERT_LE(cascade.centres.size(), 1u);
    double centre = cascade.centres.empty() ? 0 : evaluate(cascade.centres.begin()->second, point);
    left = move(cascade, left, first, centre);
    right = move(cascade, right, second, centre);
    for (unsigned i = 0; i < left.size(); ++i)
      left[i] += right[i];
    expectNear(direct, combine(cascade, left, point));
  }
}

std::string refusal(const Body &body) {
  Derivation derivation = deriveCascade(body);
  return derivation.cascade ? "" : derivation.refusal;
}

const Body x = data(0), y = data(1), w = data(2), m = result(4), l = result(5), n = result(6);

} // namespace

TEST(Cascade, SumsOfExponentials) {
  check(exp(x - m));
  check(exp2(x - m));
  check(exp(m - x));
  check(exp((x - m) / number(2)));
  check(w * exp(x - m) / l);
  check(exp(x - (m + l)));
  EXPECT_EQ(deriveCascade(exp(x - m)).cascade->features.size(), 1u);
}

TEST(Cascade, Moments) {
  check((x - m) * (x - m));
  check((x - m) * (x - m) * (x - m));
  check((x - m) / l * ((x - m) / l));
  check(w * (x - m) * (x - m));
  check(x * (x - m));
  check((number(2) * x - m) * (number(2) * x - m));
  EXPECT_EQ(deriveCascade((x - m) * (x - m)).cascade->features.size(), 3u);
}

TEST(Cascade, Entropy) {
  check(exp(x - m - l) * (x - m - l));
  check(exp(x - m) * (x - m));
  check(exp(x - m) / n * (x - m - l));
  EXPECT_EQ(deriveCascade(exp(x - m) * (x - m)).cascade->features.size(), 2u);
}

TEST(Cascade, OneStateServesLinearResults) {
  check(w * (x - m));
  check(x * n);
  check(x * n / l);
  check((y - x * n) * w);
  check(x - m);
}

TEST(Cascade, InfiniteRankIsRefused) {
  EXPECT_EQ(refusal(opaque("tanh")), "tanh");
  EXPECT_EQ(refusal(opaque("rounds") * exp(x - m)), "rounds");
  EXPECT_NE(refusal(number(1) / (number(1) + exp(x - m))), "");
  EXPECT_NE(refusal(w / (x - m)), "");
  EXPECT_NE(refusal(exp((x - m) * (x - m))), "");
}

TEST(Cascade, LossOfDigitsIsRefused) {
  // x^2 s^2 - 2 x s m + m^2 is a difference of large sums.
  EXPECT_NE(refusal((x * n - m) * (x * n - m)), "");
  // A residual: y^2 - 2 x y n + x^2 n^2 may even be negative.
  EXPECT_NE(refusal((y - x * n) * (y - x * n)), "");
  EXPECT_NE(refusal((y - x * n) * (w + y * n)), "");
  EXPECT_NE(refusal((x - m) * (y - l)), "");
  EXPECT_NE(refusal((x - m) * (x - l)), "");
  EXPECT_NE(refusal((x + y - m) * w), "");
}

TEST(Cascade, LossOfNanIsRefused) {
  EXPECT_NE(refusal((x - m) - (x - m)), "");
  EXPECT_NE(refusal(exp(x - m) * exp(m - x)), "");
  EXPECT_NE(refusal((x - m) * number(0)), "");
}
