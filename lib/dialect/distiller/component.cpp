#include "dialect/distiller/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/record/check.h"
#include "dialect/record/suggest.h"
#include "dialect/words.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::distiller {

using doc::NodeId;

Component* Components::find(Section section, std::string_view name) {
  const auto found = std::ranges::find_if(
      all, [&](const Component& component) { return component.section == section && component.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Field> read_fields(const Context& context, NodeId mapping) {
  std::vector<Field> fields;
  for (const auto& [key, value, name] : doc::entries(context.document, mapping, context.sink)) {
    fields.push_back({source::python_str({name, {}}), context.document[key].span,
                      doc::construct(context.document, value, context.sink)});
  }
  return fields;
}

// Returns true for a field that maps names of parameters to numbers.
static bool maps_parameters(std::string_view field) {
  return field == "levels" || field == "thresholds" || field == "sensitivities";
}

// Checks of Distiller constructors. Values are checked after the names, when it is known which components run.
class ConstructorPolicy : public dialect::Policy {
 public:
  ConstructorPolicy(const Context& context, diag::Sink& sink, std::string_view owner)
      : Policy(context.file, sink, "Distiller"), owner_(owner), ai8x_(context.is_ai8x()) {}

  // MultiStepLR counts its milestones: a mapping is a multiset, and a string is a list of letters, none of which is
  // an epoch. IntelLabs' Distiller compares epochs with the letters and fails.
  std::optional<diag::Severity> severity(const InvalidValue& invalid) const override {
    const ClassSpec* spec = invalid.record.spec;
    const bool counts = spec != nullptr && spec->kind == ClassKind::multi_step && invalid.name == "milestones";
    const bool counted =
        counts && (invalid.value.get<source::Map>() != nullptr || (ai8x_ && invalid.text() != nullptr));
    return counted ? std::nullopt : Policy::severity(invalid);
  }

  bool is_late(const Record&, const Field&) const override { return true; }

  void report(const InvalidValue& invalid) const override {
    const Value& value = invalid.value;
    if (invalid.kind == InvalidValue::Kind::bounds) {
      const auto& [min, max, min_excluded, max_excluded] = invalid.spec.bounds;
      sink_.report(diag::number_out_of_range, value.span, invalid.name, source::python_str(value),
                   max_excluded ? fmt::format("the range below {}", max) : fmt::format("{} to {}", min, max), owner_);
    } else if (invalid.spec.type == Type::choice && invalid.text() == nullptr) {
      sink_.report(diag::unknown_choice, value.span, source::python_str(value), invalid.name)
          .with_help(fmt::format("use one of `{}`", fmt::join(invalid.spec.choices, "`, `")));
    } else if (invalid.kind == InvalidValue::Kind::type && value.number() && maps_parameters(invalid.name)) {
      report_one_for_all(invalid);
    } else {
      Policy::report(invalid);
    }
  }

 private:
  // Reports one number in place of a mapping from parameters. It is meant for the `weights` beside it, or for all.
  void report_one_for_all(const InvalidValue& invalid) const {
    const Field* weights = invalid.record.find("weights");
    const auto* names = weights == nullptr ? nullptr : weights->value.get<source::List>();
    const std::string number = source::python_str(invalid.value);
    std::vector<std::string> entries;
    for (const Value& name : names == nullptr ? source::List() : *names) {
      entries.push_back(fmt::format("{}: {}", flow_text(name), number));
    }
    const bool pruner = invalid.name == "levels";
    if (entries.empty() || !pruner)
      entries.insert(entries.begin(), fmt::format("'*': {}", entries.empty() ? number : "0"));
    const std::string text = fmt::format("{{{}}}", fmt::join(entries, ", "));
    diag::Fix fix = diag::Fix::unsafe().replace(invalid.value.span, text);
    if (weights != nullptr) fix.remove(weights->key);
    report_type(invalid)
        .with_help(
            fmt::format("write `{}: {}`{}", invalid.name, text, weights == nullptr ? "" : ", and delete `weights`"))
        .with_fix(std::move(fix));
  }

  std::string_view owner_;
  bool ai8x_;
};

void check_value(const Context& context, std::string_view owner, const Record& record, Field& field, bool used) {
  diag::Sink unused;
  const bool fails = used || field.spec->phase == Moment::load || field.spec->type == Type::choice;
  check_field(ConstructorPolicy(context, fails ? context.sink : unused, owner), record, field);
}

// Accepts the keys that the loader reads beside the arguments of a class.
class LoaderPolicy : public ConstructorPolicy {
 public:
  LoaderPolicy(const Context& context, const ClassSpec& spec, const SectionSpec& section)
      : ConstructorPolicy(context, context.sink, spec.name), section_(section) {}

  bool report_unknown(const Record& record, const Field& field, FieldNames& names) const override {
    const bool supplied =
        is_word_of(section_.supplied, field.name) || (field.name == "model" && has(*record.spec, kTakesModel));
    if (supplied) {
      sink_.report(diag::field_ignored, field.key, field.name, "Distiller's loader overwrites it")
          .with_fix(diag::Fix::safe().remove(field.key));
    }
    if (field.name == "weights" && has_one_for_all(record)) return false;  // reported with that number
    return supplied || field.name == "class" || ConstructorPolicy::report_unknown(record, field, names);
  }

  [[nodiscard]] std::string_view group_of_words() const override {
    return class_section(section_.section) == Section::lr_schedulers ? "lr_scheduler" : section_.kind;
  }

 private:
  static bool has_one_for_all(const Record& record) {
    return std::ranges::any_of(record.fields, [](const Field& field) {
      return maps_parameters(field.name) && field.value.number() && field.value.get<bool>() == nullptr;
    });
  }

  static bool is_word_of(std::string_view words, std::string_view word) {
    const std::size_t at = words.find(word);
    return at != std::string_view::npos && !word.empty() && (at == 0 || words[at - 1] == ' ') &&
           (at + word.size() == words.size() || words[at + word.size()] == ' ');
  }

  const SectionSpec& section_;
};

// --- sections -----------------------------------------------------------------------------------

constexpr ClassSpec opaque_in(Section section) {
  return {.name = "opaque", .kind = ClassKind::opaque, .fields = {}, .section = section, .open = true};
}

constexpr ClassSpec kOpaque[] = {opaque_in(Section::pruners), opaque_in(Section::regularizers),
                                 opaque_in(Section::quantizers), opaque_in(Section::extensions),
                                 opaque_in(Section::lr_schedulers)};

static const ClassSpec& opaque_of(Section section) { return kOpaque[static_cast<std::size_t>(section)]; }

DIAGNOSTIC(SP122, component_built_twice, error, (Text), "`{}` is an alias of a component that was already built",
           "An alias is the same mapping under a second name. Distiller removes `class` from the mapping when it "
           "builds the first component and does not find it for the second. The overrides of a quantizer lose their "
           "bits in the same way, so both get the defaults. A merge with `<<` makes a copy.",
           "write the mapping out, or merge it with `<<`")

class ComponentReader {
 public:
  explicit ComponentReader(const Context& context) : context_(context) {}

  Components read() {
    const auto entries = doc::entries(context_.document, context_.document.root, context_.sink);
    for (const SectionSpec& section : sections(context_.flavor.fork)) {
      const auto found =
          std::ranges::find_if(entries, [&](const doc::Entry& entry) { return text_of(entry.key) == section.name; });
      if (found != entries.end() && is_read(section, *found)) {
        read_section(section, *found);
      }
    }
    return std::move(out_);
  }

 private:
  const doc::Node& node(NodeId id) const { return context_.document[context_.document.resolve(id)]; }

  std::string_view text_of(NodeId id) const { return node(id).text; }

  Value value_of(NodeId id) const { return doc::construct(context_.document, id, context_.sink); }

  // Returns true for a mapping; reports anything else.
  bool is_mapping(NodeId key, NodeId id, std::string_view name, std::string_view expected) {
    if (node(id).kind == doc::Kind::mapping) {
      return true;
    }
    const Value value = value_of(id);
    if (value.is_null()) {
      context_.sink.report(diag::null_section, context_.document[key].span, name, "has no value");
    } else {
      context_.sink.report(diag::wrong_type, value.span, name, expected, source::describe(value));
    }
    return false;
  }

  // Reports a section that the training script never passes to Distiller.
  bool is_read(const SectionSpec& section, const doc::Entry& entry) {
    const bool reads = section.section != Section::loss_lr_schedulers || context_.flavor.loss_rates;
    if (!reads) {
      context_.sink.report(diag::field_ignored, context_.document[entry.key].span, section.name,
                           "ai8x-training reads it only with `--dr`");
    }
    return reads;
  }

  // Returns the number of fields that follow an empty component at its own indentation, with `class` among them.
  std::size_t count_outdented(std::span<const doc::Entry> entries) const {
    const auto ends = [&](const doc::Entry& entry) {
      return node(entry.value).kind == doc::Kind::mapping || is_null(entry.value);
    };
    const auto fields = entries.subspan(1);
    const auto end = is_null(entries.front().value) ? std::ranges::find_if(fields, ends) : fields.begin();
    const bool has_class = std::any_of(fields.begin(), end, [&](const auto& e) { return text_of(e.key) == "class"; });
    return has_class ? static_cast<std::size_t>(end - fields.begin()) : 0;
  }

  bool is_null(NodeId id) const { return node(id).kind == doc::Kind::scalar && value_of(id).is_null(); }

  void report_outdented(std::span<const doc::Entry> entries) {
    const Span key = context_.document[entries.front().key].span;
    const std::string_view name = text_of(entries.front().key);
    diag::Fix fix = diag::Fix::unsafe();
    for (const doc::Entry& entry : entries.subspan(1)) {
      const std::uint32_t begin = context_.document[entry.key].span.begin;
      fix.replace({begin, begin}, "  ");
    }
    context_.sink.report(diag::null_section, key, name, "has no value")
        .with_label(context_.document[entries[1].key].span, "not indented below the key")
        .with_help(fmt::format("indent `{}` and the fields after it deeper than `{}`", text_of(entries[1].key), name))
        .with_fix(std::move(fix));
    out_.detected = false;
  }

  void read_section(const SectionSpec& section, const doc::Entry& entry) {
    if (!is_mapping(entry.key, entry.value, section.name, "a mapping of names to components")) {
      out_.detected = false;
      return;
    }
    const auto entries = doc::entries(context_.document, entry.value, context_.sink);
    for (std::span<const doc::Entry> rest = entries; !rest.empty();) {
      const std::size_t outdented = count_outdented(rest);
      if (outdented == 0) {
        read_component(section, rest.front().key, rest.front().value);
      } else {
        report_outdented(rest.first(outdented + 1));
      }
      rest = rest.subspan(outdented + 1);
    }
  }

  void read_component(const SectionSpec& section, NodeId key, NodeId id) {
    Component component;
    component.section = section.section;
    component.name = source::python_str(value_of(key));
    component.key = context_.document[key].span;
    component.node = id;
    if (is_mapping(key, id, component.name, "a mapping with a `class`")) {
      component.fields.key = component.key;
      component.fields.fields = read_fields(context_, id);
      component.fields.key = component.fields.place("class");
      component.class_name = component.fields.text("class");
      if (section.section == Section::quantizers) component.overrides = overrides_of(component.fields);
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
    const auto [first, is_new] = built_.emplace(context_.document.resolve(id), component.key);
    if (!is_new) {
      context_.sink.report(diag::component_built_twice, context_.document[id].span, component.name)
          .with_label(first->second, "first use of this mapping; Distiller removes its `class` here")
          .with_help("copy the mapping, or merge it with `<<`");
    }
    return is_new;
  }

  // Reports a component without a class, or the field that names the class in other frameworks.
  void report_no_class(const Component& component) {
    static constexpr std::string_view kClass[] = {"class"};
    for (const Field& other : component.fields.fields) {
      const Word* word = find_word(Word::Place::field, "", other.name, kClass);
      if (word == nullptr) continue;
      context_.sink.report(diag::unknown_field, other.key, other.name, fmt::format("`{}`", component.name))
          .with_help(help_of(*word))
          .with_fix(diag::Fix::unsafe().content(other.key, "class"));
      return;
    }
    context_.sink.report(diag::missing_required, component.key, component.name, "class");
  }

  bool find_class_of(Component& component) {
    const Field* field = component.fields.find("class");
    if (field == nullptr) {
      report_no_class(component);
      return false;
    }
    const auto* name = field->value.get<std::string>();
    component.spec = name == nullptr ? nullptr : find_spec(component.section, *name);
    if (component.spec == nullptr) report_unknown_class(component, *field);
    return component.spec != nullptr;
  }

  // A class of the project replaces one of Distiller.
  const ClassSpec* find_spec(Section section, const std::string& name) const {
    const CustomClass* custom = context_.custom == nullptr ? nullptr : context_.custom->find(name);
    const ClassSpec* own = custom == nullptr ? nullptr : context_.custom->row(*custom, find_class, opaque_of(section));
    return own != nullptr ? own : find_class(name);
  }

  void report_unknown_class(const Component& component, const Field& field) {
    std::vector<std::string_view> known;
    for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
      for (const ClassSpec& spec : classes) {
        if (spec.section == class_section(component.section)) known.push_back(spec.name);
      }
    }
    const std::string name = source::python_str(field.value);
    const Meant meant = meant_by(Word::Place::type, "", name, known, "`sparsecfg explain modifiers` lists them all");
    context_.sink.report(diag::unknown_modifier, field.value.span, spec_of(component.section).kind, name)
        .with_help(meant.help)
        .with_fix(meant.fix(field.value.span));
  }

  // Returns the class of a section that has all fields of a component and requires no others, if a component has
  // several fields that its own class does not have, or one of them while it lacks a required field. Returns null if
  // there is not exactly one.
  [[nodiscard]] const ClassSpec* class_of_fields(const Component& component) const {
    const auto knows = [](const ClassSpec& spec, const Field& field) {
      return field.name == "class" || spec.find(field.name) != nullptr;
    };
    const auto fits = [&](const ClassSpec& spec) {
      const auto given = [&](const FieldSpec& row) { return !row.required || component.fields.find(row.name); };
      return spec.section == component.section && &spec != component.spec &&
             std::ranges::all_of(component.fields.fields, [&](const Field& field) { return knows(spec, field); }) &&
             std::ranges::all_of(spec.fields, given) && std::ranges::all_of(spec.common, given);
    };
    const auto unknown = std::ranges::count_if(component.fields.fields,
                                               [&](const Field& field) { return !knows(*component.spec, field); });
    const auto is_missing = [&](const FieldSpec& row) { return row.required && !component.fields.find(row.name); };
    const bool incomplete = std::ranges::any_of(component.spec->fields, is_missing);
    const ClassSpec* found = nullptr;
    for (const auto classes : {pruner_classes(), other_classes(), scheduler_classes()}) {
      for (const ClassSpec& spec : classes) {
        const bool fails = spec.kind == ClassKind::plateau && context_.flavor.fork == Fork::ai8x;  // AX101
        if (unknown < (incomplete ? 1 : 2) || fails || !fits(spec)) continue;
        if (found != nullptr) return nullptr;
        found = &spec;
      }
    }
    return found;
  }

  void report_other_class(Component& component, const ClassSpec& other) {
    const auto foreign = std::ranges::find_if(component.fields.fields, [&](const Field& field) {
      return field.name != "class" && component.spec->find(field.name) == nullptr;
    });
    context_.sink.report(diag::unknown_field, foreign->key, foreign->name, fmt::format("`{}`", component.spec->name))
        .with_help(fmt::format("write `class: {}`, which has all these fields", other.name))
        .with_fix(diag::Fix::unsafe().content(component.fields.key, std::string(other.name)));
    component.valid = false;
  }

  void check_arguments(Component& component, const SectionSpec& section) {
    component.fields.spec = component.spec;
    if (const ClassSpec* other = class_of_fields(component)) {
      report_other_class(component, *other);
      return;
    }
    check_fields(LoaderPolicy(context_, *component.spec, section), component.fields);
    component.valid &= component.fields.valid;
  }

  const Context& context_;
  Components out_;
  std::map<NodeId, Span> built_;
};

Components read_components(const Context& context) { return ComponentReader(context).read(); }

SectionNode section_of(const Context& context, std::string_view name) {
  const doc::Document& document = context.document;
  diag::Sink discarded;  // its findings are already reported
  for (const auto& [key, value, unused] : doc::entries(document, document.root, discarded)) {
    if (document[document.resolve(key)].text != name) continue;
    const doc::Node& node = document[document.resolve(value)];
    SectionNode out{document[key].span, node.span, {}};
    if (node.kind != doc::Kind::mapping) return out;
    for (const auto& [entry, content, rest] : doc::entries(document, value, discarded)) {
      out.last = document[entry].span;
    }
    return out;
  }
  return {};
}

}  // namespace sparsecfg::dialect::distiller
