#include "dialect/compressed_tensors/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dialect/schemes/assigned.h"
#include "dialect/schemes/targets.h"

namespace sparsecfg::dialect::compressed_tensors {

using source::Span;
using source::Value;

namespace {

constexpr std::string_view kVersion = "0.18.1";  // of the library whose output this is

Value placed_text(std::string_view text, Span span = {}) { return {std::string(text), span}; }

void add_field(source::Map& map, std::string_view key, Value value) {
  map.emplace_back(placed_text(key), std::move(value));
}

// Classes of routers count as Linear when the library lists the modules that it has not quantized.
std::string_view listed_class(std::string_view type) {
  const auto has = [&](std::string_view part) { return type.find(part) != std::string_view::npos; };
  return !has("ExpertMLP") && (has("Router") || has("Gate") || has("Gating")) ? "Linear" : type;
}

// A group of a recipe with its place.
struct PlacedGroup {
  std::string name;   // in the file, if the modules are unknown
  std::string shown;  // in the recipe: the same, or a preset
  Span span;
  Value group;
};

Span or_else(Span span, Span other) { return span.empty() ? other : span; }

// Returns the place of the group at an index: its name, its preset, or the action.
Span place_of(const ir::Origin& origin, std::size_t at, const Value& name) {
  const ir::OriginField* scheme = origin.find("scheme");
  const auto* presets = scheme == nullptr ? nullptr : scheme->value.get<source::Map>();
  if (presets != nullptr && at < presets->size()) return or_else((*presets)[at].first.span, origin.span);
  if (scheme != nullptr && !scheme->value.is_null()) return or_else(scheme->value.span, origin.span);
  return or_else(name.span, origin.span);
}

// Returns the name of the group at an index in the recipe.
std::string name_of(const ir::Origin& origin, std::size_t at, const Value& name) {
  const ir::OriginField* scheme = origin.find("scheme");
  const auto* presets = scheme == nullptr ? nullptr : scheme->value.get<source::Map>();
  const auto* preset = scheme == nullptr ? nullptr : scheme->value.get<std::string>();
  if (presets != nullptr && at < presets->size()) return source::python_str((*presets)[at].first);
  return preset != nullptr ? *preset : source::python_str(name);
}

// Gives targets without a place that of their group, such as the default targets.
Value with_places(Value group, Span span) {
  for (source::Entry& field : std::get<source::Map>(group.data)) {
    auto* targets = std::get_if<source::List>(&field.second.data);
    if (targets == nullptr || field.first != placed_text("targets")) continue;
    for (Value& target : *targets) target.span = or_else(target.span, span);
  }
  return group;
}

std::vector<PlacedGroup> groups_of(const ir::Origin& origin) {
  std::vector<PlacedGroup> out;
  const source::Map groups = schemes::groups_of(origin);
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const auto& [name, group] = groups[at];
    const Span span = place_of(origin, at, name);
    out.push_back({source::python_str(name), name_of(origin, at, name), span, with_places(group, span)});
  }
  return out;
}

class ResultBuilder {
 public:
  ResultBuilder(const ir::Recipe& recipe, const Modules* modules, bool keeps_names)
      : recipe_(recipe), modules_(modules), keeps_names_(keeps_names) {
    for (const ir::Action& action : recipe.actions) {
      if (assigns_schemes(action)) quantizers_.push_back(&action);
    }
  }

  source::Map run() { return modules_ == nullptr ? without_model() : of_model(); }

 private:
  source::Map of_model() {
    const schemes::Assignment assignment = schemes::assign(recipe_, *modules_);
    if (!assignment.complete) {
      return without_model();
    }
    std::vector<PlacedGroup> all;
    for (const ir::Action* action : quantizers_) std::ranges::move(groups_of(action->origin), std::back_inserter(all));
    source::Map groups;
    for (std::size_t at = 0; at < assignment.groups.size(); ++at) {
      const auto from = std::ranges::find(all, assignment.groups[at], &PlacedGroup::group);
      const bool known = from != all.end();
      const std::string name = known && keeps_names_ ? from->shown : fmt::format("group_{}", at);
      add_group(groups, placed_text(name, known ? from->span : Span{}), known ? from->group : assignment.groups[at]);
    }
    return fields(std::move(groups), ignored(assignment), with_place(assignment.cache));
  }

  // Keeps the groups and ignored names of the recipe.
  source::Map without_model() {
    source::Map groups;
    source::List ignore;
    Value cache;
    for (const ir::Action* action : quantizers_) {
      for (const PlacedGroup& each : groups_of(action->origin)) {
        const bool known = std::ranges::any_of(
            groups, [&](const source::Entry& entry) { return entry.first == placed_text(each.name); });
        const std::string name = known ? fmt::format("group_{}", groups.size()) : each.name;
        add_group(groups, placed_text(keeps_names_ ? each.shown : name, each.span), each.group);
      }
      for (const Entry& entry : schemes::entries_of(schemes::ignored_by(action->origin))) {
        if (std::ranges::find(ignore, placed_text(entry.text)) == ignore.end())
          ignore.push_back(placed_text(entry.text, entry.span));
      }
      const ir::OriginField* scheme = action->origin.find("kv_cache_scheme");
      if (scheme != nullptr && !scheme->value.is_null()) cache = schemes::complete(scheme->value);
    }
    return fields(std::move(groups), {std::move(ignore), {}}, with_place(std::move(cache)));
  }

  Value with_place(Value cache) const {
    for (const ir::Action* action : quantizers_) {
      const ir::OriginField* scheme = action->origin.find("kv_cache_scheme");
      if (scheme != nullptr && !scheme->value.is_null()) cache.span = or_else(scheme->value.span, action->origin.span);
    }
    return cache;
  }

  void add_group(source::Map& groups, Value name, const Value& group) {
    source::Map written = *group.get<source::Map>();
    if (written.front().second.is_null()) written.front().second = placed_text(schemes::inferred_format(group));
    const auto* format = written.front().second.get<std::string>();
    if (format != nullptr && *format != "dense") formats_.insert(*format);
    groups.emplace_back(std::move(name), Value{std::move(written), {}});
  }

  // Returns the entry of the recipe that ignores a module, or the action.
  [[nodiscard]] Span place_of_ignored(const model::Module& module) {
    if (ignoring_.empty()) {
      for (const ir::Action* action : quantizers_) {
        for (const Entry& entry : schemes::entries_of(schemes::ignored_by(action->origin))) {
          if (!schemes::fault_of(entry.text)) ignoring_.emplace_back(schemes::matcher_of(entry.text), entry.span);
        }
      }
      ignoring_.emplace_back(schemes::matcher_of("Module"),
                             quantizers_.empty() ? Span{} : quantizers_.back()->origin.span);
    }
    return std::ranges::find_if(ignoring_, [&](const auto& each) { return each.first.takes(module); })->second;
  }

  // Lists the modules without a group whose class has one elsewhere, class by class.
  Value ignored(const schemes::Assignment& assignment) {
    std::set<std::string_view> quantized;
    std::vector<std::string_view> classes;
    for (std::size_t at = 0; at < modules_->size(); ++at) {
      const std::string_view type = listed_class((*modules_)[at].type);
      if (assignment.groups_of_modules[at]) {
        quantized.insert(type);
      } else if (std::ranges::find(classes, type) == classes.end()) {
        classes.push_back(type);
      }
    }
    source::List out;
    for (const std::string_view type : classes) {
      for (std::size_t at = 0; quantized.contains(type) && at < modules_->size(); ++at) {
        const model::Module& module = (*modules_)[at];
        if (assignment.groups_of_modules[at] || listed_class(module.type) != type) continue;
        out.push_back(placed_text(module.name, place_of_ignored(module)));
      }
    }
    return {std::move(out), {}};
  }

  source::Map fields(source::Map groups, Value ignore, Value cache) const {
    source::Map out;
    const std::string_view format = formats_.empty()       ? "dense"
                                    : formats_.size() == 1 ? std::string_view(*formats_.begin())
                                                           : "mixed-precision";
    add_field(out, "config_groups", {std::move(groups), {}});
    add_field(out, "format", placed_text(format));
    add_field(out, "global_compression_ratio", {});
    add_field(out, "ignore", std::move(ignore));
    add_field(out, "kv_cache_scheme", std::move(cache));
    add_field(out, "quant_method", placed_text("compressed-tensors"));
    add_field(out, "quantization_status", placed_text("compressed"));
    add_field(out, "sparsity_config", {source::Map{}, {}});
    add_field(out, "transform_config", {source::Map{}, {}});
    add_field(out, "version", placed_text(kVersion));
    return out;
  }

  const ir::Recipe& recipe_;
  const Modules* modules_;
  bool keeps_names_;
  std::vector<const ir::Action*> quantizers_;
  std::set<std::string> formats_;
  std::vector<std::pair<model::Matcher, Span>> ignoring_;  // entries of all actions
};

}  // namespace

bool assigns_schemes(const ir::Action& action) {
  const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
  return quantize != nullptr && quantize->replaces;
}

source::Map result_of(const ir::Recipe& recipe, const Modules* modules, bool keeps_names) {
  return ResultBuilder(recipe, modules, keeps_names).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
