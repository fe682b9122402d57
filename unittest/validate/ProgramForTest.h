// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph programs from text, and what the scheduler makes of them.
#pragma once

#include "graph/GraphOps.h"
#include "host/HostDialect.h"
#include "schedule/Schedule.h"
#include "sym/SymDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace nereid::validate {

class ProgramTest : public testing::Test {
protected:
  ProgramTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect,
                        host::HostDialect, graph::GraphDialect>();
  }

  /// `x` and `y` are tensors of f32 with these sizes, the result has the sizes of `x`.
  mlir::func::FuncOp parse(const std::string &xSizes, const std::string &ySizes,
                           const std::string &body, const std::string &attributes = "") {
    std::string x = "!graph.tensor<" + xSizes + " x f32>",
                y = "!graph.tensor<" + ySizes + " x f32>";
    std::string text = "func.func @f(%x: " + x + " {graph.name = \"x\"}, %y: " + y +
                       " {graph.name = \"y\"}) -> " + x +
                       " attributes {graph.program, graph.result = \"{0}\"" + attributes + "} {\n" +
                       body + "}\n";
    for (auto [name, type] : {std::pair("$X", x), std::pair("$Y", y)})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, 2, type);
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    return modules.back() ? *modules.back()->getOps<mlir::func::FuncOp>().begin() : nullptr;
  }

  mlir::func::FuncOp schedule(mlir::func::FuncOp program, int stage) {
    schedule::ScheduleOptions options;
    options.stage = stage;
    auto module = schedule::scheduleModule(program->getParentOfType<mlir::ModuleOp>(), options);
    if (mlir::failed(module))
      return nullptr;
    modules.push_back(std::move(*module));
    for (auto function : modules.back()->getOps<mlir::func::FuncOp>())
      if (function->hasAttr("host.program"))
        return function;
    return nullptr;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace nereid::validate
