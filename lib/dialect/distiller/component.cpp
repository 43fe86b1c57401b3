#include "dialect/distiller/component.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/distiller/fixes.h"
#include "dialect/record/field_names.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::distiller {

using doc::NodeId;

const Field* Fields::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &Field::name);
  return found == all.end() ? nullptr : &*found;
}

const Field* Fields::readable(std::string_view name) const {
  const Field* field = find(name);
  return field != nullptr && field->valid && field->spec != nullptr ? field : nullptr;
}

bool Fields::is_set(std::string_view name) const {
  const Field* field = find(name);
  return field != nullptr && python::is_true(field->value);
}

Span Fields::place_of(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr ? place : field->value.span;
}

std::optional<double> Component::number(std::string_view field_name) const {
  if (const Field* field = fields.find(field_name)) {
    return field->value.number();
  }
  const FieldSpec* spec_of_field = spec == nullptr ? nullptr : spec->find(field_name);
  return spec_of_field == nullptr ? std::nullopt : base::parse_double(spec_of_field->default_value);
}

std::string Component::text(std::string_view field_name) const {
  if (const Field* field = fields.find(field_name)) {
    const auto* text = field->value.get<std::string>();
    return text == nullptr ? "" : *text;
  }
  const FieldSpec* spec_of_field = spec == nullptr ? nullptr : spec->find(field_name);
  return spec_of_field == nullptr ? "" : std::string(spec_of_field->default_value);
}

Component* Components::find(Section section, std::string_view name) {
  const auto found = std::ranges::find_if(
      all, [&](const Component& component) { return component.section == section && component.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Field> read_fields(const Reading& reading, NodeId mapping) {
  std::vector<Field> fields;
  for (const auto& [key, value, name] : doc::entries(reading.document, mapping, reading.sink)) {
    const auto* text = std::get_if<std::string>(&name);
    fields.push_back({text != nullptr ? *text : source::python_str({name, {}}), reading.document[key].span,
                      doc::construct(reading.document, value, reading.sink)});
  }
  return fields;
}

static std::string choices_of(const FieldSpec& spec) {
  std::vector<std::string> words;
  for (const std::string_view word : spec.choices) {
    words.push_back(fmt::format("`{}`", word));
  }
  return base::join_and(words);
}

// Returns the type that the value should have; empty if it has that type.
static std::string_view wanted(const FieldSpec& spec, const Value& value) {
  switch (spec.type) {
    case Type::number:
    case Type::exact_float:
    case Type::real: return value.number() ? "" : "a number";
    case Type::list: return value.get<source::List>() != nullptr ? "" : "a list";
    case Type::any_mapping: return value.get<source::Map>() != nullptr ? "" : "a mapping";
    case Type::text: return value.get<std::string>() != nullptr ? "" : "a string";
    default: return "";
  }
}

static void check_choice(Field& field, diag::Sink& sink) {
  const auto* text = field.value.get<std::string>();
  if (text != nullptr && std::ranges::find(field.spec->choices, *text) != field.spec->choices.end()) {
    return;
  }
  field.valid = false;
  sink.report(diag::unknown_choice, field.value.span, base::printable(source::python_str(field.value)), field.name)
      .with_help(fmt::format("write {}", choices_of(*field.spec)));
}

void check_value(std::string_view owner, Field& field, bool used, diag::Sink& sink) {
  const FieldSpec& spec = *field.spec;
  if (field.value.is_null() && spec.nullable) {
    return;
  }
  if (spec.type == Type::choice) {
    check_choice(field, sink);
    return;
  }
  const std::string_view missing = wanted(spec, field.value);
  if (!missing.empty()) {
    field.valid = false;
    if (used || spec.phase == Moment::load) {
      sink.report(diag::wrong_type, field.value.span, field.name, missing, source::describe(field.value))
          .with_fix(missing == "a number" ? as_number(field.value) : diag::Fix());
    }
    return;
  }
  const auto number = spec.bounds.any() ? field.value.number() : std::nullopt;
  if (number && (*number < spec.bounds.min || *number > spec.bounds.max)) {
    field.valid = false;
    sink.report(diag::number_out_of_range, field.value.span, field.name, source::python_str(field.value),
                fmt::format("{} to {}", spec.bounds.min, spec.bounds.max), owner);
  }
}

// --- sections -----------------------------------------------------------------------------------

class ComponentReader {
 public:
  explicit ComponentReader(const Reading& reading) : reading_(reading) {}

  Components read() {
    const auto entries = doc::entries(reading_.document, reading_.document.root, reading_.sink);
    for (const SectionSpec& section : sections()) {
      const auto found =
          std::ranges::find_if(entries, [&](const doc::Entry& entry) { return text_of(entry.key) == section.name; });
      if (found != entries.end()) {
        read_section(section, *found);
      }
    }
    return std::move(out_);
  }

 private:
  const doc::Node& node(NodeId id) const { return reading_.document[reading_.document.resolve(id)]; }

  std::string_view text_of(NodeId id) const { return node(id).text; }

  Value value_of(NodeId id) const { return doc::construct(reading_.document, id, reading_.sink); }

  // Returns true for a mapping; reports anything else.
  bool is_mapping(NodeId key, NodeId id, std::string_view name, std::string_view expected) {
    if (node(id).kind == doc::Kind::mapping) {
      return true;
    }
    const Value value = value_of(id);
    if (value.is_null()) {
      reading_.sink.report(diag::null_section, reading_.document[key].span, name, "has no value");
    } else {
      reading_.sink.report(diag::wrong_type, value.span, name, expected, source::describe(value));
    }
    return false;
  }

  void read_section(const SectionSpec& section, const doc::Entry& entry) {
    if (!is_mapping(entry.key, entry.value, section.name, "a mapping of names to components")) {
      out_.detected = false;
      return;
    }
    for (const auto& [key, value, unused] : doc::entries(reading_.document, entry.value, reading_.sink)) {
      read_component(section, key, value);
    }
  }

  void read_component(const SectionSpec& section, NodeId key, NodeId id) {
    const Value name = value_of(key);
    const auto* text = name.get<std::string>();
    Component component;
    component.section = section.section;
    component.name = text != nullptr ? *text : source::python_str(name);
    component.key = reading_.document[key].span;
    component.node = id;
    if (is_mapping(key, id, base::printable(component.name), "a mapping with a `class`")) {
      component.fields = {read_fields(reading_, id), component.key};
      component.valid = check_built_once(component, id) && find_class_of(component);
    } else {
      component.valid = false;
    }
    if (component.spec != nullptr) {
      check_arguments(component, section);
    }
    out_.all.push_back(std::move(component));
  }

  // The loader removes `class` from the mapping, so an alias of the same mapping lacks it.
  bool check_built_once(const Component& component, NodeId id) {
    const auto [first, is_new] = built_.emplace(reading_.document.resolve(id), component.key);
    if (!is_new) {
      reading_.sink.report(diag::component_built_twice, reading_.document[id].span, base::printable(component.name))
          .with_label(first->second, "first use of this mapping; Distiller removes its `class` here")
          .with_help("copy the mapping, or merge it with `<<`");
    }
    return is_new;
  }

  bool find_class_of(Component& component) {
    const Field* field = component.fields.find("class");
    if (field == nullptr) {
      reading_.sink.report(diag::missing_required, component.key, base::printable(component.name), "class");
      return false;
    }
    const auto* name = field->value.get<std::string>();
    component.spec = name == nullptr ? nullptr : find_class(*name);
    if (component.spec == nullptr) {
      report_unknown_class(component, *field);
    } else {
      component.fields.place = field->value.span;
    }
    return component.spec != nullptr;
  }

  void report_unknown_class(const Component& component, const Field& field) {
    std::vector<std::string_view> known;
    for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
      for (const ClassSpec& spec : classes) {
        if (spec.section == component.section) known.push_back(spec.name);
      }
    }
    const std::string name = source::python_str(field.value);
    const auto guess = base::nearest(name, known);
    reading_.sink
        .report(diag::unknown_modifier, field.value.span, spec_of(component.section).kind, base::printable(name))
        .with_help(base::did_you_mean(guess, "`sparsecfg explain modifiers` lists them all"))
        .with_fix(guess ? diag::Fix::unsafe().content(field.value.span, std::string(*guess)) : diag::Fix());
  }

  static bool is_word_of(std::string_view words, std::string_view word) {
    const std::size_t at = words.find(word);
    return at != std::string_view::npos && !word.empty() && (at == 0 || words[at - 1] == ' ') &&
           (at + word.size() == words.size() || words[at + word.size()] == ' ');
  }

  void check_arguments(Component& component, const SectionSpec& section) {
    FieldNames names(reading_.sink);
    for (Field& field : component.fields.all) {
      field.spec = component.spec->find(field.name);
      const bool supplied =
          is_word_of(section.supplied, field.name) || (field.name == "model" && component.spec->takes_model);
      if (supplied) {
        reading_.sink.report(diag::field_ignored, field.key, field.name, "Distiller's loader overwrites it")
            .with_fix(diag::Fix::safe().remove(field.key));
      } else if (field.spec == nullptr && field.name != "class") {
        report_unknown_argument(component, field, names);
      }
    }
    for (const FieldSpec& spec : component.spec->fields) {
      if (spec.required && component.fields.find(spec.name) == nullptr) {
        component.valid = false;
        names.report_missing(component.fields.place, component.spec->name, spec.name, base::as_clause(spec.doc));
      }
    }
  }

  static void report_unknown_argument(Component& component, Field& field, FieldNames& names) {
    field.valid = false;
    component.valid = false;
    const auto is_given = [&](std::string_view name) { return component.fields.find(name) != nullptr; };
    names.report_unknown({field.key, field.name, fmt::format("`{}`", component.spec->name),
                          names_without(component.spec->fields, is_given),
                          fmt::format("`sparsecfg explain {}` lists its fields", component.spec->name)});
  }

  const Reading& reading_;
  Components out_;
  std::map<NodeId, Span> built_;
};

Components read_components(const Reading& reading) { return ComponentReader(reading).read(); }

}  // namespace sparsecfg::dialect::distiller
