// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an earlier audit has found, as its SARIF file tells it: that is known, and not told again.
#include "driver/AuditReport.h"

#include "llvm/ADT/StringSet.h"

#include <nlohmann/json.hpp>

using namespace nereid;
using nlohmann::json;

/// The fingerprints of the findings of all runs; nullopt: it is no SARIF.
static std::optional<llvm::StringSet<>> readFingerprints(llvm::StringRef text) {
  json root = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("runs") || !root["runs"].is_array())
    return std::nullopt;
  llvm::StringSet<> result;
  for (const json &run : root["runs"]) {
    if (!run.is_object() || !run.contains("results") || !run["results"].is_array())
      return std::nullopt;
    for (const json &finding : run["results"]) {
      // Proofs have fingerprints too.
      if (!finding.is_object() || finding.value("kind", json("fail")) != "fail")
        continue;
      json prints = finding.value("partialFingerprints", json::object());
      if (prints.is_object() && prints.contains("nereid/v1") && prints["nereid/v1"].is_string())
        result.insert(prints["nereid/v1"].get<std::string>());
    }
  }
  return result;
}

bool driver::markKnown(audit::AuditResult &result, const std::string &path,
                       Diagnostics &diagnostics) {
  std::string error;
  std::unique_ptr<SourceFile> file = readSourceFile(path, error);
  if (!file) {
    diagnostics.error({}, "cannot read '" + path + "': " + error,
                      "write it by nereid audit ... --sarif " + path);
    return false;
  }
  std::optional<llvm::StringSet<>> known = readFingerprints(file->getText());
  if (!known) {
    diagnostics.error({}, "'" + path + "' is no SARIF file",
                      "write one by nereid audit ... --sarif " + path);
    return false;
  }
  for (audit::Finding &finding : result.findings)
    finding.isKnown = known->contains(finding.fingerprint);
  result.hasBaseline = true;
  return true;
}
