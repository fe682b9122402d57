// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid docs`: the pages of docs/, which lie inside the binary.
#include "driver/Session.h"

#include "llvm/Support/Format.h"
#include <nlohmann/json.hpp>

using namespace nereid;
using namespace nereid::driver;

namespace {

struct Page {
  const char *topic;
  const char *text;
};

constexpr Page pages[] = {
#include "DocPages.inc"
};

/// The first heading, without its marks.
llvm::StringRef titleOf(const Page &page) {
  llvm::StringRef line = llvm::StringRef(page.text).ltrim();
  return line.take_until([](char c) { return c == '\n'; }).ltrim("# ");
}

int list(const DocsOptions &options) {
  if (options.json) {
    nlohmann::json topics = nlohmann::json::array();
    for (const Page &page : pages)
      topics.push_back({{"topic", page.topic}, {"title", titleOf(page).str()}});
    llvm::outs() << nlohmann::json{{"topics", topics}}.dump(2) << '\n';
    return Done;
  }
  size_t width = 0;
  for (const Page &page : pages)
    width = std::max(width, llvm::StringRef(page.topic).size());
  for (const Page &page : pages)
    llvm::outs() << llvm::left_justify(page.topic, width + 2) << titleOf(page) << '\n';
  return Done;
}

} // namespace

int driver::docs(const DocsOptions &options) {
  if (options.topic.empty())
    return list(options);
  for (const Page &page : pages) {
    if (options.topic != page.topic)
      continue;
    if (options.json)
      llvm::outs() << nlohmann::json{{"topic", page.topic}, {"title", titleOf(page).str()}, {"text", page.text}}.dump(2)
                   << '\n';
    else
      llvm::outs() << page.text;
    return Done;
  }
  Session session;
  std::string known;
  for (const Page &page : pages)
    known += (known.empty() ? "" : ", ") + std::string(page.topic);
  session.getDiagnostics().error({}, "no topic '" + options.topic + "'", "topics are " + known);
  return BadInput;
}
