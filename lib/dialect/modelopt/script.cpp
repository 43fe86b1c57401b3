#include "dialect/modelopt/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/calls.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/exported.h"
#include "dialect/modelopt/sparsify.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/program.h"
#include "emit/literal.h"
#include "script/trace.h"
#include "script/value.h"

namespace sparsecfg::dialect::modelopt {

using script::Ref;
using Form = script::Value::Kind;

namespace {

bool makes(const script::Value& object) { return call_of(object) != Call::none; }

bool keeps_arguments(std::string_view path) {
  if (path.starts_with('.')) return path == ".mtq.quantize" || path == ".mtq.auto_quantize" || path == ".mts.sparsify";
  const std::string_view name = base::last_part(path);
  static constexpr std::string_view kFunctions[] = {"quantize",
                                                    "auto_quantize",
                                                    "sparsify",
                                                    "export",
                                                    "calibrate",
                                                    "compress",
                                                    "disable_quantizer",
                                                    "enable_quantizer",
                                                    "set_quantizer_by_cfg",
                                                    "set_quantizer_by_cfg_context",
                                                    "print_quant_summary",
                                                    "export_hf_checkpoint",
                                                    "export_tensorrt_llm_checkpoint",
                                                    "enable_huggingface_checkpointing",
                                                    "save",
                                                    "modelopt_state",
                                                    "restore",
                                                    "restore_from_modelopt_state",
                                                    "need_calibration",
                                                    "fold_weight",
                                                    "temporarily_fold_weights",
                                                    kAddsCacheEntries};
  return path.starts_with("modelopt.") && base::contains(kFunctions, name);
}

// --- constants --------------------------------------------------------------------------------------

Ref ref_of(const source::Value& value, source::Span span) {
  if (const auto* list = value.get<source::List>()) {
    // Pairs of bits are tuples.
    const bool pair = list->size() == 2 && list->front().get<std::int64_t>() != nullptr;
    std::vector<Ref> items;
    for (const source::Value& item : *list) items.push_back(ref_of(item, span));
    return script::container(pair ? Form::tuple : Form::list, span, std::move(items));
  }
  if (const auto* map = value.get<source::Map>()) {
    std::vector<Ref> items;
    for (const source::Entry& entry : *map) {
      items.push_back(script::scalar(span, entry.first.data));
      items.push_back(ref_of(entry.second, span));
    }
    return script::container(Form::dictionary, span, std::move(items));
  }
  return script::scalar(span, value.data);
}

// Names of `config.py` that are not exported.
struct Private {
  std::string_view name;
  std::string_view path;
};

constexpr Private kPrivate[] = {
    {"_base_disable_all", "configs/ptq/units/base_disable_all"},
    {"_default_disabled_quantizer_cfg", "configs/ptq/units/default_disabled_quantizers"},
    {"_mamba_moe_disabled_quantizer_cfg", "configs/ptq/units/mamba_moe_disabled_quantizers"},
    {"_nvfp4_cfg", "configs/numerics/nvfp4"},
    {"_nvfp4_cfg_bs32", "configs/numerics/nvfp4_bs32"}};

source::Value value_of(std::string_view name) {
  const auto all = constants();
  const auto found = std::ranges::find(all, name, &Constant::name);
  if (found != all.end()) return preset(found->preset);
  const auto* hidden = std::ranges::find(kPrivate, name, &Private::name);
  auto snippet = hidden == std::end(kPrivate) ? std::nullopt : built_in(hidden->path);
  if (!snippet) return {};
  if (snippet->schema == Schema::entry) return {source::List{std::move(snippet->content)}, {}};
  return std::move(snippet->content);
}

constexpr std::string_view kNoPreset = "ModelOpt has no preset";

Ref constant(std::string_view path, source::Span span) {
  const std::string_view name = base::last_part(path);
  if (!path.starts_with(kQuantization)) return nullptr;
  const source::Value value = value_of(name);
  Ref out = value.is_null() ? nullptr : ref_of(value, span);
  const bool preset_name = name.ends_with("_CFG") || name.ends_with("_CONFIG");
  if (out == nullptr && preset_name) out = script::unknown(span, fmt::format("{} `{}`", kNoPreset, name));
  if (out != nullptr) out->path = std::string(path);
  return out;
}

Ref plain(const script::Value& value) {
  return value.kind == Form::name && value.path.starts_with("torch.") ? script::scalar(value.span, value.path)
                                                                      : nullptr;
}

// --- documents --------------------------------------------------------------------------------------

// Returns `config` with the entries of a cache, or null if a part is not known. Without entries, a configuration
// first turns everything off.
Ref with_cache_entries(const script::Value& call, const script::Builder& builder) {
  const Ref given = call.argument("quant_cfg", 0);
  const Ref config = given == nullptr ? nullptr : builder.copy(given);
  const Ref added = call.argument("kv_cache_quant_cfg", 1);
  if (config == nullptr || added == nullptr || config->kind != Form::dictionary || config->open) return nullptr;
  const Ref own = entries_of(config);
  if (own == nullptr || added->kind != Form::list || added->open) return nullptr;
  std::vector<Ref> entries = own->items;
  if (entries.empty()) entries.push_back(ref_of(value_of("_base_disable_all").get<source::List>()->front(), own->span));
  entries.insert(entries.end(), added->items.begin(), added->items.end());
  Ref out = with_entries(*config, own, std::move(entries));
  if (!script::is_given(value_in(*config, "algorithm"))) {
    script::put(*out, script::scalar(own->span, std::string("algorithm")),
                script::scalar(own->span, std::string("max")));
  }
  return out;
}

// A call of `update_quant_cfg_with_kv_cache_quant` returns a new dictionary.
void construct(script::Value& object, const script::Builder& builder) {
  if (base::last_part(object.path) != kAddsCacheEntries) return;
  const Ref merged = with_cache_entries(object, builder);
  if (merged == nullptr) return;
  object.kind = Form::dictionary;
  object.items = merged->items;
  object.names.clear();
  object.path.clear();
  object.imported = false;
}

// An argument of `mtq.auto_quantize`, and the key of the section that means the same.
struct Argument {
  std::string_view name;
  std::string_view key;
};

constexpr Argument kSearchArguments[] = {{"constraints", "constraints"},
                                         {"quantization_formats", "candidate_formats"},
                                         {"disabled_layers", "disabled_layers"},
                                         {"module_search_spaces", "module_search_spaces"},
                                         {"method", "auto_quantize_method"}};

constexpr std::size_t kNamedOnly = 100;

// Returns search spaces with the keys of recipes. Calls have `quantization_formats` instead of `candidate_formats`.
Ref with_keys_of_recipes(const Ref& spaces) {
  if (spaces->kind != Form::list && spaces->kind != Form::tuple) return spaces;
  Ref out = script::shallow_copy(spaces);
  for (Ref& space : out->items) {
    if (space->kind != Form::dictionary) continue;
    space = script::shallow_copy(space);
    for (std::size_t at = 0; at + 1 < space->items.size(); at += 2) {
      const auto* key = std::get_if<std::string>(&space->items[at]->data);
      if (key == nullptr || *key != "quantization_formats") continue;
      space->items[at] = script::scalar(space->items[at]->span, std::string("candidate_formats"));
      space->index.clear();
    }
  }
  return out;
}

// Returns an argument as recipes write it. Calls also accept one pattern instead of a list.
Ref as_in_recipes(const Argument& argument, const Ref& value) {
  if (argument.key == "module_search_spaces") return with_keys_of_recipes(value);
  if (argument.key != "disabled_layers" || value->string() == nullptr) return value;
  return script::container(Form::list, value->span, {value});
}

doc::NodeId search_of(const script::Value& call, ObjectWriter& writer, source::Span root) {
  std::vector<doc::NodeId> items;
  std::size_t place = 1;
  for (const Argument& each : kSearchArguments) {
    const Ref value = call.argument(each.name, each.name == "method" ? kNamedOnly : place++);
    if (!script::is_given(value)) continue;
    items.push_back(writer.text(each.key, value->span));
    items.push_back(writer.value(*as_in_recipes(each, value)));
  }
  return writer.mapping(std::move(items), root);
}

doc::NodeId sparsify_of(const script::Value& call, ObjectWriter& writer, source::Span root) {
  std::vector<doc::NodeId> items;
  std::size_t place = 1;
  for (const std::string_view name : {"mode", "config"}) {
    const Ref value = call.argument(name, place++);
    if (value == nullptr) continue;
    items.push_back(writer.text(name, value->span));
    items.push_back(writer.value(*value));
  }
  return writer.mapping(std::move(items), root);
}

doc::Document document(const std::vector<Ref>& objects, source::Span root, base::Budget& budget) {
  ObjectWriter writer(plain, budget);
  const script::Value& call = *objects.front();
  const source::Span begin{root.begin, root.begin};
  switch (call_of(call)) {
    case Call::none:
    case Call::quantize: {
      const Ref config = call.open ? script::unknown(root, "the arguments are not known") : config_of(call);
      return writer.take(config == nullptr ? writer.mapping({}, root) : writer.value(*config));
    }
    case Call::set_by_cfg:
    case Call::disable:
    case Call::enable: {
      const Ref config = call.open ? nullptr : config_of(call);
      const Ref known = config == nullptr ? script::unknown(root, "the arguments are not known") : config;
      return writer.take(writer.mapping({writer.text(kChangeCall, begin), writer.value(*known)}, root));
    }
    case Call::auto_quantize: {
      const doc::NodeId key = writer.text(kAutoQuantizeCall, begin);
      if (call.open) {
        const doc::NodeId arguments = writer.value(*script::unknown(root, "the arguments are not known"));
        return writer.take(writer.mapping({key, arguments}, root));
      }
      return writer.take(writer.mapping({key, search_of(call, writer, root)}, root));
    }
    case Call::sparsify: {
      const doc::NodeId key = writer.text(kSparsifyCall, begin);
      if (call.owner != nullptr && call_of(*call.owner) != Call::none) {  // a rule reports it
        const doc::NodeId arguments = writer.value(*script::unknown(root, "the model is not as it was loaded"));
        return writer.take(writer.mapping({key, arguments}, root));
      }
      return writer.take(writer.mapping({key, sparsify_of(call, writer, root)}, root));
    }
  }
  return {};
}

}  // namespace

DIAGNOSTIC(MO501, preset_is_changed, silent_warning, (Text), "this changes the preset `{}` for the whole process",
           "The presets are shared dictionaries. `.copy()` is shallow, so the list `quant_cfg` is still that of the "
           "preset, and every later use of the preset has the change.",
           "copy the preset: `copy.deepcopy(mtq.{0})`")
DIAGNOSTIC(MO502, unknown_preset, error, (Text), "`modelopt.torch.quantization` has no preset `{}`",
           "The script stops with AttributeError.", "write the name of a preset, such as `mtq.FP8_DEFAULT_CFG`")

DIAGNOSTIC(MO503, list_has_no_keys, error, (Text), "`quant_cfg` is a list since 0.44, so the key `{}` fails",
           "Up to 0.43, `quant_cfg` was a dictionary. Since 0.44, the presets have a list, and a string as its index "
           "raises TypeError.",
           "append an entry: `config[\"quant_cfg\"].append({{\"quantizer_name\": \"{0}\", \"enable\": False}})`")

namespace {

// Returns the entry of the list for an assignment to a key. Empty if the assigned value is no short dictionary.
std::string entry_for(const script::ListKey& key) {
  constexpr std::size_t kMost = 80;
  const std::string_view value = key.assigned;
  const bool dictionary = value.starts_with('{') && value.ends_with('}') && value.size() <= kMost &&
                          value.find('\n') == value.npos && value.find("**") == value.npos;
  if (!dictionary || key.object.empty()) return {};
  const std::string name = emit::literal(emit::Syntax::python, key.value);
  const std::string_view inner = base::trim(value.substr(1, value.size() - 2));
  const bool switches = inner.starts_with("\"enable\"") || inner.starts_with("'enable'");
  const bool alone = switches && inner.find(',') == inner.npos;
  return fmt::format("{{\"quantizer_name\": {}, {}{}}}", name, alone ? "" : "\"cfg\": ", alone ? inner : value);
}

void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink) {
  const Program program{trace, options, sink, quantizers::calls_that_run(trace)};
  check_arguments(program);
  check_calibration(program);
  check_saving(program);
  check_order_of_calls(program);
  for (const script::Change& change : trace.changes) {
    if (change.path.starts_with(kQuantization)) {
      const std::string preset(base::last_part(change.path));
      sink.report(diag::preset_is_changed, change.span, preset)
          .with_help(fmt::format("copy the preset: {}",
                                 shown_code(trace.imported, fmt::format("copy.deepcopy(mtq.{})", preset))));
    }
  }
  for (const auto& key : trace.list_keys) {
    if (!is_at_least(release_of(options), Release::v0_44)) continue;
    auto& report = sink.report(diag::list_has_no_keys, key.span, key.value);
    if (const std::string entry = entry_for(key); !entry.empty()) {
      report.with_help(fmt::format("write `{}.append({})`", key.object, entry));
    }
    if (key.value == script::kSpread) report.with_help("add the entries to a list: `[*config[\"quant_cfg\"], {...}]`");
  }
}

constexpr std::string_view kWords[] = {"mtq.", "mts.", "modelopt."};

constexpr Parameter kModel{"model", 0};
constexpr ModelCall kModelCalls[] = {
    {"quantize", "modelopt", kModel},         {"auto_quantize", "modelopt", kModel},
    {"sparsify", "modelopt", kModel},         {"disable_quantizer", "modelopt", kModel},
    {"enable_quantizer", "modelopt", kModel}, {"set_quantizer_by_cfg", "modelopt", {"quant_model", 0}}};

}  // namespace

const Objects kObjects{kWords,
                       {},
                       makes,
                       quantizers::one_element,
                       keeps_arguments,
                       constant,
                       plain,
                       document,
                       quantizers::check_no_elements,
                       check_script,
                       quantizers::origins_of_actions,
                       construct,
                       nullptr,
                       nullptr,
                       kModelCalls};

// --- reading ----------------------------------------------------------------------------------------

std::optional<std::string> script_call(const source::Value& content) {
  for (const std::string_view call : {kAutoQuantizeCall, kSparsifyCall, kChangeCall}) {
    if (content.find(call) != nullptr) return std::string(call);
  }
  return std::nullopt;
}

void read_script(const Context& context, const std::string& call, const source::Value& content, ir::Recipe& out) {
  const source::Value& arguments = *content.find(call);
  if (call == kChangeCall) {
    if (arguments.get<source::Map>() == nullptr) {
      out.incomplete = true;
    } else {
      add_list(context, read_config(context, arguments), out, false);
    }
    return;
  }
  ir::Action action;
  action.effect = ir::Opaque{};
  action.origin.class_name = call;
  action.origin.ordinal = 1;
  action.origin.span = arguments.span;
  if (call == kAutoQuantizeCall) {
    action.valid = check_auto_quantize(context, arguments, false);
    out.incomplete = true;  // the search decides
  } else {
    action.valid = read_sparsify(context, arguments, action);
  }
  out.actions.push_back(std::move(action));
}

bool report_unknown_preset(const Context& context, const source::Value& section) {
  for (const doc::Node& node : context.document.nodes) {
    if (node.tag != doc::kNotLiteralTag || node.span != section.span || !node.text.starts_with(kNoPreset)) continue;
    const std::size_t begin = node.text.find('`') + 1;
    const std::string name(node.text.substr(begin, node.text.find('`', begin) - begin));
    std::vector<std::string_view> names;
    for (const Constant& each : constants()) names.push_back(each.name);
    const auto guess = base::nearest(name, names);
    context.sink.report(diag::unknown_preset, section.span, name)
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : std::string());
    return true;
  }
  return false;
}

}  // namespace sparsecfg::dialect::modelopt
