// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line: its verbs, and what a word that is none of them may have meant. The only file
// that catches exceptions of CLI11.
#include "driver/Verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace nereid::driver;

namespace {

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
