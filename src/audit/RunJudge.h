// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch that is run at ordinary shapes, and what its rules look for there. RunRules.h is what
// others include.
#pragma once

#include "audit/Dependence.h"
#include "audit/LaunchRun.h"
#include "audit/RunRules.h"

#include "analysis/Access.h"

namespace nereid::audit {

class RunRules {
public:
  RunRules(mlir::func::FuncOp kernel, llvm::ArrayRef<analysis::AccessVerdict> accesses,
           const FoundLaunch &found, RuleSite &site)
      : kernel(kernel), verdicts(accesses), found(found), launch(*found.launch), site(site),
        hangs(kernel) {
    for (const analysis::AccessVerdict &access : accesses)
      if (access.property == analysis::Property::InBounds)
        this->accesses[access.argument].push_back(access.op);
  }

  void run(const LaunchRun::CompileAt &compileAt);

private:
  /// All that the kernel does with one argument.
  struct Use {
    const HostArgument *given;
    unsigned argument;
    llvm::SmallVector<mlir::Operation *> loads, stores, atomics;
    bool isOfKnownShape = false;
  };
  Use useOf(const HostArgument &given, unsigned argument) const;
  void prepare(const LaunchRun &run);
  void prepareReads(const LaunchRun &run);
  bool findReads(const Use &use);
  void findSkipped(const Use &use);
  bool mayHaveHoles(const Use &use) const;
  bool storesOnce() const;
  void judgePlaces(const LaunchRun &run, const interpreter::KernelRun &result);
  void judgeRaces(LaunchRun &run, const interpreter::KernelRun &result);
  void judgeReadRaces(LaunchRun &run);
  void judgeRead(LaunchRun &run, const interpreter::Finding &finding,
                 const analysis::AccessVerdict &load);
  const void *memoryOf(unsigned argument) const;
  void judgeLanes(const LaunchRun &run, const interpreter::KernelRun &result);
  bool hangsOnOrder(LaunchRun &run, unsigned argument);
  void runShapes(LaunchRun &run);
  void findUnread(LaunchRun &run);
  bool isToldOf() const;
  llvm::SmallVector<Use> readWhole(const LaunchRun &run);
  void judgeHoles(const LaunchRun &run, const interpreter::KernelRun &result);
  void judgeReads(LaunchRun &run, const interpreter::KernelRun &result);
  bool hangsOnMemory(mlir::Operation *op) const;
  void tell(llvm::StringRef rule, Certainty certainty, mlir::Operation *op, const Use &use,
            std::string message, std::string help);

  mlir::func::FuncOp kernel;
  llvm::ArrayRef<analysis::AccessVerdict> verdicts;
  const FoundLaunch &found;
  const HostLaunch &launch;
  RuleSite &site;
  Dependence hangs;
  std::map<unsigned, llvm::SmallVector<mlir::Operation *>> accesses;
  /// The arguments that nothing was stored to.
  llvm::SmallVector<Use> uses;
  llvm::SmallVector<unsigned> blank;
  /// Runs may tell something of these.
  bool isWanted = false;
  /// Accesses of which nothing is known, by their places.
  llvm::DenseMap<mlir::Location, const analysis::AccessVerdict *> open;
  /// Stores of which it is not known whether programs keep apart.
  llvm::DenseMap<mlir::Location, const analysis::AccessVerdict *> shared;
  /// Loads of which it is not known whether other programs store to what they use.
  llvm::DenseMap<mlir::Location, const analysis::AccessVerdict *> beside;
  /// Stores whose lanes may have one place.
  llvm::DenseMap<mlir::Location, const analysis::AccessVerdict *> meeting;
};

/// `x.shape[0] = 70, x.shape[1] = 70`.
std::string spell(const std::vector<std::pair<std::string, int64_t>> &sizes);

} // namespace nereid::audit
