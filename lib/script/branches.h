#pragma once

#include <cstdint>
#include <vector>

namespace sparsecfg::script {

// The parts of a script that may not run: the branches of conditions, the rounds of loops and the bodies of `try`. Part
// 0 is the whole script.
class Branches {
 public:
  // Adds a part of another one, and returns its number, which is greater.
  std::uint32_t add(std::uint32_t around) {
    parts_.push_back({around, false});
    return static_cast<std::uint32_t>(parts_.size() - 1);
  }

  // Notes that the parts of a part exclude each other, such as the two branches of a condition.
  void set_exclusive(std::uint32_t part) { parts_[part].exclusive = true; }

  // Returns true if a part is inside another one, or the same.
  [[nodiscard]] bool is_within(std::uint32_t inner, std::uint32_t outer) const {
    while (inner > outer && inner < parts_.size()) inner = parts_[inner].around;
    return inner == outer;
  }

  // Returns true if no run reaches both parts.
  [[nodiscard]] bool exclude_each_other(std::uint32_t one, std::uint32_t other) const {
    while (one != other) {
      std::uint32_t& inner = one > other ? one : other;
      inner = parts_[inner].around;
    }
    return parts_[one].exclusive;
  }

 private:
  struct Part {
    std::uint32_t around;    // the smallest part that contains this one
    bool exclusive = false;  // true if its parts exclude each other
  };

  std::vector<Part> parts_{{0, false}};
};

}  // namespace sparsecfg::script
