// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes damaged texts from good ones, the same ones for the same seed on every machine. A mutant is
// a run of lines of one text (or all of a short one) with a few tokens removed, doubled, swapped,
// replaced by those of another text or nested a thousand deep, or with bytes overwritten.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace nereid::fuzz {

class Mutator {
public:
  Mutator(std::vector<std::string> texts, uint64_t seed) : texts(std::move(texts)), random(seed) {}

  std::string next();

private:
  using Tokens = std::vector<std::string>;

  /// A number below `bound` (std::uniform_int_distribution differs between libraries).
  size_t below(size_t bound) { return random() % bound; }
  Tokens tokensOfSomeLines();
  void mutate(Tokens &tokens);
  static void overwriteByte(std::string &text, size_t at, uint64_t choice);

  std::vector<std::string> texts;
  std::mt19937_64 random;
};

} // namespace nereid::fuzz
