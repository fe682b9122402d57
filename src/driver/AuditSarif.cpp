// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SARIF 2.1.0: one run, findings as results of kind `fail`, proved accesses as `pass`, the others
// as `open`.
#include "driver/AuditReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <nlohmann/json.hpp>

using namespace nereid;
using analysis::Property;
using analysis::Verdict;
using nlohmann::json;

namespace {

json region(const std::string &path, unsigned line, unsigned column) {
  json where{{"startLine", line}};
  if (column)
    where["startColumn"] = column;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", path}}}, {"region", where}}}};
}

json region(const SourceLocation &place) {
  LineColumn at = place.file->getLineColumn(place.range.begin);
  return region(place.file->getName().str(), at.line, at.column + 1);
}

json ruleOf(const audit::Rule &rule) {
  return {{"id", rule.id.str()},
          {"name", rule.name.str()},
          {"shortDescription", {{"text", rule.summary.str()}}},
          {"defaultConfiguration", {{"level", audit::getName(rule.severity).str()}}},
          {"properties", {{"category", audit::getName(rule.category).str()}}}};
}

json resultOf(const audit::Finding &finding, bool hasBaseline) {
  json result{
      {"ruleId", finding.rule->id.str()},
      {"kind", "fail"},
      {"level", audit::getName(finding.severity).str()},
      {"message", {{"text", finding.diagnostic.message}}},
      {"partialFingerprints", {{"nereid/v1", finding.fingerprint}}},
      {"properties",
       {{"certainty", audit::getName(finding.certainty).str()}, {"kernel", finding.kernel}}}};
  if (finding.diagnostic.location.file)
    result["locations"] = json::array({region(finding.diagnostic.location)});
  json related = json::array();
  for (const Diagnostic &note : finding.diagnostic.notes) {
    if (!note.location.file)
      continue;
    json one = region(note.location);
    one["message"] = {{"text", note.message}};
    related.push_back(std::move(one));
  }
  if (!related.empty())
    result["relatedLocations"] = std::move(related);
  for (const auto &[name, value] : finding.witness)
    result["properties"]["witness"][name] = value;
  if (hasBaseline)
    result["baselineState"] = finding.isKnown ? "unchanged" : "new";
  if (finding.isSuppressed)
    result["suppressions"] =
        json::array({{{"kind", "inSource"}, {"justification", finding.suppression}}});
  return result;
}

json resultOf(const audit::AuditedKernel &kernel, const audit::AuditedAccess &access,
              llvm::StringMap<unsigned> &seen) {
  bool isProved = access.verdict == Verdict::Proved;
  std::string what = access.operation + (access.argument.empty() ? "" : " of " + access.argument);
  std::string property = access.property == Property::InBounds ? "in bounds" : "apart";
  std::string key = kernel.name + "|" + what + "|" + property;
  key += "|" + std::to_string(seen[key]++);
  std::string text = what + (isProved ? " is proved to be " : " is not known to be ") + property;
  if (!isProved)
    text += ": " + access.reason;
  return {
      {"ruleId", access.property == Property::InBounds ? "TRC001" : "TRC006"},
      {"kind", isProved ? "pass" : "open"},
      {"level", "none"},
      {"message", {{"text", text}}},
      {"locations", json::array({region(access.path, access.line, access.column)})},
      {"partialFingerprints", {{"nereid/v1", llvm::utohexstr(llvm::xxh3_64bits(key), true, 16)}}},
      {"properties", {{"kernel", kernel.name}, {"assumptions", access.assumptions}}}};
}

} // namespace

std::string driver::makeSarif(const audit::AuditResult &result) {
  json rules = json::array();
  for (const audit::Rule &rule : audit::getRules())
    rules.push_back(ruleOf(rule));
  json results = json::array();
  for (const audit::Finding &finding : result.findings)
    if (!finding.isElsewhere)
      results.push_back(resultOf(finding, result.hasBaseline));
  for (const audit::AuditedKernel &kernel : result.kernels) {
    llvm::StringMap<unsigned> seen;
    for (const audit::AuditedAccess &access : kernel.accesses)
      if (access.verdict != Verdict::Counterexample && access.line != 0)
        results.push_back(resultOf(kernel, access, seen));
  }
  json run{{"tool", {{"driver", {{"name", "nereid"}, {"rules", std::move(rules)}}}}},
           {"columnKind", "unicodeCodePoints"},
           {"results", std::move(results)}};
  json root{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", json::array({std::move(run)})}};
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}
