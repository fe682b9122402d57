// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a machine takes from outside of the program that it is given: the files that imports lead
// to, paths at which they find none, and the time that it may take.
#pragma once

#include "python/ParsedFiles.h"
#include "python/machine/Machine.h"
#include "support/Answers.h"

namespace nereid::machine {

/// From now on each text that the machine reads, each path that it looks at and each variable of
/// the environment that a program asks for is added to `answers`, which outlives the machine.
void recordAnswers(Machine &machine, Answers &answers);

/// From now on the machine takes what it reads from there, but for what stands in for the texts of
/// files (Machine::texts); they outlive it.
void shareFiles(Machine &machine, python::ParsedFiles &files);

/// Whether it has refused to go on as the time for it was over: another run may come further.
bool wasLate(const Machine &machine);

} // namespace nereid::machine
