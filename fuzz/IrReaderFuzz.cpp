// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is read as a module of our dialects or rejected with a reason; what is read and verified
// prints to text that reads as the same module.
#include "RegisterDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace mlir;

static void fail(llvm::StringRef reason, llvm::StringRef text) {
  llvm::errs() << reason << ":\n" << text << '\n';
  std::abort();
}

static std::string print(ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (generic)
    flags.printGenericOpForm();
  module->print(os, flags);
  return text;
}

/// Reads what was printed; it must be the same module.
static void readAgain(MLIRContext &context, const std::string &text, const std::string &expected) {
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context);
  if (!again)
    fail("the printed form is rejected", text);
  if (print(*again, /*generic=*/false) != expected)
    fail("the printed form is another module", text);
}

/// MLIR reads `@""`, and prints it as text that it does not read.
static bool hasEmptySymbol(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
        return name && name.empty() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DialectRegistry registry;
  nereid::registerNereidDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  // The lexer looks for the NUL behind the text.
  std::string text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    if (!errors)
      fail("rejected without a reason", text);
    return 0;
  }
  if (hasEmptySymbol(*module))
    return 0;
  std::string printed = print(*module, /*generic=*/false);
  readAgain(context, printed, printed);
  readAgain(context, print(*module, /*generic=*/true), printed);
  return 0;
}
