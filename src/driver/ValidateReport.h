// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `nereid validate` found, as text, as JSON and as one HTML page.
#pragma once

#include "driver/StageCosts.h"
#include "validate/Validate.h"

namespace nereid::driver {

struct Validation {
  std::string program, source;
  /// The element types that were run, and those that the program refuses with the first reason.
  std::vector<std::string> dtypes;
  std::vector<std::pair<std::string, std::string>> refused;
  /// Of the first element type.
  std::vector<StageCost> costs;
  validate::Report report;
  double seconds = 0;
};

/// The sums of each stage and what failed; with `cases` a line for each case before them.
void print(llvm::raw_ostream &os, const Validation &validation, bool cases);
nlohmann::json toJson(const Validation &validation);
Document toDocument(const Validation &validation);

} // namespace nereid::driver
