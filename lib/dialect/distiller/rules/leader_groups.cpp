#include "dialect/distiller/rules/leader_groups.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::distiller {

using source::List;
using source::Map;

std::string unused_name(const source::SourceFile& file, const std::string& name) {
  std::string out = name;
  for (int number = 2; file.text().find(out) != std::string_view::npos; ++number) {
    out = fmt::format("{}_{}", name, number);
  }
  return out;
}

static Value names_value(const std::vector<std::string>& names) {
  List list;
  for (const std::string& name : names) list.push_back(text_value(name));
  return {std::move(list), {}};
}

static Map map_of(const Record& record, std::string_view key, const Value& replacement) {
  Map out;
  for (const Field& field : record.fields)
    out.emplace_back(text_value(field.name), field.name == key ? replacement : field.value);
  return out;
}

static Value policy_for(const Policy& policy, const std::string& name) {
  const Value inner{map_of(policy.inner, "instance_name", text_value(name)), {}};
  return {map_of(policy.entry, policy.kind->kind, inner), {}};
}

namespace {

// The texts of the help line and the fix.
struct Parts {
  std::vector<std::string> pruners;
  std::vector<std::string> policies;
  diag::Fix fix = diag::Fix::unsafe();
};

}  // namespace

static void add_group(Parts& parts, const Component& pruner, const LeaderGroup& group,
                      const std::vector<Policy>& policies, source::Span list, const Context& context) {
  const std::string name = unused_name(context.file, fmt::format("{}_{}", pruner.name, group.structures));
  const Value settings{map_of(pruner.fields, "weights", names_value(group.names)), {}};
  const std::string written = fmt::format("{}: {}", name, flow_text(settings));
  parts.pruners.push_back(fmt::format("`{}`", written));
  parts.fix.add_entry(pruner.key, written);
  for (const Policy& policy : policies) {
    if (policy.component != &pruner || policy.kind == nullptr) continue;
    const std::string entry = flow_text(policy_for(policy, name));
    parts.policies.push_back(fmt::format("`{}`", entry));
    parts.fix.append(list, entry);
  }
}

void offer_groups(diag::Diagnostic& report, const Component& pruner, const std::vector<LeaderGroup>& groups,
                  const std::vector<Policy>& policies, const Context& context) {
  const Field* weights = pruner.fields.readable("weights");
  if (weights == nullptr || weights->value.get<List>() == nullptr || groups.size() < 2) {
    report.with_help("give each number of structures a pruner and a policy of its own");
    return;
  }
  Parts parts;
  const std::string first = flow_text(names_value(groups.front().names));
  parts.fix.replace(weights->value.span, first);
  const source::Span list = section_of(context, "policies").value;
  for (std::size_t at = 1; at < groups.size(); ++at) add_group(parts, pruner, groups[at], policies, list, context);
  report
      .with_help(fmt::format("write `weights: {}` here, and add the {} {} with the {} {}", first,
                             parts.pruners.size() == 1 ? "pruner" : "pruners", base::join_and(parts.pruners),
                             parts.policies.size() == 1 ? "policy" : "policies", base::join_and(parts.policies)))
      .with_fix(std::move(parts.fix));
}

}  // namespace sparsecfg::dialect::distiller
