// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text as the options of the command line: it is understood or refused with a reason. The first
// line is the verb, the second the program of fuzz/options, each of the others one option. What
// would write to a place that the text names is left out.
#include "driver/Driver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

using namespace nereid;

namespace {

/// Standard output and errors go nowhere while a verb runs.
class Silence {
public:
  Silence() {
    flush();
    int nowhere = open("/dev/null", O_WRONLY);
    for (int stream : {1, 2}) {
      kept[stream - 1] = dup(stream);
      dup2(nowhere, stream);
    }
    close(nowhere);
  }
  ~Silence() {
    flush();
    for (int stream : {1, 2}) {
      dup2(kept[stream - 1], stream);
      close(kept[stream - 1]);
    }
  }

private:
  static void flush() {
    llvm::outs().flush();
    llvm::errs().flush();
  }
  int kept[2];
};

/// Whether an option may be given: it names no file, and no work without end.
bool isAllowed(llvm::StringRef option) {
  static constexpr llvm::StringLiteral names[] = {
      "--inputs",    "--init",       "--size",
      "--to",        "--class-name", "--stage",
      "--device",    "--keep-torch", "--emit",
      "--signature", "--grid",       "--constexpr",
      "--seed",      "--check",      "--backward",
      "--json",      "--arg",        "--allow-nondeterministic",
      "--debug"};
  return llvm::is_contained(names, option.split('=').first) && !option.contains('/');
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  // A word of the command line ends at a null byte.
  if (text.contains('\0') || size > 2000)
    return 0;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, false);
  if (lines.size() < 2)
    return 0;
  llvm::StringRef verb = lines[0] == "run" || lines[0] == "compile" ? lines[0] : "convert";
  llvm::StringRef program = lines[1];
  bool isKernel = program == "add" || verb == "run";
  std::vector<std::string> words = {"nereid", verb.str()};
  words.push_back(isKernel            ? "fuzz/options/kernel.py:add"
                  : program == "pair" ? "fuzz/options/module.py:pair"
                                      : "fuzz/options/module.py:Block");
  for (llvm::StringRef line : llvm::drop_begin(lines, 2))
    if (isAllowed(line))
      words.push_back(line.str());
  if (verb == "convert")
    words.insert(words.end(), {"-o", "build/fuzz-options"});
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  Silence silence;
  int status = driver::runCommandLine(static_cast<int>(arguments.size()), arguments.data());
  if (status == driver::Defect)
    std::abort();
  return 0;
}
