// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Triton kernel named on the command line: SRC.py:KERNEL with a signature and constexprs as text.
#pragma once

#include "driver/Session.h"
#include "frontend/triton/TritonFrontend.h"

namespace nereid::driver {

class KernelSource {
public:
  /// Reads the file; problems are kept back until a kernel is asked for.
  KernelSource(Session &session, llvm::StringRef path);

  bool isKernel(llvm::StringRef name) const { return find(name) != nullptr; }
  /// The kernel of that name; the only one when the name is empty; else null.
  const triton::KernelInfo *find(llvm::StringRef name) const;

  /// Types `NAME=TYPE` or in the order of the parameters; constexprs `NAME=VALUE`. Null after
  /// diagnostics. The values of arguments of a known launch are what heuristics ask for.
  mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef name, llvm::StringRef signature,
                                           const std::vector<std::string> &constexprs,
                                           const std::map<std::string, std::string> &values = {});

private:
  Session &session;
  std::string path;
  Diagnostics problems;
  std::shared_ptr<triton::TritonFile> file;
};

} // namespace nereid::driver
