#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/quantizers/fused_layers.h"
#include "dialect/quantizers/runtime_names.h"
#include "dialect/quantizers/script_code.h"
#include "emit/literal.h"

// Checks of the layers that the programs quantize.
namespace sparsecfg::dialect::checkpoint {

using selectors::Fact;

DIAGNOSTIC(
    QC301, programs_disagree, warning, (Text, Text), "{0} quantize different layers, such as `{1}`",
    "There is no common rule for the lists of modules. Each program compares the entries with other names and in "
    "another way, so the same file leaves other layers unquantized.",
    "write the full name of each layer, which all programs match")

DIAGNOSTIC(QC302, head_not_listed, warning, (Text), "`{}` is quantized, because the list does not contain it",
           "Without a list, transformers leaves the output head unquantized. A list replaces this default, even if it "
           "is empty.",
           "add the head to the list")

DIAGNOSTIC(QC303, stored_otherwise, silent_warning, (Text, Text, Text),
           "`{0}` is stored {1}, but {2} expects the opposite",
           "The names of the stored tensors show which modules are quantized. If the config selects other modules, the "
           "program does not find their tensors, or drops the scales.",
           "correct the list of modules")

DIAGNOSTIC(QC304, fused_parts_differ, error, (Text, Text), "{1} fuses `{0}`, whose parts are listed differently",
           "vLLM and SGLang join layers such as `q_proj`, `k_proj` and `v_proj` to one layer, and require that all or "
           "none of its parts are quantized. Otherwise the load stops.",
           "list all parts of the layer, or none")

DIAGNOSTIC(QC305, experts_left_out, silent_warning, (Text, Text),
           "transformers leaves the experts `{0}` unquantized with `{1}`",
           "In transformers 5, the experts of a block are one module with large tensors, not Linear layers. Most "
           "methods replace only Linear layers.",
           "load the model with vLLM or SGLang")

DIAGNOSTIC(QC306, shard_not_divisible, error, (Text, std::uint64_t, std::uint64_t, std::uint64_t),
           "the {1} columns of `{0}` on {2} GPUs are no multiple of {3}",
           "A runtime splits the columns of some layers across GPUs. Each part must consist of whole groups or blocks.",
           "use fewer GPUs, or a smaller group or block")

DIAGNOSTIC(QC307, no_layer_left, error, (Text), "{} finds no layer to quantize, and stops",
           "transformers raises an UnboundLocalError if no layer is left for AWQ.", "correct the list of modules")

DIAGNOSTIC(
    QC308, checkpoint_quantizes_nothing, silent_warning, (Text), "{} quantizes no layer of this model",
    "A list that matches all layers, or a method for other classes of layers, leaves the whole model unquantized. "
    "Programs print no error, and the stored tensors do not fit.",
    "correct the list of modules")

// --- comparison of programs -------------------------------------------------------------------------

namespace {

// A program's decisions about the modules of the model.
struct OfModules {
  std::vector<bool> quantized;
  std::vector<bool> by_reported;  // by an entry that another finding reports
};

}  // namespace

static OfModules decisions_of(const Context& context, const Reading& reading, const std::set<std::uint32_t>& reported) {
  const std::size_t count = context.input.modules->size();
  OfModules out{std::vector<bool>(count), std::vector<bool>(count)};
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const auto& by = reading.decisions[unit].by;
    const bool by_reported = by && reported.contains(reading.all_entries[*by]->span.begin);
    for (const std::uint32_t member : reading.units->members[unit]) {
      out.quantized[member] = reading.quantizes(unit);
      out.by_reported[member] = by_reported;
    }
  }
  return out;
}

static bool belongs_to_experts(std::string_view name) {
  return name.ends_with(".experts") || name.find(".experts.") != name.npos;
}

// Returns the modules outside of experts about which two programs disagree. An entry with a finding explains the
// disagreement about its modules.
static std::vector<std::size_t> different_modules(const Context& context, const OfModules& one,
                                                  const OfModules& other) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < one.quantized.size(); ++at) {
    if (one.quantized[at] == other.quantized[at] || one.by_reported[at] || other.by_reported[at]) continue;
    if (!belongs_to_experts((*context.input.modules)[at].name)) out.push_back(at);
  }
  return out;
}

static std::string counted_layers(const Reading& reading, const std::vector<bool>& quantized) {
  return fmt::format("{}: {}", title_of(reading.program), base::counted(std::ranges::count(quantized, true), "layer"));
}

// Returns true if the file has a list that the program reads.
static bool reads_list(const Reading& reading) {
  return std::ranges::any_of(reading.lists, [](const EntryList& list) { return list.entries.has_value(); });
}

// Returns the place of a list that one of the programs reads.
static source::Span place_of_lists(const Context& context, const Reading& first, const Reading& second) {
  for (const Reading* reading : {&first, &second}) {
    for (const EntryList& list : reading->lists) {
      if (list.entries) return context.place_of(list);
    }
  }
  return context.key;
}

// Reports the programs that quantize other layers than the printed reading, as one finding.
static void check_disagreement(const Context& context, const std::set<std::uint32_t>& reported) {
  const Reading& printed = context.printed();
  if (printed.decisions.empty()) return;
  const OfModules first = decisions_of(context, printed, reported);
  std::vector<std::string> programs{std::string(title_of(printed.program))};
  std::string counts = counted_layers(printed, first.quantized);
  std::vector<std::size_t> different;
  std::vector<std::string> without_list;
  const Reading* differs = nullptr;
  for (const Reading& other : context.readings) {
    if (&other == &printed || other.decisions.empty() || other.lists.empty()) continue;
    const OfModules others = decisions_of(context, other, reported);
    const std::vector<std::size_t> modules = different_modules(context, first, others);
    if (modules.empty()) continue;
    if (differs == nullptr) differs = &other;
    if (!reads_list(other)) without_list.emplace_back(title_of(other.program));
    programs.emplace_back(title_of(other.program));
    counts += ", " + counted_layers(other, others.quantized);
    different.insert(different.end(), modules.begin(), modules.end());
  }
  if (differs == nullptr) return;
  const auto name = [&](std::size_t at) -> const std::string& { return (*context.input.modules)[at].name; };
  const bool only_head =
      std::ranges::all_of(different, [&](std::size_t at) { return base::last_part(name(at)) == kHeadName; });
  auto& report = context.sink
                     .report(diag::programs_disagree, place_of_lists(context, *differs, printed),
                             base::join_and(programs), name(*std::ranges::min_element(different)))
                     .with_severity(only_head ? diag::Severity::info : diag::Severity::warning)
                     .not_beside(diag::entry_matches_nothing)
                     .with_caret("quantized by " + counts);
  if (!without_list.empty()) {
    report.with_help(fmt::format("select the program that loads the file with `--runtime`: {} {} no list of layers",
                                 base::join_and(without_list), without_list.size() == 1 ? "reads" : "read"));
  }
}

// --- one program ------------------------------------------------------------------------------------

static void check_head(const Context& context, const Reading& reading) {
  if (reading.program != Program::transformers || reading.lists.empty() || !reading.lists.front().entries) return;
  if (!reading.lists.front().reader.default_skips.has(Fact::head)) return;
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const selectors::Module& module = reading.units->modules[unit];
    if (!module.facts.has(Fact::head) || !reading.quantizes(unit)) continue;
    context.sink.report(diag::head_not_listed, context.place_of(reading.lists.front()), module.name)
        .with_help(fmt::format("add `{}` to the list", module.name));
    return;
  }
}

// Returns true for experts that check_experts() reports.
static bool leaves_experts(const Reading& reading, std::size_t unit) {
  return reading.program == Program::transformers && !reading.method->module_experts &&
         reading.units->modules[unit].facts.has(Fact::experts) && !reading.quantizes(unit);
}

namespace {

// The layers that are stored in one way and expected in the other.
struct Mismatch {
  std::vector<std::string_view> names;
  std::optional<std::uint32_t> by{};  // the entry that decides the first of them
};

}  // namespace

// Returns the layers with or without quantized tensors that a program expects otherwise.
static Mismatch mismatch_of(const Context& context, const Reading& reading, bool stored) {
  Mismatch out;
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    if (leaves_experts(reading, unit) || stored == reading.quantizes(unit)) continue;
    for (const std::uint32_t member : reading.units->members[unit]) {
      const std::string& name = (*context.input.modules)[member].name;
      if (!context.input.stored->contain(name) || context.input.stored->are_quantized(name) != stored) continue;
      if (out.names.empty()) out.by = reading.decisions[unit].by;
      out.names.push_back(name);
    }
  }
  return out;
}

static std::string names_of(const Mismatch& mismatch) {
  constexpr std::size_t kMost = 7;
  std::vector<std::string> shown;
  for (const std::string_view name : mismatch.names) shown.push_back(fmt::format("`{}`", base::printable(name)));
  if (shown.size() > kMost) shown.resize(3);
  if (shown.size() < mismatch.names.size())
    shown.push_back(fmt::format("{} more", mismatch.names.size() - shown.size()));
  return base::join_and(shown);
}

// Reports layers that a program quantizes although they are stored otherwise, or the reverse. An entry with a finding
// explains layers that it does not exclude.
static void check_stored(const Context& context, const Reading& reading, const std::set<std::uint32_t>& reported) {
  if (context.input.stored == nullptr || reading.lists.empty()) return;
  for (const bool stored : {false, true}) {
    const Mismatch mismatch = mismatch_of(context, reading, stored);
    if (mismatch.names.empty() || (!stored && !reported.empty())) continue;
    const Entry* entry = stored && mismatch.by ? reading.all_entries[*mismatch.by] : nullptr;
    auto& report = context.sink.report(
        diag::stored_otherwise, entry == nullptr ? context.place_of(reading.lists.front()) : entry->span,
        std::string(mismatch.names.front()), std::string(stored ? "quantized" : "unquantized"),
        std::string(title_of(reading.program)));
    report.not_beside(diag::entry_matches_longer_numbers);
    if (mismatch.names.size() > 1) report.with_caret(base::counted(mismatch.names.size(), "layer"));
    const bool listed = reading.lists.front().reader.polarity == selectors::Polarity::skip;
    if (!stored && listed) {
      report.with_help(fmt::format("add {}", names_of(mismatch)));
    } else if (entry != nullptr) {
      report.with_help(fmt::format("delete `{}`, or narrow it", base::printable(entry->text)));
    }
    return;
  }
}

// Returns the full names of parts of a joined layer that a list lacks, if it contains the full name of another part.
static std::vector<std::string> unlisted_parts(const Reading& reading, std::string_view joined) {
  std::vector<std::string> out = quantizers::parts_of(joined);
  const std::size_t all = out.size();
  const bool skips = !reading.lists.empty() && reading.lists.front().reader.polarity == selectors::Polarity::skip;
  std::erase_if(out, [&](const std::string& part) {
    return std::ranges::any_of(reading.all_entries, [&](const Entry* entry) { return entry->text == part; });
  });
  return !skips || out.size() == all ? std::vector<std::string>() : out;
}

// Returns the help line for a joined layer whose parts are listed differently.
static std::string help_for_parts(const Reading& reading, const std::string& joined) {
  std::vector<std::string> shown;
  for (const std::string& name : unlisted_parts(reading, joined)) shown.push_back(fmt::format("`{}`", name));
  const std::string edit = shown.empty() ? fmt::format("select all parts alike, such as with `.*{}`",
                                                       quantizers::pattern_of_parts(joined, false))
                                         : fmt::format("add {}", base::join_and(shown));
  return edit + "; parts that are stored differently must be quantized again";
}

// Returns the last two parts of a name: "mlp.gate".
static std::string last_two_parts(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t before = dot == std::string::npos || dot == 0 ? std::string::npos : name.rfind('.', dot - 1);
  return before == std::string::npos ? name : name.substr(before + 1);
}

// Returns the full names of the modules that an entry is the last part of.
static std::set<std::string> other_layers(const Context& context, const std::string& word) {
  std::set<std::string> out;
  for (const model::Module& module : *context.input.modules) {
    if (base::last_part(module.name) == word) out.insert(module.name);
  }
  return out;
}

// Advises on an entry that is the name of other modules, such as the router `gate`, and by accident the start of that
// of a part, such as `gate_proj`.
static void advise_on_word(const Context& context, const Reading& reading, const selectors::Rejection& rejection,
                           diag::Diagnostic& report) {
  const auto found =
      std::ranges::find_if(reading.all_entries, [&](const Entry* entry) { return entry->span == rejection.span; });
  if (found == reading.all_entries.end() || context.input.modules == nullptr) return;
  const std::string& word = (*found)->text;
  const std::vector<std::string> parts = quantizers::parts_of(rejection.detail);
  const auto begins = [&](const std::string& part) {
    return base::last_part(part).starts_with(word) && base::last_part(part) != word;
  };
  if (std::ranges::none_of(parts, begins)) return;
  std::set<std::string> meant;
  const auto is_part = [&](std::string_view last) {
    return std::ranges::any_of(parts, [&](const std::string& part) { return base::last_part(part) == last; });
  };
  for (const model::Module& module : *context.input.modules) {
    const std::string_view last = base::last_part(module.name);
    if (last.find(word) != last.npos && !is_part(last)) meant.insert(last_two_parts(module.name));
  }
  const auto hits = [&](const std::string& text) {
    return std::ranges::any_of(parts, [&](const std::string& part) { return part.find(text) != std::string::npos; });
  };
  if (std::ranges::any_of(meant, hits)) meant = other_layers(context, word);
  if (meant.empty() || std::ranges::any_of(meant, hits)) return;
  constexpr std::size_t kMaxShown = 7;
  const std::string all = meant.size() > kMaxShown
                              ? fmt::format("{}` and {}", *meant.begin(), base::counted(meant.size() - 1, "other name"))
                              : fmt::format("{}`", fmt::join(meant, "`, `"));
  report.with_caret(fmt::format("also matches `{}`", base::last_part(*std::ranges::find_if(parts, begins))))
      .with_help(
          fmt::format("write `{}, which {} no part of this layer", all, meant.size() == 1 ? "matches" : "match"));
  diag::Fix fix = diag::Fix::unsafe().content((*found)->span, *meant.begin());
  const auto list = list_with(context, (*found)->span);
  if (meant.size() > 1 && !list) return;
  for (const std::string& name : meant) {
    if (name != *meant.begin()) fix.append(*list, name);
  }
  report.with_fix(std::move(fix));
}

static void check_parts(const Context& context, const Reading& reading) {
  if (!reading.refusal || !reading.refusal->rejection) return;
  const selectors::Rejection& rejection = *reading.refusal->rejection;
  const source::Span place = rejection.span.empty() ? context.key : rejection.span;
  if (rejection.reason == selectors::Rejection::Reason::parts_differ) {
    auto& report =
        context.sink.report(diag::fused_parts_differ, place, rejection.detail, std::string(title_of(reading.program)))
            .with_severity(context.severity_of(reading));
    if (!quantizers::parts_of(rejection.detail).empty()) report.with_help(help_for_parts(reading, rejection.detail));
    advise_on_word(context, reading, rejection, report);
  } else if (rejection.reason == selectors::Rejection::Reason::nothing_left) {
    context.sink.report(diag::no_layer_left, context.key, std::string(title_of(reading.program)))
        .with_severity(context.severity_of(reading));
  }
}

// Returns " (29.0 GB)" for the experts of the model with so many bits; empty if their size is not known.
static std::string size_of_experts(const Context& context, double bits) {
  constexpr double kBitsOfGigabyte = 8e9;
  const double size = static_cast<double>(context.expert_weights) * bits / kBitsOfGigabyte;
  return context.expert_weights == 0 ? std::string() : fmt::format(" ({:.1f} GB)", size);
}

// Advises on methods that quantize experts. The scales of groups of 128 add 0.125 bits.
static std::string help_for_experts(const Context& context) {
  static constexpr quantizers::Exported kClass[] = {{"transformers", "FineGrainedFP8Config"}};
  return fmt::format(
      "for 8 bits{}, write {}; for 4 bits{}, quantize the model to `W4A16` with llm-compressor and load it in vLLM, or "
      "load a GGUF file in llama.cpp",
      size_of_experts(context, 8),
      quantizers::code_for(python::imported_names(context.file), "FineGrainedFP8Config()", kClass).shown(),
      size_of_experts(context, 4.125));
}

static void check_experts(const Context& context, const Reading& reading) {
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    if (!leaves_experts(reading, unit)) continue;
    const selectors::Module& module = reading.units->modules[unit];
    auto& report =
        context.sink.report(diag::experts_left_out, context.key, module.name, std::string(reading.method->name));
    const std::string size = size_of_experts(context, 16);
    if (!size.empty()) report.with_caret(fmt::format("all experts keep 16 bits{}", size));
    if (context.input.constructed) report.with_help(help_for_experts(context));
    return;
  }
}

// Returns true for a method that quantizes only experts, whatever its lists say.
static bool quantizes_experts(const Reading& reading) {
  return reading.method != nullptr && reading.method->name == "mxfp4";
}

// Returns code as the script can run it. Without a script, as it is.
static quantizers::ScriptCode code_for_layers(const Context& context, const std::string& code) {
  static constexpr quantizers::Exported kNames[] = {{"transformers", "FineGrainedFP8Config"},
                                                    {"transformers", "BitsAndBytesConfig"},
                                                    {"llmcompressor", "oneshot"},
                                                    {"llmcompressor.modifiers.quantization", "QuantizationModifier"}};
  return quantizers::code_for(python::imported_names(context.file), code, kNames);
}

// Returns the classes of transformers that quantize linear layers, and the call of llm-compressor for the same format.
static std::string help_for_linear_layers(const Context& context) {
  const std::string_view id = context.loaded_model;
  const std::string model = id.empty() ? "..." : emit::literal(emit::Syntax::python, id);
  const std::string folder =
      fmt::format("{}MXFP4A16", id.empty() ? "" : std::string(id.substr(id.rfind('/') + 1)) + "-");
  const std::string call = fmt::format(
      R"(oneshot(model={}, recipe=QuantizationModifier(targets=["Linear"], scheme="MXFP4A16", ignore=["lm_head"]), output_dir={}))",
      model, emit::literal(emit::Syntax::python, folder));
  return fmt::format(
      "for 8 bits, write {}; for 4 bits, write {}; for the same format, run llm-compressor: {}. `Mxfp4Config` "
      "quantizes "
      "only the experts of gpt-oss",
      code_for_layers(context, "FineGrainedFP8Config()").shown(),
      code_for_layers(context, "BitsAndBytesConfig(load_in_4bit=True)").shown(),
      code_for_layers(context, call).shown());
}

// Returns the method to use if that of the config has no layer that it can quantize.
static std::string other_method(const Context& context, const Reading& reading) {
  if (!quantizes_experts(reading)) return "quantize the model again with a method for its layers";
  if (context.input.constructed) return help_for_linear_layers(context);
  return "quantize the model again with the recipe `QuantizationModifier(targets=[\"Linear\"], scheme=\"MXFP4A16\", "
         "ignore=[\"lm_head\"])` of llm-compressor: `mxfp4` quantizes only experts";
}

// Reports a config of which no layer of the model remains. Methods without a format, such as `dequantize`, intend this.
// Returns true if it reports.
static bool check_any(const Context& context, const Reading& reading) {
  const bool intended = std::ranges::none_of(reading.formats, [](const auto& format) { return format.has_value(); });
  const auto quantized = [](const UnitDecision& unit) { return unit.format != selectors::kUnquantized; };
  if (intended || std::ranges::any_of(reading.decisions, quantized)) return false;
  const bool listed = !reading.lists.empty() && !quantizes_experts(reading);
  auto& report =
      context.sink.report(diag::checkpoint_quantizes_nothing,
                          listed ? context.place_of(reading.lists.front()) : context.place_of("quant_method"),
                          std::string(title_of(reading.program)));
  if (!listed) report.with_help(other_method(context, reading));
  return true;
}

// --- GPUs -------------------------------------------------------------------------------------------

// Returns the place of the size of groups or blocks, or that of the config.
static source::Span place_of_granule(const Context& context) {
  for (const std::string_view name : {"weight_block_size", "group_size", "q_group_size"}) {
    if (context.input.config.given(name) != nullptr) return context.place_of(name);
  }
  return context.key;
}

// Returns true if the kernels for experts halve a group until it divides the columns.
static bool halves_groups(const Reading& reading) {
  const bool gptq = reading.program == Program::vllm && reading.method->name == "gptq";
  return gptq || reading.method->name == "awq";
}

// Returns the columns that a GPU needs together.
static std::uint64_t columns_on_gpu(const Reading& reading, bool expert, std::uint64_t granule, std::uint64_t columns) {
  constexpr std::uint64_t kLeastGroup = 32;
  while (expert && halves_groups(reading) && granule > kLeastGroup && columns % granule != 0) granule /= 2;
  return granule;
}

// Returns a smaller number of GPUs that divides the columns of a layer.
static std::uint64_t fitting_gpus(const Reading& reading, bool expert, std::uint64_t granule, std::uint64_t columns,
                                  std::uint64_t gpus) {
  const auto fits = [&](std::uint64_t each) {
    return columns % (columns_on_gpu(reading, expert, granule, columns / each) * each) == 0;
  };
  return std::max<std::uint64_t>(fewer_gpus(gpus, fits), 1);
}

static void check_shards(const Context& context, const Reading& reading) {
  if (context.gpus <= 1 || reading.program == Program::transformers || reading.program == Program::quark) return;
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const Format number = reading.decisions[unit].format;
    const auto& scheme = reading.formats[number < reading.formats.size() ? number : 0];
    const std::uint64_t granule = scheme ? quantizers::columns_together(*scheme) : 0;
    const bool expert = reading.units->modules[unit].facts.has(Fact::experts);
    const std::uint64_t gpus = expert ? context.gpus_per_expert : context.gpus;
    for (const std::uint32_t member : reading.units->members[unit]) {
      const model::Module& module = (*context.input.modules)[member];
      if (granule == 0 || !module.shape || module.shape->size() != 2) continue;
      const std::uint64_t columns = module.shape->back();
      const std::uint64_t together = columns_on_gpu(reading, expert, granule, columns / gpus);
      if (!quantizers::splits_columns(module.name) || columns % (together * gpus) == 0) continue;
      auto& report =
          context.sink.report(diag::shard_not_divisible, place_of_granule(context), module.name, columns, gpus, granule)
              .with_severity(context.severity_of(reading))
              .with_help(fmt::format("use `--tensor-parallel {}`, or quantize with smaller groups or blocks",
                                     fitting_gpus(reading, expert, granule, columns, gpus)));
      if (expert && columns % granule == 0) {
        report.with_help(fmt::format("use expert parallelism (`--expert-parallel {}`), or `--tensor-parallel {}`", gpus,
                                     fitting_gpus(reading, expert, granule, columns, gpus)));
      }
      return;
    }
  }
}

void check_layers(const Context& context, const std::set<std::uint32_t>& reported) {
  for (const Reading& reading : context.readings) check_parts(context, reading);
  if (context.input.modules == nullptr) return;
  check_disagreement(context, reported);
  for (const Reading& reading : context.readings) {
    if (reading.decisions.empty() || !reading.complete) continue;
    check_head(context, reading);
    check_experts(context, reading);
    check_shards(context, reading);
  }
  const Reading& printed = context.printed();
  if (!printed.decisions.empty() && !check_any(context, printed)) check_stored(context, printed, reported);
}

}  // namespace sparsecfg::dialect::checkpoint
