#include "platform/signals.h"

#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <mutex>

namespace sparsecfg::platform {

// The path of the temporary file, which is removed on interruption. Empty if no file is being written.
static char unfinished_path[4096];
static std::mutex unfinished_mutex;

constexpr int kTerminatingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Calls only async-signal-safe functions.
static void remove_unfinished(int signal) {
  if (unfinished_path[0] != '\0') ::unlink(unfinished_path);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  ::_exit(128 + signal);  // process 1 of a container does not terminate by a signal
}

struct RemovalOnSignal::State {
  std::lock_guard<std::mutex> lock{unfinished_mutex};
  struct sigaction before[std::size(kTerminatingSignals)]{};
};

RemovalOnSignal::RemovalOnSignal(const std::string& path) : state_(std::make_unique<State>()) {
  if (path.size() < sizeof unfinished_path) {
    path.copy(unfinished_path, path.size());
    unfinished_path[path.size()] = '\0';
  }
  for (std::size_t at = 0; at < std::size(kTerminatingSignals); ++at) {
    struct sigaction action {};

    action.sa_handler = remove_unfinished;
    ::sigaction(kTerminatingSignals[at], nullptr, &state_->before[at]);
    if (state_->before[at].sa_handler != SIG_IGN) ::sigaction(kTerminatingSignals[at], &action, nullptr);
  }
}

RemovalOnSignal::~RemovalOnSignal() {
  for (std::size_t at = 0; at < std::size(kTerminatingSignals); ++at) {
    ::sigaction(kTerminatingSignals[at], &state_->before[at], nullptr);
  }
  unfinished_path[0] = '\0';
}

}  // namespace sparsecfg::platform
