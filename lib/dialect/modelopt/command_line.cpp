#include "dialect/modelopt/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/argparse.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/library.h"

namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO537, option_beside_recipe, silent_warning, (Text), "`--{}` has no effect beside `--recipe`",
           "A recipe for post-training quantization decides the formats of the layers and of the attention cache. "
           "`hf_ptq.py` reads the options for formats only without a recipe, and prints no error.",
           "delete the option, or delete `--recipe`")

namespace {

struct Option {
  std::string_view name;
};

// The options that the check reads, and those that argparse could confuse with them.
constexpr Option kOptions[] = {{"recipe"}, {"qformat"}, {"kv_cache_qformat"}, {"kv_cache_free_gpu_memory_fraction"}};
constexpr std::string_view kDecided[] = {"qformat", "kv_cache_qformat"};

// The beginning of the names of recipes for this kind of quantization, and the mark of the cache in them.
constexpr std::string_view kFolder = "general/ptq/";
constexpr std::string_view kCache = "-kv_";

// Recipes of ModelOpt with a cache, below the folder (docs/semantics/modelopt.md#b5-1).
constexpr std::string_view kRecipes[] = {
    "fp8_default-kv_fp8",          "fp8_default-kv_fp8_cast",           "nvfp4_default-kv_fp8",
    "nvfp4_default-kv_fp8_cast",   "nvfp4_default-kv_nvfp4_cast",       "nvfp4_experts_only-kv_fp8",
    "nvfp4_mlp_only-kv_fp8",       "nvfp4_experts_only-kv_fp8_cast",    "nvfp4_mlp_only-kv_fp8_cast",
    "nvfp4_omlp_only-kv_fp8",      "nvfp4_omlp_only-kv_fp8_cast",       "nvfp4_weight_only-kv_fp8_cast",
    "nvfp4_weight_only-kv_fp16",   "nvfp4_act_headroom-kv_fp8_cast",    "nvfp4_mlp_only_mse-kv_fp8_cast",
    "nvfp4_mlp_only-novit-kv_fp8", "nvfp4_experts_only_mse-kv_fp8_cast"};

// An option with its value, and the place of both.
struct Given {
  std::string value;  // empty: unknown
  source::Span span;
  source::Span place;  // of the value
};

using Options = std::map<std::string_view, Given>;

Options options_of(const Context& context, const source::List& words) {
  Options out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string word = source::python_str(words[at]);
    if (!word.starts_with("--")) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const Option* option = option_of_argparse<Option>(kOptions, std::string_view(word).substr(2, equals - 2));
    const bool joined = equals < word.size();
    if (option == nullptr || (!joined && at + 1 >= words.size())) continue;
    const Value& value = joined ? words[at] : words[at + 1];
    const std::string text = joined ? word.substr(equals + 1) : source::python_str(value);
    out[option->name] = {
        context.is_unknown(value) ? std::string() : text, {words[at].span.begin, value.span.end}, value.span};
  }
  return out;
}

// Returns the option for the format of a recipe such as `nvfp4_default-kv_fp8`, if a preset has its name.
std::string format_of(std::string_view recipe) {
  constexpr std::string_view kDefault = "_default";
  std::string_view name = recipe.substr(0, recipe.find(kCache));
  if (name.ends_with(kDefault)) name.remove_suffix(kDefault.size());
  const std::string path = fmt::format("configs/ptq/presets/model/{}", name);
  return base::contains(built_in_paths(), std::string_view(path)) ? fmt::format("--qformat {}", name) : std::string();
}

// Advises on a recipe with the cache of the option, or on the options of both formats.
std::string help_for_cache(std::string_view recipe, std::string_view cache) {
  const std::string_view name = recipe.substr(recipe.starts_with(kFolder) ? kFolder.size() : 0);
  const std::string wanted = fmt::format("{}{}{}", name.substr(0, name.find(kCache)), kCache, cache);
  const std::string format = format_of(name);
  const std::string options = format.empty()
                                  ? std::string()
                                  : fmt::format("write `{} --kv_cache_qformat {}` without `--recipe`", format, cache);
  if (base::contains(kRecipes, std::string_view(wanted))) {
    return fmt::format("delete it, and write `--recipe {}{}`{}{}", kFolder, wanted, options.empty() ? "" : ", or ",
                       options);
  }
  return options.empty() ? std::string("delete it, and write the format of the cache in a recipe of your own")
                         : options;
}

void check_beside_recipe(const Context& context, const Options& options) {
  const auto recipe = options.find("recipe");
  if (recipe == options.end() || recipe->second.value.find("ptq/") == std::string::npos) return;
  for (const std::string_view name : kDecided) {
    const auto option = options.find(name);
    if (option == options.end()) continue;
    auto& report = context.sink.report(diag::option_beside_recipe, option->second.span, name);
    report.with_label(recipe->second.place, "decides the formats");
    const std::string& value = option->second.value;
    if (name == "kv_cache_qformat" && !value.empty()) {
      report.with_help(help_for_cache(recipe->second.value, value));
    }
  }
}

// Adds the preset that `--qformat` names, if a recipe does not decide the formats. Several formats are for a search.
void add_format(const Context& context, const Options& options, ir::Recipe& out) {
  const auto format = options.find("qformat");
  if (format == options.end() || options.contains("recipe")) return;
  Value content = preset(fmt::format("model/{}", format->second.value));
  if (content.is_null()) return;
  move_to(content, format->second.place);
  add_list(context, read_config(context, content), out);
}

}  // namespace

void read_command(const Context& context, const Value& words, ir::Recipe& out) {
  const auto* list = words.get<source::List>();
  if (list == nullptr) return;
  const Options options = options_of(context, *list);
  check_beside_recipe(context, options);
  add_format(context, options, out);
}

}  // namespace sparsecfg::dialect::modelopt
