// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid convert`: a PyTorch program to one Triton file a stage.
#include "driver/Proofs.h"
#include "driver/Session.h"
#include "driver/StageCosts.h"
#include "driver/WhatIsFixed.h"

#include "emit/Emit.h"
#include "schedule/Schedule.h"
#include "support/SnakeCase.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
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
  StageCost cost;
};

/// The file beside those of the stages that compares them with the original.
struct Companion {
  std::string path;
  std::string text;
};

bool buildStage(Session &session, mlir::ModuleOp graph, const ConvertOptions &options,
                llvm::StringRef name, analysis::ProofMemory &memory, StageResult &result,
                Companion &companion) {
  schedule::ScheduleOptions scheduling{result.stage, options.device};
  scheduling.allowNondeterministic = options.allowNondeterministic;
  auto module = schedule::scheduleModule(graph, scheduling, &result.report);
  if (mlir::failed(module))
    return false;
  result.proofs = proveKernels(**module, memory);
  for (const KernelProof &proof : result.proofs)
    for (const std::string &access : proof.wrong)
      session.getDiagnostics().error(
          {}, "stage " + std::to_string(result.stage) + ": '" + proof.kernel + "': " + access,
          "this is a defect of nereid; please report the program");
  if (session.getDiagnostics().hasErrors())
    return false;
  result.cost = costOf(result.stage, **module, result.report);
  emit::EmitOptions emission;
  emission.source = Session::splitSource(options.program.source).first;
  emission.program = name.str();
  emission.tool = "nereid " NEREID_VERSION;
  emission.init = options.program.init;
  emission.to = options.program.to;
  for (mlir::Operation &op : *graph.getBody())
    if (auto original = op.getAttrOfType<mlir::StringAttr>("graph.original"))
      emission.original = original.str();
  emission.hasCommandLine = true;
  emission.usesCudaGraphs = options.cudaGraph;
  if (!options.standalone)
    emission.check = toSnakeCase(name) + "_check";
  emission.note = "Stage " + std::to_string(result.stage) +
                  (result.stage == 1 ? ": one kernel for each operator." : ": fused kernels.");
  if (!options.standalone) {
    // The last stage's is that of all: later ones may take a precision from their launch.
    companion.text.clear();
    llvm::raw_string_ostream os(companion.text);
    emit::emitCheck(**module, os, emission);
    companion.path = options.directory + "/" + emission.check + ".py";
  }
  llvm::raw_string_ostream os(result.text);
  return mlir::succeeded(emit::emitTriton(**module, os, emission));
}

/// Whether a companion may be written: a file of the user's by its name is not touched.
bool checkCompanion(Session &session, const Companion &companion) {
  auto found = llvm::MemoryBuffer::getFile(companion.path);
  if (!found || (*found)->getBuffer().starts_with("\"\"\"Judges the kernels for "))
    return true;
  session.getDiagnostics().error({}, "'" + companion.path + "' is no file of nereid's",
                                 "-o names another folder, --standalone needs no such file");
  return false;
}

/// `5 of 6`.
std::string spellProved(llvm::ArrayRef<KernelProof> proofs) {
  unsigned accesses = 0, proved = 0;
  for (const KernelProof &proof : proofs) {
    accesses += proof.accesses;
    proved += proof.proved;
  }
  return std::to_string(proved) + " of " + std::to_string(accesses);
}

/// `torch.matmul (model.py:7)`, or its gradient.
std::string spellCall(const schedule::CallReport &call) {
  return (call.isGradient ? "the gradient of " : "") + call.callee +
         (call.place.empty() ? "" : " (" + call.place + ")");
}

/// The sizes that kernels are chosen for where the inputs are small: `M=768, N=1792`.
std::string spellPlanned(mlir::ModuleOp graph) {
  std::string text;
  for (auto program : graph.getOps<mlir::func::FuncOp>())
    if (auto planned = program->getAttrOfType<mlir::DictionaryAttr>("graph.planned");
        planned && text.empty())
      for (mlir::NamedAttribute size : planned)
        text += (text.empty() ? "" : ", ") + size.getName().str() + "=" +
                std::to_string(llvm::cast<mlir::IntegerAttr>(size.getValue()).getInt());
  return text;
}

void printTable(llvm::raw_ostream &os, const std::string &planned, llvm::ArrayRef<SizeNote> notes,
                const std::string &numbers, const FixedSettings &settings,
                llvm::ArrayRef<StageResult> results, const std::string &companion) {
  if (!numbers.empty())
    os << "numbers that the program fixes: " << numbers
       << " (--inputs 'n=i64' or 'flag=bool' leaves one to the call)\n";
  if (!settings.isEmpty())
    os << "settings that the program fixes: " << settings.spell() << '\n';
  for (const SizeNote &note : notes)
    if (!note.sizes.empty())
      os << note.text << note.sizes << (note.key == "typical" ? " (--size names others)\n" : "\n");
  if (!planned.empty())
    os << "small inputs: kernels are chosen for " << planned << " (--size names others)\n";
  for (const StageResult &result : results) {
    os << result.path << '\n'
       << "  stage " << result.stage << ": " << result.cost.launches
       << (result.cost.launches == 1 ? " kernel, " : " kernels, ")
       << llvm::format("%.2f", result.cost.share()) << "x the least bytes, about "
       << llvm::format("%.1f", result.cost.microseconds) << " us, " << spellProved(result.proofs)
       << " accesses proved\n";
    for (const schedule::CallReport &call : result.report.calls)
      os << "    left to PyTorch: " << spellCall(call) << ", " << spellBytes(call.bytesAtHints)
         << '\n';
    for (const KernelProof &proof : result.proofs)
      for (const std::string &open : proof.open)
        os << "    " << proof.kernel << ": " << open << '\n';
  }
  if (!companion.empty())
    os << companion << "\n  --validate and --bench, beside the original\n";
}

/// What each stage bought, what is proved, and the kernels in their own words.
Document toDocument(const ConvertOptions &options, llvm::StringRef name, const std::string &planned,
                    llvm::ArrayRef<StageResult> results) {
  Document document(name.str() + ": what each stage bought");
  document.paragraph(Session::splitSource(options.program.source).first +
                     (options.program.backward ? ", with gradients" : "") +
                     ". Bytes and times are those of the cost model for " + options.device +
                     ", at " +
                     (planned.empty() ? "the typical sizes" : planned + " (the inputs are small)") +
                     "; the least is every input read once and every result written once.");
  std::vector<StageCost> costs;
  for (const StageResult &result : results)
    costs.push_back(result.cost);
  Table table = tabulate(costs);
  table.head.insert(table.head.end(), {"accesses proved", "file"});
  for (auto [row, result] : llvm::zip_equal(table.rows, results)) {
    row.cells.insert(row.cells.end(), {spellProved(result.proofs), result.path});
    row.isBad = llvm::any_of(
        result.proofs, [](const KernelProof &proof) { return proof.proved < proof.accesses; });
  }
  document.table(std::move(table));
  Table left{{"stage", "left to PyTorch", "#bytes"}, {}};
  for (const StageResult &result : results)
    for (const schedule::CallReport &call : result.report.calls)
      left.rows.push_back(
          {{std::to_string(result.stage), spellCall(call), spellBytes(call.bytesAtHints)}});
  if (!left.rows.empty()) {
    document.heading("Left to PyTorch");
    document.paragraph("These operators are PyTorch's own, as --keep-torch asks. Their bytes are "
                       "counted above, their times are not.");
    document.table(std::move(left));
  }
  Table open{{"stage", "kernel", "not proved"}, {}};
  for (const StageResult &result : results)
    for (const KernelProof &proof : result.proofs)
      for (const std::string &what : proof.open)
        open.rows.push_back({{std::to_string(result.stage), proof.kernel, what}});
  if (!open.rows.empty()) {
    document.heading("Not proved");
    document.table(std::move(open));
  }
  for (const StageResult &result : results)
    addEstimates(document, result.stage, result.report);
  addKernels(document, costs);
  return document;
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
        kernel["estimated_us"] = report.microseconds;
        kernel["estimated_terms"] = driver::toJson(report.terms);
      }
    kernels.push_back(kernel);
  }
  nlohmann::json moves = nlohmann::json::array();
  for (const schedule::MoveReport &move : result.report.moves)
    moves.push_back(driver::toJson(move));
  nlohmann::json calls = nlohmann::json::array();
  for (const schedule::CallReport &call : result.report.calls)
    calls.push_back({{"name", call.callee},
                     {"place", call.place},
                     {"gradient", call.isGradient},
                     {"bytes", call.bytes},
                     {"bytes_at", call.bytesAtHints}});
  return {{"stage", result.stage},
          {"path", result.path},
          {"backward", backward},
          {"kernels", kernels},
          {"moves", moves},
          {"left_to_torch", calls},
          {"least_bytes_at", result.cost.leastBytes},
          {"launched_bytes_at", result.cost.bytes},
          {"estimated_us", result.cost.microseconds},
          {"launches", result.cost.launches}};
}

/// The report in the form that the file's name asks for.
bool writeReport(Session &session, const ConvertOptions &options, llvm::StringRef name,
                 const std::string &planned, llvm::ArrayRef<StageResult> results,
                 const nlohmann::json &object) {
  llvm::StringRef path = options.report;
  std::string text = path.ends_with(".json") ? object.dump(2) + "\n" : "";
  if (text.empty()) {
    Document document = toDocument(options, name, planned, results);
    text = path.ends_with(".html") ? document.toHtml() : document.toMarkdown();
  }
  return writeFile(path, text, session.getDiagnostics());
}

} // namespace

/// Whether a program may be called so: kernels take ASCII names only, and the file uses these names
/// itself.
static bool checkName(Session &session, mlir::ModuleOp graph, llvm::StringRef name) {
  static constexpr llvm::StringLiteral taken[] = {
      "False",     "None",       "True",       "and",        "as",
      "assert",    "async",      "await",      "break",      "class",
      "continue",  "def",        "del",        "elif",       "else",
      "except",    "finally",    "for",        "from",       "global",
      "if",        "import",     "in",         "is",         "lambda",
      "nonlocal",  "not",        "or",         "pass",       "raise",
      "return",    "try",        "while",      "with",       "yield",
      "abs",       "all",        "any",        "bool",       "bytes",
      "callable",  "dict",       "enumerate",  "eval",       "float",
      "getattr",   "globals",    "hasattr",    "hash",       "id",
      "int",       "isinstance", "issubclass", "iter",       "len",
      "list",      "map",        "max",        "min",        "next",
      "object",    "print",      "property",   "range",      "repr",
      "reversed",  "round",      "set",        "setattr",    "slice",
      "sorted",    "str",        "sum",        "super",      "tuple",
      "type",      "zip",        "argparse",   "contextlib", "copy",
      "functools", "inspect",    "os",         "pathlib",    "runpy",
      "sys",       "torch",      "triton",     "tl",         "libdevice",
      "math",      "nn",         "F",          "pytree",     "TorchFunctionMode"};
  bool isAscii = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isAscii && !llvm::is_contained(taken, name))
    return true;
  mlir::InFlightDiagnostic error =
      mlir::emitError(graph.getBody()->front().getLoc())
      << "the emitted file "
      << (isAscii ? "uses the name '" : "cannot call its kernels by the name '") << name << "'"
      << (isAscii ? " itself" : "");
  error.attachNote() << "help: --class-name gives it another";
  return false;
}

/// Whether a parameter hides a function that the emitted file defines for itself, which the body of
/// the program calls: `def f(x, _call)`.
static bool checkParameters(mlir::ModuleOp graph, llvm::StringRef text) {
  for (auto program : graph.getOps<mlir::func::FuncOp>()) {
    auto signature = program->getAttrOfType<mlir::ArrayAttr>("graph.signature");
    if (!signature)
      continue;
    for (auto parameter : signature.getAsRange<mlir::StringAttr>()) {
      llvm::StringRef name = parameter.getValue().ltrim('*').split('=').first;
      if (!name.starts_with("_") || (!text.contains(("\ndef " + name + "(").str()) &&
                                     !text.contains(("\nclass " + name + "(").str()) &&
                                     !text.contains(("\n" + name + " = ").str())))
        continue;
      mlir::InFlightDiagnostic error =
          mlir::emitError(program.getLoc())
          << "the emitted file has a function of its own by the name of the parameter '" << name
          << "'";
      error.attachNote() << "help: give the parameter another name";
      return false;
    }
  }
  return true;
}

int driver::convert(const ConvertOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Session session;
  if (!session.knowsDevice(options.device))
    return BadInput;
  auto graph = session.importProgram(options.program);
  if (!graph)
    return session.failure();
  std::string name = exportedName(*graph);
  if (!checkName(session, *graph, name))
    return session.failure();
  std::vector<StageResult> results;
  Companion companion;
  analysis::ProofMemory memory;
  for (int stage : schedule::stages) {
    if (options.stage != 0 && options.stage != stage)
      continue;
    StageResult &result = results.emplace_back();
    result.stage = stage;
    result.path =
        options.directory + "/" + toSnakeCase(name) + "_stage" + std::to_string(stage) + ".py";
    if (!buildStage(session, *graph, options, name, memory, result, companion) ||
        !checkParameters(*graph, result.text))
      return session.failure();
  }
  // Nothing is written before every stage is there.
  if (!options.standalone && !checkCompanion(session, companion))
    return BadInput;
  for (const StageResult &result : results)
    if (!writeFile(result.path, result.text, session.getDiagnostics()))
      return BadInput;
  if (!options.standalone && !writeFile(companion.path, companion.text, session.getDiagnostics()))
    return BadInput;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  nlohmann::json files = nlohmann::json::array();
  for (const StageResult &result : results)
    files.push_back(toJson(result, options.program.backward));
  nlohmann::json object = {{"program", name},
                           {"source", Session::splitSource(options.program.source).first},
                           {"files", files},
                           {"seconds", seconds}};
  if (!options.standalone)
    object["check"] = companion.path;
  std::string planned = spellPlanned(*graph);
  if (!planned.empty())
    object["planned"] = planned;
  std::vector<SizeNote> notes = sizeNotes(*graph);
  for (const SizeNote &note : notes)
    if (!note.sizes.empty())
      object[note.key.str()] = note.sizes;
  std::string numbers = spellFixedNumbers(*graph);
  if (!numbers.empty())
    object["fixed_numbers"] = numbers;
  FixedSettings settings = findFixedSettings(*graph);
  if (!settings.isEmpty())
    object["fixed_settings"] = settings.all();
  if (!options.report.empty() && !writeReport(session, options, name, planned, results, object))
    return BadInput;
  if (options.json)
    llvm::outs() << object.dump(2) << '\n';
  else
    printTable(llvm::outs(), planned, notes, numbers, settings, results, companion.path);
  return Done;
}
