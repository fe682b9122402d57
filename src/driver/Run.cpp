// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid run`: a Triton kernel in the interpreter.
#include "driver/KernelSource.h"
#include "driver/RunArguments.h"

#include "interpreter/Interpreter.h"
#include "support/Npz.h"
#include "tile/Instance.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;
using interpreter::Tensor;

namespace {

/// A tensor argument before and after the run.
struct RunTensor {
  Tensor tensor;
  std::vector<uint8_t> before;

  bool isChanged() const { return tensor.storage->bytes != before; }
};

struct Summary {
  double least = 0;
  double greatest = 0;
  double mean = 0;
  int64_t nans = 0;
};

/// Of the elements that are not NaN.
Summary summarize(const Tensor &tensor) {
  Summary summary;
  double sum = 0;
  int64_t count = 0;
  for (int64_t at = 0, all = tensor.getNumElements(); at < all; ++at) {
    double value = tensor.get(at);
    if (std::isnan(value)) {
      ++summary.nans;
      continue;
    }
    summary.least = count ? std::min(summary.least, value) : value;
    summary.greatest = count ? std::max(summary.greatest, value) : value;
    sum += value;
    ++count;
  }
  summary.mean = count ? sum / count : 0;
  return summary;
}

bool readGrid(llvm::StringRef text, llvm::SmallVectorImpl<int64_t> &grid,
              Diagnostics &diagnostics) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  bool fits = parts.size() <= 3;
  for (llvm::StringRef part : parts)
    fits &= !part.trim().getAsInteger(10, grid.emplace_back()) && grid.back() >= 0;
  if (!fits)
    diagnostics.error({}, "--grid '" + text.str() + "' is not one to three numbers",
                      "write --grid 8 or --grid 8,4");
  return fits;
}

/// All arguments, or nullopt after diagnostics; every bad one is reported.
std::optional<std::vector<RunArgument>> readArguments(Session &session, const RunOptions &options) {
  RunArgumentReader reader(session, options.seed);
  std::vector<RunArgument> arguments;
  bool failed = false;
  for (const std::string &text : options.arguments) {
    std::optional<RunArgument> argument = reader.read(text);
    failed |= !argument;
    if (!argument)
      continue;
    for (const RunArgument &other : arguments)
      if (other.name == argument->name) {
        session.getDiagnostics().error({}, "argument '" + other.name + "' is given twice");
        failed = true;
      }
    arguments.push_back(std::move(*argument));
  }
  if (failed)
    return std::nullopt;
  return arguments;
}

/// Whether every parameter of the kernel has a value or a default; says which have none.
bool haveAll(Session &session, const triton::KernelInfo &kernel,
             llvm::ArrayRef<RunArgument> arguments, const RunOptions &options) {
  std::string missing, example;
  for (const triton::KernelParameter &parameter : kernel.parameters) {
    bool given = parameter.hasDefault || (parameter.isConstexpr && kernel.configs > 0) ||
                 llvm::is_contained(kernel.computed, parameter.name);
    for (const RunArgument &argument : arguments)
      given |= argument.name == parameter.name;
    for (const std::string &text : options.constexprs)
      given |= llvm::StringRef(text).split('=').first.trim() == parameter.name;
    if (given)
      continue;
    missing += (missing.empty() ? "'" : ", '") + parameter.name + "'";
    if (example.empty())
      example = (parameter.isConstexpr ? "--constexpr " + parameter.name + "=128"
                                       : "--arg " + parameter.name + "=f32[1024]") +
                " or what fits";
  }
  if (!missing.empty())
    session.getDiagnostics().error(kernel.location,
                                   "no value is given for " + missing + " of '" + kernel.name + "'",
                                   "write " + example);
  return missing.empty();
}

/// A number as a Python expression.
std::string toPython(double number) {
  if (!std::isfinite(number))
    return std::isnan(number) ? "float('nan')" : number < 0 ? "-float('inf')" : "float('inf')";
  return llvm::formatv("{0:e17}", number).str();
}

mlir::func::FuncOp importKernel(KernelSource &source, llvm::StringRef name,
                                llvm::ArrayRef<RunArgument> arguments, const RunOptions &options,
                                mlir::OwningOpRef<mlir::ModuleOp> &module) {
  std::string signature;
  std::vector<std::string> constexprs = options.constexprs;
  std::map<std::string, std::string> values;
  for (const RunArgument &argument : arguments) {
    if (const auto *real = std::get_if<double>(&argument.value))
      values[argument.name] = toPython(*real);
    else if (const auto *integer = std::get_if<int64_t>(&argument.value))
      values[argument.name] = argument.type != "i1" ? std::to_string(*integer)
                              : *integer            ? "True"
                                                    : "False";
    if (argument.type.empty())
      constexprs.push_back(argument.name + "=None");
    else
      signature += (signature.empty() ? "" : ",") + argument.name + "=" + argument.type;
  }
  module = source.import(name, signature, constexprs, values);
  if (!module)
    return nullptr;
  return *module->getOps<mlir::func::FuncOp>().begin();
}

/// The arguments in the kernel's order; false after a diagnostic.
bool orderArguments(Session &session, mlir::func::FuncOp kernel,
                    llvm::ArrayRef<RunArgument> arguments,
                    std::vector<interpreter::HostValue> &values) {
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number) {
    std::string name = tile::getArgumentName(kernel, number);
    const RunArgument *found = nullptr;
    for (const RunArgument &argument : arguments)
      if (argument.name == name)
        found = &argument;
    if (!found) {
      session.getDiagnostics().error({}, "no value is given for the argument '" + name + "'",
                                     "write --arg " + name + "=...");
      return false;
    }
    if (const auto *tensor = std::get_if<Tensor>(&found->value))
      values.push_back(*tensor);
    else if (const auto *real = std::get_if<double>(&found->value))
      values.push_back(*real);
    else
      values.push_back(std::get<int64_t>(found->value));
  }
  return true;
}

std::string describe(const Tensor &tensor) {
  std::string text = elementName(tensor.elementType) + "[";
  for (auto [axis, size] : llvm::enumerate(tensor.sizes))
    text += (axis ? "," : "") + std::to_string(size);
  return text + "]";
}

void printTensors(llvm::raw_ostream &os, llvm::ArrayRef<RunTensor> tensors) {
  for (const RunTensor &one : tensors) {
    Summary summary = summarize(one.tensor);
    os << "  " << one.tensor.storage->name << ": " << describe(one.tensor)
       << (one.isChanged() ? ", written" : "");
    if (one.tensor.getNumElements() > summary.nans)
      os << llvm::format(", from %.6g to %.6g, mean %.6g", summary.least, summary.greatest,
                         summary.mean);
    if (summary.nans)
      os << ", " << summary.nans << " NaN";
    os << '\n';
  }
}

nlohmann::json toJson(const RunTensor &one) {
  Summary summary = summarize(one.tensor);
  return {{"name", one.tensor.storage->name},
          {"dtype", elementName(one.tensor.elementType)},
          {"shape", std::vector<int64_t>(one.tensor.sizes.begin(), one.tensor.sizes.end())},
          {"written", one.isChanged()},
          {"min", summary.least},
          {"max", summary.greatest},
          {"mean", summary.mean},
          {"nans", summary.nans}};
}

nlohmann::json toJson(const interpreter::Finding &finding) {
  nlohmann::json object = {{"kind", interpreter::getName(finding.kind).str()},
                           {"message", finding.message},
                           {"allocation", finding.allocation},
                           {"element", finding.element},
                           {"program", finding.program},
                           {"lane", finding.lane}};
  finding.location->walk([&](mlir::Location part) {
    auto place = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    if (!place)
      return mlir::WalkResult::advance();
    object["file"] = place.getFilename().str();
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
    return mlir::WalkResult::interrupt();
  });
  return object;
}

bool writeTensors(const std::string &path, llvm::ArrayRef<RunTensor> tensors,
                  Diagnostics &diagnostics) {
  NpzArrays arrays;
  for (const RunTensor &one : tensors)
    arrays.emplace_back(one.tensor.storage->name, toNpy(one.tensor));
  return writeFile(path, formatNpz(arrays), diagnostics);
}

/// Prints the report of a run; the findings go to standard error with their source lines.
void report(Session &session, const RunOptions &options, mlir::func::FuncOp kernel,
            llvm::ArrayRef<int64_t> grid, const interpreter::KernelRun &run,
            llvm::ArrayRef<RunTensor> tensors, double seconds) {
  for (const interpreter::Finding &finding : run.findings)
    mlir::emitError(finding.location)
        << interpreter::getName(finding.kind) << ": " << finding.message;
  int64_t programs = 1;
  for (int64_t extent : grid)
    programs *= extent;
  if (!options.json) {
    llvm::outs() << kernel.getName() << ": " << programs
                 << (programs == 1 ? " program, " : " programs, ");
    if (run.findings.empty())
      llvm::outs() << (options.check ? "nothing found\n" : "done\n");
    else
      llvm::outs() << run.findings.size()
                   << (run.findings.size() == 1 ? " finding\n" : " findings\n");
    printTensors(llvm::outs(), tensors);
    if (!options.output.empty())
      llvm::outs() << "  written to " << options.output << '\n';
    return;
  }
  nlohmann::json findings = nlohmann::json::array(), list = findings;
  for (const interpreter::Finding &finding : run.findings)
    findings.push_back(toJson(finding));
  for (const RunTensor &one : tensors)
    list.push_back(toJson(one));
  nlohmann::json object = {{"kernel", kernel.getName().str()},
                           {"source", Session::splitSource(options.source).first},
                           {"grid", std::vector<int64_t>(grid.begin(), grid.end())},
                           {"programs", programs},
                           {"steps", run.steps},
                           {"valid", run.findings.empty()},
                           {"findings", findings},
                           {"tensors", list},
                           {"output", options.output},
                           {"seconds", seconds}};
  llvm::outs() << object.dump(2) << '\n';
}

} // namespace

int driver::run(const RunOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Session session;
  auto [path, name] = Session::splitSource(options.source);
  if (!session.openFile(path))
    return session.failure();
  llvm::SmallVector<int64_t> grid;
  bool hasGrid = readGrid(options.grid, grid, session.getDiagnostics());
  auto arguments = readArguments(session, options);
  if (!arguments || !hasGrid)
    return session.failure();
  KernelSource source(session, path);
  if (const triton::KernelInfo *info = source.find(name))
    if (!haveAll(session, *info, *arguments, options))
      return session.failure();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp kernel = importKernel(source, name, *arguments, options, module);
  std::vector<interpreter::HostValue> values;
  if (!kernel || !orderArguments(session, kernel, *arguments, values))
    return session.failure();
  std::vector<RunTensor> tensors;
  for (const interpreter::HostValue &value : values)
    if (const auto *tensor = std::get_if<Tensor>(&value))
      tensors.push_back({*tensor, tensor->storage->bytes});
  interpreter::RunOptions running;
  running.checked = options.check;
  running.seed = options.seed;
  running.out = options.json ? &llvm::errs() : &llvm::outs();
  auto result = interpreter::runKernel(kernel, values, grid, running);
  if (mlir::failed(result))
    return session.failure();
  if (!options.output.empty() && !writeTensors(options.output, tensors, session.getDiagnostics()))
    return BadInput;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(session, options, kernel, grid, *result, tensors, seconds);
  return result->succeeded() ? Done : AnswerIsNo;
}
