#include "ir/impossible_name.h"

#include <algorithm>
#include <array>
#include <variant>

#include "ir/plain_pattern.h"
#include "regex/compare.h"

namespace sparsecfg::ir {

using regex::Anchoring;
using regex::Nfa;

// Parts of one character or more, without blanks, and a dot between two of them.
static const Nfa& well_formed_names() {
  static const Nfa names = std::get<Nfa>(Nfa::of("[^\\s.]+(?:\\.[^\\s.]+)*", Anchoring::both));
  return names;
}

// Words that layers are called by, alone, with a number or behind a word and `_`; and numbers in a list of layers.
static const Nfa& names_of_layers() {
  static const Nfa names = std::get<Nfa>(
      Nfa::of("(?:.*\\.)?(?:(?:layers?|blocks?|features|stages?|sections|layer[0-9]|h)\\.[0-9]+|(?:[a-zA-Z0-9]+_)*(?:"
              "conv|fc|linear|lin|dense|classifier|bn|norm|layernorm|LayerNorm|proj|"
              "query|key|value|attention|attn|encoder|decoder|layers?|blocks?|features|downsample|mlp|ffn|intermediate|"
              "embeddings|dropout|relu|pool|backbone)_?[0-9]*)",
              Anchoring::both));
  return names;
}

static const Nfa& names_of_parameters() {
  static const Nfa names = std::get<Nfa>(Nfa::of(".*\\.(?:weight|bias)", Anchoring::both));
  return names;
}

// Returns true if a model may have this name. The comparison of automata below takes a thousand times as long.
static bool is_usual(const std::string& name, Selector::Over over) {
  const bool parameter = name.ends_with(".weight") || name.ends_with(".bias");
  const bool well_formed = !name.empty() && !name.starts_with('.') && !name.ends_with('.') &&
                           name.find("..") == std::string::npos &&
                           std::ranges::all_of(name, [](char c) { return c == '.' || is_name_letter(c); });
  return well_formed && (over != Selector::Over::parameters || parameter) &&
         (over != Selector::Over::modules || !parameter);
}

// Returns true if a model may have a name that the term matches. False says nothing.
static bool is_plainly_possible(const Term& term, Selector::Over over) {
  if (term.kind == Term::Kind::exact) {
    return is_usual(term.text, over);
  }
  const std::string_view tail = over == Selector::Over::parameters ? ".weight" : "a";
  return std::ranges::any_of(std::array{"a", "a."}, [&](const char* wild) {
    return is_usual(PlainPattern(term.text, wild).sample(tail), over);
  });
}

static std::optional<Nfa> language_of(const Term& term) {
  auto found = term.kind == Term::Kind::pattern ? Nfa::of(term.text, Anchoring::start) : Nfa::of_name(term.text);
  return std::holds_alternative<Nfa>(found) ? std::optional(std::get<Nfa>(std::move(found))) : std::nullopt;
}

static bool has_blank(const std::string& text) { return text.find_first_of(" \t") != std::string::npos; }

static std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

// What holds for names of all kinds.
static std::optional<Impossible> malformed(const Term& term, const Nfa& language) {
  if (term.kind == Term::Kind::pattern &&
      regex::intersects(language, Nfa::everything()).answer == regex::Comparison::Answer::no) {
    return Impossible{"it asks for something before a name's start or behind its end", true};
  }
  if (regex::intersects(language, well_formed_names()).answer != regex::Comparison::Answer::no) {
    return std::nullopt;
  }
  return has_blank(term.text) ? Impossible{"names have no blanks", true, without_blanks(term.text)}
                              : Impossible{"no name begins or ends with a dot or has two in a row", true};
}

static std::optional<Impossible> no_parameter(const Term& term, const Nfa& language, const std::string& framework) {
  if (!framework.empty()) {
    return std::nullopt;
  }
  if (term.kind == Term::Kind::exact && term.text.find('/') != std::string::npos) {
    return Impossible{"names of PyTorch's parameters have `.` between their parts, as in `conv1.weight`"};
  }
  if (regex::contains(names_of_layers(), language).answer != regex::Comparison::Answer::yes) {
    return std::nullopt;
  }
  return Impossible{"it ends in the name of a layer, not in that of a parameter such as `weight`", false,
                    term.kind == Term::Kind::exact ? term.text + ".weight" : ""};
}

static std::optional<Impossible> no_module(const Term& term, const Nfa& language) {
  if (regex::contains(names_of_parameters(), language).answer != regex::Comparison::Answer::yes) {
    return std::nullopt;
  }
  const std::size_t dot = term.kind == Term::Kind::exact ? term.text.rfind('.') : std::string::npos;
  return Impossible{"it ends in the name of a parameter, and these are names of modules", false,
                    dot == std::string::npos ? "" : term.text.substr(0, dot)};
}

std::optional<Impossible> impossible_name(const Term& term, Selector::Over over, const std::string& framework) {
  if (term.kind != Term::Kind::exact && term.kind != Term::Kind::pattern) {
    return std::nullopt;
  }
  if (term.text.empty() || is_plainly_possible(term, over)) {
    return std::nullopt;
  }
  const auto language = language_of(term);
  if (!language) {
    return std::nullopt;
  }
  auto found = malformed(term, *language);
  if (!found && over == Selector::Over::parameters) found = no_parameter(term, *language, framework);
  if (!found && over == Selector::Over::modules) found = no_module(term, *language);
  return found;
}

}  // namespace sparsecfg::ir
