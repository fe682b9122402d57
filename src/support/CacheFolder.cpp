// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <vector>

using namespace llvm;

namespace nereid {

namespace {
/// What entries, and those that are being written, end in: nothing else in the folder is touched.
constexpr StringLiteral ending = ".entry", unfinished = ".partial";

StringRef toText(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}
} // namespace

std::string CacheFolder::getPath(const Digest &key) const {
  SmallString<256> path(folder);
  sys::path::append(path, toHex(key, /*LowerCase=*/true) + ending);
  return path.str().str();
}

std::optional<std::string> CacheFolder::load(const Digest &key) const {
  if (folder.empty())
    return std::nullopt;
  int descriptor;
  if (sys::fs::openFileForRead(getPath(key), descriptor))
    return std::nullopt;
  std::optional<std::string> result;
  auto buffer = MemoryBuffer::getOpenFile(sys::fs::convertFDToNativeFile(descriptor), getPath(key),
                                          /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  StringRef text = buffer ? (*buffer)->getBuffer() : "";
  // The digest of what follows comes first.
  StringRef kept = text.drop_front(std::min(text.size(), sizeof(Digest)));
  if (text.size() >= sizeof(Digest) && toText(digest(kept)) == text.take_front(sizeof(Digest))) {
    result = kept.str();
    // It was used: `prune` removes others first.
    (void)sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
  }
  sys::fs::file_t file = sys::fs::convertFDToNativeFile(descriptor);
  (void)sys::fs::closeFile(file);
  return result;
}

void CacheFolder::store(const Digest &key, StringRef text) const {
  if (folder.empty() || text.size() > limit || sys::fs::create_directories(folder))
    return;
  int descriptor;
  SmallString<256> temporary, model(getPath(key));
  model += ".%%%%%%%%";
  model += unfinished;
  if (sys::fs::createUniqueFile(model, descriptor, temporary))
    return;
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << toText(digest(text)) << text;
  stream.close();
  bool failed = stream.has_error();
  stream.clear_error();
  if (failed || sys::fs::rename(temporary, getPath(key)))
    (void)sys::fs::remove(temporary);
  else
    prune();
}

void CacheFolder::prune() const {
  struct Entry {
    std::string path;
    sys::TimePoint<> used;
    uint64_t bytes;
  };
  std::vector<Entry> entries;
  uint64_t bytes = 0;
  std::error_code error;
  auto now = std::chrono::system_clock::now();
  for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    StringRef path = it->path();
    ErrorOr<sys::fs::basic_file_status> status = it->status();
    if (!status || !(path.ends_with(ending) || path.ends_with(unfinished)))
      continue;
    // A run that was ended left it behind.
    if (path.ends_with(unfinished)) {
      if (now - status->getLastModificationTime() > std::chrono::hours(1))
        (void)sys::fs::remove(path);
      continue;
    }
    bytes += status->getSize();
    entries.push_back({path.str(), status->getLastModificationTime(), status->getSize()});
  }
  if (bytes <= limit)
    return;
  sort(entries, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  // Some room is left for the next ones.
  for (const Entry &entry : entries) {
    if (bytes <= limit / 4 * 3)
      break;
    if (!sys::fs::remove(entry.path))
      bytes -= entry.bytes;
  }
}

} // namespace nereid
