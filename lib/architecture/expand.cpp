#include "architecture/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace sparsecfg::architecture {

namespace {

using source::List;
using source::Value;
using Kind = Row::Kind;

// The classes of activation functions by the name in a configuration.
constexpr std::pair<std::string_view, std::string_view> kActivations[] = {
    {"gelu", "GELUActivation"},
    {"gelu_new", "NewGELUActivation"},
    {"gelu_fast", "FastGELUActivation"},
    {"gelu_pytorch_tanh", "GELUTanh"},
    {"gelu_python", "GELUActivation"},
    {"gelu_10", "ClippedGELUActivation"},
    {"quick_gelu", "QuickGELUActivation"},
    {"relu", "ReLU"},
    {"relu2", "ReLUSquaredActivation"},
    {"silu", "SiLUActivation"},
    {"swish", "SiLU"},
    {"sigmoid", "Sigmoid"},
    {"tanh", "Tanh"},
    {"mish", "MishActivation"},
    {"relu6", "ReLU6"},
    {"linear", "LinearActivation"},
    {"xielu", "XIELUActivation"},
};

class Expander {
 public:
  explicit Expander(Progress& progress, std::vector<Layer>& out) : progress_(progress), out_(out) {}

  // `layer` is the index of the layer that the rows describe.
  void expand(const std::vector<Row>& rows, const std::string& prefix, Scope& scope, std::size_t layer) {
    for (const Row& row : rows) {
      if (!progress_.fault.empty()) return;
      if (!row.condition || is_true(evaluate(row.condition, scope).get())) expand_row(row, prefix, scope, layer);
    }
  }

 private:
  void expand_row(const Row& row, const std::string& prefix, Scope& scope, std::size_t layer) {
    switch (row.kind) {
      case Kind::module: return add(row, prefix + text_of(row.label, scope), scope);
      case Kind::loop: return repeat(row, prefix, scope);
      case Kind::splice: return splice(row, prefix, scope, layer);
      case Kind::parameter:
      case Kind::buffer: return add_tensor(row, row.name, scope, layer);
      case Kind::condition:
        if (is_true(evaluate(row.value, scope).get())) expand(row.rows, prefix, scope, layer);
        return;
      case Kind::refuse:
        if (is_true(evaluate(row.value, scope).get())) progress_.fail("not supported: " + row.name);
        return;
      case Kind::raise:
        if (is_true(evaluate(row.value, scope).get()) && progress_.raises.empty()) progress_.raises = row.name;
        return;
      case Kind::let:
      case Kind::null:
      case Kind::missing:
      case Kind::absent: return scope.define(row);
      case Kind::rename:
      case Kind::other:
      case Kind::alias:
      case Kind::flat:
      case Kind::pack:
      case Kind::old:
      case Kind::ignored: return;
    }
  }

  // The children of a layer often differ only in their number. They are expanded once and copied if no expression has
  // read the number.
  void repeat(const Row& row, const std::string& prefix, Scope& scope) {
    const Item item = evaluate(row.value, scope);
    const auto* whole = item.get().get<std::int64_t>();
    if (whole == nullptr || *whole < 0) {
      return progress_.fail(fmt::format("{} is not a number of layers", source::describe(item.get())));
    }
    const std::int64_t count = *whole;  // a copy, because the rows below may replace the variable
    if (static_cast<std::uint64_t>(count) > kMaxModules) return fail_for_size();
    const bool was_read = progress_.read.erase(row.name) > 0;
    const auto outer = scope.variables.find(row.name);
    const std::optional<Value> shadowed = outer == scope.variables.end() ? std::nullopt : std::optional(outer->second);
    for (std::int64_t at = 0; at < count && progress_.fault.empty(); ++at) {
      scope.variables[row.name] = Value{at, {}};
      const std::size_t begin = out_.size();
      add(row, prefix + std::to_string(at), scope);
      if (!progress_.read.contains(row.name)) {
        copy(begin, prefix, count);
        break;
      }
    }
    scope.variables.erase(row.name);
    if (shadowed) scope.variables[row.name] = *shadowed;
    if (was_read) progress_.read.insert(row.name);
  }

  // Copies the layers of child 0, which begin at `begin`, for the other children.
  void copy(std::size_t begin, const std::string& prefix, std::int64_t count) {
    const std::size_t end = out_.size();
    const std::size_t size = end - begin;
    if (begin + size * static_cast<std::size_t>(count) > kMaxModules) return fail_for_size();
    // Growing by exact sizes would copy all layers for each loop.
    const std::size_t all = begin + size * static_cast<std::size_t>(count);
    if (all > out_.capacity()) out_.reserve(std::max(all, 2 * out_.capacity()));
    for (std::int64_t child = 1; child < count; ++child) {
      const std::string own = prefix + std::to_string(child);
      for (std::size_t at = begin; at < end; ++at) {
        const Layer& first = out_[at];
        std::string name;
        name.reserve(own.size() + first.name.size());
        name.append(own).append(first.name, prefix.size() + 1);
        out_.push_back({std::move(name), first.type, first.tensors, first.tied, first.tied_bias});
      }
    }
  }

  void fail_for_size() { progress_.fail(fmt::format("the model has more than {} modules", kMaxModules)); }

  void splice(const Row& row, const std::string& prefix, Scope& scope, std::size_t layer) {
    std::map<std::string, Value, std::less<>> arguments;
    for (const auto& [name, value] : row.arguments) arguments[name] = evaluate(value, scope).get();
    Scope& inner = row.scope.empty() ? scope : scope.nested(row.scope);
    const auto saved = inner.variables;
    if (&inner != &scope) {
      for (const auto& [name, value] : scope.variables) inner.variables[name] = value;
    }
    for (auto& [name, value] : arguments) inner.variables[name] = std::move(value);
    expand(block(row.name), prefix, inner, layer);
    inner.variables = saved;
  }

  const std::vector<Row>& block(const std::string& name) {
    const auto [known, added] = blocks_.try_emplace(name);
    if (added) known->second = find_block(name);
    return known->second;
  }

  std::string text_of(const Template& text, Scope& scope) {
    std::string out;
    for (const auto& [literal, value] : text) {
      out += literal;
      if (value) out += source::python_str(evaluate(value, scope).get());
    }
    return out;
  }

  std::string type_of(const Row& row, Scope& scope) {
    if (!row.activation) {
      return text_of(row.type, scope);
    }
    const Item value = evaluate(row.activation, scope);
    const auto* name = value.get().get<std::string>();
    for (const auto& [known, type] : kActivations) {
      if (name != nullptr && *name == known) return std::string(type);
    }
    progress_.fail(fmt::format("the activation function {} is unknown", source::describe(value.get())));
    return {};
  }

  void add(const Row& row, const std::string& name, Scope& scope) {
    if (out_.size() >= kMaxModules) return fail_for_size();
    const std::size_t index = out_.size();
    out_.push_back({name, type_of(row, scope), {}, {}});
    if (row.shape && !(row.weightless && is_true(evaluate(row.weightless, scope).get()))) {
      add_tensor(row, "weight", scope, index);
    }
    if (row.bias && is_true(evaluate(row.bias, scope).get())) add_bias(row, scope, index);
    Scope* inner = &scope;
    if (!row.tie.empty() && is_tied(scope)) {
      out_[index].tied = row.tie;
      out_[index].tied_bias = row.tied_bias;
    }
    if (!row.scope.empty()) {
      inner = &scope.nested(row.scope);
      if (inner != &scope) {
        for (const auto& [key, value] : scope.variables) inner->variables[key] = value;
      }
    }
    expand(row.rows, name + ".", *inner, index);
  }

  // A configuration without the field does not tie layers.
  bool is_tied(Scope& scope) {
    if (!progress_.fault.empty()) return false;
    const bool tied = is_true(scope.find("tie_word_embeddings").get());
    if (progress_.fault.empty()) return tied;
    progress_.fault.clear();
    return false;
  }

  std::optional<model::Shape> shape_of(const Expression& expression, Scope& scope) {
    const Item item = evaluate(expression, scope);
    const auto* sizes = item.get().get<List>();
    model::Shape out;
    for (const Value& size : sizes == nullptr ? List() : *sizes) {
      const auto* whole = size.get<std::int64_t>();
      const std::int64_t number = whole != nullptr ? *whole : size.get<bool>() != nullptr && *size.get<bool>() ? 1 : 0;
      if ((whole == nullptr && size.get<bool>() == nullptr) || number < 0) {
        progress_.fail(fmt::format("{} is not a size of a tensor", source::describe(size)));
        return std::nullopt;
      }
      out.push_back(static_cast<std::uint64_t>(number));
    }
    if (!model::elements_of(out)) {
      progress_.fail(fmt::format("a tensor of {} is too large", model::to_text(out)));
      return std::nullopt;
    }
    return out;
  }

  void add_tensor(const Row& row, std::string_view name, Scope& scope, std::size_t layer) {
    if (auto shape = shape_of(row.shape, scope)) {
      out_[layer].tensors.push_back({std::string(name), *std::move(shape), row.kind == Kind::buffer, row.single_byte});
    }
  }

  // A bias has one value per output. Conv1D of GPT-2 stores its outputs last.
  void add_bias(const Row& row, Scope& scope, std::size_t layer) {
    const auto shape = shape_of(row.shape, scope);
    if (!shape || shape->empty()) {
      return;
    }
    out_[layer].tensors.push_back({"bias", {out_[layer].type == "Conv1D" ? shape->back() : shape->front()}});
  }

  Progress& progress_;
  std::vector<Layer>& out_;
  std::unordered_map<std::string, std::vector<Row>> blocks_;
};

}  // namespace

void expand(const std::vector<Row>& rows, Scope& scope, Layer root, std::vector<Layer>& out) {
  out.push_back(std::move(root));
  Expander(scope.progress(), out).expand(rows, "", scope, 0);
}

}  // namespace sparsecfg::architecture
