// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A `main` for the fuzz targets where libFuzzer is not linked in: it runs the files of a corpus and
// then a number of mutants of them, the same ones every time.
//
//   ParserFuzz [--mutants=N] [--seed=S] [--keep=FILE] [--suffix=.py] FILE|FOLDER...
//
// The text that runs lies in the file KEEP (`fuzz-input`, shared memory), so it is there after a
// crash or a hang; when all went well the file is removed.
#include "Mutator.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

constexpr size_t largest = 1 << 20;
constexpr unsigned secondsForOne = 20;

struct Options {
  size_t mutants = 0;
  uint64_t seed = 1;
  std::string keep = "fuzz-input", suffix;
  std::vector<std::string> paths;
};

int usage(const Twine &why) {
  errs() << why
         << "\nusage: [--mutants=N] [--seed=S] [--keep=FILE] [--suffix=.py] FILE|FOLDER...\n";
  return 2;
}

bool parse(int argc, char **argv, Options &options) {
  for (int place = 1; place != argc; ++place) {
    StringRef word = argv[place];
    bool good = true;
    if (word.consume_front("--mutants="))
      good = !word.getAsInteger(10, options.mutants);
    else if (word.consume_front("--seed="))
      good = !word.getAsInteger(10, options.seed);
    else if (word.consume_front("--keep="))
      options.keep = word.str();
    else if (word.consume_front("--suffix="))
      options.suffix = word.str();
    else if (word.starts_with("-"))
      good = false;
    else
      options.paths.push_back(word.str());
    if (!good)
      return false;
  }
  return !options.paths.empty();
}

/// Every file below `path` with the suffix, in the order of their names.
void collect(StringRef path, StringRef suffix, std::vector<std::string> &files) {
  if (!sys::fs::is_directory(path)) {
    files.push_back(path.str());
    return;
  }
  std::error_code error;
  std::vector<std::string> found;
  for (sys::fs::recursive_directory_iterator at(path, error), end; at != end && !error;
       at.increment(error))
    if (StringRef(at->path()).ends_with(suffix) && sys::fs::is_regular_file(at->path()))
      found.push_back(at->path());
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

/// The text that runs, in a file that outlives the process.
class Input {
public:
  explicit Input(const std::string &path) : path(path) {
    int file = -1;
    if (sys::fs::openFileForReadWrite(path, file, sys::fs::CD_CreateAlways, sys::fs::OF_None) ||
        ftruncate(file, largest) != 0)
      return;
    void *mapped = mmap(nullptr, largest, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    memory = mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
  }
  ~Input() {
    munmap(memory, largest);
    if (std::error_code error = sys::fs::remove(path))
      errs() << "cannot remove " << path << ": " << error.message() << '\n';
  }
  explicit operator bool() const { return memory; }

  void run(StringRef text) {
    size_t size = std::min(text.size(), largest - 1);
    memcpy(memory, text.data(), size);
    memset(memory + size, 0, previous > size ? previous - size : 1);
    previous = size;
    alarm(secondsForOne);
    // A copy of its own size, so that a read beyond its end is seen.
    std::vector<uint8_t> copy(text.bytes_begin(), text.bytes_begin() + size);
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
    alarm(0);
  }

private:
  std::string path;
  char *memory = nullptr;
  size_t previous = 0;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return usage("no file or folder, or an unknown option");
  std::vector<std::string> files, texts;
  for (StringRef path : options.paths)
    collect(path, options.suffix, files);
  for (const std::string &file : files) {
    auto buffer = MemoryBuffer::getFile(file);
    if (!buffer)
      return usage(file + ": " + buffer.getError().message());
    // The tests of the dialects hold several modules in a file.
    SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----\n");
    for (StringRef part : parts)
      texts.push_back(part.str());
  }
  if (texts.empty())
    return usage("no file has the suffix '" + options.suffix + "'");
  Input input(options.keep);
  if (!input)
    return usage("cannot write " + options.keep);
  errs() << "the text that runs is in " << options.keep << '\n';
  auto start = std::chrono::steady_clock::now();
  for (const std::string &text : texts)
    input.run(text);
  nereid::fuzz::Mutator mutator(texts, options.seed);
  for (size_t count = 0; count != options.mutants; ++count)
    input.run(mutator.next());
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  outs() << texts.size() << " texts and " << options.mutants << " mutants (seed " << options.seed
         << ") in " << format("%.1f", seconds.count()) << " s\n";
  return 0;
}
