// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs of one program or kernel: convert, compile, run and validate.
#include "driver/Verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace nereid::driver;

void nereid::driver::addSizes(CLI::App *verb, NamedSizes &sizes) {
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

namespace {

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

} // namespace

void nereid::driver::addConvert(CLI::App &app, ConvertOptions &options, int &status) {
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

void nereid::driver::addCompile(CLI::App &app, CompileOptions &options, int &status) {
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
  verb->add_option(
          "--constexpr", options.constexprs,
          "Values of tl.constexpr parameters: BLOCK=1024, or 'ACT=\"relu\"' (a text has quotes)")
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

void nereid::driver::addRun(CLI::App &app, RunOptions &options, int &status) {
  CLI::App *verb = app.add_subcommand("run", "Run a Triton kernel in the interpreter");
  verb->add_option("source", options.source, "SRC.py:KERNEL")->required();
  verb->add_option("--grid", options.grid, "Programs along each axis: X or X,Y or X,Y,Z")
      ->required();
  verb->add_option("--arg", options.arguments,
                   "NAME=f32[1024] (random), NAME=zeros:f32[1024], NAME=file.npy, NAME=3, NAME=0.5 "
                   "(repeatable)")
      ->type_name("NAME=SPEC");
  verb->add_option(
          "--constexpr", options.constexprs,
          "Values of tl.constexpr parameters: BLOCK=1024, or 'ACT=\"relu\"' (a text has quotes)")
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

void nereid::driver::addValidate(CLI::App &app, ValidateOptions &options, int &status) {
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
