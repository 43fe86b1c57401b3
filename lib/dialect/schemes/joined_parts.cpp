#include "dialect/schemes/joined_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/schemes/targets.h"
#include "regex/alternatives.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::schemes {

using model::Module;

// Returns the letters at the end of a pattern: "gate" of `re:.*gate.*`.
static std::string_view last_word(std::string_view entry) {
  while (!entry.empty() && !base::is_name_letter(entry.back())) entry.remove_suffix(1);
  std::size_t begin = entry.size();
  while (begin > 0 && base::is_name_letter(entry[begin - 1])) --begin;
  return entry.substr(begin);
}

// Returns the last two parts of a name: "mlp.gate".
static std::string_view last_two_parts(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t before = dot == name.npos || dot == 0 ? name.npos : name.rfind('.', dot - 1);
  return before == name.npos ? name : name.substr(before + 1);
}

std::optional<std::string> whole_word_of(std::string_view entry, std::string_view unwanted,
                                         std::span<const Module> modules) {
  const std::string_view word = last_word(entry);
  if (word.empty() || base::last_part(unwanted) == word) return std::nullopt;
  const model::Matcher written = matcher_of(std::string(entry));
  std::vector<const Module*> wanted;
  for (const Module& module : modules) {
    if (base::last_part(module.name) == word && written.takes(module)) wanted.push_back(&module);
  }
  if (wanted.empty()) return std::nullopt;
  for (const std::string_view end : {word, last_two_parts(wanted.front()->name)}) {
    std::string candidate = fmt::format("re:.*{}$", regex::literal(end));
    const model::Matcher matcher = matcher_of(candidate);
    const auto takes = [&](const Module* each) { return matcher.takes(*each); };
    if (!matcher.takes(unwanted) && std::ranges::all_of(wanted, takes)) return candidate;
  }
  return std::nullopt;
}

// Returns the entry for another part of a layer, which differs from an entry only in the last part of the name. For a
// pattern that ends within this part, it is a pattern for all layers with the name.
static std::string entry_for_other(const Entry& entry, std::string_view ignored, std::string_view other) {
  const std::string_view last = base::last_part(ignored);
  const std::size_t at = entry.text.rfind(last);
  if (at != std::string::npos) return std::string(entry.text).replace(at, last.size(), other);
  const bool within = is_pattern(entry.text) && last.starts_with(last_word(entry.text));
  return within ? fmt::format("re:.*{}$", regex::literal(other)) : std::string();
}

// Returns the entries for the parts of a layer that an entry does not match.
static std::vector<std::string> entries_for_others(const Entry& entry, std::string_view ignored,
                                                   std::span<const std::string> parts) {
  std::vector<std::string> out;
  const model::Matcher written = matcher_of(entry.text);
  for (const std::string& part : parts) {
    if (written.takes(part)) continue;
    std::string other = entry_for_other(entry, ignored, base::last_part(part));
    if (!other.empty()) out.push_back(std::move(other));
  }
  return out;
}

// Returns the pattern that matches the same names as an entry, and all parts of the layers of which it matches some;
// empty if none is found.
static std::string entry_for_all(const Entry& entry, std::span<const std::string> parts,
                                 std::span<const Module> modules) {
  std::vector<std::string> words;
  for (const std::string& part : parts) words.emplace_back(base::last_part(part));
  const model::Matcher written = matcher_of(entry.text);
  for (const std::string& candidate : regex::with_alternatives(entry.text, words)) {
    const model::Matcher matcher = matcher_of(candidate);
    const auto fits = [&](const Module& module) {
      const bool added =
          !written.takes(module) && std::ranges::find(words, base::last_part(module.name)) != words.end();
      return added || written.takes(module) == matcher.takes(module);
    };
    const auto takes = [&](const std::string& part) { return matcher.takes(part); };
    if (!matcher.error() && std::ranges::all_of(parts, takes) && std::ranges::all_of(modules, fits)) return candidate;
  }
  return {};
}

// Returns true if a pattern ends with the name of a router, which is only a part of the name that it matches:
// `re:.*mlp.gate` and `gate_proj`.
static bool means_router(std::string_view entry, std::string_view ignored) {
  const std::string_view word = last_word(entry);
  const bool open = is_pattern(entry) && entry.ends_with(word);
  return open && is_router(word) && base::last_part(ignored) != word;
}

void advise_whole_layer(diag::Diagnostic& report, const Entry& entry, std::string_view ignored,
                        std::span<const std::string> parts, std::span<const Module> modules,
                        std::optional<source::Span> list) {
  if (const auto narrow = whole_word_of(entry.text, ignored, modules)) {
    report.with_help(fmt::format("write `{}`, which does not match `{}`", *narrow, base::last_part(ignored)))
        .with_fix(diag::Fix::unsafe().content(entry.span, *narrow));
    return;
  }
  if (means_router(entry.text, ignored)) {
    report
        .with_help(fmt::format("delete `{}`: the model has no layer `{}`, and the pattern also matches `{}`",
                               entry.text, last_word(entry.text), base::last_part(ignored)))
        .with_fix(list ? diag::Fix::unsafe().remove(entry.span) : diag::Fix());
    return;
  }
  if (is_pattern(entry.text)) {
    if (const std::string all = entry_for_all(entry, parts, modules); !all.empty()) {
      report.with_help(fmt::format("write `{}`: runtimes load these layers as one", all))
          .with_fix(diag::Fix::unsafe().content(entry.span, all));
      return;
    }
  }
  const std::vector<std::string> others = entries_for_others(entry, ignored, parts);
  if (others.empty()) return;
  std::vector<std::string> quoted;
  diag::Fix fix = diag::Fix::unsafe();
  for (const std::string& other : others) {
    quoted.push_back(fmt::format("`{}`", other));
    if (list) fix.append(*list, other);
  }
  report.with_help(fmt::format("add {} to `ignore`: runtimes load these layers as one", base::join_and(quoted)))
      .with_fix(list ? std::move(fix) : diag::Fix());
}

}  // namespace sparsecfg::dialect::schemes
