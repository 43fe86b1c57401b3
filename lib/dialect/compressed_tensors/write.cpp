#include <fmt/format.h>

#include "dialect/back_ends.h"
#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/compressed_tensors/result.h"
#include "dialect/schemes/emit.h"
#include "dialect/schemes/operations.h"

// Writes the file that the library saves with a model that a recipe has quantized.
namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

namespace {

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

// Returns the file with the model class, if it is known, and a configuration.
std::string file_text(source::Map config, const Modules* modules) {
  source::Map file;
  if (modules != nullptr && !modules->empty() && modules->front().name.empty()) {
    add(file, "architectures", {source::List{text_of(modules->front().type)}, {}});
  }
  add(file, "quantization_config", {std::move(config), {}});
  return json_of({std::move(file), {}}) + "\n";
}

class Writer {
 public:
  Writer(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink)
      : recipe_(recipe), options_(options), sink_(sink) {}

  WriteResult run() {
    for (std::size_t at = 0; at < recipe_.actions.size(); ++at) {
      out_.statuses.emplace_back().action = at;
      judge(recipe_.actions[at], out_.statuses.back());
    }
    if (quantizers_.empty()) {
      return std::move(out_);
    }
    if (!options_.own && model() == nullptr) {
      out_.notes.emplace_back("the library writes the names of the model into `ignore`: pass them with `--modules`");
    }
    source::Map config = options_.own ? own_fields() : result_of(recipe_, model());
    out_.text = file_text(std::move(config), model());
    return std::move(out_);
  }

 private:
  const Modules* model() const { return options_.read.modules.get(); }

  void judge(const ir::Action& action, ActionStatus& status) {
    const std::string& name = action.origin.class_name;
    if (assigns_schemes(action)) {
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

  const ir::Recipe& recipe_;
  const WriteOptions& options_;
  diag::Sink& sink_;
  std::vector<const ir::Action*> quantizers_;
  WriteResult out_;
};

}  // namespace

// Returns a modifier of llm-compressor that quantizes the groups.
static ir::Recipe recipe_of(const GroupedOutcome& outcome) {
  schemes::WrittenGroups written = schemes::written_groups(outcome);
  ir::Quantize effect;
  effect.replaces = true;
  ir::Action action;
  action.effect = std::move(effect);
  action.origin.class_name = "QuantizationModifier";
  action.origin.fields = {{"config_groups", {}, {std::move(written.groups), {}}},
                          {"ignore", {}, {std::move(written.ignored), {}}},
                          {"kv_cache_scheme", {}, std::move(written.cache)}};
  action.operations = schemes::scheme_operations(action.origin, {});
  ir::Recipe out;
  out.dialect = "llm-compressor";
  out.actions.push_back(std::move(action));
  return out;
}

static std::string write_result(const GroupedOutcome& outcome) {
  return file_text(result_of(recipe_of(outcome), &outcome.modules), &outcome.modules);
}

constinit const BackEnd kBackEnd{
    .file = "config.json", .cache = schemes::kCacheFormat, .orders = true, .is_result = true, .write = write_result};

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Writer(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
