// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Online forms of sums whose terms need the results of other folds over the same elements:
// `sum(exp(x - max(x)))` in the same loop as `max(x)`.
//
// With `u = x(c) - reference`, a sum of `a * prod r^n * w(c) * u^k * exp(rate * u)` has a finite
// state: the sums of `w * u^k * exp(rate * u)`, its features. When the reference moves by
// d = old - new, S_k becomes `exp(rate * d) * sum_l C(k, l) d^(k-l) S_l`: so the loop may follow
// any reference, and the result's own is put in at the end. Algebra only; what emits it is in
// OnlineFolds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nereid::schedule {

/// What a sum adds up, as far as the algebra sees it. Atoms are numbered by the caller: `Data` vary
/// along the fold and are known in its loop, `Result`s are the same for all of it.
struct Body {
  enum class Kind { Data, Result, Number, Neg, Add, Sub, Mul, Div, Exp, Exp2, Opaque };
  Kind kind = Kind::Opaque;
  unsigned atom = 0;
  double number = 0;
  /// Opaque: why it cannot be looked into.
  std::string reason;
  std::vector<Body> operands;
};

/// A sum of results with factors, and a number.
struct LinearForm {
  std::map<unsigned, double> factors;
  double number = 0;

  bool isZero() const { return factors.empty() && number == 0; }
  bool operator==(const LinearForm &) const = default;
  bool operator<(const LinearForm &other) const {
    return std::tie(factors, number) < std::tie(other.factors, other.number);
  }
};

/// A sum that the loop keeps: of `prod weights * u^power * exp(rate * u)`, `u` the base less its
/// reference; without a base, of the weights alone.
struct Feature {
  std::optional<unsigned> base;
  unsigned power = 0;
  double rate = 0;
  /// exp2 in place of exp.
  bool isBinary = false;
  std::map<unsigned, int> weights;

  /// The same with another power; without base when nothing of it is left.
  Feature withPower(unsigned power) const;
  bool operator==(const Feature &) const = default;
};

/// One summand of the result: `number * prod results^power * exp(exponent) * feature`.
struct CascadeTerm {
  double number = 1;
  std::map<unsigned, int> results;
  LinearForm exponent;
  unsigned feature = 0;
};

struct Cascade {
  /// With a feature, all of its lower powers are here too.
  std::vector<Feature> features;
  std::vector<CascadeTerm> terms;
  /// By base: what is subtracted from it in the result.
  std::map<unsigned, LinearForm> centres;
};

/// The online form of a sum, or why it has none.
struct Derivation {
  std::optional<Cascade> cascade;
  std::string refusal;
};

Derivation deriveCascade(const Body &body);

/// C(n, k).
double binomial(unsigned n, unsigned k);

} // namespace nereid::schedule
