#include "model/pattern_doubt.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "model/model_names.h"
#include "model/pattern_text.h"
#include "model/selector.h"
#include "regex/compare.h"

namespace sparsecfg::model {

using regex::Anchoring;
using regex::Nfa;
using Kind = PatternDoubt::Kind;
using Units = std::vector<std::string_view>;

static std::optional<Nfa> language_of(const std::string& pattern) {
  auto found = Nfa::of(pattern, Anchoring::start);
  return std::holds_alternative<Nfa>(found) ? std::optional(std::get<Nfa>(std::move(found))) : std::nullopt;
}

static bool is_word(std::string_view unit) {
  return unit.size() == 1 && (base::is_letter(unit[0]) || base::is_digit(unit[0]) || unit[0] == '_');
}

static bool is_separator(std::string_view unit) { return unit == "." || unit == "\\." || unit == "[.]"; }

class Doubts {
 public:
  Doubts(std::string_view pattern, Selector::Over over, const ModelNames* names, base::Budget& budget)
      : pattern_(pattern), units_(pattern_units(pattern_)), over_(over), names_(names), budget_(budget) {}

  std::optional<PatternDoubt> find() const {
    auto found = repeated_letter();
    if (!found) found = half_anchored();
    if (!found) found = number_goes_on();
    if (!found) found = open_end();
    return found;
  }

 private:
  std::string text(std::size_t from, std::size_t to) const {
    std::string out;
    for (std::size_t at = from; at < to; ++at) out += units_[at];
    return out;
  }

  bool is_digit_at(std::size_t at) const { return units_[at].size() == 1 && base::is_digit(units_[at][0]); }

  // --- witnesses -----------------------------------------------------------------------

  // Returns a name that both patterns match.
  std::optional<std::string> in_both(const std::string& other) const { return real(other, true, names()); }

  // Returns a name that only the other pattern matches: from the model, from typical models, or a possible name.
  std::optional<std::string> only_in(const std::string& other) const {
    auto found = real(other, false, names());
    if (found || names_ != nullptr) {
      return found;
    }
    const auto a = language_of(pattern_);
    const auto b = language_of(other);
    const auto answer = a && b ? regex::contains(*a, *b, budget_) : regex::Comparison{};
    return answer.answer == regex::Comparison::Answer::no ? std::optional(answer.witness) : std::nullopt;
  }

  // Returns a name that both may match if no model is known.
  std::optional<std::string> in_both_perhaps(const std::string& other) const {
    const auto a = language_of(pattern_);
    const auto b = language_of(other);
    const auto answer = a && b ? regex::intersects(*a, *b, budget_) : regex::Comparison{};
    return answer.answer == regex::Comparison::Answer::yes ? std::optional(answer.witness) : std::nullopt;
  }

  // Returns null if no names are known. The typical names do not include modules.
  const ModelNames* names() const {
    return names_ != nullptr || over_ != Selector::Over::parameters ? names_ : &typical_parameters();
  }

  std::optional<std::string> real(const std::string& other, bool matched_here, const ModelNames* names) const {
    if (names == nullptr) {
      return std::nullopt;
    }
    const std::vector<bool> mine = matched_names({{{Term::Kind::pattern, pattern_, {}}}, over_}, *names);
    const std::vector<bool> theirs = matched_names({{{Term::Kind::pattern, other, {}}}, over_}, *names);
    for (std::size_t at = 0; at < mine.size(); ++at) {
      if (theirs[at] && mine[at] == matched_here) return (*names)[at];
    }
    return std::nullopt;
  }

  // --- checks -------------------------------------------------------------------------------------

  // Finds globs such as `conv*`, where `*` repeats a letter or digit but probably means any text.
  std::optional<PatternDoubt> repeated_letter() const {
    for (std::size_t at = 1; at < units_.size(); ++at) {
      if (units_[at] != "*" || !is_word(units_[at - 1])) {
        continue;
      }
      const std::string meant = text(0, at) + "." + text(at, units_.size());
      // A digit instead of arbitrary text makes the example most readable.
      auto witness = only_in(text(0, at) + "\\d" + text(at + 1, units_.size()));
      if (!witness) witness = only_in(meant);
      if (witness) return PatternDoubt{Kind::repeated_letter, meant, std::move(*witness)};
    }
    return std::nullopt;
  }

  // Finds a number between dots and then any text: `layers.1.*`. Without a model a single digit other than 0 is assumed
  // to be the first of two digits.
  std::optional<PatternDoubt> number_goes_on() const {
    for (std::size_t at = 1; at < units_.size(); ++at) {
      if (!is_digit_at(at) || !is_separator(units_[at - 1]) || units_[at] == "0") {
        continue;
      }
      const auto end = static_cast<std::size_t>(
          std::find_if_not(units_.begin() + static_cast<std::ptrdiff_t>(at), units_.end(),
                           [](std::string_view unit) { return unit.size() == 1 && base::is_digit(unit[0]); }) -
          units_.begin());
      const bool any_text =
          end + 1 < units_.size() && units_[end] == "." && (units_[end + 1] == "*" || units_[end + 1] == "+");
      if (!any_text || (names_ == nullptr && end > at + 1)) {
        continue;
      }
      const auto longer = [&](const std::string& digits) {
        return text(0, end) + digits + "\\." + text(end, units_.size());
      };
      auto witness = in_both(longer("\\d+"));
      if (!witness && names_ == nullptr) witness = in_both_perhaps(longer("0"));
      if (witness)
        return PatternDoubt{Kind::any_character, text(0, end) + "\\." + text(end, units_.size()), std::move(*witness)};
    }
    return std::nullopt;
  }

  // Finds a name that is used as a pattern: `conv1` also matches `conv10`.
  std::optional<PatternDoubt> open_end() const {
    const bool name =
        std::ranges::all_of(units_, [](std::string_view unit) { return is_word(unit) || is_separator(unit); });
    const bool numbered = name && units_.size() > 1 && is_digit_at(units_.size() - 1) &&
                          !is_digit_at(units_.size() - 2) && units_.back() != "0";
    if (!numbered) {
      return std::nullopt;
    }
    const bool parameters = over_ == Selector::Over::parameters;
    const auto longer = [&](const std::string& digits) {
      return pattern_ + digits + (parameters ? "\\.weight$" : "$");
    };
    auto witness = in_both(longer("\\d+"));
    if (!witness && names_ == nullptr) witness = in_both_perhaps(longer("0"));
    return witness ? std::optional(
                         PatternDoubt{Kind::open_end, pattern_ + (parameters ? "\\." : "(\\.|$)"), std::move(*witness)})
                   : std::nullopt;
  }

  // Finds `.*conv|.*fc$` and `.*conv|.*fc.weight`, where the ending applies only to the last alternative.
  std::optional<PatternDoubt> half_anchored() const {
    const std::vector<std::string> choices = choices_of(units_);
    if (choices.size() < 2) {
      return std::nullopt;
    }
    const std::string ending = common_ending(choices);
    if (ending.empty()) {
      return std::nullopt;
    }
    std::string meant = "(?:";
    for (std::size_t at = 0; at + 1 < choices.size(); ++at) meant += choices[at] + "|";
    meant += choices.back().substr(0, choices.back().size() - ending.size()) + ")" + ending;
    auto witness = only_here(meant, choices);
    return witness ? std::optional(PatternDoubt{Kind::half_anchored, meant, std::move(*witness)}) : std::nullopt;
  }

  // Returns the ending that only the last alternative has: `$`, or the name of a parameter. Otherwise empty.
  std::string common_ending(const std::vector<std::string>& choices) const {
    const std::span<const std::string> others = std::span(choices).first(choices.size() - 1);
    const auto ends_by_itself = [](const std::string& choice) {
      return choice.ends_with("*") || choice.ends_with("+") || choice.ends_with("$") ||
             choice.find("weight") != std::string::npos || choice.find("bias") != std::string::npos;
    };
    if (std::ranges::any_of(others, ends_by_itself)) {
      return {};
    }
    const std::string& last = choices.back();
    for (const std::string_view word : {"weight$", "weight", "bias$", "bias"}) {
      if (over_ != Selector::Over::parameters || !last.ends_with(word)) {
        continue;
      }
      for (const std::string_view before : {".*\\.", "\\.", "[.]", ".*", "."}) {
        const std::string ending = std::string(before) + std::string(word);
        if (last.ends_with(ending)) return ending;
      }
    }
    return last.ends_with("$") && !last.ends_with("\\$") ? "$" : "";
  }

  // Returns a name that this pattern matches and the intended one does not.
  std::optional<std::string> only_here(const std::string& meant, const std::vector<std::string>& choices) const {
    if (names_ == nullptr && over_ == Selector::Over::parameters) {
      for (std::size_t at = 0; at + 1 < choices.size(); ++at) {
        auto found = Doubts("(?:" + choices[at] + ")\\.bias$", over_, nullptr, budget_).in_both_perhaps(pattern_);
        const auto wanted = language_of(meant);
        const auto name = found ? Nfa::of_name(*found) : Nfa::of_name("");
        const auto* one = std::get_if<Nfa>(&name);
        if (found && wanted && one != nullptr &&
            regex::intersects(*wanted, *one, budget_).answer == regex::Comparison::Answer::no) {
          return found;
        }
      }
    }
    return Doubts(meant, over_, names_, budget_).only_in(pattern_);
  }

  std::string pattern_;
  Units units_;
  Selector::Over over_;
  const ModelNames* names_;
  base::Budget& budget_;
};

// Returns false if none of the checks can apply: no repeated letter, no alternatives, and no digit.
static bool may_be_doubted(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool repeats = pattern[at] == '*' && at > 0 && is_word(pattern.substr(at - 1, 1));
    if (repeats || pattern[at] == '|' || base::is_digit(pattern[at])) return true;
  }
  return false;
}

std::optional<PatternDoubt> doubt_of(std::string_view pattern, Selector::Over over, const ModelNames* names,
                                     base::Budget& budget) {
  if (!may_be_doubted(pattern)) {
    return std::nullopt;
  }
  return Doubts(pattern, over, names, budget).find();
}

bool looks_like_pattern(std::string_view text) {
  static constexpr std::string_view kSpecial = "*+?[](){}|^$\\";
  return std::ranges::any_of(text, [](char c) {
    return !base::is_letter(c) && !base::is_digit(c) && c != '.' && c != '_' && kSpecial.find(c) != kSpecial.npos;
  });
}

bool looks_like_type(std::string_view text) {
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && text.find('.') == std::string_view::npos;
}

}  // namespace sparsecfg::model
