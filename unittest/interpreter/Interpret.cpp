// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interpret.h"

#include "host/HostDialect.h"
#include "tile/TileDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpreter {

Module::Module(llvm::StringRef text) : context(std::make_unique<MLIRContext>()) {
  context->loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect,
                       tile::TileDialect, host::HostDialect>();
  module = parseSourceString<ModuleOp>(text, ParserConfig(context.get()), "kernel.mlir");
  EXPECT_TRUE(module) << text.str();
}

func::FuncOp Module::function(llvm::StringRef name) {
  return module ? module->lookupSymbol<func::FuncOp>(name) : func::FuncOp();
}

Type Module::type(llvm::StringRef text) { return parseType(text, context.get()); }

Tensor Module::tensor(llvm::StringRef name, llvm::StringRef element, llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<double> numbers) {
  return makeTensor(name, type(element), sizes, numbers);
}

KernelRun Module::run(llvm::StringRef name, llvm::ArrayRef<HostValue> arguments,
                      llvm::ArrayRef<int64_t> grid, const RunOptions &options) {
  func::FuncOp kernel = function(name);
  if (!kernel) {
    ADD_FAILURE() << "no function " << name.str();
    return {};
  }
  FailureOr<KernelRun> run = runKernel(kernel, arguments, grid, options);
  EXPECT_TRUE(succeeded(run));
  return succeeded(run) ? *run : KernelRun();
}

HostRun Module::runHost(llvm::StringRef name, llvm::ArrayRef<HostValue> arguments,
                        const RunOptions &options) {
  func::FuncOp program = function(name);
  if (!program) {
    ADD_FAILURE() << "no function " << name.str();
    return {};
  }
  FailureOr<HostRun> run = interpreter::runHost(program, arguments, options);
  EXPECT_TRUE(succeeded(run));
  return succeeded(run) ? *run : HostRun();
}

/// Text that loads `%name` from the argument `%pname`; lanes are a power of two in number.
static std::string loadText(llvm::StringRef name, const std::string &element, size_t count) {
  std::string n = std::to_string(count), tile = "tensor<" + n + "x", p = "%p" + name.str();
  std::string pointer = "!tile.ptr<" + element + ">";
  std::string value = element[0] == 'u' ? element.substr(1) : element;
  return "%r" + name.str() + " = tile.range 0 : " + tile + "i32>\n%s" + name.str() +
         " = tile.splat " + p + " : " + pointer + " -> " + tile + pointer + ">\n%q" + name.str() +
         " = tile.addptr %s" + name.str() + ", %r" + name.str() + " : " + tile + pointer + ">, " +
         tile + "i32>\n%" + name.str() + " = tile.load %q" + name.str() + " : " + tile + pointer +
         "> -> " + tile + value + ">\n";
}

std::vector<double> evaluate(llvm::StringRef result, size_t count, llvm::StringRef body,
                             llvm::ArrayRef<Operand> operands, const RunOptions &options) {
  std::string text = "func.func @k(%po: !tile.ptr<" + result.str() + ">", loads;
  const char *names[] = {"a", "b", "c"};
  for (auto [position, operand] : llvm::enumerate(operands)) {
    text += std::string(", %p") + names[position] + ": !tile.ptr<" + operand.element + ">";
    loads += loadText(names[position], operand.element, operand.lanes.size());
  }
  std::string n = std::to_string(count), pointer = "!tile.ptr<" + result.str() + ">";
  std::string value = result.starts_with("u") ? result.drop_front().str() : result.str();
  std::string tile = "tensor<" + n + "x";
  text += ") attributes {tile.kernel} {\n" + loads + body.str() + "\n%ro = tile.range 0 : " + tile +
          "i32>\n%so = tile.splat %po : " + pointer + " -> " + tile + pointer +
          ">\n%qo = tile.addptr %so, %ro : " + tile + pointer + ">, " + tile +
          "i32>\ntile.store %qo, %r : " + tile + pointer + ">, " + tile + value + ">\nreturn\n}\n";
  Module module(text);
  Tensor out = makeTensor("out", module.type(result), {static_cast<int64_t>(count)});
  SmallVector<HostValue> arguments = {out};
  for (auto [position, operand] : llvm::enumerate(operands))
    arguments.push_back(module.tensor(names[position], operand.element,
                                      {static_cast<int64_t>(operand.lanes.size())}, operand.lanes));
  KernelRun run = module.run("k", arguments, {1}, options);
  std::string findings;
  llvm::raw_string_ostream os(findings);
  for (const Finding &finding : run.findings)
    print(finding, os);
  EXPECT_EQ(findings, "");
  return out.toNumbers();
}

std::vector<double> evaluate(llvm::StringRef result, llvm::StringRef body,
                             llvm::ArrayRef<Operand> operands) {
  return evaluate(result, operands.front().lanes.size(), body, operands);
}

std::vector<double> binary(const std::string &op, const std::string &element, std::vector<double> a,
                           std::vector<double> b) {
  std::string n = std::to_string(a.size());
  return evaluate(element, "%r = " + op + " %a, %b : tensor<" + n + "x" + element + ">",
                  {{element, a}, {element, b}});
}

void expectNumbers(llvm::ArrayRef<double> found, llvm::ArrayRef<double> expected,
                   double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (auto [lane, pair] : llvm::enumerate(llvm::zip(found, expected))) {
    auto [f, e] = pair;
    if (std::isnan(e) || std::isinf(e) || tolerance == 0) {
      EXPECT_TRUE((std::isnan(f) && std::isnan(e)) || f == e)
          << "lane " << lane << ": " << f << ", expected " << e;
      EXPECT_TRUE(std::isnan(e) || std::signbit(f) == std::signbit(e)) << "lane " << lane;
    } else {
      EXPECT_NEAR(f, e, tolerance * std::max(1e-30, std::fabs(e))) << "lane " << lane;
    }
  }
}

} // namespace nereid::interpreter
