#include "dialect/distiller/override_patterns.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::distiller {

using regex::Comparison;
using regex::Nfa;

std::string wrapped(std::string_view pattern) { return fmt::format("(^{}$)", pattern); }

std::string joined(const std::vector<std::string>& patterns) {
  std::string out;
  for (const std::string& each : patterns) out += (out.empty() ? "" : "|") + wrapped(each);
  return out;
}

std::vector<std::size_t> find_groups(std::string_view pattern) {
  std::vector<std::size_t> groups;
  bool in_set = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (in_set) {
      in_set = pattern[at] != ']';
    } else if (pattern[at] == '[') {
      in_set = true;
      at += pattern.substr(at + 1).starts_with("^]") ? 2 : pattern.substr(at + 1).starts_with("]") ? 1 : 0;
    } else if (pattern[at] == '(') {
      const std::string_view rest = pattern.substr(at + 1);
      if (!rest.starts_with('?') || rest.starts_with("?P<")) groups.push_back(at);
    }
  }
  return groups;
}

std::string without_groups(std::string pattern) {
  std::vector<std::size_t> groups = find_groups(pattern);
  for (auto at = groups.rbegin(); at != groups.rend(); ++at) {
    pattern.insert(*at + 1, "?:");
  }
  return pattern;
}

// Returns a name that the first pattern matches and the second one does not.
static std::optional<std::string> only_in(const Nfa& a, std::string_view pattern, base::Budget& budget) {
  const auto other = Nfa::of(pattern, regex::Anchoring::start);
  const auto* b = std::get_if<Nfa>(&other);
  const Comparison answer = b == nullptr ? Comparison{} : regex::contains(*b, a, budget);
  return answer.answer == Comparison::Answer::no ? std::optional(answer.witness) : std::nullopt;
}

// Replaces a pattern. The fix is safe if every layer of the model is known to keep its overrides.
static diag::Fix with_pattern(const Context& context, const Override& each, const std::string& pattern) {
  const model::Matcher before(wrapped(each.pattern));
  const model::Matcher after(wrapped(pattern));
  const bool known = context.layers != nullptr && !before.error() && !after.error();
  const auto agree = [&](const std::string& layer) { return before.match(layer) == after.match(layer); };
  return diag::Fix::safe_if(known && std::ranges::all_of(*context.layers, agree)).content(each.key, pattern);
}

static void check_anchors(const Context& context, Override& each, base::Budget& budget) {
  if (each.pattern.find('|') == std::string::npos) {
    return;
  }
  if (const auto more = only_in(*each.matched, fmt::format("(?:{})$", each.pattern), budget)) {
    each.reported = true;
    context.sink.report(diag::alternation_not_anchored, each.key, each.pattern, *more)
        .with_help(fmt::format("write `(?:{})`", each.pattern))
        .with_fix(with_pattern(context, each, fmt::format("(?:{})", each.pattern)));
  }
}

// Reports globs such as `conv*`, where `*` repeats a letter or digit but probably means any text.
static void check_glob(const Context& context, Override& each, base::Budget& budget) {
  const std::size_t star = each.pattern.find('*');
  const bool letter = star != std::string::npos && star > 0 && (star == 1 || each.pattern[star - 2] != '\\') &&
                      (base::is_letter(each.pattern[star - 1]) || base::is_digit(each.pattern[star - 1]) ||
                       each.pattern[star - 1] == '_');
  if (!letter || each.reported) {
    return;
  }
  std::string meant = each.pattern;
  meant.insert(star, ".");
  const auto other = Nfa::of(wrapped(meant), regex::Anchoring::start);
  const auto* b = std::get_if<Nfa>(&other);
  const auto missed = b == nullptr ? std::nullopt : only_in(*b, wrapped(each.pattern), budget);
  if (missed) {
    each.reported = true;
    context.sink.report(diag::glob_not_regex, each.key, each.pattern, *missed)
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::unsafe().content(each.key, meant));
  }
}

// Reports an unescaped, unrepeated dot between words, which is probably meant literally.
static void check_dots(const Context& context, const Override& each, base::Budget& budget) {
  std::string meant;
  for (std::size_t at = 0; at < each.pattern.size(); ++at) {
    const bool escaped = at > 0 && each.pattern[at - 1] == '\\';
    const bool repeated =
        at + 1 < each.pattern.size() && std::string_view("*+?{").find(each.pattern[at + 1]) != std::string_view::npos;
    const bool between = at > 0 && at + 1 < each.pattern.size() && !repeated && each.pattern[at - 1] != '(' &&
                         each.pattern[at - 1] != '|';
    meant += each.pattern[at] == '.' && !escaped && between ? "\\." : std::string(1, each.pattern[at]);
  }
  if (each.reported || meant == each.pattern || !model::looks_like_pattern(each.pattern)) {
    return;
  }
  if (const auto more = only_in(*each.matched, wrapped(meant), budget)) {
    context.sink.report(diag::unescaped_dot, each.key, each.pattern, *more)
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::unsafe().content(each.key, meant));
  }
}

void check_written(const Context& context, Override& each, base::Budget& budget) {
  if (each.reported || !each.matched) {
    return;
  }
  check_anchors(context, each, budget);
  check_glob(context, each, budget);
  check_dots(context, each, budget);
}

}  // namespace sparsecfg::dialect::distiller
