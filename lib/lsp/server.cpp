#include "lsp/server.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/version.h"
#include "lsp/features.h"
#include "lsp/lsp.h"
#include "lsp/whole_characters.h"

namespace sparsecfg::lsp {

// Bytes of memory of a parsed value in addition to its text.
constexpr std::size_t kBytesPerValue = 64;

Server::Server(std::istream& in, std::ostream& out, std::ostream& log)
    : frames_(in, limits::kMaxMessageBytes), out_(out), log_(log) {}

int Server::run() {
  bool was_shut_down = false;
  while (state_ != State::exited && receive()) {
    while (!queue_.empty() && state_ != State::exited) {
      const Json message = std::move(queue_.front());
      queue_.pop_front();
      handle(message);
      was_shut_down = was_shut_down || state_ == State::shut_down;
    }
    out_.flush();
    if (!awaits_input()) publish();
    out_.flush();
  }
  publish();
  out_.flush();
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
    ready = frames_.is_ready();
    if (!ready) std::this_thread::sleep_for(kPoll);
  }
  delays_ = ready ? delays_ + 1 : 0;
  return ready;
}

// --- messages in ------------------------------------------------------------------------------------

bool Server::receive() {
  queued_bytes_ = 0;
  cancelled_.clear();
  do {
    const Frame frame = frames_.next();
    enqueue(frame);
    if (frame.end) return !queue_.empty();
  } while (queue_.size() < limits::kMaxQueued && queued_bytes_ < limits::kMaxQueuedBytes && frames_.is_ready());
  return true;
}

void Server::enqueue(const Frame& frame) {
  if (!frame.error.empty()) {
    fail(nullptr, ErrorCode::parse_error, frame.error);
  }
  if (frame.text.empty()) {
    return;
  }
  const JsonShape shape = shape_of(frame.text);
  if (shape.depth > limits::kMaxMessageDepth) {
    fail(nullptr, ErrorCode::parse_error, "the message is nested too deeply");
    return;
  }
  if (shape.values > limits::kMaxMessageValues) {
    fail(nullptr, ErrorCode::parse_error, "the message has too many values");
    return;
  }
  Json message = Json::parse(frame.text, nullptr, false);
  if (message.is_discarded()) message = Json::parse(with_whole_characters(frame.text), nullptr, false);
  if (message.is_discarded()) {
    fail(nullptr, ErrorCode::parse_error, "invalid JSON");
  } else if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
    fail(nullptr, ErrorCode::invalid_request, "not a JSON-RPC 2.0 message");
  } else if (message.value("method", Json()) == "$/cancelRequest") {
    cancel(message.value("params", Json()));
  } else {
    queued_bytes_ += frame.text.size() + shape.values * kBytesPerValue;
    queue_.push_back(std::move(message));
  }
}

// Marks a queued request as cancelled. Ignores requests that are already answered and parameters without an `id`.
void Server::cancel(const Json& params) {
  const Json id = params.is_object() ? params.value("id", Json()) : Json();
  const auto is_meant = [&](const Json& message) {
    return message.contains("method") && message.value("id", Json()) == id;
  };
  if (!id.is_null() && std::ranges::any_of(queue_, is_meant)) cancelled_.insert(id);
}

void Server::handle(const Json& message) {
  const Json method = message.value("method", Json());
  if (!method.is_string()) {
    if (!message.contains("id")) fail(nullptr, ErrorCode::invalid_request, "missing `method`");
    return;  // a response to a request of the server
  }
  const Json params = message.value("params", Json::object());
  if (!message.contains("id")) {
    handle_notification(method, params);
  } else if (cancelled_.erase(message["id"]) > 0) {
    fail(message["id"], ErrorCode::request_cancelled, "the request was cancelled");
  } else {
    handle_request(message["id"], method, params);
  }
}

void Server::handle_request(const Json& id, const std::string& method, const Json& params) {
  if (state_ == State::created && method != "initialize") {
    fail(id, ErrorCode::server_not_initialized, "`initialize` must be the first request");
  } else if (state_ == State::shut_down) {
    fail(id, ErrorCode::invalid_request, "the server was shut down");
  } else if (state_ == State::initialized && method == "initialize") {
    fail(id, ErrorCode::invalid_request, "the server is already initialized");
  } else {
    try {
      send({{"id", id}, {"result", call(method, params, true)}});
    } catch (const RequestError& error) {
      fail(id, error.code, error.message);
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
      if (error.code != ErrorCode::method_not_found) log(method + ": " + error.message);
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

// Sends a message. Invalid UTF-8 is replaced.
void Server::send(Json message) {
  message["jsonrpc"] = "2.0";
  write_frame(out_, message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// A message can quote control characters of a document.
void Server::log(const std::string& line) { log_ << "sparsecfg lsp: " << base::printable(line) << '\n'; }

void Server::fail(const Json& id, ErrorCode code, const std::string& reason) {
  log(reason);
  send({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", reason}}}});
}

void Server::notify(const std::string& method, Json params) {
  send({{"method", method}, {"params", std::move(params)}});
}

void Server::publish() {
  for (const std::string& uri : workspace_.take_changed()) {
    if (pulls_) continue;
    try {
      notify("textDocument/publishDiagnostics", diagnostics(workspace_, uri));
    } catch (const std::exception& error) {
      log(std::string("internal error: ") + error.what());
    }
  }
}

int serve(std::istream& in, std::ostream& out, std::ostream& log) { return Server(in, out, log).run(); }

}  // namespace sparsecfg::lsp
