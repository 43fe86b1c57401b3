#include "dialect/sparseml/read/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/modifier.h"
#include "dialect/sparseml/read/policy.h"
#include "dialect/words.h"
#include "doc/construct.h"
#include "doc/scalar_type.h"

namespace sparsecfg::dialect::sparseml {

using doc::Node;
using doc::NodeId;

// Returns how to write a scheduler of PyTorch, which is a field of a modifier.
static std::string scheduler_meant_by(std::string_view name) {
  static constexpr std::string_view kClasses[] = {"StepLR", "MultiStepLR", "ExponentialLR",
                                                  "CosineAnnealingWarmRestarts"};
  const std::string_view scheduler = name.substr(0, name.rfind("Modifier"));
  if (base::contains(kClasses, scheduler)) {
    return fmt::format("replace it with `LearningRateModifier`, `lr_class: {}` and `lr_kwargs`", scheduler);
  }
  return scheduler == "CosineAnnealingLR" || scheduler == "CosineAnnealing"
             ? "replace it with `LearningRateFunctionModifier` and `lr_func: cosine`"
             : "";
}

static void report_unknown(const Context& context, const Node& node, std::string_view name) {
  std::vector<std::string_view> known;
  for (const ClassSpec& spec : modifiers(context.framework)) {
    known.push_back(spec.name);
  }
  auto& report = context.sink.report(diag::unknown_modifier, node.tag_span, "modifier", name);
  if (const auto now = modern_name(name)) {
    report.with_help(fmt::format("write `{}`: the modifier was renamed in 2021", *now));
  } else if (is_tensorflow(context.framework) && find_modifier(Framework::pytorch, name) != nullptr) {
    report.with_help(fmt::format("remove this modifier: SparseML supports it for PyTorch, but not for {}",
                                 name_of(context.framework)));
  } else if (const std::string scheduler = scheduler_meant_by(name); !scheduler.empty()) {
    report.with_help(scheduler);
  } else {
    const Meant meant =
        meant_by(Word::Place::type, "", name, known, "list all modifiers with `sparsecfg explain modifiers`");
    report.with_help(meant.help);
    if (meant.name) report.with_fix(diag::Fix::unsafe().replace(node.tag_span, fmt::format("!{}", *meant.name)));
  }
}

// Offers the `!` of a modifier whose name is the first key of a mapping.
static void suggest_tag(const Context& context, const Node& item, diag::Diagnostic& report) {
  if (item.kind != doc::Kind::mapping || item.style != doc::Style::block || item.items.empty()) {
    return;
  }
  const Node& key = context.document[item.items.front()];
  if (find_modifier(context.framework, key.text) != nullptr &&
      context.file.text().substr(key.span.end).starts_with(":\n")) {
    report.with_help(fmt::format("write `!{}` instead of `{}:`", key.text, key.text))
        .with_fix(diag::Fix::unsafe().replace({key.span.begin, key.span.end + 1}, fmt::format("!{}", key.text)));
  }
}

DIAGNOSTIC(SP026, not_a_modifier, error, (Text), "expected a modifier in this list, found {}",
           "Every item of this list must be a `!...Modifier`. SparseML loads the list and fails when it asks the item "
           "for its epochs.",
           "put a tag such as `!GMPruningModifier` before the item, or delete it")

// Reports a list item that is not a modifier. check_text() reports unreadable tags and aliases of modifiers.
static void report_unknown_name(const Context& context, NodeId item) {
  const Node& node = context.document[item];
  const Node& target = context.document[context.document.resolve(item)];
  if (node.tag_span.empty() && target.tag_span.empty()) {
    auto& report = context.sink.report(diag::not_a_modifier, node.span,
                                       source::describe(doc::construct(context.document, item, context.sink)));
    report.with_help("write `- !`, the name of a modifier, and its fields below");
    suggest_tag(context, target, report);
  }
}

// Chooses among the classes that share a tag. A field that only a less common class has selects that class
// (docs/semantics/sparseml.md#b6).
static const ClassSpec* choose_class(std::span<const ClassSpec> rows, const Fields& fields) {
  const ClassSpec& usual = rows.front();
  const auto chosen = std::ranges::find_if(rows, [&](const ClassSpec& row) {
    return std::ranges::any_of(fields, [&](const Field& field) {
      return usual.find(field.name) == nullptr && row.find(field.name) != nullptr;
    });
  });
  return chosen == rows.end() ? &usual : &*chosen;
}

// Returns the reader for a tag. A recipe of 2020 may contain tags of later releases, which have been reported already.
static Framework framework_of(const Context& context, std::string_view name) {
  const bool later = context.framework == Framework::pytorch_2020 && find_modifier(context.framework, name) == nullptr;
  return later ? Framework::pytorch : context.framework;
}

// Returns true if PyYAML cannot construct the value or its first key, which construct() has reported.
static bool is_unread(const Context& context, NodeId id, const source::Value& value) {
  const Node& node = context.document[context.document.resolve(id)];
  if (value.is_null()) {
    return node.kind != doc::Kind::scalar || doc::type_of(node) != doc::ScalarType::null;
  }
  const bool filled = node.kind == doc::Kind::mapping && !node.items.empty();
  return filled && context.document[context.document.resolve(node.items.front())].kind != doc::Kind::scalar;
}

// The 2020 releases select loggers per modifier, by a list of names or all of them. Two modifiers do not support
// loggers.
static void check_log_types(const Context& context, const Node& modifier, NodeId key, NodeId value) {
  const source::Value types = doc::construct(context.document, value, context.sink);
  const auto* text = types.get<std::string>();
  const std::string_view name = modifier_name(modifier, Framework::pytorch_2020);
  if (name == "EpochRangeModifier" || name == "TrainableParamsModifier") {
    FieldNames(context.sink)
        .report_unknown({context.document[key].span, "log_types", fmt::format("`{}`", name), {}, "delete the field"});
  } else if (counts_as_empty(types)) {
    return;  // no loggers
  } else if (text != nullptr && base::to_upper(*text) != "__ALL__") {
    context.sink.report(diag::params_string_not_list, types.span, "log_types", *text, "`__ALL__`")
        .with_help(fmt::format("write a list: `['{}']`", *text));
  } else if (text == nullptr && types.get<source::List>() == nullptr && types.get<source::Map>() == nullptr) {
    context.sink
        .report(diag::wrong_type, types.span, "log_types", "a list of loggers or `__ALL__`", source::describe(types))
        .with_help("delete the field: the default is all loggers");
  }
}

DIAGNOSTIC(DP910, log_types_ignored, info, (), "`log_types` has no effect",
           "The final SparseML deletes this field from every modifier without reading it.", "delete `log_types`")

// Later releases evaluate expressions in the list of loggers before they drop it.
static void drop_log_types(const Context& context, const std::string& stage, NodeId key, NodeId value) {
  source::Value types = doc::construct(context.document, value, context.sink);
  if (context.variables.evaluate(stage, types)) {
    context.sink.report(diag::log_types_ignored, context.document[key].span)
        .with_fix(diag::Fix::safe().remove(context.document[key].span));
  }
}

static std::vector<Field> read_fields(const Context& context, const std::string& stage, NodeId id) {
  const Node& node = context.document[id];
  std::vector<Field> fields;
  if (node.kind != doc::Kind::mapping) {
    return fields;
  }
  fields.reserve(node.items.size() / 2);
  for (auto& [key, value, name] : doc::entries(context.document, id, context.sink)) {
    auto* text = std::get_if<std::string>(&name);
    if (text != nullptr && *text == "log_types" && context.framework == Framework::pytorch_2020) {
      check_log_types(context, node, key, value);
      continue;
    }
    if (text != nullptr && *text == "log_types") {
      drop_log_types(context, stage, key, value);
      continue;
    }
    fields.push_back({text != nullptr ? std::move(*text) : source::python_str({name, {}}), context.document[key].span,
                      doc::construct(context.document, value, context.sink)});
    fields.back().valid = !is_unread(context, value, fields.back().value);
  }
  return fields;
}

constexpr FieldSpec kOpaqueFields[] = {
    {.name = "start_epoch", .type = Type::real, .default_value = "-1"},
    {.name = "end_epoch", .type = Type::real, .default_value = "-1"},
};
constexpr std::string_view kNothingKnown = "nothing is known of it";
constexpr ClassSpec kOpaque{
    .name = "opaque", .kind = ClassKind::other, .fields = kOpaqueFields, .doc = kNothingKnown, .open = true};

bool is_opaque(const Modifier& modifier) { return modifier.spec->doc == kNothingKnown; }

// Returns the rows of a class. A class of the project replaces one of SparseML.
static std::span<const ClassSpec> find_rows(const Context& context, Framework framework, std::string_view name) {
  const CustomClass* custom = context.custom == nullptr ? nullptr : context.custom->find(name);
  const auto stock = [](std::string_view like) { return find_modifier(Framework::pytorch, like); };
  const ClassSpec* own = custom == nullptr ? nullptr : context.custom->row(*custom, stock, kOpaque);
  return own != nullptr ? std::span(own, 1) : find_modifiers(framework, name);
}

std::optional<Modifier> read_modifier(const Context& context, NodeId item, const Group& group, int ordinal) {
  const Node& node = context.document[item];
  const bool canonical = context.framework == Framework::pytorch_2020 && node.tag.starts_with("!pytorch.");
  if (!canonical && !is_modifier_tag(context.file, node)) {
    report_unknown_name(context, item);
    return std::nullopt;
  }
  const std::string_view name = modifier_name(node, context.framework);
  const Framework framework = framework_of(context, name);
  const auto rows = find_rows(context, framework, name);
  if (rows.empty()) {
    report_unknown(context, node, name);
    return std::nullopt;
  }
  Modifier modifier{
      {&rows.front(), node.tag_span, read_fields(context, group.stage, item), true, group.stage, group.name, ordinal},
      framework,
      context.parameters};
  const bool bare = node.kind == doc::Kind::scalar && node.text.empty() && node.style == doc::Style::plain &&
                    framework != Framework::pytorch_2020;
  if (node.kind != doc::Kind::mapping && !bare) {
    context.sink
        .report(diag::wrong_type, node.span, name, "a mapping of fields",
                source::describe(doc::construct(context.document, item, context.sink)))
        .with_help("write each field as `name: value`");
    return std::nullopt;
  }
  modifier.spec = choose_class(rows, modifier.fields);
  check_fields(TagPolicy(context.file, context.sink, modifier, &context.variables), modifier);
  return modifier;
}

// Returns true if no step uses the value.
static bool is_unused(const Modifier& modifier, const Field& field) {
  return field.name == "cycle_epochs" && modifier.text("lr_func") != "cyclic_linear";
}

void check_late_values(const source::SourceFile& file, Modifier& modifier, diag::Sink& sink) {
  const TagPolicy policy(file, sink, modifier, nullptr);
  for (Field& field : modifier.fields) {
    if (policy.is_late(modifier, field) && !is_unused(modifier, field)) {
      check_field(policy, modifier, field);
      modifier.valid = modifier.valid && field.valid;
    }
  }
}

bool counts_as_empty(const source::Value& value) {
  const auto* text = value.get<std::string>();
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  return value.is_null() || (text != nullptr && text->empty()) || (list != nullptr && list->empty()) ||
         (map != nullptr && map->empty()) || value.number() == 0.0;
}

bool counts_as_true(const source::Value& value) {
  if (const auto* text = value.get<std::string>()) {
    return !text->empty() && base::to_lower(*text).find_first_of("f0") == std::string::npos;
  }
  return value.number().value_or(0) != 0;
}

double Modifier::start() const { return number("start_epoch").value_or(-1); }

double Modifier::end() const {
  const FieldSpec* row = spec->find("end_epoch");
  const double end = row == nullptr || !row->no_effect.empty() ? -1 : number("end_epoch").value_or(-1);
  return std::isnan(end) ? -1 : end;
}

}  // namespace sparsecfg::dialect::sparseml
