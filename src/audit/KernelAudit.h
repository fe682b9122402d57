// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel under all launches of it: compiled for each, its accesses proved, the verdicts joined.
#pragma once

#include "audit/Audit.h"
#include "audit/Contracts.h"
#include "audit/LaunchRun.h"
#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/IR/MLIRContext.h"

namespace nereid::audit {

struct CallerSizes;

class KernelAudit {
public:
  KernelAudit(triton::TritonProject &project, mlir::MLIRContext &context,
              triton::JitFunction &function, std::vector<Attempt> attempts, double seconds)
      : project(project), context(context), function(function), attempts(std::move(attempts)),
        seconds(seconds) {}

  /// Joins the verdicts of all launches in `kernel`; counterexamples become findings.
  void run(const KernelLaunches &launches, AuditedKernel &kernel, std::vector<Finding> &findings);
  /// Why it does not compile as the guess was; null when it does.
  const Diagnostic *getRejection() const { return rejection ? &*rejection : nullptr; }
  /// The kernel as launches have it, for rules that look at it: a few instances at most.
  std::vector<mlir::func::FuncOp> getKernels();
  /// The kernel with float16 wherever it was taken to be given float32 and nothing says so: a few
  /// instances at most. Why others do not compile so goes to `rejections`.
  std::vector<mlir::func::FuncOp> getHalves(const KernelLaunches &launches,
                                            std::vector<Diagnostic> &rejections);

private:
  struct Compiled {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    Diagnostics diagnostics;
  };
  mlir::func::FuncOp compile(const HostLaunch &launch);
  mlir::func::FuncOp compile(const triton::KernelRequest &request);
  void prove(const FoundLaunch &found, AuditedKernel &kernel, std::vector<Finding> &findings);
  void join(analysis::AccessVerdict &verdict, const HostContract &contract,
            const FoundLaunch &found, AuditedKernel &kernel, std::vector<Finding> &findings);
  AuditedAccess &accessOf(const analysis::AccessVerdict &verdict, mlir::func::FuncOp compiled,
                          AuditedKernel &kernel);
  Severity judge(analysis::AccessVerdict &verdict, const FoundLaunch &found,
                 mlir::func::FuncOp compiled, std::string &why);
  std::optional<analysis::AccessVerdict> wrongUnder(const analysis::AccessVerdict &verdict,
                                                    const HostLaunch &launch,
                                                    llvm::ArrayRef<index::Pred> more,
                                                    mlir::func::FuncOp compiled);
  std::optional<analysis::AccessVerdict> wrongForLong(const analysis::AccessVerdict &verdict,
                                                      const HostLaunch &launch,
                                                      const CallerSizes &sizes,
                                                      llvm::ArrayRef<index::Pred> fitting,
                                                      mlir::func::FuncOp compiled);
  void report(const analysis::AccessVerdict &verdict, const AuditedAccess &access,
              Severity severity, const std::string &why, const FoundLaunch &found,
              AuditedKernel &kernel, std::vector<Finding> &findings);
  void findByRun(mlir::func::FuncOp compiled, const FoundLaunch &found,
                 llvm::ArrayRef<analysis::AccessVerdict> accesses);
  mlir::OwningOpRef<mlir::ModuleOp> compileAt(const HostLaunch &launch,
                                              const LaunchRun::Numbers &numbers);
  bool isRefuted(const analysis::AccessVerdict &verdict, const HostLaunch &launch,
                 mlir::func::FuncOp compiled);
  void reportRefusal(const FoundLaunch &found, const AuditedKernel &kernel,
                     std::vector<Finding> &findings);
  void findTile(const FoundLaunch &found, const AuditedKernel &kernel,
                std::vector<Finding> &findings);
  bool isOver() const;

  triton::TritonProject &project;
  mlir::MLIRContext &context;
  triton::JitFunction &function;
  std::vector<Attempt> attempts;
  /// The one that the last launch compiled with.
  size_t compiledBy = 0;
  double seconds;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::map<std::string, Compiled> compiled;
  std::set<std::string> seen;
  /// How many launches were run to see what they leave out.
  unsigned runs = 0;
  std::optional<RuleSite> site;
  /// The memories that the kernel writes to under the launch at hand.
  llvm::DenseSet<const void *> written;
  /// The last failure to compile for a launch.
  std::string failure;
  std::optional<Diagnostic> rejectedLaunch;
  /// Why one of the launches says nothing; empty when all say something.
  std::string gap;
  std::optional<Diagnostic> rejection;
};

/// A place in a file that the project has read; no place for others.
SourceLocation locate(mlir::Location location, triton::TritonProject &project);

} // namespace nereid::audit
