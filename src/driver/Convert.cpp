// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid convert`: a PyTorch program to one Triton file a stage.
#include "driver/Proofs.h"
#include "driver/Session.h"

#include "emit/Emit.h"
#include "schedule/Schedule.h"
#include "support/SnakeCase.h"

#include "llvm/Support/Format.h"
#include <chrono>
#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;

namespace {

struct StageResult {
  int stage;
  std::string path;
  std::string text;
  schedule::ScheduleReport report;
  std::vector<KernelProof> proofs;
};

bool buildStage(Session &session, mlir::ModuleOp graph, const ConvertOptions &options,
                llvm::StringRef name, StageResult &result) {
  schedule::ScheduleOptions scheduling{result.stage, options.device};
  auto module = schedule::scheduleModule(graph, scheduling, &result.report);
  if (mlir::failed(module))
    return false;
  result.proofs = proveKernels(**module);
  emit::EmitOptions emission;
  emission.source = Session::splitSource(options.program.source).first;
  emission.program = name.str();
  emission.tool = "nereid " NEREID_VERSION;
  emission.init = options.program.init;
  emission.hasCommandLine = true;
  emission.note = "Stage " + std::to_string(result.stage) +
                  (result.stage == 1 ? ": one kernel for each operator." : ": fused kernels.");
  llvm::raw_string_ostream os(result.text);
  return mlir::succeeded(emit::emitTriton(**module, os, emission));
}

void printTable(llvm::raw_ostream &os, llvm::ArrayRef<StageResult> results) {
  for (const StageResult &result : results) {
    os << result.path << '\n';
    int64_t bytes = 0;
    for (const schedule::KernelReport &kernel : result.report.kernels)
      bytes += kernel.bytesAtHints;
    unsigned accesses = 0, proved = 0;
    for (const KernelProof &proof : result.proofs) {
      accesses += proof.accesses;
      proved += proof.proved;
    }
    double share = result.report.leastBytes ? double(bytes) / result.report.leastBytes : 1;
    os << "  stage " << result.stage << ": " << result.report.kernels.size()
       << (result.report.kernels.size() == 1 ? " kernel, " : " kernels, ")
       << llvm::format("%.2f", share) << "x the least bytes, " << proved << " of " << accesses
       << " accesses proved\n";
    for (const KernelProof &proof : result.proofs)
      for (const std::string &open : proof.open)
        os << "    " << proof.kernel << ": " << open << '\n';
  }
}

nlohmann::json toJson(const StageResult &result, bool backward) {
  nlohmann::json kernels = nlohmann::json::array();
  for (auto [number, proof] : llvm::enumerate(result.proofs)) {
    nlohmann::json kernel = {{"name", proof.kernel},
                             {"accesses", proof.accesses},
                             {"proved", proof.proved},
                             {"tier", proof.tier}};
    for (const schedule::KernelReport &report : result.report.kernels)
      if (llvm::is_contained(report.functions, proof.kernel)) {
        kernel["bytes"] = report.bytes;
        kernel["flops"] = report.flops;
        kernel["bytes_at"] = report.bytesAtHints;
        kernel["flops_at"] = report.flopsAtHints;
      }
    kernels.push_back(kernel);
  }
  return {{"stage", result.stage},
          {"path", result.path},
          {"backward", backward},
          {"kernels", kernels},
          {"least_bytes_at", result.report.leastBytes},
          {"launched_bytes_at",
           [&] {
             int64_t bytes = 0;
             for (const schedule::KernelReport &kernel : result.report.kernels)
               bytes += kernel.bytesAtHints;
             return bytes;
           }()},
          {"launches", result.report.kernels.size()}};
}

} // namespace

int driver::convert(const ConvertOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Session session;
  if (!schedule::isKnownDevice(options.device)) {
    session.getDiagnostics().error({}, "unknown device '" + options.device + "'",
                                   "use h200, h100, a100 or b200");
    return BadInput;
  }
  auto graph = session.importProgram(options.program);
  if (!graph)
    return session.failure();
  std::string name = exportedName(*graph);
  std::vector<StageResult> results;
  for (int stage : schedule::stages) {
    if (options.stage != 0 && options.stage != stage)
      continue;
    StageResult &result = results.emplace_back();
    result.stage = stage;
    result.path =
        options.directory + "/" + toSnakeCase(name) + "_stage" + std::to_string(stage) + ".py";
    if (!buildStage(session, *graph, options, name, result))
      return session.failure();
  }
  // Nothing is written before every stage is there.
  for (const StageResult &result : results)
    if (!writeFile(result.path, result.text, session.getDiagnostics()))
      return BadInput;
  if (!options.json) {
    printTable(llvm::outs(), results);
    return Done;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::json files = nlohmann::json::array();
  for (const StageResult &result : results)
    files.push_back(toJson(result, options.program.backward));
  nlohmann::json object = {{"program", name},
                           {"source", Session::splitSource(options.program.source).first},
                           {"files", files},
                           {"seconds", seconds}};
  llvm::outs() << object.dump(2) << '\n';
  return Done;
}
