// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/SharedForward.h"

#include "host/Needs.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

class SharedForwards {
public:
  SharedForwards(llvm::MutableArrayRef<ScheduledProgram> programs, const Device &device);

  void run();

private:
  bool decide(ScheduledProgram &saving);
  bool pays(const ScheduledProgram &plain, const ScheduledProgram &saving) const;
  int64_t countLeftOut(const ScheduledProgram &saving, const host::Needs &needs) const;
  bool isLeftOut(mlir::Value result, const host::Needs &needs, bool &isMadeHere) const;
  void replace(ScheduledProgram &plain, ScheduledProgram &saving);

  llvm::MutableArrayRef<ScheduledProgram> programs;
  const Device &device;
  /// By the name of the one that saves.
  llvm::StringMap<ScheduledProgram *> plains, savings;
  llvm::StringMap<bool> decided;
};

} // namespace

SharedForwards::SharedForwards(llvm::MutableArrayRef<ScheduledProgram> programs,
                               const Device &device)
    : programs(programs), device(device) {
  llvm::StringMap<ScheduledProgram *> all;
  for (ScheduledProgram &program : programs)
    all[program.func.getName()] = &program;
  for (ScheduledProgram &program : programs)
    if (auto name = program.func->getAttrOfType<FlatSymbolRefAttr>("host.saving"))
      if (ScheduledProgram *saving = all.lookup(name.getValue())) {
        plains[name.getValue()] = &program;
        savings[name.getValue()] = saving;
      }
}

/// Whether a saved result is not made where nothing asks for it: by launches of the program, or by
/// a function that it applies.
bool SharedForwards::isLeftOut(mlir::Value result, const host::Needs &needs,
                               bool &isMadeHere) const {
  if (auto choice = result.getDefiningOp<host::IfOp>()) {
    unsigned place = cast<OpResult>(result).getResultNumber();
    return llvm::all_of(
        llvm::ArrayRef<Region *>{&choice.getThen(), &choice.getOtherwise()}, [&](Region *arm) {
          return isLeftOut(arm->front().getTerminator()->getOperand(place), needs, isMadeHere);
        });
  }
  if (auto apply = result.getDefiningOp<host::ApplyOp>())
    return decided.lookup(apply.getCallee()) &&
           cast<OpResult>(result).getResultNumber() >= host::countOwnResults(apply.getFunction());
  isMadeHere = true;
  return needs.mayBeAbsent(result);
}

/// The bytes that are not written where nothing is saved.
int64_t SharedForwards::countLeftOut(const ScheduledProgram &saving,
                                     const host::Needs &needs) const {
  int64_t bytes = 0;
  func::FuncOp func = saving.func;
  auto results = func.getBody().front().getTerminator()->getOperands();
  for (unsigned place = host::countOwnResults(func); place < results.size(); ++place) {
    bool isMadeHere = false;
    if (isLeftOut(results[place], needs, isMadeHere) && isMadeHere)
      bytes += saving.resultBytes[place];
  }
  return bytes;
}

/// Whether the program that saves takes no longer than the plain one where it saves nothing, up to
/// what the cost model cannot tell.
bool SharedForwards::pays(const ScheduledProgram &plain, const ScheduledProgram &saving) const {
  constexpr double mostLonger = 1.05;
  host::Needs needs(saving.func);
  llvm::StringMap<bool> isOptional;
  func::FuncOp(saving.func).walk([&](host::LaunchOp launch) {
    isOptional[launch.getKernel()] = !needs.getResults(launch).empty();
  });
  double time = -double(countLeftOut(saving, needs)) / device.bytesPerUs, plainTime = 0;
  for (const KernelReport &kernel : saving.report.kernels) {
    bool isLeftOut = !kernel.functions.empty() &&
                     llvm::all_of(kernel.functions,
                                  [&](const std::string &name) { return isOptional.lookup(name); });
    time += isLeftOut ? 0 : kernel.microseconds;
  }
  for (const KernelReport &kernel : plain.report.kernels)
    plainTime += kernel.microseconds;
  return saving.report.calls.size() <= plain.report.calls.size() && time <= mostLonger * plainTime;
}

/// What a program applies is decided before it.
bool SharedForwards::decide(ScheduledProgram &saving) {
  llvm::StringRef name = saving.func.getName();
  if (auto known = decided.find(name); known != decided.end())
    return known->second;
  decided[name] = false;
  ScheduledProgram &plain = *plains[name];
  bool areShared = true;
  saving.func.walk([&](host::ApplyOp apply) {
    if (ScheduledProgram *applied = savings.lookup(apply.getCallee()))
      areShared &= decide(*applied);
  });
  saving.func->setAttr(host::savesIfAskedAttrName, UnitAttr::get(saving.func.getContext()));
  TypeRange own = TypeRange(saving.func.getResultTypes()).take_front(plain.func.getNumResults());
  bool areAlike = plain.func.getArgumentTypes() == saving.func.getArgumentTypes() &&
                  TypeRange(plain.func.getResultTypes()) == own;
  bool isShared = areShared && areAlike && pays(plain, saving);
  if (!isShared)
    saving.func->removeAttr(host::savesIfAskedAttrName);
  return decided[name] = isShared;
}

/// The kernels are named after the plain program.
static void renameKernels(func::FuncOp saving, llvm::StringRef plain, ScheduleReport &report) {
  auto module = cast<ModuleOp>(saving->getParentOp());
  llvm::StringMap<std::string> names;
  for (KernelReport &kernel : report.kernels)
    for (std::string &name : kernel.functions) {
      llvm::StringRef rest = name;
      if (!rest.consume_front(saving.getName()))
        continue;
      std::string renamed = (plain + rest).str();
      names[name] = renamed;
      name = renamed;
    }
  for (auto kernel : module.getOps<func::FuncOp>())
    if (auto found = names.find(kernel.getName()); found != names.end())
      kernel.setName(found->second);
  module.walk([&](host::LaunchOp launch) {
    if (auto found = names.find(launch.getKernel()); found != names.end())
      launch.setKernel(found->second);
  });
}

/// Makes the plain program the other one without what is saved.
void SharedForwards::replace(ScheduledProgram &plain, ScheduledProgram &savingProgram) {
  func::FuncOp saving = savingProgram.func;
  llvm::SetVector<Operation *> kernels;
  plain.func.walk([&](host::LaunchOp launch) {
    kernels.insert(SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
  });
  OpBuilder builder(plain.func);
  auto shared = cast<func::FuncOp>(builder.clone(*saving));
  unsigned own = host::countOwnResults(saving);
  llvm::BitVector saved(saving.getNumResults());
  saved.set(own, saving.getNumResults());
  Operation *end = shared.getBody().front().getTerminator();
  end->eraseOperands(own, end->getNumOperands() - own);
  (void)shared.eraseResults(saved);
  for (llvm::StringRef mark : {llvm::StringRef("host.backward"), llvm::StringRef("host.saved"),
                               llvm::StringRef(host::savesIfAskedAttrName)})
    shared->removeAttr(mark);
  shared->setAttr("host.saving", FlatSymbolRefAttr::get(saving));
  std::string name = plain.func.getName().str();
  plain.func.erase();
  for (Operation *kernel : kernels)
    kernel->erase();
  shared.setName(name);
  renameKernels(saving, name, savingProgram.report);
  plain.func = shared;
  plain.report = {};
}

void SharedForwards::run() {
  for (auto &entry : savings)
    (void)decide(*entry.second);
  for (auto &entry : savings)
    if (decided.lookup(entry.first()))
      replace(*plains[entry.first()], *entry.second);
}

void shareForwards(llvm::MutableArrayRef<ScheduledProgram> programs, const Device &device) {
  SharedForwards(programs, device).run();
}

} // namespace nereid::schedule
