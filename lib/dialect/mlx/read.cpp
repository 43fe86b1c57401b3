#include "dialect/mlx/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/config.h"
#include "dialect/mlx/conversion.h"
#include "dialect/mlx/modules.h"
#include "dialect/weights_beside.h"
#include "dialect/words.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"
#include "model/selectors/meant.h"

namespace sparsecfg::dialect::mlx {

using selectors::Fact;
using selectors::kUnquantized;

DIAGNOSTIC(MX101, mlx_key_missing, error, (Text), "`quantization` has no `{}`",
           "mlx-lm requires `group_size` and `bits`, and stops with a KeyError without them.",
           "add the value that the model was converted with")

DIAGNOSTIC(MX102, mlx_entry_value, error, (Text), "the entry of `{}` is neither a mapping nor a boolean",
           "An entry is a mapping of `group_size`, `bits` and `mode`, `false` for a module that is not quantized, or "
           "`true` for the values of the file. mlx-lm stops at other values and keys.",
           "write `{{\"group_size\": 64, \"bits\": 4}}`, or `false`")

DIAGNOSTIC(MX103, mlx_format_unsupported, error, (Text), "mlx has no format with {}",
           "The mode `affine` has groups of 32, 64 or 128 and 2, 3, 4, 5, 6 or 8 bits. The modes `mxfp4`, `nvfp4` and "
           "`mxfp8` have one format each.",
           "use a format that mlx supports")

DIAGNOSTIC(MX104, mlx_columns, error, (Text, std::uint64_t, std::int64_t),
           "the {1} columns of `{0}` are no multiple of the group size {2}",
           "mlx quantizes whole groups of a row, and rejects other matrices.",
           "use a smaller group, or write `false` for this module")

DIAGNOSTIC(MX105, mlx_not_quantizable, error, (Text), "`{}` has a class that mlx does not quantize",
           "mlx-lm stops at an entry for a module that has no quantized form, such as a norm.", "delete the entry")

DIAGNOSTIC(MX106, mlx_entry_without_module, silent_warning, (Text), "`{}` is not the path of a module",
           "mlx-lm compares each key exactly with the paths of the modules after it has renamed them. It silently "
           "ignores other keys, so the module gets the values of the file, and its tensors may not fit.",
           "write the path of the module")

DIAGNOSTIC(
    MX107, mlx_entry_without_group, warning, (Text, std::int64_t, std::int64_t), "`{}` has groups of {}, not of {}",
    "An entry replaces the values of the file. Keys that it lacks have the defaults of mlx, not the values of the "
    "file.",
    "add `group_size` to the entry")

// An entry without a group size, and the size that mlx uses.
struct UngroupedEntry {
  source::Span span;
  std::string name;
  std::int64_t group_size = 0;
};

DIAGNOSTIC(MX108, mlx_stored_otherwise, silent_warning, (Text),
           "`{}` has an entry, but the file of weights has no scales for it",
           "The names of the stored tensors show which modules are quantized. An entry for another module changes its "
           "class, and its tensors are then missing.",
           "delete the entry, or write `false`")

DIAGNOSTIC(MX109, mlx_copy_without_method, info, (), "`quantization_config` is a copy that only mlx-lm reads",
           "mlx-lm writes `quantization` twice. The copy has no `quant_method`, so transformers and vLLM stop.",
           "load the model only with mlx-lm")

DIAGNOSTIC(
    MX110, mlx_method_ignored, silent_warning, (Text), "mlx-lm ignores the method `{}`",
    "mlx-lm reads awq, gptq, mxfp4, bitnet and compressed-tensors. It ignores all other methods, and the load fails "
    "or the weights are wrong.",
    "convert the original model with `mlx_lm.convert`")

DIAGNOSTIC(MX111, mlx_method_rejected, error, (Text, Text), "mlx-lm rejects this {} model: {}",
           "mlx-lm converts weights of AWQ and GPTQ with 4 bits and without an order of columns.",
           "convert the original model with `mlx_lm.convert`")

DIAGNOSTIC(MX129, mlx_activations, error, (Text, Text), "the mode `{}` of {} cannot quantize activations",
           "With `quantize_activations`, mlx-lm replaces each quantized linear layer by one that also quantizes its "
           "inputs. Only the modes `nvfp4` and `mxfp8` support that, and it raises a ValueError for others.",
           "delete `quantize_activations`, or convert the model with `--q-mode nvfp4`")

// --- the modules ------------------------------------------------------------------------------------

constexpr selectors::Reader kReader{.name{"mlx-lm"},
                                    .fields = {"quantization"},
                                    .polarity = selectors::Polarity::assign,
                                    .reaches = {.facts = {Fact::quantizable}},
                                    .quantized_if = {.facts = {Fact::stored}},
                                    .rejects_match_not_reached = true};

// Returns the keys of a mapping; none for other values.
static const source::Map& keys_of(const Value* value) {
  static const source::Map kNone;
  const auto* map = value == nullptr ? nullptr : value->get<source::Map>();
  return map == nullptr ? kNone : *map;
}

namespace {

// The formats of entries, by number.
class EntryFormats : public selectors::Formats {
 public:
  selectors::Format of(const Value& value) override {
    const auto* map = value.get<source::Map>();
    if (map != nullptr && map->empty()) return kUnquantized;
    const Format format = format_of_entry(value);
    const auto found = std::ranges::find(list, format);
    const auto number = static_cast<selectors::Format>(found - list.begin());
    if (found == list.end()) list.push_back(format);
    return selectors::kFirstFormat + number;
  }

  std::vector<Format> list;
};

// The stored tensors, as far as mlx-lm looks at them.
struct Stored {
  std::set<std::string, std::less<>> scaled;  // modules with `.scales`
  bool has_order = false;                     // `.g_idx`
};

class Reading {
 public:
  Reading(const Value& root, const ReadOptions& options, const model::ModelNames* tensors, diag::Sink& sink,
          source::Span key, std::string folder)
      : root_(root), options_(options), sink_(sink), key_(key), folder_(std::move(folder)) {
    if (tensors != nullptr) stored_ = stored_in(*tensors);
    if (options.modules != nullptr) own_ = modules_of_mlx(*options.modules, options.parameters);
  }

  void run(ir::Recipe& recipe) {
    find_config();
    if (config_.has_entries) check_entries();
    check_copy();
    if (sink_.has_errors()) valid_ = false;
    ir::Action action{ir::Opaque{}, ir::Cadence{}, {"Quantization", 1, {}, {}, key_, {}}, true, false};
    if (valid_) action.operations.emplace_back(assignment());
    if (valid_ && !knows_modules() && names_only().get<source::Map>()->empty() && config_.whole)
      check_activations("all layers", *config_.whole);
    if (own_) recipe.units = *own_;
    action.valid = valid_;
    recipe.actions.push_back(std::move(action));
  }

 private:
  static Stored stored_in(const model::ModelNames& tensors) {
    constexpr std::string_view kScales = ".scales";
    Stored out;
    for (const std::string& name : tensors.list()) {
      if (name.ends_with(kScales)) out.scaled.insert(name.substr(0, name.size() - kScales.size()));
      out.has_order = out.has_order || name.ends_with(".g_idx");
    }
    return out;
  }

  void fail(diag::Diagnostic& /*report*/) { valid_ = false; }

  // `quantization` replaces `quantization_config`.
  void find_config() {
    if (const Value* own = root_.given("quantization")) {
      config_.section = own;
      config_.has_entries = true;
      read_whole(*own);
      return;
    }
    const Value* section = root_.given("quantization_config");
    const Value* text = root_.given("text_config");
    if (section == nullptr && text != nullptr) section = text->given("quantization_config");
    if (section != nullptr) read_method(*section);
  }

  // Returns the entry whose key is a word of another system for a key.
  static const source::Entry* other_name_of(const Value& section, std::string_view key) {
    const auto* map = section.get<source::Map>();
    const std::vector<std::string_view> candidates{key};
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const auto* name = (*map)[at].first.get<std::string>();
      if (name == nullptr || *name == key) continue;
      for (const std::string_view owner : {"", "QuantizeConfig"}) {
        const Meant meant = field_meant_by(owner, *name, (*map)[at].second, candidates, "");
        if (meant.name == key && meant.value.empty()) return &(*map)[at];
      }
    }
    return nullptr;
  }

  void read_whole(const Value& section) {
    for (const std::string_view key : {"group_size", "bits"}) {
      if (section.find(key) != nullptr) continue;
      const source::Entry* other = other_name_of(section, key);
      auto& report = sink_.report(diag::mlx_key_missing, other == nullptr ? key_ : other->first.span, key);
      if (other != nullptr) {
        renamed_.insert(other->first.span);
        report.with_help(fmt::format("write `{}`, the MLX name", key))
            .with_fix(diag::Fix::unsafe().content(other->first.span, std::string(key)));
      }
      fail(report);
    }
    if (!valid_) return;
    Format whole = format_of_entry(section);
    for (const auto& [key, number] : {std::pair("group_size", &Format::group_size), std::pair("bits", &Format::bits)}) {
      const auto* value = section.find(key)->get<std::int64_t>();
      whole.*number = value == nullptr ? 0 : *value;
    }
    config_.whole = whole;
  }

  void read_method(const Value& section) {
    config_.section = &section;
    const Value* method = section.given("quant_method");
    if (method == nullptr || method->get<std::string>() == nullptr) {
      fail(sink_.report(diag::mlx_key_missing, section.span, "quant_method"));
      return;
    }
    config_.method = *method->get<std::string>();
    const auto number = [&](std::string_view key, std::int64_t fallback) {
      const Value* value = section.find(key);
      const auto* whole = value == nullptr ? nullptr : value->get<std::int64_t>();
      return whole == nullptr ? fallback : *whole;
    };
    if (config_.method == "awq" || config_.method == "gptq") {
      constexpr std::int64_t kGroup = 128;
      if (number("bits", 4) != 4)
        fail(sink_.report(diag::mlx_method_rejected, method->span, config_.method, "it has other than 4 bits"));
      if (stored_ && stored_->has_order)
        fail(sink_.report(diag::mlx_method_rejected, method->span, config_.method, "its columns have an order"));
      config_.whole = Format{std::string(kAffine), number("group_size", kGroup), 4};
    } else if (config_.method == "mxfp4") {
      config_.whole = Format{"mxfp4", 32, 4};
    } else if (config_.method == "compressed-tensors") {
      const Value* format = section.given("format");
      const bool nvfp4 = format != nullptr && source::python_str(*format) == "nvfp4-pack-quantized";
      config_.whole = nvfp4 ? Format{"nvfp4", 16, 4} : Format{std::string(kAffine), 32, 4};
    } else if (config_.method != "bitnet") {
      sink_.report(diag::mlx_method_ignored, method->span, config_.method);
    }
  }

  void check_copy() {
    if (!config_.has_entries) return;
    if (report_other_program(options_, {folder_}, key_, sink_)) {
      valid_ = false;
      return;
    }
    const Value* copy = root_.given("quantization_config");
    if (copy != nullptr && copy->find("quant_method") == nullptr)
      sink_.report(diag::mlx_copy_without_method, copy->span);
  }

  // --- entries ----------------------------------------------------------------------------------------

  [[nodiscard]] bool knows_modules() const { return options_.modules != nullptr; }

  // Returns the modules of mlx-lm, which must be known.
  [[nodiscard]] const std::vector<model::Module>& all() const { return own_ ? *own_ : *options_.modules; }

  [[nodiscard]] const model::Module* module_of(std::string_view name) {
    if (by_name_.empty() && knows_modules()) {
      for (const model::Module& module : all()) by_name_.emplace(module.name, &module);
    }
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  void check_entries() {
    for (const source::Entry& each : keys_of(config_.section)) {
      const auto* name = each.first.get<std::string>();
      if (name == nullptr || is_own_key(*name) || renamed_.contains(each.first.span)) continue;
      const model::Module* module = module_of(*name);
      if (knows_modules() && module == nullptr) {
        report_unknown(each, *name);
      } else {
        check_entry(each, *name, module);
      }
    }
    report_experts();
    report_ungrouped();
  }

  // Reports the entries for single experts, once for each module that they mean.
  void report_experts() {
    for (const auto& [module, keys] : experts_) {
      diag::Fix fix = diag::Fix::unsafe().content(keys.front().span, module);
      for (std::size_t at = 1; at < keys.size(); ++at) fix.remove(keys[at].span);
      auto& report = sink_.report(diag::mlx_entry_without_module, keys.front().span, keys.front().value);
      if (keys.size() > 1) report.with_caret(fmt::format("{} more like this", keys.size() - 1));
      report.with_help(fmt::format("write `{}`: mlx-lm has one module for all experts", module))
          .with_fix(std::move(fix));
    }
  }

  // Reports all entries without a group size as one mistake.
  void report_ungrouped() {
    if (ungrouped_.empty()) return;
    const auto& [span, name, group_size] = ungrouped_.front();
    const std::int64_t own = config_.whole->group_size;
    auto& report = sink_.report(diag::mlx_entry_without_group, span, name, group_size, own);
    const std::size_t more = ungrouped_.size() - 1;
    if (more > 0) report.with_caret(fmt::format("{} more {} like this", more, more == 1 ? "entry" : "entries"));
    report.with_help(fmt::format("add `\"group_size\": {}` to {}: entries do not use the size of the file", own,
                                 more > 0 ? "each of these entries" : "this entry"));
  }

  // Returns the module that holds all experts of a layer in mlx-lm, for a name such as `mlp.experts.3.up_proj` or
  // `mlp.experts.up_proj`; empty for other names.
  [[nodiscard]] static std::string module_of_experts(const std::string& name) {
    constexpr std::string_view kExperts = ".experts.";
    const std::size_t at = name.find(kExperts);
    if (at == std::string::npos) return {};
    std::size_t end = at + kExperts.size();
    while (end < name.size() && base::is_digit(name[end])) ++end;
    end = end == at + kExperts.size() ? end - 1 : end;  // the dot before the last part
    return end < name.size() && name[end] == '.' ? name.substr(0, at) + ".switch_mlp" + name.substr(end)
                                                 : std::string();
  }

  // Returns the modules that a key with `*` was meant to name.
  std::vector<std::string> paths_of_glob(const std::string& name) {
    std::vector<std::string> out;
    if (name.find('*') == std::string::npos) return out;
    selectors::TermIndex index;
    index.add(selectors::How::glob, name, 0);
    index.finish({}, budget_);
    std::vector<std::uint32_t> found;
    for (const auto& module : modules()) {
      found.clear();
      const bool matches = index.find(module.name, budget_, found) && !found.empty();
      const model::Module* own = matches ? module_of(module.name) : nullptr;
      if (own != nullptr && own->shape) out.push_back(module.name);  // others have no weight
    }
    return out;
  }

  static std::string paths_text(const std::vector<std::string>& paths) {
    if (paths.size() == 1) return fmt::format("`{}`", paths.front());
    return fmt::format("each of the {} paths `{}` to `{}`", paths.size(), paths.front(), paths.back());
  }

  void report_unknown(const source::Entry& entry, const std::string& name) {
    const std::string experts = module_of_experts(name);
    if (!experts.empty()) {
      experts_[experts].push_back({name, entry.first.span});
      return;
    }
    selectors::Entry unknown{name};
    (void)selectors::prepare(kReader, unknown);
    auto& report = sink_.report(diag::mlx_entry_without_module, entry.first.span, name);
    if (const std::vector<std::string> paths = paths_of_glob(name); !paths.empty()) {
      report.with_help(fmt::format("mlx-lm has no wildcards: write an entry for {}", paths_text(paths)));
      return;
    }
    constexpr std::size_t kMost = 20;  // suggestions are slow
    if (++reported_ > kMost) return;
    const auto meant = selectors::meant_by(kReader, unknown, modules(), {}, budget_);
    if (meant)
      report.with_help(fmt::format("write `{}`", meant->text))
          .with_fix(diag::Fix::unsafe().content(entry.first.span, meant->text));
  }

  // Returns the names of the layers in a module, at most seven.
  [[nodiscard]] std::string layers_in(const std::string& name) const {
    constexpr std::size_t kMost = 7;
    std::vector<std::string> out;
    for (const model::Module& module : all()) {
      if (module.name.starts_with(name + ".") && is_quantizable(module))
        out.push_back(fmt::format("`{}`", module.name));
    }
    const std::size_t more = out.size() > kMost ? out.size() - kMost : 0;
    out.resize(out.size() - more);
    if (more > 0) out.push_back(fmt::format("{} more", more));
    return out.empty() ? std::string() : base::join_and(out);
  }

  void check_entry(const source::Entry& each, const std::string& name, const model::Module* module) {
    const Value& value = each.second;
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      if (!value.is_null() && value.get<bool>() == nullptr) fail(sink_.report(diag::mlx_entry_value, value.span, name));
      return;
    }
    for (const source::Entry& key : *map) {
      const auto* text = key.first.get<std::string>();
      if (text == nullptr || !is_own_key(*text)) return fail(sink_.report(diag::mlx_entry_value, key.first.span, name));
    }
    if (map->empty()) return;
    if (module != nullptr && !is_quantizable(*module)) {
      auto& report = sink_.report(diag::mlx_not_quantizable, each.first.span, name);
      const std::string layers = layers_in(name);
      if (!layers.empty()) report.with_help(fmt::format("write this entry for each of the layers in it: {}", layers));
      return fail(report);
    }
    const Format format = format_of_entry(value);
    if (!is_supported(format)) return fail(report_unsupported(value.span, format));
    if (value.given("group_size") == nullptr && config_.whole && config_.whole->group_size != format.group_size) {
      ungrouped_.push_back({each.first.span, name, format.group_size});
    }
    if (stored_ && module != nullptr && !stored_->scaled.contains(name)) {
      sink_.report(diag::mlx_stored_otherwise, each.first.span, name);
    }
  }

  // --- decisions --------------------------------------------------------------------------------------

  const std::vector<selectors::Module>& modules() {
    if (modules_.empty() && knows_modules()) {
      for (const model::Module& module : all()) {
        selectors::Module& out = modules_.emplace_back(selectors::Module{module.name, module.type});
        if (!is_quantizable(module)) continue;
        out.facts.add(Fact::quantizable);
        if (!stored_ || stored_->scaled.contains(module.name)) out.facts.add(Fact::stored);
      }
    }
    return modules_;
  }

  // Returns the section without the keys that are no names.
  [[nodiscard]] Value names_only() const {
    source::Map out;
    for (const source::Entry& each : keys_of(config_.has_entries ? config_.section : nullptr)) {
      const auto* name = each.first.get<std::string>();
      if (name == nullptr || !is_own_key(*name)) out.push_back(each);
    }
    return {std::move(out), {}};
  }

  ir::Assign assignment() {
    static constexpr ir::Language kLanguage{.name{"mlx-lm"}, .decide = decide_by_position, .order_matters = false};
    ir::Assign out;
    out.selection.language = &kLanguage;
    out.method.name = "mlx";
    const Value names = names_only();
    EntryFormats formats;
    auto read = selectors::entries_of(kReader, names, &formats);
    auto* entries = std::get_if<std::vector<selectors::Entry>>(&read);
    if (!config_.whole || entries == nullptr) return out;
    out.schemes.push_back(scheme_of(*config_.whole));
    for (const Format& format : formats.list) out.schemes.push_back(scheme_of(format));
    out.selection.otherwise = 0;
    for (const selectors::Entry& entry : *entries) {
      ir::Rule rule{entry.text, entry.span};
      rule.kind = entry.format == kUnquantized ? ir::Rule::Kind::excludes : ir::Rule::Kind::assigns;
      rule.scheme = entry.format == kUnquantized ? 0 : entry.format - 1;
      out.selection.rules.push_back(std::move(rule));
    }
    if (knows_modules()) decide(*entries, formats, out);
    return out;
  }

  void decide(const std::vector<selectors::Entry>& entries, const EntryFormats& formats, ir::Assign& out) {
    const auto result = selectors::assign(kReader, &entries, modules());
    const auto* assignment = std::get_if<selectors::Assignment>(&result);
    if (assignment == nullptr) return;  // check_entries() has reported it
    std::vector<DecidedUnit> units(modules().size());
    for (std::size_t at = 0; at < units.size(); ++at) {
      const selectors::Decision& decision = assignment->decisions[at];
      units[at].reached = decision.why != selectors::Decision::Why::not_reached;
      if (decision.has_entry()) units[at].entry = entries[decision.by].text, units[at].span = entries[decision.by].span;
      if (decision.format == kUnquantized) continue;
      units[at].scheme = decision.format - 1;
      const Format& format = decision.format == selectors::kDefaultFormat
                                 ? *config_.whole
                                 : formats.list[decision.format - selectors::kFirstFormat];
      check_columns(all()[at], format);
      if (all()[at].type == "Linear") check_activations(fmt::format("`{}`", all()[at].name), format);
    }
    out.selection = decided_selection(out.selection.language, units);
  }

  // Reports a mode in which linear layers with quantized inputs do not exist.
  void check_activations(const std::string& layer, const Format& format) {
    const Value* on = root_.given("quantize_activations");
    const auto number = on == nullptr ? std::nullopt : on->number();
    if (reported_activations_ || number.value_or(0) == 0 || format.mode == "nvfp4" || format.mode == "mxfp8") return;
    fail(sink_.report(diag::mlx_activations, on->span, base::printable(format.mode), layer));
    reported_activations_ = true;
  }

  diag::Diagnostic& report_unsupported(source::Span span, const Format& format) {
    auto& report = sink_.report(diag::mlx_format_unsupported, span, describe(format));
    return report.with_help("write " + supported_formats(format));
  }

  void check_columns(const model::Module& module, const Format& format) {
    if (!is_supported(format)) {
      if (!reported_format_) fail(report_unsupported(key_, format));
      reported_format_ = true;
      return;
    }
    if (!module.shape || module.shape->empty() ||
        module.shape->back() % static_cast<std::uint64_t>(format.group_size) == 0)
      return;
    if (!reported_columns_)
      fail(sink_.report(diag::mlx_columns, key_, module.name, module.shape->back(), format.group_size));
    reported_columns_ = true;
  }

  const Value& root_;
  const ReadOptions& options_;
  diag::Sink& sink_;
  source::Span key_;
  std::string folder_;  // of the file
  Config config_;
  std::optional<Stored> stored_;
  bool valid_ = true;
  std::optional<std::vector<model::Module>> own_;  // with the experts of mlx-lm; nullopt: those of the model
  bool reported_format_ = false;
  bool reported_columns_ = false;
  bool reported_activations_ = false;
  std::size_t reported_ = 0;
  std::vector<UngroupedEntry> ungrouped_;
  std::map<std::string, std::vector<source::Located<std::string>>> experts_;  // entries for single experts, by module
  base::Budget budget_ = selectors::assignment_budget();
  std::map<std::string_view, const model::Module*> by_name_;
  std::set<source::Span> renamed_;  // keys that other systems use for those of mlx
  std::vector<selectors::Module> modules_;
};

}  // namespace

// Returns the folder of a file, as the user names it.
static std::string folder_of(const source::SourceFile& file) {
  const std::size_t end = file.name().find_last_of("/\\");
  return end == std::string::npos ? "." : file.name().substr(0, end);
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  ir::Recipe recipe{"mlx", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  const std::set<source::Span> unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  const Value root = doc::construct(source.document, source.document.root, sink);
  if (is_call(root)) {
    read_call({source.file, unknown, options, sink}, root, recipe);
    return recipe;
  }
  doc::check_json(source.file, sink);
  const auto own = entry(source.document, source.document.root, "quantization");
  const auto other = entry(source.document, source.document.root, "quantization_config");
  const source::Span key = own     ? source.document[own->first].span
                           : other ? source.document[other->first].span
                                   : source.document[source.document.root].span;
  const auto tensors = weights_beside(source.file, options, key, sink);
  Reading(root, options, tensors != nullptr ? tensors.get() : options.parameters, sink, key, folder_of(source.file))
      .run(recipe);
  return recipe;
}

}  // namespace sparsecfg::dialect::mlx
