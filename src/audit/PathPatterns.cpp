// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/PathPatterns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace nereid::audit {

static std::string makeWhole(StringRef given) {
  SmallString<256> whole(given.empty() ? "." : given);
  // Where the working folder is gone there is nothing to make it of.
  (void)sys::fs::make_absolute(whole);
  path::remove_dots(whole, /*remove_dot_dot=*/true);
  return whole.str().str();
}

static StringRef withoutEnd(StringRef pattern) { return pattern.rtrim('/'); }

PathPatterns::PathPatterns(ArrayRef<std::string> patterns, const std::string &folder) {
  for (const std::string &pattern : patterns) {
    Expected<GlobPattern> glob = GlobPattern::create(withoutEnd(pattern), 1024);
    if (glob)
      globs.push_back(std::move(*glob));
    else
      consumeError(glob.takeError());
  }
  if (!globs.empty())
    root = makeWhole(folder) + "/";
}

std::string PathPatterns::check(StringRef pattern) {
  Expected<GlobPattern> glob = GlobPattern::create(withoutEnd(pattern), 1024);
  return glob ? "" : toString(glob.takeError());
}

bool PathPatterns::matchText(StringRef text) const {
  return any_of(globs, [&](const GlobPattern &glob) { return glob.match(text); });
}

bool PathPatterns::match(StringRef given) const {
  if (globs.empty())
    return false;
  std::string whole = makeWhole(given);
  StringRef rest = whole;
  (void)rest.consume_front(root);
  for (StringRef part = rest; !part.empty(); part = path::parent_path(part)) {
    if (matchText(part) || matchText(path::filename(part)))
      return true;
    if (part == "/")
      break;
  }
  return false;
}

} // namespace nereid::audit
