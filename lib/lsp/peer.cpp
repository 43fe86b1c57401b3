#include "lsp/peer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "lsp/whole_characters.h"

namespace sparsecfg::lsp {

// Bytes of memory of a parsed value in addition to its text.
constexpr std::size_t kBytesPerValue = 64;

Peer::Peer(std::istream& in, std::ostream& out, std::ostream& log, const Protocol& protocol)
    : frames_(in, limits::kMaxMessageBytes, protocol.framing == Framing::line),
      out_(out),
      log_(log),
      protocol_(protocol) {}

// --- messages in ------------------------------------------------------------------------------------

bool Peer::receive() {
  queued_bytes_ = 0;
  cancelled_.clear();
  do {
    const Frame frame = frames_.next();
    enqueue(frame);
    if (frame.end) return !queue_.empty();
  } while (queue_.size() < limits::kMaxQueued && queued_bytes_ < limits::kMaxQueuedBytes && frames_.is_ready());
  return true;
}

Json Peer::take() {
  Json out = std::move(queue_.front());
  queue_.pop_front();
  return out;
}

void Peer::enqueue(const Frame& frame) {
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
  } else if (message.value("method", Json()) == protocol_.cancel) {
    cancel(message.value("params", Json()));
  } else {
    queued_bytes_ += frame.text.size() + shape.values * kBytesPerValue;
    queue_.push_back(std::move(message));
  }
}

// Marks a queued request as cancelled. Ignores requests that are already answered and parameters without an id.
void Peer::cancel(const Json& params) {
  const Json id = params.is_object() ? params.value(std::string(protocol_.cancelled), Json()) : Json();
  const auto is_meant = [&](const Json& message) {
    return message.contains("method") && message.value("id", Json()) == id;
  };
  if (!id.is_null() && std::ranges::any_of(queue_, is_meant)) cancelled_.insert(id);
}

// --- messages out -----------------------------------------------------------------------------------

void Peer::send(Json message) {
  message["jsonrpc"] = "2.0";
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (protocol_.framing == Framing::line) {
    out_ << text << '\n';
  } else {
    write_frame(out_, text);
  }
}

void Peer::log(const std::string& line) {
  log_ << "sparsecfg " << protocol_.name << ": " << base::printable(line) << '\n';
}

void Peer::fail(const Json& id, ErrorCode code, const std::string& reason) {
  log(reason);
  send({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", reason}}}});
}

void Peer::notify(const std::string& method, Json params) { send({{"method", method}, {"params", std::move(params)}}); }

}  // namespace sparsecfg::lsp
