#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "lsp/peer.h"
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

  void handle(const Json& message);
  void handle_request(const Json& id, const std::string& method, const Json& params);
  void handle_notification(const std::string& method, const Json& params);
  [[nodiscard]] Json call(const std::string& method, const Json& params, bool is_request);
  void publish();
  bool awaits_input();

  Json initialize(const Json& params);
  Json initialized();
  Json shut_down();

  Peer peer_;
  Workspace workspace_;
  State state_ = State::created;
  bool pulls_ = false;          // true if the editor asks for findings, so that they are not sent unasked
  bool watches_files_ = false;  // true if the editor supports dynamic registration of file watchers
  int delays_ = 0;
};

}  // namespace sparsecfg::lsp
