// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a source tree launch kernels, and who calls them: a helper that the tree calls
// is launched as its callers call it.
#pragma once

#include "audit/Exports.h"
#include "audit/HostMachine.h"

namespace nereid::audit {

/// A launch, and whether anybody may call the function that it comes from.
struct FoundLaunch {
  HostLaunch launch;
  bool isPublic = true;
};

/// What is known of one kernel's launches.
struct KernelLaunches {
  std::vector<FoundLaunch> launches;
  /// Why launches may be missing; empty when none are.
  std::string problem;
};

class Wrappers {
public:
  Wrappers(triton::TritonProject &project, index::Context &context)
      : project(project), host(project, context) {}

  /// All files first; `kernels`: the definitions that are no wrappers.
  void addFile(const python::ParsedFile &file,
               const llvm::DenseSet<const python::FunctionDef *> &kernels);
  /// Evaluates all wrappers.
  void run();
  const KernelLaunches &of(const triton::JitFunction *kernel) { return found[kernel]; }

private:
  struct Function {
    const python::ParsedFile *file;
    const python::FunctionDef *def;
    bool launches = false;
    llvm::StringSet<> calls;
    /// Of the class that it is a method of, if there is one.
    const python::FunctionDef *forward = nullptr;
    /// The kernels that the text launches.
    llvm::StringSet<> kernels;
  };
  void visit(const python::Node &node, const python::ParsedFile &file, Function *function,
             const llvm::DenseSet<const python::FunctionDef *> &kernels);
  std::vector<const Function *> callersOf(const Function &function) const;
  bool isOffered(const Function &function);
  bool explore(const Function &function, bool isPublic, const Function &launcher);

  triton::TritonProject &project;
  HostMachine host;
  Exports exports;
  std::deque<Function> functions;
  /// The method `forward` of the class that is being visited.
  const python::FunctionDef *forward = nullptr;
  std::set<std::pair<const python::ParsedFile *, std::string>> defined;
  llvm::DenseMap<const triton::JitFunction *, KernelLaunches> found;
  llvm::DenseMap<const python::FunctionDef *, Exploration> explored;
};

} // namespace nereid::audit
