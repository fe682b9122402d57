// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates a Python file in the abstract machine, showing what it prints and, when a top-level
// statement fails, the exception: the counterpart of running the file in CPython, for the tests.
#include "python/machine/Machine.h"

using namespace nereid;

/// The snippets of a file are separated by lines that start with `#---`; each has its own machine.
static void evaluate(llvm::StringRef name, llvm::StringRef text, bool verbose) {
  machine::Machine machine;
  machine.onPrint = [](llvm::StringRef line) { llvm::outs() << line; };
  Diagnostics diagnostics;
  auto file = std::make_shared<SourceFile>(name.str(), text.str());
  machine.importSource(file, "snippet", diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    llvm::outs() << "SyntaxError: " << diagnostic.message << "\n";
  for (const machine::ImportError &error : machine.getImportErrors()) {
    if (!error.exception)
      llvm::outs() << "refused: ";
    llvm::outs() << error.diagnostic.message << "\n";
    if (verbose)
      printDiagnostic(error.diagnostic, llvm::errs(), false);
  }
}

int main(int argc, char **argv) {
  bool verbose = argc > 2 && llvm::StringRef(argv[2]) == "--verbose";
  if (argc < 2) {
    llvm::errs() << "usage: nereid-eval FILE [--verbose]\n";
    return 2;
  }
  std::string error;
  auto file = readSourceFile(argv[1], error);
  if (!file) {
    llvm::errs() << "cannot read '" << argv[1] << "': " << error << "\n";
    return 2;
  }
  llvm::StringRef rest = file->getText();
  if (!rest.contains("\n#---")) {
    evaluate(file->getName(), rest, verbose);
    return 0;
  }
  while (!rest.empty()) {
    size_t end = rest.find("\n#---");
    llvm::StringRef snippet = rest.take_front(end == llvm::StringRef::npos ? end : end + 1);
    rest = rest.drop_front(snippet.size());
    if (snippet.starts_with("#---"))
      llvm::outs() << snippet.take_until([](char c) { return c == '\n'; }) << "\n";
    evaluate("snippet.py", snippet, verbose);
  }
  return 0;
}
