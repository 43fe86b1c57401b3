#include "dialect/llmcompressor/foreign_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/record/related.h"
#include "dialect/record/suggest.h"
#include "dialect/schemes/meant.h"
#include "dialect/schemes/presets.h"
#include "dialect/schemes/records.h"
#include "dialect/schemes/schemes.h"
#include "dialect/words.h"

namespace sparsecfg::dialect::llmcompressor {

namespace {

using schemes::SchemeMeant;

// A field that describes weights, with the argument of QuantizationArgs that it means.
struct FormatField {
  const Field* field;
  std::string argument;  // empty: it has no counterpart
  source::Value value;
};

// Returns the value of a word with a value in its row: `num_bits: 4`.
source::Value value_of(std::string_view text) {
  if (text == "true" || text == "false") return {text == "true", {}};
  if (!text.empty() && std::ranges::all_of(text, base::is_digit)) return {source::integer_of(text), {}};
  return {std::string(text), {}};
}

std::vector<std::string_view> argument_names() {
  std::vector<std::string_view> names;
  for (const FieldSpec& row : schemes::kQuantizationArgs.fields) names.push_back(row.name);
  return names;
}

// Returns what an unknown field means as an argument of the weights. Returns nullopt for other fields.
std::optional<FormatField> format_field(const stages::Modifier& modifier, const Field& field) {
  if (modifier.spec->find(field.name) != nullptr) return std::nullopt;
  const std::vector<std::string_view> names = argument_names();
  if (base::contains(names, std::string_view(field.name))) return FormatField{&field, field.name, field.value};
  const Word* word =
      find_word(Word::Place::field, schemes::kQuantizationArgs.name, field.name, names, flow_text(field.value));
  if (word == nullptr) return std::nullopt;
  const EntryText ours = split_entry(word->ours);
  if (ours.name.empty()) {
    return word->reason.ends_with("delete this field") ? std::optional(FormatField{&field, "", {}}) : std::nullopt;
  }
  if (modifier.spec->find(ours.name) != nullptr) return std::nullopt;  // renamed, such as `blocksize`
  return FormatField{&field, std::string(ours.name), ours.value.empty() ? field.value : value_of(ours.value)};
}

std::vector<FormatField> format_fields(const stages::Modifier& modifier) {
  std::vector<FormatField> out;
  for (const Field& field : modifier.fields) {
    if (auto found = format_field(modifier, field)) out.push_back(std::move(*found));
  }
  return out;
}

const source::Value* given_text(const stages::Modifier& modifier, std::string_view name) {
  const Field* field = modifier.find(name);
  return field != nullptr && field->value.get<std::string>() != nullptr ? &field->value : nullptr;
}

// Returns the scheme that the preset of the modifier and the fields describe. Returns nullopt if its width is unknown
// or one of the values has no place in it.
std::optional<ir::Scheme> scheme_of(const stages::Modifier& modifier, const std::vector<FormatField>& fields) {
  const source::Value* preset = given_text(modifier, "scheme");
  const auto bits = std::ranges::find_if(fields, [](const FormatField& each) { return each.argument == "num_bits"; });
  std::optional<ir::Scheme> scheme;
  if (preset != nullptr) {
    if (auto named = schemes::preset_scheme_named(*preset->get<std::string>())) scheme = std::move(*named);
  } else if (bits != fields.end()) {
    scheme = schemes::integer_weights(4);
  }
  for (const FormatField& each : fields) {
    if (scheme && !each.argument.empty() && !schemes::set_argument(*scheme, each.argument, each.value))
      return std::nullopt;
  }
  return scheme;
}

// Writes the preset or the group in place of `scheme`, or of the first field, and deletes the other fields.
class Rewriting {
 public:
  Rewriting(const stages::Modifier& modifier, const std::vector<FormatField>& fields, const ir::Scheme& scheme)
      : modifier_(modifier), fields_(fields), preset_(schemes::preset_of(scheme)), scheme_(modifier.find("scheme")) {
    const Field* targets = modifier.find("targets");
    std::vector<std::string> names;
    for (const schemes::Entry& entry : schemes::entries_of(targets == nullptr ? nullptr : &targets->value)) {
      names.push_back(entry.text);
    }
    group_ = fmt::format("{{group_0: {}}}", schemes::group_text(scheme, names));
  }

  [[nodiscard]] std::string help() const {
    const std::string entry = preset_.empty() ? "config_groups: " + group_ : fmt::format("scheme: {}", preset_);
    const bool same = scheme_ != nullptr && !preset_.empty() && keeps_scheme();
    const std::string reason = preset_.empty() ? "; no preset has this format" : "";
    if (same) return fmt::format("delete {}: `{}` already means this", names(), entry);
    if (scheme_ == nullptr) return fmt::format("write `{}` instead of {}{}", entry, names(), reason);
    return fmt::format("write `{}` instead of `scheme`, and delete {}{}", entry, names(), reason);
  }

  [[nodiscard]] diag::Fix fix() const {
    diag::Fix fix = diag::Fix::unsafe();
    const Field& place = scheme_ != nullptr ? *scheme_ : *fields_.front().field;
    if (scheme_ == nullptr || !keeps_scheme()) {
      fix.content(place.key, preset_.empty() ? "config_groups" : "scheme");
      fix.replace(place.value.span, preset_.empty() ? group_ : std::string(preset_));
    }
    for (const FormatField& each : fields_) {
      if (each.field != &place) fix.remove(each.field->key);
    }
    const Field* targets = modifier_.find("targets");
    if (preset_.empty() && targets != nullptr) fix.remove(targets->key);
    return fix;
  }

 private:
  [[nodiscard]] bool keeps_scheme() const {
    const auto* text = scheme_->value.get<std::string>();
    return text != nullptr && base::to_upper(*text) == preset_;
  }

  // Returns the fields that the entry replaces. `config_groups` has targets of its own.
  [[nodiscard]] std::string names() const {
    std::vector<std::string> out;
    for (const FormatField& each : fields_) out.push_back(fmt::format("`{}`", each.field->name));
    if (preset_.empty() && modifier_.find("targets") != nullptr) out.emplace_back("`targets`");
    return base::join_and(out);
  }

  const stages::Modifier& modifier_;
  const std::vector<FormatField>& fields_;
  std::string_view preset_;
  const Field* scheme_;
  std::string group_;
};

void report(const stages::Context& context, const stages::Modifier& modifier, const std::vector<FormatField>& fields) {
  const Field& first = *fields.front().field;
  auto& report =
      context.sink.report(diag::unknown_field, first.key, first.name, fmt::format("`{}`", modifier.spec->name));
  for (const FormatField& each : fields) {
    if (each.field != &first) report.with_label(each.field->key, "unknown as well");
  }
  const bool grouped = modifier.find("config_groups") != nullptr;
  const auto scheme = grouped ? std::nullopt : scheme_of(modifier, fields);
  if (!scheme) {
    report.with_help(
        fmt::format("move `{}: {}` to `weights` of a group in `config_groups`", first.name, flow_text(first.value)));
    return;
  }
  const Rewriting rewriting(modifier, fields, *scheme);
  report.with_help(rewriting.help()).with_fix(rewriting.fix());
}

// --- parts of groups ----------------------------------------------------------------------------------------------

bool is_unknown(const stages::Modifier& modifier, const Field& field) {
  return modifier.spec->find(field.name) == nullptr;
}

source::Entry entry_of(const Field& field) { return {{field.name, field.key}, field.value}; }

// Returns true for a field with a group as its value, which lacks `config_groups` around it.
bool is_group(const stages::Modifier& modifier, const Field& field) {
  const auto* map = field.value.get<source::Map>();
  return map != nullptr && is_unknown(modifier, field) &&
         std::ranges::any_of(*map, [](const source::Entry& each) { return schemes::group_part(each).has_value(); });
}

bool is_part(const stages::Modifier& modifier, const Field& field) {
  return is_unknown(modifier, field) && schemes::group_part(entry_of(field)).has_value();
}

std::vector<std::string> target_names(const stages::Modifier& modifier) {
  const Field* targets = modifier.find("targets");
  std::vector<std::string> names;
  for (const schemes::Entry& entry : schemes::entries_of(targets == nullptr ? nullptr : &targets->value)) {
    names.push_back(entry.text);
  }
  return names;
}

// Returns the groups that the fields mean: one for all parts, and those that are groups already.
source::Map groups_of(const stages::Modifier& modifier, const std::vector<const Field*>& fields) {
  source::Map groups;
  source::Map parts;
  for (const Field* field : fields) {
    if (const auto part = schemes::group_part(entry_of(*field))) {
      parts.push_back(*part);
    } else {
      groups.push_back(entry_of(*field));
    }
  }
  if (!parts.empty()) {
    parts.insert(parts.begin(), {{std::string("targets"), {}}, schemes::targets_value(target_names(modifier))});
    groups.insert(groups.begin(), {{std::string("group_0"), {}}, {std::move(parts), {}}});
  }
  return groups;
}

void report_groups(const stages::Context& context, const stages::Modifier& modifier, const RelatedFields& fields) {
  const Field& first = *fields.front();
  auto& report =
      context.sink.report(diag::unknown_field, first.key, first.name, fmt::format("`{}`", modifier.spec->name));
  const std::string groups = flow_text({groups_of(modifier, fields), {}});
  diag::Fix fix = diag::Fix::unsafe().content(first.key, "config_groups").replace(first.value.span, groups);
  std::vector<std::string> others;
  label_others(report, fields);
  for (const Field* field : fields) {
    if (field == &first) continue;
    others.push_back(fmt::format("`{}`", field->name));
    fix.remove(field->key);
  }
  const Field* targets = modifier.find("targets");
  if (targets != nullptr && std::ranges::any_of(fields, [&](const Field* each) { return is_part(modifier, *each); })) {
    others.emplace_back("`targets`");
    fix.remove(targets->key);
  }
  report
      .with_help(fmt::format("write `config_groups: {}`{}", groups,
                             others.empty() ? "" : fmt::format(", and delete {}", base::join_and(others))))
      .with_fix(std::move(fix));
}

}  // namespace

bool report_group_fields(const stages::Context& context, const stages::Modifier& modifier, const Field& field) {
  constexpr std::size_t kMaxFields = 128;  // the fields are compared with each other
  const bool may_have = modifier.spec->find("config_groups") != nullptr && modifier.find("config_groups") == nullptr &&
                        modifier.find("scheme") == nullptr && modifier.fields.size() <= kMaxFields;
  const auto belongs = [&](const Field& each) { return is_part(modifier, each) || is_group(modifier, each); };
  const auto report = [&](const RelatedFields& fields) { report_groups(context, modifier, fields); };
  return may_have && report_related(modifier.fields, field, belongs, report);
}

std::optional<std::pair<std::string, source::Value>> format_argument(const stages::Modifier& modifier,
                                                                     const Field& field) {
  const auto found = format_field(modifier, field);
  return found ? std::optional(std::pair(found->argument, found->value)) : std::nullopt;
}

bool report_format_fields(const stages::Context& context, const stages::Modifier& modifier, const Field& field) {
  if (former_field(*modifier.spec, "scheme") != nullptr) return format_field(modifier, field).has_value();  // LC701
  if (modifier.spec->find("scheme") == nullptr || !format_field(modifier, field)) return false;
  const std::vector<FormatField> fields = format_fields(modifier);
  const bool any = std::ranges::any_of(fields, [](const FormatField& each) { return !each.argument.empty(); });
  const auto found = std::ranges::find(fields, &field, &FormatField::field);
  if (!any || found == fields.end()) return false;
  if (found == fields.begin()) report(context, modifier, fields);
  return true;
}

}  // namespace sparsecfg::dialect::llmcompressor
