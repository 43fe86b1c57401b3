#include "architecture/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>

#include "architecture/expand.h"
#include "architecture/tables.h"
#include "base/text.h"

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

// --- keys ---------------------------------------------------------------------------------------------

// Returns true for a key of any configuration class. A class of transformers ignores the keys of other classes.
static bool is_known(std::string_view key) {
  static const Value classes = value_of_json(kKnownKeys);
  const auto is_key = [&](const Value& each) {
    const auto* text = each.get<std::string>();
    return text != nullptr && *text == key;
  };
  const auto has_key = [&](const source::Entry& each) {
    const auto* list = each.second.get<List>();
    return list != nullptr && std::ranges::any_of(*list, is_key);
  };
  const auto* map = classes.get<Map>();
  return map != nullptr && std::ranges::any_of(*map, has_key);
}

// Keys that no configuration class has, with the values that do not change the modules. Sources: files on the hub, and
// fields that transformers reads outside of its classes.
struct HarmlessKey {
  std::string_view name;
  bool any_value;
};

constexpr HarmlessKey kHarmlessKeys[] = {
    {"ep_size", true},
    {"num_nextn_predict_layers", true},
    {"mtp_num_hidden_layers", true},
    {"in_chans", true},
    {"moe_layer_freq", false},
    {"attn_output_gate", false},
    {"mtp_use_dedicated_embeddings", true},
    {"n_head_kv", true},
};

// Returns true if a value means that a feature is not used.
static bool is_off(const Value& value) {
  const auto number = value.number();
  return value.is_null() || (number && *number == 0) || (value.get<List>() != nullptr && value.get<List>()->empty());
}

static bool is_harmless(std::string_view key, const Value& value) {
  const auto* found = std::ranges::find(kHarmlessKeys, key, &HarmlessKey::name);
  if (found != std::end(kHarmlessKeys)) {
    const auto number = value.number();
    return found->any_value || (number && *number == 1);
  }
  return is_off(value);
}

// Returns true if the name of a key suggests that it changes modules or shapes.
static bool is_structural(std::string_view key) {
  constexpr std::string_view kWords[] = {"layer", "expert", "head", "group", "rank", "dim", "size",   "bias",
                                         "norm",  "moe",    "mtp",  "gate",  "qk",   "mlp", "hidden", "channels"};
  // These words concern the run, the loss or the tokenizer.
  constexpr std::string_view kOther[] = {"dropout",      "loss",    "coef",   "eps",         "_id",
                                         "rope",         "init",    "type",   "scale",       "scaling",
                                         "prob",         "topk",    "top_k",  "window",      "cache",
                                         "aux",          "std",     "jitter", "temperature", "interleave_sliding",
                                         "max_position", "_fn",     "func",   "warn",        "precision",
                                         "fused",        "flash",   "dtype",  "factor",      "max_batch",
                                         "chunk_size",   "per_tok", "beam",   "pruned"};
  const auto occurs = [&](std::string_view word) { return key.find(word) != std::string_view::npos; };
  return std::ranges::any_of(kWords, occurs) && std::ranges::none_of(kOther, occurs);
}

// Returns a key that no configuration class has and that may change the structure; empty if there is none.
static std::string unknown_structure(const Value& config, const Family& family) {
  const auto is_alias = [&](std::string_view key) {
    return std::ranges::any_of(family.rows, [&](const Row& row) {
      return row.kind == Row::Kind::alias && (row.name == key || row.text == key);
    });
  };
  const auto* map = config.get<Map>();
  if (family.remote || map == nullptr) {
    return {};
  }
  for (const auto& [key, value] : *map) {
    const auto* name = key.get<std::string>();
    if (name != nullptr && is_structural(*name) && !is_harmless(*name, value) && value.get<Map>() == nullptr &&
        !is_alias(*name) && !is_known(*name)) {
      return *name;
    }
  }
  return {};
}

// --- the entry ----------------------------------------------------------------------------------------

static std::string class_of(const std::string& type) {
  if (type == "kimi_k2") return "deepseek_v3";
  return type == "RefinedWeb" || type == "RefinedWebModel" ? "falcon" : type;
}

static std::string_view name_of(View view) {
  switch (view) {
    case View::transformers: return "tf5";
    case View::linearized: return "llmc";
    case View::checkpoint: return "ckpt";
  }
  return {};
}

DerivedOrError derive(const Value& config, View view) {
  const std::string architecture = architecture_of(config);
  const std::string type = string_at(config, "model_type");
  const auto family = find_family(architecture, type);
  if (!family) {
    return LoadError{unknown(architecture, type)};
  }
  if (const std::string key = unknown_structure(config, *family); !key.empty()) {
    return LoadError{fmt::format("has the key `{}`, which `{}` does not have", base::printable(key), architecture)};
  }
  Progress progress;
  Scope scope(config, class_of(type), progress);
  scope.variables["view"] = Value{std::string(name_of(view)), {}};
  scope.variables["arch"] = Value{architecture, {}};
  for (const Row& row : family->rows) {
    if (row.kind == Row::Kind::alias || row.kind == Row::Kind::flat) scope.define(row);
  }
  for (const auto& [name, value] : family->prefixes) scope.variables[name] = evaluate(value, scope).get();
  Derived out{architecture, {}, {}, {}, family->remote};
  for (const Row& row : family->rows) {
    if (row.kind == Row::Kind::rename) out.renames.emplace_back(row.name, row.text);
    if (row.kind == Row::Kind::other) out.other_renames.emplace_back(row.name, row.text);
  }
  expand(family->rows, scope, {"", architecture, {}, {}}, out.layers);
  if (!progress.fault.empty()) {
    return LoadError{fmt::format("does not describe a `{}`: {}", architecture, progress.fault)};
  }
  return out;
}

// --- names in checkpoints -----------------------------------------------------------------------------

struct Renamer::Impl {
  std::vector<std::pair<std::regex, std::string>> rules;
  std::map<std::string, std::string> known;  // with 0 for all numbers

  std::string rename(std::string name) const {
    for (const auto& [pattern, replacement] : rules) name = std::regex_replace(name, pattern, replacement);
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
    std::string target = replacement;
    std::ranges::replace(target, '\\', '$');
    impl_->rules.emplace_back(std::regex(pattern), target);
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
