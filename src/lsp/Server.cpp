// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"
#include "lsp/Answers.h"
#include "lsp/Worker.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace protocol = llvm::lsp;

namespace nereid::lsp {

namespace {

class Server {
public:
  Server(protocol::MessageHandler &handler, const ServerOptions &options);

  bool isShutDown = false;

private:
  using Reply = protocol::Callback<json::Value>;
  void initialize(const protocol::InitializeParams &, Reply reply);
  void initialized(const protocol::NoParams &) {}
  void shutdown(const protocol::NoParams &, Reply reply);
  void opened(const protocol::DidOpenTextDocumentParams &params);
  void changed(const protocol::DidChangeTextDocumentParams &params);
  void closed(const protocol::DidCloseTextDocumentParams &params);
  void hover(const protocol::TextDocumentPositionParams &params, Reply reply);
  void codeAction(const protocol::CodeActionParams &params, Reply reply);

  void update(const protocol::URIForFile &uri, std::string text, int64_t version);
  void audit(const std::string &path);
  const AuditedFile *find(const protocol::URIForFile &uri) const;

  struct Document {
    protocol::URIForFile uri;
    std::string text;
    int64_t version = 0;
  };

  const ServerOptions &options;
  protocol::OutgoingNotification<json::Value> publish, show;
  std::mutex mutex;
  /// By path, as the editor has them. Guarded by the mutex.
  std::map<std::string, Document> documents;
  /// The worker's alone.
  std::map<std::string, AuditedFile> audited;
  std::string shown;
  Worker worker;
};

} // namespace

static std::string pathOf(const protocol::URIForFile &uri) {
  SmallString<256> plain(uri.file());
  sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
  return plain.str().str();
}

Server::Server(protocol::MessageHandler &handler, const ServerOptions &options)
    : options(options),
      publish(handler.outgoingNotification<json::Value>("textDocument/publishDiagnostics")),
      show(handler.outgoingNotification<json::Value>("window/showMessage")) {
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::initialized);
  handler.method("shutdown", this, &Server::shutdown);
  handler.notification("textDocument/didOpen", this, &Server::opened);
  handler.notification("textDocument/didChange", this, &Server::changed);
  handler.notification("textDocument/didClose", this, &Server::closed);
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/codeAction", this, &Server::codeAction);
}

void Server::initialize(const protocol::InitializeParams &, Reply reply) {
  // Whole texts: an audit reads all of a file anyway.
  json::Object capabilities{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       json::Object{{"openClose", true}, {"change", int(protocol::TextDocumentSyncKind::Full)}}},
      {"hoverProvider", true},
      {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix"}}}}};
  reply(
      json::Object{{"capabilities", std::move(capabilities)},
                   {"serverInfo", json::Object{{"name", "nereid"}, {"version", options.version}}}});
}

void Server::shutdown(const protocol::NoParams &, Reply reply) {
  isShutDown = true;
  worker.add([reply = std::move(reply)]() mutable { reply(nullptr); });
}

void Server::opened(const protocol::DidOpenTextDocumentParams &params) {
  update(params.textDocument.uri, params.textDocument.text, params.textDocument.version);
}

void Server::changed(const protocol::DidChangeTextDocumentParams &params) {
  if (!params.contentChanges.empty())
    update(params.textDocument.uri, params.contentChanges.back().text, params.textDocument.version);
}

void Server::closed(const protocol::DidCloseTextDocumentParams &params) {
  std::string path = pathOf(params.textDocument.uri);
  {
    std::lock_guard<std::mutex> lock(mutex);
    documents.erase(path);
  }
  worker.add([this, path, uri = params.textDocument.uri] {
    audited.erase(path);
    publish(json::Object{{"uri", uri.uri().str()}, {"diagnostics", json::Array()}});
  });
}

void Server::update(const protocol::URIForFile &uri, std::string text, int64_t version) {
  std::string path = pathOf(uri);
  if (path.empty())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    documents[path] = {uri, std::move(text), version};
  }
  worker.add([this, path] { audit(path); });
}

/// Audits a file as it stands now; what came since it was asked for counts too, and is then not
/// audited again.
void Server::audit(const std::string &path) {
  AuditedFile file;
  SourceTexts texts;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = documents.find(path);
    if (found == documents.end())
      return;
    file.uri = found->second.uri;
    file.version = found->second.version;
    for (const auto &[name, document] : documents)
      texts[name] = document.text;
  }
  auto known = audited.find(path);
  file.path = path;
  file.text = std::make_shared<SourceFile>(path, texts[path]);
  if (known != audited.end() && known->second.version == file.version &&
      known->second.text->getText() == file.text->getText())
    return;
  std::optional<audit::AuditOptions> wanted = options.configure(path, file.problem);
  if (wanted) {
    file.options = std::move(*wanted);
    // Other open files may launch its kernels.
    for (const auto &open : texts)
      if (open.getKey() == path || sys::fs::exists(open.getKey()))
        file.options.paths.push_back(open.getKey().str());
    file.options.subject = path;
    file.options.callers = audit::Callers::Here; // a package takes longer than a pause in typing
    file.options.texts = std::move(texts);
    file.result = audit::audit(file.options);
    if (!file.result.missing.empty())
      file.problem = "'" + path + "' is audited once it is saved";
  }
  // Once for each reason.
  if (!file.problem.empty() && file.problem != shown)
    show(json::Object{{"type", wanted ? 3 : 1}, {"message", "nereid: " + file.problem}});
  shown = file.problem;
  publish(diagnosticsOf(file));
  audited[path] = std::move(file);
}

const AuditedFile *Server::find(const protocol::URIForFile &uri) const {
  auto found = audited.find(pathOf(uri));
  return found == audited.end() ? nullptr : &found->second;
}

void Server::hover(const protocol::TextDocumentPositionParams &params, Reply reply) {
  worker.add([this, params, reply = std::move(reply)]() mutable {
    const AuditedFile *file = find(params.textDocument.uri);
    reply(file ? hoverAt(*file, params.position) : json::Value(nullptr));
  });
}

void Server::codeAction(const protocol::CodeActionParams &params, Reply reply) {
  worker.add([this, params, reply = std::move(reply)]() mutable {
    const AuditedFile *file = find(params.textDocument.uri);
    reply(file ? actionsIn(*file, params.range) : json::Value(json::Array()));
  });
}

int serve(std::FILE *in, raw_ostream &out, const ServerOptions &options) {
  protocol::JSONTransport transport(in, out);
  protocol::MessageHandler handler(transport);
  Server server(handler, options);
  if (Error error = transport.run(handler)) {
    protocol::Logger::error("{0}", fmt_consume(std::move(error)));
    return 1;
  }
  return server.isShutDown ? 0 : 1;
}

} // namespace nereid::lsp
