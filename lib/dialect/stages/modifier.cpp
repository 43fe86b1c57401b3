#include "dialect/stages/modifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/record/check.h"
#include "dialect/record/suggest.h"
#include "dialect/schemes/meant.h"
#include "dialect/stages/table.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::stages {

static void report_unknown_type(const Context& context, const ModifierNode& written) {
  std::vector<std::string_view> known;
  for (const ClassSpec& spec : context.table.modifiers) {
    known.push_back(spec.name);
  }
  const Meant meant = meant_by(Word::Place::type, "", written.type, known, context.table.unknown_modifier_help);
  context.sink.report(diag::unknown_modifier, written.key, "modifier", written.type)
      .with_help(meant.help)
      .with_fix(meant.fix(written.key));
}

using schemes::report_preset_in_group;

// Checks as pydantic does, with the names of a table.
class StagePolicy : public Policy {
 public:
  StagePolicy(const Context& context, const Modifier& modifier)
      : Policy(context.file, context.sink, context.table.framework), context_(context), modifier_(modifier) {}

  bool evaluate(const Record& record, Field& field) const override {
    if (!context_.evaluate || is_nested(record)) {
      return true;
    }
    const source::Value written = field.value;
    const bool done = context_.evaluate(field.value);
    field.evaluated = field.value != written;
    return done;
  }

  const FieldSpec* row_of_any_field() const override { return &kAnyField; }

  // Returns true if the value or a part of it is unknown.
  bool is_unknown(const source::Value& value) const override {
    const auto unknown = [&](const source::Value& part) { return is_unknown(part); };
    const auto* list = value.get<source::List>();
    const auto* map = value.get<source::Map>();
    return context_.unknown.contains(value.span) || (list != nullptr && std::ranges::any_of(*list, unknown)) ||
           (map != nullptr && std::ranges::any_of(*map, unknown, &source::Entry::second));
  }

  void report(const InvalidValue& invalid) const override {
    if (report_other_mappings(invalid)) return;
    if (invalid.kind != InvalidValue::Kind::type) return Policy::report(invalid);
    auto& report = report_type(invalid);
    schemes::suggest_arguments(report, invalid);
    if (invalid.name == "observer" && invalid.text() != nullptr && allows(invalid.spec.type, Type::mapping)) {
      const std::string text = fmt::format("{{weights: {}}}", *invalid.text());
      report.with_help(fmt::format("write `observer: {}`", text))
          .with_fix(replaced(diag::Fix::unsafe(), invalid, text));
    }
  }

  // The modifier itself ignores the field; a nested record rejects it.
  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const Table& table = context_.table;
    const bool nested = is_nested(record);
    if (!nested && table.report_unknown != nullptr && table.report_unknown(context_, modifier_, field)) {
      return true;
    }
    if (nested && report_field_of_modifier(field)) return false;
    if (nested && report_preset_in_group(record, field, sink_)) return false;
    std::vector<std::string_view> absent = absent_fields(record);
    const auto older = std::ranges::find(table.renamed, field.name, &Renamed::before);
    const bool renamed = older != table.renamed.end() && std::ranges::find(absent, older->now) != absent.end();
    names.report_unknown({field.key, field.name, fmt::format("`{}`", record.spec->name), std::move(absent),
                          std::string(table.unknown_field_help), renamed ? std::optional(older->now) : std::nullopt,
                          diag::Severity::error, &field.value, record.spec, &record});
    return !nested;
  }

 private:
  [[nodiscard]] bool is_nested(const Record& record) const { return &record != &modifier_; }

  // Reports the mappings of SmoothQuant, `[[layers], norm]`, in AWQ, and those of AWQ in SmoothQuant.
  [[nodiscard]] bool report_other_mappings(const InvalidValue& invalid) const {
    const auto* list = modifier_.find(invalid.name) == nullptr || invalid.name != "mappings"
                           ? nullptr
                           : modifier_.find(invalid.name)->value.get<source::List>();
    if (list == nullptr || list->empty()) return false;
    const bool records = allows(invalid.spec.type, Type::records);
    if (records ? invalid.spec.record == nullptr || invalid.spec.record->find("smooth_layer") == nullptr
                : !allows(invalid.spec.type, Type::groups))
      return false;
    std::vector<std::string> texts;
    for (const source::Value& item : *list) texts.push_back(records ? awq_mapping(item) : smoothing_mapping(item));
    if (std::ranges::find(texts, "") != texts.end()) return false;
    const source::Value& whole = modifier_.find(invalid.name)->value;
    if (!records || &invalid.value == &list->front()) {  // once for all items
      const std::string text = fmt::format("[{}]", fmt::join(texts, ", "));
      sink_
          .report(diag::wrong_type, whole.span, invalid.name, records ? "a list of mappings" : "a list of lists",
                  records ? "the form of `SmoothQuantModifier`" : "the form of `AWQModifier`")
          .with_help(fmt::format("write `mappings: {}`", text))
          .with_fix(diag::Fix::unsafe().replace(whole.span, text));
    }
    return true;
  }

  // "[[a, b], c]" -> "{smooth_layer: c, balance_layers: [a, b]}". Empty for other values.
  static std::string awq_mapping(const source::Value& item) {
    const auto* pair = item.get<source::List>();
    const bool is_pair = pair != nullptr && pair->size() == 2 && pair->front().get<source::List>() != nullptr &&
                         pair->back().get<std::string>() != nullptr;
    return is_pair ? fmt::format("{{smooth_layer: {}, balance_layers: {}}}", flow_text(pair->back()),
                                 flow_text(pair->front()))
                   : "";
  }

  static std::string smoothing_mapping(const source::Value& item) {
    const source::Value* norm = item.find("smooth_layer");
    const source::Value* layers = item.find("balance_layers");
    return norm == nullptr || layers == nullptr ? "" : fmt::format("[{}, {}]", flow_text(*layers), flow_text(*norm));
  }

  // Returns the field of the modifier that contains a place, or null.
  [[nodiscard]] const Field* field_around(source::Span place) const {
    const auto found = std::ranges::find_if(modifier_.fields, [&](const Field& field) {
      return field.value.span.begin <= place.begin && place.end <= field.value.span.end;
    });
    return found == modifier_.fields.end() ? nullptr : &*found;
  }

  // Reports a field that belongs to the modifier around a group.
  [[nodiscard]] bool report_field_of_modifier(const Field& field) const {
    const FieldSpec* row = modifier_.spec->find(field.name);
    const Field* around = row == nullptr ? nullptr : field_around(field.key);
    if (around == nullptr || modifier_.find(field.name) != nullptr || base::contains(kGroupFields, row->name))
      return false;
    auto& report = sink_.report(diag::unknown_field, field.key, field.name, "a group");
    report.with_label(around->key, fmt::format("`{}` belongs beside this field", field.name));
    report.with_help(fmt::format("move `{}` to `{}`, beside `{}`", field.name, modifier_.spec->name, around->name))
        .with_fix(diag::Fix::unsafe()
                      .add_entry(around->key, fmt::format("{}: {}", field.name, flow_text(field.value)))
                      .remove(field.key));
    return true;
  }

  // Fields of a modifier that have another meaning in a group.
  static constexpr std::string_view kGroupFields[] = {"scheme", "start", "end", "targets"};

  const Context& context_;
  const Modifier& modifier_;
};

static bool lacks_field(const Modifier& modifier, const ClassSpec& spec) {
  return std::ranges::any_of(spec.fields,
                             [&](const FieldSpec& row) { return row.required && modifier.find(row.name) == nullptr; });
}

static bool has_all_fields(const Modifier& modifier, const ClassSpec& spec) {
  return std::ranges::all_of(modifier.fields, [&](const Field& field) { return spec.find(field.name) != nullptr; });
}

// Returns the class that was probably meant, if the modifier lacks a required field and has unknown ones. Prefers a
// class whose name ends in this class name. Returns null if no class matches, or more than one.
static const ClassSpec* other_class(const Table& table, const Modifier& modifier) {
  if (!lacks_field(modifier, *modifier.spec) || has_all_fields(modifier, *modifier.spec)) {
    return nullptr;
  }
  std::vector<const ClassSpec*> fitting;
  for (const ClassSpec& spec : table.modifiers) {
    if (!lacks_field(modifier, spec) && has_all_fields(modifier, spec)) fitting.push_back(&spec);
  }
  const auto longer =
      std::ranges::find_if(fitting, [&](const ClassSpec* spec) { return spec->name.ends_with(modifier.spec->name); });
  return longer != fitting.end() ? *longer : fitting.size() == 1 ? fitting.front() : nullptr;
}

static void report_class(const Context& context, Modifier& modifier, const ClassSpec& other) {
  const auto missing = std::ranges::find_if(
      modifier.spec->fields, [&](const FieldSpec& row) { return row.required && modifier.find(row.name) == nullptr; });
  modifier.valid = false;
  context.sink.report(diag::missing_required, modifier.key, modifier.spec->name, missing->name)
      .with_help(fmt::format("change the name to `{0}`: these are the fields of `{0}`", other.name))
      .with_fix(diag::Fix::unsafe().content(modifier.key, std::string(other.name)));
}

static std::vector<Field> read_fields(const Context& context, const source::Map& map) {
  std::vector<Field> fields;
  for (const source::Entry& entry : map) {
    if (const auto* name = entry.first.get<std::string>()) {
      fields.push_back({*name, entry.first.span, entry.second});
    } else {
      context.sink.report(diag::key_not_text, entry.first.span, source::describe(entry.first));
    }
  }
  return fields;
}

bool is_opaque(const Table& table, const Modifier& modifier) { return modifier.spec->kind == table.opaque->kind; }

// A class of the project replaces one of the framework.
static const ClassSpec* find_spec(const Context& context, std::string_view name) {
  const CustomClass* custom = context.custom == nullptr ? nullptr : context.custom->find(name);
  const ClassSpec* own =
      custom == nullptr ? nullptr : context.custom->row(*custom, context.table.stock, *context.table.opaque);
  if (own != nullptr) return own;
  const auto former = std::ranges::find(context.table.former, name, &ClassSpec::name);
  return former != context.table.former.end() ? &*former : context.table.find(name);
}

std::optional<Modifier> read_modifier(const Context& context, const ModifierNode& written, int ordinal) {
  const ClassSpec* spec = find_spec(context, written.type);
  const auto* map = written.fields.get<source::Map>();
  if (spec == nullptr || map == nullptr) {
    report_unknown_type(context, written);
    return std::nullopt;
  }
  Modifier modifier{{spec, written.key, read_fields(context, *map), true, written.stage, written.group, ordinal},
                    written.one_shot};
  if (const ClassSpec* other = other_class(context.table, modifier)) {
    for (Field& field : modifier.fields) field.spec = spec->find(field.name);
    report_class(context, modifier, *other);
  } else {
    check_fields(StagePolicy(context, modifier), modifier);
  }
  return modifier;
}

const ClassSpec* Table::find(std::string_view modifier) const {
  const auto found = std::ranges::lower_bound(modifiers, modifier, {}, &ClassSpec::name);
  return found == modifiers.end() || found->name != modifier ? nullptr : &*found;
}

}  // namespace sparsecfg::dialect::stages
