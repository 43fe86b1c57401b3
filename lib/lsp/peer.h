#pragma once

#include <deque>
#include <istream>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include "lsp/framing.h"
#include "lsp/protocol.h"

namespace sparsecfg::lsp {

// How messages are delimited.
enum class Framing { header, line };  // `Content-Length`, or one message per line

// One side of a JSON-RPC session: the language server, or the server of the Model Context Protocol. Limits the size,
// nesting and number of messages, and keeps those that wait, so that requests can be cancelled before they are handled.
class Peer {
 public:
  struct Protocol {
    std::string_view name;  // in the log: "lsp"
    Framing framing;
    std::string_view cancel;     // the notification that cancels a request
    std::string_view cancelled;  // its parameter with the id
  };

  Peer(std::istream& in, std::ostream& out, std::ostream& log, const Protocol& protocol);

  // Receives at least one message, and all that are available. Returns false if the input ended and none waits.
  bool receive();

  // Returns the next message, if one waits.
  [[nodiscard]] bool has_message() const { return !queue_.empty(); }

  [[nodiscard]] Json take();

  // Returns true if the request was cancelled while it waited. Forgets the cancellation.
  [[nodiscard]] bool take_cancelled(const Json& id) { return cancelled_.erase(id) > 0; }

  // Returns true if unread bytes are available.
  [[nodiscard]] bool is_ready() const { return frames_.is_ready(); }

  // Sends a message. Invalid UTF-8 is replaced.
  void send(Json message);
  void fail(const Json& id, ErrorCode code, const std::string& reason);
  void notify(const std::string& method, Json params);

  void flush() { out_.flush(); }

  // Writes a line to the log. A message can quote control characters of a document.
  void log(const std::string& line);

 private:
  void enqueue(const Frame& frame);
  void cancel(const Json& params);

  FrameReader frames_;
  std::ostream& out_;
  std::ostream& log_;
  const Protocol& protocol_;
  std::deque<Json> queue_;
  std::size_t queued_bytes_ = 0;
  std::set<Json> cancelled_;  // ids of cancelled requests in the queue
};

}  // namespace sparsecfg::lsp
