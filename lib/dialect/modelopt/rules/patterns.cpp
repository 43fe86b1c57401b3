#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/budget.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/read.h"
#include "model/roles.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"

// Patterns that match no quantizer, or not what their text suggests (docs/semantics/modelopt.md#c3).
namespace sparsecfg::dialect::modelopt {

DIAGNOSTIC(MO301, pattern_never_matches, silent_warning, (Text, Text), "`{}` never matches a quantizer: {}",
           "Patterns are globs of Python's `fnmatch` over full names of quantizers, which end in `_quantizer` or, for "
           "experts, in a number. An entry that matches nothing is silently ignored.",
           "write a glob such as `*q_proj*`")
DIAGNOSTIC(MO302, pattern_matches_nothing, silent_warning, (Text), "`{}` matches no quantizer of the model",
           "ModelOpt silently ignores an entry that matches nothing.", "write a glob that matches a quantizer")
DIAGNOSTIC(MO303, caret_in_set, silent_warning, (Text), "`{}` is not a negation: the set contains `^`",
           "In a glob, `[!x]` matches any other character. `[^x]` matches `^` or `x`.", "write `[!...]`")
DIAGNOSTIC(MO304, number_matches_more, info, (Text, Text), "`{}` also matches {}",
           "`*` also matches further digits, so a pattern that ends in a number matches longer numbers.",
           "add a period after the number: `*layers.1.*`")

namespace {

constexpr std::string_view kEnding = "_quantizer";

std::string unmarked_regex(std::string_view pattern) {
  std::string out(pattern.starts_with("re:") ? pattern.substr(3) : pattern);
  const auto replace = [&](std::string_view what, std::string_view by) {
    for (std::size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + by.size())) {
      out.replace(at, what.size(), by);
    }
  };
  replace("\\.", ".");
  replace(".*", "*");
  std::erase_if(out, [](char c) { return c == '^' || c == '$' || c == '\\'; });
  if (!out.starts_with('*') && !pattern.starts_with('^') && !pattern.starts_with("re:^")) out.insert(0, "*");
  if (!out.ends_with('*')) out += '*';
  return out;
}

// Why a pattern can't match, and a pattern that was probably meant.
struct Never {
  std::string why;
  std::string meant;
};

// Returns the text after the last wildcard.
std::string_view tail_of(std::string_view pattern) {
  const std::size_t last = pattern.find_last_of("*?]");
  return last == std::string_view::npos ? pattern : pattern.substr(last + 1);
}

bool ends_like_quantizer(std::string_view pattern) {
  std::string_view tail = tail_of(pattern);
  const bool whole = tail.size() == pattern.size();
  const std::size_t digits = tail.find_last_not_of("0123456789");
  const bool numbered = digits != std::string_view::npos && digits + 1 < tail.size() && tail[digits] == '.';
  if (numbered) {
    tail = tail.substr(0, digits);
    if (tail.ends_with('s')) tail.remove_suffix(1);
    return tail.empty() || tail.ends_with(kEnding) || (!whole && kEnding.ends_with(tail));
  }
  const bool only_digits = !tail.empty() && digits == std::string_view::npos;
  return tail.empty() || only_digits || tail.ends_with(kEnding) || (!whole && kEnding.ends_with(tail));
}

std::optional<Never> never(std::string_view pattern) {
  if (pattern.empty()) return Never{"it is empty", "*"};
  if (base::trim(pattern) != pattern) return Never{"it has spaces at its ends", std::string(base::trim(pattern))};
  if (pattern.starts_with("re:") || pattern.find(".*") == 0) {
    // `.*x` as a glob requires that the name starts with a period.
    return Never{"it is a regular expression", unmarked_regex(pattern)};
  }
  if (pattern.starts_with('^') || pattern.ends_with('$') || pattern.find('\\') != std::string_view::npos ||
      (pattern.find('|') != std::string_view::npos && pattern.find('(') != std::string_view::npos)) {
    return Never{"it is a regular expression",
                 pattern.find('|') == std::string_view::npos ? unmarked_regex(pattern) : ""};
  }
  if (pattern.find('{') != std::string_view::npos) return Never{"globs have no alternatives in braces", ""};
  if (pattern.find(' ') != std::string_view::npos) return Never{"it contains a space", ""};
  if (ends_like_quantizer(pattern)) return std::nullopt;
  const bool plural = pattern.ends_with("_quantizers");
  const bool parameter = pattern.ends_with(".weight") || pattern.ends_with(".bias");
  const std::string_view module = parameter ? pattern.substr(0, pattern.rfind('.')) : pattern;
  std::string meant = plural ? std::string(pattern) + "*" : std::string(module) + "*";
  return Never{plural      ? "the number of the expert follows"
               : parameter ? "it names a parameter"
                           : "it names a module",
               std::move(meant)};
}

// Returns true if `parent_class` of an entry is no class with quantizers.
bool has_unknown_class(const Entry& entry, const std::optional<Applied>& applied) {
  if (entry.parent.empty() || entry.unknown || is_known_key(entry.parent)) return false;
  const auto of_model = applied ? keys_of_model(applied->quantized) : std::vector<std::string>();
  if (std::ranges::find(of_model, entry.parent) != of_model.end()) return false;
  const bool may_be_of_model = !applied && (entry.parent.starts_with("hf.") || entry.parent.ends_with("Attention"));
  return !may_be_of_model || entry.parent.starts_with("nn.");
}

class PatternChecks {
 public:
  PatternChecks(const Context& context, const Config& config, const std::optional<Applied>& applied)
      : context_(context), config_(config), applied_(applied) {}

  void run() {
    if (applied_) matched_ = matched_entries(applied_->quantized, config_.entries.size());
    for (std::uint32_t at = 0; at < config_.entries.size(); ++at) check(config_.entries[at], at);
  }

 private:
  void check(const Entry& entry, std::uint32_t at) {
    if (entry.imported || entry.unknown || entry.pattern == "cfg") return;
    const bool matches = applied_ && matched_[at];
    if (const auto why = matches ? std::nullopt : never(entry.pattern)) {
      report_never(entry, *why);
    } else if (entry.pattern.find("[^") != std::string::npos) {
      report_caret(entry);
    } else if (applied_ && !matches && !has_unknown_class(entry, applied_)) {
      report_nothing(entry);
    } else if (applied_) {
      check_number(entry, at);
    }
  }

  void report_never(const Entry& entry, const Never& why) {
    auto& report = context_.sink.report(diag::pattern_never_matches, entry.span, entry.pattern, why.why);
    const std::string braces = alternatives(entry.pattern);
    if (!why.meant.empty()) {
      report.with_help(fmt::format("write `{}`", why.meant))
          .with_fix(diag::Fix::unsafe().content(entry.span, why.meant));
    } else if (!braces.empty()) {
      report.with_help(fmt::format("write one entry for each alternative: {}", braces));
    }
  }

  // "*{a,b}*" -> "`*a*`, `*b*`"
  static std::string alternatives(std::string_view pattern) {
    const std::size_t open = pattern.find_first_of("{(");
    const std::size_t close = pattern.find_first_of("})", open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return {};
    std::string out;
    std::string_view inside = pattern.substr(open + 1, close - open - 1);
    while (!inside.empty()) {
      const std::size_t end = std::min(inside.find_first_of(",|"), inside.size());
      out += fmt::format("{}`{}{}{}`", out.empty() ? "" : ", ", pattern.substr(0, open), inside.substr(0, end),
                         pattern.substr(close + 1));
      inside.remove_prefix(std::min(end + 1, inside.size()));
    }
    return out;
  }

  void report_caret(const Entry& entry) {
    std::string meant = entry.pattern;
    meant[meant.find("[^") + 1] = '!';
    context_.sink.report(diag::caret_in_set, entry.span, entry.pattern)
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::unsafe().content(entry.span, meant));
  }

  // Returns the first module whose quantizer a pattern would match if the module had one; empty if there is none.
  [[nodiscard]] std::string module_without_quantizers(const std::string& glob) const {
    const auto pattern = compiled_glob(glob);
    const auto fits = [&](const model::Module& module) {
      return pattern->match(module.name + ".weight_quantizer") == regex::Match::yes;
    };
    const auto found = !pattern ? applied_->modules.end() : std::ranges::find_if(applied_->modules, fits);
    return found == applied_->modules.end() ? std::string() : found->name;
  }

  // Suggests the pattern with its longest part replaced by the most similar part of a name.
  void report_nothing(const Entry& entry) {
    auto& report = context_.sink.report(diag::pattern_matches_nothing, entry.span, entry.pattern);
    if (const std::string module = entry.enable ? std::string() : module_without_quantizers(entry.pattern);
        !module.empty()) {
      report.with_severity(diag::Severity::info)
          .with_help(fmt::format("delete the entry: `{}` has no quantizers to turn off", module));
      return;
    }
    const std::string_view word = longest_word(entry.pattern);
    std::set<std::string, std::less<>> parts;
    for (const model::Module& module : applied_->modules) {
      for (std::string_view rest = module.name; !rest.empty();) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        parts.emplace(rest.substr(0, dot));
        rest.remove_prefix(std::min(dot + 1, rest.size()));
      }
    }
    const std::vector<std::string_view> names(parts.begin(), parts.end());
    const auto guess = word.size() < 3 ? std::nullopt : base::nearest(word, names);
    if (!entry.parent.empty()) return;
    if (const std::string fused = pattern_for_experts(entry.pattern); !fused.empty()) {
      report.with_caret("the experts are one module, whose quantizers have names with `_`")
          .with_help(fmt::format("write `{}`", fused))
          .with_fix(diag::Fix::unsafe().content(entry.span, fused));
      return;
    }
    if (!guess) return suggest_counterpart(entry, report);
    std::string meant = entry.pattern;
    meant.replace(static_cast<std::size_t>(word.data() - entry.pattern.data()), word.size(), *guess);
    report.with_help(fmt::format("did you mean `{}`?", meant)).with_fix(diag::Fix::unsafe().content(entry.span, meant));
  }

  // Returns the pattern for the quantizers of experts that are one module, such as `gate_up_proj_weight_quantizer`;
  // empty if none matches.
  [[nodiscard]] std::string pattern_for_experts(const std::string& pattern) const {
    constexpr std::string_view kExperts = "experts";
    const std::size_t experts = pattern.find(kExperts);
    const std::size_t end = pattern.find_last_of(".*");
    if (experts == std::string::npos || end == std::string::npos || end < experts + kExperts.size()) return {};
    const std::string_view quantizer = std::string_view(pattern).substr(end + 1);
    if (quantizer.find("_quantizer") == std::string_view::npos) return {};
    const std::string inner = pattern.substr(0, end) + "_" + std::string(quantizer);
    const std::string whole = pattern.substr(0, experts + kExperts.size()) + "*" + std::string(quantizer);
    for (const std::string& candidate : {inner, inner + "*", whole, whole + "*"}) {
      if (matches_quantizer(candidate)) return candidate;
    }
    return {};
  }

  [[nodiscard]] bool matches_quantizer(const std::string& pattern) const {
    base::Budget budget = selectors::assignment_budget();
    selectors::TermIndex index;
    index.add(selectors::How::glob, pattern, 0);
    index.finish({}, budget);
    std::vector<std::uint32_t> found;
    for (const QuantizedModule& module : applied_->quantized) {
      for (const Quantizer& quantizer : module.quantizers) {
        if (index.find(quantizer.name, budget, found) && !found.empty()) return true;
      }
    }
    return false;
  }

  // Suggests the layers with the role that the pattern names in another family of models.
  void suggest_counterpart(const Entry& entry, diag::Diagnostic& report) const {
    std::vector<std::string_view> names;
    for (const model::Module& module : applied_->modules) names.push_back(module.name);
    std::string_view layer = entry.pattern;
    if (const std::size_t quantizer = layer.rfind('.'); layer.find("quantizer", quantizer + 1) != layer.npos)
      layer = layer.substr(0, quantizer);
    const model::Counterpart other = model::counterpart_of(layer, names);
    std::vector<std::string> globs;
    for (const std::string& end : other.ends) globs.push_back(fmt::format("`*{}*`", end));
    if (globs.empty()) return;
    report.with_help(fmt::format("write {}{}", globs.size() > 1 ? "an entry for each of " : "", base::join_and(globs)));
    if (globs.size() == 1) report.with_fix(diag::Fix::unsafe().content(entry.span, "*" + other.ends.front() + "*"));
  }

  static std::string_view longest_word(std::string_view pattern) {
    std::string_view out;
    for (std::size_t at = 0; at < pattern.size();) {
      const std::size_t end = std::min(pattern.find_first_of("*?[].", at), pattern.size());
      const std::string_view word = pattern.substr(at, end - at);
      if (word.size() > out.size() && word.find("quantizer") == std::string_view::npos) out = word;
      at = end + 1;
    }
    return out;
  }

  // `*layers.1*` also matches the layers 10 to 19.
  void check_number(const Entry& entry, std::uint32_t at) {
    const std::string_view pattern = entry.pattern;
    const std::size_t digit = pattern.find_last_of("0123456789");
    if (digit == std::string_view::npos || digit + 1 >= pattern.size() || pattern[digit + 1] != '*') return;
    std::set<std::string> more;
    std::size_t begin = digit;
    while (begin > 0 && base::is_digit(pattern[begin - 1])) --begin;
    const std::string number(pattern.substr(begin, digit + 1 - begin));
    if (begin == 0 || pattern[begin - 1] != '.') return;
    for (const QuantizedModule& module : applied_->quantized) {
      for (const Quantizer& quantizer : module.quantizers) {
        if (std::ranges::find(quantizer.matched, at) != quantizer.matched.end())
          add_longer(quantizer.name, number, more);
      }
    }
    if (more.empty()) return;
    context_.sink.report(
        diag::number_matches_more, entry.span, entry.pattern,
        more.size() > 3 ? fmt::format("{} further numbers", more.size()) : base::join_and({more.begin(), more.end()}));
  }

  static void add_longer(std::string_view name, const std::string& number, std::set<std::string>& more) {
    for (std::string_view rest = name; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      const std::string_view part = rest.substr(0, dot);
      const bool digits = std::ranges::all_of(part, base::is_digit);
      if (digits && part.size() > number.size() && part.starts_with(number)) more.insert(fmt::format("`{}`", part));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
  }

  const Context& context_;
  const Config& config_;
  const std::optional<Applied>& applied_;
  std::vector<bool> matched_;  // by entry
};

}  // namespace

void check_patterns(const Context& context, const Config& config, const std::optional<Applied>& applied) {
  PatternChecks(context, config, applied).run();
}

// --- classes ----------------------------------------------------------------------------------------

DIAGNOSTIC(
    MO305, unknown_parent_class, error, (Text), "`{}` is not a class with quantizers",
    "When the entry is applied, ModelOpt looks up `parent_class` in its registry and stops with a ValueError. The "
    "registry has classes of torch such as `nn.Linear`, and those attention and expert classes that the model "
    "contains.",
    "write a registered class, such as `nn.Linear`")

static std::string short_class(std::string_view name) {
  for (const std::string_view prefix : {"torch.nn.", "nn."}) {
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  }
  return std::string(base::trim(name));
}

bool check_classes(const Context& context, const Config& config, const std::optional<Applied>& applied) {
  bool valid = true;
  for (const Entry& entry : config.entries) {
    if (!has_unknown_class(entry, applied)) continue;
    valid = false;
    auto& report = context.sink.report(diag::unknown_parent_class, entry.parent_span, entry.parent);
    std::vector<std::string> names = applied ? keys_of_model(applied->quantized) : std::vector<std::string>();
    names.insert(names.end(), known_keys().begin(), known_keys().end());
    const auto fits = [&](const std::string& key) {
      return base::to_lower(short_class(key)) == base::to_lower(short_class(entry.parent)) ||
             key == "hf." + entry.parent;
    };
    const auto guess = std::ranges::find_if(names, fits);
    if (guess != names.end()) {
      report.with_help(fmt::format("write `{}`", *guess))
          .with_fix(diag::Fix::unsafe().content(entry.parent_span, *guess));
    }
  }
  return valid;
}

}  // namespace sparsecfg::dialect::modelopt
