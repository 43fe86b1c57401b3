#include "model/pattern_doubt.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "base/text.h"
#include "model/pattern_text.h"
#include "regex/compare.h"
#include "regex/pattern.h"

namespace sparsecfg::model {

using regex::Nfa;

namespace {

// The names that a term matches: a single name, or those of a pattern.
class Matched {
 public:
  // Returns nullopt if the term can't be analyzed.
  static std::optional<Matched> by(const Term& term, base::Budget& budget) {
    if (base::find_invalid_utf8(term.text) != term.text.size()) return std::nullopt;
    auto language =
        term.kind == Term::Kind::exact ? Nfa::of_name(term.text) : Nfa::of(term.text, regex::Anchoring::start);
    auto* found = std::get_if<Nfa>(&language);
    return found == nullptr ? std::nullopt : std::optional(Matched(term, std::move(*found), budget));
  }

  // Returns true if none of the names match.
  [[nodiscard]] bool none_of(const Nfa& names) const {
    return regex::intersects(language_, names, *budget_).answer == regex::Comparison::Answer::no;
  }

  // Returns true if only the names match.
  [[nodiscard]] bool only(const Nfa& names) const {
    return regex::contains(names, language_, *budget_).answer == regex::Comparison::Answer::yes;
  }

  [[nodiscard]] bool is_exact() const { return term_->kind == Term::Kind::exact; }

  [[nodiscard]] const std::string& text() const { return term_->text; }

 private:
  Matched(const Term& term, Nfa language, base::Budget& budget)
      : term_(&term), language_(std::move(language)), budget_(&budget) {}

  const Term* term_;
  Nfa language_;
  base::Budget* budget_;
};

}  // namespace

// Returns the language of a valid pattern that matches whole names.
static Nfa names_like(const char* pattern) { return std::get<Nfa>(Nfa::of(pattern, regex::Anchoring::both)); }

// Nonempty parts without blanks, separated by single dots.
static const Nfa& well_formed_names() {
  static const Nfa kNames = names_like("[^\\s.]+(?:\\.[^\\s.]+)*");
  return kNames;
}

// Common names of layers, plain, with a number, or after a word and `_`; and indices in a list of layers.
static const Nfa& names_of_layers() {
  static const Nfa kNames = names_like(
      "(?:.*\\.)?(?:(?:layers?|blocks?|features|stages?|sections|layer[0-9]|h)\\.[0-9]+|(?:[a-zA-Z0-9]+_)*(?:"
      "conv|fc|linear|lin|dense|classifier|bn|norm|layernorm|LayerNorm|proj|"
      "query|key|value|attention|attn|encoder|decoder|layers?|blocks?|features|downsample|mlp|ffn|intermediate|"
      "embeddings|dropout|relu|pool|backbone)_?[0-9]*)");
  return kNames;
}

static const Nfa& names_of_parameters() {
  static const Nfa kNames = names_like(".*\\.(?:weight|bias)");
  return kNames;
}

// Returns true if a model may have this name. This is a thousand times faster than comparing automata.
static bool is_usual(const std::string& name, Selector::Over over) {
  const bool parameter = name.ends_with(".weight") || name.ends_with(".bias");
  const bool well_formed = !name.empty() && !name.starts_with('.') && !name.ends_with('.') &&
                           name.find("..") == std::string::npos &&
                           std::ranges::all_of(name, [](char c) { return c == '.' || base::is_name_letter(c); });
  return well_formed && (over != Selector::Over::parameters || parameter) &&
         (over != Selector::Over::modules || !parameter);
}

// Returns true if a sample of the pattern is a plausible name. `wild` replaces wildcards.
static bool has_usual_sample(const std::string& pattern, const char* wild, Selector::Over over) {
  const auto sample = regex::sample_of(pattern, wild);
  const bool parameter = over == Selector::Over::parameters;
  const auto usual_with = [&](const char* tail) { return is_usual(sample->text + tail, over); };
  return sample && (usual_with("") || (sample->open && (usual_with(parameter ? "weight" : "a") ||
                                                        usual_with(parameter ? ".weight" : ".a"))));
}

// Returns true if the term is known to match a plausible name. False means unknown.
static bool is_plainly_possible(const Term& term, Selector::Over over) {
  if (term.kind == Term::Kind::exact) {
    return is_usual(term.text, over);
  }
  const std::string_view tail = over == Selector::Over::parameters ? ".weight" : "a";
  const auto fits = [&](const char* wild) { return is_usual(PlainPattern(term.text, wild).sample(tail), over); };
  const auto fits_at_all = [&](const char* wild) { return has_usual_sample(term.text, wild, over); };
  constexpr std::array kWild = {"a", "a."};
  return std::ranges::any_of(kWild, fits) || std::ranges::any_of(kWild, fits_at_all);
}

static bool has_blank(const std::string& text) { return text.find_first_of(" \t") != std::string::npos; }

static std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

// Checks rules that apply to every kind of name.
static std::optional<Impossible> malformed(const Matched& matched) {
  if (!matched.is_exact() && matched.none_of(Nfa::everything())) {
    return Impossible{"it requires text before the start or after the end of a name", true};
  }
  if (!matched.none_of(well_formed_names())) {
    return std::nullopt;
  }
  return has_blank(matched.text()) ? Impossible{"names cannot contain blanks", true, without_blanks(matched.text())}
                                   : Impossible{"names cannot start or end with `.` or contain `..`", true};
}

static std::optional<Impossible> no_parameter(const Matched& matched, const std::string& framework) {
  if (!framework.empty()) {
    return std::nullopt;
  }
  if (matched.is_exact() && looks_like_type(matched.text())) {
    return Impossible{"it is a class of layers, but names of parameters are required", true, "", true};
  }
  if (matched.is_exact() && matched.text().find('/') != std::string::npos) {
    return Impossible{"PyTorch separates the parts of names with `.`, as in `conv1.weight`"};
  }
  if (!matched.only(names_of_layers())) {
    return std::nullopt;
  }
  return Impossible{"it ends with a layer name, not with a parameter name such as `weight`", false,
                    matched.is_exact() ? matched.text() + ".weight" : ""};
}

static std::optional<Impossible> no_module(const Matched& matched) {
  if (!matched.only(names_of_parameters())) {
    return std::nullopt;
  }
  const std::size_t dot = matched.is_exact() ? matched.text().rfind('.') : std::string::npos;
  return Impossible{"it ends with a parameter name, but module names are required", false,
                    dot == std::string::npos ? "" : matched.text().substr(0, dot)};
}

std::optional<Impossible> impossible_name(const Term& term, Selector::Over over, const std::string& framework,
                                          base::Budget& budget) {
  if (term.kind != Term::Kind::exact && term.kind != Term::Kind::pattern) {
    return std::nullopt;
  }
  if (term.text.empty() || is_plainly_possible(term, over)) {
    return std::nullopt;
  }
  const auto matched = Matched::by(term, budget);
  if (!matched) {
    return std::nullopt;
  }
  auto found = malformed(*matched);
  if (!found && over == Selector::Over::parameters) found = no_parameter(*matched, framework);
  if (!found && over == Selector::Over::modules) found = no_module(*matched);
  return found;
}

}  // namespace sparsecfg::model
