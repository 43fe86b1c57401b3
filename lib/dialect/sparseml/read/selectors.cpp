#include <fmt/core.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/class_of_numbers.h"
#include "dialect/record/suggest.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"
#include "model/covering_terms.h"
#include "regex/pattern.h"

// SparseML selectors (docs/semantics/sparseml.md#d1).
namespace sparsecfg::dialect::sparseml {

using source::Value;

constexpr std::string_view kAll = "__ALL__";
constexpr std::string_view kAllPrunable = "__ALL_PRUNABLE__";
constexpr std::string_view kPattern = "re:";

// Returns true if `__ALL_PRUNABLE__` is a token. Modifiers that set or freeze parameters read it as a parameter name.
static bool knows_prunable(const Modifier& modifier) {
  return modifier.framework == Framework::pytorch && modifier.spec->kind != ClassKind::trainable &&
         modifier.spec->kind != ClassKind::set_param && modifier.spec->kind != ClassKind::gradual_param;
}

std::string prunable_beside(const model::ModelNames& names, const std::vector<model::Selector>& others) {
  constexpr std::size_t kMost = 8;
  std::vector<const model::Selector*> selectors;
  for (const model::Selector& other : others) selectors.push_back(&other);
  const std::vector<std::string> texts = model::prunable_beside(names, selectors, kMost);
  return texts.empty() ? "" : flow_list({texts.begin(), texts.end()});
}

std::string_view tokens(bool knows_prunable) {
  return knows_prunable ? "`__ALL__` or `__ALL_PRUNABLE__`" : "`__ALL__`";
}

// Returns only the letters, in upper case: "ALLPRUNABLE" for "__all_prunable".
static std::string letters_of(std::string_view text) {
  std::string letters = base::to_upper(text);
  std::erase_if(letters, [](char c) { return !base::is_letter(c); });
  return letters;
}

// Returns the token that `text` misspells: the letters differ by at most two edits.
static std::optional<std::string_view> token_meant_by(std::string_view text, bool knows_prunable) {
  constexpr std::size_t kMaxTokenLength = 30;
  const std::string letters = text.size() > kMaxTokenLength ? std::string() : letters_of(text);
  if (letters == letters_of(kAll)) {
    return kAll;
  }
  constexpr std::size_t kMaxEdits = 2;
  const bool near = knows_prunable && base::edit_distance(letters, letters_of(kAllPrunable)) <= kMaxEdits;
  return near ? std::optional(kAllPrunable) : std::nullopt;
}

// Splits a string at commas and quotes each part: "conv1.weight, re:fc" -> "'conv1.weight', 're:fc'". Returns nullopt
// if a part cannot be a name or a pattern. A comma in a pattern (`a{1,2}`) leaves an unclosed bracket, which is
// neither.
static std::optional<std::string> quoted_parts(std::string_view text) {
  std::string list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = base::trim(text.substr(at, comma - at));
    const bool pattern = part.starts_with(kPattern);
    const std::size_t opened = part.find_first_of("{[(");
    const bool whole = pattern ? opened == std::string_view::npos : part.find_first_of("./") != std::string_view::npos;
    if (!whole || part.find_first_of(pattern ? "'\" " : "'\" *?+[](){}^$|\\") != std::string_view::npos) {
      return std::nullopt;
    }
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", part);
    at = comma + 1;
  }
  return list;
}

DIAGNOSTIC(SP110, params_string_not_list, error, (Text, Text, Text),
           "`{}` is the string `{}`; the only string allowed is {}",
           "Names and patterns must be items of a list, even if there is only one.", "write a list: `{0}: ['{1}']`")

void report_string(const std::string& text, source::Span span, std::string_view field, bool knows_prunable,
                   diag::Sink& sink) {
  auto& report = sink.report(diag::params_string_not_list, span, field, text, tokens(knows_prunable));
  const bool one_pattern = text.starts_with(kPattern) && text.find(',') == std::string::npos;
  if (const auto token = token_meant_by(text, knows_prunable)) {
    report.with_help(base::did_you_mean(token)).with_fix(diag::Fix::unsafe().content(span, std::string(*token)));
  } else if (one_pattern) {
    report.with_help(fmt::format("write a list: `['{}']`", text)).with_fix(diag::Fix::safe().list(span));
  } else if (const auto parts = quoted_parts(text)) {
    const std::string list = fmt::format("[{}]", *parts);
    report.with_help(fmt::format("write a list: `{}`", list)).with_fix(diag::Fix::unsafe().replace(span, list));
  } else {
    report.with_help(fmt::format("write {}, or a list such as `['conv1.weight']`", tokens(knows_prunable)));
  }
}

// Lists in a `final_sparsity` mapping accept only names and patterns, no tokens.
static bool knows_tokens(std::string_view field) { return field != "final_sparsity"; }

// TensorFlow does not search lists for tokens.
static bool lists_tokens(const Modifier& modifier, std::string_view field) {
  return knows_tokens(field) && !is_tensorflow(modifier.framework);
}

static bool selects_layers(std::string_view field) { return field == "layers"; }

bool empty_means_prunable(const Modifier& modifier) {
  const bool gradual = modifier.spec->kind == ClassKind::gradual_pruning || modifier.spec->kind == ClassKind::rigl;
  return gradual && modifier.framework == Framework::pytorch;
}

bool is_strict(const Modifier& modifier) {
  // TensorFlow intends to check every name that it makes trainable, but the check never runs.
  const bool never_asks = modifier.framework == Framework::tensorflow && modifier.spec->kind == ClassKind::trainable;
  if (never_asks) {
    return false;
  }
  for (const std::string_view name : {"params_strict", "strict"}) {
    if (const Field* field = modifier.find(name)) {
      const auto* flag = field->value.get<bool>();
      return flag == nullptr || *flag;
    }
  }
  return true;
}

// Flattens nested lists.
static void flatten(const Value& value, std::vector<const Value*>& items) {
  if (const auto* list = value.get<source::List>()) {
    for (const Value& item : *list) {
      flatten(item, items);
    }
  } else {
    items.push_back(&value);
  }
}

// Returns the keys of a mapping, over which Python iterates where it expects a list.
static Value keys_of(const source::Map& map, source::Span span) {
  source::List keys;
  for (const auto& [key, value] : map) {
    keys.push_back(key);
  }
  return {std::move(keys), span};
}

DIAGNOSTIC(SP621, selector_not_text, error, (Text, Text), "`{1}` must contain strings, not {0}",
           "Selectors are names and `re:` patterns. SparseML accepts any value in the list and fails on a value that "
           "is not a string when the modifier is applied to the model.",
           "write names and `re:` patterns as strings")

DIAGNOSTIC(SP622, token_not_known_here, silent_error, (Text, Text, Text),
           "`{}` is not a token of `{}`, which reads it as {}",
           "Pruning modifiers support `__ALL__` and `__ALL_PRUNABLE__`. Modifiers that set or freeze parameters "
           "support only `__ALL__` and read any other word as a parameter name.",
           "write `__ALL__`, or names and patterns")

DIAGNOSTIC(SP634, entries_beside_token, silent_warning, (Text, Text), "`{}` has no effect beside `{}`",
           "A token in a list selects everything that it stands for, and SparseML does not read the other entries. The "
           "entries can neither add to the selection nor restrict it.",
           "delete the token to select only the other entries")

class SelectorReader {
 public:
  SelectorReader(const Modifier& modifier, std::string_view field, diag::Sink& sink)
      : modifier_(modifier), field_(field), sink_(sink) {
    selector_.over = selects_layers(field) ? model::Selector::Over::layers : model::Selector::Over::parameters;
    selector_.strict = is_strict(modifier);
  }

  model::Selector read(const Value& value) {
    if (const auto* text = value.get<std::string>()) {
      read_text(*text, value.span);
    } else if (value.get<source::List>() != nullptr) {
      read_list(value);
    } else if (const auto* map = value.get<source::Map>()) {
      read_list(keys_of(*map, value.span));
    } else if (!value.is_null() || !empty_means_prunable(modifier_)) {
      sink_.report(diag::wrong_type, value.span, field_, "a list of names and patterns, or a token",
                   source::describe(value));
    }
    return std::move(selector_);
  }

 private:
  void read_text(const std::string& text, source::Span span) {
    const std::string token = knows_tokens(field_) ? base::to_upper(text) : std::string();
    if (token == kAllPrunable && !knows_prunable(modifier_)) {
      const bool refused = modifier_.framework == Framework::pytorch_2020;
      sink_
          .report(diag::token_not_known_here, span, token, modifier_.spec->name,
                  refused ? "a name, but names must be in a list" : "a list of one-letter names")
          .with_severity(modifier_.spec->kind == ClassKind::trainable ? diag::Severity::error : later(modifier_))
          .with_help(advice_on_prunable());
    } else if (token == kAll || token == kAllPrunable) {
      selector_.terms.push_back(
          {token == kAll ? model::Term::Kind::all : model::Term::Kind::all_prunable, token, span});
    } else {
      report_string(text, span, field_, knows_prunable(modifier_), sink_);
    }
  }

  // Returns a list that selects the same parameters as `__ALL_PRUNABLE__`. `__ALL__` selects more: norms and biases.
  std::string advice_on_prunable() const {
    if (modifier_.framework != Framework::pytorch) return "list the parameter names";
    const std::string list = modifier_.parameters == nullptr ? "" : prunable_beside(*modifier_.parameters, {});
    return list.empty()
               ? "list the weights of the layers, such as `['re:.*conv\\d+\\.weight', 'fc.weight']`; `__ALL__` "
                 "also selects norms and biases"
               : fmt::format("write `{}: {}`", field_, list);
  }

  // A token anywhere in the list selects everything. SparseML then ignores the other items.
  void read_list(const Value& value) {
    std::vector<const Value*> items;
    flatten(value, items);
    const auto has = [&](std::string_view token) {
      const auto found = std::ranges::find_if(items, [&](const Value* item) {
        const auto* text = item->get<std::string>();
        return text != nullptr && *text == token;
      });
      return found == items.end() ? nullptr : *found;
    };
    if (const Value* all = has(kAll); all != nullptr && lists_tokens(modifier_, field_)) {
      selector_.terms.push_back({model::Term::Kind::all, std::string(kAll), all->span});
      check_others(items, *all);
    } else if (const Value* prunable = has(kAllPrunable);
               prunable != nullptr && knows_prunable(modifier_) && knows_tokens(field_)) {
      selector_.terms.push_back({model::Term::Kind::all_prunable, std::string(kAllPrunable), prunable->span});
      check_others(items, *prunable);
    } else {
      selector_.terms.reserve(items.size());
      for (const Value* item : items) {
        read_item(*item);
      }
    }
  }

  // Reports the first entry that a token makes useless.
  void check_others(const std::vector<const Value*>& items, const Value& token) {
    const auto other = std::ranges::find_if(items, [&](const Value* item) {
      const auto* text = item->get<std::string>();
      return text != nullptr && !text->empty() && *text != *token.get<std::string>();
    });
    if (other == items.end()) return;
    const std::string& name = *token.get<std::string>();
    const std::string& text = *(*other)->get<std::string>();
    auto& report = sink_.report(diag::entries_beside_token, (*other)->span, text, name);
    report.with_label(token.span, "selects everything");
    // A pattern for all but some names also matches norms, which the token does not select.
    if (text.find("(?!") != text.npos && name == kAllPrunable) {
      report.with_help(
          "write the names of the layers to prune, or patterns for them, in place of both entries: no entry "
          "takes names away from the others");
    } else {
      report.with_help(fmt::format("delete `{}` to select only the other entries, or delete the other entries", name));
    }
  }

  void read_item(const Value& item) {
    const auto* text = item.get<std::string>();
    if (text == nullptr) {
      sink_.report(diag::selector_not_text, item.span, source::describe(item), field_)
          .with_help(item.find("re") != nullptr ? "remove the space after `re:`" : "put the name in quotes");
    } else if (*text == kAllPrunable || *text == kAll) {
      const std::string_view whose = knows_tokens(field_) ? modifier_.spec->name : field_;
      sink_.report(diag::token_not_known_here, item.span, *text, whose, "a name")
          .with_severity(later(modifier_))
          .with_help(*text == kAllPrunable ? advice_on_prunable() : "list the parameter names");
    } else if (!text->starts_with(kPattern)) {
      selector_.terms.push_back({model::Term::Kind::exact, *text, item.span});
    } else if (selects_layers(field_)) {
      sink_.report(diag::regex_in_literal_field, item.span, *text).with_help("list the layer names");
    } else {
      read_pattern(text->substr(kPattern.size()), item.span);
    }
  }

  void read_pattern(const std::string& pattern, source::Span span) {
    if (const auto error = regex::syntax_error_of(pattern)) {
      auto& report = sink_.report(diag::regex_syntax, place_in(pattern, span, error->offset), error->message);
      advise_on_class(report, "re:" + pattern, span);
      if (const std::string meant = base::regex_of_glob(pattern); !meant.empty()) {
        report.with_help(fmt::format("write `re:{}`, a regular expression instead of a glob", meant))
            .with_fix(diag::Fix::unsafe().content(span, "re:" + meant));
      }
      return;
    }
    selector_.terms.push_back({model::Term::Kind::pattern, pattern, span});
  }

  // Returns the location inside the pattern if the file contains it verbatim, else the whole pattern.
  static source::Span place_in(const std::string& pattern, source::Span span, std::uint32_t offset) {
    const auto width = span.end - span.begin;
    const auto plain = static_cast<std::uint32_t>(pattern.size() + kPattern.size());
    const std::uint32_t quote = width == plain + 2 ? 1 : 0;
    if (width != plain + 2 * quote) {
      return span;
    }
    const std::uint32_t at =
        std::min(span.begin + quote + static_cast<std::uint32_t>(kPattern.size()) + offset, span.end - quote - 1);
    return {at, at + 1};
  }

  const Modifier& modifier_;
  std::string_view field_;
  diag::Sink& sink_;
  model::Selector selector_;
};

model::Selector read_selector(const Modifier& modifier, const Value& value, std::string_view field, diag::Sink& sink) {
  return modifier.framework == Framework::keras ? read_keras_selector(modifier, value, field, sink)
                                                : SelectorReader(modifier, field, sink).read(value);
}

}  // namespace sparsecfg::dialect::sparseml
