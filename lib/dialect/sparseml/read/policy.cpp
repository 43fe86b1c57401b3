#include "dialect/sparseml/read/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/record/suggest.h"
#include "dialect/record/types.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/read/fields.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect::sparseml {

using source::Value;

constexpr std::string_view kFromParam = "__FROM_PARAM__";

// SparseML loads the recipe a second time, with the name of the framework in front of each tag. It changes a `!word` in
// a string too, unless a dot follows.
static void rewrite_bang_words(Value& value, std::string_view framework) {
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (Value& item : *list) rewrite_bang_words(item, framework);
  } else if (auto* map = std::get_if<source::Map>(&value.data)) {
    for (auto& [key, item] : *map) rewrite_bang_words(item, framework);
  } else if (auto* text = std::get_if<std::string>(&value.data)) {
    for (std::size_t at = text->find('!'); at != std::string::npos; at = text->find('!', at + 1)) {
      if (is_rewritten_at(*text, at)) text->insert(at + 1, std::string(framework) + ".");
    }
  }
}

// Returns the first variable of a sum: `start` of `eval(start + 3)` and `eval(start + length)`. Empty for other
// expressions.
static std::string_view variable_of_sum(std::string_view written) {
  if (!is_eval(written)) return {};
  const std::string_view text = base::trim(inside_eval(written));
  std::size_t end = 0;
  while (end < text.size() && base::is_name_letter(text[end])) ++end;
  const std::string_view rest = base::trim(text.substr(end));
  const bool sum = rest.size() > 1 && (rest.front() == '+' || rest.front() == '-');
  const auto is_term = [](char c) { return base::is_name_letter(c) || c == '.' || c == ' ' || c == '+' || c == '-'; };
  return sum && std::ranges::all_of(rest, is_term) && end > 0 && !base::is_digit(text.front()) ? text.substr(0, end)
                                                                                               : std::string_view();
}

// Stores the variable that is the whole expression of a number, if the file contains this number as its value. The
// command line can set another one. A variable with other uses is not changed for one of them: the edit is made here.
void TagPolicy::keep_variable(const std::string& stage, Field& field) const {
  const std::string_view written_value = file_.text(field.value.span);
  if (const std::string_view base = variable_of_sum(written_value); !base.empty()) field.variable = base;
  const auto variable = variables_->whole_variable(stage, written_value);
  const auto number = field.value.number();
  if (!variable || !number) return;
  const std::string written(file_.text(variable->place));
  char* end = nullptr;
  if (written.empty() || std::strtod(written.c_str(), &end) != *number || *end != '\0') return;
  field.variable = variable->name;
  const bool shared = variables_->uses_of(variable->place).size() > 1;
  field.definition = shared ? field.value.span : variable->place;
}

bool TagPolicy::evaluate(const Record& record, Field& field) const {
  if (field.spec == nullptr || variables_ == nullptr) {
    return true;
  }
  bool done = true;
  if (holds_eval(field.value)) {
    const Value written = field.value;
    done = variables_->evaluate(record.stage, field.value);
    field.evaluated = field.value != written;
    if (field.evaluated) keep_variable(record.stage, field);
  }
  if (modifier_.framework == Framework::pytorch) rewrite_bang_words(field.value, "pytorch");
  return done;
}

// PyTorch stores these values unchecked and first uses them in a step.
bool TagPolicy::is_late(const Record&, const Field& field) const {
  return field.spec != nullptr && field.spec->phase == Moment::step && modifier_.framework == Framework::pytorch;
}

// N:M masks are strings.
bool TagPolicy::expects_text(const Record&, std::string_view name, const FieldSpec& spec) const {
  return name == "mask_type" && spec.type == Type::any;
}

void TagPolicy::check_valid(const Record&, Field& field) const {
  const auto* text = field.value.get<std::string>();
  if (text != nullptr && field.spec->type == Type::truth) {
    check_boolean(field, *text);
  }
  check_number_spelling(file_, field.value, false, sink_);
}

// SparseML stores strings, lists and mappings unchecked, so another type is only a warning. Exceptions: the keys of a
// required mapping are read immediately, and a list used in a step can be neither a string nor a number. Quantization
// fields of another type are checked by check_quantization_run().
std::optional<diag::Severity> TagPolicy::severity(const InvalidValue& invalid) const {
  const auto& spec = invalid.spec;
  const bool list = spec.type == Type::list;
  const bool mapping = spec.type == Type::any_mapping;
  const auto* text = invalid.text();
  const bool used = text != nullptr ? !text->empty() : invalid.value.number().value_or(0) != 0;
  if ((!list && !mapping && spec.type != Type::text) || (mapping && spec.required) ||
      (list && spec.phase == Moment::step && used)) {
    return diag::Severity::error;
  }
  const bool quantizes =
      modifier_.spec->kind == ClassKind::quantization || modifier_.spec->kind == ClassKind::legacy_quantization;
  return quantizes ? std::nullopt : std::optional(diag::Severity::warning);
}

// Reports the value of a variable once, where it is defined.
void TagPolicy::report(const InvalidValue& invalid) const {
  const source::Span from = definition_of(invalid);
  if (from.empty()) {
    report_here(invalid);
  } else if (variables_->is_first_report(from)) {
    const Value defined{invalid.value.data, from};
    report_here({invalid.kind, invalid.record, invalid.name, defined, invalid.spec, false});
  }
}

void TagPolicy::report_here(const InvalidValue& invalid) const {
  switch (invalid.kind) {
    case InvalidValue::Kind::type: report_value(invalid); break;
    case InvalidValue::Kind::choice: report_choice(invalid); break;
    case InvalidValue::Kind::bounds: report_bounds(invalid); break;
    case InvalidValue::Kind::integer: label_uses(report_integer(invalid), invalid); break;
    default: Policy::report(invalid);
  }
}

// Returns where the variable is defined that is the whole value of a field. Returns an empty span for other values and
// for a variable that the command line sets.
source::Span TagPolicy::definition_of(const InvalidValue& invalid) const {
  const source::Span from = variables_ == nullptr || !invalid.evaluated
                                ? source::Span()
                                : variables_->place_of_value(modifier_.stage, file_.text(invalid.value.span));
  const auto* text = invalid.text();
  const std::string_view written = file_.text(from);
  const bool in_file =
      text != nullptr ? written.find(*text) != std::string_view::npos : written == source::python_str(invalid.value);
  return in_file ? from : source::Span();
}

void TagPolicy::label_uses(diag::Diagnostic& report, const InvalidValue& invalid) const {
  if (variables_ == nullptr || file_.text(invalid.value.span).starts_with(kEvalOpening)) {
    return;
  }
  for (const source::Span use : variables_->uses_of(invalid.value.span)) {
    report.with_label(use, "used here");
  }
}

static bool is_key_of_scheme_class(std::string_view name) {
  return find_modifier(Framework::pytorch, "QuantizationModifier")->find(name) != nullptr;
}

DIAGNOSTIC(SP810, legacy_and_new_quant_fields, error, (Text, Text),
           "`{}` is a field of the newer class, `{}` of the older class",
           "Two classes share this tag. Any field of the older class (`submodules`, `weight_bits` ...) selects it, "
           "and that class does not support `scheme`, `scheme_overrides`, `ignore` and `strict`.",
           "use only the newer fields or only the older ones")

// Returns the fields of the older class for the bits of a scheme: "write `weight_bits: 8`"; empty without bits.
static std::string bits_of_scheme(const Record& record) {
  const source::Value* scheme = record.given("scheme");
  std::vector<std::string> out;
  for (const auto& [part, field] :
       {std::pair("weights", "weight_bits"), std::pair("input_activations", "activation_bits")}) {
    const source::Value* arguments = scheme == nullptr ? nullptr : scheme->find(part);
    const source::Value* bits = arguments == nullptr ? nullptr : arguments->find("num_bits");
    if (bits != nullptr && bits->number()) out.push_back(fmt::format("`{}: {}`", field, *bits->number()));
  }
  return out.empty() ? std::string() : fmt::format(", and write {}", base::join_and(out));
}

// Reports the first field of the newer class. `older`: the first field that selects the older class.
void TagPolicy::report_mixed_classes(const Record& record, const Field& newer, const Field& older) const {
  std::vector<std::string> news;
  std::vector<std::string> olds;
  std::vector<const Field*> neither;
  for (const Field& field : record.fields) {
    const bool in_newer = is_key_of_scheme_class(field.name);
    const bool in_older = record.spec->find(field.name) != nullptr;
    if (!in_older) news.push_back(fmt::format("`{}`", field.name));
    if (!in_newer) olds.push_back(fmt::format("`{}`", field.name));
    if (!in_newer && !in_older) neither.push_back(&field);
  }
  const bool selects = record.given("submodules") != nullptr;
  const std::string others = selects ? ", and list the modules outside of `submodules` in `ignore`" : "";
  auto& report = sink_.report(diag::legacy_and_new_quant_fields, newer.key, newer.name, older.name)
                     .with_label(older.key, "this field selects the older class")
                     .with_help(fmt::format("delete {}{}; or delete {}{}", base::join_and(olds), others,
                                            base::join_and(news), bits_of_scheme(record)));
  for (const Field* field : neither) report.with_label(field->key, "a field of neither class");
}

// Returns true for a field of the newer class that the older one does not have.
static bool is_newer(const Record& record, const Field& field) {
  return record.spec->find(field.name) == nullptr && is_key_of_scheme_class(field.name);
}

bool TagPolicy::report_unknown(const Record& record, const Field& field, FieldNames& names) const {
  const auto of_newer = [&](const Field& other) { return is_newer(record, other); };
  const bool mixes = modifier_.framework == Framework::pytorch && record.spec->kind == ClassKind::legacy_quantization &&
                     std::ranges::any_of(record.fields, of_newer);
  if (!mixes) {
    // RigL passes unknown arguments to its base class, which ignores them.
    const bool ignores = modifier_.framework == Framework::pytorch && record.spec->name == "RigLPruningModifier";
    return Policy::report_unknown(record, field, names) || ignores;
  }
  const auto older = std::ranges::find_if(record.fields, [&](const Field& other) {
    return !is_key_of_scheme_class(other.name) && record.spec->find(other.name) != nullptr;
  });
  if (&*std::ranges::find_if(record.fields, of_newer) == &field && older != record.fields.end()) {
    report_mixed_classes(record, field, *older);
  }
  return false;
}

// A field that is not indented enough is a variable of the recipe.
bool TagPolicy::report_missing(const Record& record, const FieldSpec& spec, FieldNames& names) const {
  const std::string name(spec.name);
  const source::Span variable = variables_ == nullptr || names.suggested(name)
                                    ? source::Span()
                                    : variables_->place_of_value(modifier_.stage, fmt::format("eval({})", name));
  if (variable.empty()) return Policy::report_missing(record, spec, names);
  sink_.report(diag::missing_required, record.key, record.spec->name, name)
      .with_label(variable, "a variable, because it is not indented below the modifier")
      .with_help(fmt::format("add `{}: {}` to the modifier, and delete the variable", name, file_.text(variable)));
  return false;
}

// --- booleans -----------------------------------------------------------------------------------

static std::string meant_boolean(std::string_view word) {
  static constexpr std::string_view kWords[] = {"true", "false"};
  return base::did_you_mean(base::nearest(word, kWords), "write `true` or `false`, without quotes");
}

DIAGNOSTIC(SP008, yaml11_bool_word, warning, (Text, Text), "`{}` is read as {} here",
           "YAML 1.1 reads the unquoted words yes, no, on and off as booleans. The framework converts a quoted word "
           "by its own rule. A string is false only if it is empty or contains an `f` or a `0`, so \"no\" is true.",
           "write `true` or `false` without quotes")

// Warns about strings, which can be read as the opposite boolean: "false" counts as true.
void TagPolicy::check_boolean(const Field& field, const std::string& text) const {
  static constexpr std::string_view kTrue[] = {"true", "yes", "on"};
  static constexpr std::string_view kFalse[] = {"false", "no", "off"};
  const bool by_letters = modifier_.spec->kind == ClassKind::trainable || field.name == "constant_logging" ||
                          (field.name == "leave_enabled" && modifier_.framework != Framework::pytorch);
  const bool counts = by_letters ? counts_as_true(field.value) : !text.empty();
  const std::string word = base::to_lower(text);
  if (word == (counts ? "true" : "false")) {
    return;
  }
  auto& report = sink_.report(diag::yaml11_bool_word, field.value.span, text, counts ? "true" : "false")
                     .with_help(meant_boolean(word));
  const bool says_true = base::contains(kTrue, word);
  if ((says_true || base::contains(kFalse, word)) && !field.evaluated) {
    // The fix is safe if the word already has the effect that it suggests.
    report.with_fix(diag::Fix::safe_if(says_true == counts).replace(field.value.span, says_true ? "true" : "false"));
  }
}

// --- values of another type ---------------------------------------------------------------------

// Returns the variable named by `$name`, `${name}`, `{{ name }}`, `%(name)s`, `eval (name)` or a bare `name`. Returns
// an empty string if the recipe has no such variable.
std::string TagPolicy::variable_meant_by(std::string_view text) const {
  if (text.starts_with("eval")) text.remove_prefix(4);  // `eval (name)`
  const std::size_t begin = std::min(text.find_first_not_of("${%(<[ "), text.size());
  const std::size_t end = std::min(text.find_first_of("})>] ", begin), text.size());
  const std::string_view name = text.substr(begin, end - begin);
  const bool word = !name.empty() && std::ranges::all_of(name, [](char c) { return base::is_name_letter(c); });
  return word && variables_ != nullptr && variables_->knows(modifier_.stage, name) ? std::string(name) : "";
}

void TagPolicy::report_value(const InvalidValue& invalid) const {
  const auto* text = invalid.text();
  const bool rejected = severity(invalid) == diag::Severity::error && invalid.spec.choices.empty();
  if (rejected && text != nullptr && text->find("eval(") != std::string::npos) {
    report_expression(invalid);
    return;
  }
  if (rejected && text != nullptr && *text == kFromParam) {
    sink_.report(diag::from_param_unsupported, invalid.value.span, invalid.name);
    return;
  }
  auto& report = report_type(invalid);
  label_uses(report, invalid);
  const bool number = text != nullptr && (base::python_float(*text) || doc::number_meant_by(*text));
  const std::string name = rejected && text != nullptr && !number ? variable_meant_by(*text) : "";
  if (!name.empty()) {
    const std::string meant = fmt::format("eval({})", name);
    report.with_help(fmt::format("write `{}`", meant)).with_fix(replaced(diag::Fix::unsafe(), invalid, meant));
  }
}

// Returns an expression with the text around it moved into it: `eval(a) / 2` becomes `eval(a / 2)`.
static std::string with_surroundings(std::string_view before, std::string_view inner, std::string_view after) {
  const bool one = inner.find_first_of("+-*/% ") == std::string_view::npos;
  const bool alone = base::trim(before).empty() && base::trim(after).empty();
  return one || alone ? fmt::format("eval({}{}{})", base::trim(before).empty() ? "" : before, inner,
                                    base::trim(after).empty() ? "" : after)
                      : fmt::format("eval({}({}){})", before, inner, after);
}

// Returns the expression that a string was meant to be, with its parenthesis closed if that is missing. Returns an
// empty string if there are several.
static std::string expression_meant_by(std::string_view text) {
  const std::size_t begin = text.find(kEvalOpening);
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] == ')' && depth == 0) {
      const std::size_t inner = begin + kEvalOpening.size();
      const bool several = text.find(kEvalOpening, at) != std::string_view::npos;
      return several ? ""
                     : with_surroundings(text.substr(0, begin), text.substr(inner, at - inner), text.substr(at + 1));
    }
  }
  return depth == 1 && begin == 0 ? std::string(base::trim(text)) + ")" : "";
}

void TagPolicy::report_expression(const InvalidValue& invalid) const {
  const bool of_2020 = modifier_.framework == Framework::pytorch_2020;
  const bool whole = is_eval(*invalid.text());
  if (!of_2020 && whole && variables_ != nullptr && variables_->is_stop_reported()) {
    return;
  }
  const std::string expression = expression_meant_by(*invalid.text());
  const bool unclosed = expression == *invalid.text() + ")";
  sink_
      .report(diag::eval_not_evaluated, invalid.value.span,
              of_2020    ? "SparseML releases of 2020 do not support expressions"
              : whole    ? "the recipe mixes stages with modifiers at the top level"
              : unclosed ? "its `(` is not closed"
                         : "it must be the whole value")
      .with_help(of_2020               ? "write the result of the expression"
                 : whole               ? "move the top-level modifiers into a stage"
                 : !expression.empty() ? fmt::format("write `{}`", expression)
                                       : "")
      .with_fix(of_2020 || whole || expression.empty() ? diag::Fix()
                                                       : diag::Fix::unsafe().content(invalid.value.span, expression));
}

DIAGNOSTIC(SP407, structured_mask_required, error, (Text),
           "{} is not a structure that `StructuredPruningModifier` can remove",
           "It removes whole filters or channels and rejects other masks. The other pruners reject `filter` and "
           "`channel`.",
           "write `filter` or `channel`")

DIAGNOSTIC(SP508, lr_class_unknown, error, (Text), "unknown `lr_class` `{}`",
           "SparseML supports only StepLR, MultiStepLR, ExponentialLR and CosineAnnealingWarmRestarts.",
           "write `StepLR`, `MultiStepLR`, `ExponentialLR` or `CosineAnnealingWarmRestarts`")

void TagPolicy::report_choice(const InvalidValue& invalid) const {
  const source::Span place = invalid.value.span;
  const std::string shown = *invalid.text();
  const std::string described = source::describe(invalid.value);
  const bool mask = invalid.name == "mask_type";
  auto& report = invalid.name == "lr_class" ? sink_.report(diag::lr_class_unknown, place, shown)
                 : mask && modifier_.spec->name == "StructuredPruningModifier"
                     ? sink_.report(diag::structured_mask_required, place, described)
                 : mask ? sink_.report(diag::mask_type_unknown, place, described, modifier_.spec->name)
                        : sink_.report(diag::unknown_choice, place, shown, invalid.name);
  label_uses(report, invalid);
  suggest_choice(report, invalid);
  if (invalid.name == "lr_class" && *invalid.text() == "CosineAnnealingLR") {
    report.with_fix({}).with_help("replace the modifier with `LearningRateFunctionModifier` and `lr_func: cosine`");
  }
}

// --- bounds -------------------------------------------------------------------------------------

// Returns true for pruners whose sparsity rises until their end.
static bool is_ramp(const Modifier& modifier) { return modifier.spec->find("final_sparsity") != nullptr; }

static std::string meaning_of_minus_one(const InvalidValue& invalid, bool ramp) {
  return invalid.spec.bounds.min > -1 || (ramp && invalid.name == "end_epoch")
             ? "write the epoch at which this modifier ends"
         : invalid.name == "start_epoch" ? "write `-1` to start immediately"
         : invalid.name == "end_epoch"   ? "write `-1` for no end"
                                         : "write `-1` to update at every step";
}

static std::string excluded(std::string_view name, const Bounds& bounds, double number) {
  const auto near = nearest_sparsity(bounds, number);
  if (name == "final_sparsity" && number == 0 && number == bounds.min) {
    return "delete this modifier, and add `leave_enabled: False` to the one that prunes these weights: a ramp can only "
           "end above 0";
  }
  return number == bounds.min || number == bounds.max
             ? fmt::format("write a number within {}, which excludes {} itself{}", interval(bounds),
                           base::python_repr(number),
                           near ? fmt::format(", such as `{}`", base::python_repr(*near)) : "")
             : "";
}

DIAGNOSTIC(SP501, lr_out_of_range, error, (Text, Text, Text), "`{}` {} is outside {}",
           "SparseML rejects a learning rate above 1, and a rate of 0 where it is set or scheduled. A learning rate "
           "function may start or end at 0.",
           "write a learning rate within {2}, such as 0.1")

void TagPolicy::report_bounds(const InvalidValue& invalid) const {
  const Bounds& bounds = invalid.spec.bounds;
  const source::Span place = invalid.value.span;
  const std::string shown = source::python_str(invalid.value);
  const auto* text = invalid.text();
  const double number = *(text != nullptr ? base::python_float(*text) : invalid.value.number());
  const bool rate = invalid.name.ends_with("_lr") || invalid.name == "learning_rate";
  if (invalid.name.ends_with("_epoch") || invalid.name == "update_frequency") {
    auto& report = sink_.report(diag::negative_epoch, place, invalid.name, shown, base::python_repr(bounds.min));
    label_uses(report.with_help(meaning_of_minus_one(invalid, is_ramp(modifier_))), invalid);
  } else if (rate || !is_percent(number)) {
    auto& report = rate ? sink_.report(diag::lr_out_of_range, place, invalid.name, shown, interval(bounds))
                        : sink_.report(diag::sparsity_out_of_range, place, invalid.name, shown, interval(bounds));
    label_uses(report.with_help(excluded(invalid.name, bounds, number)), invalid);
  } else {
    const std::string fraction = base::python_repr(fraction_of(number));
    auto& report = sink_.report(diag::sparsity_looks_like_percent, place, invalid.name, shown);
    label_uses(report, invalid);
    report.with_severity(diag::Severity::error)
        .with_help(fmt::format("write `{}`", fraction))
        .with_fix(replaced(diag::Fix::unsafe(), invalid, fraction));
  }
}

}  // namespace sparsecfg::dialect::sparseml
