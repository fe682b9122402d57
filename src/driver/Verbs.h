// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs of the command line as CLI11 has them: their options and help, and what they call. Only
// the files that include this see CLI11.
#pragma once

#include "driver/Driver.h"

#include <CLI/CLI.hpp>

namespace nereid::driver {

/// `--size M=4096`.
void addSizes(CLI::App *verb, NamedSizes &sizes);

// ProgramVerbs.cpp
void addConvert(CLI::App &app, ConvertOptions &options, int &status);
void addCompile(CLI::App &app, CompileOptions &options, int &status);
void addRun(CLI::App &app, RunOptions &options, int &status);
void addValidate(CLI::App &app, ValidateOptions &options, int &status);

// KernelVerbs.cpp
void addCheck(CLI::App &app, CheckOptions &options, int &status);
void addAudit(CLI::App &app, AuditOptions &options, int &status);
void addUpgrade(CLI::App &app, UpgradeOptions &options, int &status);
void addLsp(CLI::App &app, int &status);

} // namespace nereid::driver
