#include "dialect/mlx/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/modules.h"
#include "dialect/mlx/other_bits.h"
#include "dialect/mlx/predicates.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/quantized_base.h"

namespace sparsecfg::dialect::mlx {

using model::Module;
using source::Entry;

DIAGNOSTIC(MX115, mlx_not_quantized, silent_warning, (Text), "`{}` has no effect: nothing is quantized",
           "`convert` quantizes only with `-q`, or `quantize=True` in Python. Without it, all settings of the "
           "quantization are ignored, and the weights are copied as they are.",
           "add `-q`")

DIAGNOSTIC(MX117, mlx_recipe_mode, error, (Text, Text), "`{}` is a recipe for the mode `affine`, not for `{}`",
           "mlx-lm raises a ValueError for a recipe of mixed bits with another mode.", "delete the mode")

DIAGNOSTIC(MX118, mlx_ignored_by_recipe, silent_warning, (Text, Text), "`{}` has no effect beside `{}`",
           "A recipe of mixed bits decides the bits of every layer, and in mlx-vlm also its group size and mode. The "
           "value is written to `config.json`, but no layer has it.",
           "delete the value")

DIAGNOSTIC(MX119, mlx_router_bits, warning, (Text, Text, std::int64_t), "`{}` quantizes {} to {} bits",
           "mlx-lm keeps the routers of a mixture of experts at 8 bits, because a small error selects other experts. A "
           "recipe or function in `quant_predicate` replaces this rule of the model.",
           "convert without a recipe")

DIAGNOSTIC(MX122, mlx_source_quantized, silent_warning, (Text), "`{}` is already quantized, and stays as it is",
           "`convert` quantizes only layers in full precision. The layers of a quantized model are skipped without a "
           "message, so their bits do not change.",
           "convert the original model")

DIAGNOSTIC(MX123, mlx_layers_skipped, silent_warning, (std::size_t, Text, std::int64_t),
           "{} of {} stay unquantized: their columns are no multiple of {}",
           "`convert` skips layers whose columns the group size does not divide, without a message.",
           "use a smaller group size")

DIAGNOSTIC(MX128, mlx_type_ignored, silent_warning, (Text), "`convert` ignores the type {}",
           "`dtype` has an effect only if it is one of the strings `float16`, `bfloat16` and `float32`. With other "
           "values, the weights keep their type.",
           "write `dtype=\"float16\"`")

DIAGNOSTIC(MX130, mlx_both_ways, error, (), "`convert` cannot quantize and dequantize at once",
           "It raises a ValueError. A quantized model is first dequantized into a folder, and this folder is then "
           "quantized.",
           "run `convert` twice")

namespace {

// A format, or none, for each module.
struct Choice {
  std::optional<Format> format{};
  bool unknown = false;
};

class Conversion {
 public:
  Conversion(const Context& context, Call call) : context_(context), call_(std::move(call)) {
    if (context.options.modules == nullptr) return;
    auto own = modules_of_mlx(*context.options.modules, context.options.parameters);
    modules_ = own ? std::move(*own) : *context.options.modules;
    std::erase_if(modules_, [&](const Module& module) {
      // A tied output layer does not exist, and mlx-lm drops parts for images and sound.
      const bool tied = !context.options.tied_layer.empty() && module.name == context.options.tied_layer;
      return tied || (!call_.program->vision && is_multimodal(module.name));
    });
    multimodal_ =
        std::ranges::any_of(*context.options.modules, [](const Module& module) { return is_multimodal(module.name); });
    // gpt-oss is released with experts in mxfp4, which `convert` keeps, and copied with experts in 16 bits.
    packed_experts_ = std::ranges::any_of(*context.options.modules,
                                          [](const Module& module) { return module.type == "GptOssExperts"; });
    routers_ = router_endings(modules_);
  }

  void run(ir::Recipe& recipe) {
    const Value arguments{call_.arguments, call_.name};
    ir::Action action{ir::Opaque{}, ir::Cadence{}, quantizers::origin_of(call_.program->name, call_.name, arguments),
                      true, false};
    recipe.units = modules_;
    if (check() && call_.program->task != Task::fuse) action.operations.emplace_back(assignment());
    if (valid_ && packs()) report_other_program(context_.options, result(), call_.name, context_.sink);
    action.valid = valid_;
    recipe.actions.push_back(std::move(action));
  }

 private:
  [[nodiscard]] Task task() const { return call_.program->task; }

  [[nodiscard]] bool is_convert() const { return task() == Task::convert; }

  // Returns true if the call surely writes packed weights.
  [[nodiscard]] bool packs() const { return task() != Task::fuse && (!is_convert() || quantize_ == true); }

  [[nodiscard]] const Entry* given(std::string_view name) const { return call_.find(name); }

  // Returns the string of an argument; null if it is absent, unknown or of another type.
  [[nodiscard]] const std::string* text_of(std::string_view name) const {
    const Entry* entry = given(name);
    return entry == nullptr || context_.is_unknown(entry->second) ? nullptr : entry->second.get<std::string>();
  }

  // Returns the model that the call writes.
  [[nodiscard]] PackedModel result() const {
    const std::string* folder = text_of("mlx_path");
    const std::string* original = text_of("hf_path");
    const std::string usual = is_convert() && given("mlx_path") == nullptr ? "mlx_model" : std::string();
    return {folder == nullptr ? usual : *folder, original == nullptr ? std::string_view() : *original,
            call_.program->vision};
  }

  // Returns the truth of an argument; nullopt if it is unknown.
  [[nodiscard]] std::optional<bool> flag(std::string_view name) const {
    const Entry* entry = given(name);
    if (entry == nullptr) return call_.open ? std::nullopt : std::optional(false);
    if (context_.is_unknown(entry->second)) return std::nullopt;
    const auto number = entry->second.number();
    return number ? std::optional(*number != 0) : std::nullopt;
  }

  bool check() {
    for (const FormatArguments& names : call_.program->formats) formats_.push_back(format_of(context_, call_, names));
    if (is_convert()) {
      check_conversion();
    } else if (task() == Task::quantize) {
      predicate_ = given("class_predicate") != nullptr;
      if (!predicate_) valid_ = check_format(context_, call_, formats_.front());
    } else {
      valid_ = check_tuning(context_, call_, formats_);
    }
    return valid_;
  }

  // --- convert ------------------------------------------------------------------------------------------------

  void check_conversion() {
    read_predicate();
    check_type();
    check_recipe_mode();
    quantize_ = flag("quantize");
    const auto dequantize = flag("dequantize");
    if (quantize_ == true && dequantize == true) {
      context_.sink.report(diag::mlx_both_ways, call_.place(*given("dequantize")));
      valid_ = false;
    }
    if (quantize_ == false && dequantize == false) report_unquantized();
    if (quantize_ != true || !valid_) return;
    check_numbers();
    check_ignored();
    check_source();
  }

  void read_predicate() {
    const Entry* entry = given("quant_predicate");
    if (entry == nullptr) return;
    predicate_ = true;
    const std::string* name = text_of("quant_predicate");
    if (name == nullptr) return;
    recipe_ = bits_of_recipe(*name);
    if (base::contains(call_.program->recipes, *name)) return;
    recipe_.reset();
    const auto near = base::nearest(*name, call_.program->recipes);
    std::vector<std::string> all;
    for (const std::string_view each : call_.program->recipes) all.push_back(fmt::format("`{}`", each));
    context_.sink
        .report(diag::mlx_option_value, entry->second.span, "quant_predicate",
                fmt::format("does not accept `{}`", base::printable(*name)))
        .with_help(near ? fmt::format("write `{}`", *near) : "the recipes are " + base::join_and(all));
    valid_ = false;
  }

  // The command accepts only the types that the function uses.
  void check_type() {
    const Entry* entry = given("dtype");
    if (entry == nullptr || call_.command || context_.is_unknown(entry->second)) return;
    constexpr std::pair<std::string_view, std::string_view> kShort[] = {
        {"fp16", "float16"}, {"half", "float16"},  {"f16", "float16"}, {"bf16", "bfloat16"},
        {"fp32", "float32"}, {"float", "float32"}, {"f32", "float32"}};
    const std::string text = source::python_str(entry->second);
    if (base::contains(kTypeNames, text)) return;
    const std::string last(base::last_part(text));
    const auto* meant =
        std::ranges::find(kShort, std::string_view(last), &std::pair<std::string_view, std::string_view>::first);
    const std::string_view type = base::contains(kTypeNames, last) ? std::string_view(last)
                                  : meant != std::end(kShort)      ? meant->second
                                                                   : std::string_view();
    context_.sink.report(diag::mlx_type_ignored, entry->second.span, fmt::format("`{}`", base::printable(text)))
        .with_help(type.empty() ? "write `dtype=\"float16\"`, `\"bfloat16\"` or `\"float32\"`"
                                : fmt::format("write `dtype=\"{}\"`", type));
  }

  // mlx-lm stops before it looks at `quantize`.
  void check_recipe_mode() {
    const std::string* mode = text_of("q_mode");
    if (!recipe_ || mode == nullptr || *mode == kAffine) return;
    const Entry& entry = *given("q_mode");
    if (call_.program->vision) return;
    context_.sink
        .report(diag::mlx_recipe_mode, call_.place(*given("quant_predicate")), *text_of("quant_predicate"), *mode)
        .with_label(call_.place(entry), "the mode")
        .with_help(fmt::format("delete `{}`", call_.text(entry)));
    valid_ = false;
  }

  void report_unquantized() {
    for (const Entry& entry : call_.arguments) {
      const std::string name = source::python_str(entry.first);
      const bool setting = name == "q_bits" || name == "q_group_size" || name == "q_mode" || name == "quant_predicate";
      if (!setting || entry.second.is_null()) continue;
      const bool unknown = context_.is_unknown(entry.second);
      const std::string text = unknown ? name : call_.text(entry);
      auto& report = context_.sink.report(diag::mlx_not_quantized, call_.place(entry), text);
      const std::string added = call_.command ? "-q" : "quantize=True";
      report.with_help(unknown ? fmt::format("add `{}`", added)
                               : fmt::format("write `{}{}{}`", added, call_.command ? " " : ", ", text));
      return;
    }
  }

  // A recipe has its own bits, and in mlx-vlm its own group size.
  void check_numbers() {
    if (predicate_ && !recipe_) return;
    CallFormat checked = formats_.front();
    if (recipe_ && !checked.unknown) {
      checked.format.bits = recipe_->low;
      checked.bits = nullptr;
      if (call_.program->vision) checked.format = {std::string(kAffine), 64, recipe_->low};
    }
    valid_ = check_format(context_, call_, checked) && valid_;
  }

  // --- recipes ------------------------------------------------------------------------------------------------

  void check_ignored() {
    const CallFormat& format = formats_.front();
    if (!recipe_ || format.unknown) return;
    const std::string& recipe = *text_of("quant_predicate");
    const auto report = [&](const Entry* entry, const std::string& reason) {
      context_.sink.report(diag::mlx_ignored_by_recipe, call_.place(*entry), call_.text(*entry), recipe)
          .with_help(fmt::format("delete `{}`: {}", call_.text(*entry), reason));
    };
    if (format.bits != nullptr && format.format.bits != recipe_->low)
      report(format.bits, fmt::format("each layer gets {} or {} bits{}", recipe_->low, recipe_->high,
                                      advice_for_bits(context_, other_bits())));
    if (!call_.program->vision) return;
    if (format.mode != nullptr && format.format.mode != kAffine) {
      report(format.mode, "the recipes of mlx-vlm are `affine`");
    } else if (format.group_size != nullptr && format.format.group_size != 64) {
      report(format.group_size, "the recipes of mlx-vlm have groups of 64");
    }
  }

  // Returns the bits of the call, beside those of its recipe.
  [[nodiscard]] OtherBits other_bits() const {
    const Format& format = formats_.front().format;
    const bool known = !modules_.empty() && !multimodal_;
    return {call_, *recipe_, format.bits, format.group_size,
            known ? Mixed::build(*recipe_, call_.program->vision, modules_) : std::nullopt};
  }

  // Reports routers that a recipe quantizes to few bits.
  void check_routers(const std::vector<Choice>& choices) {
    if (!recipe_) return;
    std::size_t routers = 0;
    std::string_view ending;
    for (std::size_t at = 0; at < choices.size(); ++at) {
      const std::string_view found = router_ending(modules_[at].name);
      const bool low = !found.empty() && choices[at].format && choices[at].format->bits < kRouterBits;
      if (!low) continue;
      ++routers;
      if (ending.empty()) ending = found;
    }
    if (routers == 0) return;
    const std::string& recipe = *text_of("quant_predicate");
    context_.sink
        .report(
            diag::mlx_router_bits, call_.place(*given("quant_predicate")), recipe,
            routers == 1 ? fmt::format("the module `{}`", ending) : fmt::format("the {} routers `{}`", routers, ending),
            recipe_->low)
        .with_help(fmt::format("delete `{}`, which keeps them at {} bits, or call `convert` in Python with a function "
                               "that returns `{{\"group_size\": {}, \"bits\": {}}}` for names that end in `{}`",
                               call_.text(*given("quant_predicate")), kRouterBits, kRouterGroup, kRouterBits, ending));
  }

  // Returns the ending of a router that the class of the model keeps at 8 bits; empty for other modules.
  [[nodiscard]] std::string_view router_ending(std::string_view name) const {
    const auto found = std::ranges::find_if(routers_, [&](std::string_view ending) { return name.ends_with(ending); });
    return found == routers_.end() ? std::string_view() : *found;
  }

  // --- the model ----------------------------------------------------------------------------------------------

  void check_source() {
    const std::string* id = text_of("hf_path");
    if (id == nullptr) return;
    const std::string_view part = quantizers::bits_in_name(*id);
    const auto named = quantizers::method_in_name(*id);
    const bool packed = named && (named->method == "awq" || named->method == "gptq");
    if (part.empty() && !packed) return;
    auto& report = context_.sink.report(diag::mlx_source_quantized, call_.place(*given("hf_path")), *id);
    if (packed) {
      report.with_help(fmt::format(
          "write `{}`", call_.text("hf_path", call_.command ? named->base : fmt::format("\"{}\"", named->base))));
    } else {
      report.with_caret(fmt::format("its name has `{}`", part))
          .with_help("write the id of the original model, in 16 bits");
    }
  }

  // Reports layers that the group size excludes, if a smaller one excludes fewer.
  void check_columns() {
    const std::int64_t group = formats_.front().format.group_size;
    std::size_t layers = 0;
    std::size_t skipped = 0;
    std::size_t best = 0;
    std::int64_t fitting = 0;
    const auto count = [&](std::int64_t size) {
      return static_cast<std::size_t>(std::ranges::count_if(
          modules_, [&](const Module& module) { return is_target(module) && !divides(size, module); }));
    };
    for (const Module& module : modules_) layers += is_target(module) && !has_unknown_format(module) ? 1 : 0;
    skipped = best = count(group);
    const Mode& mode = *find_mode(formats_.front().format.mode);
    for (const std::int64_t size : mode.group_sizes) {
      if (size == 0 || size >= group || count(size) > best || (fitting != 0 && count(size) == best)) continue;
      best = count(size);
      fitting = size;
    }
    for (const std::int64_t size : mode.group_sizes) {
      if (size > fitting && size < group && count(size) == best) fitting = size;  // larger groups need less memory
    }
    if (skipped == 0 || best == skipped) return;
    const Entry* entry = formats_.front().group_size;
    context_.sink
        .report(diag::mlx_layers_skipped, entry == nullptr ? call_.name : call_.place(*entry), skipped,
                base::counted(layers, "layer"), group)
        .with_help(fmt::format("write `{}`", call_.text("q_group_size", std::to_string(fitting))));
  }

  static bool divides(std::int64_t group, const Module& module) {
    return !module.shape || module.shape->empty() || group <= 0 ||
           module.shape->back() % static_cast<std::uint64_t>(group) == 0;
  }

  // --- the outcome --------------------------------------------------------------------------------------------

  [[nodiscard]] bool is_target(const Module& module) const {
    return is_quantizable(module) && !(call_.program->vision && is_multimodal(module.name));
  }

  // Returns true if the formats of the modules are not known.
  [[nodiscard]] bool is_unknown() const {
    if (task() == Task::dynamic || task() == Task::awq) return true;
    if (task() == Task::dwq && given("quantized_model") != nullptr) return true;
    if (is_convert() && !quantize_) return true;
    const bool odd_recipe = recipe_ && multimodal_;  // the order of the parts decides which number is that of the layer
    return formats_.front().unknown || (predicate_ && !recipe_) || odd_recipe;
  }

  // Returns the format that a module gets.
  [[nodiscard]] Choice choice_for(const Module& module, const std::optional<Mixed>& mixed) const {
    if (!is_target(module) || (is_convert() && quantize_ == false)) return {};
    if (is_unknown()) return {{}, true};
    const Format& whole = formats_.front().format;
    if (task() == Task::gptq) return {module.type.find("Embedding") != module.type.npos ? formats_[1].format : whole};
    const bool skips = task() == Task::convert || task() == Task::dwq;
    if (skips && !divides(whole.group_size, module)) return {};
    if (mixed) return {Format{std::string(kAffine), recipe_group(), mixed->bits_for(module.name)}};
    if (skips && !router_ending(module.name).empty()) return {Format{std::string(kAffine), kRouterGroup, kRouterBits}};
    return {whole};
  }

  [[nodiscard]] std::int64_t recipe_group() const {
    return call_.program->vision ? 64 : formats_.front().format.group_size;
  }

  ir::Assign assignment() {
    static constexpr ir::Language kLanguage{.name{"mlx-lm"}, .decide = decide_by_position, .order_matters = false};
    ir::Assign out;
    out.selection.language = &kLanguage;
    out.method.name = "mlx";
    const bool none = is_convert() && quantize_ == false;
    if (context_.options.modules == nullptr) {
      out.selection.unknown = !none && (is_unknown() || recipe_);
      if (none || out.selection.unknown) return out;
      out.schemes.push_back(scheme_of(formats_.front().format));
      out.selection.otherwise = 0;
      return out;
    }
    const auto mixed = recipe_ ? Mixed::build(*recipe_, call_.program->vision, modules_) : std::nullopt;
    std::vector<Choice> choices;
    for (const Module& module : modules_) choices.push_back(choice_for(module, mixed));
    if (is_convert() && quantize_ == true && !is_unknown()) {
      check_routers(choices);
      check_columns();
    }
    std::vector<Format> formats;
    std::vector<DecidedUnit> units(choices.size());
    const bool quantizes = !is_convert() || quantize_ != false;
    for (std::size_t at = 0; at < choices.size(); ++at) {
      units[at].reached = is_quantizable(modules_[at]);
      units[at].unknown = choices[at].unknown || (quantizes && has_unknown_format(modules_[at]));
      if (!choices[at].format) continue;
      const auto found = std::ranges::find(formats, *choices[at].format);
      units[at].scheme = static_cast<std::uint32_t>(found - formats.begin());
      if (found == formats.end()) formats.push_back(*choices[at].format);
    }
    for (const Format& format : formats) out.schemes.push_back(scheme_of(format));
    if (out.schemes.empty()) out.schemes.emplace_back();
    out.selection = decided_selection(&kLanguage, units);
    return out;
  }

  // Returns true for experts whose format after the conversion is not known.
  [[nodiscard]] bool has_unknown_format(const Module& module) const {
    return has_unknown_experts(module) || (packed_experts_ && module.type == "SwitchLinear");
  }

  const Context& context_;
  Call call_;
  std::vector<Module> modules_;
  std::vector<std::string_view> routers_;
  bool multimodal_ = false;
  bool packed_experts_ = false;
  std::vector<CallFormat> formats_;
  std::optional<MixedBits> recipe_;
  bool predicate_ = false;  // true if a recipe or a function decides
  std::optional<bool> quantize_{};
  bool valid_ = true;
};

}  // namespace

// Returns the program of a document, or null.
static const Program* program_of(const Value& root) {
  const auto* map = root.get<source::Map>();
  const auto* name = map == nullptr || map->size() != 1 ? nullptr : map->front().first.get<std::string>();
  return name == nullptr ? nullptr : find_program(*name);
}

bool is_call(const Value& root) { return program_of(root) != nullptr; }

// Returns the call of a script.
static Call call_of(const Program& program, const Entry& entry) {
  Call out;
  out.program = &program;
  out.name = entry.second.span;
  const auto* map = entry.second.get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    const auto* name = (*map)[at].first.get<std::string>();
    if (name != nullptr && *name == "**") {
      out.open = true;
    } else if (name != nullptr) {
      out.arguments.push_back((*map)[at]);
    }
  }
  return out;
}

void read_call(const Context& context, const Value& root, ir::Recipe& recipe) {
  const Program& program = *program_of(root);
  const Entry& entry = root.get<source::Map>()->front();
  const bool command = entry.second.get<source::List>() != nullptr;
  auto call = command ? read_command(context, program, entry.second, entry.first.span) : call_of(program, entry);
  if (call && call->find("help") == nullptr) {
    Conversion(context, std::move(*call)).run(recipe);
    return;
  }
  ir::Action action{
      ir::Opaque{}, ir::Cadence{}, {std::string(program.name), 1, {}, {}, entry.first.span, {}}, true, false};
  action.valid = false;
  recipe.actions.push_back(std::move(action));
}

}  // namespace sparsecfg::dialect::mlx
