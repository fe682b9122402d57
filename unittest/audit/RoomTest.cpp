// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found does not depend on how often a tree is read again.
#include "audit/Audit.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace nereid;
using namespace nereid::audit;
namespace fs = std::filesystem;

namespace {
constexpr const char *kernels = R"(
import torch
import triton
import triton.language as tl

@triton.jit
def twice(x):
    return x + x

@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, twice(tl.load(x_ptr + offs)), mask=offs < n)  # nereid: ignore[TRC003] no

def scale(x, block=None):
    out = torch.empty_like(x)
    n = out.numel()
    if block is None:
        block = 128
    scale_kernel[(triton.cdiv(n, block),)](x, out, n, BLOCK=block)
    return out

def make():
    @triton.jit
    def inner(x_ptr, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x_ptr + offs, 0.0, mask=offs < n)

    def fill(x):
        inner[(triton.cdiv(x.numel(), 64),)](x, x.numel(), BLOCK=64)

    return fill
)";
constexpr const char *callers = R"(
import torch
import triton
from .kernels import scale, scale_kernel

def both(x, y):
    assert x.is_contiguous() and y.is_contiguous()
    return scale(x), scale(y)

def wrong(x, rows):
    out = torch.empty((rows,), device=x.device)
    scale_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
)";

/// All that is told, one thing a line.
std::string tell(const AuditResult &result) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const AuditedKernel &kernel : result.kernels) {
    os << kernel.name << ' ' << kernel.compiled << ' ' << kernel.caller << ' ' << kernel.launches;
    for (const std::string &wrapper : kernel.wrappers)
      os << ' ' << wrapper;
    os << '\n';
    for (const AuditedAccess &access : kernel.accesses) {
      os << access.line << ' ' << access.operation << ' ' << int(access.property) << ' '
         << int(access.verdict) << ' ' << access.reason;
      for (const std::string &assumption : access.assumptions)
        os << "; " << assumption;
      os << '\n';
    }
  }
  for (const Finding &finding : result.findings) {
    os << finding.rule->id << ' ' << finding.isSuppressed << ' ';
    printDiagnostic(finding.diagnostic, os, false);
  }
  return text;
}
} // namespace

TEST(Room, ReadingAgainFindsTheSame) {
  fs::path folder = fs::path(testing::TempDir()) / "nereid-room";
  fs::remove_all(folder);
  fs::create_directories(folder / "pkg");
  std::ofstream(folder / "pkg" / "__init__.py") << "";
  std::ofstream(folder / "pkg" / "kernels.py") << kernels;
  std::ofstream(folder / "pkg" / "callers.py") << callers;
  AuditOptions options;
  options.paths = {folder.string()};
  options.seconds = 1000;
  std::string once = tell(audit::audit(options));
  options.room = 0;
  EXPECT_EQ(tell(audit::audit(options)), once);
  EXPECT_NE(once.find("scale_kernel 1"), std::string::npos) << once;
  EXPECT_NE(once.find("TRC"), std::string::npos) << once;
  fs::remove_all(folder);
}
