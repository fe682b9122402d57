// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/CheckCache.h"
#include "support/BuildIdentity.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;

namespace nereid::audit {

namespace {

constexpr uint64_t mostBytes = uint64_t(256) << 20;

/// Numbers and texts one after the other.
class Writer {
public:
  void number(uint64_t value) { encodeULEB128(value, stream); }
  void text(StringRef value) {
    number(value.size());
    stream << value;
  }
  void digest(const Digest &value) {
    stream.write(reinterpret_cast<const char *>(value.data()), value.size());
  }
  StringRef getText() const { return bytes; }

private:
  SmallString<0> bytes;
  raw_svector_ostream stream{bytes};
};

/// What a Writer wrote. Beyond the end all is empty, and `failed`.
class Reader {
public:
  explicit Reader(StringRef text) : data(text, /*IsLittleEndian=*/true, sizeof(void *)) {}
  ~Reader() { consumeError(at.takeError()); }
  Reader(const Reader &) = delete;

  uint64_t number() { return data.getULEB128(at); }
  StringRef text() { return data.getBytes(at, number()); }
  Digest digest() {
    Digest value{};
    if (StringRef bytes = data.getBytes(at, value.size()); !bytes.empty())
      copy(bytes, value.begin());
    return value;
  }
  bool failed() { return !at; }
  /// Calls `read` as often as it says next.
  template <typename Read> void repeat(Read read) {
    for (uint64_t count = number(); count && !failed(); --count)
      read();
  }

private:
  DataExtractor data;
  DataExtractor::Cursor at{0};
};

/// A result as text: its diagnostics point into texts that are kept beside them, each once.
class ResultWriter {
public:
  void write(const Answers &answers, ArrayRef<CheckedKernel> kernels,
             ArrayRef<UnreadFile> problems);
  StringRef getText() const { return out.getText(); }

private:
  void collect(const Diagnostic &diagnostic);
  void writeDiagnostic(const Diagnostic &diagnostic);
  void writeKernel(const CheckedKernel &kernel);

  Writer out;
  /// Numbered from 1; 0: no place.
  llvm::MapVector<const SourceFile *, size_t> files;
};

void ResultWriter::collect(const Diagnostic &diagnostic) {
  if (const SourceFile *file = diagnostic.location.file)
    files.try_emplace(file, files.size() + 1);
  for (const Diagnostic &note : diagnostic.notes)
    collect(note);
}

void ResultWriter::writeDiagnostic(const Diagnostic &diagnostic) {
  out.number(unsigned(diagnostic.severity));
  out.number(files.lookup(diagnostic.location.file));
  out.number(diagnostic.location.range.begin);
  out.number(diagnostic.location.range.end);
  out.text(diagnostic.message);
  out.text(diagnostic.help);
  out.number(diagnostic.notes.size());
  for (const Diagnostic &note : diagnostic.notes)
    writeDiagnostic(note);
}

void ResultWriter::writeKernel(const CheckedKernel &kernel) {
  out.text(kernel.path);
  out.text(kernel.name);
  out.number(kernel.line);
  out.number(kernel.compiled);
  if (!kernel.compiled)
    writeDiagnostic(kernel.reason);
  out.number(kernel.parameters.size());
  for (const InferredParameter &parameter : kernel.parameters) {
    out.text(parameter.name);
    out.text(parameter.value);
    out.text(parameter.source);
  }
  out.number(kernel.attempts);
  out.text(kernel.difference);
  out.text(kernel.caller);
}

void ResultWriter::write(const Answers &answers, ArrayRef<CheckedKernel> kernels,
                         ArrayRef<UnreadFile> problems) {
  out.number(answers.size());
  for (const auto &[key, answer] : answers.all()) {
    out.number(unsigned(key.first));
    out.text(key.second);
    out.digest(answer);
  }
  for (const CheckedKernel &kernel : kernels)
    if (!kernel.compiled)
      collect(kernel.reason);
  for (const UnreadFile &problem : problems)
    collect(problem.diagnostic);
  out.number(files.size());
  for (const auto &[file, number] : files) {
    out.text(file->getName());
    out.text(file->getText());
  }
  out.number(kernels.size());
  for (const CheckedKernel &kernel : kernels)
    writeKernel(kernel);
  out.number(problems.size());
  for (const UnreadFile &problem : problems)
    writeDiagnostic(problem.diagnostic);
}

class ResultReader {
public:
  explicit ResultReader(StringRef text) : in(text) {}

  std::optional<TreeResult> read();

private:
  Answers readAnswers();
  Diagnostic readDiagnostic();
  CheckedKernel readKernel();

  Reader in;
  std::vector<std::shared_ptr<const SourceFile>> files;
};

Answers ResultReader::readAnswers() {
  Answers answers;
  in.repeat([&] {
    auto question = Question(std::min<uint64_t>(in.number(), unsigned(lastQuestion)));
    StringRef about = in.text();
    answers.add(question, about, in.digest());
  });
  return answers;
}

Diagnostic ResultReader::readDiagnostic() {
  Diagnostic result;
  result.severity = Severity(in.number());
  size_t file = in.number();
  result.location.range.begin = in.number();
  result.location.range.end = in.number();
  if (file && file <= files.size())
    result.location.file = files[file - 1].get();
  result.message = in.text();
  result.help = in.text();
  in.repeat([&] { result.notes.push_back(readDiagnostic()); });
  return result;
}

CheckedKernel ResultReader::readKernel() {
  CheckedKernel kernel;
  kernel.path = in.text();
  kernel.name = in.text();
  kernel.line = in.number();
  kernel.compiled = in.number();
  if (!kernel.compiled) {
    kernel.reason = readDiagnostic();
    kernel.texts = files;
  }
  in.repeat([&] {
    InferredParameter &parameter = kernel.parameters.emplace_back();
    parameter.name = in.text();
    parameter.value = in.text();
    parameter.source = in.text();
  });
  kernel.attempts = in.number();
  kernel.difference = in.text();
  kernel.caller = in.text();
  return kernel;
}

std::optional<TreeResult> ResultReader::read() {
  if (!readAnswers().hold())
    return std::nullopt;
  in.repeat([&] {
    StringRef name = in.text();
    files.push_back(std::make_shared<SourceFile>(name.str(), in.text().str()));
  });
  TreeResult result;
  in.repeat([&] { result.kernels.push_back(readKernel()); });
  in.repeat([&] {
    UnreadFile &problem = result.problems.emplace_back();
    problem.diagnostic = readDiagnostic();
    for (const auto &file : files)
      if (file.get() == problem.diagnostic.location.file)
        problem.file = file;
  });
  return in.failed() ? std::nullopt : std::optional(std::move(result));
}

} // namespace

CheckCache::CheckCache(const CheckOptions &options) : folder(options.cache, mostBytes) {
  std::string build = options.cache.empty() ? "" : getBuildIdentity();
  SmallString<256> here;
  if (build.empty() || sys::fs::current_path(here))
    return;
  // The seconds of a kernel are left out: where they decided something nothing is kept.
  Writer key;
  for (StringRef part : {StringRef(build), StringRef(options.version), StringRef(here)})
    key.text(part);
  made = key.getText();
}

Digest CheckCache::keyOf(const SourceTree &tree) const {
  Writer key;
  key.text(made);
  key.text(tree.root);
  for (const auto *list : {&tree.files, &tree.callers}) {
    key.number(list->size());
    for (const std::string &file : *list)
      key.text(file);
  }
  return digest(key.getText());
}

std::optional<TreeResult> CheckCache::load(const SourceTree &tree) const {
  std::optional<std::string> kept = isOpen() ? folder.load(keyOf(tree)) : std::nullopt;
  return kept ? ResultReader(*kept).read() : std::nullopt;
}

void CheckCache::store(const SourceTree &tree, const Answers &answers,
                       ArrayRef<CheckedKernel> kernels, ArrayRef<UnreadFile> problems) const {
  if (!isOpen() || !answers.agree())
    return;
  ResultWriter writer;
  writer.write(answers, kernels, problems);
  folder.store(keyOf(tree), writer.getText());
}

} // namespace nereid::audit
