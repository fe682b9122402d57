// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Npz.h"

#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace nereid {

namespace {

constexpr uint32_t localMagic = 0x04034b50, centralMagic = 0x02014b50, endMagic = 0x06054b50;
constexpr size_t localBytes = 30, centralBytes = 46, endBytes = 22;
/// 1980-01-01, the first date that the format knows.
constexpr uint16_t firstDate = (1 << 5) | 1;

struct Entry {
  std::string name;
  uint32_t checksum;
  uint32_t size;
  uint32_t offset;
};

void put16(std::string &text, uint16_t value) { text += {char(value & 0xff), char(value >> 8)}; }
void put32(std::string &text, uint32_t value) {
  put16(text, value & 0xffff);
  put16(text, value >> 16);
}

/// What the local header and the central directory say alike.
void putDescription(std::string &text, const Entry &entry) {
  put16(text, 20); // the version of the format
  put16(text, 0);  // flags
  put16(text, 0);  // stored
  put16(text, 0);
  put16(text, firstDate);
  put32(text, entry.checksum);
  put32(text, entry.size);
  put32(text, entry.size);
  put16(text, entry.name.size());
  put16(text, 0); // no extra field
}

} // namespace

std::string formatNpz(const NpzArrays &arrays) {
  std::string text;
  std::vector<Entry> entries;
  for (const auto &[name, array] : arrays) {
    std::string data = formatNpy(array);
    uint32_t checksum =
        crc32(ArrayRef(reinterpret_cast<const uint8_t *>(data.data()), data.size()));
    const Entry &entry =
        entries.emplace_back(name + ".npy", checksum, static_cast<uint32_t>(data.size()),
                             static_cast<uint32_t>(text.size()));
    put32(text, localMagic);
    putDescription(text, entry);
    text += entry.name + data;
  }
  uint32_t directory = text.size();
  for (const Entry &entry : entries) {
    put32(text, centralMagic);
    put16(text, 20);
    putDescription(text, entry);
    text.append(10, '\0'); // comment, disk, attributes
    put32(text, entry.offset);
    text += entry.name;
  }
  uint32_t directorySize = text.size() - directory;
  put32(text, endMagic);
  put32(text, 0);
  put16(text, entries.size());
  put16(text, entries.size());
  put32(text, directorySize);
  put32(text, directory);
  put16(text, 0);
  return text;
}

static uint16_t get16(StringRef text, size_t at) {
  return support::endian::read16le(text.data() + at);
}
static uint32_t get32(StringRef text, size_t at) {
  return support::endian::read32le(text.data() + at);
}

/// The data of the entry whose central header lies at `at`.
static std::optional<StringRef> readEntry(StringRef text, size_t at, std::string &error) {
  if (get16(text, at + 10) != 0) {
    error = "it is compressed; write it with numpy.savez";
    return std::nullopt;
  }
  uint64_t size = get32(text, at + 24), offset = get32(text, at + 42);
  if (offset + localBytes <= text.size() && get32(text, offset) == localMagic) {
    uint64_t data = offset + localBytes + get16(text, offset + 26) + get16(text, offset + 28);
    // NumPy writes the sizes of large arrays into an extra field; those are not read.
    if (size != UINT32_MAX && data + size <= text.size())
      return text.substr(data, size);
  }
  error = "its directory does not fit its contents";
  return std::nullopt;
}

/// Where the end record starts; it may be followed by a comment.
static std::optional<size_t> findEnd(StringRef text) {
  if (text.size() < endBytes)
    return std::nullopt;
  size_t last = text.size() - endBytes;
  for (size_t at = last + 1; at-- > (last > 65535 ? last - 65535 : 0);)
    if (get32(text, at) == endMagic)
      return at;
  return std::nullopt;
}

std::optional<NpyArray> readNpz(StringRef path, StringRef name, std::string &error) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = buffer.getError().message();
    return std::nullopt;
  }
  StringRef text = (*buffer)->getBuffer();
  std::optional<size_t> end = findEnd(text);
  if (!end) {
    error = "it is no .npz file";
    return std::nullopt;
  }
  std::string known;
  size_t at = get32(text, *end + 16);
  for (unsigned left = get16(text, *end + 10); left > 0; --left) {
    if (at + centralBytes > text.size() || get32(text, at) != centralMagic ||
        at + centralBytes + get16(text, at + 28) > text.size())
      break;
    StringRef entry = text.substr(at + centralBytes, get16(text, at + 28));
    entry.consume_back(".npy");
    if (entry == name) {
      std::optional<StringRef> data = readEntry(text, at, error);
      return data ? parseNpy(*data, error) : std::nullopt;
    }
    known += (known.empty() ? "" : ", ") + entry.str();
    at += centralBytes + get16(text, at + 28) + get16(text, at + 30) + get16(text, at + 32);
  }
  error =
      "it has no array '" + name.str() + "'" + (known.empty() ? std::string() : ", only " + known);
  return std::nullopt;
}

} // namespace nereid
