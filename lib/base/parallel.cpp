#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace sparsecfg::base {

namespace {

// Calls work(0) to work(threads - 1) at once, the first of them on the calling thread; fewer if no more can be started.
void run_at_once(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t at = 1; at < threads; ++at) others.emplace_back([&work, at] { work(at); });
  } catch (const std::system_error&) {
    // The threads that run do the rest.
  }
  work(0);
}

class Workers {
 public:
  Workers(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void run(std::size_t threads) {
    run_at_once(threads, [this](std::size_t) { take(); });
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

class InOrder {
 public:
  explicit InOrder(const PiecewiseOutput& output) : output_(output) {}

  bool run(std::size_t slots) {
    run_at_once(slots, [this](std::size_t slot) { work_in(slot); });
    if (error_) std::rethrow_exception(error_);
    return !stopped_;
  }

 private:
  void work_in(std::size_t slot) {
    try {
      while (const auto number = take(slot)) {
        output_.make(slot);
        put(slot, *number);
      }
    } catch (...) {
      stop(std::current_exception());
    }
  }

  // Returns the number of the piece.
  std::optional<std::uint64_t> take(std::size_t slot) {
    const std::lock_guard lock(taking_);
    return stopped_ || !output_.take(slot) ? std::nullopt : std::optional(taken_++);
  }

  void put(std::size_t slot, std::uint64_t number) {
    std::unique_lock lock(putting_);
    turn_.wait(lock, [&] { return stopped_ || put_ == number; });
    if (stopped_) {
      return;
    }
    stopped_ = !output_.put(slot);
    ++put_;
    turn_.notify_all();
  }

  void stop(std::exception_ptr error) {
    const std::lock_guard lock(putting_);
    stopped_ = true;
    if (!error_) error_ = std::move(error);
    turn_.notify_all();
  }

  const PiecewiseOutput& output_;
  std::mutex taking_;
  std::uint64_t taken_ = 0;
  std::mutex putting_;
  std::condition_variable turn_;
  std::uint64_t put_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

std::size_t cores() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<std::size_t>(CPU_COUNT(&mine))
                                                         : std::max(1U, std::thread::hardware_concurrency());
}

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kWorthAThread = 8;  // fewer calls are done before a thread has started
  const std::size_t threads = count / kWorthAThread;
  Workers(count, work).run(threads > 1 ? std::min(cores(), threads) : 1);
}

bool put_in_order(std::size_t slots, const PiecewiseOutput& output) { return InOrder(output).run(slots); }

}  // namespace sparsecfg::base
