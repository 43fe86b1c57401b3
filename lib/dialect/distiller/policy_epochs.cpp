#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/distiller/policy.h"

// Reads the epochs in which a policy is active: a list or a range (docs/semantics/distiller.md#c1).
namespace sparsecfg::dialect::distiller {

// Returns true for a Python int. Booleans are ints in Python.
static bool is_int(const Value& value) {
  return value.get<std::int64_t>() != nullptr || value.get<bool>() != nullptr || value.get<source::BigInt>() != nullptr;
}

bool needs_range(const ClassSpec& spec) {
  return spec.kind == ClassKind::gradual || spec.kind == ClassKind::ranked_gradual || spec.kind == ClassKind::baidu;
}

DIAGNOSTIC(SP301, epochs_and_range, silent_error, (Text), "`{}` is ignored because `epochs` is set",
           "A Distiller policy is active in a range of epochs or in a list of epochs. If it has a list, the range is "
           "silently dropped.",
           "delete the list or the range")

DIAGNOSTIC(SP311, epochs_unsorted, warning, (double, double), "epoch {} is listed after epoch {}",
           "Distiller uses the first item of a list of epochs as the start and the last item as the end, whatever "
           "their order.",
           "list the epochs in ascending order")

DIAGNOSTIC(SP319, epoch_listed_twice, warning, (double), "epoch {} is listed twice",
           "Distiller runs a policy twice in an epoch that its list of epochs contains twice.",
           "list each epoch once, in ascending order")

DIAGNOSTIC(SP320, epoch_never_occurs, warning, (Text), "epoch {} never occurs",
           "Distiller compares the items of a list of epochs with the number of the current epoch. An epoch that is "
           "not a whole number of at least 0 is never reached.",
           "list whole epochs of at least 0 in ascending order")

class EpochsReader {
 public:
  EpochsReader(Policy& policy, FieldNames& names, diag::Sink& sink) : policy_(policy), names_(names), sink_(sink) {}

  bool read() { return policy_.entry.find("epochs") != nullptr ? read_list() : read_range(); }

 private:
  bool read_list() {
    policy_.lists = true;
    const Field& field = *policy_.entry.find("epochs");
    const auto* given =
        std::ranges::find_if(kRange, [&](std::string_view name) { return policy_.entry.find(name) != nullptr; });
    const ClassSpec* spec = policy_.component == nullptr ? nullptr : policy_.component->spec;
    if (given != std::end(kRange) && spec != nullptr && !needs_range(*spec)) {
      sink_.report(diag::epochs_and_range, policy_.entry.find(*given)->key, *given)
          .with_label(field.key, "only this list is used")
          .with_help("delete either `epochs` or the range");
    }
    const auto* list = field.value.get<source::List>();
    if (list == nullptr || list->empty()) {
      auto& report = sink_.report(diag::wrong_type, field.value.span, "epochs", "a list of epochs",
                                  list == nullptr ? source::describe(field.value) : "an empty list");
      if (const auto range = range_in(field.value)) offer_range(report, field, range->first, range->second);
      if (const auto* epoch = field.value.get<std::int64_t>()) {
        report.with_help(fmt::format("write `[{}]`", *epoch))
            .with_fix(diag::Fix::unsafe().replace(field.value.span, fmt::format("[{}]", *epoch)));
      }
      return false;
    }
    bool valid = true;
    for (const Value& item : *list) {
      valid &= read_listed(item);
    }
    check_order();
    return valid;
  }

  // Returns the first and last epoch of a text such as `0-89`, `0..89` or `0:89`.
  static std::optional<std::pair<std::int64_t, std::int64_t>> range_in(const Value& value) {
    const auto* text = value.get<std::string>();
    const std::size_t begin = text == nullptr ? std::string::npos : text->find_first_not_of("0123456789 ");
    if (begin == std::string::npos || begin == 0) return std::nullopt;
    const std::size_t end = std::min(text->find_first_of("0123456789", begin), text->size());
    static constexpr std::string_view kSeparators[] = {"-", "..", "...", ":", "to", "–"};
    const auto first = base::parse_double(base::trim(std::string_view(*text).substr(0, begin)));
    const auto last = base::parse_double(base::trim(std::string_view(*text).substr(end)));
    if (!base::contains(kSeparators, base::trim(std::string_view(*text).substr(begin, end - begin))) || !first ||
        !last || *last < *first || *last > 1e6) {
      return std::nullopt;
    }
    return std::pair(static_cast<std::int64_t>(*first), static_cast<std::int64_t>(*last));
  }

  static void offer_range(diag::Diagnostic& report, const Field& field, std::int64_t first, std::int64_t last) {
    report
        .with_help(fmt::format("write `starting_epoch: {}`, `ending_epoch: {}` and `frequency: 1` instead of `epochs`; "
                               "`ending_epoch` is the first epoch after the range",
                               first, last + 1))
        .with_fix(diag::Fix::unsafe()
                      .content(field.key, "starting_epoch")
                      .replace(field.value.span, fmt::format("{}", first))
                      .add_entry(field.key, "frequency: 1")
                      .add_entry(field.key, fmt::format("ending_epoch: {}", last + 1)));
  }

  bool read_listed(const Value& item) {
    const auto epoch = item.number();
    if (!epoch) {
      sink_.report(diag::wrong_type, item.span, "epochs", "a list of ints",
                   fmt::format("a list with {}", source::describe(item)));
      return false;
    }
    if (*epoch < 0 || *epoch != std::floor(*epoch)) {
      sink_.report(diag::epoch_never_occurs, item.span, source::python_str(item));
    }
    policy_.epochs.push_back({*epoch, item.span});
    return true;
  }

  void check_order() {
    for (std::size_t at = 1; at < policy_.epochs.size(); ++at) {
      const double before = policy_.epochs[at - 1].value;
      const double epoch = policy_.epochs[at].value;
      const Span place = policy_.epochs[at].span;
      if (epoch == before) {
        sink_.report(diag::epoch_listed_twice, place, epoch);
        return;
      }
      if (epoch < before) {
        sink_.report(diag::epochs_unsorted, place, epoch, before).with_fix(ascending(policy_.epochs));
        return;
      }
    }
  }

  bool read_range() {
    if (is_nested_too_deep()) {
      return false;
    }
    bool valid = true;
    for (const std::string_view name : kRange) {
      valid &= read_epoch(name);
    }
    return valid && check_range();
  }

  // Epochs below the kind are ignored, although the documentation of quantizers shows them there.
  bool is_nested_too_deep() {
    std::vector<const Field*> deep;
    for (const std::string_view name : kRange) {
      const Field* field = policy_.entry.find(name) == nullptr ? policy_.inner.find(name) : nullptr;
      if (field != nullptr) deep.push_back(field);
    }
    if (deep.empty()) {
      return false;
    }
    auto& report = sink_.report(diag::missing_required, policy_.place, "policy", deep.front()->name);
    for (const Field* field : deep) {
      report.with_label(field->key, "ignored at this indentation");
    }
    report.with_help(fmt::format("indent the epochs like `{}`", policy_.kind->kind));
    return true;
  }

  // Reads an int; booleans count as ints.
  bool read_epoch(std::string_view name) {
    const Field* field = policy_.entry.find(name);
    if (field == nullptr) {
      report_missing(name);
      return false;
    }
    if (!is_int(field->value) || !field->value.number()) {
      sink_.report(diag::wrong_type, field->value.span, name, "an int", source::describe(field->value))
          .with_fix(as_int(field->value, name == "frequency" ? 1 : 0));
      return false;
    }
    auto& epoch = name == "starting_epoch" ? policy_.start : name == "ending_epoch" ? policy_.end : policy_.every;
    epoch = {*field->value.number(), field->value.span};
    return true;
  }

  void report_missing(std::string_view name) {
    names_.report_missing(policy_.place, "policy", name,
                          name == "frequency" ? "the policy is active in one of so many epochs"
                          : name == "ending_epoch"
                              ? "the epoch at which the policy ends (exclusive), or list the active `epochs`"
                              : "the first active epoch, or list the active `epochs`");
  }

  // Checks that 0 <= start < end and 0 < frequency <= end - start.
  bool check_range() {
    const auto& start = policy_.start;
    const auto& end = policy_.end;
    const auto& every = policy_.every;
    if (start.value < 0) {
      sink_.report(diag::negative_epoch, start.span, "starting_epoch", fmt::format("{}", start.value), "0");
    } else if (end.value <= start.value) {
      sink_
          .report(diag::end_before_start, end.span, "ending_epoch", end.value, "is not after", "starting_epoch",
                  start.value)
          .with_label(start.span, "starting epoch")
          .with_help(
              swapped().edits.empty() ? ""
              : end.value > 0
                  ? fmt::format("write `starting_epoch: {0}` and `ending_epoch: {1}`, or `ending_epoch: {2}` if {0} "
                                "is a length",
                                end.value, start.value, start.value + end.value)
                  : "swap the two epochs, or write an end after the start")
          .with_fix(swapped());
    } else if (every.value <= 0) {
      sink_
          .report(diag::frequency_means_every_step, every.span, "frequency", fmt::format("{}", every.value),
                  "is less than 1")
          .with_severity(diag::Severity::error)
          .with_help("write `frequency: 1` to act in every epoch")
          .with_fix(diag::Fix::unsafe().replace(every.span, "1"));
    } else if (every.value > end.value - start.value) {
      sink_
          .report(diag::frequency_longer_than_window, every.span, "frequency", fmt::format("{}", every.value),
                  fmt::format("{}", end.value - start.value))
          .with_severity(diag::Severity::error)
          .with_label(end.span, "ending epoch")
          .with_help(every.value >= 100 ? "the frequency counts epochs: write `frequency: 1` to act in every epoch"
                                        : "");
    } else {
      return true;
    }
    return false;
  }

  // A policy of fewer than two active epochs is too short for the ramp of a pruner.
  diag::Fix swapped() const {
    const double active = (policy_.start.value - policy_.end.value) / std::max(policy_.every.value, 1.0);
    return active >= 2 && policy_.end.value >= 0 ? diag::Fix::unsafe().swap(policy_.start.span, policy_.end.span)
                                                 : diag::Fix();
  }

  Policy& policy_;
  FieldNames& names_;
  diag::Sink& sink_;
};

bool read_epochs(Policy& policy, FieldNames& names, diag::Sink& sink) {
  return EpochsReader(policy, names, sink).read();
}

}  // namespace sparsecfg::dialect::distiller
