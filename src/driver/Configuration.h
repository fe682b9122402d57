// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `[tool.nereid]` of a `pyproject.toml`: what `audit` and `check` do where the command line says
// nothing else. The nearest file above the paths that has the table counts.
#pragma once

#include "driver/Session.h"

namespace nereid::driver {

struct Configuration {
  /// Empty: there is none.
  std::string path;
  /// Of the options that both have.
  std::vector<std::string> exclude;
  std::string version;
  double timeout = 0;
  /// Of `audit`.
  std::vector<std::string> select, ignore;
  std::string baseline;

  /// What patterns are about.
  std::string getFolder() const;
};

/// `wanted`: `--config FILE`. Nullopt after an error: the file is malformed, or asks for what there
/// is not.
std::optional<Configuration> readConfiguration(const std::vector<std::string> &paths,
                                               const std::string &wanted, Session &session);

/// Puts in what the command line does not say.
void configure(AuditOptions &options, const Configuration &configuration);
void configure(CheckOptions &options, const Configuration &configuration);

/// The options of a command with those of the configuration that is for its paths; nullopt after an
/// error.
template <typename Options> std::optional<Options> configured(Options options, Session &session) {
  std::optional<Configuration> found = readConfiguration(options.paths, options.config, session);
  if (!found)
    return std::nullopt;
  configure(options, *found);
  return options;
}

} // namespace nereid::driver
