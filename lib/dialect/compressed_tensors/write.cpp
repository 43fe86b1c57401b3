#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/schemes/assigned.h"

// Writes the file that the library saves with a model that a recipe has quantized.
namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

namespace {

constexpr std::string_view kVersion = "0.18.1";  // of the library whose output this is

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_of(const Value& value, std::size_t depth = 0);

// Returns the items of a list or mapping, one per line.
std::string json_block(const std::vector<std::string>& items, std::string_view brackets, std::size_t depth) {
  if (items.empty()) {
    return std::string(brackets);
  }
  const std::string indent(2 * depth, ' ');
  std::string out(1, brackets.front());
  for (std::size_t at = 0; at < items.size(); ++at) {
    out += fmt::format("{}\n{}  {}", at == 0 ? "" : ",", indent, items[at]);
  }
  return fmt::format("{}\n{}{}", out, indent, brackets.back());
}

std::string json_of(const Value& value, std::size_t depth) {
  if (const auto* map = value.get<source::Map>()) {
    std::vector<std::string> items;
    for (const auto& [key, item] : *map) {
      items.push_back(fmt::format("{}: {}", json_text(source::python_str(key)), json_of(item, depth + 1)));
    }
    return json_block(items, "{}", depth);
  }
  if (const auto* list = value.get<source::List>()) {
    std::vector<std::string> items;
    for (const Value& item : *list) items.push_back(json_of(item, depth + 1));
    return json_block(items, "[]", depth);
  }
  if (const auto* flag = value.get<bool>()) return *flag ? "true" : "false";
  if (value.is_null()) return "null";
  return value.number() ? source::python_str(value) : json_text(source::python_str(value));
}

Value text_of(std::string_view text) { return {std::string(text), {}}; }

void add(source::Map& map, std::string_view key, Value value) { map.emplace_back(text_of(key), std::move(value)); }

// Classes of routers count as Linear when the library lists the modules that it has not quantized.
std::string_view listed_class(std::string_view type) {
  const auto has = [&](std::string_view part) { return type.find(part) != std::string_view::npos; };
  return !has("ExpertMLP") && (has("Router") || has("Gate") || has("Gating")) ? "Linear" : type;
}

class Writer {
 public:
  Writer(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe), options_(options), sink_(sink) {}

  Written run() {
    for (std::size_t at = 0; at < recipe_.actions.size(); ++at) {
      out_.statuses.emplace_back().action = at;
      judge(recipe_.actions[at], out_.statuses.back());
    }
    if (quantizers_.empty()) {
      return std::move(out_);
    }
    source::Map config = options_.own         ? own_fields()
                         : model() != nullptr ? fields_of(schemes::assign(recipe_, *model()))
                                              : fields_without_model();
    source::Map file;
    if (model() != nullptr && !model()->empty() && model()->front().name.empty()) {
      add(file, "architectures", {source::List{text_of(model()->front().type)}, {}});
    }
    add(file, "quantization_config", {std::move(config), {}});
    out_.text = json_of({std::move(file), {}}) + "\n";
    return std::move(out_);
  }

 private:
  const Modules* model() const { return options_.read.modules.get(); }

  void judge(const ir::Action& action, ActionStatus& status) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    const std::string& name = action.origin.class_name;
    if (quantize != nullptr && quantize->replaces) {
      quantizers_.push_back(&action);
    } else if (!options_.plan.layer_schemes || options_.plan.is_result) {
      drop(status, action, "compressed-tensors", "only recipes of llm-compressor can be written", sink_);
    } else if (name == "QuIPModifier" || name == "SpinQuantModifier") {
      drop(status, action, "compressed-tensors", "the `transform_config` depends on the run", sink_);
    } else {
      status.reason = "it only changes the weights";
    }
  }

  // Writes the file itself in its own order.
  source::Map own_fields() const {
    source::Map out;
    for (const ir::OriginField& field : quantizers_.back()->origin.fields) add(out, field.name, field.value);
    return out;
  }

  source::Map fields_of(schemes::Assignment assignment) {
    source::Map groups;
    for (std::size_t at = 0; at < assignment.groups.size(); ++at) {
      add_group(groups, fmt::format("group_{}", at), assignment.groups[at]);
    }
    return fields(std::move(groups), ignored(assignment), std::move(assignment.cache));
  }

  // If the modules are unknown, keeps the groups and ignored names of the recipe.
  source::Map fields_without_model() {
    out_.notes.emplace_back("the library writes the names of the model into `ignore`: pass them with `--modules`");
    const ir::Origin& origin = quantizers_.back()->origin;
    source::Map groups;
    for (const auto& [key, value] : schemes::groups_of(origin)) add_group(groups, source::python_str(key), value);
    const ir::OriginField* ignore = origin.find("ignore");
    const ir::OriginField* cache = origin.find("kv_cache_scheme");
    return fields(std::move(groups),
                  ignore == nullptr || ignore->value.is_null() ? Value{source::List{}, {}} : ignore->value,
                  cache == nullptr ? Value() : schemes::complete(cache->value));
  }

  void add_group(source::Map& groups, std::string name, const Value& group) {
    source::Map written = *group.get<source::Map>();
    if (written.front().second.is_null()) written.front().second = text_of(schemes::inferred_format(group));
    const auto* format = written.front().second.get<std::string>();
    if (format != nullptr && *format != "dense") formats_.insert(*format);
    groups.emplace_back(text_of(name), Value{std::move(written), {}});
  }

  // Lists the modules without a group whose class has one elsewhere, class by class.
  Value ignored(const schemes::Assignment& assignment) const {
    std::set<std::string_view> quantized;
    std::vector<std::string_view> classes;
    for (std::size_t at = 0; at < model()->size(); ++at) {
      const std::string_view type = listed_class((*model())[at].type);
      if (assignment.groups_of_modules[at]) {
        quantized.insert(type);
      } else if (std::ranges::find(classes, type) == classes.end()) {
        classes.push_back(type);
      }
    }
    source::List out;
    for (const std::string_view type : classes) {
      for (std::size_t at = 0; quantized.contains(type) && at < model()->size(); ++at) {
        const model::Module& module = (*model())[at];
        if (!assignment.groups_of_modules[at] && listed_class(module.type) == type) out.push_back(text_of(module.name));
      }
    }
    return {std::move(out), {}};
  }

  source::Map fields(source::Map groups, Value ignore, Value cache) const {
    source::Map out;
    const std::string_view format = formats_.empty()       ? "dense"
                                    : formats_.size() == 1 ? std::string_view(*formats_.begin())
                                                           : "mixed-precision";
    add(out, "config_groups", {std::move(groups), {}});
    add(out, "format", text_of(format));
    add(out, "global_compression_ratio", {});
    add(out, "ignore", std::move(ignore));
    add(out, "kv_cache_scheme", std::move(cache));
    add(out, "quant_method", text_of("compressed-tensors"));
    add(out, "quantization_status", text_of("compressed"));
    add(out, "sparsity_config", {source::Map{}, {}});
    add(out, "transform_config", {source::Map{}, {}});
    add(out, "version", text_of(kVersion));
    return out;
  }

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  std::vector<const ir::Action*> quantizers_;
  std::set<std::string> formats_;
  Written out_;
};

}  // namespace

Written write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Writer(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
