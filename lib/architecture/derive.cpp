#include "architecture/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "architecture/auto_class.h"
#include "architecture/expand.h"
#include "architecture/heads.h"
#include "architecture/tables.h"
#include "base/text.h"
#include "regex/substitution.h"

namespace sparsecfg::architecture {

using source::List;
using source::LoadError;
using source::Map;
using source::Value;

const Tensor* Layer::find(std::string_view tensor) const {
  const auto found = std::ranges::find(tensors, tensor, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

bool Layer::shares(const Tensor& tensor) const {
  return !tied.empty() && (tensor.name == "weight" || (tied_bias && tensor.name == "bias"));
}

static std::string architecture_of(const Value& config) {
  const Value* value = config.find("architectures");
  const auto* list = value == nullptr ? nullptr : value->get<List>();
  const auto* text = list == nullptr || list->empty() ? nullptr : list->front().get<std::string>();
  return text == nullptr ? std::string() : *text;
}

static std::string unknown(const std::string& architecture, const std::string& type) {
  if (architecture.empty()) {
    return fmt::format("names no class in `architectures` (model type `{}`)", base::printable(type));
  }
  std::string out = fmt::format("has the unknown architecture `{}`", base::printable(architecture));
  const auto known = all_architectures();
  if (std::ranges::find(known, architecture) != known.end()) {
    return fmt::format("has the architecture `{}`, but the model type `{}`", architecture, base::printable(type));
  }
  return out + (type.empty() ? "" : fmt::format(" (model type `{}`)", base::printable(type)));
}

// --- the entry ----------------------------------------------------------------------------------------

static std::string class_of(const std::string& type) {
  if (type == "kimi_k2") return "deepseek_v3";
  return type == "RefinedWeb" || type == "RefinedWebModel" ? "falcon" : type;
}

static std::string_view name_of(View view) {
  switch (view) {
    case View::transformers: return "tf";
    case View::linearized: return "llmc";
    case View::checkpoint: return "ckpt";
  }
  return {};
}

// The class that a build constructs, and the configuration that it reads.
struct Construction {
  std::string architecture;
  std::string type;
  const Value* config;  // the nested one of a text-only class
  HeadClass shared;     // the class of the tables; its head is not that of `architecture` if it is another class
  std::string unknown;
};

// Returns the model type of the nested configuration of the text model.
static std::string text_type(const std::string& type, const Value& text) {
  const std::string own = string_at(text, "model_type");
  return own.empty() ? default_type(type, "text_config") : own;
}

// Sets the class of the tables for a class that a build constructs. A class whose configuration is nested reads only
// that.
static bool find_shared(Construction& out, const Value& config) {
  if (has_family(out.architecture, out.type)) {
    out.shared.architecture = out.architecture;
    return true;
  }
  out.shared = class_with_other_head(out.architecture, out.type);
  if (!out.shared.architecture.empty()) {
    return true;
  }
  const Value* text = config.given("text_config");
  if (text == nullptr || text->get<Map>() == nullptr) {
    return false;
  }
  const std::string type = text_type(out.type, *text);
  Construction nested{out.architecture, type, text, {}, {}};
  if (type.empty() || !find_shared(nested, *text)) {
    return false;
  }
  out = std::move(nested);
  return true;
}

// Returns the class that a build constructs for a configuration.
static Construction construction_of(const Value& config, const Build& build) {
  Construction out{architecture_of(config), string_at(config, "model_type"), &config, {}, {}};
  std::string loader = build.loader;
  if (loader.empty() && out.architecture.empty()) loader = usual_loader(class_of(out.type), transformers_of(build));
  if (is_auto_class(loader)) {
    ChosenClass chosen = chosen_class(loader, class_of(out.type), transformers_of(build));
    out.architecture = std::move(chosen.name);
    out.unknown = std::move(chosen.unknown);
    if (!out.unknown.empty()) return out;
  } else if (!loader.empty()) {
    out.architecture = loader;
  }
  if (!find_shared(out, config)) out.unknown = unknown(out.architecture, out.type);
  return out;
}

std::optional<MissingClass> missing_class(const Value& config, const Build& build) {
  if (!is_auto_class(build.loader)) {
    return std::nullopt;
  }
  return chosen_class(build.loader, class_of(string_at(config, "model_type")), transformers_of(build)).missing;
}

// Returns the number of labels of a head, 2 by default.
static std::uint64_t labels_of(Scope& scope) {
  const auto found = scope.find("num_labels");  // may own its value
  const auto* labels = found.get().get<std::int64_t>();
  return labels == nullptr || *labels < 0 ? 2 : static_cast<std::uint64_t>(*labels);
}

// Returns a positive number of the text model, or nullopt if the class has no such field. May set the fault.
static std::optional<std::uint64_t> number_of(Scope& scope, std::string_view field) {
  const bool has_text = scope.given("text_config") != nullptr;
  const auto found = (has_text ? scope.nested("text_config") : scope).find(field);
  const auto* number = found.get().get<std::int64_t>();
  return number == nullptr || *number <= 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*number));
}

// Returns the number of routed experts of a layer, as the file has it.
static std::optional<std::uint64_t> experts_of(const Value& config, const std::vector<Layer>& layers) {
  static constexpr std::string_view kNames[] = {"n_routed_experts", "num_local_experts", "num_experts",
                                                "moe_num_experts"};
  const Value* text = config.given("text_config");
  for (const Value* scope : {&config, text}) {
    for (const std::string_view name : kNames) {
      const Value* found = scope == nullptr || scope->get<Map>() == nullptr ? nullptr : scope->given(name);
      const auto* count = found == nullptr ? nullptr : found->get<std::int64_t>();
      if (count != nullptr && *count > 0) return static_cast<std::uint64_t>(*count);
    }
  }
  const auto has_experts = [](const Layer& layer) { return layer.name.find("experts") != std::string::npos; };
  return std::ranges::any_of(layers, has_experts) ? std::nullopt : std::optional<std::uint64_t>(0);
}

// Returns true if the modules of the releases have the names of checkpoints.
static bool has_old_names(const std::vector<Row>& rows, Scope& scope) {
  return std::ranges::any_of(
      rows, [&](const Row& row) { return row.kind == Row::Kind::old && is_true(evaluate(row.value, scope).get()); });
}

// Returns the names that have children.
static std::set<std::string> parents_of(const std::vector<Layer>& layers) {
  std::set<std::string> out;
  for (const Layer& layer : layers) {
    for (std::size_t at = layer.name.rfind('.'); at != std::string::npos; at = layer.name.rfind('.', at - 1)) {
      if (!out.insert(layer.name.substr(0, at)).second) break;
    }
  }
  return out;
}

// Renames modules as checkpoints name them. Drops containers that have lost their children, and repeated names.
static void use_old_names(Derived& model) {
  Renamer renamer(model.renames);
  const std::set<std::string> before = parents_of(model.layers);
  std::vector<bool> contained;
  for (Layer& layer : model.layers) {
    contained.push_back(before.contains(layer.name));
    layer.name = renamer.module(layer.name);
    layer.tied = renamer.module(layer.tied);
  }
  const std::set<std::string> after = parents_of(model.layers);
  std::set<std::string> seen;
  std::vector<Layer> out;
  for (std::size_t at = 0; at < model.layers.size(); ++at) {
    Layer& layer = model.layers[at];
    const bool lost = contained[at] && layer.tensors.empty() && !layer.name.empty() && !after.contains(layer.name);
    if (!lost && seen.insert(layer.name).second) out.push_back(std::move(layer));
  }
  model.layers = std::move(out);
}

// Returns the entry of a list with one entry for each model type of a family.
static Version of_type(const std::vector<Version>& versions, const Family& family, std::string_view type) {
  const auto at = static_cast<std::size_t>(std::ranges::find(family.types, type) - family.types.begin());
  return at < versions.size() ? versions[at] : Version();
}

// Releases before the first one of a model type cannot load it, so only the later ones count. Returns the reason if
// none of them is later, or if the names of some are unknown.
static std::optional<std::string> restrict_releases(Progress& progress, const Family& family, const std::string& type) {
  const Version since = of_type(family.since, family, type);
  const Version measured = of_type(family.measured, family, type);
  if (progress.transformers.last < since) {
    return fmt::format("transformers {} does not have `{}`", to_string(progress.transformers), base::printable(type));
  }
  progress.transformers.first = std::max(progress.transformers.first, since);
  if (progress.transformers.first < measured) {
    return fmt::format("the names of `{}` before transformers {} are unknown", base::printable(type),
                       to_string(measured));
  }
  return std::nullopt;
}

DerivedOrError derive(const Value& config, View view, const Build& build) {
  const Construction model = construction_of(config, build);
  if (!model.unknown.empty()) {
    return LoadError{model.unknown};
  }
  const auto family = find_family(model.shared.architecture, model.type);
  Progress progress;
  progress.transformers = transformers_of(build);
  progress.llmcompressor = llmcompressor_of(build);
  progress.linearized = view == View::linearized;
  if (auto reason = restrict_releases(progress, *family, model.type)) {
    return LoadError{std::move(*reason)};
  }
  Scope scope(*model.config, class_of(model.type), progress);
  scope.variables["view"] = Value{std::string(name_of(view)), {}};
  scope.variables["arch"] = Value{model.shared.architecture, {}};
  for (const Row& row : family->rows) {
    if (row.kind == Row::Kind::alias || row.kind == Row::Kind::flat) scope.define(row);
  }
  for (const auto& [name, value] : family->prefixes) scope.variables[name] = evaluate(value, scope).get();
  Derived out{model.architecture, {}, {}, {}, family->remote, {}};
  for (const Row& row : family->rows) {
    if (row.kind == Row::Kind::rename) out.renames.emplace_back(row.name, row.text);
    if (row.kind == Row::Kind::other) out.other_renames.emplace_back(row.name, row.text);
  }
  expand(family->rows, scope, {"", model.architecture, {}, {}}, out.layers);
  if (view != View::checkpoint && has_old_names(family->rows, scope)) use_old_names(out);
  const bool same_head = model.shared.head == Head::own;
  if (progress.fault.empty() && !same_head &&
      !replace_head(model.shared.head, model.architecture, model.type, labels_of(scope), out.layers)) {
    return LoadError{unknown(model.architecture, model.type)};
  }
  if (!progress.fault.empty()) {
    return LoadError{progress.is_unknown
                         ? progress.fault
                         : fmt::format("does not describe a `{}`: {}", model.architecture, progress.fault)};
  }
  out.raises = std::move(progress.raises);
  out.heads = number_of(scope, "num_attention_heads");
  out.key_value_heads = number_of(scope, "num_key_value_heads");
  out.vocabulary = number_of(scope, "vocab_size");
  out.experts = experts_of(config, out.layers);
  if (out.experts.value_or(0) > 0) out.experts_per_token = number_of(scope, "num_experts_per_tok");
  return out;
}

// --- names in checkpoints -----------------------------------------------------------------------------

struct Renamer::Impl {
  std::vector<regex::Substitution> rules;
  std::map<std::string, std::string> known;  // with 0 for all numbers

  std::string rename(std::string name) const {
    for (const regex::Substitution& rule : rules) name = rule.apply(name);
    return name;
  }

  // Names that differ only in numbers are renamed alike, so each form of a name is renamed once.
  std::string rename_form(const std::string& name) {
    std::vector<std::string> numbers;
    std::string form;
    for_each_part(name, [&](std::string_view part, bool number) {
      if (number) numbers.emplace_back(part);
      form += number ? "0" : part;
    });
    auto [found, added] = known.try_emplace(form);
    if (added) found->second = rename(form);
    std::string out;
    std::size_t used = 0;
    for_each_part(found->second, [&](std::string_view part, bool number) {
      out += number && used < numbers.size() ? std::string_view(numbers[used++]) : part;
    });
    return out;
  }

  // Calls visit(part, is number) for the parts of a name between dots, and for the dots.
  static void for_each_part(std::string_view name, auto visit) {
    for (std::size_t at = 0; at < name.size();) {
      const std::size_t end = name[at] == '.' ? at + 1 : std::min(name.find('.', at), name.size());
      const std::string_view part = name.substr(at, end - at);
      visit(part, std::ranges::all_of(part, base::is_digit));
      at = end;
    }
  }
};

Renamer::Renamer(const std::vector<std::pair<std::string, std::string>>& renames) : impl_(std::make_unique<Impl>()) {
  for (const auto& [pattern, replacement] : renames) {
    if (auto rule = regex::Substitution::compile(pattern, replacement)) impl_->rules.push_back(*std::move(rule));
  }
}

Renamer::~Renamer() = default;

std::string Renamer::tensor(const std::string& name) { return impl_->rules.empty() ? name : impl_->rename_form(name); }

std::string Renamer::module(const std::string& name) {
  if (impl_->rules.empty() || name.empty()) {
    return name;
  }
  std::string renamed = impl_->rename_form(name + ".");
  renamed.pop_back();
  return renamed;
}

}  // namespace sparsecfg::architecture
