// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a source tree launch kernels, and who calls them: a helper that the tree calls
// is launched as its callers call it.
//
// What the paths through wrappers make stays in the machine that follows them. Where it is much,
// the tree is read again and the next wrappers are followed there.
#pragma once

#include "audit/Exports.h"
#include "audit/HostMachine.h"

namespace nereid::audit {

/// A launch, and whether anybody may call the function that it comes from.
struct FoundLaunch {
  std::shared_ptr<const HostLaunch> launch;
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
  /// Ends a project that has grown, and makes another one that knows the same definitions.
  using Renew = std::function<triton::TritonProject &()>;

  /// `room`: bytes that a project may grow by. `renew`: null where that cannot be.
  Wrappers(triton::TritonProject &project, index::Context &context, uint64_t room, Renew renew)
      : context(context), room(room), renew(std::move(renew)) {
    use(project);
  }

  /// All files first; `kernels`: the definitions that are no wrappers.
  void addFile(const python::ParsedFile &file,
               const llvm::DenseSet<const python::FunctionDef *> &kernels);
  /// Evaluates those that launch kernels of these names, or what has no name.
  void run(const llvm::StringSet<> &wanted);
  /// Renews the project where it has grown.
  void makeRoom();
  const KernelLaunches &of(const triton::JitFunction *kernel) { return found[kernel->def]; }

private:
  struct Function {
    const python::ParsedFile *file;
    const python::FunctionDef *def;
    /// The class that it is a method of.
    const python::ClassDef *owner = nullptr;
    /// The functions around it, the outermost first.
    std::vector<const python::FunctionDef *> around;
    bool launches = false, hasGrid = false;
    llvm::StringSet<> calls;
    /// The classes of autograd that it applies, and whether it looks at anything first.
    llvm::StringSet<> applies;
    bool checks = false;
    /// Of the class that it is a method of, if there is one.
    const python::FunctionDef *forward = nullptr;
    /// What the text puts a subscript behind.
    llvm::StringSet<> subscripted;
    /// The kernels that the text launches, and whether it launches something else too: a parameter,
    /// an item of a table, another name for a kernel.
    llvm::StringSet<> kernels;
    bool launchesOthers = false;
  };
  void visit(const python::Node &node, const python::ParsedFile &file, Function *function,
             const llvm::DenseSet<const python::FunctionDef *> &kernels);
  void use(triton::TritonProject &other);
  void tellKernels();
  bool names(const Function &function, const triton::JitFunction &kernel) const;
  std::vector<const Function *> callersOf(const Function &function) const;
  std::vector<const Function *> appliersOf(const Function &function) const;
  bool isOffered(const Function &function);
  bool isReached(const Function &function);
  bool explore(const Function &function, bool isPublic, const Function &launcher);

  index::Context &context;
  uint64_t room;
  Renew renew;
  triton::TritonProject *project = nullptr;
  std::optional<HostMachine> host;
  /// What the project took when it was new.
  uint64_t takenAtFirst = 0;
  Exports exports;
  std::deque<Function> functions;
  /// The class that is being visited, its method `forward`, and the functions around it.
  const python::ClassDef *owner = nullptr;
  const python::FunctionDef *forward = nullptr;
  std::vector<const python::FunctionDef *> around;
  std::set<std::pair<const python::ParsedFile *, std::string>> defined;
  std::set<std::pair<const python::ParsedFile *, std::string>> kernelsOf;
  /// Kernels that some function launches by name.
  llvm::StringSet<> named;
  /// By the definitions of the kernels.
  llvm::DenseMap<const python::FunctionDef *, KernelLaunches> found;
  llvm::DenseMap<const python::FunctionDef *, Exploration> explored;
};

} // namespace nereid::audit
