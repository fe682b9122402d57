// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/KernelAudit.h"
#include "audit/NameHints.h"
#include "audit/RunRules.h"
#include "audit/Uses.h"

#include "analysis/AccessMemory.h"
#include "sym/SymDialect.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid::audit {

using analysis::Property;
using analysis::Verdict;

/// A kernel is proved under so many launches, at most. Of more, which leave all of it open, a few
/// are searched for faults.
static constexpr unsigned mostLaunches = 64, mostSearched = 16;

SourceRange rangeOfCall(const SourceFile &file, unsigned line, unsigned column) {
  if (line == 0 || line > file.getLineCount())
    return {};
  uint32_t begin = file.getLineStart(line) + std::max(1u, column) - 1;
  StringRef rest = file.getText().drop_front(std::min<size_t>(begin, file.getText().size()));
  rest = rest.take_until([](char c) { return c == '\n'; });
  unsigned open = 0;
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    open += rest[end] == '(';
    if (rest[end] == ')' && --open == 0) {
      ++end;
      break;
    }
  }
  return {begin, begin + uint32_t(std::max<size_t>(end, 1))};
}

SourceLocation locate(mlir::Location location, triton::TritonProject &project) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  const SourceFile *file = place ? project.findFile(place.getFilename().getValue()) : nullptr;
  if (!file || place.getLine() == 0 || place.getLine() > file->getLineCount())
    return {};
  return {file, rangeOfCall(*file, place.getLine(), place.getColumn())};
}

bool KernelAudit::isOver() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
}

static std::string keyOf(const triton::KernelRequest &request) {
  std::string key = std::to_string(request.config);
  for (const auto *map : {&request.signature, &request.constexprs})
    for (const auto &[name, value] : *map)
      key += "|" + name + "=" + value;
  for (const auto &[name, shape] : request.isDevice ? request.tiles : decltype(request.tiles)())
    for (int64_t size : shape)
      key += "|" + name + ":" + std::to_string(size);
  return key;
}

mlir::func::FuncOp KernelAudit::compile(const triton::KernelRequest &request) {
  auto [place, isNew] = compiled.try_emplace(keyOf(request));
  Compiled &entry = place->second;
  if (isNew) {
    triton::Budget budget;
    budget.seconds = seconds;
    auto module = project.import(context, function, request, budget, entry.diagnostics);
    if (succeeded(module))
      entry.module = std::move(*module);
  }
  if (!entry.module) {
    if (!entry.diagnostics.all().empty()) {
      if (!rejection)
        rejection = entry.diagnostics.all().front();
      failure = entry.diagnostics.all().front().message;
      rejectedLaunch = entry.diagnostics.all().front();
    }
    return nullptr;
  }
  return *entry.module->getOps<mlir::func::FuncOp>().begin();
}

mlir::func::FuncOp KernelAudit::compile(const HostLaunch &launch) {
  std::string first;
  rejectedLaunch.reset();
  for (const auto &[place, attempt] : enumerate(attempts)) {
    if (mlir::func::FuncOp kernel = compile(requestFor(function, launch, attempt))) {
      compiledBy = place;
      return kernel;
    }
    if (first.empty())
      first = failure;
    if (isOver())
      break;
  }
  failure = first;
  return nullptr;
}

std::vector<mlir::func::FuncOp> KernelAudit::getKernels() {
  constexpr size_t mostInstances = 6;
  std::vector<mlir::func::FuncOp> kernels;
  for (auto &[key, entry] : compiled)
    if (entry.module && kernels.size() < mostInstances)
      kernels.push_back(*entry.module->getOps<mlir::func::FuncOp>().begin());
  return kernels;
}

/// Puts float16 for the float32 that nothing speaks of; whether a pointer leads to halves then.
static bool narrow(triton::KernelRequest &request, const HostLaunch *launch) {
  auto isKnown = [&](const std::string &name) {
    return launch && any_of(launch->arguments, [&](const HostArgument &argument) {
             return argument.name == name &&
                    (!argument.element.empty() || argument.kind == HostArgument::Known);
           });
  };
  bool hasHalves = false;
  for (auto &[name, type] : request.signature) {
    if (type == "*fp32" && !isKnown(name) && !namesIntegers(name))
      type = "*fp16";
    hasHalves |= type == "*fp16" || type == "*bf16";
  }
  for (auto &[name, value] : request.constexprs)
    if (value == "tl.float32" && !isKnown(name) && !namesSums(name))
      value = "tl.float16";
  return hasHalves;
}

std::vector<mlir::func::FuncOp> KernelAudit::getHalves(const KernelLaunches &launches,
                                                       std::vector<Diagnostic> &rejections) {
  constexpr size_t mostInstances = 4;
  std::vector<mlir::func::FuncOp> kernels;
  std::set<std::string> met;
  auto add = [&](const HostLaunch *launch) {
    const Diagnostic *rejected = nullptr;
    for (const Attempt &attempt : attempts) {
      triton::KernelRequest request =
          launch ? requestFor(function, *launch, attempt) : attempt.request;
      auto known = compiled.find(keyOf(request));
      if (known == compiled.end())
        continue;
      if (!known->second.module) {
        // What the launch itself says is half may be what does not compile.
        if (!rejected && narrow(request, launch) && !known->second.diagnostics.all().empty())
          rejected = &known->second.diagnostics.all().front();
        continue;
      }
      if (!narrow(request, launch) || !met.insert(keyOf(request)).second)
        return;
      mlir::func::FuncOp kernel = compile(request);
      const Compiled &entry = compiled[keyOf(request)];
      if (kernel)
        kernels.push_back(kernel);
      else if (!entry.diagnostics.all().empty())
        rejections.push_back(entry.diagnostics.all().front());
      return;
    }
    if (rejected)
      rejections.push_back(*rejected);
  };
  for (const FoundLaunch &found : launches.launches)
    if (met.size() < mostInstances)
      add(found.launch.get());
  if (launches.launches.empty())
    add(nullptr);
  return kernels;
}

AuditedAccess &KernelAudit::accessOf(const analysis::AccessVerdict &verdict,
                                     mlir::func::FuncOp compiled, AuditedKernel &kernel) {
  auto place = verdict.op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  AuditedAccess access;
  if (place) {
    access.path = place.getFilename().getValue().str();
    access.line = place.getLine();
    access.column = place.getColumn();
  }
  access.operation = verdict.op->getName().stripDialect().str();
  access.argument = tile::getArgumentName(compiled, verdict.argument);
  access.property = verdict.property;
  for (AuditedAccess &known : kernel.accesses)
    if (known.path == access.path && known.line == access.line && known.column == access.column &&
        known.property == access.property && known.operation == access.operation &&
        known.argument == access.argument)
      return known;
  access.verdict = Verdict::Proved;
  kernel.accesses.push_back(std::move(access));
  return kernel.accesses.back();
}

/// Whether the elements of the tensor lie apart at the sizes and strides of the witness, as those
/// of a tensor that is written to are taken to do.
static bool liesApart(const analysis::AccessVerdict &verdict,
                      const analysis::LaunchContract &contract) {
  llvm::DenseMap<index::Expr, int64_t> values;
  for (const auto &[name, value] : verdict.witness->values)
    values[contract.getContext().symbol(name)] = value;
  const analysis::ArgumentContract &tensor = contract.arguments[verdict.argument];
  SmallVector<std::pair<int64_t, int64_t>> axes;
  for (auto [size, stride] : zip_equal(tensor.sizes, tensor.strides)) {
    std::optional<int64_t> extent = index::evaluate(size, values);
    std::optional<int64_t> step = index::evaluate(stride, values);
    if (!extent || !step)
      return false;
    if (*extent > 1)
      axes.push_back({*step, *extent});
  }
  llvm::sort(axes);
  int64_t last = 0;
  for (auto [step, extent] : axes) {
    if (step <= last)
      return false;
    last += (extent - 1) * step;
  }
  return true;
}

/// What a fault hangs on that the wrapper computes in a way that is not understood; empty: nothing.
/// A search that chooses it freely shows nothing.
static std::string opaqueOf(const analysis::Witness &witness) {
  for (StringRef size : witness.sizes)
    if (size.contains('#'))
      return size.split('#').first.str();
  return "";
}

void KernelAudit::join(analysis::AccessVerdict &verdict, const HostContract &contract,
                       const FoundLaunch &found, AuditedKernel &kernel,
                       std::vector<Finding> &findings) {
  auto compiledKernel = verdict.op->getParentOfType<mlir::func::FuncOp>();
  AuditedAccess &access = accessOf(verdict, compiledKernel, kernel);
  if (access.verdict == Verdict::Counterexample)
    return;
  for (const auto *list : {&found.launch->assumptions, &contract.assumptions})
    access.assumptions.insert(list->begin(), list->end());
  if (verdict.verdict == Verdict::Proved)
    return;
  const HostArgument *given = nullptr;
  for (const HostArgument &argument : found.launch->arguments)
    if (argument.name == access.argument)
      given = &argument;
  // What is written to is taken to lie apart.
  bool isOverlapping =
      verdict.verdict == Verdict::Counterexample &&
      (verdict.property == Property::Disjoint || (given && written.contains(given->memory))) &&
      !liesApart(verdict, contract.contract);
  std::string open = verdict.witness ? opaqueOf(*verdict.witness) : "";
  // Around a part there may be memory, but behind the last element of all.
  bool isInside = given && given->isPart &&
                  !(given->endsMemory && verdict.property == Property::InBounds &&
                    verdict.witness && verdict.witness->offset >= 0);
  bool isShown =
      verdict.verdict == Verdict::Counterexample && !isInside && !isOverlapping && open.empty();
  if (!isShown && access.verdict == Verdict::Unknown)
    return;
  access.reason = verdict.reason.empty() ? "no proof was found" : verdict.reason;
  if (given && given->kind != HostArgument::Tensor && given->kind != HostArgument::Default)
    access.reason = "nothing is known of the memory behind '" + given->text + "'";
  if (isOverlapping)
    access.reason = "the elements of '" + access.argument + "' are not known to lie apart";
  if (!open.empty())
    access.reason = "nothing is known of '" + open + "'";
  access.launch = found.launch->wrapper;
  access.verdict = Verdict::Unknown;
  if (!isShown)
    return;
  access.verdict = Verdict::Counterexample;
  std::string why;
  // What is stored outside may well be stored twice.
  bool isOutside = any_of(findings, [&](const Finding &other) {
    return other.rule->id == "TRC001" && other.kernel == kernel.name &&
           other.diagnostic.location.range.begin ==
               locate(verdict.op->getLoc(), project).range.begin;
  });
  if (verdict.property == Property::Disjoint && isOutside) {
    access.witness = verdict.witness->values;
    return;
  }
  Severity severity = judge(verdict, found, compiledKernel, why);
  access.reason = verdict.reason;
  access.witness = verdict.witness->values;
  report(verdict, access, severity, why, found, kernel, findings);
}

void KernelAudit::prove(const FoundLaunch &found, AuditedKernel &kernel,
                        std::vector<Finding> &findings) {
  const HostLaunch &launch = *found.launch;
  if (!seen.insert(keyOf(launch)).second)
    return;
  ++kernel.launches;
  kernel.wrappers.insert(launch.wrapper);
  mlir::func::FuncOp compiledKernel = launch.refusal.empty() ? compile(launch) : nullptr;
  auto giveUp = [&](const std::string &why) {
    for (AuditedAccess &access : kernel.accesses)
      if (access.verdict == Verdict::Proved) {
        access.verdict = Verdict::Unknown;
        access.reason = why;
      }
    if (failure.empty())
      failure = why;
    if (gap.empty())
      gap = why;
  };
  if (!launch.refusal.empty()) {
    reportRefusal(found, kernel, findings);
    return giveUp("Triton refuses the launch by " + launch.wrapper + ": " + launch.refusal);
  }
  if (!compiledKernel)
    findTile(found, kernel, findings);
  // A combination of options that Triton rejects too is never run.
  bool isRejected = !compiledKernel && StringRef(failure).contains("found None");
  if (isRejected)
    return;
  if (!compiledKernel)
    return giveUp("the kernel does not compile as " + launch.wrapper + " launches it: " + failure);
  kernel.compiled = true;
  HostContract plain = contractFor(compiledKernel, launch, false);
  if (!plain.problem.empty())
    return giveUp(plain.problem);
  if (plain.isImpossible && isNeverReached(launch, plain.contract.getContext()))
    return;
  if (plain.isImpossible)
    return giveUp("what " + launch.wrapper +
                  " asks of its numbers holds for none of the widths that are taken for granted");
  analysis::AccessMemory memory;
  std::vector<analysis::AccessVerdict> verdicts =
      analysis::proveAccesses(compiledKernel, plain.contract, &memory, analysis::Apart::All);
  HostContract bounded = contractFor(compiledKernel, launch, true);
  std::vector<analysis::AccessVerdict> others;
  bool isOpen = any_of(verdicts, [](const auto &v) { return v.verdict != Verdict::Proved; });
  // What a long proof leaves open stays so, where the time is spent.
  if (isOpen && !bounded.isImpossible && !isOver())
    others =
        analysis::proveAccesses(compiledKernel, bounded.contract, &memory, analysis::Apart::All);
  written.clear();
  for (const analysis::AccessVerdict &verdict : verdicts)
    if (!isa<tile::LoadOp>(verdict.op) && verdict.argument < plain.contract.arguments.size())
      if (const void *memory = plain.contract.arguments[verdict.argument].memory)
        written.insert(memory);
  for (auto [index, verdict] : enumerate(verdicts)) {
    bool isBounded = verdict.verdict != Verdict::Proved && index < others.size();
    join(isBounded ? others[index] : verdict, isBounded ? bounded : plain, found, kernel, findings);
  }
  if (!isOver())
    findByRun(compiledKernel, found, verdicts);
}

/// What the sizes are is part of such an instance: no rule looks at it.
mlir::OwningOpRef<mlir::ModuleOp> KernelAudit::compileAt(const HostLaunch &launch,
                                                         const LaunchRun::Numbers &numbers) {
  triton::KernelRequest request = requestFor(function, launch, attempts[compiledBy]);
  for (const auto &[name, number] : numbers)
    request.constexprs[name] = std::to_string(number);
  triton::Budget budget;
  budget.seconds = seconds;
  Diagnostics ignored;
  auto module = project.import(context, function, request, budget, ignored);
  return succeeded(module) ? std::move(*module) : mlir::OwningOpRef<mlir::ModuleOp>();
}

/// Whether the kernel, compiled at the constants of the counterexample, runs there without a fault:
/// it was another one at the constants that it was compiled for.
bool KernelAudit::isRefuted(const analysis::AccessVerdict &verdict, const HostLaunch &launch,
                            mlir::func::FuncOp compiled) {
  bool hasConstants = any_of(launch.arguments, [&](const HostArgument &given) {
    return given.kind == HostArgument::Number && isConstexpr(function, given.name);
  });
  if (!hasConstants || verdict.property != Property::InBounds)
    return false;
  LaunchRun run(compiled, launch,
                [&](const LaunchRun::Numbers &numbers) { return compileAt(launch, numbers); });
  if (!run.adopt(verdict.witness->values))
    return false;
  std::optional<interpreter::KernelRun> result = run.run({}, /*checked=*/false);
  return result && result->succeeded();
}

void KernelAudit::findByRun(mlir::func::FuncOp compiled, const FoundLaunch &found,
                            ArrayRef<analysis::AccessVerdict> accesses) {
  constexpr unsigned mostRuns = 2;
  if (isOver() || runs++ >= mostRuns)
    return;
  auto compileThere = [&](const LaunchRun::Numbers &numbers) {
    return compileAt(*found.launch, numbers);
  };
  findByRuns(compiled, accesses, found, compileThere, *site);
}

void KernelAudit::run(const KernelLaunches &launches, AuditedKernel &kernel,
                      std::vector<Finding> &findings) {
  std::string missing = launches.problem;
  site.emplace(project, function, kernel.name, findings);
  std::set<std::string> different;
  for (const FoundLaunch &found : launches.launches)
    different.insert(keyOf(*found.launch));
  unsigned most = different.size() > mostLaunches ? mostSearched : mostLaunches;
  // Launches by those who may be called by anybody first: what they admit is worse.
  for (bool isPublic : {true, false})
    for (const FoundLaunch &found : launches.launches) {
      if (found.isPublic != isPublic)
        continue;
      if (isOver() || kernel.launches >= most) {
        missing = isOver()
                      ? "the time for this kernel was spent"
                      : "it is launched in more than " + std::to_string(mostLaunches) + " ways";
        break;
      }
      prove(found, kernel, findings);
    }
  if (launches.launches.empty() && missing.empty())
    missing = "no launch was found";
  if (missing.empty())
    missing = gap;
  if (missing.empty())
    return;
  for (AuditedAccess &access : kernel.accesses)
    if (access.verdict == Verdict::Proved) {
      access.verdict = Verdict::Unknown;
      access.reason = missing;
    }
  if (kernel.accesses.empty())
    for (const Attempt &attempt : attempts)
      if (mlir::func::FuncOp compiledKernel = compile(attempt.request)) {
        kernel.compiled = true;
        compiledKernel.walk([&](mlir::Operation *op) {
          if (!isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
            return;
          analysis::AccessVerdict verdict;
          verdict.op = op;
          AuditedAccess &access = accessOf(verdict, compiledKernel, kernel);
          access.argument.clear();
          access.verdict = Verdict::Unknown;
          access.reason = failure.empty() || launches.launches.empty() ? missing : failure;
        });
        return;
      }
}

} // namespace nereid::audit
