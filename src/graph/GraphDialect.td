// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of PyTorch programs: its types and base classes.
#ifndef NEREID_GRAPH_DIALECT_TD
#define NEREID_GRAPH_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let summary = "A PyTorch program: primitives on tensors with symbolic sizes";
  let description = [{
    A program is a `func.func` with the unit attribute `graph.program`. Its arguments carry `graph.name` (the user's
    word), and either `graph.parameter = "blocks.0.weight"` (a parameter or buffer of the module) or
    `graph.scalar` (a runtime scalar, of rank 0) or nothing (a tensor). The attribute `graph.result` on the function is
    Python text with placeholders: `"({0}, {@1}, {=x.shape[0] // 2})"` are the first result, the second argument itself
    and a number that the caller computes. `graph.stores` has rows of two such texts, a place in a dict or list of the
    caller's and what is put there; `graph.lists` says which arguments are lists. A result marked `graph.copied` has
    memory of its own beside an equal one. Arguments that are written to have a number in the order of their first
    writes, `graph.written = 0`; `graph.written_before = 2` on an argument says that those numbered 0 and 1 are written
    to before it is used last, so that a call in which it shares memory with one of them is no call of this program.

    The types of the arguments are requirements: the first argument dimension that is a plain symbol defines it, every
    other dimension of an argument must have the value that its expression says. A scalar with `graph.symbol = "n"` is
    the value of that symbol in sizes and conditions: a flag, or a whole number of at least 0. `graph.hints` on the function gives a
    typical value for each symbol; `graph.planned` other values to choose kernels for, where those are small;
    `graph.fixed` says which sizes the program fixes at their typical values, and where (`"N=6 (model.py:7)"`).
    Constraints: c1: `graph.program` is on a `func.func`; c2: arguments and results are graph tensors; c3: each argument
    has a `graph.name`; c4: `graph.result` is a string.

    Pointwise operators take operands of equal sizes. Where an operator names no constraint, it has one: c1: operands
    and result have one type (a trait).

    Nothing computes in half: floating-point operators take f32 or f64; import inserts casts. Those that PyTorch's own
    half results imply are `elidable`. All shapes are explicit: no operator broadcasts.
  }];
  let cppNamespace = "::nereid::graph";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::nereid::sym::SymDialect", "mlir::func::FuncDialect"];
}

def Graph_TensorType : TypeDef<Graph_Dialect, "Tensor", [], "::mlir::Type"> {
  let mnemonic = "tensor";
  let summary = "a tensor with symbolic sizes";
  let description = [{
    `!graph.tensor<[B, T, 4*D] x bf16>`. Equal expressions are equal types. Element types: f64 f32 f16 bf16
    f8E4M3FN f8E5M2, i64 i32 i16 i8, ui64 ui32 ui16 ui8, i1 (bool).
  }];
  let parameters = (ins ArrayRefParameter<"::nereid::index::Expr">:$sizes,
      "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getSizes().size(); }
    ::nereid::graph::TensorType withElementType(::mlir::Type type) const;
    ::nereid::graph::TensorType withSizes(::llvm::ArrayRef<::nereid::index::Expr> sizes) const;
  }];
}

class Graph_Op<string opMnemonic, list<Trait> traits = []> : Op<Graph_Dialect, opMnemonic, traits>;

class Graph_TensorOf<string test, string what>
    : Type<And<[CPred<"::llvm::isa<::nereid::graph::TensorType>($_self)">,
                CPred<"[](::mlir::Type type) { return "#test#"; }("
                      "::llvm::cast<::nereid::graph::TensorType>($_self).getElementType())">]>,
           "tensor of "#what, "::nereid::graph::TensorType">;
def Graph_Tensor : Graph_TensorOf<"true", "any element type">;
def Graph_FloatTensor : Graph_TensorOf<"type.isF32() || type.isF64()", "f32 or f64">;
def Graph_BoolTensor : Graph_TensorOf<"type.isInteger(1)", "bool">;
def Graph_IntTensor : Graph_TensorOf<"::llvm::isa<::mlir::IntegerType>(type)", "integers or bool">;
def Graph_NumberTensor
    : Graph_TensorOf<"type.isF32() || type.isF64() || ::llvm::isa<::mlir::IntegerType>(type)",
                     "f32, f64, integers or bool">;

#endif // NEREID_GRAPH_DIALECT_TD
