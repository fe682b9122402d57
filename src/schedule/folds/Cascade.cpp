// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/folds/Cascade.h"

#include <cmath>
#include <set>
#include <tuple>

namespace nereid::schedule {

namespace {

/// A datum less a linear form of results.
struct Shifted {
  unsigned base;
  LinearForm centre;
  bool operator<(const Shifted &other) const {
    return std::tie(base, centre) < std::tie(other.base, other.centre);
  }
};

struct Monomial {
  std::map<unsigned, int> data;
  std::map<unsigned, int> results;
  std::map<Shifted, int> shifted;
  std::map<Shifted, double> exponent;
  bool isBinary = false;

  bool hasData() const { return !data.empty() || !shifted.empty() || !exponent.empty(); }
  /// One of `atoms`' members alone, to the power of one.
  bool isOnly(const std::map<unsigned, int> &atoms) const {
    return atoms.size() == 1 && atoms.begin()->second == 1 && shifted.empty() && exponent.empty() &&
           data.size() + results.size() == 1;
  }
  bool operator<(const Monomial &other) const {
    return std::tie(data, results, shifted, exponent, isBinary) <
           std::tie(other.data, other.results, other.shifted, other.exponent, other.isBinary);
  }
};

using Polynomial = std::map<Monomial, double>;

class Derive {
public:
  Derivation run(const Body &body);

private:
  std::optional<Polynomial> expand(const Body &body);
  std::optional<Polynomial> expandExp(const Body &body);
  std::optional<Polynomial> add(Polynomial a, const Polynomial &b, double factor);
  std::optional<Polynomial> multiply(const Polynomial &a, const Polynomial &b);
  std::optional<Polynomial> invert(const Polynomial &poly);
  std::optional<Polynomial> centre(Polynomial poly);
  bool addTerm(const Monomial &monomial, double number);
  bool findCentres(const Polynomial &poly);
  unsigned addFeature(const Feature &feature);

  std::nullopt_t refuse(std::string reason) {
    if (refusal.empty())
      refusal = std::move(reason);
    return std::nullopt;
  }

  Cascade cascade;
  std::string refusal;
};

template <typename Key, typename Number>
void multiplyPowers(std::map<Key, Number> &into, const std::map<Key, Number> &factors) {
  for (auto &[key, power] : factors)
    if ((into[key] += power) == 0)
      into.erase(key);
}

bool isNumber(const Polynomial &poly) {
  return poly.size() == 1 && !poly.begin()->first.hasData() && poly.begin()->first.results.empty();
}

} // namespace

/// `a + factor * b`. Data that cancel are refused: a NaN among them would be lost.
std::optional<Polynomial> Derive::add(Polynomial a, const Polynomial &b, double factor) {
  for (auto &[monomial, number] : b) {
    double &sum = a[monomial];
    double before = sum;
    sum += factor * number;
    if (std::abs(sum) > 1e-12 * std::abs(before))
      continue;
    if (monomial.hasData())
      return refuse("it takes elements away from themselves");
    a.erase(monomial);
  }
  return a;
}

/// Makes a datum and the results that are taken from it one shifted datum. Whatever else adds data
/// to results would be a difference of large sums when multiplied out.
std::optional<Polynomial> Derive::centre(Polynomial poly) {
  bool hasData = false, hasResults = false;
  for (auto &[monomial, number] : poly)
    (monomial.hasData() ? hasData : hasResults) = true;
  if (!hasData || !hasResults)
    return poly;
  LinearForm rest;
  std::optional<unsigned> base;
  double scale = 0;
  for (auto &[monomial, number] : poly) {
    if (!monomial.hasData() && monomial.results.empty())
      rest.number = number;
    else if (monomial.isOnly(monomial.results))
      rest.factors[monomial.results.begin()->first] = number;
    else if (monomial.isOnly(monomial.data) && !base)
      base = monomial.data.begin()->first, scale = number;
    else
      return refuse("it adds a result to more than one element");
  }
  rest.number /= -scale;
  for (auto &[atom, factor] : rest.factors)
    factor /= -scale;
  Monomial shifted;
  shifted.shifted[{*base, rest}] = 1;
  return Polynomial{{shifted, scale}};
}

/// The parts of two sums may cancel in each element, as in a residual: multiplied out, their
/// squares would have to cancel in the sums.
std::optional<Polynomial> Derive::multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  auto isSumOfData = [](const Polynomial &poly) {
    return poly.size() > 1 && poly.begin()->first.hasData();
  };
  if (isSumOfData(a) && isSumOfData(b))
    return refuse("it multiplies two sums of elements");
  for (auto &[x, first] : a)
    for (auto &[y, second] : b) {
      if (!x.exponent.empty() && !y.exponent.empty() && x.isBinary != y.isBinary)
        return refuse("it multiplies exp by exp2");
      Monomial product = x;
      multiplyPowers(product.data, y.data);
      multiplyPowers(product.results, y.results);
      multiplyPowers(product.shifted, y.shifted);
      multiplyPowers(product.exponent, y.exponent);
      product.isBinary = !product.exponent.empty() && (x.isBinary || y.isBinary);
      if ((x.hasData() || y.hasData()) && !product.hasData())
        return refuse("it divides elements by themselves");
      auto sum = add(std::move(result), {{product, first * second}}, 1);
      if (!sum)
        return std::nullopt;
      result = std::move(*sum);
    }
  return result;
}

std::optional<Polynomial> Derive::invert(const Polynomial &poly) {
  if (poly.size() != 1)
    return refuse("it divides by a sum of elements and results");
  Monomial monomial = poly.begin()->first;
  double number = poly.begin()->second;
  if (!monomial.shifted.empty())
    return refuse("it divides by an element less a result");
  for (auto *powers : {&monomial.data, &monomial.results})
    for (auto &[atom, power] : *powers)
      power = -power;
  for (auto &[atom, rate] : monomial.exponent)
    rate = -rate;
  return Polynomial{{monomial, 1 / number}};
}

std::optional<Polynomial> Derive::expandExp(const Body &body) {
  auto argument = expand(body.operands[0]);
  if (argument)
    argument = centre(std::move(*argument));
  if (!argument)
    return std::nullopt;
  Monomial result;
  result.isBinary = body.kind == Body::Kind::Exp2;
  // An exponential of data alone is data: what is left here has met a result.
  if (argument->size() != 1)
    return refuse("its exponential is not linear in one element");
  auto &[monomial, number] = *argument->begin();
  bool isLinear = monomial.shifted.size() == 1 && monomial.shifted.begin()->second == 1 &&
                  monomial.data.empty() && monomial.results.empty() && monomial.exponent.empty();
  if (!isLinear)
    return refuse("its exponential is not linear in one element");
  result.exponent[monomial.shifted.begin()->first] = number;
  return Polynomial{{result, 1}};
}

std::optional<Polynomial> Derive::expand(const Body &body) {
  using Kind = Body::Kind;
  Monomial one;
  switch (body.kind) {
  case Kind::Data:
    one.data[body.atom] = 1;
    return Polynomial{{one, 1}};
  case Kind::Result:
    one.results[body.atom] = 1;
    return Polynomial{{one, 1}};
  case Kind::Number:
    if (body.number == 0)
      return Polynomial();
    if (!std::isfinite(body.number))
      return refuse("it has an infinite constant");
    return Polynomial{{one, body.number}};
  case Kind::Exp:
  case Kind::Exp2:
    return expandExp(body);
  case Kind::Opaque:
    return refuse(body.reason);
  default:
    break;
  }
  auto a = expand(body.operands[0]);
  if (!a)
    return std::nullopt;
  if (body.kind == Kind::Neg)
    return add({}, *a, -1);
  auto b = expand(body.operands[1]);
  if (!b)
    return std::nullopt;
  if (body.kind == Kind::Add || body.kind == Kind::Sub)
    return add(std::move(*a), *b, body.kind == Kind::Add ? 1 : -1);
  // A zero keeps NaN and infinities of the other factor.
  if (a->empty() || b->empty())
    return refuse("it multiplies by zero");
  // A number keeps a linear form linear.
  if (!isNumber(*b))
    a = centre(std::move(*a));
  if (a && !isNumber(*a))
    b = centre(std::move(*b));
  if (b && body.kind == Kind::Div)
    b = invert(*b);
  if (!a || !b)
    return std::nullopt;
  return multiply(*a, *b);
}

Feature Feature::withPower(unsigned power) const {
  Feature result = *this;
  result.power = power;
  if (power == 0 && rate == 0)
    result.base.reset();
  return result;
}

unsigned Derive::addFeature(const Feature &feature) {
  for (unsigned power = 0; feature.base && power < feature.power; ++power)
    addFeature(feature.withPower(power));
  for (unsigned known = 0; known < cascade.features.size(); ++known)
    if (cascade.features[known] == feature)
      return known;
  cascade.features.push_back(feature);
  return cascade.features.size() - 1;
}

/// One centre a base: that of its powers, else any of its exponentials'.
bool Derive::findCentres(const Polynomial &poly) {
  for (auto &[monomial, number] : poly)
    for (auto &[shifted, power] : monomial.shifted) {
      auto [known, isNew] = cascade.centres.try_emplace(shifted.base, shifted.centre);
      if (!isNew && known->second != shifted.centre) {
        refuse("it takes two different results away from the same elements");
        return false;
      }
    }
  for (auto &[monomial, number] : poly)
    for (auto &[shifted, rate] : monomial.exponent)
      cascade.centres.try_emplace(shifted.base, shifted.centre);
  return true;
}

bool Derive::addTerm(const Monomial &monomial, double number) {
  CascadeTerm term{number, monomial.results, {}, 0};
  Feature feature;
  feature.weights = monomial.data;
  feature.isBinary = monomial.isBinary;
  std::set<unsigned> bases;
  for (auto &[shifted, power] : monomial.shifted) {
    bases.insert(shifted.base);
    feature.power += power;
  }
  for (auto &[shifted, rate] : monomial.exponent) {
    bases.insert(shifted.base);
    feature.rate += rate;
    // exp(x - other) = exp(x - centre) * exp(centre - other)
    LinearForm &exponent = term.exponent;
    auto move = [&](const LinearForm &form, double factor) {
      exponent.number += factor * form.number;
      for (auto &[atom, part] : form.factors)
        if ((exponent.factors[atom] += factor * part) == 0)
          exponent.factors.erase(atom);
    };
    move(cascade.centres.at(shifted.base), rate);
    move(shifted.centre, -rate);
  }
  if (bases.size() > 1) {
    refuse("it takes results away from two different rows");
    return false;
  }
  if (!monomial.exponent.empty() && feature.rate == 0) {
    refuse("it divides elements by themselves");
    return false;
  }
  if (!bases.empty())
    feature.base = *bases.begin();
  term.feature = addFeature(feature);
  cascade.terms.push_back(std::move(term));
  return true;
}

Derivation Derive::run(const Body &body) {
  auto poly = expand(body);
  if (poly)
    poly = centre(std::move(*poly));
  if (poly && poly->empty())
    poly = refuse("it is zero");
  if (!poly || !findCentres(*poly))
    return {std::nullopt, refusal};
  for (auto &[monomial, number] : *poly)
    if (!addTerm(monomial, number))
      return {std::nullopt, refusal};
  return {std::move(cascade), ""};
}

Derivation deriveCascade(const Body &body) { return Derive().run(body); }

double binomial(unsigned n, unsigned k) {
  double result = 1;
  for (unsigned i = 0; i < k; ++i)
    result = result * (n - i) / (i + 1);
  return result;
}

} // namespace nereid::schedule
