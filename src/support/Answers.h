// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was asked of the files and the environment around a run, with the answers: what hangs on
// nothing else holds as long as they answer the same, and can be kept until then.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace nereid {

/// Tells texts apart.
using Digest = std::array<uint8_t, 16>;
Digest digest(llvm::StringRef text);

enum class Question : uint8_t {
  Text,    ///< what a file holds, or why it cannot be read
  File,    ///< whether a path is a file
  Folder,  ///< ... a folder
  Entry,   ///< ... or anything
  Sources, ///< whether Python files lie in a folder or not far below
  Variable ///< the value of a variable of the environment, or that it has none
};
constexpr Question lastQuestion = Question::Variable;

/// The answer to a question that is yes or no.
bool ask(Question question, llvm::StringRef path);

class Answers {
public:
  /// An answer that differs from what the same question was answered before, or that `others` have,
  /// is that of another state of the files: none of them holds then.
  void add(Question question, llvm::StringRef about, Digest answer);
  void add(const Answers &others);
  void add(Question question, llvm::StringRef path, bool answer) {
    add(question, path, Digest{uint8_t(answer)});
  }
  /// The text of a file, or, where it could not be read, the reason.
  void addText(llvm::StringRef path, llvm::StringRef text) {
    add(Question::Text, path, digest(text));
  }
  void addUnread(llvm::StringRef path, llvm::StringRef error);
  void addVariable(llvm::StringRef name);

  /// Whether all questions are answered the same now.
  bool hold() const;
  bool agree() const { return isOfOneState; }
  size_t size() const { return answers.size(); }

  using Map = std::map<std::pair<Question, std::string>, Digest>;
  const Map &all() const { return answers; }

private:
  Map answers;
  bool isOfOneState = true;
};

} // namespace nereid
