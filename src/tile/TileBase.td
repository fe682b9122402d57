// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operator families of the tile dialect share: type predicates and the base class.
#ifndef NEREID_TILE_BASE_TD
#define NEREID_TILE_BASE_TD

include "tile/TileDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// A signed number (the accessor of a plain I32Attr is unsigned).
def Tile_IntAttr : SignlessIntegerAttrBase<I32, "32-bit integer attribute"> {
  let returnType = "int32_t";
  let convertFromStorage = "static_cast<int32_t>($_self.getValue().getSExtValue())";
}

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

def Tile_Ptr : Type<CPred<"::llvm::isa<::nereid::tile::PtrType>($_self)">, "pointer">;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_Ptr], "number or pointer">;
/// A tile: a ranked tensor of static shape.
def Tile_Tile : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">, "tile", "::mlir::RankedTensorType">;
class Tile_TileOf<string element, string what> : Type<And<[Tile_Tile.predicate,
    CPred<"[](::mlir::Type type) { return " # element # "; }("
          "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>, "tile of " # what,
    "::mlir::RankedTensorType">;
def Tile_PtrTile : Tile_TileOf<"::llvm::isa<::nereid::tile::PtrType>(type)", "pointers">;
def Tile_IntTile : Tile_TileOf<"type.isSignlessInteger()", "integers">;
def Tile_BoolTile : Tile_TileOf<"type.isInteger(1)", "i1">;
def Tile_FloatTile : Tile_TileOf<"::llvm::isa<::mlir::FloatType>(type)", "floats">;

def Tile_Any : AnyTypeOf<[Tile_Scalar, Tile_Tile], "scalar or tile">;
def Tile_PtrLike : AnyTypeOf<[Tile_Ptr, Tile_PtrTile], "pointer or tile of pointers">;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, Tile_IntTile], "integer or tile of integers">;
def Tile_BoolLike : AnyTypeOf<[I1, Tile_BoolTile], "i1 or tile of i1">;
def Tile_FloatLike : AnyTypeOf<[AnyFloat, Tile_FloatTile], "float or tile of floats">;

#endif // NEREID_TILE_BASE_TD
