// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Driver.h"

int main(int argc, char **argv) { return nereid::driver::runCommandLine(argc, argv); }
