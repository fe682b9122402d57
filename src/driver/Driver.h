// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs of the command line, one function each. They print results to standard output, progress
// and diagnostics to standard error, and return the exit status: 0 done and valid, 1 the answer is
// no, 2 bad usage or bad input, 70 a defect of ours.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace nereid::driver {

enum ExitStatus : int { Done = 0, AnswerIsNo = 1, BadInput = 2, Defect = 70 };

using NamedSizes = std::vector<std::pair<std::string, int64_t>>;

/// What names a PyTorch program and its inputs; shared by convert, compile and validate.
struct ProgramOptions {
  /// `SRC.py` or `SRC.py:NAME`.
  std::string source;
  std::string inputs;
  std::string init;
  /// `bf16`: the module as after `module.to(torch.bfloat16)`; empty: as it is constructed.
  std::string to;
  /// What the emitted file exports; empty: the original's name.
  std::string exportName;
  NamedSizes sizes;
  /// Whether its gradients are wanted too.
  bool backward = false;
  /// Kernels assert that indices which are data lie within their axes.
  bool debug = false;
  /// Operators that are left to PyTorch, by name.
  std::vector<std::string> keepTorch;
};

struct ConvertOptions {
  ProgramOptions program;
  /// 1, 2; 0 for all.
  int stage = 0;
  std::string directory = ".";
  std::string device = "h200";
  /// Write a report here, when not empty: `.html`, `.json` or `.md`.
  std::string report;
  /// Sums of floats may be made by atomics.
  bool allowNondeterministic = false;
  /// Each file has its command line itself, and there is no companion.
  bool standalone = false;
  bool cudaGraph = false;
  bool json = false;
};
int convert(const ConvertOptions &options);

struct CompileOptions {
  ProgramOptions program;
  /// ast, graph, host, tile or triton.
  std::string emit = "triton";
  int stage = 2;
  std::string device = "h200";
  /// Of a Triton kernel: `*fp32,*fp32,i32` or `x_ptr=*fp32,n=i32`; constexprs as `NAME=VALUE`.
  std::string signature;
  std::vector<std::string> constexprs;
  std::string output;
  bool json = false;
};
int compile(const CompileOptions &options);

struct RunOptions {
  std::string source;
  std::string grid;
  std::vector<std::string> arguments;
  std::vector<std::string> constexprs;
  bool check = false;
  uint64_t seed = 0;
  std::string output;
  bool json = false;
};
int run(const RunOptions &options);

struct ValidateOptions {
  ProgramOptions program;
  int stage = 0;
  std::string device = "h200";
  /// Cases of more elements are skipped.
  int64_t largest = std::numeric_limits<int64_t>::max();
  /// Print a line for each case.
  bool cases = false;
  /// Write a page here, when not empty.
  std::string html;
  bool json = false;
};
int validate(const ValidateOptions &options);

struct CheckOptions {
  std::vector<std::string> paths;
  /// The version of Triton that the sources are read as; empty: the default.
  std::string version;
  /// Seconds for one kernel; 0: the default.
  double timeout = 0;
  /// Patterns of what is not looked for in folders, and the folder that they are about.
  std::vector<std::string> exclude;
  std::string excludeRoot;
  /// A `pyproject.toml`, when not empty, in place of the one above the paths.
  std::string config;
  /// How many threads; 0: as many as the machine has.
  unsigned jobs = 0;
  /// Where results are kept, when not empty, in place of the user's folder for such; nowhere.
  std::string cache;
  bool noCache = false;
  /// Show the signature of every kernel, and what it was inferred from.
  bool verbose = false;
  bool json = false;
};
int check(const CheckOptions &options);

struct AuditOptions {
  std::vector<std::string> paths;
  /// The version of Triton that the sources are read as; empty: the default.
  std::string version;
  /// Seconds for one kernel; 0: the default.
  double timeout = 0;
  /// Patterns of what is not looked for in folders, and the folder that they are about.
  std::vector<std::string> exclude;
  std::string excludeRoot;
  /// A `pyproject.toml`, when not empty, in place of the one above the paths.
  std::string config;
  /// Show every access with its verdict, and notes.
  bool verbose = false;
  bool json = false;
  /// Rules by id, the start of an id, or name.
  std::vector<std::string> select, ignore;
  /// Files to write, when not empty: SARIF, a report in Markdown, and a page with the sources.
  std::string sarif, report, html;
  /// The SARIF file of an earlier audit, when not empty: what it tells is known.
  std::string baseline;
  /// A revision of git, when not empty: only what is found on lines that have changed since counts.
  std::string diff;
  /// Make what findings suggest, where another audit shows that it mends them.
  bool fix = false;
  /// Write no file: print what would change, and nothing else.
  bool diffOnly = false;
  /// `REF.py:function`, when not empty: what the wrapper that is named in place of a path is
  /// compared with, its inputs (empty: the file's get_inputs()) and their named sizes.
  std::string reference, inputs;
  NamedSizes sizes;
  /// Cases of the comparison with more elements are skipped.
  int64_t largest = std::numeric_limits<int64_t>::max();
};
int audit(const AuditOptions &options);

/// An editor server over standard input and output.
int lsp();

struct UpgradeOptions {
  std::vector<std::string> paths;
  /// `3.9`.
  std::string version = "3.9";
  /// Also what still works but is deprecated.
  bool deprecated = false;
  double timeout = 10;
  /// Write the files.
  bool write = false;
  /// Print the diff alone.
  bool diff = false;
  bool json = false;
};
int upgrade(const UpgradeOptions &options);

struct DocsOptions {
  std::string topic;
  bool json = false;
};
int docs(const DocsOptions &options);

/// Parses the command line and runs the verb.
int runCommandLine(int argc, char **argv);

} // namespace nereid::driver
