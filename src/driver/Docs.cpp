// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid docs`: the pages of docs/, which lie inside the binary, and the lists of operators and of
// functions of the language, which it makes itself.
#include "audit/Rules.h"
#include "driver/Session.h"
#include "frontend/torch/OperatorList.h"
#include "frontend/triton/LanguageList.h"

#include "llvm/Support/Format.h"
#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;

namespace {

struct Page {
  const char *file, *topic, *text;
};

constexpr Page pages[] = {
#include "DocPages.inc"
};

constexpr llvm::StringLiteral operators = "operators";
constexpr llvm::StringLiteral language = "language";

/// The topics in the order of their names, each with the first heading of its page.
std::map<std::string, std::string> getTopics() {
  std::map<std::string, std::string> topics = {{operators.str(), "Operators"},
                                               {language.str(), "Functions of the language"}};
  for (const Page &page : pages) {
    llvm::StringRef line = llvm::StringRef(page.text).ltrim();
    topics[page.topic] = line.take_until([](char c) { return c == '\n'; }).ltrim("# ").str();
  }
  return topics;
}

/// The functions of `triton.language` that kernels may call.
std::string makeLanguagePage() {
  std::string text =
      "# Functions of the language\n\nWhat kernels may call of `triton.language`, and what "
      "it does. Functions of `tl.math` are those of `tl`; libdevice is beside them.\n";
  for (const triton::LanguageFunction &function : triton::listLanguage())
    text += "\n## tl." + function.name + "\n\n```python\ntl." + function.name + function.signature +
            "\n```\n\n" + function.text + "\n";
  return text;
}

/// The page of a topic that exists.
std::string getText(llvm::StringRef topic, Session &session) {
  for (const Page &page : pages)
    if (topic == page.topic)
      return page.text;
  if (topic == language)
    return makeLanguagePage();
  return torch::listOperators(&session.getContext());
}

/// The section of a rule of the audit, by its id or name; empty for other topics.
std::string getRule(llvm::StringRef topic) {
  const audit::Rule *rule = audit::findRule(topic);
  for (const Page &page : pages) {
    if (!rule || llvm::StringRef(page.topic) != "rules")
      continue;
    llvm::StringRef text = page.text;
    size_t begin = text.find(("\n## " + rule->id + " " + rule->name + "\n").str());
    if (begin == llvm::StringRef::npos)
      return "";
    text = text.drop_front(begin + 2);
    return text.take_front(text.find("\n## ")).str();
  }
  return "";
}

int list(const DocsOptions &options) {
  auto topics = getTopics();
  if (options.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto &[topic, title] : topics)
      rows.push_back({{"topic", topic}, {"title", title}});
    llvm::outs() << nlohmann::json{{"topics", rows}}.dump(2) << '\n';
    return Done;
  }
  size_t width = 0;
  for (const auto &[topic, title] : topics)
    width = std::max(width, topic.size());
  for (const auto &[topic, title] : topics)
    llvm::outs() << llvm::left_justify(topic, width + 2) << title << '\n';
  return Done;
}

} // namespace

int driver::docs(const DocsOptions &options) {
  if (options.topic.empty())
    return list(options);
  if (std::string rule = getRule(options.topic); !rule.empty()) {
    if (options.json)
      llvm::outs() << nlohmann::json{{"topic", options.topic}, {"text", rule}}.dump(2) << '\n';
    else
      llvm::outs() << rule;
    return Done;
  }
  Session session;
  auto topics = getTopics();
  auto found = topics.find(options.topic);
  if (found == topics.end()) {
    std::string known;
    for (const auto &[topic, title] : topics)
      known += (known.empty() ? "" : ", ") + topic;
    session.getDiagnostics().error({}, "no topic '" + options.topic + "'", "topics are " + known);
    return BadInput;
  }
  std::string text = getText(options.topic, session);
  if (options.json)
    llvm::outs()
        << nlohmann::json{{"topic", options.topic}, {"title", found->second}, {"text", text}}.dump(
               2)
        << '\n';
  else
    llvm::outs() << text;
  return Done;
}
