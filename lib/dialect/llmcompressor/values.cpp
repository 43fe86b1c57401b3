#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/record/types.h"
#include "dialect/schemes/arguments.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Value;

diag::Diagnostic& report_stop(const Reading& reading, source::Span span, std::string_view what) {
  return reading.sink.report(diag::stops_the_run, span, what);
}

static void check_patterns(const Reading& reading, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (const auto fault = fault_of(entry.text)) {
      const std::string meant = base::regex_of_glob(pattern_of(entry.text));
      reading.sink.report(diag::regex_syntax, entry.span, *fault)
          .with_help(meant.empty() ? "fix the pattern, or remove `re:` to match a name"
                                   : fmt::format("write `re:{}`", meant))
          .with_fix(meant.empty() ? diag::Fix() : diag::Fix::unsafe().content(entry.span, "re:" + meant));
    }
  }
}

// `__ALL__` was removed, and only the training masks accept the other tokens.
static void check_words(const Reading& reading, const Modifier& modifier) {
  const Meaning meaning = meaning_of(modifier);
  const bool masks = meaning == Meaning::constant_pruning || meaning == Meaning::magnitude_pruning;
  for (const Entry& entry : entries_of(modifier, "targets")) {
    const bool known = masks && entry.text != "__ALL__";
    if (entry.text.starts_with("__ALL") && entry.text.ends_with("__") && !known) {
      reading.sink.report(diag::special_target, entry.span, entry.text, modifier.spec->name)
          .with_help("write a class of layers such as `Linear`")
          .with_fix(diag::Fix::unsafe().content(entry.span, "Linear"));
    }
  }
}

static void check_block_size(const Reading& reading, const Modifier& modifier) {
  const auto size = modifier.find("block_size") == nullptr ? std::nullopt : modifier.number("block_size");
  if (size == 0.0) {
    report_stop(reading, modifier.place("block_size"), "a `block_size` of 0 fails in calibration")
        .with_help("write `block_size: 128`");
  } else if (size && *size < 0) {
    report_stop(reading, modifier.place("block_size"), "a negative `block_size` compresses no columns")
        .with_severity(diag::Severity::warning)
        .with_help("write `block_size: 128`");
  }
}

static void check_dampening(const Reading& reading, const Modifier& modifier) {
  const Field* field = modifier.find("dampening_frac");
  if (field != nullptr && field->spec != nullptr && field->valid && field->value.is_null()) {
    report_stop(reading, field->value.span, "a `dampening_frac` of null fails in calibration")
        .with_help("delete it, or write a number such as 0.01")
        .with_fix(diag::Fix::safe().remove(field->key));
  }
}

// Checks entries of `ignore` that SparseML reads as names or tokens. Here they are regular expressions.
static void check_experts(const Reading& reading, const Modifier& modifier) {
  for (const Entry& entry : entries_of(modifier, "ignore")) {
    if (const auto fault = fault_of_regex(entry.text)) {
      reading.sink.report(diag::regex_syntax, entry.span, *fault)
          .with_help("remove `re:`; each entry is a regular expression");
    } else if (is_pattern(entry.text)) {
      const std::string bare(pattern_of(entry.text));
      reading.sink.report(diag::ignore_prefix, entry.span, entry.text, bare)
          .with_help("remove `re:`; each entry is a regular expression")
          .with_fix(diag::Fix::unsafe().content(entry.span, bare));
    }
  }
}

static void check_entries(const Reading& reading, const Modifier& modifier) {
  if (meaning_of(modifier) == Meaning::reap) {
    check_experts(reading, modifier);
    return;
  }
  check_patterns(reading, entries_of(modifier, "targets"));
  check_patterns(reading, entries_of(modifier, "ignore"));
  if (quantizes(meaning_of(modifier))) {
    for (const Group& group : groups_of(modifier)) {
      if (modifier.given("config_groups") != nullptr || modifier.given("scheme")->get<std::string>() == nullptr) {
        check_patterns(reading, group.targets);
      }
    }
  }
}

void check_values(const Reading& reading, const Modifier& modifier) {
  check_entries(reading, modifier);
  check_words(reading, modifier);
  for (const Field& field : modifier.fields) {
    if (!field.valid || field.spec == nullptr) continue;
    schemes::check_dtypes(reading.sink, field.value);
    if (field.name == "precision") schemes::check_dtype(reading.sink, field.value, field.name);
  }
  check_block_size(reading, modifier);
  check_dampening(reading, modifier);
}

}  // namespace sparsecfg::dialect::llmcompressor
