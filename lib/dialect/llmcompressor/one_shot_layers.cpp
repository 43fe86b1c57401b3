#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "dialect/llmcompressor/draft.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/write.h"
#include "model/pattern_text.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::llmcompressor {

using model::Term;

constexpr std::string_view kWeight = ".weight";

// Returns the flags at the start of a pattern, such as `(?i)`, or an empty string.
static std::string_view flags_of(std::string_view pattern) {
  const std::size_t end = pattern.starts_with("(?") ? pattern.find_first_not_of("aiLmsux", 2) : std::string_view::npos;
  return end != std::string_view::npos && end > 2 && pattern[end] == ')' ? pattern.substr(0, end + 1) : "";
}

// Returns the alternatives of a pattern, each with the flags of the whole pattern.
static std::vector<std::string> alternatives_of(std::string_view pattern) {
  const std::string flags(flags_of(pattern));
  std::vector<std::string> out = model::choices_of(model::pattern_units(pattern.substr(flags.size())));
  for (std::string& each : out) each.insert(0, flags);
  return out;
}

// Returns the pattern of the layers whose weights an alternative matches, or nullopt if it matches no weights.
static std::optional<std::string> layers_of_alternative(const std::string& text) {
  const auto closed = without_end(text);
  const std::string_view body = closed.value_or(text);
  for (const std::string_view end : {"\\.weight", "[.]weight", ".weight"}) {
    if (body.ends_with(end)) return std::string(body.substr(0, body.size() - end.size())) + "$";
  }
  if (body.ends_with(".*weight") || body.ends_with(".+weight")) {
    return std::string(body.substr(0, body.size() - std::string_view("weight").size()));
  }
  return closed || body.ends_with("bias") ? std::nullopt : std::optional(text);
}

class OneShotSelector {
 public:
  explicit OneShotSelector(const model::Selector& selector) : selector_(selector) {}

  OneShotLayers run() {
    const bool by_name = std::ranges::any_of(selector_.terms, is_name);
    for (const Term& term : selector_.terms) {
      if (narrows_types() && by_name && !is_name(term)) {
        lose(fmt::format("layers are matched only by name, even if their class is not `{}`",
                         base::printable(term.text)));
      } else {
        add(term);
      }
    }
    for (const Term& term : selector_.excluded) leave_out(term);
    return std::move(out_);
  }

 private:
  static bool is_name(const Term& term) { return term.kind == Term::Kind::exact || term.kind == Term::Kind::pattern; }

  // If a selector has names and types, a module must match both.
  [[nodiscard]] bool narrows_types() const { return selector_.over == model::Selector::Over::modules; }

  [[nodiscard]] bool is_over_parameters() const { return selector_.over == model::Selector::Over::parameters; }

  void lose(std::string reason) {
    if (std::ranges::find(out_.losses, reason) == out_.losses.end()) out_.losses.push_back(std::move(reason));
  }

  void add(const Term& term) {
    switch (term.kind) {
      case Term::Kind::exact: return add_name(term.text);
      case Term::Kind::pattern: return add_pattern(term.text);
      case Term::Kind::module_type: return out_.targets.push_back(term.text);
      case Term::Kind::part:
        return lose(fmt::format("no pattern can express the name part `{}`", base::printable(term.text)));
      case Term::Kind::all:
      case Term::Kind::all_prunable:
      case Term::Kind::all_quantizable:
        out_.targets.insert(out_.targets.end(), std::begin(kPrunedClasses), std::end(kPrunedClasses));
    }
  }

  // No module has a name with `*` or `?`.
  void add_name(const std::string& name) {
    if (name.find_first_of("*?") != std::string::npos) {
      lose(
          fmt::format("`{}` is a name and not a pattern, so it matches nothing and is omitted", base::printable(name)));
    } else if (name.ends_with(kWeight)) {
      out_.targets.push_back(name.substr(0, name.size() - kWeight.size()));
    } else if (is_over_parameters()) {
      lose(fmt::format("`{}` is not the weight of a layer", base::printable(name)));
    } else {
      out_.targets.push_back(name);
    }
  }

  void add_pattern(const std::string& pattern) {
    if (!is_over_parameters()) {
      out_.targets.push_back("re:" + pattern);
      return;
    }
    for (const std::string& each : alternatives_of(pattern)) {
      if (const auto layers = layers_of_alternative(each)) {
        out_.targets.push_back("re:" + *layers);
      } else {
        lose(fmt::format("`{}` matches no weights of layers", base::printable(each)));
      }
    }
  }

  // A class can be excluded only if the targets are classes. The pruner appends a dot to the names of layers that are
  // targets themselves.
  void leave_out(const Term& term) {
    if (term.kind == Term::Kind::exact) {
      out_.ignored.push_back("re:" + regex::literal(term.text) + "\\.?$");
    } else if (term.kind == Term::Kind::pattern) {
      const auto closed = without_end(term.text);
      out_.ignored.push_back("re:" + (closed ? std::string(*closed) + "\\.?$" : term.text));
    } else if (std::erase(out_.targets, term.text) == 0 && std::ranges::any_of(selector_.terms, is_name)) {
      lose(fmt::format("layers of the class `{}` are not excluded", base::printable(term.text)));
    }
  }

  const model::Selector& selector_;
  OneShotLayers out_;
};

OneShotLayers one_shot_layers(const model::Selector& selector) { return OneShotSelector(selector).run(); }

}  // namespace sparsecfg::dialect::llmcompressor
