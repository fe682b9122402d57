// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid upgrade`: kernels for a newer Triton, as a diff or written to their files.
#include "upgrade/Upgrade.h"
#include "driver/Phrases.h"
#include "driver/Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

namespace {

std::string join(const std::set<std::string> &words) { return llvm::join(words, ", "); }

nlohmann::json toJson(const Diagnostic &reason) {
  nlohmann::json result{{"reason", reason.message}, {"help", reason.help}};
  if (const SourceFile *file = reason.location.file) {
    LineColumn at = file->getLineColumn(reason.location.range.begin);
    result["path"] = file->getName().str();
    result["line"] = at.line;
    result["column"] = at.column + 1;
  }
  return result;
}

int printJson(const upgrade::UpgradeResult &result, const UpgradeOptions &options, double seconds) {
  nlohmann::json root{{"triton", options.version}, {"written", options.write}};
  auto &kernels = root["kernels"] = nlohmann::json::array();
  for (const upgrade::UpgradedKernel &kernel : result.kernels) {
    nlohmann::json one{{"path", kernel.path},
                       {"name", kernel.name},
                       {"line", kernel.line},
                       {"status", kernel.upgraded ? "upgraded" : "left"},
                       {"changes", kernel.kinds}};
    if (kernel.upgraded)
      one["proof"] = kernel.proof;
    auto &reasons = one["reasons"] = nlohmann::json::array();
    for (const Diagnostic &reason : kernel.reasons)
      reasons.push_back(toJson(reason));
    kernels.push_back(std::move(one));
  }
  auto &files = root["files"] = nlohmann::json::array();
  for (const upgrade::UpgradedFile &file : result.files)
    files.push_back({{"path", file.path},
                     {"diff", upgrade::makeDiff(file.path, file.before->getText(), file.edits)}});
  auto &problems = root["problems"] = nlohmann::json::array();
  for (const audit::SkippedFile &file : result.skipped)
    problems.push_back({{"path", file.path}, {"reason", file.reason}});
  for (const audit::UnreadFile &problem : result.problems)
    problems.push_back(toJson(problem.diagnostic));
  root["kernels_read"] = result.readKernels;
  root["files_read"] = result.readFiles;
  root["seconds"] = seconds;
  llvm::outs() << root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  return Done;
}

void printTable(const upgrade::UpgradeResult &result) {
  llvm::raw_ostream &os = llvm::outs();
  std::vector<std::string> places;
  size_t widest = 6, changes = 7;
  for (const upgrade::UpgradedKernel &kernel : result.kernels) {
    places.push_back(kernel.path + ":" + std::to_string(kernel.line) + " " + kernel.name);
    widest = std::max(widest, places.back().size());
    changes = std::max(changes, join(kernel.kinds).size());
  }
  if (!places.empty())
    os << llvm::left_justify("kernel", widest) << "  " << llvm::left_justify("changes", changes)
       << "  shown by\n";
  for (auto [place, kernel] : llvm::zip(places, result.kernels))
    os << llvm::left_justify(place, widest) << "  "
       << llvm::left_justify(join(kernel.kinds), changes) << "  "
       << (kernel.upgraded ? kernel.proof : "left as it is") << '\n';
}

void printLeft(const upgrade::UpgradeResult &result, llvm::raw_ostream &os) {
  bool colour = os.has_colors() && !llvm::sys::Process::GetEnv("NO_COLOR");
  for (const upgrade::UpgradedKernel &kernel : result.kernels) {
    if (kernel.upgraded)
      continue;
    os << '\n' << kernel.path << ':' << kernel.line << ": " << kernel.name << " is left as it is\n";
    for (const Diagnostic &reason : kernel.reasons)
      printDiagnostic(reason, os, colour);
  }
}

void printDiffs(const upgrade::UpgradeResult &result) {
  for (const upgrade::UpgradedFile &file : result.files)
    llvm::outs() << upgrade::makeDiff(file.path, file.before->getText(), file.edits);
}

bool writeFiles(Session &session, const upgrade::UpgradeResult &result) {
  for (const upgrade::UpgradedFile &file : result.files) {
    std::optional<std::string> text = upgrade::applyEdits(file.before->getText(), file.edits);
    if (!text || !writeFile(file.path, *text, session.getDiagnostics()))
      return false;
  }
  return true;
}

} // namespace

int driver::upgrade(const UpgradeOptions &options) {
  Session session;
  auto start = std::chrono::steady_clock::now();
  upgrade::UpgradeOptions request;
  request.paths = options.paths;
  request.seconds = options.timeout;
  request.version = {unsigned(options.version.back() - '0'), options.deprecated};
  upgrade::UpgradeResult result = upgrade::upgrade(request);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!result.missing.empty()) {
    session.getDiagnostics().error({},
                                   "cannot read '" + result.missing + "': no such file or folder");
    return BadInput;
  }
  if (options.write && !writeFiles(session, result))
    return BadInput;
  size_t done = llvm::count_if(result.kernels, [](const auto &kernel) { return kernel.upgraded; });
  bool isWhole = done == result.kernels.size() && result.problems.empty();
  int status = isWhole ? Done : AnswerIsNo;
  if (options.json) {
    printJson(result, options, seconds);
    return status;
  }
  for (const audit::SkippedFile &file : result.skipped)
    llvm::errs() << "warning: '" << file.path << "' is left out: " << file.reason << '\n';
  for (const audit::UnreadFile &problem : result.problems)
    printDiagnostic(problem.diagnostic, llvm::errs(), false);
  if (options.diff) {
    // What takes the diff gets nothing else.
    printLeft(result, llvm::errs());
    printDiffs(result);
    return status;
  }
  printTable(result);
  printLeft(result, llvm::outs());
  if (!options.write && !result.files.empty()) {
    llvm::outs() << '\n';
    printDiffs(result);
  }
  if (!result.kernels.empty())
    llvm::outs() << '\n';
  llvm::outs() << "for Triton " << options.version << ": " << done << " of "
               << countOf(result.kernels.size(), "kernel") << " upgraded";
  if (done < result.kernels.size())
    llvm::outs() << ", " << result.kernels.size() - done << " left";
  if (options.write)
    llvm::outs() << ", " << countOf(result.files.size(), "file") << " written";
  llvm::outs() << "; " << countOf(result.readKernels, "kernel") << " in "
               << countOf(result.readFiles, "file") << llvm::format(" and %.1f s\n", seconds);
  return status;
}
