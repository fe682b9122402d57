// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line. The only file that sees CLI11 and its exceptions.
#include "audit/PathPatterns.h"
#include "driver/Driver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace nereid::driver;

namespace {

/// `--size M=4096`.
void addSizes(CLI::App *verb, NamedSizes &sizes) {
  verb->add_option_function<std::vector<std::string>>(
          "--size",
          [&sizes](const std::vector<std::string> &texts) {
            for (const std::string &text : texts) {
              size_t equals = text.find('=');
              char *end = nullptr;
              int64_t value = equals == std::string::npos
                                  ? -1
                                  : std::strtoll(text.c_str() + equals + 1, &end, 10);
              if (equals == std::string::npos || equals == 0 || value < 0 || *end)
                throw CLI::ValidationError("--size",
                                           "'" + text + "' is not NAME=NUMBER, e.g. M=4096");
              sizes.emplace_back(text.substr(0, equals), value);
            }
          },
          "Typical value of a named size: M=4096 (repeatable)")
      ->type_name("NAME=N");
}

void addProgram(CLI::App *verb, ProgramOptions &program) {
  verb->add_option("source", program.source, "SRC.py or SRC.py:NAME, a function or nn.Module class")
      ->required();
  verb->add_option(
          "--inputs", program.inputs,
          "The inputs: x=f32[4096,1024],w=bf16[N],n=i64 (default: the file's get_inputs())")
      ->type_name("SPEC");
  verb->add_option("--init", program.init,
                   "Arguments of the module's constructor, as between the parentheses of a call: "
                   "'512, p=0.0' (default: get_init_inputs())")
      ->type_name("ARGS");
  addSizes(verb, program.sizes);
}

/// What the emitted program is called and of which type its parameters are.
void addExport(CLI::App *verb, ProgramOptions &program) {
  verb->add_option("--to", program.to,
                   "The module as after module.to(dtype): bf16, f16, f32 or f64 for its parameters "
                   "and buffers, and for floats of get_inputs()")
      ->type_name("DTYPE")
      ->check([](const std::string &text) {
        bool isKnown = text == "bf16" || text == "f16" || text == "f32" || text == "f64";
        return isKnown ? "" : "'" + text + "' is no type of a module: use bf16, f16, f32 or f64";
      });
  verb->add_option("--class-name", program.exportName,
                   "What the emitted class or function is called (default: as the original)")
      ->type_name("NAME")
      ->check([](const std::string &text) {
        bool isName = !text.empty() && !llvm::isDigit(text.front()) &&
                      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
        return isName ? "" : "'" + text + "' is no name of a class or function";
      });
}

void addKeepTorch(CLI::App *verb, ProgramOptions &program) {
  verb->add_option("--keep-torch", program.keepTorch,
                   "Leave an operator to PyTorch: matmul, torch.sort, linalg.inv (repeatable)")
      ->type_name("OP,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void addBackward(CLI::App *verb, ProgramOptions &program) {
  verb->add_flag("--backward", program.backward, "The gradients too, as kernels of their own");
}

void addDebug(CLI::App *verb, ProgramOptions &program) {
  verb->add_flag(
      "--debug", program.debug,
      "Kernels assert that indices that are data lie within their axes, as PyTorch does");
}

CLI::Option *addStage(CLI::App *verb, int &stage) {
  return verb
      ->add_option_function<std::string>(
          "--stage",
          [&stage](const std::string &text) {
            if (text == "all")
              stage = 0;
            else if (text == "1" || text == "2" || text == "3")
              stage = text[0] - '0';
            else
              throw CLI::ValidationError("--stage",
                                         "'" + text + "' is no stage: use 1, 2, 3 or all");
          },
          "1 (a kernel for each operator), 2 (fused), 3 (tuned) or all")
      ->type_name("1|2|3|all");
}

void addDevice(CLI::App *verb, std::string &device) {
  verb->add_option("--device", device, "Whose figures the cost model uses: h200, h100, a100, b200")
      ->capture_default_str();
}

void addConvert(CLI::App &app, ConvertOptions &options, int &status) {
  CLI::App *verb =
      app.add_subcommand("convert", "Convert a PyTorch program to Triton, one file a stage");
  addProgram(verb, options.program);
  addExport(verb, options.program);
  addBackward(verb, options.program);
  addKeepTorch(verb, options.program);
  addDebug(verb, options.program);
  addStage(verb, options.stage);
  addDevice(verb, options.device);
  verb->add_option("-o,--output", options.directory, "The folder for the files")->type_name("DIR");
  verb->add_option("--report", options.report,
                   "Write what each stage bought, its kernels and proofs: FILE.html, .md or .json")
      ->type_name("FILE")
      ->check([](const std::string &path) {
        bool isKnown = path.ends_with(".html") || path.ends_with(".md") || path.ends_with(".json");
        return isKnown ? "" : "'" + path + "' does not end in .html, .md or .json";
      });
  verb->add_flag("--allow-nondeterministic", options.allowNondeterministic,
                 "Sums of floats by atomics where places are data: faster, last digits vary");
  verb->add_flag("--standalone", options.standalone,
                 "Put --validate and --bench into each file instead of a companion beside them");
  verb->add_flag(
      "--cuda-graph", options.cudaGraph,
      "Replay launches as a CUDA graph where no gradient is wanted: less time on the host");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer(
      "Examples:\n"
      "  nereid convert examples/softmax.py -o out\n"
      "  nereid convert model.py:Gate --inputs 'x=bf16[B,T,1024]' --size B=8 --size "
      "T=2048 --stage 2\n"
      "  nereid convert examples/rms_norm.py --backward\n"
      "  nereid convert block.py:Block --init '512, p=0.0' --to bf16 --class-name FastBlock\n"
      "  nereid convert block.py --keep-torch linear,scaled_dot_product_attention");
  verb->callback([&] { status = convert(options); });
}

void addCompile(CLI::App &app, CompileOptions &options, int &status) {
  CLI::App *verb =
      app.add_subcommand("compile", "Show a program or a Triton kernel in one of its forms");
  addProgram(verb, options.program);
  addBackward(verb, options.program);
  addKeepTorch(verb, options.program);
  addDebug(verb, options.program);
  verb->add_option("--emit", options.emit, "ast, graph, schedule, host, tile or triton")
      ->check(CLI::IsMember({"ast", "graph", "schedule", "host", "tile", "triton"}))
      ->capture_default_str();
  options.stage = 2;
  addStage(verb, options.stage);
  addDevice(verb, options.device);
  verb->add_option("--signature", options.signature,
                   "Types of a kernel's arguments: x_ptr=*fp32,n=i32");
  verb->add_option("--constexpr", options.constexprs,
                   "Values of tl.constexpr parameters: BLOCK=1024")
      ->type_name("K=V");
  verb->add_option("-o,--output", options.output, "Write here instead of to standard output")
      ->type_name("FILE");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer("Examples:\n"
               "  nereid compile examples/softmax.py --emit graph\n"
               "  nereid compile examples/softmax.py --stage 3 --emit schedule\n"
               "  nereid compile kernels.py:add_kernel --signature 'x_ptr=*fp32,y_ptr=*fp32,n=i32' "
               "--constexpr BLOCK=1024 "
               "--emit tile");
  verb->callback([&] { status = compile(options); });
}

void addRun(CLI::App &app, RunOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand("run", "Run a Triton kernel in the interpreter");
  verb->add_option("source", options.source, "SRC.py:KERNEL")->required();
  verb->add_option("--grid", options.grid, "Programs along each axis: X or X,Y or X,Y,Z")
      ->required();
  verb->add_option("--arg", options.arguments,
                   "NAME=f32[1024] (random), NAME=zeros:f32[1024], NAME=file.npy, NAME=3, NAME=0.5 "
                   "(repeatable)")
      ->type_name("NAME=SPEC");
  verb->add_option("--constexpr", options.constexprs,
                   "Values of tl.constexpr parameters: BLOCK=1024")
      ->type_name("K=V");
  verb->add_flag("--check", options.check,
                 "Report undefined lanes, races and 32-bit overflow of addresses");
  verb->add_option("--seed", options.seed, "Seeds random arguments and the order of programs");
  verb->add_option("-o,--output", options.output, "Write all tensors after the run here")
      ->type_name("FILE.npz");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer(
      "Example:\n"
      "  nereid run kernels.py:add_kernel --grid 8 --arg x_ptr=f32[8192] --arg y_ptr=f32[8192] "
      "--arg out_ptr=zeros:f32[8192]\n             --arg n=8192 --constexpr BLOCK=1024 -o "
      "result.npz");
  verb->callback([&] { status = run(options); });
}

void addValidate(CLI::App &app, ValidateOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand(
      "validate", "Run every stage over a matrix of inputs against the float64 oracle");
  addProgram(verb, options.program);
  addBackward(verb, options.program);
  addKeepTorch(verb, options.program);
  addDebug(verb, options.program);
  addStage(verb, options.stage);
  addDevice(verb, options.device);
  verb->add_option("--largest", options.largest,
                   "Skip the cases of more elements: 4096 leaves out the longest runs")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("--cases", options.cases, "Print a line for each case too");
  verb->add_option("--html", options.html,
                   "Write one page with charts and every case that needs nothing else")
      ->type_name("FILE");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->footer("Examples:\n"
               "  nereid validate examples/rms_norm.py\n"
               "  nereid validate examples/softmax.py --backward --html softmax.html");
  verb->callback([&] { status = validate(options); });
}

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

void addCheck(CLI::App &app, CheckOptions &options, int &status) {
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

void addAudit(CLI::App &app, AuditOptions &options, int &status) {
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

void addLsp(CLI::App &app, int &status) {
  CLI::App *verb = app.add_subcommand(
      "lsp", "Serve an editor over standard input and output: what the audit finds while you type, "
             "fixes, proofs under the pointer");
  verb->add_flag_callback("--stdio", [] {}, "What it does anyway; editors may ask for it");
  verb->footer("Editors start it: nereid docs editors");
  verb->callback([&status] { status = lsp(); });
}

void addUpgrade(CLI::App &app, UpgradeOptions &options, int &status) {
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

void addDocs(CLI::App &app, DocsOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand("docs", "Show the documentation of a topic");
  verb->add_option("topic", options.topic, "A topic; without one, the list of topics");
  verb->add_flag("--json", options.json, "Print one JSON object");
  verb->callback([&] { status = docs(options); });
}

/// The word that was meant; empty where none is near.
std::string nearest(llvm::StringRef word, const std::vector<std::string> &candidates) {
  std::string best;
  unsigned bestDistance = word.size() < 4 ? 2 : 3;
  for (const std::string &candidate : candidates)
    if (unsigned distance = word.edit_distance(candidate); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  return best;
}

/// Tells what a word that is no verb, or no option of its verb, may have meant; false where nothing
/// is near.
bool tellWhatWasMeant(CLI::App &app, int argc, char **argv) {
  llvm::StringRef first = argc > 1 ? argv[1] : "";
  CLI::App *verb = nullptr;
  std::vector<std::string> verbs, options;
  for (CLI::App *each : app.get_subcommands({})) {
    verbs.push_back(each->get_name());
    if (each->get_name() == first)
      verb = each;
  }
  auto tell = [](llvm::StringRef what, const std::string &meant) {
    if (!meant.empty())
      llvm::errs() << "error: " << what << "\n  help: did you mean '" << meant << "'?\n";
    return !meant.empty();
  };
  if (!verb)
    return !first.empty() && !first.starts_with("-") &&
           tell("'" + first.str() + "' is no verb of nereid", nearest(first, verbs));
  for (const CLI::Option *option : verb->get_options())
    for (const std::string &name : option->get_lnames())
      options.push_back("--" + name);
  for (int place = 2; place < argc; ++place) {
    llvm::StringRef word = llvm::StringRef(argv[place]).split('=').first;
    if (word.starts_with("--") && !llvm::is_contained(options, word.str()) &&
        tell("'" + word.str() + "' is no option of 'nereid " + first.str() + "'",
             nearest(word, options)))
      return true;
  }
  return false;
}

} // namespace

int nereid::driver::runCommandLine(int argc, char **argv) {
  CLI::App app("Turns PyTorch programs into readable Triton kernels; compiles, runs and checks any "
               "Triton kernel.");
  app.name("nereid");
  app.set_version_flag("--version", "nereid " NEREID_VERSION);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done and valid, 1 the answer is no, 2 bad usage or input, 70 a defect "
             "of nereid.\n"
             "'nereid VERB --help' shows a verb's options and examples.");
  int status = Done;

  ConvertOptions convertOptions;
  CompileOptions compileOptions;
  RunOptions runOptions;
  ValidateOptions validateOptions;
  CheckOptions checkOptions;
  AuditOptions auditOptions;
  UpgradeOptions upgradeOptions;
  DocsOptions docsOptions;
  addConvert(app, convertOptions, status);
  addCompile(app, compileOptions, status);
  addRun(app, runOptions, status);
  addValidate(app, validateOptions, status);
  addCheck(app, checkOptions, status);
  addAudit(app, auditOptions, status);
  addUpgrade(app, upgradeOptions, status);
  addLsp(app, status);
  addDocs(app, docsOptions, status);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // Help and version are successes; everything else is bad usage.
    if (error.get_exit_code() != 0 && tellWhatWasMeant(app, argc, argv))
      return BadInput;
    return app.exit(error) == 0 ? Done : BadInput;
  }
  return status;
}
