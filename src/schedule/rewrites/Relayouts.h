// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other layouts of what contractions read. A tile goes to the matrix units in whole pieces where
// its neighbours in memory are neighbours of one axis that a program goes along; in the windows of
// a convolution, or of channels that lie apart, each element is asked for by itself, which takes
// many times as long.
#pragma once

#include "schedule/nest/Contraction.h"

namespace nereid::schedule {

/// Gives factors of contractions that lie in memory as no tile wants them another order of axes: a
/// value with the elements of another, whose last axis is one that tiles go along. Whatever else
/// reads that other value reads the new one too, so that a network keeps a layout; whether it is
/// stored is the partition's choice.
void addRelayouts(Program &program);

/// The indices along which tiles of a contraction's factors, left and right, are to go in memory,
/// where one lies otherwise: null for a factor that is well as it is. Nothing where all is well, or
/// cannot be.
std::optional<std::array<Expr, 2>> piecesOfFactors(Program &program, const Value &fold,
                                                   const Contraction &contraction);

/// The axes along which both factors, left and right, are to lie, or do: of a factor that is
/// rounded, padded, or seen in another order, the one along which its tensor's last axis goes.
std::array<std::optional<unsigned>, 2> axesOfFactors(Program &program, const Value &fold,
                                                     const Contraction &contraction);

} // namespace nereid::schedule
