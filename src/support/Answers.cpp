// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Answers.h"
#include "support/Source.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace nereid {

Digest digest(StringRef text) { return BLAKE3::hash<16>(arrayRefFromStringRef(text)); }

static bool holdsSources(StringRef folder) {
  constexpr int deepest = 3;
  std::error_code error;
  for (sys::fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    if (StringRef(it->path()).ends_with(".py"))
      return true;
    if (it.level() >= deepest)
      it.no_push();
  }
  return false;
}

bool ask(Question question, StringRef path) {
  switch (question) {
  case Question::File:
    return sys::fs::is_regular_file(path);
  case Question::Folder:
    return sys::fs::is_directory(path);
  case Question::Entry:
    return sys::fs::exists(path);
  case Question::Sources:
    return holdsSources(path);
  case Question::Text:
  case Question::Variable:
    break;
  }
  llvm_unreachable("no question of yes or no");
}

/// Never that of a text that is there.
static Digest digestAbsent(StringRef reason) {
  Digest result = digest(reason);
  for (uint8_t &byte : result)
    byte = ~byte;
  return result;
}

static Digest digestVariable(StringRef name) {
  std::optional<std::string> value = sys::Process::GetEnv(name);
  return value ? digest(*value) : digestAbsent("");
}

static Digest answer(Question question, StringRef about) {
  if (question == Question::Variable)
    return digestVariable(about);
  if (question != Question::Text)
    return Digest{uint8_t(ask(question, about))};
  std::string error;
  std::unique_ptr<SourceFile> file = readSourceFile(about, error);
  return file ? digest(file->getText()) : digestAbsent(error);
}

void Answers::add(Question question, StringRef about, Digest answer) {
  auto [place, isNew] = answers.try_emplace({question, about.str()}, answer);
  if (!isNew && place->second != answer)
    isOfOneState = false;
}

void Answers::add(const Answers &others) {
  isOfOneState &= others.isOfOneState;
  for (const auto &[key, answer] : others.answers)
    add(key.first, key.second, answer);
}

void Answers::addUnread(StringRef path, StringRef error) {
  add(Question::Text, path, digestAbsent(error));
}

void Answers::addVariable(StringRef name) { add(Question::Variable, name, digestVariable(name)); }

bool Answers::hold() const {
  for (const auto &[key, known] : answers)
    if (answer(key.first, key.second) != known)
      return false;
  return isOfOneState;
}

} // namespace nereid
