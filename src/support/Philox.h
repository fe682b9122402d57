// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter-based random numbers, Philox 4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw, 2011),
// bit for bit those that tl.randint, tl.rand and tl.randn of Triton make of a seed and an offset.
// The graph evaluator and the interpreter both draw from here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace nereid {

/// The four words of a counter under a key: the seed is the key, the offset the low half of the
/// counter.
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t offset) {
  uint32_t c0 = static_cast<uint32_t>(offset), c1 = static_cast<uint32_t>(offset >> 32);
  uint32_t c2 = 0, c3 = 0;
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * c0, b = uint64_t(0xCD9E8D57) * c2;
    c0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ k0;
    c2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(b);
    c3 = static_cast<uint32_t>(a);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

/// The word of an offset where four neighbours share a counter.
inline uint32_t sharedWord(uint64_t seed, uint64_t offset) {
  return philox(seed, offset / 4)[offset % 4];
}

/// 31 of a word's bits as a float in [0, 1); the factor keeps every product below one.
inline float uniformOfBits(uint32_t word) {
  int32_t bits = static_cast<int32_t>(word);
  return static_cast<float>(bits < 0 ? ~bits : bits) * 4.6566127342e-10f;
}

/// Box and Muller's transform of the first two words, computed in Real.
template <typename Real> Real normalOfWords(const std::array<uint32_t, 4> &words) {
  Real first = uniformOfBits(words[0]), second = uniformOfBits(words[1]);
  Real radius = std::sqrt(Real(-2) * std::log(std::max(Real(1.0e-7f), first)));
  return radius * std::cos(Real(6.283185307179586f) * second);
}

} // namespace nereid
