#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "platform/system.h"

namespace sparsecfg::base {

namespace {

// Calls work(0) to work(threads - 1) concurrently, work(0) on the calling thread. Calls fewer if no more threads can be
// started.
void run_at_once(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t at = 1; at < threads; ++at) others.emplace_back([&work, at] { work(at); });
  } catch (const std::system_error&) {
    // The running threads do the remaining work.
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

// A thread that finishes a piece before its turn continues with the next piece in its other slot. The thread that made
// the piece whose turn it is also writes the ready pieces after it. A thread waits only while both of its slots are
// full, because waking a thread is as slow as making a piece.
class InOrder {
 public:
  InOrder(std::size_t threads, const PiecewiseOutput& output)
      : output_(output), made_(kSlotsPerThread * threads), is_full_(kSlotsPerThread * threads) {}

  bool run() {
    run_at_once(made_.size() / kSlotsPerThread, [this](std::size_t thread) { work_in(thread * kSlotsPerThread); });
    if (error_) std::rethrow_exception(error_);
    return !stopped_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  void work_in(std::size_t first) {
    try {
      for (;;) {
        const std::size_t slot = wait_for_slot(first);
        const auto number = take(slot);
        if (!number) return;
        output_.make(slot);
        put(slot, *number);
      }
    } catch (...) {
      stop(std::current_exception());
    }
  }

  std::size_t wait_for_slot(std::size_t first) {
    Lock lock(mutex_);
    emptied_.wait(lock, [&] { return stopped_ || !is_full_[first] || !is_full_[first + 1]; });
    return is_full_[first] ? first + 1 : first;
  }

  // Returns the number of the piece.
  std::optional<std::uint64_t> take(std::size_t slot) {
    const std::lock_guard lock(taking_);
    return stopped_ || !output_.take(slot) ? std::nullopt : std::optional(taken_++);
  }

  // Writes the piece and all waiting pieces after it, unless an earlier piece is missing or another thread is writing.
  void put(std::size_t slot, std::uint64_t number) {
    Lock lock(mutex_);
    is_full_[slot] = true;
    made_[number % made_.size()] = slot;  // fewer pieces than slots are in flight
    while (!is_putting_ && !stopped_ && made_[put_ % made_.size()]) {
      const std::size_t next = *std::exchange(made_[put_ % made_.size()], std::nullopt);
      is_putting_ = true;
      lock.unlock();
      const bool whole = output_.put(next);
      lock.lock();
      is_putting_ = false;
      is_full_[next] = false;
      stopped_ = stopped_ || !whole;
      ++put_;
      emptied_.notify_all();
    }
  }

  void stop(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (!error_) error_ = std::move(error);
    emptied_.notify_all();
  }

  const PiecewiseOutput& output_;
  std::mutex taking_;
  std::uint64_t taken_ = 0;
  std::mutex mutex_;                              // guards all members below
  std::vector<std::optional<std::size_t>> made_;  // indexed by piece number: slot of a finished piece
  std::vector<bool> is_full_;                     // indexed by slot
  bool is_putting_ = false;
  std::uint64_t put_ = 0;
  std::condition_variable emptied_;
  std::exception_ptr error_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kWorthAThread = 8;  // starting a thread is slower than fewer calls
  const std::size_t threads = count / kWorthAThread;
  Workers(count, work).run(threads > 1 ? std::min(platform::cores(), threads) : 1);
}

bool put_in_order(std::size_t threads, const PiecewiseOutput& output) { return InOrder(threads, output).run(); }

}  // namespace sparsecfg::base
