// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/AuditReference.h"

#include "audit/Discovery.h"
#include "driver/ReferenceFindings.h"
#include "eager/FindWrapper.h"
#include "eager/WrapperMachine.h"
#include "frontend/torch/InputSpec.h"
#include "graph/GraphOps.h"
#include "sym/SymDialect.h"

#include <chrono>

using namespace nereid;
using namespace nereid::driver;
using eager::WrapperArgument;

namespace {

/// How the wrapper is called with the arguments of a program: of each parameter of the reference
/// the number of the argument, or Python text.
struct CallPlan {
  struct Item {
    std::string name;
    bool isKeyword = false, isBool = false;
    unsigned argument = 0;
    std::string text;
  };
  std::vector<Item> items;
  /// Of each value that the reference returns the number of the result; nullopt for an argument of
  /// its own, or a size.
  std::vector<std::optional<unsigned>> results;
};

struct Variant {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class ReferenceRun {
public:
  ReferenceRun(Session &session, const AuditOptions &options)
      : session(session), problems(session.getDiagnostics()),
        project(options.version.empty() ? "3.6.0" : options.version),
        machine(project, &session.getContext()), options(options) {
    project.acceptRemoved(/*inImports=*/true);
  }

  bool run(audit::AuditResult &result);

private:
  bool readReference();
  bool readWrapper(const std::string &path, const std::string &name);
  std::optional<CallPlan> planCall(mlir::func::FuncOp program);
  validate::Run call(const CallPlan &plan, std::vector<validate::HostValue> arguments,
                     const interpreter::RunOptions &running);

  Session &session;
  Diagnostics &problems;
  triton::TritonProject project;
  eager::WrapperMachine machine;
  const AuditOptions &options;
  std::vector<Variant> variants;
  const python::ParsedFile *file = nullptr;
  const python::FunctionDef *definition = nullptr;
  /// What the wrapper is called here.
  std::string title;
  /// It is `forward` of a class.
  bool isClass = false;
  machine::FunctionObject *wrapper = nullptr;
};

} // namespace

static std::vector<mlir::func::FuncOp> programsOf(mlir::ModuleOp module) {
  std::vector<mlir::func::FuncOp> programs;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function->hasAttr("graph.program") && !function->hasAttr("graph.function"))
      programs.push_back(function);
  return programs;
}

/// The element types of the floating-point inputs.
static bool hasFloats(mlir::func::FuncOp program, bool &areUsual) {
  bool found = false;
  areUsual = true;
  for (auto [number, type] : llvm::enumerate(program.getArgumentTypes())) {
    mlir::Type element = llvm::cast<graph::TensorType>(type).getElementType();
    if (!llvm::isa<mlir::FloatType>(element) || program.getArgAttr(number, "graph.scalar"))
      continue;
    found = true;
    areUsual &= element.isF32() || element.isF16() || element.isBF16();
  }
  return found;
}

/// The reference with the usual element types of kernels, and as it is written where it has others.
bool ReferenceRun::readReference() {
  ProgramOptions program;
  program.source = options.reference;
  program.inputs = options.inputs;
  program.sizes = options.sizes;
  // Indices that PyTorch refuses are no cases.
  program.debug = true;
  auto written = session.importProgram(program);
  if (!written)
    return false;
  bool areUsual = true;
  if (hasFloats(programsOf(*written).front(), areUsual))
    for (const char *type : {"f32", "f16", "bf16"}) {
      Diagnostics refused;
      if (auto module = session.importProgram(program, type, refused))
        variants.push_back({type, std::move(module)});
    }
  if (variants.empty() || !areUsual)
    variants.push_back({"as written", std::move(written)});
  return true;
}

bool ReferenceRun::readWrapper(const std::string &path, const std::string &name) {
  file = project.read(path, problems);
  if (!file)
    return false;
  llvm::DenseSet<const python::FunctionDef *> kernels;
  for (const audit::JitDefinition &kernel : audit::findJitDefinitions(*file))
    kernels.insert(kernel.def);
  for (const triton::JitFunction *kernel : project.functions())
    kernels.insert(kernel->def);
  definition = eager::findWrapper(*file, name, kernels, problems);
  isClass = definition && definition->name == "forward" && name != "forward";
  title = isClass ? name : definition ? definition->name.str() : "";
  wrapper = definition ? machine.find(*file, *definition, isClass ? name : "") : nullptr;
  if (definition && !wrapper)
    problems.error(file->getLocation(*definition), "the wrapper could not be evaluated");
  return wrapper;
}

/// The numbers in `({0}, {@1}, {=n})`, nullopt for what is no result.
static std::vector<std::optional<unsigned>> readResults(llvm::StringRef text) {
  std::vector<std::optional<unsigned>> results;
  while (!text.empty()) {
    text = text.split('{').second;
    unsigned number = 0;
    auto [inner, rest] = text.split('}');
    if (inner.empty())
      break;
    bool isResult = !inner.getAsInteger(10, number);
    results.push_back(isResult ? std::optional(number) : std::nullopt);
    text = rest;
  }
  return results;
}

/// The texts of a list of pairs, by their names.
static std::map<std::string, std::string> readPairs(mlir::func::FuncOp program,
                                                    llvm::StringRef name) {
  std::map<std::string, std::string> pairs;
  if (auto rows = program->getAttrOfType<mlir::ArrayAttr>(name))
    for (auto row : rows.getAsRange<mlir::ArrayAttr>())
      if (row.size() == 2)
        pairs[llvm::cast<mlir::StringAttr>(row[0]).str()] =
            llvm::cast<mlir::StringAttr>(row[1]).str();
  return pairs;
}

std::optional<CallPlan> ReferenceRun::planCall(mlir::func::FuncOp program) {
  CallPlan plan;
  auto signature = program->getAttrOfType<mlir::ArrayAttr>("graph.signature");
  auto refuse = [&](const std::string &what) {
    mlir::emitError(program.getLoc())
        << "the reference " << what << ", which no wrapper can be compared with";
    return std::nullopt;
  };
  if (!signature)
    return refuse("has no parameters that are known");
  std::map<std::string, std::string> fixed = readPairs(program, "graph.known");
  llvm::StringMap<unsigned> arguments;
  for (unsigned number = 0; number < program.getNumArguments(); ++number) {
    if (program.getArgAttr(number, "graph.parameter") || program.getArgAttr(number, "graph.seed"))
      return refuse("has parameters of a module or random numbers");
    arguments[program.getArgAttrOfType<mlir::StringAttr>(number, "graph.name").getValue()] = number;
  }
  // What the command line says is passed, even where it is the default of the reference.
  SourceFile inputs("--inputs", options.inputs);
  Diagnostics known;
  std::set<std::string> given;
  if (auto specs = torch::parseInputSpec(inputs, known))
    for (const torch::InputSpec &spec : *specs)
      given.insert(spec.key);
  bool hasGap = false;
  size_t used = 0;
  for (auto parameter : signature.getAsRange<mlir::StringAttr>()) {
    auto [name, fallback] = parameter.getValue().split('=');
    CallPlan::Item item{name.str(), hasGap, false, 0, ""};
    auto found = arguments.find(name);
    bool isLive = found != arguments.end() && program.getArgAttr(found->second, "graph.live");
    if (isLive && !fallback.empty() && !given.count(name.str())) {
      hasGap = true;
      ++used;
      continue;
    }
    auto text = fixed.find(name.str());
    bool isDefault = text == fixed.end() || (text->second == fallback && !given.count(name.str()));
    if (found == arguments.end() && isDefault) {
      hasGap = true;
      continue;
    }
    if (found == arguments.end()) {
      item.text = text->second;
    } else {
      ++used;
      item.argument = found->second;
      mlir::Type type = program.getArgumentTypes()[item.argument];
      item.isBool = program.getArgAttr(item.argument, "graph.scalar") &&
                    llvm::cast<graph::TensorType>(type).getElementType().isInteger(1);
    }
    plan.items.push_back(std::move(item));
  }
  if (used != arguments.size())
    return refuse("takes tensors in tuples or dictionaries");
  plan.results = readResults(program->getAttrOfType<mlir::StringAttr>("graph.result").getValue());
  return plan;
}

validate::Run ReferenceRun::call(const CallPlan &plan, std::vector<validate::HostValue> arguments,
                                 const interpreter::RunOptions &running) {
  std::vector<WrapperArgument> given;
  for (const CallPlan::Item &item : plan.items)
    given.push_back({item.name, item.isKeyword, item.isBool,
                     item.text.empty() ? arguments[item.argument] : validate::HostValue(),
                     item.text});
  validate::Run run = machine.run(*wrapper, given, isClass, running);
  if (run.problem.empty() && run.results.size() != plan.results.size()) {
    run.problem = "'" + title + "' returns " + std::to_string(run.results.size()) +
                  " values, and the reference " + std::to_string(plan.results.size());
    run.kind = validate::Run::NotSupported;
  }
  if (!run.problem.empty())
    return run;
  std::vector<validate::HostValue> results;
  for (auto [value, place] : llvm::zip_equal(run.results, plan.results)) {
    if (!place)
      continue;
    results.resize(std::max<size_t>(results.size(), *place + 1));
    results[*place] = std::move(value);
  }
  run.results = std::move(results);
  return run;
}

bool ReferenceRun::run(audit::AuditResult &result) {
  auto start = std::chrono::steady_clock::now();
  auto [path, name] = Session::splitSource(options.paths.front());
  if (!readReference() || !readWrapper(path, name))
    return false;
  std::vector<validate::Variant> programs;
  for (Variant &variant : variants)
    for (mlir::func::FuncOp program : programsOf(*variant.module)) {
      std::optional<CallPlan> plan = planCall(program);
      if (!plan)
        return false;
      std::string title = variant.name;
      if (auto when = program->getAttrOfType<sym::PredAttr>("graph.when"))
        title += ", " + when.getPred().str();
      validate::Variant &one = programs.emplace_back(title, program);
      one.stages.push_back({1, nullptr, [this, plan = *plan](auto arguments, const auto &running) {
                              return call(plan, std::move(arguments), running);
                            }});
    }
  validate::Report report =
      validate::validateProgram(programs, options.largest, [](size_t, size_t) {});
  std::shared_ptr<const SourceFile> text = project.share(&file->getSource());
  result.texts.push_back(text);
  SourceLocation place = file->getLocation(*definition);
  place.file = text.get();
  place.range.end = place.range.begin + 4 + definition->name.size();
  session.files.push_back(text);
  auto locate = [&](const SourceLocation &at) {
    SourceLocation kept = at;
    std::shared_ptr<const SourceFile> copy = project.share(at.file);
    kept.file = copy.get();
    if (copy && !llvm::is_contained(result.texts, copy)) {
      result.texts.push_back(copy);
      session.files.push_back(copy);
    }
    return kept;
  };
  ReferenceTexts texts{title, exportedName(*variants.front().module), place, locate,
                       [&](llvm::StringRef name) { return project.findFile(name); }};
  if (!addFindings(report, texts, result, problems))
    return false;
  result.reference->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return true;
}

bool driver::compareWithReference(Session &session, const AuditOptions &options,
                                  audit::AuditResult &result) {
  if (options.paths.size() != 1) {
    session.getDiagnostics().error({}, "--reference compares one function",
                                   "write FILE.py:WRAPPER, or FILE.py:KERNEL");
    return false;
  }
  return ReferenceRun(session, options).run(result);
}
