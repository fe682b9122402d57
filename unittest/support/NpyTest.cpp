// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace nereid;

namespace {
struct NpyTest : testing::Test {
  void SetUp() override { llvm::sys::fs::createTemporaryFile("array", "npy", path); }
  void TearDown() override { llvm::sys::fs::remove(path); }
  void writeText(llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
  }
  /// A version 1 file with this header and data.
  void writeFile(std::string header, llvm::StringRef data) {
    header.append(117 - header.size(), ' ');
    header += '\n';
    std::string text = "\x93NUMPY";
    text += {'\1', '\0', char(header.size()), '\0'};
    writeText(text + header + data.str());
  }
  llvm::SmallString<64> path;
  std::string error;
};
} // namespace

TEST_F(NpyTest, RoundTrips) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {0}, {5}, {2, 3}, {2, 1, 4}}) {
    NpyArray array{"i4", shape, {}};
    for (int64_t i = 0; i < array.size() * 4; ++i)
      array.bytes.push_back(uint8_t(i * 7));
    ASSERT_TRUE(writeNpy(path, array, error)) << error;
    auto back = readNpy(path, error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->kind, "i4");
    EXPECT_EQ(back->shape, shape);
    EXPECT_EQ(back->bytes, array.bytes);
  }
}

TEST_F(NpyTest, ReadsColumnMajor) {
  writeFile("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\1\2\3\4\5\6");
  auto array = readNpy(path, error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->bytes, (std::vector<uint8_t>{1, 3, 5, 2, 4, 6}));
}

TEST_F(NpyTest, RefusesWhatItCannotRead) {
  writeText("no array");
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_EQ(error, "it is no .npy file");
  writeFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234");
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_EQ(error, "its numbers are big-endian");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234");
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_EQ(error, "its data is cut short");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", "");
  EXPECT_FALSE(readNpy(path, error));
  writeFile("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678");
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_FALSE(readNpy("/nonexistent.npy", error));
}
