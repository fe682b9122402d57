// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What expressions of host code stand for, judged by their text: a tensor, a number, a constant.
#pragma once

#include "audit/Launches.h"

namespace nereid::audit {

/// The names of one function of host code, or of the top level of its file.
class HostValues {
public:
  HostValues(triton::TritonProject &project, const python::ParsedFile &file,
             const python::FunctionDef *function);

  LaunchArgument classify(const python::Expr &expr, unsigned depth = 0);
  /// The one expression that a local name is assigned; null when there are none or several.
  const python::Expr *getDefinition(llvm::StringRef name) const;

private:
  void collect(const python::Node &node);
  LaunchArgument classifyName(llvm::StringRef name, unsigned depth);
  LaunchArgument classifyNamed(const python::Call &call, unsigned depth);
  LaunchArgument classifyCall(const python::Call &call, unsigned depth);
  LaunchArgument classifyMethod(const python::Call &call, const python::Attribute &callee,
                                unsigned depth);
  LaunchArgument classifyParameter(const python::Arg &arg, const python::Expr *fallback,
                                   unsigned depth);
  LaunchArgument evaluate(const python::Expr &expr);
  bool isGlobal(const python::Node &node) const;

  triton::TritonProject &project;
  const python::ParsedFile &file;
  const python::FunctionDef *function;
  llvm::StringMap<std::vector<const python::Expr *>> definitions;
};

} // namespace nereid::audit
