#include <fmt/core.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "dialect/class_of_numbers.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/staged/rules.h"
#include "regex/pattern.h"

// Targets and masks (docs/semantics/sparseml.md#h3-10).
namespace sparsecfg::dialect::sparseml::staged {

using source::Value;

constexpr std::string_view kPattern = "re:";

struct Token {
  std::string_view text;
  model::Term::Kind kind;
};

constexpr std::array<Token, 3> kTokens = {{
    {"__ALL__", model::Term::Kind::all},
    {"__ALL_PRUNABLE__", model::Term::Kind::all_prunable},
    {"__ALL_QUANTIZABLE__", model::Term::Kind::all_quantizable},
}};

static const Token* find_token(std::string_view text) {
  const auto* found = std::ranges::find(kTokens, text, &Token::text);
  return found == kTokens.end() ? nullptr : found;
}

// Returns the strings of `targets`: the single string or the list items.
static std::vector<const Value*> entries_of(const Modifier& modifier) {
  const Value* targets = modifier.given("targets");
  std::vector<const Value*> out;
  if (targets == nullptr) {
    return out;
  }
  if (const auto* list = targets->get<source::List>()) {
    for (const Value& item : *list) out.push_back(&item);
  } else {
    out.push_back(targets);
  }
  return out;
}

model::Selector read_targets(const Modifier& modifier) {
  model::Selector selector{{}, model::Selector::Over::either, true};
  const Value* targets = modifier.given("targets");
  const bool alone = targets != nullptr && targets->get<std::string>() != nullptr;
  for (const Value* entry : entries_of(modifier)) {
    const auto* text = entry->get<std::string>();
    const Token* token = text == nullptr || !alone ? nullptr : find_token(*text);
    if (token != nullptr) {
      selector.terms.push_back({token->kind, *text, entry->span});
    } else if (text != nullptr && !text->starts_with(kPattern)) {
      selector.terms.push_back({model::Term::Kind::exact, *text, entry->span});
    } else if (text != nullptr && !regex::syntax_error_of(text->substr(kPattern.size()))) {
      selector.terms.push_back({model::Term::Kind::pattern, text->substr(kPattern.size()), entry->span});
    }
  }
  return selector;
}

void check_targets(const Modifier& modifier, diag::Sink& sink) {
  const Value* targets = modifier.given("targets");
  const bool alone = targets != nullptr && targets->get<std::string>() != nullptr;
  for (const Value* entry : entries_of(modifier)) {
    const auto* text = entry->get<std::string>();
    if (text == nullptr) {
      continue;
    }
    if (!alone && find_token(*text) != nullptr) {
      sink.report(diag::token_not_known_here, entry->span, *text, modifier.spec->name, "a name")
          .with_help(fmt::format("write `targets: {}`, not in a list", *text));
    } else if (text->starts_with(kPattern)) {
      if (const auto fault = regex::syntax_error_of(text->substr(kPattern.size()))) {
        advise_on_class(sink.report(diag::regex_syntax, entry->span, fault->message), *text, entry->span);
      }
    }
  }
}

// Converts a part between two separators like Python int().
static std::optional<std::int64_t> whole_count(std::string_view text) {
  text = base::trim(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

static std::optional<std::vector<std::int64_t>> wholes(std::string_view text, char mark) {
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    const auto number = whole_count(text.substr(at, end - at));
    if (!number) {
      return std::nullopt;
    }
    out.push_back(*number);
    at = end + 1;
  }
  return out;
}

std::optional<ir::Structure> read_structure(std::string_view text) {
  constexpr std::string_view kBlock = "block_";
  using Kind = ir::Structure::Kind;
  if (text == "unstructured") return ir::Structure{};
  if (text == "channel") return ir::Structure{Kind::channel};
  if (text == "filter") return ir::Structure{Kind::filter};
  const auto sizes = text.starts_with(kBlock) ? wholes(text.substr(kBlock.size()), ',') : std::nullopt;
  if (!sizes) {
    return std::nullopt;
  }
  return ir::Structure{Kind::block, sizes->front(), sizes->size() > 1 ? (*sizes)[1] : 1};
}

std::optional<std::pair<std::int64_t, std::int64_t>> read_blocks(std::string_view text) {
  const auto sizes = wholes(text, ':');
  return sizes && sizes->size() == 2 ? std::optional(std::pair(sizes->front(), sizes->back())) : std::nullopt;
}

}  // namespace sparsecfg::dialect::sparseml::staged
