// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a PyTorch program into the graph dialect and prints it, or evaluates it in float64 on given
// arrays (for the comparison with PyTorch): with --cases FILE, a JSON list of
// {"path", "name", "inputs", "init", "arrays": {name: {"dtype", "shape", "file"}}, "out": PREFIX}.
// With --backward both programs; of a case the gradients too, from "cotangents", an array a result.
#include "autodiff/Autodiff.h"
#include "frontend/torch/TorchFrontend.h"
#include "graph/GraphEvaluator.h"
#include "graph/GraphOps.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace nereid;

namespace {

cl::opt<std::string> program(cl::Positional, cl::desc("SRC.py[:NAME]"));
cl::opt<std::string> inputs("inputs", cl::desc("the inputs' types and sizes"));
cl::opt<std::string> init("init", cl::desc("the module, or its constructor's arguments"));
cl::opt<bool> backward("backward", cl::desc("the forward and the backward program"));
cl::list<std::string> wanted("wanted", cl::desc("arguments that need a gradient"),
                             cl::CommaSeparated);
cl::opt<bool> withoutGradient("without-gradient",
                              cl::desc("list primitives that have no gradient"));
cl::opt<std::string> cases("cases", cl::desc("a JSON list of programs to evaluate"));

using Module = mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>;

/// Adds the backward program when it is asked for; keeps the reason of a failure.
mlir::LogicalResult differentiate(mlir::ModuleOp module, bool asked, std::string &reason) {
  if (!asked)
    return mlir::success();
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return mlir::failure();
  });
  autodiff::GradientOptions options;
  options.wanted.assign(wanted.begin(), wanted.end());
  return autodiff::addBackwards(module, options);
}

int printProgram(mlir::MLIRContext &context) {
  torch::ImportRequest request;
  auto [path, name] = StringRef(program).rsplit(':');
  request.path = path.str();
  request.name = name.str();
  request.inputs = inputs;
  request.init = init;
  request.gradients = backward;
  Diagnostics diagnostics;
  std::vector<std::shared_ptr<const void>> files;
  Module module = torch::importProgram(&context, request, diagnostics, files);
  diagnostics.print(errs(), false);
  if (mlir::failed(module))
    return 2;
  std::string reason;
  if (mlir::failed(differentiate(**module, backward, reason)))
    return 1;
  (*module)->print(outs());
  return 0;
}

json::Object failure(StringRef kind, StringRef message) {
  return json::Object{{"error", message.str()}, {"kind", kind.str()}};
}

json::Object writeArray(const graph::Array &array, const std::string &file) {
  std::vector<char> bytes = graph::toBytes(array);
  std::error_code error;
  raw_fd_ostream stream(file, error);
  stream.write(bytes.data(), bytes.size());
  json::Array shape;
  for (int64_t extent : array.shape)
    shape.push_back(extent);
  return json::Object{{"dtype", torch::getSpecName(torch::fromMlir(array.elementType)).str()},
                      {"shape", std::move(shape)},
                      {"file", file}};
}

std::optional<graph::Array> readArray(const json::Object &entry, mlir::MLIRContext &context) {
  auto dtype = torch::parseSpecName(entry.getString("dtype").value_or(""));
  auto buffer = MemoryBuffer::getFile(entry.getString("file").value_or(""));
  if (!dtype || !buffer)
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const json::Value &extent : *entry.getArray("shape"))
    shape.push_back(*extent.getAsInteger());
  StringRef bytes = (*buffer)->getBuffer();
  return graph::fromBytes(shape, torch::toMlir(*dtype, &context), {bytes.data(), bytes.size()});
}

/// What a program returns, in order: `{0}` of the graph's results, or `{@0}` of its arguments.
struct Returned {
  bool isArgument;
  unsigned place;
};

std::vector<Returned> returnedBy(mlir::func::FuncOp program) {
  std::vector<Returned> returned;
  StringRef text = program->getAttrOfType<mlir::StringAttr>("graph.result").getValue();
  while (!text.empty()) {
    text = text.drop_front(std::min(text.find('{'), text.size()));
    if (text.consume_front("{{") || text.consume_front("{=") || !text.consume_front("{"))
      continue;
    Returned &next = returned.emplace_back(Returned{text.consume_front("@"), 0});
    text.consumeInteger(10, next.place);
  }
  return returned;
}

/// The gradients of the arguments, by name.
json::Object runBackward(mlir::func::FuncOp forward, ArrayRef<graph::Array> inputs,
                         const graph::Evaluation &evaluation, const json::Object &item,
                         json::Object answer) {
  auto module = cast<mlir::ModuleOp>(forward->getParentOp());
  auto name = forward->getAttrOfType<mlir::FlatSymbolRefAttr>("graph.backward");
  auto function = module.lookupSymbol<mlir::func::FuncOp>(name.getAttr());
  auto saved = forward->getAttrOfType<mlir::ArrayAttr>("graph.saved");
  mlir::MLIRContext &context = *module.getContext();
  // What is returned several times has several.
  auto cotangentOf = [&](Returned tensor) -> std::optional<graph::Array> {
    const json::Array *list = item.getArray("cotangents");
    std::optional<graph::Array> sum;
    for (auto [place, each] : enumerate(returnedBy(forward))) {
      if (each.isArgument != tensor.isArgument || each.place != tensor.place)
        continue;
      const json::Object *entry =
          list && place < list->size() ? (*list)[place].getAsObject() : nullptr;
      auto given = entry ? readArray(*entry, context) : std::nullopt;
      for (size_t i = 0; given && sum && i < sum->reals.size(); ++i)
        given->reals[i] += sum->reals[i];
      if (given)
        sum = std::move(given);
    }
    return sum;
  };
  std::vector<graph::Array> arrays;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    if (auto of = function.getArgAttrOfType<mlir::IntegerAttr>(index, "graph.cotangent")) {
      auto given = cotangentOf({false, unsigned(of.getInt())});
      if (!given)
        return failure("arrays", "no gradient of a result");
      arrays.push_back(std::move(*given));
      continue;
    }
    auto place = function.getArgAttrOfType<mlir::IntegerAttr>(index, "graph.saved");
    auto entry = cast<mlir::DictionaryAttr>(saved[place.getInt()]);
    if (auto argument = entry.getAs<mlir::IntegerAttr>("argument"))
      arrays.push_back(inputs[argument.getInt()]);
    else
      arrays.push_back(evaluation.results[entry.getAs<mlir::IntegerAttr>("result").getInt()]);
    if (function.getArgAttr(index, "graph.shape_only"))
      for (double &value : arrays.back().reals)
        value = std::nan("");
  }
  std::string reason;
  auto result = graph::evaluateProgram(function, arrays, reason);
  if (mlir::failed(result))
    return failure("backward", reason);
  json::Object gradients;
  std::string prefix = item.getString("out").value_or("").str() + "_g";
  for (auto [place, array] : enumerate(result->results)) {
    auto of = function.getResultAttrOfType<mlir::IntegerAttr>(place, "graph.gradient").getInt();
    auto key = forward.getArgAttrOfType<mlir::StringAttr>(of, "graph.parameter");
    if (!key)
      key = forward.getArgAttrOfType<mlir::StringAttr>(of, "graph.name");
    auto direct = cotangentOf({true, unsigned(of)});
    for (size_t i = 0; direct && i < array.reals.size(); ++i)
      array.reals[i] += direct->reals[i];
    json::Object entry = writeArray(array, prefix + std::to_string(of));
    entry["zero"] = !!function.getResultAttr(place, "graph.zero");
    gradients[key.getValue()] = std::move(entry);
  }
  answer["gradients"] = std::move(gradients);
  return answer;
}

json::Object runCase(const json::Object &item, mlir::MLIRContext &context) {
  torch::ImportRequest request;
  auto text = [&](StringRef key) { return item.getString(key).value_or("").str(); };
  request.path = text("path");
  request.name = text("name");
  request.inputs = text("inputs");
  request.init = text("init");
  request.gradients = backward || item.getArray("cotangents");
  Diagnostics diagnostics;
  std::vector<std::shared_ptr<const void>> files;
  Module module = torch::importProgram(&context, request, diagnostics, files);
  if (mlir::failed(module))
    return failure("import", diagnostics.all().empty() ? "no reason was given"
                                                       : diagnostics.all().front().message);
  std::string why;
  bool both = backward || item.getArray("cotangents");
  if (mlir::failed(differentiate(**module, both, why)))
    return failure("gradient", why);
  std::vector<mlir::func::FuncOp> programs;
  for (auto function : (*module)->getOps<mlir::func::FuncOp>())
    if (function->hasAttr("graph.program"))
      programs.push_back(function);
  mlir::func::FuncOp function = programs.front();
  std::vector<graph::Array> arrays;
  json::Array names;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(index, "graph.parameter");
    if (!name)
      name = function.getArgAttrOfType<mlir::StringAttr>(index, "graph.name");
    if (auto flag = function.getArgAttrOfType<mlir::StringAttr>(index, "graph.flag")) {
      name = flag;
      // A module is as eval() leaves it unless the case says otherwise.
      if (!item.getObject("arrays")->getObject(name.getValue())) {
        arrays.push_back(graph::Array({}, mlir::IntegerType::get(&context, 1)));
        names.push_back(name.getValue());
        continue;
      }
    }
    const json::Object *entry = item.getObject("arrays")->getObject(name.getValue());
    if (!entry && function.getArgAttr(index, "graph.seed")) {
      arrays.push_back(graph::Array({}, mlir::IntegerType::get(&context, 64)));
      names.push_back(name.getValue());
      continue;
    }
    // A number of the program's own is as it was while it was read.
    auto live = function.getArgAttrOfType<mlir::FloatAttr>(index, "graph.live");
    if (!entry && live) {
      mlir::Type type = function.getArgumentTypes()[index];
      graph::Array number({}, cast<graph::TensorType>(type).getElementType());
      number.reals.front() = graph::roundTo(live.getValueAsDouble(), number.elementType);
      names.push_back(name.getValue());
      arrays.push_back(std::move(number));
      continue;
    }
    std::optional<graph::Array> array = entry ? readArray(*entry, context) : std::nullopt;
    if (!array)
      return failure("arrays", "no array for the argument " + name.getValue().str());
    names.push_back(name.getValue());
    arrays.push_back(std::move(*array));
  }
  std::string reason;
  auto evaluation = graph::evaluateProgram(function, arrays, reason);
  // Of the cases of a program one takes the inputs.
  for (mlir::func::FuncOp other : ArrayRef(programs).drop_front())
    if (mlir::failed(evaluation)) {
      function = other;
      evaluation = graph::evaluateProgram(function, arrays, reason);
    }
  if (mlir::failed(evaluation))
    return failure("evaluate", reason);
  json::Array results, assigned;
  for (auto [place, returned] : enumerate(returnedBy(function))) {
    const graph::Array *array =
        returned.isArgument ? nullptr : &evaluation->results[returned.place];
    if (returned.isArgument) {
      array = &arrays[returned.place];
      for (auto &[argument, written] : evaluation->assigned)
        if (argument == returned.place)
          array = &written;
    }
    results.push_back(writeArray(*array, text("out") + "_" + std::to_string(place)));
  }
  for (auto &[argument, array] : evaluation->assigned) {
    json::Object entry = writeArray(array, text("out") + "_a" + std::to_string(argument));
    entry["name"] = names[argument];
    assigned.push_back(std::move(entry));
  }
  json::Object answer{
      {"results", std::move(results)},
      {"assigned", std::move(assigned)},
      {"text", function->getAttrOfType<mlir::StringAttr>("graph.result").getValue().str()}};
  return both ? runBackward(function, arrays, *evaluation, item, std::move(answer)) : answer;
}

int runCases(mlir::MLIRContext &context) {
  auto buffer = MemoryBuffer::getFile(cases);
  if (!buffer) {
    errs() << "cannot read '" << cases << "'\n";
    return 2;
  }
  Expected<json::Value> list = json::parse((*buffer)->getBuffer());
  if (!list || !list->getAsArray()) {
    consumeError(list.takeError());
    errs() << "'" << cases << "' is not a JSON list\n";
    return 2;
  }
  json::Array answers;
  for (const json::Value &item : *list->getAsArray())
    answers.push_back(runCase(*item.getAsObject(), context));
  outs() << json::Value(std::move(answers)) << "\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "nereid-graph: PyTorch programs as graphs\n");
  if (withoutGradient) {
    outs() << autodiff::listWithoutGradient();
    return 0;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return cases.empty() ? printProgram(context) : runCases(context);
}
