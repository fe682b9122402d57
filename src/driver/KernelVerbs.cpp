// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs of files and folders of kernels: check, audit, upgrade and the editor server.
#include "audit/PathPatterns.h"
#include "driver/Verbs.h"

using namespace nereid::driver;

namespace {

/// What `[tool.nereid]` may say too, and where that stands.
template <typename Options> void addConfiguration(CLI::App *verb, Options &options) {
  verb->add_option("--exclude", options.exclude,
                   "Leave files and folders out: build, tests/gpu, *_ascend.py (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false)
      ->check([](const std::string &pattern) {
        std::string problem = nereid::audit::PathPatterns::check(pattern);
        return problem.empty() ? "" : "'" + pattern + "' is no pattern: " + problem;
      });
  verb->add_option("--config", options.config,
                   "Take [tool.nereid] from here and not from the pyproject.toml above the paths")
      ->type_name("FILE");
}

CLI::Option *addReference(CLI::App *verb, AuditOptions &options) {
  CLI::Option *reference =
      verb->add_option("--reference", options.reference,
                       "Run FILE.py:WRAPPER (or the wrapper of FILE.py:KERNEL) in the interpreter "
                       "and compare it with this function in PyTorch, over a matrix of inputs")
          ->type_name("REF.py:FUNCTION");
  verb->add_option("--inputs", options.inputs,
                   "The inputs of the reference: x=f32[M,N],w=f32[N] (default: the get_inputs() of "
                   "its file)")
      ->type_name("SPEC")
      ->needs(reference);
  addSizes(verb, options.sizes);
  verb->add_option("--largest", options.largest,
                   "Skip cases of the comparison with more elements than this")
      ->type_name("N")
      ->needs(reference);
  return reference;
}

} // namespace

void nereid::driver::addCheck(CLI::App &app, CheckOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand(
      "check", "Compile every Triton kernel in files and folders, at signatures that are inferred");
  verb->add_option("paths", options.paths, "Python files, and folders of them")->required();
  verb->add_option(
          "--triton", options.version,
          "The version that sources find, 3.6 to 3.9 (default: 3.6, and names that earlier "
          "versions had)")
      ->type_name("V")
      ->check([](const std::string &text) {
        bool isKnown = text.starts_with("3.") || text.starts_with("2.");
        return isKnown ? "" : "'" + text + "' is no version of Triton: use 3.6, 3.7, 3.8 or 3.9";
      });
  verb->add_option("--timeout", options.timeout, "Seconds for one kernel")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86400.0))
      ->default_str("10");
  addConfiguration(verb, options);
  verb->add_option("--jobs", options.jobs,
                   "How many threads work at the same time (default: as many as the machine has)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--cache", options.cache,
                   "Where results are kept until a file changes that they were made of (default: "
                   "nereid in $XDG_CACHE_HOME or ~/.cache)")
      ->type_name("FOLDER")
      ->excludes(verb->add_flag("--no-cache", options.noCache, "Look at all kernels anew"));
  verb->add_flag("--verbose", options.verbose,
                 "Show the signature of every kernel, and what it was inferred from");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer("Exit status: 0 all kernels compiled, 1 some were rejected, 2 bad usage.\n"
               "Examples:\n"
               "  nereid check kernels.py\n"
               "  nereid check src/ --verbose\n"
               "  nereid check src/ --json");
  verb->callback([&] { status = check(options); });
}

void nereid::driver::addAudit(CLI::App &app, AuditOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand(
      "audit", "Prove the accesses of every Triton kernel under its launches, and find what is "
               "wrong");
  verb->add_option("paths", options.paths, "Python files, and folders of them")->required();
  verb->add_option("--triton", options.version,
                   "What triton.__version__ is where sources ask for it: 3.6 (the default) to 3.9")
      ->type_name("V");
  verb->add_option("--timeout", options.timeout, "Seconds for one kernel")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86400.0))
      ->default_str("5");
  addConfiguration(verb, options);
  verb->add_option("--select", options.select,
                   "These rules alone: ids, starts of ids (TRN) or names, quiet ones too")
      ->type_name("RULE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--ignore", options.ignore, "All but these rules")
      ->type_name("RULE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--sarif", options.sarif, "Write the findings and proofs as SARIF 2.1.0")
      ->type_name("FILE");
  verb->add_option("--baseline", options.baseline,
                   "Leave out what an earlier audit has found: its SARIF file")
      ->type_name("FILE");
  verb->add_option("--diff", options.diff,
                   "Only what is found on lines that have changed since a revision of git")
      ->type_name("REV");
  verb->add_option(
          "--html", options.html,
          "Write one page with findings, proofs and the sources in the colours of verdicts")
      ->type_name("FILE.html")
      ->check([](const std::string &path) {
        return path.ends_with(".html") ? "" : "'" + path + "' does not end in .html";
      });
  CLI::Option *reference = addReference(verb, options);
  CLI::Option *fix = verb->add_flag(
      "--fix", options.fix, "Write what mends findings and is audited again; show what else may");
  fix->excludes(reference);
  verb->add_flag("--diff-only", options.diffOnly,
                 "Print what --fix would change, and write nothing")
      ->needs(fix);
  verb->add_option("--report", options.report, "Write a report in Markdown")
      ->type_name("FILE.md")
      ->check([](const std::string &path) {
        return path.ends_with(".md") ? "" : "'" + path + "' does not end in .md";
      });
  verb->add_flag("--verbose", options.verbose, "Show every access with its verdict, and notes");
  verb->add_flag("--json", options.json, "Print one JSON object")->excludes(fix);
  verb->footer("Exit status: 0 no errors, 1 errors, 2 bad usage.\n"
               "Examples:\n"
               "  nereid audit kernels.py\n"
               "  nereid audit src/ --sarif audit.sarif --html audit.html\n"
               "  nereid audit kernels.py:softmax --reference model.py:softmax --inputs "
               "'x=f32[M,N]'\n"
               "  nereid audit src/ --baseline audit.sarif\n"
               "  nereid audit src/ --diff main\n"
               "  nereid audit src/ --fix --diff-only > fixes.patch\n"
               "  nereid audit src/ --json");
  verb->callback([&] { status = audit(options); });
}

void nereid::driver::addLsp(CLI::App &app, int &status) {
  CLI::App *verb = app.add_subcommand(
      "lsp", "Serve an editor over standard input and output: what the audit finds while you type, "
             "fixes, proofs under the pointer");
  verb->add_flag_callback("--stdio", [] {}, "What it does anyway; editors may ask for it");
  verb->footer("Editors start it: nereid docs editors");
  verb->callback([&status] { status = lsp(); });
}

void nereid::driver::addUpgrade(CLI::App &app, UpgradeOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand(
      "upgrade", "Bring Triton kernels to a newer Triton, each shown to be what it was");
  verb->add_option("paths", options.paths, "Python files, and folders of them")->required();
  verb->add_option("--triton", options.version, "The version that they are for: 3.4 to 3.9")
      ->type_name("V")
      ->check([](const std::string &text) {
        bool isKnown = text.size() == 3 && text >= "3.4" && text <= "3.9";
        return isKnown ? "" : "'" + text + "' is no version to upgrade to: use 3.4 to 3.9";
      })
      ->capture_default_str();
  verb->add_flag("--deprecated", options.deprecated,
                 "Also what still works but is deprecated (tl.dot's allow_tf32)");
  CLI::Option *write = verb->add_flag("--write", options.write, "Write the files");
  verb->add_flag("--diff", options.diff, "Print the diff and nothing else")->excludes(write);
  verb->add_option("--timeout", options.timeout, "Seconds for one kernel")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer("Exit status: 0 nothing to do or all upgraded, 1 something is left, 2 bad usage.\n"
               "Examples:\n"
               "  nereid upgrade src/\n"
               "  nereid upgrade src/ --diff > upgrade.patch\n"
               "  nereid upgrade kernels.py --triton 3.9 --write");
  verb->callback([&] { status = upgrade(options); });
}
