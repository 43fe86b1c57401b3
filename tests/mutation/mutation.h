#pragma once

// Switches of mutants, included by the mutated sources that mutate.py writes. The variable MUTANT of the environment
// holds the number of the mutant that is active. MUTANTS_REACHED names a file that gets the numbers of all mutants that
// made a difference to the process, one per line: a mutant of a condition does so where the condition gets another
// value.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <type_traits>

namespace mutation {

constexpr int kMax = 1 << 16;

class Process {
 public:
  static Process& get() {
    static Process process;
    return process;
  }

  bool is_active(int number) const { return number == active_; }

  void reach(int number) { reached_[number] = true; }

  bool evaluate(int number) {
    reach(number);
    return is_active(number);
  }

 private:
  Process() {
    if (const char* number = std::getenv("MUTANT")) active_ = std::atoi(number);
    path_ = std::getenv("MUTANTS_REACHED");
  }

  ~Process() {
    std::FILE* file = path_ == nullptr ? nullptr : std::fopen(path_, "w");
    if (file == nullptr) return;
    for (int number = 0; number < kMax; ++number) {
      if (reached_[number]) std::fprintf(file, "%d\n", number);
    }
    std::fclose(file);
  }

  int active_ = -1;
  const char* path_ = nullptr;
  bool reached_[kMax] = {};
};

// In a constant expression no mutant is active.
constexpr bool is_active(int number) { return std::is_constant_evaluated() ? false : Process::get().evaluate(number); }

// The value of a part of a condition, which the mutant replaces by the opposite of `differs`.
constexpr bool condition(int mutant, bool value, bool differs) {
  if (std::is_constant_evaluated()) return value;
  if (value == differs) Process::get().reach(mutant);
  return Process::get().is_active(mutant) ? !differs : value;
}

// Binary operators that another one replaces: `a <= b` becomes `a <= Binary<Was, Now>{number} <= b`, which has the same
// operands whatever they are.
template <class Was, class Now>
struct Binary {
  int number;

  template <class Left, class Right>
  constexpr auto operator()(const Left& left, const Right& right) const {
    if (std::is_constant_evaluated()) return Was{}(left, right);
    const auto was = Was{}(left, right);
    if constexpr (std::is_same_v<decltype(was), const bool>) {
      if (was != Now{}(left, right)) Process::get().reach(number);
    } else {
      Process::get().reach(number);
    }
    return Process::get().is_active(number) ? Now{}(left, right) : was;
  }
};

template <class Left, class Operator>
struct HalfApplied {
  const Left& left;
  Operator apply;
};

using Less = Binary<std::less<>, std::less_equal<>>;
using LessEqual = Binary<std::less_equal<>, std::less<>>;
using Greater = Binary<std::greater<>, std::greater_equal<>>;
using GreaterEqual = Binary<std::greater_equal<>, std::greater<>>;
using Equal = Binary<std::equal_to<>, std::not_equal_to<>>;
using NotEqual = Binary<std::not_equal_to<>, std::equal_to<>>;
using Plus = Binary<std::plus<>, std::minus<>>;
using Minus = Binary<std::minus<>, std::plus<>>;

#define MUTATION_OPERATOR(sign)                                                                \
  template <class Left, class Was, class Now>                                                  \
  constexpr auto operator sign(const Left& left, Binary<Was, Now> apply) {                     \
    return HalfApplied<Left, Binary<Was, Now>>{left, apply};                                   \
  }                                                                                            \
  template <class Left, class Was, class Now, class Right>                                     \
  constexpr auto operator sign(HalfApplied<Left, Binary<Was, Now>> half, const Right& right) { \
    return half.apply(half.left, right);                                                       \
  }
MUTATION_OPERATOR(<=)
MUTATION_OPERATOR(==)
MUTATION_OPERATOR(+)
#undef MUTATION_OPERATOR

// A number becomes the next one, and a fraction becomes larger by a quarter, or a thousand times as large if it is a
// tolerance.
template <class Number>
constexpr Number changed(Number was) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (was == 0 || was == 1) return was + 1;
    return was < 1e-3 ? was * 1000 : was * 1.25;
  } else {
    return static_cast<Number>(was + 1);
  }
}

template <class Number>
constexpr Number number(int mutant, Number was) {
  return is_active(mutant) ? changed(was) : was;
}

// A name becomes one that nothing has.
constexpr const char* text(int mutant, const char* was) { return is_active(mutant) ? "~mutant~" : was; }

// For variables that a constant expression initializes: they are initialized at the start of the program instead.
namespace at_start {

inline bool is_active(int number) { return Process::get().evaluate(number); }

inline bool condition(int mutant, bool value, bool differs) {
  if (value == differs) Process::get().reach(mutant);
  return Process::get().is_active(mutant) ? !differs : value;
}

template <class Number>
Number number(int mutant, Number was) {
  return Process::get().evaluate(mutant) ? changed(was) : was;
}

inline const char* text(int mutant, const char* was) { return Process::get().evaluate(mutant) ? "~mutant~" : was; }

}  // namespace at_start

constexpr bool switches(int mutant, bool differs) { return differs && is_active(mutant); }

struct Max {
  int mutant;

  template <class Value>
  constexpr Value operator()(const Value& left, const Value& right) const {
    return (left < right) != switches(mutant, left < right || right < left) ? right : left;
  }
};

struct Min {
  int mutant;

  template <class Value>
  constexpr Value operator()(const Value& left, const Value& right) const {
    return (right < left) != switches(mutant, left < right || right < left) ? right : left;
  }
};

}  // namespace mutation
