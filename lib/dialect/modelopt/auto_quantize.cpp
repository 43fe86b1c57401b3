#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/read.h"

// The section `auto_quantize`, and calls of `mtq.auto_quantize` (docs/semantics/modelopt.md#d4).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO340, no_candidates, error, (Text), "{}",
           "The search needs formats to choose from: `candidate_formats`, or `module_search_spaces` with at least one "
           "pattern and one format each. A fixed part `quantize` excludes `candidate_formats`.",
           "add `candidate_formats: [{{$import: fp8}}]`")
DIAGNOSTIC(MO341, quantizer_as_layer, silent_warning, (Text, Text), "`{}` in `{}` matches no module",
           "These patterns are compared with names of modules, not of quantizers. A pattern that matches nothing is "
           "silently ignored.",
           "write a glob over modules, such as `*lm_head*`")

namespace {

class SearchChecks {
 public:
  SearchChecks(const Context& context, const Value& section, bool has_fixed_part)
      : context_(context), section_(section), fixed_(has_fixed_part) {}

  bool run() {
    const auto* map = section_.get<source::Map>();
    if (map == nullptr) {
      context_.sink
          .report(diag::wrong_type, section_.span, "auto_quantize", "a mapping with `constraints`",
                  source::describe(section_))
          .with_help("write `auto_quantize: {constraints: {effective_bits: 4.8}, candidate_formats: [...]}`");
      return false;
    }
    const Record record = read_record(context_, kAutoQuantize, *map, section_.span);
    valid_ = std::ranges::all_of(record.fields, [](const Field& each) { return each.valid || each.unknown; }) &&
             record.valid;
    const bool candidates = check_formats_of(section_);
    const bool spaces = check_spaces();
    if (!candidates && !spaces) reject(section_.span, "the search has no `candidate_formats`");
    if (candidates && fixed_)
      reject(section_.find("candidate_formats")->span, "`candidate_formats` and `quantize` exclude each other");
    check_layers("disabled_layers");
    check_layers("cost_excluded_layers");
    return valid_;
  }

 private:
  void reject(source::Span span, const std::string& message) {
    valid_ = false;
    context_.sink.report(diag::no_candidates, span, message);
  }

  // Returns true if a mapping has candidates.
  bool check_formats_of(const Value& owner) {
    const Value* formats = owner.given("candidate_formats");
    const auto* list = formats == nullptr ? nullptr : formats->get<source::List>();
    if (list == nullptr) return formats != nullptr && context_.is_unknown(*formats);
    for (const Value& format : *list) {
      if (format.get<source::Map>() != nullptr) valid_ = read_config(context_, format).valid && valid_;
    }
    return !list->empty();
  }

  bool check_spaces() {
    const Value* spaces = section_.given("module_search_spaces");
    const auto* list = spaces == nullptr ? nullptr : spaces->get<source::List>();
    if (list == nullptr) return false;
    for (const Value& space : *list) {
      if (space.get<source::Map>() == nullptr) continue;
      const Value* patterns = space.given("module_name_patterns");
      const auto* names = patterns == nullptr ? nullptr : patterns->get<source::List>();
      if (names != nullptr && names->empty()) reject(patterns->span, "a search space has no patterns");
      if (!check_formats_of(space) && space.find("candidate_formats") != nullptr) {
        reject(space.find("candidate_formats")->span, "a search space has no formats");
      }
      if (patterns != nullptr) check_patterns_of(*patterns, "module_name_patterns");
    }
    return !list->empty();
  }

  void check_layers(std::string_view key) {
    if (const Value* patterns = section_.given(key)) check_patterns_of(*patterns, key);
  }

  void check_patterns_of(const Value& patterns, std::string_view key) {
    const auto* list = patterns.get<source::List>();
    if (list == nullptr) return;
    for (const Value& each : *list) {
      const auto* pattern = each.get<std::string>();
      if (pattern == nullptr || pattern->find("_quantizer") == std::string::npos) continue;
      context_.sink.report(diag::quantizer_as_layer, each.span, *pattern, std::string(key));
    }
  }

  const Context& context_;
  const Value& section_;
  bool fixed_;
  bool valid_ = true;
};

}  // namespace

bool check_auto_quantize(const Context& context, const Value& section, bool has_fixed_part) {
  return SearchChecks(context, section, has_fixed_part).run();
}

}  // namespace sparsecfg::dialect::modelopt
