// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

namespace nereid::analysis::test {

std::string KernelGenerator::emit(const std::string &operation) {
  std::string name = "%v" + std::to_string(names++);
  body += "  " + name + " = " + operation + "\n";
  return name;
}

static std::string tileOf(int block, const std::string &element = "i32") {
  return "tensor<" + std::to_string(block) + "x" + element + ">";
}

std::string KernelGenerator::constant(int value, const std::string &type) {
  if (type == "i32")
    return emit("arith.constant " + std::to_string(value) + " : i32");
  return emit("arith.constant dense<" + std::to_string(value) + "> : " + type);
}

std::string KernelGenerator::splat(const std::string &scalar) {
  return emit("tile.splat " + scalar + " : i32 -> " + tileOf(block));
}

/// Now and then an index is changed by an operation that may take it outside.
std::string KernelGenerator::vary(const std::string &index) {
  std::string type = tileOf(block);
  switch (number(0, 11)) {
  case 0:
    return emit("arith.addi " + index + ", " + constant(number(-1, 2), type) + " : " + type);
  case 1:
    return emit("arith.muli " + index + ", " + constant(number(1, 2), type) + " : " + type);
  case 2:
    return emit("arith.divsi " + index + ", " + constant(number(1, 3), type) + " : " + type);
  case 3:
    return emit("arith.remsi " + index + ", " + constant(number(1, 6), type) + " : " + type);
  case 4: {
    std::string last = emit("arith.subi " + splat("%n") + ", " + constant(1, type) + " : " + type);
    return emit("arith.minsi " + index + ", " + last + " : " + type);
  }
  case 5: {
    std::string turned = emit("arith.subi " + splat("%n") + ", " + index + " : " + type);
    return emit("arith.subi " + turned + ", " + constant(number(0, 1), type) + " : " + type);
  }
  default:
    return index;
  }
}

std::string KernelGenerator::finish(const std::string &access) {
  std::string text = "func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %n: i32, %m: i32) "
                     "attributes {tile.kernel} {\n" +
                     body + access + "  return\n}\n";
  body.clear();
  names = 0;
  return text;
}

RandomKernel KernelGenerator::makeVector() {
  block = 1 << number(0, 3);
  std::string type = tileOf(block), flags = tileOf(block, "i1"),
              pointers = tileOf(block, "!tile.ptr<i32>");
  std::string pid = emit("tile.program_id 0");
  std::string width = constant(oneIn(8) ? block - 1 : block, "i32");
  std::string start = splat(emit("arith.muli " + pid + ", " + width + " : i32"));
  std::string range = emit("tile.range " + std::to_string(oneIn(10)) + " : " + type);
  std::string index = emit("arith.addi " + start + ", " + range + " : " + type);
  std::string place = vary(index), mask;
  std::string tested = oneIn(3) ? place : index;
  if (!oneIn(8)) {
    std::string relation = oneIn(6) ? "sle" : "slt";
    mask = emit("arith.cmpi " + relation + ", " + tested + ", " + splat(oneIn(8) ? "%m" : "%n") +
                " : " + type);
    if (oneIn(2)) {
      std::string low =
          emit("arith.cmpi sge, " + place + ", " + constant(number(-1, 1), type) + " : " + type);
      mask = emit("arith." + pick({"andi", "andi", "andi", "ori"}) + " " + mask + ", " + low +
                  " : " + flags);
    }
  }
  std::string base = emit("tile.splat %x : !tile.ptr<i32> -> " + pointers);
  std::string pointer = emit("tile.addptr " + base + ", " + place + " : " + pointers + ", " + type);
  std::string masked = mask.empty() ? "" : " mask " + mask + " : " + flags;
  std::string access =
      "  tile.store " + pointer + ", " + range + masked + " : " + pointers + ", " + type + "\n";
  std::string divisor = std::to_string(block);
  RandomKernel kernel;
  kernel.text = finish(access);
  kernel.grid = {pick({"cdiv(N, " + divisor + ")", "cdiv(N, " + divisor + ")", "N // " + divisor,
                       "cdiv(N, " + divisor + ") + 1", "M"})};
  std::string size = pick(
      {"[N] x [1]", "[N] x [1]", "[N + 1] x [1]", "[M] x [1]", "[2 * N] x [1]", "[M, N] x [N, 1]"});
  kernel.arguments = {size, size, "N", "M"};
  return kernel;
}

RandomKernel KernelGenerator::makeRows() {
  block = 1 << number(0, 2);
  std::string type = tileOf(block), flags = tileOf(block, "i1"),
              pointers = tileOf(block, "!tile.ptr<i32>");
  std::string row = emit("tile.program_id 0");
  std::string stride = oneIn(8) ? "%m" : "%n";
  std::string base = emit("arith.muli " + row + ", " + stride + " : i32");
  std::string pointer = emit("tile.addptr %x, " + base + " : !tile.ptr<i32>, i32");
  std::string range = emit("tile.range 0 : " + type);
  std::string zero = constant(0, "i32"), step = constant(block, "i32");
  body +=
      "  scf.for %i = " + zero + " to " + (oneIn(8) ? "%m" : "%n") + " step " + step + " : i32 {\n";
  std::string column = emit("arith.addi " + splat("%i") + ", " + range + " : " + type);
  column = vary(column);
  std::string mask = emit("arith.cmpi " + std::string(oneIn(8) ? "sle" : "slt") + ", " + column +
                          ", " + splat("%n") + " : " + type);
  std::string bases = emit("tile.splat " + pointer + " : !tile.ptr<i32> -> " + pointers);
  std::string place = emit("tile.addptr " + bases + ", " + column + " : " + pointers + ", " + type);
  std::string masked = oneIn(10) ? "" : " mask " + mask + " : " + flags;
  body += "  tile.store " + place + ", " + range + masked + " : " + pointers + ", " + type + "\n";
  RandomKernel kernel;
  kernel.text = finish("  }\n");
  kernel.grid = {pick({"M", "M", "M", "M + 1", "M - 1", "N"})};
  std::string size = pick({"[M, N] x [N, 1]", "[M, N] x [N, 1]", "[M, N] x [N + 1, 1]",
                           "[N, M] x [M, 1]", "[M, 1, N] x [N, N, 1]", "[M, N] x [1, M]"});
  kernel.arguments = {size, size, "N", "M"};
  return kernel;
}

RandomKernel KernelGenerator::makeTiles() {
  block = 1 << number(0, 2);
  std::string b = std::to_string(block), type = tileOf(block);
  std::string wide = "tensor<" + b + "x" + b + "xi32>", flags = "tensor<" + b + "x" + b + "xi1>",
              pointers = "tensor<" + b + "x" + b + "x!tile.ptr<i32>>";
  auto axis = [&](int grid) {
    std::string pid = emit("tile.program_id " + std::to_string(grid));
    std::string start = splat(emit("arith.muli " + pid + ", " + constant(block, "i32") + " : i32"));
    std::string index =
        emit("arith.addi " + start + ", " + emit("tile.range 0 : " + type) + " : " + type);
    return oneIn(3) ? vary(index) : index;
  };
  auto spread = [&](const std::string &value, int position, const std::string &element) {
    std::string thin =
        position ? "tensor<" + b + "x1x" + element + ">" : "tensor<1x" + b + "x" + element + ">";
    std::string expanded = emit("tile.expand_dims " + value + " " + std::to_string(position) +
                                " : " + tileOf(block, element) + " -> " + thin);
    return emit("tile.broadcast " + expanded + " : " + thin + " -> tensor<" + b + "x" + b + "x" +
                element + ">");
  };
  std::string row = axis(0), column = axis(1);
  std::string inRow =
      emit("arith.cmpi slt, " + row + ", " + splat(oneIn(8) ? "%n" : "%m") + " : " + type);
  std::string inColumn =
      emit("arith.cmpi slt, " + column + ", " + splat(oneIn(8) ? "%m" : "%n") + " : " + type);
  std::string scaled = emit("arith.muli " + row + ", " + splat("%n") + " : " + type);
  std::string place = emit("arith.addi " + spread(scaled, 1, "i32") + ", " +
                           spread(column, 0, "i32") + " : " + wide);
  std::string mask = emit("arith.andi " + spread(inRow, 1, "i1") + ", " +
                          spread(inColumn, 0, "i1") + " : " + flags);
  std::string base = emit("tile.splat %x : !tile.ptr<i32> -> " + pointers);
  std::string pointer = emit("tile.addptr " + base + ", " + place + " : " + pointers + ", " + wide);
  std::string masked = oneIn(10) ? "" : " mask " + mask + " : " + flags;
  RandomKernel kernel;
  kernel.text = finish("  tile.store " + pointer + ", " + place + masked + " : " + pointers + ", " +
                       wide + "\n");
  kernel.grid = {"cdiv(M, " + b + ")", "cdiv(" + pick({"N", "N", "N", "M"}) + ", " + b + ")"};
  std::string size =
      pick({"[M, N] x [N, 1]", "[M, N] x [N, 1]", "[N, M] x [M, 1]", "[M, N] x [N + 1, 1]"});
  kernel.arguments = {size, size, "N", "M"};
  return kernel;
}

std::string KernelGenerator::flatIndex() {
  std::string type = tileOf(block), pid = emit("tile.program_id 0");
  std::string start = splat(emit("arith.muli " + pid + ", " + constant(block, "i32") + " : i32"));
  return emit("arith.addi " + start + ", " + emit("tile.range 0 : " + type) + " : " + type);
}

std::string KernelGenerator::pointers(const std::string &argument, const std::string &place) {
  std::string type = tileOf(block, "!tile.ptr<i32>");
  std::string base = emit("tile.splat " + argument + " : !tile.ptr<i32> -> " + type);
  return emit("tile.addptr " + base + ", " + place + " : " + type + ", " + tileOf(block));
}

std::string KernelGenerator::lessThan(const std::string &index, const std::string &bound) {
  return emit("arith.cmpi " + std::string(oneIn(10) ? "sle" : "slt") + ", " + index + ", " + bound +
              " : " + tileOf(block));
}

RandomKernel KernelGenerator::makeTakenApart() {
  block = 1 << number(0, 3);
  std::string type = tileOf(block), flags = tileOf(block, "i1"),
              places = tileOf(block, "!tile.ptr<i32>");
  std::string index = flatIndex();
  int width = number(1, 5), stride = oneIn(4) ? number(1, 6) : width, scale = number(1, 2);
  std::string divisor = constant(oneIn(6) ? number(1, 5) : width, type);
  std::string row = emit("arith.divsi " + index + ", " + divisor + " : " + type);
  std::string column = emit("arith.remsi " + index + ", " + constant(width, type) + " : " + type);
  if (oneIn(4))
    column = emit("arith.subi " + constant(width - 1, type) + ", " + column + " : " + type);
  std::string high =
      emit("arith.muli " + row + ", " + constant(stride * scale, type) + " : " + type);
  std::string low = emit("arith.muli " + column + ", " + constant(scale, type) + " : " + type);
  std::string place = emit("arith.addi " + high + ", " + low + " : " + type);
  std::string mask = lessThan(index, splat(oneIn(8) ? "%m" : "%n"));
  if (oneIn(3))
    mask = emit("arith.andi " + mask + ", " + lessThan(row, splat("%m")) + " : " + flags);
  std::string pointer = pointers("%x", place);
  RandomKernel kernel;
  kernel.text = finish("  tile.store " + pointer + ", " + index +
                       (oneIn(10) ? "" : " mask " + mask + " : " + flags) + " : " + places + ", " +
                       type + "\n");
  std::string w = std::to_string(width), s = std::to_string(scale),
              whole = std::to_string(width * scale);
  kernel.grid = {"cdiv(N, " + std::to_string(block) + ")"};
  // Rounded up; a list of sizes has no commas inside.
  std::string rows = "((N + " + std::to_string(width - 1) + ") // " + w + ")";
  std::string size =
      pick({"[N] x [" + s + "]", "[" + rows + ", " + w + "] x [" + whole + ", " + s + "]",
            "[N // " + w + ", " + w + "] x [" + whole + ", " + s + "]",
            "[" + whole + " * " + rows + "] x [1]", "[" + s + " * N] x [1]"});
  kernel.arguments = {size, size, "N", "M"};
  return kernel;
}

RandomKernel KernelGenerator::makeBranches() {
  block = 1 << number(0, 2);
  std::string type = tileOf(block), flags = tileOf(block, "i1"),
              places = tileOf(block, "!tile.ptr<i32>");
  std::string index = flatIndex(), place = vary(index), mask = lessThan(index, splat("%n"));
  std::string source = pointers("%y", oneIn(2) ? index : place), target = pointers("%x", place);
  std::string moved =
      emit("arith.addi " + place + ", " + constant(number(-1, 1) * block, type) + " : " + type);
  std::string other = pointers("%x", oneIn(3) ? index : moved);
  std::string masked = " mask " + mask + " : " + flags;
  body += "  %loaded = tile.load " + source + masked + " : " + places + " -> " + type + "\n";
  std::string left = oneIn(2) ? "%m" : emit("tile.program_id 0");
  std::string right = oneIn(2) ? "%n" : constant(number(0, 3), "i32");
  std::string condition = emit("arith.cmpi " + pick({"slt", "eq", "sge", "ne"}) + ", " + left +
                               ", " + right + " : i32");
  std::string store = ", %loaded" + masked + " : " + places + ", " + type + "\n";
  std::string access = "  scf.if " + condition + " {\n    tile.store " + target + store + "  }";
  if (oneIn(2))
    access += " else {\n    tile.store " + other + store + "  }";
  access += "\n";
  if (oneIn(4))
    access += "  tile.store " + other + store;
  RandomKernel kernel;
  kernel.text = finish(access);
  std::string divisor = std::to_string(block);
  kernel.grid = {pick({"cdiv(N, " + divisor + ")", "cdiv(N, " + divisor + ") + 1", "M"})};
  std::string size = pick({"[N] x [1]", "[N] x [1]", "[N + 1] x [1]", "[2 * N] x [1]"});
  kernel.arguments = {size, oneIn(4) ? "[M] x [1]" : size, "N", "M"};
  return kernel;
}

RandomKernel KernelGenerator::make() {
  RandomKernel kernel;
  switch (number(0, 4)) {
  case 0:
    kernel = makeVector();
    break;
  case 1:
    kernel = makeRows();
    break;
  case 2:
    kernel = makeTiles();
    break;
  case 3:
    kernel = makeTakenApart();
    break;
  default:
    kernel = makeBranches();
  }
  kernel.facts = "M >= 0 and N >= 0 and M <= 10000 and N <= 10000";
  return kernel;
}

} // namespace nereid::analysis::test
