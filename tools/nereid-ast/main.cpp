// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses Python files and prints their trees; the tests and benchmarks of src/python drive it.
#include "python/Dump.h"
#include "python/Parser.h"
#include "python/Printer.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>
#include <iostream>

using namespace nereid;
using namespace nereid::python;

namespace {

enum class Action { Dump, Print, RoundTrip, Time };

llvm::cl::list<std::string> inputs(llvm::cl::Positional, llvm::cl::desc("FILE..."));
llvm::cl::opt<bool> batch("batch", llvm::cl::desc("read file names from standard input; answer "
                                                  "each with one line: status, TAB, result"));
llvm::cl::opt<bool> python311("python-3.11", llvm::cl::desc("leave out the fields new in 3.12"));
llvm::cl::opt<bool> attributes("attributes", llvm::cl::init(true), llvm::cl::desc("with places"));
llvm::cl::opt<bool> skipFStrings("skip-fstring-attributes",
                                 llvm::cl::desc("without places inside f-strings"));
llvm::cl::opt<unsigned> repeat("repeat", llvm::cl::init(1), llvm::cl::desc("for --time"));
llvm::cl::opt<Action> action(
    llvm::cl::desc("what to do with each file:"),
    llvm::cl::values(clEnumValN(Action::Dump, "dump", "print the tree as ast.dump (default)"),
                     clEnumValN(Action::Print, "print", "print the tree as source"),
                     clEnumValN(Action::RoundTrip, "round-trip",
                                "check that the printed source has the same tree"),
                     clEnumValN(Action::Time, "time",
                                "print the speed of parsing in MB/s (without files: "
                                "those named on standard input)")),
    llvm::cl::init(Action::Dump));

std::string dump(const ParsedFile &file, bool withAttributes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  DumpOptions options;
  options.includeAttributes = withAttributes;
  options.typeParams = !python311;
  options.skipFStringAttributes = skipFStrings;
  dumpAst(file, os, options);
  return text;
}

/// The difference between a tree and that of its printed form; empty when there is none.
std::string findPrinterDefect(const ParsedFile &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printModule(file.getModule(), os);
  Diagnostics diagnostics;
  auto printed = std::make_shared<SourceFile>("printed", text);
  auto again = parseFile(printed, diagnostics);
  if (!again) {
    std::string message;
    llvm::raw_string_ostream out(message);
    diagnostics.print(out, /*colour=*/false);
    return message;
  }
  std::string first = dump(file, false), second = dump(*again, false);
  if (first == second)
    return "";
  size_t at =
      std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first - first.begin();
  size_t from = at < 80 ? 0 : at - 80;
  return "expected ..." + first.substr(from, 160) + "\nfound ..." + second.substr(from, 160);
}

struct Answer {
  const char *status;
  std::string text;
};

Answer process(llvm::StringRef path, llvm::raw_ostream &errors) {
  std::string error;
  std::shared_ptr<SourceFile> source = readSourceFile(path, error);
  if (!source)
    return {"unreadable", error};
  Diagnostics diagnostics;
  auto file = parseFile(source, diagnostics);
  if (!file) {
    const Diagnostic &first = diagnostics.all().front();
    LineColumn place = source->getLineColumn(first.location.range.begin);
    diagnostics.print(errors, /*colour=*/false);
    return {"rejected",
            std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + first.message};
  }
  if (action == Action::Dump)
    return {"ok", dump(*file, attributes)};
  if (action == Action::RoundTrip) {
    std::string defect = findPrinterDefect(*file);
    return {defect.empty() ? "ok" : "different", defect};
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  printModule(file->getModule(), os);
  return {"ok", text};
}

int runBatch() {
  std::string path;
  while (std::getline(std::cin, path)) {
    Answer answer = process(path, llvm::nulls());
    for (char &c : answer.text)
      c = c == '\n' ? ' ' : c;
    llvm::outs() << answer.status << '\t' << answer.text << '\n';
    llvm::outs().flush();
  }
  return 0;
}

int runTime() {
  std::vector<std::shared_ptr<SourceFile>> sources;
  size_t bytes = 0;
  std::vector<std::string> paths(inputs.begin(), inputs.end());
  if (paths.empty())
    for (std::string path; std::getline(std::cin, path);)
      paths.push_back(path);
  for (const std::string &path : paths) {
    std::string error;
    if (std::shared_ptr<SourceFile> source = readSourceFile(path, error))
      sources.push_back(source), bytes += source->getText().size();
  }
  double best = 0;
  for (unsigned i = 0; i < repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    for (auto &source : sources) {
      Diagnostics diagnostics;
      parseFile(source, diagnostics);
    }
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, bytes / seconds.count() / 1e6);
  }
  llvm::outs() << "parse: " << sources.size() << " files, " << bytes / 1000000 << " MB, "
               << llvm::format("%.1f", best) << " MB/s\n";
  return 0;
}

int runFiles() {
  int status = 0;
  for (const std::string &path : inputs) {
    Answer answer = process(path, llvm::errs());
    if (llvm::StringRef(answer.status) == "ok") {
      llvm::outs() << answer.text << (action == Action::Dump ? "\n" : "");
      continue;
    }
    if (llvm::StringRef(answer.status) != "rejected")
      llvm::errs() << path << ": " << answer.status << ": " << answer.text << '\n';
    status = 2;
  }
  return status;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "parses Python files and prints their trees\n");
  if (batch)
    return runBatch();
  return action == Action::Time ? runTime() : runFiles();
}
