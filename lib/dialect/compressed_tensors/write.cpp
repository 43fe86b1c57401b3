#include <fmt/format.h>

#include "dialect/compressed_tensors/config.h"
#include "dialect/compressed_tensors/read.h"
#include "dialect/compressed_tensors/result.h"

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

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  return Writer(recipe, options, sink).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
