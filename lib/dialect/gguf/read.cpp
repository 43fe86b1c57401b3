#include "dialect/gguf/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/names.h"
#include "dialect/gguf/plan.h"
#include "dialect/runtime_option.h"
#include "emit/literal.h"
#include "model/selectors/entry_index.h"
#include "model/selectors/meant.h"
#include "regex/pattern.h"
#include "source/shell_words.h"

namespace sparsecfg::dialect::gguf {

DIAGNOSTIC(
    GG101, tensor_type_malformed, error, (Text, Text), "`{0}` is not an entry of the form `pattern=type` for {1}",
    "Entries are separated by white space in a file, and by commas in `--custom-q`. There are no comments, and no "
    "spaces around `=`. A comma in a pattern ends the entry.",
    "write an entry such as `attn_v=q8_0`")

DIAGNOSTIC(GG102, tensor_type_unknown, error, (Text, Text), "{1} has no tensor type `{0}`",
           "The types are those of ggml, such as `q4_K`. Names of mixes such as `Q4_K_M` are no types of a tensor. "
           "ik_llama.cpp distinguishes upper and lower case, and has further types.",
           "use a type of the program")

DIAGNOSTIC(GG103, file_type_unknown, error, (Text), "llama-quantize has no type `{}`",
           "The last word of the command is the type of the file.", "use a type such as `Q4_K_M`")

DIAGNOSTIC(
    GG104, tensor_pattern_invalid, error, (Text, Text), "{1} rejects the pattern `{0}`",
    "Patterns are ECMAScript expressions of `std::regex`, which have no look-behind, flags or possessive repeats.",
    "write the pattern without these constructs")

DIAGNOSTIC(GG105, tensor_type_unmatched, silent_warning, (Text), "`{}` matches no tensor of the model",
           "llama-quantize silently ignores entries that match no tensor. It compares the names of GGUF files, such as "
           "`blk.0.attn_v.weight`, not those of Hugging Face.",
           "use a name of the model")

DIAGNOSTIC(GG106, tensor_type_kept, silent_warning, (Text), "`{}` matches only tensors that are never quantized",
           "llama-quantize keeps norms, biases, routers, positions and tensors of one dimension as they are.",
           "delete the entry")

DIAGNOSTIC(GG107, tensor_type_shadowed, silent_warning, (Text, Text),
           "`{0}` decides no tensor, because `{1}` matches before it", "The first entry that matches a tensor decides.",
           "move the entry to the front")

DIAGNOSTIC(GG108, tensor_list_ignored, silent_warning, (Text, Text), "{0} ignores all tensor types with `{1}`",
           "The list applies only if the type of the file is quantized. ik_llama.cpp also ignores it with `--pure`.",
           "use a quantized type, and delete `--pure`")

DIAGNOSTIC(GG109, tensor_columns, error, (Text, std::uint64_t, Text),
           "the {1} columns of `{0}` do not fit the type `{2}`",
           "A type stores 32 or 256 columns together. llama.cpp has a fallback for some types, and stops at others.",
           "use a type with smaller blocks, or `f16`, which has none")

DIAGNOSTIC(
    GG110, tensor_fallback, info, (Text, Text, Text), "`{0}` is stored as `{2}`, because its columns do not fit `{1}`",
    "A type stores 32 or 256 columns together. The program replaces it if the columns of a tensor are no multiple.",
    "use a type with a smaller block")

DIAGNOSTIC(GG111, imatrix_needed, warning, (Text, Text), "`{0}` with the type `{1}` needs an importance matrix",
           "Types with very few bits are quantized only with `--imatrix`. llama-quantize stops otherwise.",
           "create a matrix with `llama-imatrix -m MODEL -f calibration.txt -o imatrix.gguf`, and add `--imatrix "
           "imatrix.gguf`")

DIAGNOSTIC(GG112, tensor_pattern_case, silent_warning, (Text, Text), "llama.cpp reads `{0}` as `{1}`",
           "llama.cpp converts patterns to lower case, so `\\\\D` means `\\\\d`.", "write `[^0-9]` instead")

DIAGNOSTIC(GG113, tensor_pattern_open, warning, (Text, Text), "`{0}` also matches `{1}`",
           "Patterns match anywhere in a name. `output` also matches `attn_output`, `blk.1` the layers 10 to 19, and "
           "`ffn_gate` the experts `ffn_gate_exps`.",
           "anchor the pattern, as in `^output\\\\.weight$` or `blk\\\\.1\\\\.`")

DIAGNOSTIC(GG114, source_quantized, warning, (Text, Text),
           "the name of `{}` says that the model is already quantized to `{}`",
           "llama-quantize stops at a tensor that is quantized, unless it is copied or `--allow-requantize` is given. "
           "The losses of both quantizations then add up.",
           "start from the F16 or BF16 file of the model")

DIAGNOSTIC(GG115, output_type_ignored, silent_warning, (Text), "`{}` has no effect beside `--leave-output-tensor`",
           "The flag keeps `output.weight` as it is, so its type is never read. The file is larger than expected.",
           "delete `--leave-output-tensor`")

// --- the model --------------------------------------------------------------------------------------

// Returns the header of a model of which only names and shapes are known.
static std::optional<model::GgufHeader> header_of(const model::ModelNames& names) {
  auto tensors = tensors_of(names);
  if (!tensors) return std::nullopt;
  model::GgufHeader out;
  out.tensors = *std::move(tensors);
  std::int64_t layers = 0;
  for (const model::GgufTensor& tensor : out.tensors) {
    if (!tensor.name.starts_with("blk.")) continue;
    const std::string number = tensor.name.substr(4, tensor.name.find('.', 4) - 4);
    if (!number.empty() && number.size() < 6 && std::ranges::all_of(number, base::is_digit)) {
      layers = std::max<std::int64_t>(layers, std::stoll(number) + 1);
    }
  }
  out.values.emplace("general.architecture", std::string("unknown"));
  out.values.emplace("unknown.block_count", layers);
  return out;
}

// Returns the tensors that language models usually have, so that the order of entries can be checked without a model.
static model::GgufHeader usual_header() {
  constexpr int kBlocks = 96;
  constexpr std::string_view kInBlock[] = {
      "attn_q",        "attn_k",      "attn_v",        "attn_qkv",       "attn_output",  "attn_q_a",      "attn_q_b",
      "attn_kv_a_mqa", "attn_kv_b",   "ffn_gate",      "ffn_up",         "ffn_down",     "ssm_in",        "ssm_out",
      "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"};
  model::GgufHeader out;
  const auto add = [&](std::string name) { out.tensors.push_back({std::move(name) + ".weight", {4096, 4096}}); };
  add("token_embd");
  add("output");
  for (int block = 0; block < kBlocks; ++block) {
    for (const std::string_view part : kInBlock) add(fmt::format("blk.{}.{}", block, part));
  }
  out.values.emplace("general.architecture", std::string("unknown"));
  out.values.emplace("unknown.block_count", std::int64_t{kBlocks});
  return out;
}

static std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : std::string(path.substr(0, slash));
}

static std::optional<model::GgufHeader> model_of(const Command& command, const std::string& folder,
                                                 const ReadOptions& options) {
  const std::string path = path_beside(folder, command.model.text);
  if (path.ends_with(".gguf")) {
    auto header = model::load_gguf(path);
    if (auto* read = std::get_if<model::GgufHeader>(&header)) return std::move(*read);
  }
  if (options.parameters == nullptr) return std::nullopt;
  return header_of(*options.parameters);
}

// --- reading ----------------------------------------------------------------------------------------

namespace {

class CommandReader {
 public:
  CommandReader(const Command& command, const source::SourceFile& file, std::optional<model::GgufHeader> header,
                diag::Sink& sink)
      : command_(command), file_(file), header_(std::move(header)), sink_(sink) {}

  void run(ir::Recipe& recipe) {
    check_file_type();
    check_source();
    check_output_type();
    for (const TypeEntry& entry : command_.entries) parse(entry);
    ir::Action action{ir::Opaque{}, ir::Cadence{}, {"llama-quantize", 1, {}, {}, command_.span, {}}, true, false};
    if (header_ && !sink_.has_errors()) {
      plan_ = plan_of(command_, entries_, *header_);
      check_plan();
      if (!sink_.has_errors()) lower(action, recipe);
    } else if (!entries_.empty() && !sink_.has_errors()) {
      plan_ = plan_of(command_, entries_, usual_header());
      check_without_model();
    }
    action.valid = !sink_.has_errors();
    recipe.actions.push_back(std::move(action));
  }

 private:
  void check_file_type() {
    const bool known = !command_.file_type || command_.unknown || command_.program == Program::ik_llama ||
                       is_file_type(command_.file_type->text);
    if (!known) sink_.report(diag::file_type_unknown, command_.file_type->span, command_.file_type->text);
  }

  // Reports an input that is quantized by its name, which ends with the type: `llama-Q8_0.gguf`.
  void check_source() {
    const std::string& path = command_.model.text;
    constexpr std::string_view kEnding = ".gguf";
    if (!path.ends_with(kEnding) || command_.has("--allow-requantize") || command_.has("--dry-run")) return;
    const std::string_view stem = std::string_view(path).substr(0, path.size() - kEnding.size());
    const std::string_view type = stem.substr(stem.find_last_of("-./\\") + 1);
    if (type.empty() || base::is_digit(type.front()) || !is_file_type(type) || is_plain_file_type(type)) return;
    const std::string plain = fmt::format("{}BF16{}", stem.substr(0, stem.size() - type.size()), kEnding);
    sink_.report(diag::source_quantized, command_.model.span, path, base::to_upper(type))
        .with_help(fmt::format("write the F16 or BF16 file of the model, such as `{}`", plain));
  }

  void check_output_type() {
    if (!command_.output_type || !command_.has("--leave-output-tensor") || !header_) return;
    // Without an output tensor, the type applies to the embedding.
    if (std::ranges::find(header_->tensors, "output.weight", &model::GgufTensor::name) == header_->tensors.end())
      return;
    sink_.report(diag::output_type_ignored, command_.output_type->span,
                 fmt::format("--output-tensor-type {}", command_.output_type->text));
  }

  void parse(const TypeEntry& entry) {
    const std::string title(title_of(command_.program));
    const std::size_t equals = entry.text.find('=');
    const bool ik = command_.program == Program::ik_llama;
    if (equals == entry.text.npos || (equals == 0 && !ik)) {
      sink_.report(diag::tensor_type_malformed, entry.span, entry.text, title);
      return;
    }
    const std::string pattern = entry.text.substr(0, equals);
    const std::string name = entry.text.substr(equals + 1);
    const TensorType* type = find_type(command_.program, name);
    if (type == nullptr) {
      report_type(entry, name);
      return;
    }
    check_pattern(entry, pattern);
    entries_.push_back({pattern, name, type, entry.span});
  }

  // Returns the usual type of a number of bits: `8`, `int8` and `8bit` are `q8_0`. Empty for other words.
  static std::string usual_type(std::string_view name) {
    for (const std::string_view prefix : {"int", "i"}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    for (const std::string_view suffix : {"bit", "-bit", "bits"}) {
      if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    }
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"2", "q2_K"}, {"3", "q3_K"}, {"4", "q4_K"},
                                                                        {"5", "q5_K"}, {"6", "q6_K"}, {"8", "q8_0"},
                                                                        {"16", "f16"}, {"32", "f32"}};
    for (const auto& [bits, type] : kTypes) {
      if (name == bits) return std::string(type);
    }
    return {};
  }

  void report_type(const TypeEntry& entry, const std::string& name) {
    auto& report = sink_.report(diag::tensor_type_unknown, entry.span, name, std::string(title_of(command_.program)));
    const Program other = command_.program == Program::llama ? Program::ik_llama : Program::llama;
    std::vector<std::string_view> names;
    for (const TensorType& type : tensor_types()) {
      if (find_type(command_.program, type.name) != nullptr) names.push_back(type.name);
    }
    const std::string usual = usual_type(name);
    if (!usual.empty() && find_type(command_.program, usual) != nullptr) {
      report.with_help(fmt::format("write `{}={}`", entry.text.substr(0, entry.text.find('=')), usual));
    } else if (is_file_type(name) && !base_type(name).empty() && name.find('_') != name.npos) {
      report.with_help(fmt::format("write `{}`; `{}` is a mix for whole files", base_type(name), name));
    } else if (const auto near = base::nearest(name, names)) {
      report.with_help(fmt::format("did you mean `{}`?", *near));
    } else if (find_type(other, name) != nullptr) {
      report.with_help(fmt::format("`{}` is a type of {}", name, title_of(other)));
    }
  }

  void check_pattern(const TypeEntry& entry, const std::string& pattern) {
    const bool ik = command_.program == Program::ik_llama;
    const std::string read = ik ? pattern : base::to_lower(pattern);
    const auto error = regex::syntax_error_of(read);
    if ((error && !error->unsupported) || selectors::is_rejected_by_ecmascript(read)) {
      auto& report =
          sink_.report(diag::tensor_pattern_invalid, entry.span, pattern, std::string(title_of(command_.program)));
      if (error) report.with_caret(error->message);
      return;
    }
    for (const std::string_view escape : {"\\D", "\\S", "\\W"}) {
      if (ik || pattern.find(escape) == pattern.npos) continue;
      sink_.report(diag::tensor_pattern_case, entry.span, escape, base::to_lower(escape));
    }
  }

  // --- checks of the plan -----------------------------------------------------------------------------

  void check_plan() {
    if (plan_.gated && !entries_.empty()) {
      const bool pure = command_.program == Program::ik_llama && command_.has("--pure");
      report_ignored_list(pure);
    } else {
      check_entries();
    }
    check_columns();
    check_imatrix();
  }

  // Without a model, only lists that are ignored and the order of entries are known.
  void check_without_model() {
    if (plan_.gated) return report_ignored_list(command_.program == Program::ik_llama && command_.has("--pure"));
    const std::vector<std::size_t> deciders = deciders_of_shadowed();
    for (std::size_t at = 0; at < entries_.size() && at < plan_.matched.size(); ++at) {
      if (plan_.matched[at] && is_shadowed(at, deciders)) report_shadowed(entries_[at], entries_[deciders[at]]);
    }
  }

  [[nodiscard]] bool is_shadowed(std::size_t at, const std::vector<std::size_t>& deciders) const {
    const auto decides = [&](const PlannedTensor& tensor) { return tensor.entry == at; };
    return deciders[at] != at && std::ranges::none_of(plan_.tensors, decides);
  }

  void report_shadowed(const ParsedEntry& entry, const ParsedEntry& first) {
    sink_.report(diag::tensor_type_shadowed, entry.span, entry.pattern, first.pattern)
        .with_label(first.span, "decides the same tensors")
        .with_help(fmt::format("write `{}` before `{}`", in_file(entry, entry.pattern), in_file(first, first.pattern)));
  }

  void report_ignored_list(bool pure) {
    const std::string type = command_.file_type ? command_.file_type->text : std::string();
    auto& report = sink_.report(diag::tensor_list_ignored, entries_.front().span,
                                std::string(title_of(command_.program)), pure ? std::string("--pure") : type);
    if (pure) {
      report.with_help("delete `--pure`");
    } else if (is_plain_file_type(type) && base::to_upper(type) != "COPY" && command_.program == Program::llama) {
      report.with_label(command_.file_type->span, "the type of the file")
          .with_help(fmt::format(
              "write `Q8_0` in place of `{}`, and `--tensor-type '.*={}'` as the last entry for all other tensors",
              type, base::to_lower(type)));
    }
  }

  void check_entries() {
    const std::vector<std::size_t> deciders = deciders_of_shadowed();
    for (std::size_t at = 0; at < entries_.size() && at < plan_.matched.size(); ++at) {
      const ParsedEntry& entry = entries_[at];
      if (!plan_.matched_any[at]) {
        report_unmatched(entry);
      } else if (!plan_.matched[at]) {
        if (entry.type->name != "f32") sink_.report(diag::tensor_type_kept, entry.span, entry.pattern);
      } else if (is_shadowed(at, deciders)) {
        report_shadowed(entry, entries_[deciders[at]]);
      } else {
        check_open(entry, at);
      }
    }
  }

  // Returns for each entry an entry that decides a tensor which both match; the entry itself if there is none.
  [[nodiscard]] std::vector<std::size_t> deciders_of_shadowed() const {
    std::vector<std::size_t> out(entries_.size());
    for (std::size_t at = 0; at < out.size(); ++at) out[at] = at;
    for (const PlannedTensor& tensor : plan_.tensors) {
      for (const std::size_t entry : tensor.overridden) {
        if (tensor.entry) out[entry] = *tensor.entry;
      }
    }
    return out;
  }

  // Returns the number of tensors that a pattern matches.
  [[nodiscard]] std::size_t matches(const std::string& pattern) const {
    const selectors::Reader& reader = reader_of(command_.program);
    std::vector<selectors::Entry> entries{{pattern}};
    if (selectors::prepare(reader, entries.front())) return 0;
    base::Budget budget = selectors::assignment_budget();
    std::vector<selectors::Module> modules;
    for (const PlannedTensor& tensor : plan_.tensors) modules.push_back({tensor.name, {}});
    const selectors::EntryIndex index(reader, entries, modules, budget);
    std::vector<std::uint32_t> matching;
    return static_cast<std::size_t>(std::ranges::count_if(modules, [&](const selectors::Module& module) {
      return index.find(module, module.name, budget, matching) && !matching.empty();
    }));
  }

  void report_unmatched(const ParsedEntry& entry) {
    auto& report = sink_.report(diag::tensor_type_unmatched, entry.span, entry.pattern);
    std::string meant = translated(entry.pattern);
    for (const std::string& other : counterparts_of(meant)) {
      if (matches(meant) == 0 && matches(other) > 0) meant = other;
    }
    const std::size_t count = meant == entry.pattern ? 0 : matches(meant);
    if (count == 0) return;
    const std::string text = in_file(entry, meant);
    report.with_help(
        fmt::format("write `{}`, the name in this GGUF file, which matches {}", text, base::counted(count, "tensor")));
    if (is_own_word(entry)) report.with_fix(diag::Fix::unsafe().replace(entry.span, text));
  }

  // Returns an entry with another pattern as this file contains it, with quotes that a shell needs.
  [[nodiscard]] std::string in_file(const ParsedEntry& entry, const std::string& pattern) const {
    const std::string text = fmt::format("{}={}", pattern, entry.written_type);
    const bool quotes =
        !command_.span.empty() && is_own_word(entry) && emit::literal(emit::Syntax::shell, pattern) != pattern;
    return quotes ? emit::literal(emit::Syntax::shell, text) : text;
  }

  // Returns true if an entry is a whole word of the file, with or without quotes around it.
  [[nodiscard]] bool is_own_word(const ParsedEntry& entry) const {
    std::string_view word = file_.text(entry.span);
    const bool quoted = word.size() > 1 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front();
    if (quoted) word = word.substr(1, word.size() - 2);
    return word == fmt::format("{}={}", entry.pattern, entry.written_type);
  }

  // Reports the name of a tensor that also matches longer names, such as those of experts.
  void check_word(const ParsedEntry& entry, std::size_t index) {
    if (!is_tensor_in_layer(entry.pattern)) return;
    const std::string whole = "." + entry.pattern + ".";
    std::map<std::string, std::size_t> longer;  // numbers of tensors by the part that contains the name
    std::size_t exact = 0;
    const PlannedTensor* first = nullptr;
    for (const PlannedTensor& tensor : plan_.tensors) {
      if (tensor.entry != index) continue;
      if (tensor.name.find(whole) != std::string::npos) {
        ++exact;
      } else {
        if (first == nullptr) first = &tensor;
        ++longer[std::string(part_with(tensor.name, entry.pattern))];
      }
    }
    if (first == nullptr) return;
    auto& report = sink_.report(diag::tensor_pattern_open, entry.span, entry.pattern, first->name);
    std::vector<std::string> counts;
    for (const auto& [part, count] : longer) counts.push_back(fmt::format("{} `{}`", count, part));
    report.with_caret(fmt::format("{} `{}`, {}", exact, entry.pattern, base::join_and(counts)));
    const std::string meant = in_file(entry, exact > 0 ? entry.pattern + "\\.weight" : longer.begin()->first);
    report.with_help(exact > 0 ? fmt::format("write `{}`, which matches only `{}`", meant, entry.pattern)
                               : fmt::format("the model has no `{}`: write `{}` if `{}` is meant, or delete the entry",
                                             entry.pattern, meant, longer.begin()->first));
    if (exact > 0 && is_own_word(entry)) report.with_fix(diag::Fix::unsafe().replace(entry.span, meant));
  }

  // Returns the part of a name, from dot to dot, that contains a text.
  static std::string_view part_with(std::string_view name, std::string_view text) {
    const std::size_t at = std::min(name.find(text), name.size());
    const std::size_t dot = at == 0 ? name.npos : name.rfind('.', at - 1);
    const std::size_t begin = dot == name.npos ? 0 : dot + 1;
    return name.substr(begin, std::min(name.find('.', at), name.size()) - begin);
  }

  // A literal pattern that ends with a digit or with a word that continues.
  void check_open(const ParsedEntry& entry, std::size_t index) {
    check_word(entry, index);
    const std::string& text = entry.pattern;
    const bool layer = text.starts_with("blk.") && !text.empty() && base::is_digit(text.back());
    const bool output = text == "output" || text == "output.weight";
    if (!layer && !output) return;
    for (const PlannedTensor& tensor : plan_.tensors) {
      const std::size_t at = tensor.name.find(text);
      const std::size_t end = at + text.size();
      const bool more = layer ? end < tensor.name.size() && base::is_digit(tensor.name[end]) : at != 0;
      if (tensor.entry != index || at == tensor.name.npos || !more) continue;
      const std::string anchored = layer                      ? "blk\\." + text.substr(text.find('.') + 1) + "\\."
                                   : text.ends_with("weight") ? "^output\\.weight$"
                                                              : "^output\\.";
      const std::string meant = in_file(entry, anchored);
      auto& report = sink_.report(diag::tensor_pattern_open, entry.span, text, tensor.name);
      report.with_help(fmt::format("write `{}`", meant));
      if (is_own_word(entry)) report.with_fix(diag::Fix::unsafe().replace(entry.span, meant));
      return;
    }
  }

  void check_columns() {
    if (plan_.unfit != nullptr) {
      const PlannedTensor& tensor = *plan_.unfit;
      sink_.report(diag::tensor_columns, place_of(tensor), tensor.name, tensor.shape.back(), tensor.asked->name);
      return;
    }
    for (const PlannedTensor& tensor : plan_.tensors) {
      if (tensor.asked == nullptr || tensor.type == nullptr || !tensor.entry) continue;
      sink_.report(diag::tensor_fallback, place_of(tensor), tensor.name, tensor.asked->name, tensor.type->name);
      return;
    }
  }

  void check_imatrix() {
    if (command_.has("--imatrix")) return;
    for (const PlannedTensor& tensor : plan_.tensors) {
      const bool needs = tensor.type != nullptr && tensor.type->needs_imatrix && tensor.name != "token_embd.weight" &&
                         tensor.name != "output.weight";
      if (!needs) continue;
      const bool stops = command_.program == Program::ik_llama;
      auto& report = sink_.report(diag::imatrix_needed, place_of(tensor), tensor.name, tensor.type->name);
      report.with_severity(stops ? diag::Severity::error : diag::Severity::warning);
      if (const std::string made = matrix_of_script(); !made.empty()) {
        report.with_help(fmt::format("add `--imatrix {}`, the matrix that this script creates", made));
      }
      return;
    }
  }

  // Returns the output file of `llama-imatrix` as the script writes it; empty without this command.
  [[nodiscard]] std::string matrix_of_script() const {
    static constexpr std::string_view kFileOptions[] = {"-o", "--output", "--output-file"};
    for (const source::ShellCommand& command : source::shell_commands(file_.text())) {
      const auto& words = command.words;
      if (words.empty() || !words.front().text.ends_with("llama-imatrix")) continue;
      const auto option =
          std::ranges::find_if(words, [](const auto& word) { return base::contains(kFileOptions, word.text); });
      if (option != words.end() && option + 1 != words.end()) return std::string(file_.text((option + 1)->span));
    }
    return {};
  }

  [[nodiscard]] source::Span place_of(const PlannedTensor& tensor) const {
    if (tensor.entry) return entries_[*tensor.entry].span;
    return command_.file_type ? command_.file_type->span : command_.span;
  }

  // --- lowering ---------------------------------------------------------------------------------------

  // Each type is one operation, because the type is the method of its tensors.
  void lower(ir::Action& action, ir::Recipe& recipe) const {
    std::map<std::string_view, const TensorType*> types;
    std::vector<model::Module> units;
    for (const PlannedTensor& tensor : plan_.tensors) {
      units.push_back({tensor.name, {}, tensor.shape.empty() ? std::nullopt : std::optional(tensor.shape)});
      if (tensor.type != nullptr && !is_plain(*tensor.type)) types.emplace(tensor.type->name, tensor.type);
    }
    for (const auto& [name, type] : types) action.operations.emplace_back(assignment_of(*type));
    if (types.empty()) action.operations.emplace_back(assignment_of(*type_called("f16")));
    recipe.units = std::move(units);
    recipe.units_are_parameters = true;
  }

  [[nodiscard]] ir::Assign assignment_of(const TensorType& type) const {
    static constexpr ir::Language kLanguage{.name{"ggml"}, .decide = decide_by_position, .stored_bits = stored_bits};
    std::vector<DecidedUnit> units;
    for (const PlannedTensor& tensor : plan_.tensors) {
      DecidedUnit& unit = units.emplace_back();
      unit.unknown = tensor.unknown;
      unit.reached = tensor.type == &type && !is_plain(type);
      if (!unit.reached) continue;
      unit.scheme = 0;
      if (tensor.entry) unit.entry = entries_[*tensor.entry].pattern, unit.span = entries_[*tensor.entry].span;
    }
    return {decided_selection(&kLanguage, units), {scheme_of(type)}, {std::string(type.name)}};
  }

  static double stored_bits(const ir::Scheme& scheme, const model::Module& module) {
    const auto elements = module.shape ? model::elements_of(*module.shape) : std::nullopt;
    return elements ? static_cast<double>(*elements) * static_cast<double>(scheme.weights.front().bits) : 0;
  }

  const Command& command_;
  const source::SourceFile& file_;
  std::optional<model::GgufHeader> header_;
  diag::Sink& sink_;
  std::vector<ParsedEntry> entries_;
  TypePlan plan_;
};

}  // namespace

bool is_script(std::string_view name, std::string_view text) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  const bool script = file.ends_with(".sh") || file.ends_with(".bash") || file == "Makefile" || file.ends_with(".mk") ||
                      text.starts_with("#!");
  return script && text.find("llama-quantize") != text.npos && find_command(text, {}).has_value();
}

static bool has_known_type(const TypeEntry& entry) {
  const std::size_t equals = entry.text.find('=');
  if (equals == entry.text.npos || equals == 0) return false;
  const std::string_view type = std::string_view(entry.text).substr(equals + 1);
  return find_type(Program::llama, type) != nullptr || find_type(Program::ik_llama, type) != nullptr;
}

bool is_list_of_types(std::string_view name, std::string_view text) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  if (file.find('.') != file.npos && !file.ends_with(".txt")) return false;
  const std::vector<TypeEntry> entries = entries_of_file(text);
  return !entries.empty() && std::ranges::all_of(entries, has_known_type);
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  ir::Recipe recipe{"gguf", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  const std::string folder = folder_of(source.file.name());
  auto command = find_command(source.file.text(), folder);
  if (!command) {
    command.emplace();
    command->entries = entries_of_file(source.file.text());
  }
  if (runtime_name(options) == "ik_llama.cpp") command->program = Program::ik_llama;
  if (runtime_name(options) == "llama.cpp") command->program = Program::llama;
  CommandReader(*command, source.file, model_of(*command, folder, options), sink).run(recipe);
  return recipe;
}

std::vector<Page> pages() {
  std::vector<Page> out;
  Page page{"tensor-types", {}, "llama.cpp, ik_llama.cpp", "The types of `--tensor-type` and `--custom-q`.", {}};
  for (const TensorType& type : tensor_types()) {
    page.fields.push_back({type.name,
                           type.only_ik      ? "Only in ik_llama.cpp."
                           : type.only_llama ? "Only in llama.cpp."
                                             : "In both programs.",
                           {fmt::format("{} bits for each weight", type.bits)}});
  }
  out.push_back(std::move(page));
  return out;
}

}  // namespace sparsecfg::dialect::gguf
