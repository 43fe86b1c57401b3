#include "dialect/distiller/policy.h"

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/distiller/fixes.h"
#include "doc/construct.h"

namespace sparsecfg::dialect::distiller {

using doc::NodeId;

// What a policy is looked at for, in Distiller's order.
constexpr Section kKinds[] = {Section::pruners, Section::regularizers, Section::quantizers, Section::lr_schedulers,
                              Section::extensions};

double Policy::over() const {
  if (!lists) {
    return end.value;
  }
  return epochs.empty() ? 0 : std::ranges::max(epochs, {}, &source::Located<double>::value).value + 1;
}

std::vector<std::int64_t> Policy::active(std::size_t most) const {
  std::vector<std::int64_t> found;
  for (const auto& epoch : epochs) {
    if (epoch.value >= 0 && epoch.value == std::floor(epoch.value)) found.push_back(static_cast<std::int64_t>(epoch.value));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (double epoch = start.value; !lists && every.value > 0 && epoch < end.value && found.size() < most; epoch += every.value) {
    found.push_back(static_cast<std::int64_t>(epoch));
  }
  return found;
}

Span Policy::place_of_epochs() const { return lists ? entry.place_of("epochs") : start.span; }

// Python's int: a boolean counts as one.
static bool is_int(const Value& value) {
  return value.get<std::int64_t>() != nullptr || value.get<bool>() != nullptr || value.get<source::BigInt>() != nullptr;
}

class PolicyReader {
 public:
  PolicyReader(const Reading& reading, Components& components, NodeId id, int ordinal)
      : reading_(reading), components_(components), sink_(reading.sink), id_(id) {
    policy_.ordinal = ordinal;
  }

  Policy read() {
    const doc::Node& node = reading_.document[reading_.document.resolve(id_)];
    policy_.entry = {node.kind == doc::Kind::mapping ? read_fields(reading_, id_) : std::vector<Field>(), reading_.document[id_].span};
    policy_.sound = find_kind();
    if (policy_.sound) {
      policy_.sound = read_inner() && find_component();
      read_args();
      policy_.sound &= policy_.entry.find("epochs") != nullptr ? read_list() : read_range();
      report_strangers();
    }
    return std::move(policy_);
  }

 private:
  bool find_kind() {
    for (const Section section : kKinds) {
      const SectionSpec& spec = spec_of(section);
      const Field* field = policy_.entry.find(spec.kind);
      if (field != nullptr && policy_.kind == nullptr) {
        policy_.kind = &spec;
        policy_.place = field->key;
      } else if (field != nullptr) {
        sink_.report(diag::conflicting_policy_kinds, field->key, spec.kind, policy_.kind->kind)
            .with_label(policy_.place, "this is what the policy schedules")
            .with_fix(policy_of_its_own(policy_.entry, *field));
      }
    }
    if (policy_.kind == nullptr) {
      report_no_kind();
    }
    return policy_.kind != nullptr;
  }

  void report_no_kind() {
    std::vector<std::string_view> kinds;
    for (const SectionSpec& spec : sections()) {
      kinds.push_back(spec.kind);
    }
    auto& report = sink_.report(diag::policy_without_kind, policy_.entry.place)
                       .with_help("name a pruner, regularizer, quantizer, lr_scheduler or extension");
    for (const Field& field : policy_.entry.all) {
      if (const auto guess = base::nearest(field.name, kinds)) {
        report.with_help(fmt::format("did you mean `{}` where `{}` stands?", *guess, base::printable(field.name)))
            .with_fix(diag::Fix::unsafe().content(field.key, std::string(*guess)));
        return;
      }
    }
  }

  // The mapping below the kind.
  bool read_inner() {
    const Field& field = *policy_.entry.find(policy_.kind->kind);
    policy_.inner.place = field.key;
    const auto* map = field.value.get<source::Map>();
    if (map != nullptr) {
      policy_.inner.all = fields_of(*map);
      return true;
    }
    if (field.value.is_null()) {
      sink_.report(diag::null_section, field.key, field.name, "has no value").with_help("put `instance_name` below it");
    } else {
      sink_.report(diag::wrong_type, field.value.span, field.name, "a mapping with an `instance_name`", source::describe(field.value));
    }
    return false;
  }

  static std::vector<Field> fields_of(const source::Map& map) {
    std::vector<Field> fields;
    for (const auto& [key, value] : map) {
      const auto* text = key.get<std::string>();
      fields.push_back({text != nullptr ? *text : source::python_str(key), key.span, value});
    }
    return fields;
  }

  bool find_component() {
    const Field* field = policy_.inner.find("instance_name");
    if (field == nullptr) {
      sink_.report(diag::missing_required, policy_.inner.place, policy_.kind->kind, "instance_name");
      return false;
    }
    const auto* text = field->value.get<std::string>();
    const std::string name = text != nullptr ? *text : source::python_str(field->value);
    policy_.component = components_.find(policy_.kind->section, name);
    if (policy_.component == nullptr) {
      if (components_.told) report_undefined(*field, name);
      return false;
    }
    policy_.component->used = true;
    return true;
  }

  void report_undefined(const Field& field, const std::string& name) {
    std::vector<std::string_view> known;
    const Component* elsewhere = nullptr;
    for (const Component& component : components_.all) {
      if (component.section == policy_.kind->section) known.push_back(component.name);
      if (component.name == name) elsewhere = &component;
    }
    auto& report = sink_.report(diag::undefined_instance, field.value.span, base::printable(name), policy_.kind->name);
    if (elsewhere != nullptr) {
      report.with_label(elsewhere->key, fmt::format("this one is in `{}`", spec_of(elsewhere->section).name));
    } else if (const auto guess = base::nearest(name, known)) {
      report.with_help(fmt::format("did you mean `{}`?", base::printable(*guess)))
          .with_fix(diag::Fix::unsafe().content(field.value.span, std::string(*guess)));
    }
  }

  void read_args() {
    const Field* field = policy_.inner.find("args");
    const bool takes = policy_.kind->section == Section::pruners || policy_.kind->section == Section::regularizers;
    if (field == nullptr || field->value.is_null() || !takes) {
      return;
    }
    policy_.args.place = field->key;
    if (const auto* map = field->value.get<source::Map>()) {
      policy_.args.all = fields_of(*map);
      return;
    }
    policy_.sound = false;
    sink_.report(diag::wrong_type, field->value.span, "args", "a mapping", source::describe(field->value));
  }

  // --- epochs -----------------------------------------------------------------------------------

  bool read_list() {
    policy_.lists = true;
    const Field& field = *policy_.entry.find("epochs");
    const auto* given = std::ranges::find_if(kRange, [&](std::string_view name) { return policy_.entry.find(name) != nullptr; });
    if (given != std::end(kRange)) {
      sink_.report(diag::epochs_and_range, policy_.entry.find(*given)->key, *given)
          .with_label(field.key, "this list alone counts")
          .with_fix(without_range(policy_.entry));
    }
    const auto* list = field.value.get<source::List>();
    if (list == nullptr || list->empty()) {
      sink_.report(diag::wrong_type, field.value.span, "epochs", "a list of epochs",
                   list == nullptr ? source::describe(field.value) : "an empty one");
      return false;
    }
    bool sound = true;
    for (const Value& item : *list) {
      sound &= read_listed(item);
    }
    check_order();
    return sound;
  }

  bool read_listed(const Value& item) {
    const auto epoch = item.number();
    if (!epoch) {
      sink_.report(diag::wrong_type, item.span, "epochs", "a list of ints", fmt::format("a list with {}", source::describe(item)));
      return false;
    }
    if (*epoch < 0 || *epoch != std::floor(*epoch)) {
      sink_.report(diag::epochs_unsorted, item.span, fmt::format("the epoch {} never comes", source::python_str(item)));
    }
    policy_.epochs.push_back({*epoch, item.span});
    return true;
  }

  void check_order() {
    for (std::size_t at = 1; at < policy_.epochs.size(); ++at) {
      const double before = policy_.epochs[at - 1].value;
      const double epoch = policy_.epochs[at].value;
      if (epoch <= before) {
        sink_
            .report(diag::epochs_unsorted, policy_.epochs[at].span,
                    epoch == before ? fmt::format("epoch {} is listed twice", epoch)
                                    : fmt::format("epoch {} stands after {}", epoch, before))
            .with_fix(ascending(policy_.epochs));
        return;
      }
    }
  }

  bool read_range() {
    if (is_too_deep()) {
      return false;
    }
    bool sound = true;
    for (const std::string_view name : kRange) {
      sound &= read_epoch(name);
    }
    return sound && check_range();
  }

  // Epochs that stand below the kind, as the documentation of quantizers shows them, are not seen.
  bool is_too_deep() {
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
      report.with_label(field->key, "not looked for here");
    }
    report.with_help(fmt::format("indent it like `{}`", policy_.kind->kind));
    return true;
  }

  // An int; booleans count as ints.
  bool read_epoch(std::string_view name) {
    const Field* field = policy_.entry.find(name);
    if (field == nullptr) {
      report_missing(name);
      return false;
    }
    if (!is_int(field->value) || !field->value.number()) {
      sink_.report(diag::wrong_type, field->value.span, name, "an int", source::describe(field->value))
          .with_fix(as_int(field->value));
      return false;
    }
    auto& epoch = name == "starting_epoch" ? policy_.start : name == "ending_epoch" ? policy_.end : policy_.every;
    epoch = {*field->value.number(), field->value.span};
    return true;
  }

  void report_missing(std::string_view name) {
    const Field* end = policy_.entry.find("ending_epoch");
    sink_.report(diag::missing_required, policy_.place, "policy", name)
        .with_fix(name == "frequency" && end != nullptr ? diag::Fix::safe().add_entry(end->key, "frequency: 1")
                                                        : diag::Fix())
        .with_help(name == "frequency" ? "there is no default; write `frequency: 1`" : "or list the active `epochs`");
  }

  // 0 <= start < end and 0 < frequency <= end - start.
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
          .with_label(start.span, "the start")
          .with_fix(end.value < start.value ? diag::Fix::unsafe().swap(start.span, end.span) : diag::Fix());
    } else if (every.value <= 0) {
      sink_.report(diag::frequency_means_every_step, every.span, "frequency", fmt::format("{}", every.value), "is not above 0")
          .with_severity(diag::Severity::error);
    } else if (every.value > end.value - start.value) {
      sink_.report(diag::frequency_longer_than_window, every.span, "frequency", fmt::format("{}", every.value),
                   fmt::format("{}", end.value - start.value))
          .with_severity(diag::Severity::error)
          .with_label(end.span, "the end");
    } else {
      return true;
    }
    return false;
  }

  // Keys that nobody looks at.
  void report_strangers() {
    for (const Field& field : policy_.entry.all) {
      const bool known = field.name == "epochs" || std::ranges::find(kRange, field.name) != std::end(kRange) ||
                         std::ranges::any_of(sections(), [&](const SectionSpec& spec) { return spec.kind == field.name; });
      if (!known) {
        sink_.report(diag::unknown_field, field.key, base::printable(field.name), "a policy")
            .with_help(field.name == "args" ? fmt::format("it belongs below `{}`", policy_.kind->kind) : "delete it");
      }
    }
    const bool takes = policy_.kind->section == Section::pruners || policy_.kind->section == Section::regularizers;
    for (const Field& field : policy_.inner.all) {
      const bool misplaced = std::ranges::find(kRange, field.name) != std::end(kRange);
      const bool known = field.name == "instance_name" || (field.name == "args" && takes);
      if (!known && !(misplaced && policy_.entry.find(field.name) == nullptr)) {
        sink_.report(diag::unknown_field, field.key, base::printable(field.name), fmt::format("a policy's `{}`", policy_.kind->kind))
            .with_help("delete it");
      }
    }
  }

  const Reading& reading_;
  Components& components_;
  diag::Sink& sink_;
  NodeId id_;
  Policy policy_;
};

std::vector<Policy> read_policies(const Reading& reading, Components& components) {
  std::vector<Policy> policies;
  for (const auto& [key, value] : doc::entries(reading.document, reading.document.root, reading.sink)) {
    const doc::Node& name = reading.document[reading.document.resolve(key)];
    const doc::Node& node = reading.document[reading.document.resolve(value)];
    if (name.text != "policies") {
      continue;
    }
    if (node.kind == doc::Kind::sequence) {
      for (const NodeId item : node.items) {
        policies.push_back(PolicyReader(reading, components, item, static_cast<int>(policies.size()) + 1).read());
      }
      return policies;
    }
    const Value found = doc::construct(reading.document, value, reading.sink);
    if (found.is_null()) {
      reading.sink.report(diag::null_section, reading.document[key].span, "policies", "has no value")
          .with_help("an empty list is `policies: []`");
    } else {
      reading.sink.report(diag::wrong_type, node.kind == doc::Kind::scalar ? found.span : reading.document[key].span, "policies",
                          "a list of policies", source::describe(found));
    }
    return policies;
  }
  reading.sink.report(diag::empty_recipe, {}, "this schedule has no `policies`").with_help("Distiller loads none without a list of them");
  return policies;
}

}  // namespace sparsecfg::dialect::distiller
