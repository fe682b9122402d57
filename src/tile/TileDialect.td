// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect itself, its attributes and its types.
#ifndef NEREID_TILE_DIALECT_TD
#define NEREID_TILE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "One program instance of a Triton kernel";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`. It describes one program of a grid: tiles
    are ranked tensors of static power-of-two shape, memory is reached through pointers and tiles of pointers.

    A tile's axes are named after the meta-parameters (`tl.constexpr` block sizes) that size them: the encoding
    `#tile.dims<["BLOCK_M", ""]>` holds one expression a dimension, empty for a plain number. The numbers of the
    shape are those of one configuration; `instantiate` rewrites numbers only.

    Values are signless; the operator says how it reads them. Pointees keep their signedness: `!tile.ptr<ui8>`.
  }];
  let cppNamespace = "::nereid::tile";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::func::FuncDialect"];
}

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_DimsAttr : Tile_Attr<"Dims", "dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "names the axes of a tile";
  let description = [{
    One string a dimension: the name of a meta-parameter or an expression over such names as Python text
    (`BLOCK_M`, `2 * BLOCK`), or empty for a plain number.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let assemblyFormat = "`<` `[` $names `]` `>`";
}

def Tile_ConfigAttr : Tile_Attr<"Config", "config"> {
  let summary = "one configuration of a kernel: its meta-parameters and launch options";
  let description = [{ `#tile.config<{BLOCK = 1024 : i64}, 4, 3>`: values, `num_warps`, `num_stages`. }];
  let parameters = (ins "::mlir::DictionaryAttr":$values, "int64_t":$numWarps, "int64_t":$numStages);
  let assemblyFormat = "`<` $values `,` $numWarps `,` $numStages `>`";
}

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "a pointer to elements in global memory";
  let description = [{
    The pointee is an integer of 1, 8, 16, 32 or 64 bits (signless is signed, `ui8` unsigned), `f8E4M3FN`,
    `f8E5M2`, `f16`, `bf16`, `f32`, `f64`, or a pointer. An `i1` takes one byte.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let genVerifyDecl = 1;
}

class Tile_I32Enum<string name, string what, list<I32EnumAttrCase> cases> : I32EnumAttr<name, what, cases> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Tile_Dialect, info, mnemonic>;

def Tile_RmwKind : Tile_I32Enum<"RmwKind", "what an atomic read-modify-write computes", [
    I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">, I32EnumAttrCase<"Xor", 2, "xor">,
    I32EnumAttrCase<"Add", 3, "add">, I32EnumAttrCase<"FAdd", 4, "fadd">, I32EnumAttrCase<"Max", 5, "max">,
    I32EnumAttrCase<"Min", 6, "min">, I32EnumAttrCase<"UMax", 7, "umax">, I32EnumAttrCase<"UMin", 8, "umin">,
    I32EnumAttrCase<"FMax", 9, "fmax">, I32EnumAttrCase<"FMin", 10, "fmin">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;
def Tile_RmwKindAttr : Tile_EnumAttr<Tile_RmwKind, "rmw">;

def Tile_MemSem : Tile_I32Enum<"MemSem", "memory ordering of an atomic", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def Tile_MemSemAttr : Tile_EnumAttr<Tile_MemSem, "sem"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_MemScope : Tile_I32Enum<"MemScope", "who observes the ordering of an atomic", [
    I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Sys", 2, "sys">]>;
def Tile_MemScopeAttr : Tile_EnumAttr<Tile_MemScope, "scope"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Precision : Tile_I32Enum<"Precision", "how float32 operands of a product are read", [
    I32EnumAttrCase<"Ieee", 0, "ieee">, I32EnumAttrCase<"Tf32", 1, "tf32">, I32EnumAttrCase<"Tf32x3", 2, "tf32x3">,
    I32EnumAttrCase<"Launched", 3, "launched">]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_Precision, "precision">;
def Tile_RandomKind : Tile_I32Enum<"RandomKind", "how random words become numbers", [
    I32EnumAttrCase<"Bits", 0, "bits">, I32EnumAttrCase<"Uniform", 1, "uniform">, I32EnumAttrCase<"Normal", 2, "normal">,
    I32EnumAttrCase<"SharedBits", 3, "shared_bits">, I32EnumAttrCase<"SharedUniform", 4, "shared_uniform">]>;
def Tile_RandomKindAttr : Tile_EnumAttr<Tile_RandomKind, "random">;

#endif // NEREID_TILE_DIALECT_TD
