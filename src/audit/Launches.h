// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the launches in host code, `kernel[grid](x, n, BLOCK=128)`, tell of a kernel's arguments: by
// the text of the function around them, which is not executed.
#pragma once

#include "audit/Uses.h"

namespace nereid::audit {

struct LaunchArgument {
  enum Kind : uint8_t {
    Unknown,
    Pointer,    // `text`: what it points at, or empty
    Integer,    //
    Float,      //
    Boolean,    //
    Constant,   // `text`: its value as Python text
    PowerOfTwo, // of something that is not known
    Dtype,      // `text`: `float16`
    Descriptor, // `text`: the shape of its blocks over the constants of the launch, or empty
    Tuple,      // `items`: what is in it; none where that is not known
  };
  Kind kind = Unknown;
  std::string text;
  /// Of a descriptor: that shape as the host writes it.
  const python::Expr *block = nullptr;
  std::vector<LaunchArgument> items = {};
  /// The names of the items of a named tuple.
  std::vector<std::string> names = {};
};

struct Launch {
  SourceLocation place;
  llvm::StringMap<LaunchArgument> arguments;
};

class Launches {
public:
  explicit Launches(triton::TritonProject &project) : project(project) {}

  /// Reads the launches in a file, whose jit functions are given (those in functions have no name
  /// that the file knows).
  void read(const python::ParsedFile &file, llvm::ArrayRef<triton::JitFunction *> own);
  llvm::ArrayRef<Launch> of(const triton::JitFunction *function) const;

private:
  triton::TritonProject &project;
  llvm::DenseMap<const triton::JitFunction *, std::vector<Launch>> launches;
};

/// The signature's name of what PyTorch and Triton call `name`: `fp16` for `float16` or `half`;
/// empty for others.
llvm::StringRef getElementType(llvm::StringRef name);

} // namespace nereid::audit
