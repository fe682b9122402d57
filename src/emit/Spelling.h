// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How types and numbers are spelt in Triton and in PyTorch.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace nereid::emit {

/// `tl.float32`; `tl.pointer_type(tl.float32)` for pointers; empty for a type that Triton lacks.
std::string getTritonDtype(mlir::Type element, bool isUnsigned = false);
/// `torch.float32`, with the sign of the type; empty for a type that PyTorch lacks.
std::string getTorchDtype(mlir::Type element);

/// `0.1`, `1e-06`, `float("-inf")`: the shortest text that reads back as this number.
std::string spellFloat(const llvm::APFloat &value);
/// `True`, `False` for i1, else a signed number.
std::string spellInteger(const llvm::APInt &value);
/// A number, text, `None` (UnitAttr) or the name of a dtype (FlatSymbolRefAttr).
std::string spellConstant(mlir::Attribute constant);
/// Of an IntegerAttr or FloatAttr.
std::string spellNumber(mlir::Attribute number);

/// Whether a Python number of this value means the same in float32.
bool isExactInFloat32(const llvm::APFloat &value);

/// Whether a number is what `tl.zeros` fills a tile with.
bool isPositiveZero(mlir::Attribute number);

} // namespace nereid::emit
