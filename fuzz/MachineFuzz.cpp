// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text is evaluated within a small budget: the machine ends, and never crashes.
#include "python/machine/Machine.h"

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  machine::Limits limits;
  limits.steps = 20'000;
  limits.depth = 60;
  limits.items = 10'000;
  limits.integerBits = 4096;
  limits.bytes = 32 << 20;
  machine::Machine machine(limits);
  std::string out;
  machine.onPrint = [&](llvm::StringRef line) { out.assign(line.begin(), line.end()); };
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceFile>(
      "input.py", std::string(reinterpret_cast<const char *>(data), size));
  machine.importSource(source, "input", diagnostics);
  return 0;
}
