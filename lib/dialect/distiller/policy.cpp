#include "dialect/distiller/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "diag/rule.h"
#include "dialect/distiller/codes.h"
#include "dialect/distiller/fixes.h"
#include "dialect/record/check.h"
#include "doc/construct.h"
#include "ir/trigger.h"

namespace sparsecfg::dialect::distiller {

using doc::NodeId;

// The kinds of components that a policy can name, in the order in which Distiller looks for them.
constexpr Section kKinds[] = {Section::pruners,       Section::regularizers,       Section::quantizers,
                              Section::lr_schedulers, Section::loss_lr_schedulers, Section::extensions};

double Policy::over() const {
  if (!lists) {
    return end.value;
  }
  return epochs.empty() ? 0 : std::ranges::max(epochs, {}, &source::Located<double>::value).value + 1;
}

ir::Cadence Policy::cadence() const {
  ir::Cadence cadence;
  ir::WholeEpochs rhythm;
  cadence.start = start;
  cadence.end = end;
  if (lists) {
    const auto earliest = std::ranges::min_element(epochs, {}, &source::Located<double>::value);
    const Span written = place_of_epochs();
    cadence.start = earliest == epochs.end() ? source::Located<double>{0, written} : *earliest;
    cadence.end = {over(), written};
    rhythm.listed = epochs;
  } else {
    rhythm.every = every;
  }
  rhythm.skips_first = args.skip_first_minibatch;
  rhythm.within = base::whole_part(args.mini_batch_pruning_frequency.value_or(0));
  cadence.rhythm = std::move(rhythm);
  return cadence;
}

std::vector<std::int64_t> Policy::active(std::size_t max) const {
  std::vector<std::int64_t> found;
  ir::Epochs rest(cadence());
  while (found.size() < max && rest.peek() != ir::kNever) {
    found.push_back(static_cast<std::int64_t>(rest.next()));
  }
  return found;
}

Span Policy::place_of_epochs() const { return lists ? entry.place("epochs") : start.span; }

// The components by section and name, because a schedule can have as many policies as components.
class ComponentIndex {
 public:
  explicit ComponentIndex(Components& components) : components_(components) {
    for (Component& each : components.all) by_name_.emplace(std::pair(each.section, each.name), &each);
  }

  // Returns the first component of this name, or null.
  [[nodiscard]] Component* find(Section section, const std::string& name) const {
    const auto found = by_name_.find({section, name});
    return found == by_name_.end() ? nullptr : found->second;
  }

  [[nodiscard]] const Components& all() const { return components_; }

 private:
  Components& components_;
  std::map<std::pair<Section, std::string>, Component*> by_name_;
};

DIAGNOSTIC(SP111, conflicting_policy_kinds, silent_error, (Text, Text),
           "`{}` is ignored because the policy also has `{}`",
           "A Distiller policy schedules one component: the first of pruner, regularizer, quantizer, lr_scheduler and "
           "extension. The others are silently dropped.",
           "write a separate policy for `{0}`")

DIAGNOSTIC(SP112, undefined_instance, error, (Text, Text), "instance `{}` is not defined in `{}`",
           "A policy refers to an instance of the section that matches its kind. Distiller stops with an error if the "
           "section does not define it. An instance of the same name in another section is not used.",
           "define `{0}` in `{1}`, or use the name of an instance defined there")

DIAGNOSTIC(SP121, policy_without_kind, error, (), "this policy schedules no component",
           "A Distiller policy has one of the keys pruner, regularizer, quantizer, lr_scheduler and extension, with "
           "an `instance_name` below it. Distiller rejects a schedule with any other policy.",
           "add a `pruner`, `regularizer`, `quantizer`, `lr_scheduler` or `extension` with its `instance_name`")

class PolicyReader {
 public:
  PolicyReader(const Context& context, const ComponentIndex& components, NodeId id, int ordinal)
      : context_(context), components_(components), sink_(context.sink), names_(context.sink), id_(id) {
    policy_.ordinal = ordinal;
  }

  Policy read() {
    const doc::Node& node = context_.document[context_.document.resolve(id_)];
    policy_.entry.key = context_.document[id_].span;
    if (node.kind == doc::Kind::mapping) policy_.entry.fields = read_fields(context_, id_);
    policy_.valid = find_kind();
    skipped_ = policy_.valid && policy_.kind->section == Section::loss_lr_schedulers && find_skipped();
    if (policy_.valid && !skipped_) {
      const bool inner = read_inner();
      report_unknown_names();
      policy_.valid = inner && find_component();
      read_args();
      policy_.valid &= read_epochs(policy_, names_, sink_);
    }
    return std::move(policy_);
  }

  // Returns true if the loader skips the policy.
  [[nodiscard]] bool is_skipped() const { return skipped_; }

 private:
  // A loss scheduler is only looked up with `--dr`, and an undefined one is not an error.
  bool find_skipped() {
    const Value* name = policy_.entry.find(policy_.kind->kind)->value.find("instance_name");
    const std::string text = name == nullptr ? "" : source::python_str(*name);
    const bool undefined = name != nullptr && components_.find(policy_.kind->section, text) == nullptr;
    if (undefined && context_.flavor.loss_rates) {
      report_undefined(name->span, text).with_severity(diag::Severity::warning);
    }
    return undefined || !context_.flavor.loss_rates;
  }

  bool find_kind() {
    for (const Section section : kKinds) {
      const SectionSpec& spec = spec_of(section);
      const Field* field = policy_.entry.find(spec.kind);
      const bool known = section != Section::loss_lr_schedulers || context_.is_ai8x();
      if (field != nullptr && policy_.kind == nullptr && known) {
        policy_.kind = &spec;
        policy_.place = field->key;
      } else if (field != nullptr && policy_.kind != nullptr) {
        sink_.report(diag::conflicting_policy_kinds, field->key, spec.kind, policy_.kind->kind)
            .with_severity(concerns_losses(spec) ? diag::Severity::warning : diag::Severity::error)
            .with_label(policy_.place, "the policy schedules this key")
            .with_fix(is_defined(section, *field) ? split_policy(policy_.entry, *field) : diag::Fix());
      }
    }
    if (policy_.kind == nullptr) {
      report_no_kind();
    }
    return policy_.kind != nullptr;
  }

  // A conflict with a loss scheduler is harmless without `--dr`, because the scheduler then never runs.
  bool concerns_losses(const SectionSpec& other) const {
    return other.section == Section::loss_lr_schedulers || policy_.kind->section == Section::loss_lr_schedulers;
  }

  bool is_defined(Section section, const Field& kind) const {
    const Value* name = kind.value.find("instance_name");
    const auto* text = name == nullptr ? nullptr : name->get<std::string>();
    return text != nullptr && components_.find(section, *text) != nullptr;
  }

  void report_no_kind() {
    std::vector<std::string_view> kinds;
    for (const SectionSpec& spec : sections(context_.flavor.fork)) {
      kinds.push_back(spec.kind);
    }
    auto& report = sink_.report(diag::policy_without_kind, policy_.entry.key)
                       .with_help("add `pruner`, `regularizer`, `quantizer`, `lr_scheduler` or `extension`");
    if (policy_.entry.find("loss_lr_scheduler") != nullptr) {
      report.with_help("pass `--distiller ai8x` if ai8x-training runs this schedule");
      return;
    }
    for (const Field& field : policy_.entry.fields) {
      if (const auto guess = base::nearest(field.name, kinds)) {
        report.with_help(fmt::format("did you mean `{}` instead of `{}`?", *guess, field.name))
            .with_fix(diag::Fix::unsafe().content(field.key, std::string(*guess)));
        return;
      }
    }
  }

  // Reads the mapping under the kind.
  bool read_inner() {
    const Field& field = *policy_.entry.find(policy_.kind->kind);
    policy_.inner.key = field.key;
    const auto* map = field.value.get<source::Map>();
    if (map != nullptr) {
      policy_.inner.fields = fields_of(*map);
      return true;
    }
    if (field.value.is_null()) {
      report_empty_kind(field);
    } else {
      auto& report = sink_.report(diag::wrong_type, field.value.span, field.name, "a mapping with an `instance_name`",
                                  source::describe(field.value));
      if (const auto* name = field.value.get<std::string>()) {
        const std::string text = fmt::format("{{instance_name: {}}}", *name);
        report.with_help(fmt::format("write `{}: {}`", field.name, text))
            .with_fix(diag::Fix::unsafe().replace(field.value.span, text));
      }
    }
    return false;
  }

  // The usual cause is an `instance_name` that is not indented enough.
  void report_empty_kind(const Field& field) {
    auto& report = sink_.report(diag::null_section, field.key, field.name, "has no value");
    const Field* dedented = policy_.entry.find("instance_name");
    if (dedented == nullptr) {
      report.with_help("add an indented `instance_name` below this key");
      return;
    }
    report.with_label(dedented->key, "not indented below the key")
        .with_help(fmt::format("indent `instance_name: {}` deeper than `{}`", source::python_str(dedented->value),
                               field.name));
  }

  bool find_component() {
    const Field* field = policy_.inner.find("instance_name");
    if (field == nullptr) {
      if (!names_.suggested("instance_name")) {
        sink_.report(diag::missing_required, policy_.inner.key, policy_.kind->kind, "instance_name");
      }
      return false;
    }
    const std::string name = source::python_str(field->value);
    policy_.component = components_.find(policy_.kind->section, name);
    if (policy_.component == nullptr) {
      if (components_.all().detected) report_undefined(field->value.span, name);
      return false;
    }
    policy_.component->used = true;
    return true;
  }

  diag::Diagnostic& report_undefined(Span place, const std::string& name) {
    std::vector<std::string_view> known;
    const Component* elsewhere = nullptr;
    // A finding that is only counted needs no advice, whose search compares the name with all components.
    const bool advised = sink_.wants(diag::undefined_instance);
    for (const Component& component : advised ? std::span(components_.all().all) : std::span<const Component>()) {
      if (component.section == policy_.kind->section) known.push_back(component.name);
      if (component.name == name) elsewhere = &component;
    }
    auto& report = sink_.report(diag::undefined_instance, place, name, policy_.kind->name);
    if (elsewhere != nullptr) {
      report.with_label(elsewhere->key, fmt::format("defined in `{}` instead", spec_of(elsewhere->section).name));
    } else if (const auto guess = base::nearest(name, known)) {
      report.with_help(base::did_you_mean(guess)).with_fix(diag::Fix::unsafe().content(place, std::string(*guess)));
    } else if (known.size() == 1) {
      report.with_help(fmt::format("write `{}`, the only instance in `{}`", known.front(), policy_.kind->name))
          .with_fix(diag::Fix::unsafe().content(place, std::string(known.front())));
    } else if (!known.empty()) {
      constexpr std::size_t kMaxListed = 8;
      known.resize(std::min(known.size(), kMaxListed));
      report.with_help(fmt::format("use one of `{}`", fmt::join(known, "`, `")));
    }
    return report;
  }

  void read_args() {
    const Field* field = policy_.inner.find(kArguments);
    const bool matches = policy_.kind->section == Section::pruners || policy_.kind->section == Section::regularizers;
    if (field == nullptr || field->value.is_null() || !matches) {
      return;
    }
    policy_.args = run_arguments(field->key, field->value);
    if (field->value.get<source::Map>() != nullptr) return;
    policy_.valid = false;
    sink_.report(diag::wrong_type, field->value.span, "args", "a mapping", source::describe(field->value));
  }

  // Returns the epoch keys that the policy lacks: those of a range, and `epochs` if all of these are missing.
  std::vector<std::string_view> absent_epochs() const {
    std::vector<std::string_view> absent;
    if (policy_.entry.find("epochs") == nullptr) {
      std::ranges::copy_if(kRange, std::back_inserter(absent),
                           [&](std::string_view name) { return policy_.entry.find(name) == nullptr; });
      if (absent.size() == std::size(kRange)) absent.push_back("epochs");
    }
    return absent;
  }

  // Reports keys that Distiller ignores.
  void report_unknown_names() {
    for (const Field& field : policy_.entry.fields) {
      const bool known =
          field.name == "epochs" || std::ranges::find(kRange, field.name) != std::end(kRange) ||
          std::ranges::any_of(sections(Fork::ai8x), [&](const SectionSpec& spec) { return spec.kind == field.name; });
      const bool dedented = field.name == "instance_name" && policy_.inner.fields.empty();
      if (!known && !dedented) {
        names_.report_unknown(
            {field.key, field.name, "a policy", absent_epochs(),
             field.name == "args" ? fmt::format("move `args` into `{}`", policy_.kind->kind) : "delete it"});
      }
    }
    const bool matches = policy_.kind->section == Section::pruners || policy_.kind->section == Section::regularizers;
    for (const Field& field : policy_.inner.fields) {
      const bool misplaced = std::ranges::find(kRange, field.name) != std::end(kRange);
      const bool known = field.name == "instance_name" || (field.name == "args" && matches);
      if (!known && !(misplaced && policy_.entry.find(field.name) == nullptr)) {
        std::vector<std::string_view> absent;
        if (policy_.inner.find("instance_name") == nullptr) absent.push_back("instance_name");
        if (matches && policy_.inner.find(kArguments) == nullptr) absent.push_back("args");
        names_.report_unknown(
            {field.key, field.name, fmt::format("a policy's `{}`", policy_.kind->kind), absent, "delete it"});
      }
    }
  }

  const Context& context_;
  const ComponentIndex& components_;
  diag::Sink& sink_;
  FieldNames names_;
  NodeId id_;
  Policy policy_;
  bool skipped_ = false;
};

std::vector<Policy> read_policies(const Context& context, Components& components, bool complete) {
  std::vector<Policy> policies;
  const ComponentIndex index(components);
  int ordinal = 1;
  for (const auto& [key, value, unused] : doc::entries(context.document, context.document.root, context.sink)) {
    const doc::Node& name = context.document[context.document.resolve(key)];
    const doc::Node& node = context.document[context.document.resolve(value)];
    if (name.text != "policies") {
      continue;
    }
    if (node.kind == doc::Kind::sequence) {
      for (const NodeId item : node.items) {
        PolicyReader reader(context, index, item, ordinal++);
        Policy policy = reader.read();
        if (!reader.is_skipped()) policies.push_back(std::move(policy));
      }
      return policies;
    }
    const Value found = doc::construct(context.document, value, context.sink);
    if (found.is_null()) {
      context.sink.report(diag::null_section, context.document[key].span, "policies", "has no value")
          .with_help("write `policies: []` for an empty list");
    } else {
      context.sink.report(diag::wrong_type, node.kind == doc::Kind::scalar ? found.span : context.document[key].span,
                          "policies", "a list of policies", source::describe(found));
    }
    return policies;
  }
  if (complete) {
    context.sink.report(diag::empty_recipe, {}, "this schedule has no `policies`")
        .with_help("add a list of policies, or `policies: []`");
  }
  return policies;
}

}  // namespace sparsecfg::dialect::distiller
