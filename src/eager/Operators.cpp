// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "eager/Operators.h"

#include "frontend/torch/TorchFrontend.h"
#include "graph/GraphDialect.h"
#include "graph/GraphEvaluator.h"
#include "validate/Inputs.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::eager {

using interpreter::Tensor;

std::string specOf(const Tensor &tensor) {
  std::string text = torch::getSpecName(torch::fromMlir(tensor.elementType)).str() + "[";
  ListSeparator comma(",");
  for (int64_t size : tensor.sizes)
    text += (StringRef(comma) + Twine(size)).str();
  return text + "]";
}

const Operators::Program &Operators::read(const std::string &expression,
                                          const std::string &inputs) {
  auto [place, isNew] = programs.try_emplace(expression + "|" + inputs);
  Program &program = place->second;
  if (!isNew)
    return program;
  std::string parameters;
  ListSeparator comma;
  for (size_t number = 0, count = StringRef(inputs).count('='); number < count; ++number)
    parameters += (StringRef(comma) + "a" + Twine(number)).str();
  torch::ImportRequest request;
  request.path = "<operator>.py";
  request.name = "operator";
  request.inputs = inputs;
  SourceTexts texts;
  texts["<operator>.py"] = "import torch\nimport torch.nn.functional\n\n\ndef operator(" +
                           parameters + "):\n    return " + expression + "\n";
  request.texts = &texts;
  Diagnostics problems;
  // What diagnostics point at.
  std::vector<std::shared_ptr<const void>> files;
  auto module = torch::importProgram(context, request, problems, files);
  if (succeeded(module))
    program.module = std::move(*module);
  else
    program.refusal = problems.all().empty() ? "it cannot be read" : problems.all().front().message;
  return program;
}

/// The program that takes these sizes: there are several where what is computed hangs on them.
static mlir::func::FuncOp programFor(mlir::ModuleOp module, ArrayRef<SmallVector<int64_t>> shapes,
                                     std::string &why) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    DenseMap<index::Expr, int64_t> sizes;
    if (function->hasAttr("graph.program") && graph::bindSizes(function, shapes, sizes, why))
      return function;
  }
  return nullptr;
}

std::optional<Operators::Values> Operators::evaluate(const std::string &expression,
                                                     ArrayRef<Tensor> operands, std::string &why) {
  std::string inputs;
  SmallVector<SmallVector<int64_t>> shapes;
  for (auto [number, operand] : enumerate(operands)) {
    inputs += (number ? ",a" : "a") + std::to_string(number) + "=" + specOf(operand);
    shapes.push_back(operand.sizes);
  }
  const Program &read = this->read(expression, inputs);
  why = read.refusal;
  mlir::func::FuncOp program =
      read.module ? programFor(*read.module, shapes, why) : mlir::func::FuncOp();
  if (!program)
    return std::nullopt;
  std::vector<graph::Array> arrays;
  for (auto [operand, type] : zip_equal(operands, program.getArgumentTypes()))
    arrays.push_back(validate::toArray(operand, cast<graph::TensorType>(type)));
  auto results = graph::evaluateProgram(program, arrays, why, graph::Precision::Working);
  auto text = program->getAttrOfType<mlir::StringAttr>("graph.result");
  if (failed(results) || !text)
    return std::nullopt;
  Values values;
  StringRef shape = text.getValue();
  values.isTuple =
      (shape.starts_with("(") || shape.starts_with("[")) && results->results.size() > 0;
  std::string plain;
  ListSeparator comma;
  for (const graph::Array &array : results->results) {
    plain += (StringRef(comma) + "{" + Twine(values.tensors.size()) + "}").str();
    values.tensors.push_back(validate::toTensor(array, "result"));
  }
  bool isPlain = values.isTuple ? shape.drop_front().drop_back().rtrim(',') == plain
                                : shape == plain && values.tensors.size() == 1;
  if (isPlain)
    return values;
  why = "it returns " + shape.str();
  return std::nullopt;
}

} // namespace nereid::eager
