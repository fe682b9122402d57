// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Emit.h"

#include "emit/ArgumentGroups.h"
#include "emit/CommandLine.h"
#include "emit/FileParts.h"
#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"
#include "emit/KernelTraits.h"
#include "emit/Prelude.h"
#include "emit/TilePrinter.h"
#include "emit/UserText.h"
#include "emit/Writer.h"
#include "host/HostOps.h"
#include "host/Needs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace nereid::emit {

namespace {
/// Gathers the parts of the file and puts them in order.
class FileEmitter {
public:
  FileEmitter(ModuleOp module, const EmitOptions &options) : module(module), options(options) {}

  void printCheck(llvm::raw_ostream &os);

  LogicalResult build();
  void print(llvm::raw_ostream &os) const;

private:
  void collect();
  void markOperators();
  LogicalResult checkGraphs();
  LogicalResult checkNames(llvm::ArrayRef<std::string> texts);
  void addCommandLine(std::vector<std::string> &texts);
  std::string getCommandLine();
  std::string getHeader() const;
  std::string getSource() const;

  ModuleOp module;
  const EmitOptions &options;
  FileParts parts;
  llvm::SmallVector<func::FuncOp> kernels, programs;
  llvm::SmallVector<host::ModuleOp> classes;
  /// Top-level definitions in the order of the file.
  std::vector<std::string> definitions;
  llvm::StringSet<> classNames;
};
} // namespace

void FileEmitter::collect() {
  stripPartNames(module);
  nameConvertedLoads(module);
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      parts.names.reserve(function.getSymName());
      if (function->hasAttr(tile::kernelAttrName))
        kernels.push_back(function);
      else if (function->hasAttr(host::programAttrName))
        programs.push_back(function);
    } else if (auto type = dyn_cast<host::ModuleOp>(op)) {
      classes.push_back(type);
    }
  }
  for (func::FuncOp program : programs)
    if (program->hasAttr("host.gradient_of") || program->hasAttr(host::savesIfAskedAttrName)) {
      host::Needs needs(program);
      program.walk([&](host::LaunchOp launch) {
        for (unsigned place = 0; place < launch.getArguments().size(); ++place)
          if (!needs.getResults(launch, place).empty())
            parts.optional[launch.getKernel()].insert(place);
      });
    }
  module.walk([&](host::LaunchOp launch) {
    std::vector<std::string> &meta = parts.launchMeta[launch.getKernel()];
    if (meta.empty())
      for (NamedAttribute value : launch.getMeta())
        meta.push_back(value.getName().str());
  });
}

/// Whether every program can be replayed as a CUDA graph.
LogicalResult FileEmitter::checkGraphs() {
  auto refuse = [](Operation *op, const Twine &reason) {
    InFlightDiagnostic error = op->emitError() << "--cuda-graph: " << reason;
    error.attachNote() << "help: convert without it";
    return failure();
  };
  for (func::FuncOp program : programs) {
    if (program->hasAttr(host::functionAttrName) || isDispatch(program))
      continue;
    WalkResult found = program.walk([&](host::CallOp call) {
      (void)refuse(call, "'" + call.getCallee() +
                             "' is left to PyTorch, whose modes a graph would not follow");
      return WalkResult::interrupt();
    });
    if (found.wasInterrupted())
      return failure();
    bool isGradient = program->hasAttr("host.gradient_of");
    if (!isGradient && !canReplay(program, parts))
      return refuse(program,
                    writesItself(program, parts)
                        ? "the program writes to its arguments: a graph would to those of one call"
                        : "results are not memory of their own");
  }
  return success();
}

/// Statements of one line that follow one another, as one text.
static std::vector<std::string> joinLines(llvm::ArrayRef<std::string> texts) {
  std::vector<std::string> joined;
  bool wasLine = false;
  for (llvm::StringRef text : texts) {
    bool isLine = text.count('\n') == 1 && !text.starts_with("def ") && !text.starts_with("class ");
    if (isLine && wasLine)
      joined.back() += text;
    else
      joined.push_back(text.str());
    wasLine = isLine;
  }
  return joined;
}

/// What the program's own file needs of its names must not be bound by what is emitted.
LogicalResult FileEmitter::checkNames(llvm::ArrayRef<std::string> texts) {
  llvm::StringSet<> users;
  for (const std::vector<std::string> &own : {parts.definitions, parts.tail})
    for (const std::string &definition : own)
      for (llvm::StringRef name : getBoundNames(definition))
        users.insert(name);
  for (const std::string &text : texts)
    for (llvm::StringRef name : getBoundNames(text))
      if (users.contains(name)) {
        InFlightDiagnostic error = programs.back()->emitError()
                                   << "the emitted file has a function '" << name
                                   << "' of its own beside the program's";
        error.attachNote() << "help: rename the program's";
        return failure();
      }
  return success();
}

LogicalResult FileEmitter::build() {
  collect();
  bool failed = false;
  std::vector<std::string> kernelTexts, programTexts;
  for (func::FuncOp kernel : kernels) {
    Writer writer;
    failed |= TilePrinter(kernel.getBody(), parts, writer).printKernel(kernel).failed();
    kernelTexts.push_back(writer.str());
  }
  llvm::StringSet<> forwards;
  for (host::ModuleOp type : classes) {
    auto forward = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(type, type.getForwardAttr());
    GroupFinder finder(type, forward, parts);
    if (!finder.find())
      continue;
    Writer writer;
    finder.print(writer);
    programTexts.push_back(writer.str());
  }
  for (host::ModuleOp type : classes)
    forwards.insert(type.getForward());
  for (func::FuncOp program : programs) {
    // All gradients are at hand: there is nothing to launch.
    if (program->hasAttr("host.gradient_of") && program.getNumResults() == 0)
      continue;
    Writer writer;
    printSavedType(program, parts, writer);
    failed |= HostPrinter(program, parts, writer).print().failed();
    programTexts.push_back(writer.str());
    if (failed)
      continue;
    if (!program->hasAttr(host::functionAttrName) && canRegister(program, parts)) {
      Writer registration;
      parts.registered.insert(program.getSymName());
      HostPrinter(program, parts, registration).printOperator();
      programTexts.push_back(registration.str());
    }
  }
  parts.usesCudaGraphs = options.usesCudaGraphs;
  if (parts.usesCudaGraphs && !failed)
    failed |= checkGraphs().failed();
  for (func::FuncOp program : failed ? llvm::ArrayRef<func::FuncOp>() : programs) {
    if (!getBackward(program) || program->hasAttr(host::functionAttrName))
      continue;
    Writer gradient;
    printGradient(program, parts, gradient);
    programTexts.push_back(gradient.str());
  }
  for (func::FuncOp program : programs) {
    if (forwards.contains(program.getSymName()) || isPrivate(program) || failed)
      continue;
    Writer caller;
    printFunction(program, parts, caller);
    programTexts.push_back(caller.str());
  }
  for (host::ModuleOp type : classes) {
    Writer writer;
    failed |= printClass(type, parts, writer).failed();
    programTexts.push_back(writer.str());
  }
  for (llvm::StringRef text : programTexts) {
    parts.usesBlocks |= text.contains("_blocks(");
    parts.usesTurns |= text.contains("_turns(");
    parts.usesCeilDiv |= text.contains("_cdiv(") || parts.usesBlocks;
    parts.usesNextPower |= text.contains("_next_power_of_2(");
  }
  std::vector<std::string> configs, commandLine;
  addCommandLine(commandLine);
  if (!parts.configLists.empty())
    configs.push_back(parts.configLists);
  // The kernels stand first, behind what their decorators need; what programs call stands last.
  std::vector<std::string> own = joinLines(parts.definitions), prelude = getPrelude(parts);
  llvm::append_range(own, programTexts);
  llvm::append_range(own, joinLines(parts.tail));
  std::vector<std::string> early = takeImportTime(prelude, own);
  for (const std::vector<std::string> &texts :
       {getDecorators(parts), parts.combiners, kernelTexts, early, prelude, programTexts})
    failed |= checkNames(texts).failed();
  if (!prelude.empty())
    prelude.insert(prelude.begin(), "# What is called above, the same in every file.\n");
  for (const std::vector<std::string> &texts : {getDecorators(parts), configs, parts.combiners,
                                                kernelTexts, early, own, prelude, commandLine})
    definitions.insert(definitions.end(), texts.begin(), texts.end());
  auto isNamed = [&](llvm::StringRef name) {
    return llvm::any_of(definitions, [&](const std::string &text) { return mentions(text, name); });
  };
  parts.usesNn &= isNamed("nn");
  llvm::erase_if(parts.imports, [&](const std::string &line) {
    llvm::StringRef name = getBoundName(line);
    return !llvm::StringRef(line).starts_with("from __future__") && !name.empty() && !isNamed(name);
  });
  markOperators();
  return failure(failed);
}

/// Compares the last program of the file with the original.
std::string FileEmitter::getCommandLine() {
  func::FuncOp program = programs.back();
  for (func::FuncOp each : programs)
    if (!isPrivate(each))
      program = each;
  size_t kept = 0;
  for (host::ModuleOp type : classes)
    if (type.getForward() == program.getSymName())
      kept = type.getTree().size();
  llvm::StringRef stem = options.check;
  stem.consume_back("_check");
  std::string original = options.original.empty() ? options.program : options.original;
  return printCommandLine(
      program, kept,
      {stem.str(), getSource(), original, options.program, options.init, getDType(options.to)});
}

void FileEmitter::addCommandLine(std::vector<std::string> &texts) {
  if (!options.hasCommandLine || programs.empty())
    return;
  if (!options.check.empty())
    return texts.push_back(printCheckCall(options.check));
  parts.usesCommandLine = parts.usesTorch = true;
  texts.push_back(getCommandLine());
}

void FileEmitter::printCheck(llvm::raw_ostream &os) {
  collect();
  Writer writer;
  std::string call = "    python " + options.check + ".py ";
  writer.docstring("Judges the kernels for " + options.program + ", converted from " + getSource() +
                   " by " + options.tool +
                   ".\n\nBeside the original, over sizes, values and "
                   "strides; beside eager PyTorch and torch.compile:\n\n" +
                   call + "--validate\n" + call + "--bench");
  os << writer.str() << "\n" << printCheckImports(module) << "\n" << getCommandLine();
}

/// Operators of different files share a namespace: their names end in a digest of their file.
void FileEmitter::markOperators() {
  constexpr llvm::StringLiteral place = "@DIGEST@";
  std::string whole = options.note;
  for (const std::string &definition : definitions)
    whole += definition;
  std::string digest = llvm::utohexstr(llvm::xxh3_64bits(whole), true, 16).substr(0, 8);
  for (std::string &definition : definitions)
    if (size_t at = definition.find(place); at != std::string::npos)
      definition.replace(at, place.size(), digest);
}

/// Output is the same on every machine: of an absolute path only the file's name is kept.
std::string FileEmitter::getSource() const {
  llvm::StringRef path = options.source;
  return (llvm::sys::path::is_absolute(path) ? llvm::sys::path::filename(path) : path).str();
}

/// Whether a kernel reads or writes where a number that it has loaded says.
static bool takesPlacesFromData(func::FuncOp kernel) {
  auto found = kernel.walk([](Operation *op) {
    if (!isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp>(op))
      return WalkResult::advance();
    llvm::SmallVector<Value> open{op->getOperand(0)};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!open.empty()) {
      Operation *source = open.pop_back_val().getDefiningOp();
      if (!source || !seen.insert(source).second)
        continue;
      if (isa<tile::LoadOp>(source))
        return WalkResult::interrupt();
      llvm::append_range(open, source->getOperands());
    }
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// A line of the table of kernels: what a kernel makes, as much of it as fits.
static std::string summarize(llvm::StringRef name, llvm::StringRef doc) {
  llvm::StringRef makes = doc.split('\n').first.rtrim('.');
  if (makes.consume_front("Computes "))
    makes = makes.split(" from ").first;
  std::string line = name.str() + ": " + makes.str();
  constexpr size_t room = lineWidth - 4;
  if (getColumns(line) <= room)
    return line;
  size_t cut = line.rfind(", ", room - 4);
  return cut == line.npos || cut <= name.size() ? name.str() : line.substr(0, cut) + ", ...";
}

std::string FileEmitter::getHeader() const {
  Writer writer;
  std::string first = "Triton kernels";
  if (!options.program.empty())
    first += " for " + options.program;
  if (!options.source.empty())
    first += ", converted from " + getSource();
  first += " by " + options.tool + ".";
  std::string text = first;
  if (!options.note.empty())
    text += "\n\n" + options.note;
  if (options.hasCommandLine && llvm::any_of(kernels, takesPlacesFromData))
    text +=
        llvm::any_of(kernels, holdsAssertions)
            ? "\n\nThe kernels assert that indices that are data lie within their axes."
            : "\n\nIndices that are data are not checked: what lies outside reads as 0, or is not "
              "stored. A conversion with --debug checks them.";
  std::string list;
  for (func::FuncOp kernel : kernels)
    if (auto doc = kernel->getAttrOfType<StringAttr>("tile.doc"))
      list += "\n    " + summarize(kernel.getSymName(), doc.getValue());
  if (!list.empty())
    text += "\n\nKernels:" + list;
  std::vector<std::string> left;
  for (func::FuncOp program : programs)
    program.walk([&](host::CallOp call) {
      std::string place = getPlace(call.getLoc());
      left.push_back(call.getCallee().str() + (place.empty() ? "" : " (" + place + ")"));
    });
  llvm::sort(left);
  left.erase(llvm::unique(left), left.end());
  if (!left.empty())
    text += "\n\nLeft to PyTorch:\n    " + llvm::join(left, "\n    ");
  writer.docstring(text);
  return writer.str();
}

void FileEmitter::print(llvm::raw_ostream &os) const {
  os << getHeader();
  for (const std::string &group : getImports(parts))
    os << "\n" << group;
  for (const std::string &definition : definitions)
    os << "\n\n" << definition;
}

LogicalResult emitTriton(ModuleOp module, llvm::raw_ostream &os, const EmitOptions &options) {
  FileEmitter emitter(module, options);
  if (failed(emitter.build()))
    return failure();
  emitter.print(os);
  return success();
}

void emitCheck(ModuleOp module, llvm::raw_ostream &os, const EmitOptions &options) {
  FileEmitter(module, options).printCheck(os);
}

} // namespace nereid::emit
