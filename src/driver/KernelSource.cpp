// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/KernelSource.h"

#include "frontend/triton/Types.h"

using namespace nereid;
using namespace nereid::driver;

KernelSource::KernelSource(Session &session, llvm::StringRef path)
    : session(session), path(path.str()) {
  file = triton::TritonFile::open(path, problems);
  // Diagnostics point into the file: it lives as long as the session.
  if (file)
    session.files.push_back(file);
}

const triton::KernelInfo *KernelSource::find(llvm::StringRef name) const {
  if (!file)
    return nullptr;
  const auto &kernels = file->kernels();
  if (name.empty())
    return kernels.size() == 1 ? &kernels.front() : nullptr;
  for (const triton::KernelInfo &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
KernelSource::import(llvm::StringRef name, llvm::StringRef signature,
                     const std::vector<std::string> &constexprs,
                     const std::map<std::string, std::string> &values) {
  Diagnostics &diagnostics = session.getDiagnostics();
  const triton::KernelInfo *kernel = find(name);
  if (!kernel) {
    for (const Diagnostic &problem : problems.all())
      diagnostics.error(problem.location, problem.message, problem.help);
    if (problems.hasErrors())
      return nullptr;
    std::string known;
    if (file)
      for (const triton::KernelInfo &other : file->kernels())
        known += (known.empty() ? "" : ", ") + other.name;
    std::string help =
        known.empty() ? "the file defines no @triton.jit function" : "its kernels are " + known;
    if (name.empty() && !known.empty())
      diagnostics.error({}, "'" + path + "' defines several kernels",
                        help + "; write " + path + ":NAME");
    else
      diagnostics.error({}, "no kernel '" + name.str() + "' in '" + path + "'", help);
    return nullptr;
  }
  triton::KernelRequest request;
  request.kernel = kernel->name;
  request.values = values;
  auto split = [&](llvm::StringRef text,
                   llvm::StringRef what) -> std::optional<std::pair<std::string, std::string>> {
    auto [key, value] = text.split('=');
    if (!key.trim().empty() && !value.trim().empty())
      return std::pair(key.trim().str(), value.trim().str());
    diagnostics.error({}, what.str() + " '" + text.str() + "' is not NAME=VALUE");
    return std::nullopt;
  };
  llvm::SmallVector<llvm::StringRef> types = triton::splitSignature(signature);
  std::vector<std::string> positional;
  for (const triton::KernelParameter &parameter : kernel->parameters)
    if (!parameter.isConstexpr)
      positional.push_back(parameter.name);
  for (auto [number, type] : llvm::enumerate(types)) {
    if (type.contains('=')) {
      auto pair = split(type, "--signature");
      if (!pair)
        return nullptr;
      request.signature.insert(*pair);
    } else if (number < positional.size()) {
      request.signature[positional[number]] = type.trim().str();
    } else {
      diagnostics.error(kernel->location, "--signature has " + std::to_string(types.size()) +
                                              " types, but '" + kernel->name + "' has " +
                                              std::to_string(positional.size()) +
                                              " arguments that are not constexpr");
      return nullptr;
    }
  }
  for (const std::string &text : constexprs) {
    auto pair = split(text, "--constexpr");
    if (!pair)
      return nullptr;
    request.constexprs.insert(*pair);
  }
  auto module = file->importKernel(session.getContext(), request, diagnostics);
  return mlir::succeeded(module) ? std::move(*module) : nullptr;
}
