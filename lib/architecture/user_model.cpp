#include "architecture/user_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "architecture/family.h"
#include "architecture/listing.h"
#include "architecture/tables.h"
#include "base/limits.h"
#include "base/text.h"

namespace sparsecfg::architecture {

namespace fs = std::filesystem;

using source::LoadError;
using source::Map;
using source::Value;
using Described = std::variant<std::shared_ptr<const UserModel>, LoadError>;

static Names names_of(Derived model, View view) {
  Names out;
  Renamer renamer(model);
  out.modules.reserve(model.layers.size());
  for (const Layer& layer : model.layers) {
    const Tensor* weight = layer.find("weight");
    out.modules.push_back({view == View::checkpoint ? renamer.module(layer.name) : layer.name, layer.type,
                           weight == nullptr ? std::nullopt : std::optional(weight->shape)});
    for (const Tensor& tensor : layer.tensors) {
      if (layer.shares(tensor) || (tensor.buffer && view != View::checkpoint)) continue;
      const std::string name = layer.name.empty() ? tensor.name : layer.name + "." + tensor.name;
      out.parameters.names.push_back(view == View::checkpoint ? renamer.tensor(name) : name);
      out.parameters.shapes.emplace_back(tensor.shape);
    }
  }
  return out;
}

Names UserModel::in(View view) const {
  if (config_.is_null()) {
    return listed_;
  }
  DerivedOrError derived = derive(config_, view);
  auto* model = std::get_if<Derived>(&derived);
  return model == nullptr ? Names() : names_of(std::move(*model), view);
}

std::shared_ptr<const UserModel> UserModel::of_value(Value config) {
  std::shared_ptr<UserModel> out(new UserModel);
  const DerivedOrError derived = derive(config, View::linearized);
  if (const auto* failure = std::get_if<LoadError>(&derived)) out->rejection_ = failure->reason;
  out->config_ = std::move(config);
  return out;
}

static bool is_config(const Value& value) {
  const Value* type = value.find("model_type");
  return value.find("architectures") != nullptr || (type != nullptr && type->get<std::string>() != nullptr);
}

static std::optional<Value> read_value(std::string_view json) {
  auto read = source::read_json(json);
  auto* value = std::get_if<std::optional<Value>>(&read);
  return value == nullptr ? std::optional<Value>() : std::move(*value);
}

std::shared_ptr<const UserModel> UserModel::of_config(std::string_view text) {
  std::optional<Value> value = read_value(text);
  const bool fits = value && value->get<Map>() != nullptr && is_config(*value);
  return fits ? of_value(*std::move(value)) : nullptr;
}

std::shared_ptr<const UserModel> UserModel::of_id(const std::string& id) {
  static const std::optional<Value> ids = read_value(kModelIds);
  const Value* config = ids ? ids->find(id) : nullptr;
  // Some models have the sizes of another one.
  const auto* other = config == nullptr ? nullptr : config->get<std::string>();
  if (other != nullptr) config = ids->find(*other);
  return config == nullptr ? nullptr : of_value(*config);
}

// ResNets of torchvision are a family; other networks are listed.
Described UserModel::of_network(std::string_view library, const std::string& name) {
  if (library == "torchvision" && find_family(name, "torchvision")) {
    source::List architectures;
    architectures.push_back({name, {}});
    Map config;
    config.emplace_back(Value{std::string("architectures"), {}}, Value{std::move(architectures), {}});
    config.emplace_back(Value{std::string("model_type"), {}}, Value{std::string("torchvision"), {}});
    return of_value({std::move(config), {}});
  }
  std::shared_ptr<UserModel> out(new UserModel);
  out->listed_.modules = listed_network(library, name);
  if (out->listed_.modules.empty()) {
    return LoadError{
        fmt::format("is not a known network; known ones are {}", fmt::join(listed_networks(library), ", "))};
  }
  out->listed_.parameters = parameters_of(out->listed_.modules);
  return std::shared_ptr<const UserModel>(std::move(out));
}

// Returns the configuration that a path names; empty if it names another file.
static std::string config_at(const std::string& path) {
  std::error_code ignored;
  const fs::path inside = fs::path(path) / "config.json";
  if (fs::is_directory(path, ignored)) return fs::exists(inside, ignored) ? inside.native() : std::string();
  return path.ends_with(".json") && fs::exists(path, ignored) ? path : std::string();
}

Described UserModel::load_described(const std::string& project, const std::string& path) {
  const std::size_t colon = path.find(':');
  const std::string library = path.substr(0, colon == std::string::npos ? 0 : colon);
  if (library == "torchvision" || library == "sparseml") {
    return of_network(library, path.substr(colon + 1));
  }
  const std::string config = config_at(path);
  std::error_code ignored;
  if (config.empty()) {
    return fs::exists(path, ignored) ? nullptr : of_id(path);
  }
  const auto file =
      project.empty() ? std::variant<std::string, LoadError>(config) : source::resolve_below(project, config);
  if (const auto* failure = std::get_if<LoadError>(&file)) {
    return *failure;
  }
  source::Loaded text = source::read_file(std::get<std::string>(file), limits::kMaxModelBytes);
  if (auto* failure = std::get_if<LoadError>(&text)) {
    return std::move(*failure);
  }
  return of_config(std::get<std::string>(text));
}

}  // namespace sparsecfg::architecture
