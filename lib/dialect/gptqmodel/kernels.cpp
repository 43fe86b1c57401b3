#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/languages.h"
#include "dialect/gptqmodel/methods.h"
#include "dialect/gptqmodel/read.h"
#include "dialect/quantizers/runtime.h"

// What the kernels of GPTQModel can store.
namespace sparsecfg::dialect::gptqmodel {

using source::Value;

DIAGNOSTIC(GQ108, gptq_method_without_kernel, error, (Text, Text), "{} of GPTQModel has no kernel for {}",
           "The constructor accepts the value. `quantize` selects the kernel that stores the layers before it starts, "
           "and stops with a ValueError if none fits. The values of `dynamic` must fit as well.",
           "write a value that the method has")

DIAGNOSTIC(GQ109, gptq_format_only_read, error, (Text), "GPTQModel does not quantize to the format `{}`",
           "Marlin is the layout of a kernel. `quantize` stops with a ValueError. Programs convert layers of the "
           "formats `gptq` and `gemm` to this layout when they load them.",
           "write `format: gptq`, which also runs with Marlin kernels")

DIAGNOSTIC(
    GQ206, gptq_group_without_kernel, warning, (std::int64_t), "no kernel of GPTQModel has groups of {} weights",
    "The kernels of GPTQModel have groups of 16, 32, 64, 128, 256, 512 or 1024 weights, of -1 or of a whole row. "
    "Quantization runs, and packing the layers then stops with a NotImplementedError.",
    "write `group_size: 128`")

namespace {

// The only values with which a method stores layers (docs/semantics/gptqmodel.md#c1-5).
struct KernelRow {
  Method method;
  std::int64_t bits;
  std::span<const std::int64_t> group_sizes;
  bool zero_points;
};

constexpr std::int64_t kUsualGroups[] = {-1, 16, 32, 64, 128};
constexpr std::int64_t kWideGroups[] = {-1, 128};

constexpr KernelRow kKernels[] = {{Method::awq, 4, kUsualGroups, true},
                                  {Method::qqq, 4, kWideGroups, false},
                                  {Method::paroquant, 4, kUsualGroups, false}};

// Returns the nearest size of a list that divides all widths; 128 if there is none.
std::int64_t nearest_of(std::span<const std::int64_t> sizes, std::int64_t size,
                        std::span<const std::uint64_t> widths = {}) {
  std::int64_t best = 0;
  for (const std::int64_t each : sizes) {
    const auto divides = [&](std::uint64_t width) { return width % static_cast<std::uint64_t>(each) == 0; };
    // Sizes differ by their ratio: 96 is nearer to 128 than to 64.
    const bool nearer = best == 0 || (each < size ? each > best : each * best < size * size);
    if (each > 0 && nearer && std::ranges::all_of(widths, divides)) best = each;
  }
  return best == 0 ? 128 : best;
}

// Checks the values of a configuration and of its entries against the kernels of its method.
class KernelCheck {
 public:
  KernelCheck(const Context& context, const Config& config, const KernelRow& row)
      : context_(context), config_(config), row_(row) {}

  bool run() {
    check(config_.values, config_.base, instead_of_method());
    for (const Entry& entry : config_.dynamic) {
      if (entry.unknown) continue;
      const std::string skips = entry.is_negative() ? ", or write `{}`: the entry only skips layers" : "";
      check(entry.values, layer_of(entry, config_.base), skips);
    }
    return valid_;
  }

 private:
  // Reports the values that are written in `values`.
  void check(const Value& values, const Layer& layer, const std::string& otherwise) {
    if (layer.bits != row_.bits)
      report(values, "bits", fmt::format("{} bits", layer.bits), std::to_string(row_.bits), otherwise);
    if (std::ranges::find(row_.group_sizes, layer.group_size) == row_.group_sizes.end()) {
      report(values, "group_size", fmt::format("groups of {}", layer.group_size),
             std::to_string(nearest_of(row_.group_sizes, layer.group_size)), otherwise);
    }
    if (!layer.symmetric && !row_.zero_points) report(values, "sym", "zero points", "true", otherwise);
  }

  void report(const Value& values, std::string_view name, const std::string& what, const std::string& nearest,
              const std::string& otherwise) {
    const Value* written = values.find(name);
    if (written == nullptr || context_.is_unknown(*written)) return;
    valid_ = false;
    auto& report = context_.sink.report(diag::gptq_method_without_kernel, written->span, name_of(row_.method), what);
    report.with_help(fmt::format("write `{}: {}`{}", name, nearest, otherwise));
    if (name != "sym") report.with_fix(diag::Fix::unsafe().replace(written->span, nearest));
  }

  // Returns how to keep the value with another method: GPTQ, the default.
  [[nodiscard]] std::string instead_of_method() const {
    std::vector<std::string_view> names;
    for (const std::string_view name : {"method", "quant_method", "format", "checkpoint_format"}) {
      if (config_.values.find(name) != nullptr) names.push_back(name);
    }
    return names.empty() ? std::string()
                         : fmt::format(", or delete `{}`: GPTQ accepts this value", fmt::join(names, "` and `"));
  }

  const Context& context_;
  const Config& config_;
  const KernelRow& row_;
  bool valid_ = true;
};

// Reports a format that only loaders have. Returns true then.
bool report_marlin(const Context& context, const Config& config) {
  if (config.format != "marlin") return false;
  for (const std::string_view name : {"format", "checkpoint_format", "method", "quant_method"}) {
    const Value* written = config.values.find(name);
    const auto* word = written == nullptr ? nullptr : written->get<std::string>();
    if (word == nullptr || *word != "marlin") continue;
    const std::string_view instead =
        name.ends_with("method") ? word_of(config.method) : row_of(config.method).formats.front();
    context.sink.report(diag::gptq_format_only_read, written->span, *word)
        .with_help(fmt::format("write `{}: {}`, which also runs with Marlin kernels", name, instead))
        .with_fix(diag::Fix::unsafe().content(written->span, std::string(instead)));
    return true;
  }
  return false;
}

}  // namespace

// The group sizes of the kernels. They also accept -1 and whole rows.
static constexpr std::int64_t kGroupSizes[] = {16, 32, 64, 128, 256, 512, 1024};

// Returns the columns of the layers of a model that can be quantized; empty without a model.
static std::vector<std::uint64_t> widths_of(const std::vector<model::Module>* modules) {
  std::vector<std::uint64_t> out;
  if (modules == nullptr) return out;
  const std::vector<selectors::Module> seen = modules_with_facts(*modules, false);
  for (std::size_t at = 0; at < modules->size(); ++at) {
    const auto& shape = (*modules)[at].shape;
    if (seen[at].facts.has(selectors::Fact::quantizable) && shape && shape->size() == 2) out.push_back(shape->back());
  }
  return out;
}

// Returns true if a kernel has groups of a size, or if a layer of the model has rows of this size.
static bool has_kernel(std::int64_t size, const std::vector<model::Module>* modules) {
  const auto is_row = [&](const model::Module& module) {
    return module.shape && module.shape->size() == 2 && module.shape->back() == static_cast<std::uint64_t>(size);
  };
  return size == -1 || std::ranges::find(kGroupSizes, size) != std::end(kGroupSizes) || modules == nullptr ||
         std::ranges::any_of(*modules, is_row);
}

static void report_group(const Context& context, source::Span place, std::int64_t size, bool saved,
                         const std::vector<model::Module>* modules) {
  const std::int64_t nearest = nearest_of(kGroupSizes, size, widths_of(modules));
  context.sink.report(diag::gptq_group_without_kernel, place, size)
      .with_help(fmt::format("{} `group_size: {}`{}", saved ? "quantize the model again with" : "write", nearest,
                             modules == nullptr ? "" : ", which divides the columns of all layers"))
      .with_fix(saved ? diag::Fix() : diag::Fix::unsafe().replace(place, fmt::format("{}", nearest)));
}

// Reports sizes of groups that no kernel has. The sizes of other methods differ.
static void check_groups(const Context& context, const Config& config, const std::vector<model::Module>* modules) {
  if (config.method != Method::gptq || config.unknown) return;
  const source::Value* base = config.values.find("group_size");
  if (base != nullptr && !has_kernel(config.base.group_size, modules))
    report_group(context, base->span, config.base.group_size, config.saved, modules);
  for (const Entry& entry : config.dynamic) {
    const source::Value* own = entry.values.find("group_size");
    const std::int64_t size = layer_of(entry, config.base).group_size;
    if (entry.unknown || entry.is_negative() || own == nullptr || has_kernel(size, modules)) continue;
    report_group(context, own->span, size, config.saved, modules);
  }
}

bool check_kernels(const Context& context, const Config& config, const ReadOptions& options) {
  const bool is_loaded_elsewhere = config.saved && quantizers::runtime_of(options) == quantizers::Runtime::vllm;
  if (!is_loaded_elsewhere) check_groups(context, config, options.modules.get());
  if (config.saved || config.unknown) return true;
  if (report_marlin(context, config)) return false;
  const auto* row = std::ranges::find(kKernels, config.method, &KernelRow::method);
  return row == std::end(kKernels) || KernelCheck(context, config, *row).run();
}

}  // namespace sparsecfg::dialect::gptqmodel
