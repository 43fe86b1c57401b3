#include "lsp/server.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/version.h"
#include "lsp/features.h"
#include "lsp/lsp.h"

namespace sparsecfg::lsp {

static constexpr Peer::Protocol kProtocol{"lsp", Framing::header, "$/cancelRequest", "id"};

Server::Server(std::istream& in, std::ostream& out, std::ostream& log) : peer_(in, out, log, kProtocol) {}

int Server::run() {
  bool was_shut_down = false;
  while (state_ != State::exited && peer_.receive()) {
    while (peer_.has_message() && state_ != State::exited) {
      handle(peer_.take());
      was_shut_down = was_shut_down || state_ == State::shut_down;
    }
    peer_.flush();
    if (!awaits_input()) publish();
    peer_.flush();
  }
  publish();
  peer_.flush();
  return was_shut_down ? 0 : 1;
}

// Waits shortly for more input before a large document is compiled, because an editor asks for a completion right after
// a keystroke. Returns true if there is more input. Findings are delayed at most kMaxDelays times in a row.
bool Server::awaits_input() {
  constexpr int kMaxDelays = 20;
  constexpr int kPolls = 10;
  constexpr std::chrono::milliseconds kPoll{2};
  bool ready = false;
  for (int at = 0; workspace_.has_large_change() && delays_ < kMaxDelays && !ready && at < kPolls; ++at) {
    ready = peer_.is_ready();
    if (!ready) std::this_thread::sleep_for(kPoll);
  }
  delays_ = ready ? delays_ + 1 : 0;
  return ready;
}

// --- messages in ------------------------------------------------------------------------------------

void Server::handle(const Json& message) {
  const Json method = message.value("method", Json());
  if (!method.is_string()) {
    if (!message.contains("id")) peer_.fail(nullptr, ErrorCode::invalid_request, "missing `method`");
    return;  // a response to a request of the server
  }
  const Json params = message.value("params", Json::object());
  if (!message.contains("id")) {
    handle_notification(method, params);
  } else if (peer_.take_cancelled(message["id"])) {
    peer_.fail(message["id"], ErrorCode::request_cancelled, "the request was cancelled");
  } else {
    handle_request(message["id"], method, params);
  }
}

void Server::handle_request(const Json& id, const std::string& method, const Json& params) {
  if (state_ == State::created && method != "initialize") {
    peer_.fail(id, ErrorCode::server_not_initialized, "`initialize` must be the first request");
  } else if (state_ == State::shut_down) {
    peer_.fail(id, ErrorCode::invalid_request, "the server was shut down");
  } else if (state_ == State::initialized && method == "initialize") {
    peer_.fail(id, ErrorCode::invalid_request, "the server is already initialized");
  } else {
    try {
      peer_.send({{"id", id}, {"result", call(method, params, true)}});
    } catch (const RequestError& error) {
      peer_.fail(id, error.code, error.message);
    }
  }
}

void Server::handle_notification(const std::string& method, const Json& params) {
  if (method == "exit") {
    state_ = State::exited;
  } else if (state_ == State::initialized) {
    try {
      (void)call(method, params, false);
    } catch (const RequestError& error) {
      if (error.code != ErrorCode::method_not_found) peer_.log(method + ": " + error.message);
    }
  }
}

// Calls a method. Throws only RequestError.
Json Server::call(const std::string& method, const Json& params, bool is_request) {
  const Method* found = find_method(method, is_request);
  if (found == nullptr) {
    throw RequestError{ErrorCode::method_not_found, "unknown method " + method};
  }
  try {
    return found->run(*this, params);
  } catch (const Json::exception& error) {
    throw RequestError{ErrorCode::invalid_params, error.what()};
  } catch (const std::exception& error) {
    throw RequestError{ErrorCode::internal_error, error.what()};
  }
}

// --- messages out -----------------------------------------------------------------------------------

void Server::publish() {
  for (const std::string& uri : workspace_.take_changed()) {
    if (pulls_) continue;
    try {
      peer_.notify("textDocument/publishDiagnostics", diagnostics(workspace_, uri));
    } catch (const std::exception& error) {
      peer_.log(std::string("internal error: ") + error.what());
    }
  }
}

int serve(std::istream& in, std::ostream& out, std::ostream& log) { return Server(in, out, log).run(); }

}  // namespace sparsecfg::lsp
