// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid check`: which of the kernels under some paths compile, and why the others do not.
#include "audit/Check.h"
#include "driver/Configuration.h"
#include "driver/Phrases.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace nereid;
using namespace nereid::driver;

namespace {

bool useColour() {
  return llvm::sys::Process::StandardOutHasColors() && !llvm::sys::Process::GetEnv("NO_COLOR");
}

/// One line on a terminal that says how far it is; nothing elsewhere.
class ProgressLine {
public:
  void operator()(size_t done, size_t all) {
    Clock::time_point now = Clock::now();
    constexpr std::chrono::milliseconds pause(100);
    if (now - last < pause)
      return;
    last = now;
    isShown = true;
    llvm::errs() << "\r\x1b[K" << done << " of " << all << " kernels";
    llvm::errs().flush();
  }
  void clear() {
    if (isShown)
      llvm::errs() << "\r\x1b[K";
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  bool isShown = false;
};

nlohmann::json toJson(const audit::CheckedKernel &kernel) {
  nlohmann::json result{{"path", kernel.path},
                        {"name", kernel.name},
                        {"line", kernel.line},
                        {"status", kernel.compiled ? "compiled" : "rejected"},
                        {"attempts", kernel.attempts}};
  auto &parameters = result["parameters"] = nlohmann::json::array();
  for (const audit::InferredParameter &parameter : kernel.parameters)
    parameters.push_back(
        {{"name", parameter.name}, {"value", parameter.value}, {"source", parameter.source}});
  if (!kernel.difference.empty())
    result["difference"] = kernel.difference;
  if (!kernel.caller.empty())
    result["caller"] = kernel.caller;
  if (kernel.compiled)
    return result;
  result["reason"] = kernel.reason.message;
  result["help"] = kernel.reason.help;
  if (const SourceFile *file = kernel.reason.location.file) {
    LineColumn at = file->getLineColumn(kernel.reason.location.range.begin);
    result["reason_path"] = file->getName().str();
    result["reason_line"] = at.line;
    result["reason_column"] = at.column + 1;
  }
  return result;
}

int printJson(const audit::CheckResult &result, double seconds) {
  nlohmann::json root;
  auto &kernels = root["kernels"] = nlohmann::json::array();
  for (const audit::CheckedKernel &kernel : result.kernels)
    kernels.push_back(toJson(kernel));
  auto &problems = root["problems"] = nlohmann::json::array();
  for (const audit::SkippedFile &file : result.skipped)
    problems.push_back({{"path", file.path}, {"reason", file.reason}});
  for (const audit::UnreadFile &problem : result.problems) {
    nlohmann::json one{{"reason", problem.diagnostic.message}};
    if (const SourceFile *file = problem.diagnostic.location.file) {
      LineColumn at = file->getLineColumn(problem.diagnostic.location.range.begin);
      one["path"] = file->getName().str();
      one["line"] = at.line;
      one["column"] = at.column + 1;
    }
    problems.push_back(std::move(one));
  }
  root["files"] = result.files;
  root["kept"] = result.kept;
  root["seconds"] = seconds;
  llvm::outs() << root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  return Done;
}

void printSignature(const audit::CheckedKernel &kernel) {
  llvm::raw_ostream &os = llvm::outs();
  os << "  " << kernel.name << " (line " << kernel.line << "): ";
  if (!kernel.caller.empty()) {
    os << "compiled where " << kernel.caller << " calls it\n";
    return;
  }
  os << (kernel.compiled ? "compiled" : "rejected") << '\n';
  if (!kernel.difference.empty())
    os << "    attempt " << kernel.attempts << ": " << kernel.difference << '\n';
  size_t names = 0, values = 0;
  for (const audit::InferredParameter &parameter : kernel.parameters) {
    names = std::max(names, parameter.name.size());
    values = std::max(values, parameter.value.size());
  }
  for (const audit::InferredParameter &parameter : kernel.parameters)
    os << "    " << llvm::left_justify(parameter.name, names) << "  "
       << llvm::left_justify(parameter.value, values) << "  from " << parameter.source << '\n';
}

/// One line a file, the signatures of its kernels below it where they are wanted.
void printTable(const audit::CheckResult &result, bool verbose) {
  struct Row {
    unsigned compiled = 0;
    std::vector<const audit::CheckedKernel *> kernels;
  };
  llvm::MapVector<llvm::StringRef, Row> rows;
  size_t widest = 4;
  for (const audit::CheckedKernel &kernel : result.kernels) {
    Row &row = rows[kernel.path];
    row.compiled += kernel.compiled;
    row.kernels.push_back(&kernel);
    widest = std::max(widest, kernel.path.size());
  }
  llvm::raw_ostream &os = llvm::outs();
  if (!rows.empty())
    os << llvm::left_justify("file", widest) << "  compiled  rejected\n";
  for (const auto &[path, row] : rows) {
    size_t rejected = row.kernels.size() - row.compiled;
    os << llvm::left_justify(path, widest)
       << llvm::format("  %8u  %8s\n", row.compiled,
                       rejected ? std::to_string(rejected).c_str() : "-");
    if (verbose)
      for (const audit::CheckedKernel *kernel : row.kernels)
        printSignature(*kernel);
  }
}

void printRejections(const audit::CheckResult &result) {
  llvm::raw_ostream &os = llvm::outs();
  for (const audit::CheckedKernel &kernel : result.kernels) {
    if (kernel.compiled)
      continue;
    os << '\n' << kernel.path << ':' << kernel.line << ": " << kernel.name << " is rejected\n";
    printDiagnostic(kernel.reason, os, useColour());
  }
}

/// `2 of 3 kernels compiled, 1 rejected, in 2 files and 0.1 s`.
void printSummary(const audit::CheckResult &result, size_t compiled, double seconds) {
  size_t total = result.kernels.size();
  llvm::outs() << (total ? "\n" : "") << compiled << " of " << countOf(total, "kernel")
               << " compiled";
  if (compiled < total)
    llvm::outs() << ", " << total - compiled << " rejected";
  if (size_t unread = result.problems.size() + result.skipped.size())
    llvm::outs() << ", " << countOf(unread, "file") << " not read";
  llvm::outs() << ", in " << countOf(result.files, "file") << llvm::format(" and %.1f s", seconds);
  if (result.kept)
    llvm::outs() << ", " << result.kept << " of them in an earlier run";
  llvm::outs() << '\n';
}

/// Where results are kept; empty: nowhere.
std::string findCache(const CheckOptions &options) {
  llvm::SmallString<256> folder(options.cache);
  if (options.noCache)
    return "";
  if (folder.empty()) {
    if (!llvm::sys::path::cache_directory(folder))
      return "";
    llvm::sys::path::append(folder, "nereid");
  }
  llvm::sys::path::append(folder, "check");
  return folder.str().str();
}

} // namespace

int driver::check(const CheckOptions &given) {
  Session session;
  std::optional<CheckOptions> known = configured(given, session);
  if (!known)
    return BadInput;
  CheckOptions &options = *known;
  auto start = std::chrono::steady_clock::now();
  audit::CheckOptions request;
  request.paths = options.paths;
  request.excluded = audit::PathPatterns(options.exclude, options.excludeRoot);
  if (options.timeout > 0)
    request.seconds = options.timeout;
  request.version = options.version;
  request.jobs = options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
  request.cache = findCache(options);
  ProgressLine progress;
  if (llvm::sys::Process::StandardErrIsDisplayed())
    request.progress = std::ref(progress);
  audit::CheckResult result = audit::check(request);
  progress.clear();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!result.missing.empty()) {
    session.getDiagnostics().error({},
                                   "cannot read '" + result.missing + "': no such file or folder");
    return BadInput;
  }
  size_t compiled = llvm::count_if(result.kernels, [](const auto &k) { return k.compiled; });
  bool isWhole = compiled == result.kernels.size() && result.problems.empty();
  int status = isWhole ? Done : AnswerIsNo;
  if (options.json) {
    printJson(result, seconds);
    return status;
  }
  for (const audit::SkippedFile &file : result.skipped)
    llvm::errs() << "warning: '" << file.path << "' is left out: " << file.reason << '\n';
  for (const audit::UnreadFile &problem : result.problems)
    printDiagnostic(problem.diagnostic, llvm::errs(), false);
  printTable(result, options.verbose);
  printRejections(result);
  printSummary(result, compiled, seconds);
  return status;
}
