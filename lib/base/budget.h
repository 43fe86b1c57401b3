#pragma once

#include <cstddef>
#include <cstdint>

namespace sparsecfg::base {

// Limits the work of one analysis: steps, bytes and nesting depth. Passed explicitly to the functions that share it.
// Once a limit is exceeded, all further requests fail, so a caller may check the result late.
class Budget {
 public:
  struct Limits {
    std::size_t steps = 0;  // units of work
    std::size_t bytes = 0;  // bytes and elements of constructed values; shared parts count each time they are expanded
    std::size_t depth = 0;  // nested calls of C++ functions that follow the nesting of the input
  };

  enum class Limit : std::uint8_t { none, steps, bytes };

  explicit constexpr Budget(Limits limits) : limits_(limits) {}

  // Spends steps. Returns false if the limit is exceeded.
  bool spend(std::size_t steps = 1) { return take(steps, limits_.steps, steps_, Limit::steps); }

  // Spends the steps for looking at each of `count` elements. Returns false if the limit is exceeded.
  bool spend_search(std::size_t count) { return spend(count / 16); }

  // Spends bytes. Returns false if the limit is exceeded; the caller must then not construct the value.
  bool allocate(std::size_t bytes) { return take(bytes, limits_.bytes, bytes_, Limit::bytes); }

  // Returns the limit that was exceeded first.
  [[nodiscard]] Limit exceeded() const { return exceeded_; }

  [[nodiscard]] std::size_t steps() const { return steps_; }

  // Returns the number of steps that can still be spent.
  [[nodiscard]] std::size_t steps_left() const { return exceeded_ == Limit::none ? limits_.steps - steps_ : 0; }

  // Returns what can still be spent, with the depth unset.
  [[nodiscard]] constexpr Limits left() const {
    return exceeded_ == Limit::none ? Limits{.steps = limits_.steps - steps_, .bytes = limits_.bytes - bytes_}
                                    : Limits{};
  }

  // Counts one level of nesting during its lifetime. Converts to false if the level is too deep. A level that is too
  // deep does not exhaust the budget, because other parts of the input may be flat.
  class Level {
   public:
    explicit Level(Budget& budget) : budget_(budget), fits_(++budget.depth_ <= budget.limits_.depth) {}

    ~Level() { --budget_.depth_; }

    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

    explicit operator bool() const { return fits_; }

   private:
    Budget& budget_;
    bool fits_;
  };

 private:
  bool take(std::size_t amount, std::size_t limit, std::size_t& spent, Limit kind) {
    if (exceeded_ == Limit::none && amount <= limit - spent) {
      spent += amount;
      return true;
    }
    if (exceeded_ == Limit::none) exceeded_ = kind;
    return false;
  }

  Limits limits_;
  std::size_t steps_ = 0;
  std::size_t bytes_ = 0;
  std::size_t depth_ = 0;
  Limit exceeded_ = Limit::none;
};

}  // namespace sparsecfg::base
