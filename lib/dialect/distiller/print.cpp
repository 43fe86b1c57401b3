#include "dialect/distiller/print.h"

#include "emit/node.h"

namespace sparsecfg::dialect::distiller {

using emit::Mapping;
using emit::Node;
using source::Value;

Value word(std::string_view text) { return {std::string(text), {}}; }

static Node mapping_of(const source::Map& fields) { return emit::node_of(Value{fields, {}}); }

static Node section_of(Section section, const std::vector<ComponentDraft>& components) {
  Mapping instances;
  for (const ComponentDraft& component : components) {
    if (component.section == section) {
      Node fields = mapping_of(component.arguments);
      auto& pairs = std::get<Mapping>(fields.data);
      pairs.insert(pairs.begin(), {emit::text("class"), emit::text(component.class_name)});
      instances.push_back({emit::text(component.name), std::move(fields)});
    }
  }
  return {std::move(instances)};
}

static Node node_of(const PolicyDraft& policy) {
  Mapping inner{{emit::text("instance_name"), emit::text(policy.name)}};
  if (!policy.arguments.is_null()) {
    inner.push_back({emit::text("args"), emit::node_of(policy.arguments)});
  }
  Node node = mapping_of(policy.epochs);
  auto& pairs = std::get<Mapping>(node.data);
  pairs.insert(pairs.begin(), {emit::text(spec_of(policy.section).kind), {std::move(inner)}});
  return node;
}

std::string print(const std::vector<ComponentDraft>& components, const std::vector<PolicyDraft>& policies) {
  Mapping root{{emit::text("version"), emit::node_of(Value{std::int64_t{1}, {}})}};
  for (const SectionSpec& section : sections(Fork::ai8x)) {
    Node instances = section_of(section.section, components);
    if (!std::get<Mapping>(instances.data).empty()) {
      root.push_back({emit::text(section.name), std::move(instances)});
    }
  }
  emit::Sequence list;
  for (const PolicyDraft& policy : policies) {
    list.push_back(node_of(policy));
  }
  root.push_back({emit::text("policies"), {std::move(list)}});
  return emit::to_yaml({std::move(root)}).value_or("");
}

}  // namespace sparsecfg::dialect::distiller
