// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is found in a file, as diagnostics of an editor.
#include "lsp/Answers.h"
#include "lsp/Positions.h"

using namespace llvm;

namespace nereid::lsp {

static int levelOf(Severity severity) {
  using Level = llvm::lsp::DiagnosticSeverity;
  return int(severity == Severity::Error     ? Level::Error
             : severity == Severity::Warning ? Level::Warning
                                             : Level::Information);
}

static json::Value uriOf(StringRef path) {
  Expected<llvm::lsp::URIForFile> uri = llvm::lsp::URIForFile::fromFile(path);
  if (uri)
    return uri->uri().str();
  consumeError(uri.takeError());
  return nullptr;
}

/// Notes that have a place. Others, and help, stand in the message.
static json::Array relatedTo(const Diagnostic &diagnostic) {
  json::Array related;
  for (const Diagnostic &note : diagnostic.notes)
    if (const SourceFile *file = note.location.file)
      related.push_back(
          json::Object{{"location", json::Object{{"uri", uriOf(file->getName())},
                                                 {"range", toRange(*file, note.location.range)}}},
                       {"message", note.message}});
  return related;
}

static std::string messageOf(const Diagnostic &diagnostic) {
  std::string text = diagnostic.message;
  for (const Diagnostic &note : diagnostic.notes)
    if (!note.location.file)
      text += "\n" + note.message;
  if (!diagnostic.help.empty())
    text += "\nhelp: " + diagnostic.help;
  return text;
}

static json::Object toJson(const Diagnostic &diagnostic) {
  return json::Object{{"range", toRange(*diagnostic.location.file, diagnostic.location.range)},
                      {"severity", levelOf(diagnostic.severity)},
                      {"source", "nereid"},
                      {"message", messageOf(diagnostic)},
                      {"relatedInformation", relatedTo(diagnostic)}};
}

json::Value diagnosticsOf(const AuditedFile &file) {
  json::Array list;
  auto isHere = [&](const Diagnostic &diagnostic) {
    return diagnostic.location.file && diagnostic.location.file->getName() == file.path;
  };
  for (const Diagnostic &problem : file.result.problems)
    if (isHere(problem))
      list.push_back(toJson(problem));
  for (const audit::Finding &finding : file.result.findings) {
    if (finding.isLeftOut() || !isHere(finding.diagnostic))
      continue;
    json::Object one = toJson(finding.diagnostic);
    one["severity"] = levelOf(finding.severity);
    one["code"] = finding.rule->id;
    one["data"] = json::Object{{"rule", finding.rule->name},
                               {"kernel", finding.kernel},
                               {"certainty", audit::getName(finding.certainty)}};
    list.push_back(std::move(one));
  }
  return json::Object{
      {"uri", file.uri.uri().str()}, {"version", file.version}, {"diagnostics", std::move(list)}};
}

} // namespace nereid::lsp
