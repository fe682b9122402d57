// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Configuration.h"
#include "audit/PathPatterns.h"
#include "audit/Rules.h"

#include "support/Toml.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace nereid::driver {

std::string Configuration::getFolder() const { return path::parent_path(path).str(); }

static constexpr StringLiteral fileName = "pyproject.toml";

static bool isOurs(const TomlEntry &entry) {
  return entry.path.size() > 2 && entry.path[0] == "tool" && entry.path[1] == "nereid";
}

namespace {
/// The table of one file.
class TableReader {
public:
  TableReader(const SourceFile &file, Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics) {}

  bool read(const std::vector<TomlEntry> &entries);
  Configuration configuration;

private:
  bool readEntry(const std::string &key, const TomlEntry &entry);
  bool readList(const TomlEntry &entry, std::vector<std::string> &into);
  bool readText(const TomlEntry &entry, std::string &into);
  bool readRules(const TomlEntry &entry, std::vector<std::string> &into);
  bool readPatterns(const TomlEntry &entry);
  bool readVersion(const TomlEntry &entry);
  bool readSeconds(const TomlEntry &entry);
  bool fail(SourceRange range, const std::string &message, const std::string &help = "") {
    diagnostics.error({&file, range}, message, help);
    return false;
  }

  const SourceFile &file;
  Diagnostics &diagnostics;
};
} // namespace

bool TableReader::readText(const TomlEntry &entry, std::string &into) {
  if (entry.value.kind != TomlValue::String)
    return fail(entry.value.range, "'" + entry.path.back() + "' is a string, and this is " +
                                       describe(entry.value.kind).str());
  into = entry.value.text;
  return true;
}

bool TableReader::readList(const TomlEntry &entry, std::vector<std::string> &into) {
  const TomlValue &value = entry.value;
  if (value.kind != TomlValue::Array)
    return fail(value.range, "'" + entry.path.back() + "' is an array of strings, and this is " +
                                 describe(value.kind).str());
  for (const TomlValue &item : value.items) {
    if (item.kind != TomlValue::String)
      return fail(item.range, "'" + entry.path.back() + "' is an array of strings, and this is " +
                                  describe(item.kind).str());
    into.push_back(item.text);
  }
  return true;
}

bool TableReader::readRules(const TomlEntry &entry, std::vector<std::string> &into) {
  if (!readList(entry, into))
    return false;
  for (const auto &[name, item] : zip(into, entry.value.items))
    if (!audit::namesRules(name))
      return fail(item.range, "'" + name + "' is no rule", audit::helpOnRules.str());
  return true;
}

bool TableReader::readPatterns(const TomlEntry &entry) {
  if (!readList(entry, configuration.exclude))
    return false;
  for (const auto &[pattern, item] : zip(configuration.exclude, entry.value.items))
    if (std::string problem = audit::PathPatterns::check(pattern); !problem.empty())
      return fail(item.range, "'" + pattern + "' is no pattern: " + problem);
  return true;
}

bool TableReader::readVersion(const TomlEntry &entry) {
  if (!readText(entry, configuration.version))
    return false;
  bool isKnown = StringRef(configuration.version).starts_with("3.") ||
                 StringRef(configuration.version).starts_with("2.");
  return isKnown ||
         fail(entry.value.range, "'" + configuration.version + "' is no version of Triton",
              "use 3.6, 3.7, 3.8 or 3.9");
}

bool TableReader::readSeconds(const TomlEntry &entry) {
  const TomlValue &value = entry.value;
  bool isNumber = value.kind == TomlValue::Integer || value.kind == TomlValue::Float;
  if (!isNumber || value.number <= 0)
    return fail(value.range, "'timeout' is a number of seconds above 0");
  configuration.timeout = value.number;
  return true;
}

bool TableReader::readEntry(const std::string &key, const TomlEntry &entry) {
  if (key == "exclude")
    return readPatterns(entry);
  if (key == "select")
    return readRules(entry, configuration.select);
  if (key == "ignore")
    return readRules(entry, configuration.ignore);
  if (key == "timeout")
    return readSeconds(entry);
  if (key == "triton")
    return readVersion(entry);
  if (key != "baseline")
    return fail(entry.range, "[tool.nereid] has no '" + key + "'",
                "it has exclude, select, ignore, baseline, triton and timeout");
  if (!readText(entry, configuration.baseline))
    return false;
  // Beside the file, wherever the tool runs.
  SmallString<256> whole(path::parent_path(file.getName()));
  path::append(whole, configuration.baseline);
  configuration.baseline = whole.str().str();
  return true;
}

bool TableReader::read(const std::vector<TomlEntry> &entries) {
  configuration.path = file.getName().str();
  StringSet<> met;
  for (const TomlEntry &entry : entries) {
    if (!isOurs(entry))
      continue;
    std::string key = entry.path[2];
    for (const std::string &part : ArrayRef(entry.path).drop_front(3))
      key += "." + part;
    if (!met.insert(key).second)
      return fail(entry.range, "'" + key + "' stands here a second time");
    if (!readEntry(key, entry))
      return false;
  }
  return true;
}

/// The entries of a file; nullopt after an error.
static std::optional<std::vector<TomlEntry>> readEntries(const std::string &name,
                                                         Session &session) {
  std::shared_ptr<SourceFile> file = session.openFile(name);
  return file ? parseToml(*file, session.getDiagnostics()) : std::nullopt;
}

/// The nearest file above a path that speaks of nereid; empty for none. Nullopt after an error.
static std::optional<std::string> findAbove(StringRef given, Session &session) {
  SmallString<256> folder(given);
  if (sys::fs::make_absolute(folder))
    return "";
  path::remove_dots(folder, /*remove_dot_dot=*/true);
  if (!sys::fs::is_directory(folder))
    path::remove_filename(folder);
  for (;;) {
    SmallString<256> file(folder);
    path::append(file, fileName);
    if (sys::fs::exists(file)) {
      std::optional<std::vector<TomlEntry>> entries = readEntries(file.str().str(), session);
      if (!entries)
        return std::nullopt;
      if (any_of(*entries, isOurs))
        return file.str().str();
    }
    if (!path::has_parent_path(folder) || path::parent_path(folder) == folder)
      return "";
    path::remove_filename(folder);
  }
}

std::optional<Configuration> readConfiguration(const std::vector<std::string> &paths,
                                               const std::string &wanted, Session &session) {
  std::string chosen = wanted, chosenFor;
  for (const std::string &given : wanted.empty() ? paths : std::vector<std::string>()) {
    std::optional<std::string> found = findAbove(given, session);
    if (!found)
      return std::nullopt;
    if (!chosenFor.empty() && *found != chosen) {
      session.getDiagnostics().error(
          {}, "'" + chosenFor + "' and '" + given + "' have configurations of their own",
          "audit them one after the other, or choose one by --config FILE");
      return std::nullopt;
    }
    chosen = *found;
    chosenFor = given;
  }
  if (chosen.empty())
    return Configuration();
  std::optional<std::vector<TomlEntry>> entries = readEntries(chosen, session);
  if (!entries)
    return std::nullopt;
  TableReader reader(*session.openFile(chosen), session.getDiagnostics());
  return reader.read(*entries) ? std::optional(std::move(reader.configuration)) : std::nullopt;
}

template <typename Options> static void configureBoth(Options &options, const Configuration &from) {
  if (options.version.empty())
    options.version = from.version;
  if (options.timeout == 0)
    options.timeout = from.timeout;
  if (options.exclude.empty()) {
    options.exclude = from.exclude;
    options.excludeRoot = from.getFolder();
  }
}

void configure(AuditOptions &options, const Configuration &configuration) {
  configureBoth(options, configuration);
  if (options.select.empty())
    options.select = configuration.select;
  if (options.ignore.empty())
    options.ignore = configuration.ignore;
  if (options.baseline.empty())
    options.baseline = configuration.baseline;
}

void configure(CheckOptions &options, const Configuration &configuration) {
  configureBoth(options, configuration);
}

} // namespace nereid::driver
