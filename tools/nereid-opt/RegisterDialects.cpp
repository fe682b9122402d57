// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegisterDialects.h"

#include "graph/GraphDialect.h"
#include "host/HostDialect.h"
#include "sym/SymDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"

void nereid::registerNereidDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect, host::HostDialect,
                  graph::GraphDialect>();
}
