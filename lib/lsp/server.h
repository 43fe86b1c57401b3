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

// A session with an editor.
//
// Reads all available messages before it handles them, so that waiting requests can be cancelled. Findings are
// published after all of these messages are handled. Of several changes that arrive together, only the last text is
// compiled.
class Server {
 public:
  // Writes a line to `log` for each error.
  Server(std::istream& in, std::ostream& out, std::ostream& log);

  // Runs until the client sends `exit` or the input ends. Returns 0 if it sent `shutdown` before, otherwise 1.
  int run();

 private:
  enum class State : std::uint8_t { created, initialized, shut_down, exited };

  struct Method {
    std::string_view name;
    Json (*run)(Server&, const Json& params);
    bool is_request = true;
  };

  // Returns null for an unknown method.
  [[nodiscard]] static const Method* find_method(std::string_view name, bool is_request);

  // Receives at least one message. Returns false if the input ended.
  bool receive();
  void enqueue(const Frame& frame);
  void cancel(const Json& params);

  void handle(const Json& message);
  void handle_request(const Json& id, const std::string& method, const Json& params);
  void handle_notification(const std::string& method, const Json& params);
  [[nodiscard]] Json call(const std::string& method, const Json& params, bool is_request);
  void publish();
  bool awaits_input();

  void send(Json message);
  void fail(const Json& id, ErrorCode code, const std::string& reason);
  void notify(const std::string& method, Json params);
  void log(const std::string& line);

  Json initialize(const Json& params);
  Json initialized();
  Json shut_down();

  FrameReader frames_;
  std::ostream& out_;
  std::ostream& log_;
  Workspace workspace_;
  State state_ = State::created;
  bool pulls_ = false;          // true if the editor asks for findings, so that they are not sent unasked
  bool watches_files_ = false;  // true if the editor supports dynamic registration of file watchers
  std::deque<Json> queue_;
  std::size_t queued_bytes_ = 0;
  int delays_ = 0;
  std::set<Json> cancelled_;  // ids of cancelled requests in the queue
};

}  // namespace sparsecfg::lsp
