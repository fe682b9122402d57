// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/TritonFrontend.h"
#include "frontend/triton/KernelImport.h"
#include "frontend/triton/Spellings.h"

#include "mlir/IR/Verifier.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

struct TritonFile::State {
  machine::Machine machine;
  std::unique_ptr<TritonLibrary> library;
  std::shared_ptr<const SourceFile> source; // outlives a machine that could not read it
  machine::ModuleObject *module = nullptr;
  std::vector<KernelInfo> kernels;
  std::map<std::string, FunctionValue *> functions;

  State() : library(std::make_unique<TritonLibrary>(machine)) { machine.addLibrary(*library); }
};

TritonFile::TritonFile(std::unique_ptr<State> state) : state(std::move(state)) {}
TritonFile::~TritonFile() = default;

std::unique_ptr<TritonFile> TritonFile::open(StringRef path, Diagnostics &diagnostics) {
  auto state = std::make_unique<State>();
  state->module = state->machine.importFile(path, diagnostics);
  return make(std::move(state), diagnostics);
}

std::unique_ptr<TritonFile> TritonFile::read(std::shared_ptr<const SourceFile> source,
                                             Diagnostics &diagnostics) {
  auto state = std::make_unique<State>();
  state->source = source;
  state->module = state->machine.importSource(std::move(source), "kernels", diagnostics);
  return make(std::move(state), diagnostics);
}

/// What stands above Triton's own decorators changes how the kernel is launched, not what it is.
static void warnOfDropped(const TritonLibrary &library, const SourceFile &file,
                          Diagnostics &diagnostics) {
  auto isTritons = [&](const python::Expr *node) {
    StringRef name = file.getText(node->range).take_until([](char c) { return c == '('; });
    name = name.trim();
    name.consume_front("triton.");
    return is_contained({"jit", "autotune", "heuristics"}, name);
  };
  for (const TritonLibrary::DroppedDecorator &dropped : library.dropped) {
    const python::FunctionDef *def = dropped.function->function->code->getDef();
    if (!dropped.error || dropped.file != &file || !def)
      continue;
    ArrayRef<python::Expr *> decorators = def->decoratorList;
    auto *first = find_if(decorators, isTritons), *own = find(decorators, dropped.decorator);
    if (first <= own)
      diagnostics.warning({&file, dropped.decorator->range},
                          "the decorator of `" + def->name.str() +
                              "` cannot be evaluated and is left out",
                          "give its meta-parameters with --constexpr NAME=VALUE");
  }
}

std::unique_ptr<TritonFile> TritonFile::make(std::unique_ptr<State> state,
                                             Diagnostics &diagnostics) {
  if (state->module)
    warnOfDropped(*state->library, *state->module->file, diagnostics);
  std::unique_ptr<TritonFile> file(new TritonFile(std::move(state)));
  file->findKernels();
  return file;
}

/// An error inside of a prelude is the caller's; the kind of a Python exception says nothing new.
static void reportToUser(nereid::Diagnostic error, TritonLibrary &library,
                         Diagnostics &diagnostics) {
  auto isHidden = [&](const nereid::Diagnostic &note) {
    return library.isPrelude(note.location.file);
  };
  if (library.isPrelude(error.location.file))
    if (auto user = find_if_not(error.notes, isHidden); user != error.notes.end()) {
      error.location = user->location;
      error.notes.erase(user);
    }
  erase_if(error.notes, isHidden);
  constexpr size_t shownCalls = 8;
  if (error.notes.size() > shownCalls + 1) {
    size_t hidden = error.notes.size() - shownCalls;
    error.notes[shownCalls - 1].message += " (and " + std::to_string(hidden) + " more calls)";
    error.notes.resize(shownCalls);
  }
  StringRef text = error.message;
  StringRef kind = text.take_until([](char c) { return c == ':'; });
  if (kind.ends_with("Error") && !kind.contains(' ') && kind.size() < text.size())
    text = text.drop_front(kind.size() + 1).ltrim();
  nereid::Diagnostic &shown = diagnostics.error(error.location, text.str(), error.help);
  shown.notes = error.notes;
}

FailureOr<OwningOpRef<ModuleOp>> importFunction(machine::Machine &machine, TritonLibrary &library,
                                                FunctionValue &function,
                                                const KernelRequest &request, MLIRContext &context,
                                                Diagnostics &diagnostics) {
  context.loadDialect<tile::TileDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect>();
  library.printed.clear();
  library.lookedAt.clear();
  library.called.clear();
  library.evaluated.clear();
  library.required = {};
  library.failedComparison.clear();
  OwningOpRef<ModuleOp> module;
  bool done = false;
  machine.session([&] {
    KernelImport import(machine, library, *function.function->module, function, request, context);
    module = import.run();
    done = bool(module);
    if (!done)
      reportToUser(machine.takeError(), library, diagnostics);
  });
  if (!done)
    return failure();
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &message) {
    diagnostics.error(machine.definitionOf(function.function),
                      "internal: the imported kernel is invalid: " + message.str());
    return success();
  });
  if (failed(verify(*module)))
    return failure();
  return module;
}

/// `NAME: tl.constexpr`, judged by its text as upstream does.
static bool isConstexprParameter(const machine::CodeInfo &code, const python::Arg &arg) {
  return arg.annotation && code.file->getText(*arg.annotation).contains("constexpr");
}

static KernelInfo describeKernel(machine::Machine &machine, FunctionValue &function) {
  const machine::CodeInfo &code = *function.function->code;
  KernelInfo info;
  info.name = function.function->name->text.str();
  info.location = machine.definitionOf(function.function);
  info.configs = function.configs.size();
  for (const machine::DictObject *values : function.heuristics)
    for (const auto &entry : values->table.entries)
      if (const auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr)
        info.computed.push_back(name->text.str());
  const python::Arguments &args = *code.args;
  size_t positional = args.posonlyargs.size() + args.args.size();
  size_t index = 0;
  for (auto list : {args.posonlyargs, args.args})
    for (const python::Arg *arg : list) {
      bool hasDefault = ++index > positional - args.defaults.size();
      info.parameters.push_back({arg->arg.str(), isConstexprParameter(code, *arg), hasDefault});
    }
  for (auto [arg, value] : zip(args.kwonlyargs, args.kwDefaults))
    info.parameters.push_back({arg->arg.str(), isConstexprParameter(code, *arg), value != nullptr});
  return info;
}

void TritonFile::findKernels() {
  if (!state->module)
    return;
  for (const auto &slot : state->module->attrs->slots) {
    auto *function = slot.value ? dyn_cast<FunctionValue>(slot.value) : nullptr;
    if (!function || function->isConstexpr || function->function->module != state->module)
      continue;
    state->functions[slot.name->text.str()] = function;
    state->kernels.push_back(describeKernel(state->machine, *function));
    state->kernels.back().name = slot.name->text.str();
  }
}

bool TritonFile::isReadable() const { return state->module != nullptr; }

const std::vector<KernelInfo> &TritonFile::kernels() const { return state->kernels; }

std::vector<std::string> TritonFile::takePrinted() {
  return std::exchange(state->library->printed, {});
}

FailureOr<OwningOpRef<ModuleOp>> TritonFile::importKernel(MLIRContext &context,
                                                          const KernelRequest &request,
                                                          Diagnostics &diagnostics) {
  if (!isReadable()) {
    diagnostics.error({}, "the file could not be read");
    return failure();
  }
  auto found = state->functions.find(request.kernel);
  if (found == state->functions.end()) {
    // A definition that failed at import explains itself better than its absence.
    bool explained = false;
    auto failed = state->module->poisoned.find(state->machine.intern(request.kernel));
    if (failed != state->module->poisoned.end()) {
      reportToUser(state->machine.getImportErrors()[failed->second].diagnostic, *state->library,
                   diagnostics);
      explained = true;
    }
    if (explained)
      return failure();
    std::string names;
    for (const KernelInfo &kernel : state->kernels)
      names += (names.empty() ? "" : ", ") + kernel.name;
    SourceLocation place{state->module->file, {}};
    diagnostics.error(place, "the file has no kernel `" + request.kernel + "`",
                      names.empty() ? "put @triton.jit above the function"
                                    : "its kernels are " + names);
    return failure();
  }
  return importFunction(state->machine, *state->library, *found->second, request, context,
                        diagnostics);
}

} // namespace nereid::triton
