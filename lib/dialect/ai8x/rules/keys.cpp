#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"
#include "dialect/record/suggest.h"
#include "dialect/words.h"

// Keys that ai8x-training does not read, and values that do not fit the rows of their keys.
namespace sparsecfg::dialect::ai8x {

// Returns true if a value only serves as an anchor for other places of the file.
static bool holds_anchor(const doc::Document& document, source::Span span) {
  return std::ranges::any_of(document.nodes, [&](const doc::Node& node) {
    return !node.anchor_span.empty() && span.begin <= node.span.begin && node.span.begin <= span.end;
  });
}

DIAGNOSTIC(AX206, key_not_read, silent_error, (Text, Text), "`{}` is never read by {}",
           "ai8x-training looks only for the keys that it knows and silently ignores all others. The setting has no "
           "effect.",
           "delete `{0}`")

// How ai8x-training reads mappings: it asks for the keys that it knows, and never looks at others.
class KeyPolicy : public Policy {
 public:
  KeyPolicy(const Context& context, diag::Severity unread)
      : Policy(context.file, context.sink, "ai8x-training"), context_(context), unread_(unread) {}

  bool is_late(const Record&, const Field&) const override { return true; }

  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const std::string owner = fmt::format("`{}`", record.spec->name);
    std::vector<std::string_view> required = absent_fields(record);
    std::erase_if(required, [&](std::string_view name) { return !record.spec->find(name)->required; });
    if (meant_by(Word::Place::field, record.spec->name, field.name, required, "").name) {
      names.report_unknown({field.key, field.name, owner, required});
    } else if (!holds_anchor(context_.document, field.value.span)) {
      report_unread(record, field, owner);
    }
    return true;
  }

 private:
  // Returns true for a mapping with settings of a layer at the level above `overrides`.
  static bool is_layer(const Record& record, const Field& field) {
    const FieldSpec* row = record.spec->find("overrides");
    const auto* map = field.value.get<source::Map>();
    return row != nullptr && row->record != nullptr && map != nullptr && !map->empty() &&
           record.spec->find(field.name) == nullptr && std::ranges::all_of(*map, [&](const source::Entry& entry) {
             const auto* key = entry.first.get<std::string>();
             return key != nullptr && row->record->find(*key) != nullptr;
           });
  }

  static std::vector<const Field*> layers_of(const Record& record) {
    std::vector<const Field*> out;
    for (const Field& field : record.fields) {
      if (is_layer(record, field)) out.push_back(&field);
    }
    return out;
  }

  // Indents the lines of adjacent fields of a block below `overrides:`.
  [[nodiscard]] diag::Fix nested(const Record& record, const std::vector<const Field*>& layers) const {
    const bool adjacent = static_cast<std::size_t>(layers.back() - layers.front()) + 1 == layers.size();
    const std::string_view text = context_.file.text();
    const std::uint32_t begin = layers.front()->key.begin;
    const std::uint32_t end = layers.back()->value.span.end;
    const bool block = begin == 0 || text[begin - 1] == '\n';
    if (!adjacent || !block || record.find("overrides") != nullptr) return {};
    diag::Fix fix = diag::Fix::unsafe().replace({begin, begin}, "overrides:\n  ");
    for (std::size_t at = text.find('\n', begin); at + 1 < end; at = text.find('\n', at + 1)) {
      const auto line = static_cast<std::uint32_t>(at + 1);
      if (text[line] != '\n') fix.replace({line, line}, "  ");
    }
    return fix;
  }

  void report_layers(const Record& record, const std::vector<const Field*>& layers, const std::string& owner) const {
    std::vector<std::string> names;
    for (const Field* layer : layers) names.push_back(fmt::format("`{}`", layer->name));
    auto& report = sink_.report(diag::key_not_read, layers.front()->key, layers.front()->name, owner);
    for (const Field* layer : std::span(layers).subspan(1)) report.with_label(layer->key, "never read either");
    report.with_severity(unread_)
        .with_help(fmt::format("move {} below `overrides:`, which has the settings of layers", base::join_and(names)))
        .with_fix(nested(record, layers));
  }

  void report_unread(const Record& record, const Field& field, const std::string& owner) const {
    if (is_layer(record, field)) {
      const std::vector<const Field*> layers = layers_of(record);
      if (layers.front() == &field) report_layers(record, layers, owner);
      return;
    }
    const std::vector<std::string_view> absent = absent_fields(record);
    const Meant meant =
        meant_by(Word::Place::field, record.spec->name, field.name, absent,
                 fmt::format("delete it; `sparsecfg explain {}` lists the keys that are read", record.spec->name));
    sink_.report(diag::key_not_read, field.key, field.name, owner)
        .with_severity(unread_)
        .with_help(meant.help)
        .with_fix(meant.fix(field.key));
  }

  const Context& context_;
  diag::Severity unread_;
};

Record read_record(const Context& context, const ClassSpec& spec, const source::Map& map, source::Span place,
                   diag::Severity unread) {
  Record record{&spec, place, fields_of(map), true, {}, {}, 0};
  check_fields(KeyPolicy(context, unread), record);
  return record;
}

// --- values ---------------------------------------------------------------------------------------

class RowPolicy : public Policy {
 public:
  RowPolicy(const Context& context, diag::Severity severity)
      : Policy(context.file, context.sink, "ai8x-training"), severity_(severity) {}

  std::optional<diag::Severity> severity(const InvalidValue&) const override { return severity_; }

  void report(const InvalidValue& invalid) const override {
    if (invalid.kind == InvalidValue::Kind::bounds) {
      auto& report =
          sink_.report(diag::number_out_of_range, invalid.value.span, invalid.name, source::python_str(invalid.value),
                       fmt::format("{} to {}", invalid.spec.bounds.min, invalid.spec.bounds.max), "ai8x.py");
      const double number = invalid.value.number().value_or(0);
      if (is_percent(number) && invalid.spec.bounds.max == 1 && invalid.spec.bounds.contain(fraction_of(number))) {
        const std::string meant = fmt::format("{}", fraction_of(number));
        report.with_help(fmt::format("write `{}`: the value is a fraction", meant))
            .with_fix(replaced(diag::Fix::unsafe(), invalid, meant));
      }
    } else {
      report_type(invalid);
    }
  }

 private:
  diag::Severity severity_;
};

bool check_row(const Context& context, const Record& record, const Field& field, diag::Severity severity) {
  FieldSpec flat = *field.spec;
  flat.record = nullptr;
  return check_value(RowPolicy(context, severity), record, field.name, field.value, flat);
}

}  // namespace sparsecfg::dialect::ai8x
