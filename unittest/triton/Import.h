// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports a kernel from a text and gives its IR as text, or its errors.
#pragma once

#include "frontend/triton/TritonFrontend.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace nereid::triton {

inline std::unique_ptr<TritonFile> readKernels(const std::string &body) {
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceFile>(
      "kernels.py", "import triton\nimport triton.language as tl\n" + body);
  auto file = TritonFile::read(source, diagnostics);
  if (!file->isReadable())
    diagnostics.print(llvm::errs(), false);
  return file;
}

struct Imported {
  std::string ir;     // empty: failed
  std::string errors; // as printed
  std::vector<std::string> printed;

  bool has(llvm::StringRef text) const { return llvm::StringRef(ir).contains(text); }
  bool fails(llvm::StringRef text) const {
    return ir.empty() && llvm::StringRef(errors).contains(text);
  }
};

inline Imported import(TritonFile &file, const KernelRequest &request) {
  mlir::MLIRContext context;
  Diagnostics diagnostics;
  Imported result;
  auto module = file.importKernel(context, request, diagnostics);
  if (succeeded(module)) {
    llvm::raw_string_ostream os(result.ir);
    (*module)->print(os);
  }
  llvm::raw_string_ostream os(result.errors);
  diagnostics.print(os, false);
  result.printed = file.takePrinted();
  return result;
}

/// One kernel `k(x, y, n, BLOCK: tl.constexpr)` of this body.
inline Imported importBody(const std::string &body, const std::string &block = "64") {
  std::string text = "@triton.jit\ndef k(x, y, n, BLOCK: tl.constexpr):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  auto file = readKernels(text);
  return import(*file, {"k", {{"x", "*fp32"}, {"y", "*fp32"}, {"n", "i32"}}, {{"BLOCK", block}}});
}

} // namespace nereid::triton
