// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of `nereid run` as text: random tensors, filled ones, arrays from files, numbers.
//
//   x_ptr=f32[1024]           random, normal (integers: -8 to 8, or below a bound: i64[8]<100)
//   x_ptr=f32[64,32]@(1,64)   the same with strides
//   x_ptr=zeros:f32[1024]     also ones: and full(2.5):
//   x_ptr=data.npy            also data.npz (its array x_ptr), data.npz:KEY; bf16:data.npy for raw
//   bits n=1024  eps=1e-6  flag=True  n=i64:1024  bias_ptr=None
#pragma once

#include "driver/Session.h"
#include "interpreter/Interpreter.h"
#include "support/Npy.h"

#include <optional>
#include <variant>

namespace nereid::driver {

struct RunArgument {
  std::string name;
  /// `*fp32`, `i32`; empty for None, which is folded into the kernel.
  std::string type;
  std::variant<std::monostate, interpreter::Tensor, double, int64_t> value;
};

class RunArgumentReader {
public:
  RunArgumentReader(Session &session, uint64_t seed) : session(session), seed(seed) {}

  /// nullopt after a diagnostic.
  std::optional<RunArgument> read(llvm::StringRef text);

private:
  std::optional<RunArgument> readFile(RunArgument argument, llvm::StringRef text);
  std::optional<RunArgument> readSpec(RunArgument argument, llvm::StringRef fill,
                                      llvm::StringRef text, llvm::StringRef whole);
  std::optional<RunArgument> readTypedNumber(RunArgument argument, llvm::StringRef type,
                                             llvm::StringRef text);
  std::nullopt_t refuse(const llvm::Twine &message, const llvm::Twine &help = "");

  Session &session;
  uint64_t seed;
};

/// The name of an element type in specifications, from its MLIR type.
std::string elementName(mlir::Type type);
/// A tensor's elements in row-major order; bf16 and fp8 as their bits.
NpyArray toNpy(const interpreter::Tensor &tensor);

} // namespace nereid::driver
