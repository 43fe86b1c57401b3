#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sparsecfg::base {

namespace {

class Workers {
 public:
  Workers(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void run(std::size_t threads) {
    {
      std::vector<std::jthread> others;
      try {
        for (std::size_t at = 1; at < threads; ++at) others.emplace_back([this] { take(); });
      } catch (const std::system_error&) {
        // The threads that run do the rest.
      }
      take();
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void take() {
    for (std::size_t at = next_++; at < count_ && !stopped_; at = next_++) {
      try {
        work_(at);
      } catch (...) {
        keep(at, std::current_exception());
      }
    }
  }

  void keep(std::size_t at, std::exception_ptr error) {
    stopped_ = true;
    const std::lock_guard lock(mutex_);
    if (!error_ || at < failed_) {
      error_ = std::move(error);
      failed_ = at;
    }
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::size_t failed_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kWorthAThread = 8;  // fewer calls are done before a thread has started
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  Workers(count, work).run(std::min(cores, count / kWorthAThread));
}

}  // namespace sparsecfg::base
