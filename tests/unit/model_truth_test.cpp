#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "architecture/derive.h"
#include "base/text.h"

// Compares derived modules with recorded ones. testdata/truth/models/README.md describes the file.
namespace sparsecfg::architecture {

namespace {

using source::List;
using source::Value;

struct Case {
  std::string id;
  Value config;
  Build build;
  View view = View::transformers;
  bool only_layers = false;
  bool fails = false;
  std::vector<std::string> rows;
};

std::string text_at(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  const auto* text = found == nullptr ? nullptr : found->get<std::string>();
  return text == nullptr ? std::string() : *text;
}

std::optional<Releases> single_release(const Value& value, std::string_view key) {
  const auto version = version_of(text_at(value, key));
  return version ? std::optional(Releases{*version, *version}) : std::nullopt;
}

Case case_of(const std::string& line) {
  auto read = source::read_json(line);
  const Value value = std::move(**std::get_if<std::optional<Value>>(&read));
  Case out;
  out.id = text_at(value, "id");
  out.config = *value.find("config");
  out.build = {text_at(value, "loader"), single_release(value, "transformers"), single_release(value, "llmcompressor")};
  if (text_at(value, "view") == "linearized") out.view = View::linearized;
  out.only_layers = value.find("only_layers") != nullptr;
  out.fails = value.find("error") != nullptr;
  if (const Value* modules = value.find("modules")) {
    for (const Value& row : *modules->get<List>()) out.rows.push_back(*row.get<std::string>());
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Replaces each part `N` of a name by the next number.
std::string with_numbers(const std::string& form, const std::vector<std::string>& numbers) {
  std::string out;
  std::size_t used = 0;
  for (const std::string& part : split(form, '.')) {
    if (!out.empty()) out += '.';
    out += part == "N" ? numbers[used++] : part;
  }
  return out;
}

// Returns the names of a row: `layers.N.mlp` with `0-2;4`, or with `1.0-3` for two numbers.
std::vector<std::string> names_of(const std::string& form, const std::string& numbers) {
  if (numbers == "-") {
    return {form == "." ? "" : form};
  }
  std::vector<std::string> out;
  for (const std::string& range : split(numbers, ';')) {
    std::vector<std::string> parts = split(range, '.');
    const std::vector<std::string> bounds = split(parts.back(), '-');
    for (int at = std::stoi(bounds.front()); at <= std::stoi(bounds.back()); ++at) {
      parts.back() = std::to_string(at);
      out.push_back(with_numbers(form, parts));
    }
  }
  return out;
}

class Comparison {
 public:
  Comparison(const Case& recorded, const Derived& model) : recorded_(recorded) {
    for (const Layer& layer : model.layers) layers_[layer.name] = &layer;
  }

  // Returns the first difference; empty if there is none.
  std::string run() {
    for (const std::string& row : recorded_.rows) compare(row);
    if (difference_.empty() && count() != modules_) {
      difference_ = std::to_string(count()) + " modules instead of " + std::to_string(modules_);
    }
    return difference_;
  }

 private:
  void compare(const std::string& row) {
    const std::vector<std::string> parts = split(row, ' ');
    for (const std::string& name : names_of(parts[0], parts[3])) {
      if (parts[1] == "+") {
        compare_parameter(name, parts[2]);
      } else {
        ++modules_;
        compare_module(name, parts[1], parts[2]);
      }
    }
  }

  void compare_parameter(const std::string& name, const std::string& shape) {
    const std::size_t point = name.rfind('.');
    const auto found = layers_.find(name.substr(0, point));
    const Tensor* tensor = found == layers_.end() ? nullptr : found->second->find(name.substr(point + 1));
    if (tensor == nullptr || "shape=" + model::to_text(tensor->shape) != shape) differ(name, shape);
  }

  void compare_module(const std::string& name, const std::string& type, const std::string& tensors) {
    const auto found = layers_.find(name);
    if (found == layers_.end() || found->second->type != type) {
      return differ(name, type);
    }
    const std::vector<std::string> expected = tensors == "-" ? std::vector<std::string>() : split(tensors, ',');
    for (const std::string& each : expected) {
      const std::vector<std::string> parts = split(each, '=');
      const Tensor* tensor = found->second->find(parts[0]);
      if (tensor == nullptr || model::to_text(tensor->shape) != parts[1]) differ(name, each);
    }
    const auto parameters =
        std::ranges::count_if(found->second->tensors, [](const Tensor& each) { return !each.buffer; });
    if (!recorded_.only_layers && parameters != std::ssize(expected)) differ(name, "other parameters");
  }

  void differ(const std::string& name, const std::string& expected) {
    if (difference_.empty()) difference_ = name + " is not " + expected;
  }

  // Only the layers of recorded classes count if only these were recorded; of models with split experts, only these.
  [[nodiscard]] std::size_t count() const {
    std::size_t out = 0;
    for (const auto& [name, layer] : layers_) {
      constexpr std::string_view kLayers[] = {"Linear", "Embedding", "Conv1d", "Conv2d", "Conv3d"};
      const bool is_layer = std::ranges::find(kLayers, layer->type) != std::end(kLayers);
      const bool is_expert = layer->type == "Linear" && name.find("expert") != std::string::npos;
      out += !recorded_.only_layers || (recorded_.view == View::linearized ? is_expert : is_layer) ? 1 : 0;
    }
    return out;
  }

  const Case& recorded_;
  std::map<std::string, const Layer*> layers_;
  std::size_t modules_ = 0;
  std::string difference_;
};

std::string difference(const Case& recorded) {
  const DerivedOrError derived = derive(recorded.config, recorded.view, recorded.build);
  if (const auto* error = std::get_if<source::LoadError>(&derived)) {
    const bool raises = missing_class(recorded.config, recorded.build).has_value();
    return recorded.fails && raises ? "" : "is rejected: " + error->reason;
  }
  return recorded.fails ? "is not rejected" : Comparison(recorded, std::get<Derived>(derived)).run();
}

}  // namespace

TEST_CASE("Derived modules are those of transformers and llm-compressor", "[architecture]") {
  std::ifstream file(SPARSECFG_TESTDATA "/truth/models/cases.jsonl");
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const Case recorded = case_of(line);
    INFO(recorded.id);
    CHECK(difference(recorded) == "");
  }
  CHECK(cases > 600);
}

}  // namespace sparsecfg::architecture
