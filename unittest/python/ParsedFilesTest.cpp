// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParsedFiles.h"

#include "gtest/gtest.h"

#include <fstream>
#include <thread>

using namespace nereid;
using namespace nereid::python;

TEST(ParsedFiles, EachIsReadOnce) {
  std::string path = testing::TempDir() + "nereid-parsed-files.py";
  std::ofstream(path) << "x = 1\n";
  ParsedFiles files;
  EXPECT_EQ(files.find(path), nullptr);
  std::vector<const ParsedFiles::Entry *> seen(8);
  std::vector<std::thread> threads;
  for (const ParsedFiles::Entry *&entry : seen)
    threads.emplace_back([&] { entry = &files.get(path); });
  for (std::thread &thread : threads)
    thread.join();
  for (const ParsedFiles::Entry *entry : seen)
    EXPECT_EQ(entry, seen.front());
  ASSERT_TRUE(seen.front()->parsed);
  std::ofstream(path) << "y = (\n";
  EXPECT_EQ(files.get(path).source->getText(), "x = 1\n");
  EXPECT_EQ(files.find(path), seen.front());
  ParsedFiles later;
  EXPECT_FALSE(later.get(path).parsed);
  EXPECT_TRUE(later.get(path).diagnostics.hasErrors());
  std::remove(path.c_str());
  ParsedFiles last;
  EXPECT_FALSE(last.get(path).source);
  EXPECT_FALSE(last.get(path).error.empty());
}
