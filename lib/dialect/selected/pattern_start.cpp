#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/selected/codes.h"
#include "dialect/selected/selected.h"

// Patterns that match from the start of a name, but were probably meant to match anywhere in it.
namespace sparsecfg::dialect::selected {

DIAGNOSTIC(SP635, pattern_at_start_only, warning, (Text, std::size_t, std::size_t),
           "`{}` matches {} of the {} names that contain such a text",
           "A pattern must match from the start of the full name. One that begins with the last part of the names "
           "matches only the layers at the top of the model.",
           "begin the pattern with `.*`, or with the names around the layers")

// Returns true for a pattern with a set or class of characters, such as `conv[0-9]+`, that does not say what comes
// before it: it has no anchor, wildcard or group at the start, and no alternatives.
static bool varies_without_start(std::string_view pattern) {
  constexpr std::string_view kOpen = "^.([\\*";
  const bool starts = !pattern.empty() && kOpen.find(pattern.front()) == std::string_view::npos;
  const bool varies = pattern.find('[') != std::string_view::npos || pattern.find("\\d") != std::string_view::npos ||
                      pattern.find("\\w") != std::string_view::npos;
  return starts && varies && pattern.find('|') == std::string_view::npos;
}

// Returns true for a text without wildcards, which a list of names would select in full.
static bool is_plain(std::string_view pattern) {
  return std::ranges::all_of(pattern, [](char c) { return base::is_name_letter(c) || c == '.' || c == '\\'; });
}

void check_start(const std::string& pattern, source::Span place, std::string_view prefix, const CountNames& count,
                 diag::Sink& sink) {
  constexpr std::size_t kFew = 2;
  constexpr std::size_t kMany = 8;
  if (!varies_without_start(pattern) && !is_plain(pattern)) return;
  const std::size_t at_start = count(pattern);
  const std::size_t anywhere = at_start > 0 && at_start <= kFew ? count(".*" + pattern) : 0;
  if (anywhere < kMany) return;
  const std::string meant = fmt::format("{}.*{}", prefix, pattern);
  sink.report(diag::pattern_at_start_only, place, fmt::format("{}{}", prefix, pattern), at_start, anywhere)
      .with_help(fmt::format("write `{}`", meant))
      .with_fix(diag::Fix::unsafe().content(place, meant));
}

void check_starts(const ir::Recipe& recipe, const model::ModelNames& names, const Writing& writing, diag::Sink& sink) {
  const CountNames count = [&](const std::string& pattern) {
    const model::ModelNames::Taken taken = names.matched({model::Term::Kind::pattern, pattern, {}});
    std::size_t out = 0;
    for (const auto& [first, last] : taken.ranges) out += taken.certain ? last - first : 0;
    return out;
  };
  std::set<source::Span> seen;
  for (const ir::Action& action : recipe.actions) {
    if (!action.valid) continue;
    for (const model::Selector* selector : ir::selectors_of(action.effect)) {
      if (selector->over != writing.over) continue;
      for (const model::Term& term : selector->terms) {
        const bool pattern = term.kind == model::Term::Kind::pattern && !term.span.empty();
        if (pattern && seen.insert(term.span).second) check_start(term.text, term.span, writing.prefix, count, sink);
      }
    }
  }
}

}  // namespace sparsecfg::dialect::selected
