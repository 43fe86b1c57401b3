#pragma once

#include <cstdint>
#include <deque>
#include <istream>
#include <ostream>
#include <set>
#include <string>

#include "lsp/framing.h"
#include "lsp/protocol.h"
#include "lsp/workspace.h"

namespace sparsecfg::lsp {

// One session with an editor.
//
// Messages that have arrived are taken together, so that a request can be cancelled while it waits, and findings are
// published once all of them are handled: of several changes that came at once only the last text is read.
class Server {
 public:
  // `log` gets a line for each thing that goes wrong.
  Server(std::istream& in, std::ostream& out, std::ostream& log);

  // Serves until the editor says `exit` or the input ends. Returns 0 if it said `shutdown` before, else 1.
  int run();

 private:
  enum class State : std::uint8_t { created, initialized, shut_down, exited };

  struct Method {
    std::string_view name;
    Json (*run)(Server&, const Json& params);
    bool is_request = true;
  };

  // Returns null if there is no such method.
  [[nodiscard]] static const Method* find_method(std::string_view name, bool is_request);

  // Takes at least one message, unless the input ends; false then.
  bool receive();
  void take(const Frame& frame);
  void cancel(const Json& params);

  void handle(const Json& message);
  void handle_request(const Json& id, const std::string& method, const Json& params);
  void handle_notification(const std::string& method, const Json& params);
  [[nodiscard]] Json call(const std::string& method, const Json& params, bool is_request);
  void publish();

  void send(Json message);
  void fail(const Json& id, ErrorCode code, const std::string& reason);
  void notify(const std::string& method, Json params);

  Json initialize(const Json& params);
  Json initialized();
  Json shut_down();

  FrameReader frames_;
  std::ostream& out_;
  std::ostream& log_;
  Workspace workspace_;
  State state_ = State::created;
  bool watches_files_ = false;  // true if the editor can be asked to watch files
  std::deque<Json> queue_;
  std::size_t queued_bytes_ = 0;
  std::set<Json> cancelled_;  // the ids of requests in the queue
};

}  // namespace sparsecfg::lsp
