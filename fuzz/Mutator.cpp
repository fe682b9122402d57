// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Mutator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace nereid::fuzz;
using llvm::StringRef;

/// What grammars and evaluators tend to mistake.
static constexpr const char *oddTokens[] = {
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ":",
    ",",
    "=",
    "\n",
    "\n    ",
    "\t",
    "\\",
    "\"",
    "'",
    "'''",
    "f'{",
    "0",
    "-1",
    "1e999",
    "0x",
    "1_",
    "1 << 9999999",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "**",
    "//",
    "%",
    "lambda: ",
    "yield ",
    "await ",
    "del ",
    "*",
    "@",
    "->",
    "x",
    "!",
    "#",
    "loc(unknown)",
    "\xff",
    "\xc3\xa9",
    "\xf0\x9f\x98\x80",
    "\r",
    "\f",
    "0.5",
    "nan",
    "\"\"",
    "^bb0",
    "%0",
    "?",
    "tensor<",
    "return",
};

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Runs of letters and digits, runs of blanks, and other bytes one by one: joined they are the
/// text.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    StringRef token = isWord(text.front())  ? text.take_while(isWord)
                      : text.front() == ' ' ? text.take_while([](char c) { return c == ' '; })
                                            : text.take_front();
    tokens.push_back(token.str());
    text = text.drop_front(token.size());
  }
  return tokens;
}

Mutator::Tokens Mutator::tokensOfSomeLines() {
  StringRef text = texts[below(texts.size())];
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  bool whole = lines.size() <= 60 && below(2);
  size_t count = whole ? lines.size() : std::min(lines.size(), 1 + below(40));
  size_t first = below(lines.size() - count + 1);
  std::string part;
  for (size_t line = first; line != first + count; ++line)
    part += (lines[line] + "\n").str();
  return split(part);
}

void Mutator::overwriteByte(std::string &text, size_t at, uint64_t choice) {
  text[at] = static_cast<char>(choice);
}

void Mutator::mutate(Tokens &tokens) {
  size_t at = below(tokens.size()), other = below(tokens.size());
  switch (below(9)) {
  case 0:
    tokens.erase(tokens.begin() + at);
    break;
  case 1:
    tokens.insert(tokens.begin() + at, tokens[other]);
    break;
  case 2:
    std::swap(tokens[at], tokens[other]);
    break;
  case 3:
    tokens[at] = oddTokens[below(std::size(oddTokens))];
    break;
  case 4:
    tokens.insert(tokens.begin() + at, oddTokens[below(std::size(oddTokens))]);
    break;
  case 5: { // a token of another text
    Tokens donor = tokensOfSomeLines();
    tokens[at] = donor[below(donor.size())];
    break;
  }
  case 6: // a run removed
    tokens.erase(tokens.begin() + std::min(at, other), tokens.begin() + std::max(at, other));
    break;
  case 7: // recursion
    if (below(20) == 0) {
      std::string piece = tokens[at];
      for (int times = 0; times != 3000; ++times)
        tokens[at] += piece;
    }
    break;
  case 8:
    overwriteByte(tokens[at], below(tokens[at].size()), random());
    break;
  }
}

std::string Mutator::next() {
  Tokens tokens = tokensOfSomeLines();
  for (size_t steps = 1 + below(4); steps != 0 && !tokens.empty(); --steps)
    mutate(tokens);
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}
