// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random small kernels as people write them, right and slightly wrong: a wrong size, a mask with
// `<=` or none, a grid rounded down, a stride of another tensor.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace nereid::analysis::test {

struct RandomKernel {
  std::string text;
  std::vector<std::string> arguments;
  std::vector<std::string> grid;
  std::string facts;
};

class KernelGenerator {
public:
  explicit KernelGenerator(unsigned seed) : engine(seed) {}
  RandomKernel make();

private:
  /// One dimension: some index, a mask of comparisons.
  RandomKernel makeVector();
  /// Rows over programs, columns in a loop.
  RandomKernel makeRows();
  /// Two-dimensional tiles over two grid axes.
  RandomKernel makeTiles();
  /// A flat index taken apart by quotient and remainder, put together with other strides.
  RandomKernel makeTakenApart();
  /// A load, stores in the arms of a branch on program or size, some of them over one another.
  RandomKernel makeBranches();

  /// The flat index of a program's lanes, `pid * block + lane`; sets the tile's type.
  std::string flatIndex();
  std::string pointers(const std::string &argument, const std::string &place);
  std::string lessThan(const std::string &index, const std::string &bound);

  bool oneIn(unsigned n) { return number(1, n) == 1; }
  int number(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine); }
  std::string pick(std::vector<std::string> choices) {
    return choices[number(0, int(choices.size()) - 1)];
  }
  /// Appends an operation over i32 values of `type` and returns its name.
  std::string emit(const std::string &operation);
  std::string constant(int value, const std::string &type);
  std::string splat(const std::string &scalar);
  std::string vary(const std::string &index);
  std::string finish(const std::string &access);

  std::mt19937 engine;
  std::string body;
  unsigned names = 0;
  int block = 4;
};

} // namespace nereid::analysis::test
