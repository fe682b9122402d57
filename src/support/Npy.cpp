// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

static constexpr StringLiteral magic("\x93NUMPY");

unsigned NpyArray::itemBytes() const {
  unsigned bytes = 0;
  StringRef(kind).drop_front().getAsInteger(10, bytes);
  return bytes;
}

int64_t NpyArray::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// The text after `'KEY':` in the header, which is a Python dictionary.
static StringRef findEntry(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? "" : header.substr(at + key.size() + 3).ltrim();
}

static bool parseHeader(StringRef header, NpyArray &array, bool &columnMajor, std::string &error) {
  StringRef descr = findEntry(header, "descr");
  if (!descr.consume_front("'") && !descr.consume_front("\"")) {
    error = "it holds records, not numbers";
    return false;
  }
  descr = descr.take_until([](char c) { return c == '\'' || c == '"'; });
  if (descr.consume_front(">")) {
    error = "its numbers are big-endian";
    return false;
  }
  descr.consume_front("<") || descr.consume_front("|") || descr.consume_front("=");
  unsigned bytes;
  if (descr.size() < 2 || StringRef("fiub").find(descr[0]) == StringRef::npos ||
      descr.drop_front().getAsInteger(10, bytes) || bytes == 0 || bytes > 8) {
    error = ("its element type '" + descr + "' is not supported").str();
    return false;
  }
  array.kind = descr.str();
  columnMajor = findEntry(header, "fortran_order").starts_with("True");
  StringRef shape = findEntry(header, "shape");
  if (!shape.consume_front("(") || !shape.contains(')')) {
    error = "its header has no shape";
    return false;
  }
  SmallVector<StringRef> extents;
  shape.take_until([](char c) { return c == ')'; }).split(extents, ',');
  for (StringRef extent : extents) {
    int64_t number;
    if (extent.trim().empty())
      continue;
    if (extent.trim().getAsInteger(10, number) || number < 0) {
      error = "its header has a malformed shape";
      return false;
    }
    array.shape.push_back(number);
  }
  return true;
}

/// Column-major to row-major.
static void transpose(NpyArray &array) {
  unsigned item = array.itemBytes();
  size_t rank = array.shape.size();
  std::vector<uint8_t> from = std::move(array.bytes);
  array.bytes.assign(from.size(), 0);
  std::vector<int64_t> index(rank, 0);
  for (int64_t linear = 0, count = array.size(); linear < count; ++linear) {
    int64_t source = 0;
    for (size_t d = rank; d-- > 0;)
      source = source * array.shape[d] + index[d];
    std::copy_n(from.begin() + source * item, item, array.bytes.begin() + linear * item);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < array.shape[d])
        break;
      index[d] = 0;
    }
  }
}

std::optional<NpyArray> readNpy(StringRef path, std::string &error) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = buffer.getError().message();
    return std::nullopt;
  }
  return parseNpy((*buffer)->getBuffer(), error);
}

std::optional<NpyArray> parseNpy(StringRef text, std::string &error) {
  if (!text.consume_front(magic) || text.size() < 6) {
    error = "it is no .npy file";
    return std::nullopt;
  }
  unsigned version = uint8_t(text[0]);
  size_t lengthBytes = version == 1 ? 2 : 4, length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(text[2 + i])) << (8 * i);
  if (version < 1 || version > 3 || text.size() < 2 + lengthBytes + length) {
    error = "its header is malformed";
    return std::nullopt;
  }
  NpyArray array;
  bool columnMajor = false;
  if (!parseHeader(text.substr(2 + lengthBytes, length), array, columnMajor, error))
    return std::nullopt;
  StringRef data = text.drop_front(2 + lengthBytes + length);
  uint64_t needed = array.itemBytes();
  for (int64_t extent : array.shape)
    if (extent != 0 && needed > (uint64_t(1) << 40) / extent) {
      error = "its shape is larger than its data";
      return std::nullopt;
    } else {
      needed *= extent;
    }
  if (data.size() < needed) {
    error = "its data is cut short";
    return std::nullopt;
  }
  array.bytes.assign(data.bytes_begin(), data.bytes_begin() + needed);
  if (columnMajor)
    transpose(array);
  return array;
}

static std::string makeHeader(const NpyArray &array) {
  std::string header = "{'descr': '";
  header += array.itemBytes() == 1 ? "|" : "<";
  header += array.kind + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape)
    header += std::to_string(extent) + ", ";
  header += "), }";
  size_t prefix = magic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  return header + "\n";
}

std::string formatNpy(const NpyArray &array) {
  std::string header = makeHeader(array), text = magic.str();
  text += {'\1', '\0', char(header.size() & 0xff), char(header.size() >> 8)};
  text += header;
  text.append(reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size());
  return text;
}

bool writeNpy(StringRef path, const NpyArray &array, std::string &error) {
  auto temporary = sys::fs::TempFile::create(path + ".%%%%%%");
  if (!temporary) {
    error = toString(temporary.takeError());
    return false;
  }
  {
    raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    os << formatNpy(array);
    os.flush();
    if (os.has_error()) {
      error = os.error().message();
      os.clear_error();
      consumeError(temporary->discard());
      return false;
    }
  }
  if (Error failure = temporary->keep(path)) {
    error = toString(std::move(failure));
    return false;
  }
  return true;
}

} // namespace nereid
