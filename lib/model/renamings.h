#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

// Names of a recipe that was written for another model, if they differ from those of this model only in their
// beginning: `bert.encoder.layer.0` and `roberta.encoder.layer.0`.
namespace sparsecfg::model {

// The beginning of names in a recipe, and the one that the model has instead; without the dot at the end.
struct Renaming {
  std::string from;  // empty: the names lack a beginning
  std::string to;    // empty: the names of the model lack it

  friend auto operator<=>(const Renaming&, const Renaming&) = default;

  [[nodiscard]] bool applies_to(std::string_view name) const;
  [[nodiscard]] std::string applied_to(std::string_view name) const;
  // Returns the instruction for several names, such as "begin these names with `roberta` instead of `bert`".
  [[nodiscard]] std::string help() const;
};

class Renamings {
 public:
  // `names`: those of the model, which must outlive this object.
  explicit Renamings(std::vector<std::string_view> names)
      : names_(std::move(names)), known_(names_.begin(), names_.end()) {}

  // Returns the renaming that makes a name of the model from an unknown one.
  [[nodiscard]] std::optional<Renaming> of(std::string_view name);

  // Returns the pattern that matches names of the model after its first word is replaced, or nullopt if there is not
  // exactly one. `matches` returns true if a pattern matches a name.
  [[nodiscard]] std::optional<std::string> of_pattern(std::string_view pattern,
                                                      const std::function<bool(const std::string&)>& matches);

  // Returns a renaming of another name whose beginning this name has; null if there is none.
  [[nodiscard]] const Renaming* beginning_of(std::string_view name) const;

  // Returns true if the model has the name.
  [[nodiscard]] bool knows(std::string_view name) const { return known_.contains(name); }

  // Returns true if a name of the model begins with this word.
  [[nodiscard]] bool is_first_word(std::string_view word);

  // Returns the first words of all names.
  [[nodiscard]] const std::set<std::string_view>& first_words();

 private:
  [[nodiscard]] std::optional<Renaming> search(std::string_view name) const;

  std::vector<std::string_view> names_;
  std::unordered_set<std::string_view> known_;
  std::vector<Renaming> found_;
  std::optional<std::set<std::string_view>> first_words_;  // computed on first use
  std::size_t searches_left_ = 50;                         // each compares all names
};

}  // namespace sparsecfg::model
