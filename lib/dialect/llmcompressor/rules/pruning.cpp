#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/masks.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"
#include "dialect/record/types.h"
#include "regex/compare.h"
#include "regex/nfa.h"

// Checks one-shot pruners, pruning of experts and training masks.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

DIAGNOSTIC(LC304, mask_not_n_m, silent_error, (Text, Text), "`{}` is not an N:M mask: {}",
           "`mask_structure` is a string \"N:M\", which means that N of every M weights are removed. \"0:0\" removes "
           "weights anywhere.",
           "write a quoted N:M mask, such as `\"2:4\"`")

static void check_mask(const Context& context, const LayerPruning& pruning) {
  if (!pruning.mask_structure) {
    return;
  }
  const std::string& text = *pruning.mask_structure;
  const source::Span place = pruning.mask_structure.place();
  const auto read = read_mask(text);
  const std::string_view why = !read                        ? "it must have the form N:M"
                               : read->n < 0 || read->m < 0 ? "N and M must not be negative"
                               : read->n > read->m          ? "N must not be greater than M"
                                                            : std::string_view();
  if (!why.empty()) {
    const bool swapped = read && read->n > read->m && read->m > 0;
    context.sink.report(diag::mask_not_n_m, place, text, why)
        .with_help(swapped ? fmt::format("write `\"{}:{}\"`", read->m, read->n)
                           : "write `\"2:4\"`, or `\"0:0\"` for unstructured pruning")
        .with_fix(swapped                  ? diag::Fix::unsafe().content(place, fmt::format("{}:{}", read->m, read->n))
                  : text == "unstructured" ? diag::Fix::unsafe().replace(place, "\"0:0\"")
                                           : diag::Fix());
  }
}

static std::string_view fault_of_sparsity(double sparsity) {
  if (std::isnan(sparsity)) return "is not a number";
  if (sparsity < 0) return "is below 0";
  return sparsity >= 1 ? "is not below 1" : std::string_view();
}

DIAGNOSTIC(LC303, sparsity_range, silent_error, (Text, Text), "`sparsity` {} {}",
           "A sparsity is at least 0 and less than 1: 0.5 removes half of the weights. The number is not checked when "
           "the recipe is loaded. At 1 or more, SparseGPT stops and Wanda removes everything. Both remove weights for "
           "some negative values.",
           "write a sparsity of at least 0 and less than 1, such as 0.5")

// Reports an N:M mask as sparsity: `2:4`, which YAML reads as a number in base 60. Returns false for other values.
static bool report_mask_as_sparsity(const Context& context, const Value& value, const Field* field) {
  const std::string text(context.file.text(value.span));
  std::string_view mask = text;
  if (mask.size() > 2 && (mask.front() == '\'' || mask.front() == '"')) mask = mask.substr(1, mask.size() - 2);
  const auto digit = [&](std::size_t at) { return base::is_digit(mask[at]) ? mask[at] - '0' : 0; };
  const bool is_mask = mask.size() == 3 && mask[1] == ':' && digit(0) > 0 && digit(2) > digit(0);
  if (!is_mask) return false;
  const std::string fraction = base::python_repr(static_cast<double>(digit(0)) / digit(2));
  context.sink.report(diag::sparsity_range, value.span, mask, "is a mask")
      .with_help(fmt::format("write `sparsity: {}` and `mask_structure: '{}'`", fraction, mask))
      .with_fix(field == nullptr ? diag::Fix()
                                 : diag::Fix::unsafe()
                                       .replace(value.span, fraction)
                                       .add_entry(field->key, fmt::format("mask_structure: '{}'", mask)));
  return true;
}

static void check_sparsity(const Context& context, const Value& value, const Field* field = nullptr) {
  const auto number = as_real(value);
  const std::string_view fault = number ? fault_of_sparsity(*number) : "is not a number, so calibration fails";
  if (fault.empty()) {
    return;
  }
  if (report_mask_as_sparsity(context, value, field)) return;
  const bool percent = number && *number > 1 && *number < 100;
  context.sink.report(diag::sparsity_range, value.span, source::python_str(value), fault)
      .with_help(percent ? fmt::format("write the fraction `{}`", base::python_repr(*number / 100))
                         : "write a fraction such as 0.5")
      .with_fix(percent ? diag::Fix::unsafe().replace(value.span, base::python_repr(*number / 100)) : diag::Fix());
}

// Reports a block of columns that the mask can't divide into groups, without the widths of the layers.
static void check_mask_blocks(const Context& context, const SparseGpt& pruning) {
  const NOfM mask = pruning.mask;
  const auto& size = pruning.block_size;
  const bool valid = size && *size >= 1 && *size < 64 && mask.n > 0 && mask.m >= mask.n;
  const std::int64_t rest = valid ? *size % mask.m : 0;
  if (rest != 0 && rest < mask.n) {
    context.sink
        .report(diag::mask_leaves_columns, size.place(), mask.n, mask.m,
                fmt::format("{} columns of each block of {}", rest, *size))
        .with_help("write `block_size: 128`");
  }
}

DIAGNOSTIC(LC305, mask_overrides_sparsity, warning, (Text, Text, Text), "mask {} removes {} of the weights, not {}",
           "An N:M mask determines the number of removed weights. `sparsity` is required but ignored.",
           "set `sparsity` to {1}")

// Returns the mask that removes a fraction of the weights in blocks of the same size; nullopt if there is none.
static std::optional<std::string> mask_for(double sparsity, NOfM mask) {
  const double removed = sparsity * static_cast<double>(mask.m);
  const bool whole = removed == std::round(removed) && removed >= 1 && removed < static_cast<double>(mask.m);
  return whole ? std::optional(fmt::format("{:.0f}:{}", removed, mask.m)) : std::nullopt;
}

static void check_share(const Context& context, const Setting<double>& sparsity, NOfM mask, source::Span structure) {
  const double share = static_cast<double>(mask.n) / static_cast<double>(mask.m);
  if (!sparsity || mask.n <= 0 || mask.m < mask.n || *sparsity == share) return;
  const std::string fraction = base::python_repr(share);
  auto& report =
      context.sink.report(diag::mask_overrides_sparsity, sparsity.place(), fmt::format("{}:{}", mask.n, mask.m),
                          fraction, source::python_str(*sparsity.given()));
  if (const auto meant = mask_for(*sparsity, mask)) {
    report.with_help(fmt::format("`N:M` removes N of M weights: write `mask_structure: \"{}\"`", *meant));
    if (!structure.empty() && structure != sparsity.place()) {
      report.with_label(sparsity.place(), "the sparsity that the mask should have");
      report.span = structure;
    }
  } else {
    report.with_help(fmt::format("write {}, or `mask_structure: \"0:0\"`", fraction))
        .with_fix(diag::Fix::safe().replace(sparsity.place(), fraction));
  }
}

static void check_sparsities(const Context& context, const LayerPruning& pruning) {
  if (pruning.mask.n != 0 && pruning.mask.m != 0) {
    check_share(context, pruning.sparsity, pruning.mask, pruning.mask_structure.place());
  } else if (pruning.sparsities) {
    for (const Value& sparsity : *pruning.sparsities) check_sparsity(context, sparsity);
  } else if (const Field* field = pruning.sparsity.field()) {
    check_sparsity(context, field->value, field);
  }
}

DIAGNOSTIC(LC306, owl_broken, error, (), "`sparsity_profile: owl` always fails",
           "The run stops before it begins with \"Cannot invoke event before initializing\".",
           "write `sparsity` as a list with a number for each target")

DIAGNOSTIC(LC316, owl_incomplete, error, (), "`sparsity_profile: owl`, `owl_m` and `owl_lmbda` must be set together",
           "The class rejects the recipe if one of the three fields is set without the others. `owl` fails when the "
           "run starts, even with all of them.",
           "delete them; `owl` fails when the run starts")

static void check_owl(const Context& context, const LayerPruning& pruning, Runner runner) {
  const auto& profile = pruning.sparsity_profile;
  const bool owl = profile && base::to_lower(*profile) == "owl";
  const bool both = pruning.owl_m && pruning.owl_lmbda;
  const bool any = pruning.owl_m || pruning.owl_lmbda;
  if (profile && !owl) {
    context.sink.report(diag::unknown_choice, profile.place(), *profile, "sparsity_profile")
        .with_help("delete it; the only other profile, `owl`, fails");
  } else if (owl && both) {
    context.sink.report(diag::owl_broken, profile.place())
        .with_severity(severity_in_run(runner))
        .with_help("delete it, and list one number for each target in `sparsity`");
  } else if (owl || any) {
    context.sink.report(diag::owl_incomplete, owl             ? profile.place()
                                              : pruning.owl_m ? pruning.owl_m.place()
                                                              : pruning.owl_lmbda.place());
  }
}

DIAGNOSTIC(LC301, pruner_targets_text, silent_error, (Text),
           "the string `{}` is iterated letter by letter, so nothing is pruned",
           "SparseGPTModifier and WandaPruningModifier iterate over `targets`. The letters of a string match no "
           "module, and the run ends with an unchanged model. Other modifiers convert the string to a list.",
           "write a list: `targets: [{0}]`")

static void check_bare_targets(const Context& context, const LayerPruning& pruning) {
  if (const auto& text = pruning.target_text) {
    context.sink.report(diag::pruner_targets_text, text.place(), *text)
        .with_help("write it in brackets")
        .with_fix(diag::Fix::safe().list(text.place()));
  }
}

// Returns true for a class name: it begins with a capital letter and has no dots.
static bool may_be_class(std::string_view text) {
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && text.find('.') == std::string_view::npos;
}

// Finds patterns that match names that end in a dot.
class DotAtEnd {
 public:
  // Returns true if a pattern may match such a name.
  bool may_match(std::string_view pattern) {
    const auto own = regex::Nfa::of(pattern, regex::Anchoring::start);
    return std::holds_alternative<regex::Nfa>(own) &&
           regex::intersects(std::get<regex::Nfa>(own), names_, budget_).answer != regex::Comparison::Answer::no;
  }

 private:
  regex::Nfa names_ = std::get<regex::Nfa>(regex::Nfa::of(".*\\.$", regex::Anchoring::start));
  base::Budget budget_ = regex::comparison_budget();  // for all entries together
};

// Returns a pattern of words, dots and wildcards without its wildcards: "mlp.gate" for `.*mlp.gate$`.
static std::string words_of(std::string_view pattern) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool wild =
        pattern[at] == '.' && at + 1 < pattern.size() && (pattern[at + 1] == '*' || pattern[at + 1] == '+');
    if (wild) {
      ++at;
    } else if (pattern[at] != '\\' && pattern[at] != '$') {
      out += pattern[at];
    }
  }
  return out.substr(std::min(out.find_first_not_of('.'), out.size()));
}

// Returns a name that a pattern matches but that has a dot here.
static std::string name_missed_by(std::string_view pattern) {
  if (matcher_of("re:" + std::string(pattern)).takes("lm_head")) return "lm_head";
  const std::string_view end = pattern.substr(std::min(pattern.rfind('*') + 1, pattern.size()));
  const std::string_view word = without_end(end).value_or(end);
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
  if (plain) return std::string(word);
  if (const std::string words = words_of(pattern); matcher_of("re:" + std::string(pattern)).takes(words)) return words;
  std::string name = model::name_taken_by({model::Term::Kind::pattern, std::string(pattern), {}});
  return name.empty() ? "layers" : name;
}

DIAGNOSTIC(LC302, pruner_ignore_trailing_dot, silent_error, (Text, Text),
           "`{}` does not exclude `{}`, which is compared with a trailing dot",
           "If a target is itself a layer, as with `targets: [Linear]`, SparseGPTModifier and WandaPruningModifier add "
           "a dot to the layer name before they compare it with `ignore`. Only a pattern that is not anchored at its "
           "end still matches.",
           "write a pattern without an anchor at its end, such as `re:.*lm_head`")

// Reports `ignore` entries that miss a layer. A dot is appended to the name of a layer that is itself a target.
static void check_trailing_dot(const Context& context, const LayerPruning& pruning) {
  const Entries targets = pruning.targets.value_or({});
  const bool leaves =
      std::ranges::any_of(targets, [](const Entry& target) { return base::contains(kPrunedClasses, target.text); });
  if (!leaves) {
    return;
  }
  DotAtEnd dot;
  for (const Entry& entry : pruning.ignore.value_or({})) {
    const auto open = is_pattern(entry.text) ? without_end(entry.text) : std::nullopt;
    const bool exact = !is_pattern(entry.text) && !may_be_class(entry.text) && !entry.text.ends_with('.');
    if ((!open && !exact) || (open && dot.may_match(pattern_of(entry.text)))) continue;
    const std::string meant = open ? std::string(*open) : entry.text == "lm_head" ? "re:.*lm_head" : entry.text + ".";
    context.sink
        .report(diag::pruner_ignore_trailing_dot, entry.span, entry.text,
                exact ? entry.text : name_missed_by(pattern_of(entry.text)))
        .with_help(fmt::format("write `{}`", meant))
        .with_fix(diag::Fix::safe().content(entry.span, meant));
  }
}

static void check_experts_share(const Context& context, const Setting<double>& sparsity) {
  if (sparsity && !(*sparsity > 0 && *sparsity < 1)) {
    const std::string_view fault = *sparsity == 0 ? "removes no expert and is rejected" : fault_of_sparsity(*sparsity);
    context.sink.report(diag::sparsity_range, sparsity.place(), source::python_str(*sparsity.given()), fault)
        .with_help("write a fraction of the experts such as 0.25");
  }
}

void check_pruning(const Context& context, const Modifier& modifier, bool known, Runner runner) {
  if (const auto* pruning = modifier.as<LayerPruning>()) {
    const auto* in_blocks = modifier.as<SparseGpt>();
    check_mask(context, *pruning);
    if (in_blocks != nullptr && !known) check_mask_blocks(context, *in_blocks);
    check_sparsities(context, *pruning);
    check_owl(context, *pruning, runner);
    check_bare_targets(context, *pruning);
    check_trailing_dot(context, *pruning);
  } else if (const auto* experts = modifier.as<ExpertPruning>()) {
    check_experts_share(context, experts->sparsity);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
