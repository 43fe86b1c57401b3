#include "outcome/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "outcome/storage.h"
#include "outcome/words.h"

namespace sparsecfg::outcome {

using architecture::Layer;
using model::Module;

namespace {

constexpr double kFullBits = 16;  // of a value that is not quantized

std::uint64_t count_of(const model::Shape& shape) { return model::elements_of(shape).value_or(0); }

double full_bits(const Module& module) {
  return module.shape ? static_cast<double>(count_of(*module.shape)) * kFullBits : 0;
}

// Returns the bits of the tensors of a layer with 16 bits for each value, without those that it shares.
double full_bits(const Module& module, const Layer* layer) {
  if (layer == nullptr) return full_bits(module);
  double bits = 0;
  for (const architecture::Tensor& tensor : layer->tensors) {
    if (layer->shares(tensor)) continue;
    bits += static_cast<double>(count_of(tensor.shape)) * (tensor.single_byte ? 8 : kFullBits);
  }
  return bits;
}

// Counts modules by class and text, in the order of the first module.
class Counts {
 public:
  void add(std::string_view type, const std::string& text) {
    const auto same = [&](const Row& row) { return row.type == type && row.text == text; };
    const auto found = std::ranges::find_if(rows_, same);
    if (found != rows_.end()) {
      ++found->count;
    } else {
      rows_.push_back({type, text, 1});
    }
  }

  struct Row {
    std::string_view type;
    std::string text;
    std::size_t count;
  };

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

// The layers of one class.
struct Class {
  std::string_view type;
  std::size_t all = 0;
  std::vector<std::pair<std::string, std::size_t>> schemes{};  // number of layers by scheme
  std::vector<std::string> others{};                           // names of layers without a scheme
};

class Summary {
 public:
  Summary(const Outcome& outcome, const std::vector<Module>& modules, const std::vector<Layer>& layers, double others)
      : outcome_(outcome), modules_(modules), layers_(layers), before_(others), after_(others) {}

  // Returns the bits after the recipe; nullopt if they are unknown.
  std::optional<double> size() {
    for (std::size_t at = 0; at < modules_.size(); ++at) add(at);
    return is_sized() ? std::optional(after_) : std::nullopt;
  }

  std::string text() {
    for (std::size_t at = 0; at < modules_.size(); ++at) add(at);
    std::vector<std::string> parts;
    for (const Class& each : classes_) {
      if (!each.schemes.empty()) parts.push_back(class_text(each));
    }
    add_counts(prunings_, parts);
    add_counts(caches_, parts);
    add_counts(transforms_, parts);
    if (unknown_ > 0) parts.push_back(fmt::format("{} unknown", base::counted(unknown_, "layer")));
    const auto acts = [](const ir::Action& action) { return !action.operations.empty(); };
    if (parts.empty() && std::ranges::none_of(outcome_.recipe->actions, acts)) return {};  // the effect is unknown
    if (parts.empty()) parts.emplace_back("no layer is changed");
    return fmt::format("{}{}", fmt::join(parts, "; "), size_text());
  }

 private:
  void add(std::size_t at) {
    const Module& module = modules_[at];
    const State& state = outcome_.at(at);
    add_size(at, module, state);
    if (state.unknown) return add_unknown(module);
    if (state.cached) caches_.add(module.type, "cache " + cache_text(outcome_, state));
    if (state.scheme.is_empty() && !has_matrix(module, layer_at(layers_, modules_.size(), at))) {
      return add_block(module, state);
    }
    for (const Step& step : state.transforms) transforms_.add(module.type, transform_text(outcome_, step));
    add_scheme(module, state);
    if (state.pruned) prunings_.add(module.type, pruning_text(outcome_, state));
  }

  // Counts transforms of whole blocks, such as the removal of experts. The sizes of their layers are then unknown.
  void add_block(const Module& module, const State& state) {
    for (const Step& step : state.transforms) {
      if (outcome_.as<ir::Transform>(step)->kind != ir::Transform::Kind::other) continue;
      transforms_.add(module.type, transform_text(outcome_, step));
      unsized_ = true;
    }
  }

  void add_unknown(const Module& module) {
    ++unknown_;
    ++class_of(module.type).all;
  }

  static bool has_matrix(const Module& module, const Layer* layer) {
    const auto is_matrix = [](const Module& each) { return each.shape && each.shape->size() >= 2; };
    return module.shape ? is_matrix(module) : std::ranges::any_of(matrices_of(module, layer), is_matrix);
  }

  static bool has_shape(const Module& module, const Layer* layer) {
    return std::ranges::any_of(matrices_of(module, layer), [](const Module& each) { return each.shape.has_value(); });
  }

  void add_size(std::size_t at, const Module& module, const State& state) {
    const Layer* layer = layer_at(layers_, modules_.size(), at);
    const double before = full_bits(module, layer);
    before_ += before;
    const bool shared = layer != nullptr && !layer->tied.empty();
    after_ += before;
    if (state.scheme.is_empty()) return;
    unsized_ = unsized_ || !has_shape(module, layer);
    after_ += stored_bits(outcome_, at, module, layer);
    for (const Module& matrix : matrices_of(module, layer)) after_ -= shared ? 0 : full_bits(matrix);
  }

  void add_scheme(const Module& module, const State& state) {
    Class& mine = class_of(module.type);
    ++mine.all;
    if (state.scheme.is_empty()) {
      mine.others.push_back(module.name);
      return;
    }
    const std::string text = ir::describe(state.scheme);
    const auto known = std::ranges::find(mine.schemes, text, &std::pair<std::string, std::size_t>::first);
    if (known != mine.schemes.end()) {
      ++known->second;
    } else {
      mine.schemes.emplace_back(text, 1);
    }
  }

  Class& class_of(std::string_view type) {
    const auto known = std::ranges::find(classes_, type, &Class::type);
    return known != classes_.end() ? *known : classes_.emplace_back(Class{type});
  }

  void add_counts(const Counts& counts, std::vector<std::string>& parts) const {
    for (const Counts::Row& row : counts.rows()) {
      const auto all = static_cast<std::size_t>(std::ranges::count(modules_, row.type, &Module::type));
      parts.push_back(fmt::format("{} {} layers{}{}", of_text(row.count, all), base::printable(row.type),
                                  row.text.starts_with("cache ") ? ": " : " ", row.text));
    }
  }

  static std::string of_text(std::size_t count, std::size_t all) { return fmt::format("{} of {}", count, all); }

  [[nodiscard]] std::string class_text(const Class& each) const {
    std::vector<std::string> schemes;
    for (const auto& [text, number] : each.schemes) {
      const std::string noun = each.type.empty() ? "tensors" : base::printable(each.type) + " layers";
      schemes.push_back(fmt::format("{} {}: {}", of_text(number, each.all), noun, text));
    }
    std::string out = fmt::format("{}", fmt::join(schemes, ", "));
    if (!each.others.empty()) out += "; " + others_text(each.others);
    return out;
  }

  // "lm_head stays 16-bit", or a count with the last parts of the names, and the numbers of their blocks.
  [[nodiscard]] std::string others_text(const std::vector<std::string>& names) const {
    constexpr std::size_t kMaxNames = 3;
    if (names.size() == 1) {
      return base::printable(names.front()) + " stays 16-bit";
    }
    std::vector<std::string> shown;
    if (names.size() <= kMaxNames) {
      for (const std::string& name : names) shown.push_back(base::printable(name));
      return base::join_and(shown) + " stay 16-bit";
    }
    for (const std::string& name : names) {
      const std::string last = base::printable(base::last_part(name));
      if (std::ranges::find(shown, last) == shown.end()) shown.push_back(last);
    }
    const bool more = shown.size() > kMaxNames;
    if (more) shown.resize(kMaxNames);
    return fmt::format("{} stay 16-bit ({}{}{})", names.size(), fmt::join(shown, ", "), more ? ", ..." : "",
                       blocks_text(names));
  }

  // The numbered blocks of layers by the word before the number: "layers".
  using Blocks = std::map<std::string, std::set<std::uint64_t>, std::less<>>;

  static void add_block(std::string_view name, Blocks& out) {
    const std::vector<std::string_view> parts = base::parts_of(name, '.');
    for (std::size_t at = 1; at < parts.size(); ++at) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(parts[at].data(), parts[at].data() + parts[at].size(), number);
      if (error != std::errc() || end != parts[at].data() + parts[at].size()) continue;
      out[base::printable(parts[at - 1])].insert(number);
      return;
    }
  }

  // Returns " of layers 1, 10 to 19"; empty if all blocks of the model have such layers, or if they are of several
  // kinds.
  [[nodiscard]] std::string blocks_text(const std::vector<std::string>& names) const {
    constexpr std::size_t kMaxRanges = 4;
    Blocks some;
    Blocks all;
    for (const std::string& name : names) add_block(name, some);
    for (const Module& module : modules_) add_block(module.name, all);
    if (some.size() != 1 || all[some.begin()->first] == some.begin()->second) return {};
    const auto& [word, numbers] = *some.begin();
    std::vector<std::string> ranges;
    for (auto at = numbers.begin(); at != numbers.end();) {
      const std::uint64_t first = *at;
      std::uint64_t last = first;
      for (++at; at != numbers.end() && *at == last + 1; ++at) ++last;
      ranges.push_back(first == last ? std::to_string(first) : fmt::format("{} to {}", first, last));
    }
    const bool more = ranges.size() > kMaxRanges;
    if (more) ranges.resize(kMaxRanges);
    return fmt::format(" of {} {}{}", word, fmt::join(ranges, ", "), more ? ", ..." : "");
  }

  [[nodiscard]] bool is_sized() const { return before_ != 0 && !unsized_ && unknown_ == 0; }

  std::string size_text() const {
    constexpr double kGiga = 8e9;
    constexpr double kMega = 8e6;
    if (!is_sized()) return {};
    const bool giga = before_ >= kGiga;
    const double unit = giga ? kGiga : kMega;
    return fmt::format("; {:.{}f} -> {:.{}f} {}", before_ / unit, 1, after_ / unit, 1, giga ? "GB" : "MB");
  }

  const Outcome& outcome_;
  const std::vector<Module>& modules_;
  const std::vector<Layer>& layers_;
  std::vector<Class> classes_;
  Counts prunings_;
  Counts caches_;
  Counts transforms_;
  std::size_t unknown_ = 0;
  bool unsized_ = false;  // true if the shape of a quantized layer is unknown
  double before_;
  double after_;
};

}  // namespace

double unquantized_bits(const std::vector<Module>& modules, const std::vector<Layer>& layers) {
  double bits = 0;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    bits += full_bits(modules[at], layer_at(layers, modules.size(), at));
  }
  return bits;
}

std::optional<double> size_after(const Outcome& outcome, const std::vector<Module>& modules,
                                 const std::vector<Layer>& layers, double others) {
  return outcome.complete ? Summary(outcome, modules, layers, others).size() : std::nullopt;
}

std::string summary(const Outcome& outcome, const std::vector<Module>& modules, const std::vector<Layer>& layers,
                    double others) {
  return outcome.complete && has_outcome(*outcome.recipe) ? Summary(outcome, modules, layers, others).text()
                                                          : std::string();
}

}  // namespace sparsecfg::outcome
