// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of what surrounds kernels: sizes, checks, allocations, launches.
#ifndef NEREID_HOST_DIALECT_TD
#define NEREID_HOST_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Host_Dialect : Dialect {
  let name = "host";
  let summary = "The program around kernels: what a PyTorch wrapper does";
  let description = [{
    A host program is a `func.func` with the unit attribute `host.program`. Its arguments are tensors
    (`!host.tensor`) and runtime scalars (`f64`, `i64`, `i1`). The attribute `host.symbols` on it binds each
    size and stride symbol to an argument: `[#host.symbol<"M", size, 0, 0>, #host.symbol<"x_s0", stride, 0, 0>]`.
    Argument names are in the argument attribute `host.name`.
    `host.given` on it is a predicate that holds on entry.
    Sizes, strides, grids and conditions are symbolic index expressions (`#sym.expr`, `#sym.pred`).
    Scalar arithmetic is upstream's `arith` and `math` on i64 and f64.
  }];
  let cppNamespace = "::nereid::host";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::nereid::sym::SymDialect", "mlir::func::FuncDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

def Host_TensorType : TypeDef<Host_Dialect, "Tensor"> {
  let mnemonic = "tensor";
  let summary = "a PyTorch tensor with symbolic sizes and strides";
  let description = [{
    `!host.tensor<[M, N] x f32, [N, 1]>`: sizes, element type (`ui8` for uint8, `i1` for bool), strides in
    elements. Sizes are >= 0.
  }];
  let parameters = (ins ArrayRefParameter<"::nereid::index::Expr">:$sizes, "::mlir::Type":$elementType,
                        ArrayRefParameter<"::nereid::index::Expr">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getSizes().size(); }
  }];
}

def Host_SymbolKind : I32EnumAttr<"SymbolKind", "what of an argument a symbol names", [
    I32EnumAttrCase<"Size", 0, "size">, I32EnumAttrCase<"Stride", 1, "stride">, I32EnumAttrCase<"Value", 2, "value">]> {
  let cppNamespace = "::nereid::host";
  let genSpecializedAttr = 0;
}

def Host_SymbolAttr : AttrDef<Host_Dialect, "Symbol"> {
  let mnemonic = "symbol";
  let summary = "binds an index symbol to a size or stride of an argument, or to an integer argument's value";
  let description = [{
    The name, the kind, the number of the argument and of its dimension (0 for a value):
    `#host.symbol<"M", size, 0, 0>`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::nereid::host::SymbolKind":$kind, "int64_t":$argument,
                        "int64_t":$dim);
  let assemblyFormat = "`<` $name `,` $kind `,` $argument `,` $dim `>`";
}

#endif // NEREID_HOST_DIALECT_TD
