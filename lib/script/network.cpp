#include "script/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace sparsecfg::script {

using Kind = Value::Kind;
using Shape = std::vector<std::uint64_t>;

static constexpr std::string_view kLibrary = "torch.nn.";
static constexpr std::string_view kModule = "torch.nn.Module";

// --- classes of torch.nn ---------------------------------------------------------------------------------------

// Computes the shape of the weight from the arguments of a call; nullopt if it is not known.
using ShapeOf = std::optional<Shape> (*)(const Value& call);

static std::optional<std::uint64_t> size_in(const Ref& value) {
  const auto* number =
      value == nullptr || value->kind != Kind::scalar ? nullptr : std::get_if<std::int64_t>(&value->data);
  return number == nullptr || *number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*number));
}

static std::optional<std::uint64_t> size_of(const Value& call, std::string_view name, std::size_t position) {
  return size_in(call.argument(name, position));
}

// Returns a flag; nullopt if it is not known.
static std::optional<bool> flag_of(const Value& call, std::string_view name, std::size_t position, bool fallback) {
  const Ref value = call.argument(name, position);
  if (value == nullptr) return fallback;
  const auto* flag = value->kind == Kind::scalar ? std::get_if<bool>(&value->data) : nullptr;
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

// Returns a size for each dimension: a number for all of them, or a tuple.
static std::optional<Shape> sizes_of(const Ref& value, std::size_t dimensions) {
  if (const auto number = size_in(value)) return Shape(dimensions, *number);
  if (value == nullptr || !is_sequence(*value) || value->items.size() != dimensions) return std::nullopt;
  Shape out;
  for (const Ref& each : value->items) {
    const auto size = size_in(each);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

static std::optional<Shape> no_weight(const Value& /*call*/) { return Shape(); }

static std::optional<Shape> linear(const Value& call) {
  const auto inputs = size_of(call, "in_features", 0);
  const auto outputs = size_of(call, "out_features", 1);
  return inputs && outputs ? std::optional(Shape{*outputs, *inputs}) : std::nullopt;
}

static std::optional<Shape> embedding(const Value& call) {
  const auto rows = size_of(call, "num_embeddings", 0);
  const auto columns = size_of(call, "embedding_dim", 1);
  return rows && columns ? std::optional(Shape{*rows, *columns}) : std::nullopt;
}

// `Transposed`: the weight begins with the inputs.
template <std::size_t Dimensions, bool Transposed = false>
static std::optional<Shape> convolution(const Value& call) {
  const auto inputs = size_of(call, "in_channels", 0);
  const auto outputs = size_of(call, "out_channels", 1);
  const auto kernel = sizes_of(call.argument("kernel_size", 2), Dimensions);
  const Ref groups = call.argument("groups", 6);
  const auto count = groups == nullptr ? std::optional<std::uint64_t>(1) : size_in(groups);
  if (!inputs || !outputs || !kernel || !count || *count == 0) return std::nullopt;
  Shape out = Transposed ? Shape{*inputs, *outputs / *count} : Shape{*outputs, *inputs / *count};
  out.insert(out.end(), kernel->begin(), kernel->end());
  return out;
}

static std::optional<Shape> scale(const std::optional<bool>& has, const std::optional<std::uint64_t>& size) {
  if (!has || (*has && !size)) return std::nullopt;
  return *has ? Shape{*size} : Shape();
}

static std::optional<Shape> batch_norm(const Value& call) {
  return scale(flag_of(call, "affine", 3, true), size_of(call, "num_features", 0));
}

static std::optional<Shape> instance_norm(const Value& call) {
  return scale(flag_of(call, "affine", 3, false), size_of(call, "num_features", 0));
}

static std::optional<Shape> group_norm(const Value& call) {
  return scale(flag_of(call, "affine", 3, true), size_of(call, "num_channels", 1));
}

static std::optional<Shape> layer_norm(const Value& call) {
  const auto has = flag_of(call, "elementwise_affine", 2, true);
  const Ref shape = call.argument("normalized_shape", 0);
  const std::size_t dimensions = shape != nullptr && is_sequence(*shape) ? shape->items.size() : 1;
  const auto sizes = sizes_of(shape, dimensions);
  return !has || (*has && !sizes) ? std::nullopt : std::optional(*has ? *sizes : Shape());
}

static std::optional<Shape> prelu(const Value& call) {
  const Ref number = call.argument("num_parameters", 0);
  const auto size = number == nullptr ? std::optional<std::uint64_t>(1) : size_in(number);
  return size ? std::optional(Shape{*size}) : std::nullopt;
}

struct Weighted {
  std::string_view name;
  ShapeOf shape;
};

static constexpr Weighted kWeighted[] = {
    {"Linear", &linear},
    {"Embedding", &embedding},
    {"Conv1d", &convolution<1>},
    {"Conv2d", &convolution<2>},
    {"Conv3d", &convolution<3>},
    {"ConvTranspose1d", &convolution<1, true>},
    {"ConvTranspose2d", &convolution<2, true>},
    {"ConvTranspose3d", &convolution<3, true>},
    {"BatchNorm1d", &batch_norm},
    {"BatchNorm2d", &batch_norm},
    {"BatchNorm3d", &batch_norm},
    {"InstanceNorm1d", &instance_norm},
    {"InstanceNorm2d", &instance_norm},
    {"InstanceNorm3d", &instance_norm},
    {"GroupNorm", &group_norm},
    {"LayerNorm", &layer_norm},
    {"PReLU", &prelu},
};

// Layers without a parameter `weight` and without modules of their own.
static constexpr std::string_view kPlain[] = {
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "GELU",
    "SiLU",
    "ELU",
    "SELU",
    "CELU",
    "Mish",
    "Softplus",
    "Tanh",
    "Sigmoid",
    "Hardswish",
    "Hardsigmoid",
    "Hardtanh",
    "Softmax",
    "LogSoftmax",
    "Softmax2d",
    "Identity",
    "Flatten",
    "Unflatten",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "AlphaDropout",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Upsample",
    "ZeroPad2d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad2d",
    "PixelShuffle",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "LSTM",
    "GRU",
    "RNN",
    "LSTMCell",
    "GRUCell",
    "CrossEntropyLoss",
    "NLLLoss",
    "MSELoss",
    "L1Loss",
    "SmoothL1Loss",
    "KLDivLoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "CosineSimilarity",
};

static constexpr std::string_view kContainers[] = {"Sequential", "ModuleList", "ModuleDict"};

static std::string_view layer_name(const Value& value) { return std::string_view(value.path).substr(kLibrary.size()); }

static bool is_of_torch(const Value& value) {
  if (!value.imported || !value.path.starts_with(kLibrary)) return false;
  const std::string_view name = layer_name(value);
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && name.find('.') == std::string_view::npos;
}

// Attributes and arguments of these classes are tensors and settings.
static bool is_parameter(std::string_view name) { return name == "Parameter" || name == "ParameterList"; }

// Returns true for a class of layers or containers. DataParallel gives other names to its modules.
static bool is_layer_class(std::string_view name) { return !is_parameter(name) && name != "DataParallel"; }

bool builds_layer(const Value& callee) {
  return callee.kind == Kind::name && is_of_torch(callee) && callee.path != kModule &&
         is_layer_class(layer_name(callee));
}

bool is_module_class(const Value& callee) {
  return callee.kind == Kind::name && callee.imported && callee.path == kModule;
}

bool is_network(const Value& value) {
  return value.kind == Kind::object && is_of_torch(value) && is_layer_class(layer_name(value));
}

void make_network(Value& instance) {
  instance.kind = Kind::object;
  instance.path = kModule;
  instance.imported = true;
}

std::string class_of(const Value& network) {
  return network.owner != nullptr ? network.owner->text : std::string(layer_name(network));
}

// --- modules ---------------------------------------------------------------------------------------------------

// Returns true for a value that is no module, whatever the run is.
static bool is_setting(const Value& value) {
  static constexpr std::string_view kTensors[] = {"torch.tensor", "torch.zeros",  "torch.ones",    "torch.randn",
                                                  "torch.empty",  "torch.rand",   "torch.arange",  "torch.full",
                                                  "torch.device", "torch.Tensor", "torch.linspace"};
  static constexpr std::string_view kPlainLibraries[] = {"torch.", "math.", "numpy."};
  switch (value.kind) {
    case Kind::object:
      return (is_of_torch(value) && is_parameter(layer_name(value))) || base::contains(kTensors, value.path);
    case Kind::name:
      return !value.imported || std::ranges::any_of(kPlainLibraries, [&](std::string_view library) {
        return value.path.starts_with(library);
      });
    case Kind::unknown: return false;
    default: return true;
  }
}

// The children of a module by their names, in order. A later child with a name replaces the earlier one in its place.
class Children {
 public:
  void set(const std::string& name, const Ref& value) {
    const auto known = std::ranges::find(all_, name, &std::pair<std::string, Ref>::first);
    if (is_none(*value)) {
      if (known != all_.end()) all_.erase(known);
    } else if (known != all_.end()) {
      known->second = value;
    } else {
      all_.emplace_back(name, value);
    }
  }

  [[nodiscard]] const std::vector<std::pair<std::string, Ref>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, Ref>> all_;
};

// Collects the modules of a network. A module with several names has the first one.
class Collector {
 public:
  Network run(const Value& network) {
    add(network, "", 0);
    return std::move(out_);
  }

 private:
  void fail(std::string why, source::Span cause) {
    if (!out_.why.empty()) return;
    out_.why = std::move(why);
    out_.cause = cause;
  }

  void add(const Value& module, const std::string& name, int depth) {
    constexpr int kMaxDepth = 64;
    if (!out_.why.empty() || !seen_.insert(&module).second) return;
    if (depth > kMaxDepth || out_.layers.size() >= limits::kMaxScriptCopied)
      return fail("the network is too large to follow", module.span);
    if (module.open || module.escaped)
      return fail(module.text.empty() ? "the script can change it" : module.text,
                  module.why.empty() ? module.span : module.why);
    const std::string type = class_of(module);
    const bool own = module.path == kModule;
    if (own && is_class_of_torch(type))
      return fail(fmt::format("the script has a class `{}` of its own", type), module.span);
    if (own && module.argument("weight") != nullptr) return fail("the sizes of a weight are not known", module.span);
    if (!own && !base::contains(kContainers, type)) return add_layer(module, name, type);
    out_.layers.push_back({name, type, {}});
    Children children;
    if (!own) add_elements(module, children);
    add_named(module, children);
    for (const auto& [child, value] : children.all()) add_child(value, name, child, depth);
  }

  static bool is_class_of_torch(std::string_view type) {
    return base::contains(kPlain, type) || base::contains(kContainers, type) ||
           std::ranges::find(kWeighted, type, &Weighted::name) != std::end(kWeighted);
  }

  void add_layer(const Value& module, const std::string& name, const std::string& type) {
    const auto* row = std::ranges::find(kWeighted, type, &Weighted::name);
    const bool weighted = row != std::end(kWeighted);
    if (!weighted && !base::contains(kPlain, type))
      return fail(fmt::format("the modules of `nn.{}` are not known", type), module.span);
    const bool spread = !module.names.empty() && module.names.back().value == "**";
    const auto shape = spread ? std::nullopt : weighted ? row->shape(module) : no_weight(module);
    if (!shape) return fail(fmt::format("the sizes of a `{}` are not known", type), module.span);
    out_.layers.push_back({name, type, *shape});
  }

  void add_child(const Ref& value, const std::string& parent, const std::string& name, int depth) {
    if (!is_network(*value)) {
      return fail(value->text.empty() ? fmt::format("the module `{}` is not known", name) : value->text, value->span);
    }
    add(*value, parent.empty() ? name : parent + "." + name, depth + 1);
  }

  // Adds attributes, except those that can't be modules.
  static void add_named(const Value& module, Children& children) {
    for (std::size_t at = 0; at < module.names.size(); ++at) {
      const Ref& value = module.items[module.items.size() - module.names.size() + at];
      if (is_none(*value) || !is_setting(*value)) children.set(module.names[at].value, value);
    }
  }

  // Adds the elements of a container: its arguments, or those of its only argument.
  void add_elements(const Value& module, Children& children) {
    std::vector<Ref> values(module.items.begin(),
                            module.items.end() - static_cast<std::ptrdiff_t>(module.names.size()));
    if (values.size() == 1 && values.front()->kind == Kind::dictionary) return add_entries(*values.front(), children);
    if (values.size() == 1 && class_of(module) != "Sequential") {
      if (!is_sequence(*values.front())) return fail("the modules of a list are not known", values.front()->span);
      values = values.front()->items;
    }
    for (std::size_t at = 0; at < values.size(); ++at) children.set(fmt::format("{}", at), values[at]);
  }

  void add_entries(const Value& mapping, Children& children) {
    if (!is_closed_mapping(mapping)) return fail("the keys of the modules are not known", mapping.span);
    for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
      const std::string* key = mapping.items[at]->string();
      if (key == nullptr) return fail("the keys of the modules are not known", mapping.span);
      children.set(*key, mapping.items[at + 1]);
    }
  }

  Network out_;
  std::set<const Value*> seen_;
};

Network modules_of(const Value& network) { return Collector().run(network); }

}  // namespace sparsecfg::script
