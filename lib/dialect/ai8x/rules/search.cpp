#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"

// Settings of the search for a small network. The training does not read them, so every finding is a warning: the
// search fails later, or never ends (docs/semantics/ai8x.md#d1-8).
namespace sparsecfg::dialect::ai8x {

DIAGNOSTIC(AX305, endless_search, warning, (Text, Text),
           "the search never ends: no network has at least {} and at most {}",
           "The search draws networks until one meets all constraints. If none can, it goes on forever without a "
           "message.",
           "widen the constraints")

DIAGNOSTIC(AX306, search_without_parents, warning, (Text, Text), "a population of {} with a ratio of {} has no parents",
           "The search keeps the best networks of each generation as parents. If there are none, it stops with an "
           "IndexError.",
           "raise `population_size` or `ratio_parent`")

DIAGNOSTIC(AX308, limit_in_kb, warning, (Text), "the search accepts only networks with at most {} weights",
           "The limits count weights, not kilobytes. The search draws networks until one fits, and goes on forever "
           "without a message if none is so small.",
           "write the number of weights, such as `max_num_weights: 430000`")

constexpr double kThousand = 1000;
constexpr double kMostKb = 10'000;  // more than the memory of any chip, and fewer weights than a network has

class SearchRules {
 public:
  explicit SearchRules(const Context& context) : context_(context) {}

  void check(const Value& search) {
    const auto* map = mapping_of(search, "evolution_search");
    if (map == nullptr || map->empty()) {
      return;
    }
    record_ = read_record(context_, kSearch, *map, map->front().first.span, diag::Severity::warning);
    for (const Field& field : record_.fields) {
      if (field.spec != nullptr && field.name != "constraints") check_number(record_, field);
    }
    check_parents();
    if (const Field* constraints = record_.find("constraints")) check_constraints(constraints->value);
  }

 private:
  const source::Map* mapping_of(const Value& value, std::string_view name) const {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      context_.sink.report(diag::wrong_type, value.span, name, "a mapping", source::describe(value))
          .with_severity(diag::Severity::warning)
          .with_help(fmt::format("delete `{}`, or write its keys below it", name));
    }
    return map;
  }

  bool check_number(const Record& record, const Field& field) const {
    return check_row(context_, record, field, diag::Severity::warning);
  }

  // The search keeps the best networks of each generation as parents, and fails without any.
  void check_parents() const {
    const auto population = record_.number("population_size");
    const auto ratio = record_.number("ratio_parent");
    if (population && ratio && std::nearbyint(*population * *ratio) < 1) {
      const Field* field =
          record_.find(record_.find("ratio_parent") != nullptr ? FieldName("ratio_parent") : "population_size");
      context_.sink.report(diag::search_without_parents, field == nullptr ? record_.key : field->value.span,
                           fmt::format("{}", *population), fmt::format("{}", *ratio));
    }
  }

  // A limit below the other one is a size in KB, if thousands of weights are in the range.
  void report_endless(const Field& least, double low, const Field& most, double high) const {
    const bool in_kb = high < kMostKb && high * kThousand >= low;
    context_.sink
        .report(diag::endless_search, most.value.span, source::python_str(least.value), source::python_str(most.value))
        .with_label(least.value.span, "the minimum")
        .with_help(in_kb ? fmt::format("write `max_num_weights: {}`, if {} is a size in KB: the limits count weights",
                                       high * kThousand, high)
                         : fmt::format("write a `max_num_weights` above {}, or a smaller `min_num_weights`", low));
  }

  // Reports limits that are probably sizes in KB.
  void report_kb(const Field* least, const Field& most) const {
    std::vector<std::string> edits;
    diag::Fix fix = diag::Fix::unsafe();
    for (const Field* field : {least, &most}) {
      const double kilobytes = field == nullptr ? 0 : field->value.number().value_or(0);
      if (!(kilobytes > 0)) continue;
      const std::string weights = fmt::format("{:.15g}", kilobytes * kThousand);
      edits.push_back(fmt::format("`{}: {}`", field->name, weights));
      fix.replace(field->value.span, weights);
    }
    context_.sink.report(diag::limit_in_kb, most.value.span, source::python_str(most.value))
        .with_help(fmt::format("write {}", base::join_and(edits)))
        .with_fix(std::move(fix));
  }

  void check_constraints(const Value& value) {
    const auto* map = mapping_of(value, "constraints");
    if (map == nullptr || map->empty()) {
      return;
    }
    const Record record = read_record(context_, kConstraints, *map, map->front().first.span, diag::Severity::warning);
    for (const Field& field : record.fields) {
      if (field.spec != nullptr) check_number(record, field);
    }
    const Field* least = record.find("min_num_weights");
    const Field* most = record.find("max_num_weights");
    const auto low = least == nullptr ? std::nullopt : least->value.number();
    const auto high = most == nullptr ? std::nullopt : most->value.number();
    if (low && high && *low > *high) {
      report_endless(*least, *low, *most, *high);
    } else if (high && *high > 0 && *high < kMostKb) {
      report_kb(least, *most);
    }
    check_widths(record);
  }

  // Every network has a width, so none is accepted without any option.
  void check_widths(const Record& record) const {
    const Field* widths = record.find("width_options");
    const auto* list = widths == nullptr ? nullptr : widths->value.get<source::List>();
    if (list != nullptr && list->empty()) {
      context_.sink.report(diag::wrong_type, widths->value.span, widths->name, "a list of widths", "an empty list")
          .with_severity(diag::Severity::warning)
          .with_help("list the allowed widths, or delete `width_options`; the search never ends without any");
    }
  }

  const Context& context_;
  Record record_{};
};

void check_search(const Context& context, const Value& search) { SearchRules(context).check(search); }

}  // namespace sparsecfg::dialect::ai8x
