// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: pointers, loads, stores and atomics.
#ifndef NEREID_TILE_MEMORY_OPS_TD
#define NEREID_TILE_MEMORY_OPS_TD

include "tile/TileBase.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves pointers by whole elements";
  let description = [{
    `result = ptr + offset * sizeof(pointee)`, the offset sign-extended to 64 bits.
    Constraints: c1: pointer and offset are both scalars or tiles of one shape.
    Example: `%0 = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>`
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads memory";
  let description = [{
    `result = mask ? *ptr : other`. A masked-off lane without `other` is poison: it reads 0 in a normal run and is
    reported by the checked interpreter when it is used.
    Constraints: c1: the result is the pointee, as a signless type, in the shape of `ptr`; c2: `mask` has that shape;
    c3: `other` has the result's type and needs a `mask`.
    Example: `%0 = tile.load %p mask %m : tensor<64xi1> other %z : tensor<64xf32> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>`
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_Any>:$other,
                       DefaultValuedStrAttr<StrAttr, "">:$cacheModifier,
                       DefaultValuedStrAttr<StrAttr, "">:$evictionPolicy, UnitAttr:$isVolatile);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$ptr (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes memory";
  let description = [{
    `if mask: *ptr = value`.
    Constraints: c1: `value` is the pointee, as a signless type, in the shape of `ptr`; c2: `mask` has that shape.
    Example: `tile.store %p, %v mask %m : tensor<64xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>`
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Any:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedStrAttr<StrAttr, "">:$cacheModifier,
                       DefaultValuedStrAttr<StrAttr, "">:$evictionPolicy);
  let assemblyFormat = "$ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads, combines and writes memory as one step";
  let description = [{
    `result = *ptr; *ptr = kind(*ptr, value)` where `mask` holds. Lanes are applied in increasing order.
    Constraints: c1: `value` and the result are the pointee, signless, in the shape of `ptr`; c2: `mask` has that
    shape; c3: the kind fits the element type.
    Example: `%0 = tile.atomic_rmw add %p, %v mask %m : i1 : !tile.ptr<i32>, i32 -> i32`
  }];
  let arguments = (ins Tile_RmwKindAttr:$kind, Tile_PtrLike:$ptr, Tile_Any:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_MemSemAttr, "::nereid::tile::MemSem::AcqRel">:$sem,
                       DefaultValuedAttr<Tile_MemScopeAttr, "::nereid::tile::MemScope::Gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$kind $ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `,` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [AllTypesMatch<["expected", "value"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "writes memory if it holds an expected value";
  let description = [{
    `result = *ptr; if result == expected: *ptr = value`, as one step.
    Constraints: c1: `expected`, `value` and the result are the pointee, signless, in the shape of `ptr`.
    Example: `%0 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>, i32 -> i32`
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Any:$expected, Tile_Any:$value,
                       DefaultValuedAttr<Tile_MemSemAttr, "::nereid::tile::MemSem::AcqRel">:$sem,
                       DefaultValuedAttr<Tile_MemScopeAttr, "::nereid::tile::MemScope::Gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$ptr `,` $expected `,` $value attr-dict `:` type($ptr) `,` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "the address as a 64-bit integer";
  let description = [{
    `result = address(ptr)` in bytes.
    Constraints: c1: the result is i64 in the shape of `ptr`.
    Example: `%0 = tile.ptr_to_int %p : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>`
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "a 64-bit integer as an address";
  let description = [{
    `address(result) = value` in bytes.
    Constraints: c1: `value` is i64 in the shape of the result.
    Example: `%0 = tile.int_to_ptr %i : i64 -> !tile.ptr<f16>`
  }];
  let arguments = (ins Tile_IntLike:$value);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "a pointer to other elements at the same address";
  let description = [{
    `address(result) = address(ptr)`; only the pointee changes.
    Constraints: c1: operand and result have one shape.
    Example: `%0 = tile.ptr_cast %p : !tile.ptr<f16> -> !tile.ptr<i16>`
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NEREID_TILE_MEMORY_OPS_TD
