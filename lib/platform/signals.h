#pragma once

#include <memory>
#include <string>

namespace sparsecfg::platform {

// During its lifetime, terminating signals also remove a temporary file. Ignored signals stay ignored. Only one object
// exists at a time; the constructor waits for the others.
class RemovalOnSignal {
 public:
  explicit RemovalOnSignal(const std::string& path);

  RemovalOnSignal(const RemovalOnSignal&) = delete;
  RemovalOnSignal& operator=(const RemovalOnSignal&) = delete;

  ~RemovalOnSignal();

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace sparsecfg::platform
