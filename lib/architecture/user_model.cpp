#include "architecture/user_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "architecture/family.h"
#include "architecture/listing.h"
#include "architecture/scope.h"
#include "architecture/stored_names.h"
#include "architecture/tables.h"
#include "base/edit_distance.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/gguf.h"
#include "model/selector.h"

namespace sparsecfg::architecture {

namespace fs = std::filesystem;

using source::LoadError;
using source::Map;
using source::Value;
using Loaded = std::variant<std::shared_ptr<const UserModel>, LoadError>;

// --- views --------------------------------------------------------------------------------------------

static Names names_of(Derived model, View view, const Names& listed) {
  Names out;
  Renamer renamer(model.renames);
  std::vector<model::Module> modules;
  std::vector<std::string> stored;
  model::Parameters parameters;
  modules.reserve(model.layers.size());
  // Recipes for linearized models select modules. Their parameters are only needed if files contain them.
  const bool has_parameters = view != View::linearized;
  for (const Layer& layer : model.layers) {
    const Tensor* weight = layer.find("weight");
    if (!model.renames.empty()) stored.push_back(renamer.module(layer.name));
    modules.push_back({view == View::checkpoint && !stored.empty() ? stored.back() : layer.name, layer.type,
                       weight == nullptr ? std::nullopt : std::optional(weight->shape)});
    if (!has_parameters) continue;
    for (const Tensor& tensor : layer.tensors) {
      if (layer.shares(tensor) || (tensor.buffer && view != View::checkpoint)) continue;
      const std::string name = layer.name.empty() ? tensor.name : layer.name + "." + tensor.name;
      parameters.names.push_back(view == View::checkpoint ? renamer.tensor(name) : name);
      parameters.shapes.emplace_back(tensor.shape);
    }
  }
  out.modules = std::make_shared<const std::vector<model::Module>>(std::move(modules));
  out.module_names.emplace(*out.modules);
  if (has_parameters) out.parameters.emplace(std::move(parameters));
  if (view != View::checkpoint && !stored.empty()) {
    out.stored_names = std::make_shared<const std::vector<std::string>>(std::move(stored));
  }
  if (listed.stored) {
    out.parameters = listed.parameters;
    out.stored = true;
  }
  out.layers = std::move(model.layers);
  out.architecture = std::move(model.architecture);
  out.raises = std::move(model.raises);
  return out;
}

DerivedOrError UserModel::derived_in(View view, const Build& build) const {
  if (view == View::linearized && linearized_ && build == Build()) {
    return *std::exchange(linearized_, std::nullopt);
  }
  return derive(*config_, view, build);
}

// The names of a build that leaves them unknown. Those of files remain.
static Names unknown_names(std::string reason, std::optional<MissingClass> missing, const Names& listed) {
  Names out = listed;
  out.unknown = std::move(reason);
  out.missing = std::move(missing);
  return out;
}

static std::string wrapped(const std::string& name) { return name.empty() ? name : "module." + name; }

// Returns the names of a model in DataParallel. Names of files do not change, but models load them into the wrapper.
static Names wrapped(Names names) {
  if (names.modules) {
    std::vector<model::Module> modules = *names.modules;
    for (model::Module& module : modules) module.name = wrapped(module.name);
    names.modules = std::make_shared<const std::vector<model::Module>>(std::move(modules));
    names.module_names.emplace(*names.modules);
  }
  if (names.parameters) {
    model::Parameters parameters;
    for (std::size_t at = 0; at < names.parameters->size(); ++at) {
      const model::Shape* shape = names.parameters->shape(at);
      parameters.names.push_back(wrapped((*names.parameters)[at]));
      parameters.shapes.push_back(shape == nullptr ? std::nullopt : std::optional(*shape));
    }
    names.parameters.emplace(std::move(parameters));
  }
  for (Layer& layer : names.layers) layer.name = wrapped(layer.name);
  return names;
}

Names UserModel::built(View view, const Build& build) const {
  if (!facts_) return listed_;
  DerivedOrError derived = derived_in(view, build);
  auto* error = std::get_if<LoadError>(&derived);
  return error == nullptr ? names_of(std::get<Derived>(std::move(derived)), view, listed_)
                          : unknown_names(std::move(error->reason), missing_class(*config_, build), listed_);
}

const Names& UserModel::in(View view, const Build& build) const {
  if (!facts_ && !build.parallel) return listed_;
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<const Names>& known = views_[{view, build}];
  if (known == nullptr) {
    Build plain = build;
    plain.parallel = false;
    Names names = built(view, plain);
    known = std::make_unique<const Names>(build.parallel ? wrapped(std::move(names)) : std::move(names));
  }
  return *known;
}

// --- inputs -------------------------------------------------------------------------------------------

constexpr std::size_t kNamesOfModule = 4;  // names that take the memory of a module

// Returns the section of a quantized model; null for other models.
static Value quantization_of(const Value& config) {
  const Value* text = config.find("text_config");
  for (const Value* part : {&config, text}) {
    const Value* section = part == nullptr ? nullptr : part->given("quantization_config");
    if (section != nullptr) return *section;
  }
  return {};
}

std::string UserModel::quantization() const {
  const Value* method = quantization_.find("quant_method");
  const auto* name = method == nullptr ? nullptr : method->get<std::string>();
  return name == nullptr ? std::string() : *name;
}

struct UserModelLoader {
  std::shared_ptr<UserModel> out{new UserModel};

  std::shared_ptr<const UserModel> config(Value value, const std::string& origin) {
    out->quantization_ = quantization_of(value);
    DerivedOrError derived = derive(value, View::linearized);
    if (auto* model = std::get_if<Derived>(&derived)) {
      out->title_ = fmt::format("{} ({})", model->architecture, base::printable(origin));
      std::vector<Layer> layers = std::exchange(model->layers, {});
      out->facts_ = *model;
      out->size_ = layers.size() + 1;
      model->layers = std::move(layers);
      out->linearized_ = std::move(*model);
      out->config_ = std::move(value);
    } else {
      out->title_ = base::printable(origin);
      out->rejection_ = std::get<LoadError>(derived).reason;
    }
    return out;
  }

  std::shared_ptr<const UserModel> parameters(model::Parameters read, const std::string& origin) {
    auto inferred = inferred_modules(read);
    out->size_ = read.names.size() / kNamesOfModule + (inferred ? inferred->size() : 0) + 1;
    out->title_ = fmt::format("{} tensors of {}{}", read.names.size(), base::printable(origin),
                              !inferred            ? ", modules unknown because there are too many"
                              : !inferred->empty() ? ", classes inferred from their shapes"
                                                   : "");
    out->listed_.parameters.emplace(std::move(read));
    out->listed_.stored = true;
    out->listed_.inferred = true;
    if (inferred && !inferred->empty()) {
      out->listed_.module_names.emplace(*inferred);
      out->listed_.modules = std::make_shared<const std::vector<model::Module>>(*std::move(inferred));
    }
    return out;
  }

  std::shared_ptr<const UserModel> modules(std::vector<model::Module> read, const std::string& origin,
                                           std::optional<model::Parameters> parameters = std::nullopt) {
    out->size_ = read.size() + 1;
    if (parameters) out->listed_.parameters.emplace(*std::move(parameters));
    out->title_ = fmt::format("{} modules of {}", read.size(), base::printable(origin));
    auto modules = std::make_shared<const std::vector<model::Module>>(std::move(read));
    out->listed_.module_names.emplace(*modules);
    out->listed_.modules = std::move(modules);
    return out;
  }
};

static bool is_config(const Value& value) {
  const Value* type = value.find("model_type");
  return value.find("architectures") != nullptr || (type != nullptr && type->get<std::string>() != nullptr);
}

std::shared_ptr<const UserModel> UserModel::of_config(std::string_view text, const std::string& origin) {
  Value value = value_of_json(text);
  return is_config(value) ? UserModelLoader().config(std::move(value), origin) : nullptr;
}

std::shared_ptr<const UserModel> UserModel::of_tensors(model::Parameters tensors, const std::string& origin) {
  return UserModelLoader().parameters(std::move(tensors), origin);
}

std::shared_ptr<const UserModel> UserModel::of_modules(std::vector<model::Module> modules, const std::string& origin) {
  return UserModelLoader().modules(std::move(modules), origin);
}

std::shared_ptr<const UserModel> UserModel::rejected(const std::string& origin, std::string why) {
  UserModelLoader loader;
  loader.out->title_ = base::printable(origin);
  loader.out->rejection_ = std::move(why);
  return loader.out;
}

static const Value& model_ids() {
  static const Value kIds = value_of_json(kModelIds);
  return kIds;
}

// Returns the configuration of a well-known model id, or null if it is unknown.
static const Value* config_of_id(const std::string& id) {
  const Value& ids = model_ids();
  const Value* config = ids.find(id);
  // Some models have the sizes of another one.
  const auto* other = config == nullptr ? nullptr : config->get<std::string>();
  return other == nullptr ? config : ids.find(*other);
}

// The classes of the networks in the tables, which no other layer has as its rows.
constexpr std::uint64_t kUsualClasses = 1000;

// A network of a library that has no `config.json`.
struct NetworkName {
  std::string library;
  std::string name;
  std::uint64_t classes = kUsualClasses;  // rows of the last layer
};

// Returns the parts of `torchvision:resnet50` or `torchvision:resnet50:10`; nullopt for other texts.
static std::optional<NetworkName> network_in(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view library = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (library != "torchvision" && library != "sparseml") return std::nullopt;
  NetworkName out{std::string(library), std::string(text.substr(colon + 1))};
  const std::size_t last = out.name.find(':');
  if (last == std::string::npos) return out;
  const std::string_view digits = std::string_view(out.name).substr(last + 1);
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out.classes);
  if (end.ec != std::errc() || out.classes == 0 || end.ptr != digits.data() + digits.size())
    return out;  // no known name
  out.name.resize(last);
  return out;
}

// Returns a shape of the table with another number of classes.
static model::Shape with_classes(model::Shape shape, std::uint64_t classes) {
  if (!shape.empty() && shape.front() == kUsualClasses) shape.front() = classes;
  return shape;
}

bool UserModel::is_name(const std::string& text) { return network_in(text) || config_of_id(text) != nullptr; }

// Loads `torchvision:resnet50` and `sparseml:resnet50`.
static Loaded load_network(const NetworkName& network) {
  const auto& [library, name, classes] = network;
  const std::string title = classes == kUsualClasses ? fmt::format("{}:{}", library, name)
                                                     : fmt::format("{}:{}, {} classes", library, name, classes);
  if (library == "torchvision" && find_family(name, "torchvision")) {
    source::List architectures;
    architectures.push_back({name, {}});
    Map config;
    config.emplace_back(Value{std::string("architectures"), {}}, Value{std::move(architectures), {}});
    config.emplace_back(Value{std::string("model_type"), {}}, Value{std::string("torchvision"), {}});
    config.emplace_back(Value{std::string("num_classes"), {}}, Value{static_cast<std::int64_t>(classes), {}});
    return UserModelLoader().config({std::move(config), {}}, title);
  }
  std::vector<model::Module> listed = listed_network(library, name);
  if (listed.empty()) {
    return LoadError{
        fmt::format("is not a known network; known ones are {}", fmt::join(listed_networks(library), ", "))};
  }
  model::Parameters parameters = listed_parameters(library, name);
  for (model::Module& each : listed) {
    if (each.shape) each.shape = with_classes(*std::move(each.shape), classes);
  }
  for (auto& shape : parameters.shapes) {
    if (shape) shape = with_classes(*std::move(shape), classes);
  }
  return UserModelLoader().modules(std::move(listed), title, std::move(parameters));
}

std::shared_ptr<const UserModel> UserModel::of_id(const std::string& id) {
  if (const auto network = network_in(id)) {
    Loaded loaded = load_network(*network);
    auto* model = std::get_if<std::shared_ptr<const UserModel>>(&loaded);
    return model == nullptr ? nullptr : std::move(*model);
  }
  const Value* config = config_of_id(id);
  return config == nullptr ? nullptr : UserModelLoader().config(*config, id);
}

static source::Loaded read_text(const std::string& project, const std::string& path) {
  const auto file = project.empty() ? std::variant<std::string, LoadError>(path) : source::resolve_below(project, path);
  if (const auto* failure = std::get_if<LoadError>(&file)) {
    return *failure;
  }
  return source::read_file(std::get<std::string>(file), limits::kMaxModelBytes);
}

// A list of modules has a class in its second column, and a list of parameters a type, if it has one.
static bool lists_modules(const std::vector<model::Module>& read) {
  return std::ranges::any_of(read, [](const model::Module& module) { return model::looks_like_type(module.type); });
}

// Returns why a JSON mapping names no tensors; empty if it may. Tensors have shapes.
static std::string not_tensors(const Map& map) {
  for (const auto& [key, value] : map) {
    const auto* name = key.get<std::string>();
    if (name == nullptr) continue;
    if (*name == "_class_name") return "is a configuration of diffusers, not of transformers";
    const bool holds_names = *name == "weight_map" || *name == "metadata" || name->starts_with("__");
    if (holds_names || value.get<source::List>() != nullptr || value.get<Map>() != nullptr) continue;
    return fmt::format("is neither a configuration of a model nor a list of names: `{}` is {}", base::printable(*name),
                       source::describe(value));
  }
  return {};
}

// Returns the first line that begins with no name; empty if all do. Names contain no spaces, and end with no colon.
static std::string line_without_name(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = base::trim(text.substr(0, end));
    const std::string_view name = line.substr(0, line.find('\t'));
    if (name.find_first_of(" =#`<>|*") != name.npos || name.ends_with(':') || name.starts_with('-')) {
      return std::string(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// Returns why a text names no parts of a model; empty if it may.
static std::string not_names(const std::string& text) {
  const std::string_view start = base::trim(text);
  if (start.starts_with('{')) {
    const Value json = value_of_json(text);
    const auto* map = json.get<Map>();
    return map == nullptr ? std::string() : not_tensors(*map);
  }
  const std::string line = start.starts_with('[') ? std::string() : line_without_name(text);
  constexpr std::size_t kMaxQuoted = 60;
  return line.empty() ? std::string()
                      : fmt::format("is neither a configuration of a model nor a list of names: `{}` is no name",
                                    base::printable(line.substr(0, kMaxQuoted)));
}

static Loaded load_list(const std::string& project, const std::string& path) {
  if (!path.ends_with(".safetensors") && !path.ends_with(".json")) {
    auto modules = model::load_modules_of(project, path);
    auto* read = std::get_if<std::vector<model::Module>>(&modules);
    if (read != nullptr && lists_modules(*read)) return UserModelLoader().modules(std::move(*read), path);
  }
  auto parameters = model::load_parameters_of(project, path);
  if (auto* failure = std::get_if<LoadError>(&parameters)) {
    return std::move(*failure);
  }
  return UserModelLoader().parameters(std::get<model::Parameters>(std::move(parameters)), path);
}

// Loads the tensors in the header of a GGUF file.
static Loaded load_gguf(const std::string& project, const std::string& path) {
  const auto file = project.empty() ? std::variant<std::string, LoadError>(path) : source::resolve_below(project, path);
  if (const auto* failure = std::get_if<LoadError>(&file)) return *failure;
  auto header = model::load_gguf(std::get<std::string>(file));
  if (auto* failure = std::get_if<LoadError>(&header)) return std::move(*failure);
  return UserModelLoader().parameters(model::parameters_of(std::get<model::GgufHeader>(header)), path);
}

static Loaded load_file(const std::string& project, const std::string& path) {
  if (path.ends_with(".gguf")) return load_gguf(project, path);
  if (path.ends_with(".safetensors")) {
    return load_list(project, path);
  }
  source::Loaded text = read_text(project, path);
  if (auto* failure = std::get_if<LoadError>(&text)) {
    return std::move(*failure);
  }
  const bool json = base::trim(std::get<std::string>(text)).starts_with('{');
  auto model = json ? UserModel::of_config(std::get<std::string>(text), path) : nullptr;
  if (model != nullptr) {
    return Loaded(std::move(model));
  }
  std::string reason = not_names(std::get<std::string>(text));
  return reason.empty() ? load_list(project, path) : Loaded(LoadError{std::move(reason)});
}

// Returns the first of these files in a folder; empty if there is none.
static std::string first_file(const std::string& folder, std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    const fs::path path = fs::path(folder) / name;
    if (fs::exists(path, ignored)) return path.native();
  }
  return {};
}

static Loaded load_folder(const std::string& project, const std::string& folder) {
  const std::string config = first_file(folder, {"config.json"});
  const std::string tensors =
      first_file(folder, {"model.safetensors.index.json", "model.safetensors", "pytorch_model.bin.index.json"});
  if (config.empty() && tensors.empty()) {
    return LoadError{"contains no config.json, index of tensors or model.safetensors"};
  }
  if (config.empty()) {
    return load_list(project, tensors);
  }
  Loaded model = load_file(project, config);
  const auto* loaded = std::get_if<std::shared_ptr<const UserModel>>(&model);
  if (loaded == nullptr || tensors.empty()) {
    return model;
  }
  auto read = model::load_parameters_of(project, tensors);
  if (const auto* failure = std::get_if<LoadError>(&read)) {
    return LoadError{fmt::format("{} {}", fs::path(tensors).filename().native(), failure->reason)};
  }
  return (*loaded)->with_tensors(std::get<model::Parameters>(std::move(read)), tensors);
}

std::shared_ptr<const UserModel> UserModel::with_tensors(model::Parameters tensors, const std::string& origin) const {
  if (!facts_) {
    return of_tensors(std::move(tensors), fmt::format("{} (its config.json {})", origin, rejection_));
  }
  UserModelLoader loader;
  loader.out->size_ = size_ + tensors.names.size() / kNamesOfModule;
  loader.out->facts_ = facts_;
  loader.out->config_ = config_;
  loader.out->quantization_ = quantization_;
  const std::vector<std::string>& derived = in(View::checkpoint).parameters->list();
  add_omitted_prefix(derived, tensors.names);
  model::ModelNames names(std::move(tensors));
  loader.out->title_ = title_ + lacking_text(*facts_, derived, names.list());
  loader.out->listed_.parameters = std::move(names);
  loader.out->listed_.stored = true;
  return loader.out;
}

std::vector<std::string_view> UserModel::known_ids() {
  std::vector<std::string_view> out;
  const auto* map = model_ids().get<Map>();
  if (map == nullptr) {
    return out;
  }
  for (const auto& [id, config] : *map) {
    if (const auto* text = id.get<std::string>()) out.push_back(*text);
  }
  return out;
}

// An id has an owner and a name, and names no file of a known kind.
static bool is_like_id(const std::string& path) {
  const fs::path name(path);
  const bool has_owner = std::ranges::count(path, '/') == 1 && !path.starts_with('.') && !path.starts_with('/');
  constexpr std::string_view kFiles[] = {".json", ".safetensors", ".txt", ".tsv", ".yaml", ".yml", ".md", ".py"};
  return has_owner && std::ranges::find(kFiles, name.extension().native()) == std::end(kFiles);
}

static std::string digits_of(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), base::is_digit);
  return out;
}

// Returns true if an id differs from a known one by two swapped digits.
static bool swaps_digits(std::string_view id, std::string_view known) {
  std::string one = digits_of(id);
  std::string other = digits_of(known);
  if (base::edit_distance(id, known) != 1 || one == other) return false;
  std::ranges::sort(one);
  std::ranges::sort(other);
  return one == other;
}

std::string_view UserModel::meant_id(const std::string& id) {
  if (id.size() > base::kMaxWordLength) return {};
  std::vector<std::string_view> ids = known_ids();
  // Without an owner, the last part of a known id is meant.
  if (id.find('/') == std::string::npos) {
    std::erase_if(ids, [&](std::string_view known) {
      return base::to_lower(known.substr(known.find('/') + 1)) != base::to_lower(id);
    });
    return ids.empty() ? std::string_view() : ids.front();
  }
  if (const auto guess = base::nearest(id, ids)) return *guess;
  const auto swapped = std::ranges::find_if(ids, [&](std::string_view known) { return swaps_digits(id, known); });
  if (swapped != ids.end()) return *swapped;
  // Points and hyphens between the digits may differ.
  std::erase_if(ids, [&](std::string_view known) { return digits_of(known) != digits_of(id); });
  const auto distance = [&](std::string_view known) {
    return base::edit_distance(base::to_lower(id), base::to_lower(known));
  };
  const auto best = std::ranges::min_element(ids, {}, distance);
  return best == ids.end() || distance(*best) > id.size() / 4 ? std::string_view() : *best;
}

static Loaded unknown_id(const std::string& id) {
  const std::string_view meant = UserModel::meant_id(id);
  return LoadError{fmt::format(
      "is neither a file nor a known model id; {}",
      meant.empty() ? std::string("download the `config.json` of the model, or see `sparsecfg explain models`")
                    : fmt::format("did you mean `{}`?", meant))};
}

// Returns true for a name that is neither a path nor an id with an owner, such as `resnet50`.
static bool is_bare_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string_view::npos;
}

static Loaded unknown_network(const std::string& name) {
  const auto meant = base::nearest(name, listed_networks("torchvision"));
  return LoadError{fmt::format(
      "is neither a file nor a known model; {}",
      meant ? fmt::format("did you mean `{}`?", *meant)
            : std::string("pass a folder with a `config.json`, a list of its parameters with --params, or a name that "
                          "`sparsecfg explain models` lists"))};
}

bool UserModel::is_described(const std::string& project, const std::string& path) {
  std::error_code ignored;
  if (is_name(path) || fs::is_directory(path, ignored)) {
    return true;
  }
  if (!path.ends_with(".json") || !fs::exists(path, ignored)) {
    return false;
  }
  const source::Loaded text = read_text(project, path);
  const auto* json = std::get_if<std::string>(&text);
  return json != nullptr && is_config(value_of_json(*json));
}

Loaded UserModel::load(const std::string& project, const std::string& path) {
  if (const auto network = network_in(path)) return load_network(*network);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return load_folder(project, path);
  }
  if (!fs::exists(path, ignored)) {
    if (auto model = of_id(path)) return model;
    if (auto model = of_id("torchvision:" + path)) return model;
    if (is_like_id(path) || !meant_id(path).empty()) return unknown_id(path);
    if (is_bare_word(path)) return unknown_network(path);
  }
  return load_file(project, path);
}

}  // namespace sparsecfg::architecture
