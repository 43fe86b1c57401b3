#include "dialect/gptqmodel/languages.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"

#include "dialect/gptqmodel/definitions.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/selection.h"
#include "regex/first_character.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::gptqmodel {

using ir::Decisions;
using ir::Selection;
using selectors::Fact;
using selectors::How;
using selectors::Mark;
using selectors::Reader;
using selectors::Space;

static std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Returns flags within a pattern as a group over the rest of the pattern, as PCRE2 reads them.
static std::string with_flag_groups(const std::string& text) {
  const std::size_t open = text.find("(?", 1);
  const std::size_t close = open == std::string::npos ? open : text.find_first_not_of("ims", open + 2);
  const bool flags = close != std::string::npos && close > open + 2 && text[close] == ')';
  return flags ? text.substr(0, close) + ":" + text.substr(close + 1) + ")" : text;
}

// Converts the syntax of PCRE2 to that of Python's `re` (docs/semantics/gptqmodel.md#b1-1).
static std::vector<std::string> from_pcre(std::string_view pattern) {
  std::string text(pattern);
  const bool looks_behind = text.find("(?<=") != std::string::npos || text.find("(?<!") != std::string::npos;
  if (!looks_behind) text = replaced(std::move(text), "(?<", "(?P<");
  text = replaced(std::move(text), "[[:digit:]]", "\\d");
  text = replaced(std::move(text), "\\h", "[ \\t]");
  text = replaced(std::move(text), "\\z", "\\Z");
  return {with_flag_groups(text)};
}

constexpr Reader kOwnReader{
    .name{"GPTQModel"},
    .fields = {"dynamic"},
    .polarity = selectors::Polarity::assign,
    .how = {How::match},
    .marks = {Mark{.prefix = "-:", .compares_with = {Space::name, Space::relative}, .excludes = true},
              Mark{.prefix = "+:"}},
    .rewrite = from_pcre,
    .reaches = {.classes = {}, .facts = {Fact::quantizable}},
};

constexpr Reader kVllmReader{
    .name{"vLLM gptq"},
    .fields = {"dynamic"},
    .polarity = selectors::Polarity::assign,
    .how = {How::match},
    .marks = {Mark{.prefix = "-:", .excludes = true}, Mark{.prefix = "+:"}},
};

constexpr Reader kTensorsReader{
    .name{"vLLM gptq, quantized tensors"}, .fields = {"modules_in_block_to_quantize"}, .how = {How::exact}};

std::vector<selectors::Module> modules_with_facts(std::span<const model::Module> modules, bool head) {
  std::vector<selectors::Module> out = quantizers::plain_modules(modules);
  const std::vector<std::string> names = names_in_blocks(modules);
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (!names[at].empty()) out[at].others.push_back({Space::relative, names[at]});
    if (!names[at].empty() || (head && out[at].name == "lm_head")) out[at].facts.add(Fact::quantizable);
  }
  return out;
}

namespace {

// GPTQModel calls `match`, but compiled code of PCRE2 ignores the anchor. PyPcre tests only whether the name starts
// with the first character of the pattern, if this is known (docs/semantics/gptqmodel.md#b1-1).
class Anchors {
 public:
  explicit Anchors(std::span<const selectors::Module> modules) {
    for (const selectors::Module& module : modules) {
      forms_.insert(without_digits(module.name));
      for (const selectors::OtherName& other : module.others) forms_.insert(without_digits(other.name));
    }
    for (const std::string& form : forms_) starts_.insert(form.empty() ? '\0' : form.front());
  }

  // Replaces the pattern of an entry that can match later than at the start of a name.
  void remove_anchor(std::string& entry) {
    const std::size_t sign = entry.starts_with("-:") || entry.starts_with("+:") ? 2 : 0;
    const std::string pattern = from_pcre(std::string_view(entry).substr(sign)).front();
    if (pattern.starts_with(".*") || pattern.starts_with('^') || !can_match_later(pattern)) return;
    const auto first = first_of(pattern);
    const std::size_t flags = end_of_flags(pattern);
    const bool ignores_case = pattern.substr(0, flags).find('i') != std::string::npos;
    if (first && !starts_.contains(*first)) {
      if (ignores_case) entry = entry.substr(0, sign) + "(?!)";
      return;
    }
    const std::string group = flags == 0 ? "(?:" : pattern.substr(0, flags - 1) + ":";
    entry = entry.substr(0, sign) + (first ? "(?=" + regex::literal({&*first, 1}) + ")" : "") + "(?s:.*?)" + group +
            pattern.substr(flags) + ")";
  }

 private:
  static std::string without_digits(std::string_view name) {
    std::string out;
    for (const char each : name) {
      if (!base::is_digit(each))
        out += each;
      else if (out.empty() || out.back() != '#')
        out += '#';
    }
    return out;
  }

  static std::size_t end_of_flags(std::string_view pattern) {
    const std::size_t close = pattern.starts_with("(?") ? pattern.find_first_not_of("aimsx", 2) : 0;
    return close > 2 && close < pattern.size() && pattern[close] == ')' ? close + 1 : 0;
  }

  static std::optional<char> first_of(const std::string& pattern) {
    const bool plain = base::is_letter(pattern.front()) && pattern.size() > 1 && pattern.find('|') == pattern.npos &&
                       std::string_view("?*{").find(pattern[1]) == std::string_view::npos;
    return plain ? std::optional(pattern.front()) : regex::first_character(pattern);
  }

  // Returns the text with which each match starts, up to a digit or special character.
  static std::string start_of(const std::string& pattern) {
    std::string out;
    for (std::size_t at = 0; at < pattern.size() && pattern.find('|') == pattern.npos; ++at) {
      const bool escaped = pattern[at] == '\\' && at + 1 < pattern.size() && pattern[at + 1] == '.';
      if (escaped) ++at;
      if (!escaped && !base::is_letter(pattern[at]) && pattern[at] != '_') break;
      out += pattern[at];
    }
    const bool optional = out.size() < pattern.size() && !out.empty();
    if (optional) out.pop_back();  // a quantifier may follow
    return out;
  }

  bool can_match_later(const std::string& pattern) {
    if (pattern.empty()) return false;
    const std::string start = start_of(pattern);
    if (start.empty()) return true;
    const auto [known, is_new] = known_.try_emplace(start, false);
    if (is_new) {
      known->second =
          std::ranges::any_of(forms_, [&](const std::string& form) { return form.find(start, 1) != form.npos; });
    }
    return known->second;
  }

  std::set<std::string> forms_;  // names without numbers
  std::set<char> starts_;
  std::map<std::string, bool> known_;  // by start of pattern
};

}  // namespace

static Decisions decide_own(const Selection& selection, std::span<const model::Module> modules, bool head) {
  const std::vector<selectors::Module> layers = modules_with_facts(modules, head);
  std::vector<selectors::Entry> entries = quantizers::entries_of(selection);
  Anchors anchors(layers);
  for (selectors::Entry& entry : entries) anchors.remove_anchor(entry.text);
  entries = quantizers::prepared(kOwnReader, std::move(entries));
  return quantizers::decide(kOwnReader, entries, layers, selection);
}

static Decisions decide_layers(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                               std::span<const model::Module> modules) {
  return decide_own(selection, modules, false);
}

static Decisions decide_with_head(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                  std::span<const model::Module> modules) {
  return decide_own(selection, modules, true);
}

static Decisions decide_vllm(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                             std::span<const model::Module> layers) {
  const auto entries = quantizers::prepared(kVllmReader, quantizers::entries_of(selection));
  return quantizers::decide(kVllmReader, entries, quantizers::runtime_modules(layers), selection);
}

static Decisions decide_tensors(const Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                                std::span<const model::Module> layers) {
  const auto entries = quantizers::prepared(kTensorsReader, quantizers::entries_of(selection));
  return quantizers::decide(kTensorsReader, entries, quantizers::plain_modules(layers), selection);
}

constinit const ir::Language kOwn{.name{"GPTQModel"}, .decide = decide_layers, .reader = &kOwnReader};
constinit const ir::Language kOwnWithHead{
    .name{"GPTQModel with lm_head"}, .decide = decide_with_head, .reader = &kOwnReader};
constinit const ir::Language kVllm{.name{"vLLM gptq"}, .decide = decide_vllm, .reader = &kVllmReader};
constinit const ir::Language kVllmTensors{
    .name{"vLLM gptq, quantized tensors"}, .decide = decide_tensors, .order_matters = false, .reader = &kTensorsReader};

std::string_view without_mark(std::string_view pattern) {
  const std::size_t word = pattern.find_first_not_of("+-");
  const std::size_t end = word == pattern.npos ? word : pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz", word);
  return end == pattern.npos || pattern[end] != ':' ? pattern : pattern.substr(end + 1);
}

}  // namespace sparsecfg::dialect::gptqmodel
