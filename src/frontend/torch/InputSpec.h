// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user says about a program's inputs (`--inputs`): `x=f32[4096,1024],w=bf16[N]`. A size is
// a number (a size symbol of its own with that hint; 1 is the constant 1) or an expression of
// names. Independent of the machine: the command line and the validator read it too.
//
//   item   := NAME '=' value
//   value  := DTYPE '[' sizes ']' ['@(' strides ')'] ['<' NUMBER] | DTYPE | literal
//           | '(' value, ... ')' | '{' key ':' value, ... '}' | CLASS '(' field '=' value, ... ')'
#pragma once

#include "frontend/torch/DType.h"
#include "support/Diagnostic.h"

#include <string>
#include <vector>

namespace nereid::torch {

struct InputSpec {
  enum Kind : uint8_t {
    Tensor,
    Scalar, // a runtime number: `alpha=f64`
    Bool,
    Integer,
    Float,
    String,
    Type, // `torch.float16`, in `dtype`
    None,
    Tuple,  // items, their keys empty
    Dict,   // items, their keys given
    Record, // a dataclass or named tuple: its class in `text`, items by their fields
  };
  Kind kind = None;
  std::string key;   // the argument's name, or the key in a dict
  SourceRange range; // in the text of the specification
  DType dtype = DType::F32;
  bool isComplex = false;           // Tensor: `dtype` is that of its parts
  std::vector<std::string> sizes;   // `4096`, `N`, `2*N`
  std::vector<std::string> strides; // for tests; empty: contiguous
  std::optional<int64_t> below;     // integers drawn for it are less than this
  double number = 0;                // Float
  int64_t integer = 0;              // Bool, Integer
  std::string text;                 // String, Record
  std::vector<InputSpec> items;     // Tuple, Dict, Record
  bool isList = false;              // Tuple: in brackets
};

/// The arguments of a specification in order; nullopt after an error, whose place lies in a source
/// file named `--inputs` that the caller keeps alive.
std::optional<std::vector<InputSpec>> parseInputSpec(const SourceFile &text,
                                                     Diagnostics &diagnostics);

} // namespace nereid::torch
