// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/host/Dispatch.h"

#include "graph/GraphDialect.h"
#include "host/HostOps.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

/// The name in the host dialect of what is copied from the graph.
static std::string hostName(llvm::StringRef name) { return ("host" + name.drop_front(5)).str(); }

static void addSymbols(func::FuncOp host, llvm::ArrayRef<Attribute> more) {
  llvm::SmallVector<Attribute> symbols;
  if (auto known = host->getAttrOfType<ArrayAttr>(host::symbolsAttrName))
    symbols.append(known.begin(), known.end());
  symbols.append(more.begin(), more.end());
  host->setAttr(host::symbolsAttrName, ArrayAttr::get(host.getContext(), symbols));
}

static llvm::SmallVector<Attribute> flagSymbols(func::FuncOp program) {
  llvm::SmallVector<Attribute> symbols;
  for (unsigned number = 0; number < program.getNumArguments(); ++number)
    if (auto name = program.getArgAttrOfType<StringAttr>(number, "graph.symbol"))
      symbols.push_back(
          host::SymbolAttr::get(program.getContext(), name, host::SymbolKind::Value, number, 0));
  return symbols;
}

void finishCase(func::FuncOp program, func::FuncOp host) {
  addSymbols(host, flagSymbols(program));
  for (unsigned number = 0; number < program.getNumArguments(); ++number)
    for (llvm::StringRef name : {"graph.access", "graph.live"})
      if (Attribute attribute = program.getArgAttr(number, name))
        host.setArgAttr(number, hostName(name), attribute);
  for (llvm::StringRef name : {"graph.definitions", "graph.records"})
    if (Attribute attribute = program->getAttr(name))
      host->setAttr(hostName(name), attribute);
  if (Attribute when = program->getAttr("graph.when"))
    host->setAttr("host.given", when);
  if (Attribute assumed = program->getAttr("graph.assumed"))
    host->setAttr("host.assumed", assumed);
}

/// The declared arguments: sizes are symbols where they first stand, strides are their own.
static llvm::SmallVector<Type> argumentTypes(func::FuncOp declaration,
                                             llvm::SmallVectorImpl<Attribute> &symbols) {
  MLIRContext *mlir = declaration.getContext();
  index::Context &context = sym::SymDialect::getIndexContext(mlir);
  llvm::SmallVector<Type> types;
  llvm::DenseSet<index::Expr> bound;
  auto bind = [&](index::Expr symbol, host::SymbolKind kind, unsigned argument, unsigned dim) {
    if (symbol.isSymbol() && bound.insert(symbol).second)
      symbols.push_back(host::SymbolAttr::get(mlir, StringAttr::get(mlir, symbol.getName()), kind,
                                              argument, dim));
  };
  for (auto [number, type] : llvm::enumerate(declaration.getArgumentTypes())) {
    auto tensor = cast<graph::TensorType>(type);
    Type element = tensor.getElementType();
    if (declaration.getArgAttr(number, "graph.scalar")) {
      types.push_back(isa<FloatType>(element) ? Type(Float64Type::get(mlir))
                      : element.isInteger(1)  ? element
                                              : Type(IntegerType::get(mlir, 64)));
      continue;
    }
    auto name = declaration.getArgAttrOfType<StringAttr>(number, "graph.name");
    llvm::SmallVector<index::Expr> strides;
    for (unsigned dim = 0; dim < tensor.getSizes().size(); ++dim) {
      strides.push_back(
          context.symbol(("stride_" + name.getValue() + "_" + llvm::Twine(dim)).str()));
      bind(tensor.getSizes()[dim], host::SymbolKind::Size, number, dim);
      bind(strides.back(), host::SymbolKind::Stride, number, dim);
    }
    types.push_back(host::TensorType::get(mlir, tensor.getSizes(), element, strides));
  }
  return types;
}

func::FuncOp buildDispatch(func::FuncOp declaration, ModuleOp module) {
  MLIRContext *mlir = module.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  llvm::SmallVector<Attribute> symbols = flagSymbols(declaration), conditions, programs;
  llvm::SmallVector<Type> types = argumentTypes(declaration, symbols);
  auto func = func::FuncOp::create(builder, declaration.getLoc(), declaration.getName(),
                                   builder.getFunctionType(types, {}));
  func->setAttr(host::programAttrName, builder.getUnitAttr());
  addSymbols(func, symbols);
  for (llvm::StringRef name :
       {"graph.signature", "graph.known", "graph.modules", "graph.shared", "graph.numbers",
        "graph.constants", "graph.result", "graph.own_results", "graph.stores", "graph.lists",
        "graph.definitions", "graph.records"})
    if (Attribute attribute = declaration->getAttr(name))
      func->setAttr(hostName(name), attribute);
  for (unsigned number = 0; number < declaration.getNumArguments(); ++number)
    for (llvm::StringRef name : {"graph.name", "graph.parameter", "graph.complex", "graph.access",
                                 "graph.live", "graph.seed"})
      if (Attribute attribute = declaration.getArgAttr(number, name))
        func.setArgAttr(number, hostName(name), attribute);
  builder.setInsertionPointToEnd(func.addEntryBlock());
  for (Attribute row : declaration->getAttrOfType<ArrayAttr>("graph.cases")) {
    auto when = cast<sym::PredAttr>(cast<ArrayAttr>(row)[0]);
    Attribute what = cast<ArrayAttr>(row)[1];
    if (auto message = dyn_cast<StringAttr>(what)) {
      host::CheckOp::create(builder, func.getLoc(),
                            sym::PredAttr::get(mlir, index::notOf(when.getPred())), message);
      continue;
    }
    conditions.push_back(when);
    programs.push_back(what);
  }
  // What one case returns stands for all where they have no results of their own: they differ in
  // sizes at most.
  auto first = module.lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(programs.front()));
  func.setType(builder.getFunctionType(types, first.getResultTypes()));
  host::DispatchOp::create(builder, func.getLoc(), builder.getArrayAttr(conditions),
                           builder.getArrayAttr(programs));
  return func;
}

} // namespace nereid::schedule
