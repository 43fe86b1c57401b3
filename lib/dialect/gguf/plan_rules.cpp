#include "dialect/gguf/plan_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/names.h"
#include "emit/literal.h"
#include "model/selectors/entry_index.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::gguf {

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

DIAGNOSTIC(GG113, tensor_pattern_open, warning, (Text, Text), "`{0}` also matches `{1}`",
           "Patterns match anywhere in a name. `output` also matches `attn_output`, `blk.1` the layers 10 to 19, and "
           "`ffn_gate` the experts `ffn_gate_exps`.",
           "anchor the pattern, as in `^output\\\\.weight$` or `blk\\\\.1\\\\.`")

DIAGNOSTIC(GG135, weights_still_quantized, silent_warning, (Text, Text),
           "`--exclude-weights {0}` does not keep {1} in 16 bits",
           "The option leaves the data of these tensors out of the importance matrix. They are quantized without it, "
           "with more loss. Without `--imatrix`, the option has no effect.",
           "write `--tensor-type {0}=bf16` to keep them")

source::Span place_of(const PlannedCommand& planned, const PlannedTensor& tensor) {
  if (tensor.entry) return planned.entries[*tensor.entry].span;
  return planned.command.file_type ? planned.command.file_type->span : planned.command.span;
}

namespace {

// The pattern that an unmatched entry means.
struct Meant {
  std::string pattern;
  std::size_t tensors = 0;  // that it matches
  bool renumbered = false;  // true if only the numbers of layers differ
};

class PlanRules {
 public:
  PlanRules(const PlannedCommand& planned, diag::Sink& sink)
      : planned_(planned),
        command_(planned.command),
        file_(planned.file),
        entries_(planned.entries),
        plan_(planned.plan),
        matrix_(planned.matrix),
        sink_(sink) {}

  void check_plan() {
    if (plan_.gated && !entries_.empty()) {
      report_ignored_list();
    } else {
      check_entries();
    }
    check_columns();
    check_imatrix();
    for (const Argument& option : command_.arguments.options) check_excluded(option);
  }

  void check_without_model() {
    if (plan_.gated) return report_ignored_list();
    const std::vector<std::size_t> deciders = deciders_of_shadowed();
    for (std::size_t at = 0; at < entries_.size() && at < plan_.matched.size(); ++at) {
      if (plan_.matched[at] && is_shadowed(at, deciders)) report_shadowed(entries_[at], entries_[deciders[at]]);
    }
  }

 private:
  [[nodiscard]] bool is_shadowed(std::size_t at, const std::vector<std::size_t>& deciders) const {
    const auto decides = [&](const PlannedTensor& tensor) { return tensor.entry == at; };
    return deciders[at] != at && std::ranges::none_of(plan_.tensors, decides);
  }

  // Returns the line of an entry in a list file; empty for other entries.
  [[nodiscard]] static std::string line_of(const ParsedEntry& entry) {
    return entry.line == 0 ? std::string() : fmt::format("line {} of `{}`", entry.line, entry.file);
  }

  void report_shadowed(const ParsedEntry& entry, const ParsedEntry& first) {
    auto& report = sink_.report(diag::tensor_type_shadowed, entry.span, entry.pattern, first.pattern);
    const bool in_one_file = entry.line > 0 && entry.span == first.span;
    if (in_one_file) {
      report.with_caret(fmt::format("{}, after line {}", line_of(entry), first.line));
    } else {
      report.with_label(first.span, "decides the same tensors").with_caret(line_of(entry));
    }
    report.with_help(
        fmt::format("write `{}` before `{}`", in_file(entry, entry.pattern), in_file(first, first.pattern)));
  }

  void report_ignored_list() {
    const bool pure = command_.program == Program::ik_llama && command_.has("--pure");
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

  // Returns the number that a layer has after `--prune-layers`; nullopt for a removed one.
  [[nodiscard]] std::optional<std::int64_t> renumbered(std::int64_t layer) const {
    const std::vector<std::int64_t>& pruned = command_.pruned_layers;
    if (std::ranges::find(pruned, layer) != pruned.end()) return std::nullopt;
    const std::set<std::int64_t> removed(pruned.begin(), pruned.end());
    return layer - std::ranges::count_if(removed, [&](std::int64_t each) { return each < layer; });
  }

  // Returns the greatest number of a layer in the result.
  [[nodiscard]] std::int64_t last_layer() const {
    constexpr std::string_view kBegin = "blk.";
    std::int64_t out = 0;
    for (const PlannedTensor& tensor : plan_.tensors) {
      std::int64_t number = 0;
      if (!tensor.name.starts_with(kBegin)) continue;
      std::from_chars(tensor.name.data() + kBegin.size(), tensor.name.data() + tensor.name.size(), number);
      out = std::max(out, number);
    }
    return out;
  }

  // Returns a pattern with the new numbers of its layers: `blk\.27\.` for `blk\.31\.`; empty if it has none, or names
  // a removed layer.
  [[nodiscard]] std::string with_new_numbers(const std::string& pattern) const {
    constexpr std::string_view kWord = "blk";
    constexpr std::string_view kDigits = "0123456789";
    if (command_.pruned_layers.empty()) return {};
    const std::size_t word = pattern.find(kWord);
    std::size_t at = word == pattern.npos ? word : pattern.find_first_not_of("\\.(", word + kWord.size());
    if (at == pattern.npos) return {};
    std::string out = pattern.substr(0, at);
    for (;;) {
      const std::size_t end = std::min(pattern.find_first_not_of(kDigits, at), pattern.size());
      std::int64_t old = 0;
      const auto read = std::from_chars(pattern.data() + at, pattern.data() + end, old);
      const auto number = read.ec == std::errc() ? renumbered(old) : std::nullopt;
      if (!number) return {};
      out += std::to_string(*number);
      at = end;
      if (at == pattern.size() || pattern[at] != '|') return out + pattern.substr(at);
      out += pattern[at++];
    }
  }

  // Shows the option that changes the numbers of layers.
  void label_pruned(diag::Diagnostic& report) const {
    const Argument* option = command_.arguments.find("--prune-layers");
    if (option != nullptr)
      report.with_label(option->value.span, fmt::format("leaves `blk.0` to `blk.{}`", last_layer()));
  }

  // Returns the number of tensors for which a condition on the name is true.
  [[nodiscard]] std::size_t count_names(const auto& fits) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(plan_.tensors, [&](const PlannedTensor& tensor) { return fits(tensor.name); }));
  }

  // Returns a name as a pattern that does not match longer names, such as `attn_output` for `output`.
  [[nodiscard]] std::string only(const std::string& name) const {
    constexpr std::string_view kWeight = ".weight";
    if (name.find_first_of("\\^$*+?()[]{}|") != name.npos) return name;
    const std::string word = name.ends_with(kWeight) ? name.substr(0, name.size() - kWeight.size()) : name;
    const std::string whole = word + std::string(kWeight);
    const std::size_t all = matches(name);
    const std::size_t top = count_names([&](const std::string& each) { return each == whole; });
    const std::size_t inner = count_names([&](const std::string& each) { return each.ends_with("." + whole); });
    if (top > 0 && top < all) return fmt::format("^{}\\.weight$", regex::literal(word));
    return inner > 0 && inner < all ? fmt::format("\\.{}\\.weight$", regex::literal(word)) : name;
  }

  // Returns a pattern in the names of GGUF; the same if it has no other name there.
  [[nodiscard]] std::string named(const std::string& pattern) const {
    std::string out = translated(pattern);
    for (const std::string& other : counterparts_of(out)) {
      if (matches(out) == 0 && matches(other) > 0) out = other;
    }
    return out == pattern || matches(out) == 0 ? pattern : only(out);
  }

  // Returns the pattern that an unmatched entry means; nullopt if it is not known.
  [[nodiscard]] std::optional<Meant> meant_by(const ParsedEntry& entry) const {
    const std::string numbered = with_new_numbers(entry.pattern);
    const std::size_t count = numbered.empty() ? 0 : matches(numbered);
    if (count > 0) return Meant{numbered, count, true};
    const std::string name = named(entry.pattern);
    return name == entry.pattern ? std::nullopt : std::optional(Meant{name, matches(name), false});
  }

  void report_unmatched(const ParsedEntry& entry) {
    if (entry.line > 0) return report_list(entry);
    auto& report = sink_.report(diag::tensor_type_unmatched, entry.span, entry.pattern);
    const std::optional<Meant> meant = meant_by(entry);
    if (!meant) return;
    if (meant->renumbered) label_pruned(report);
    const std::string text = in_file(entry, meant->pattern);
    report.with_help(fmt::format("write `{}`, {}, which matches {}", text,
                                 meant->renumbered ? numbers_in_result(1) : names_in_result(1),
                                 base::counted(meant->tensors, "tensor")));
    if (is_own_word(entry)) report.with_fix(diag::Fix::unsafe().replace(entry.span, text));
  }

  // Reports all unmatched entries of a list file at its name, because places in other files can't be shown.
  void report_list(const ParsedEntry& first) {
    if (!reported_.insert(first.span).second) return;
    auto& report = sink_.report(diag::tensor_type_unmatched, first.span, first.pattern);
    report.with_caret(line_of(first));
    std::vector<std::string> edits;
    std::size_t renumbered = 0;
    for (std::size_t at = 0; at < entries_.size() && at < plan_.matched.size(); ++at) {
      const ParsedEntry& entry = entries_[at];
      const bool reported = entry.span == first.span && !plan_.matched_any[at];
      const std::optional<Meant> meant = reported ? meant_by(entry) : std::nullopt;
      if (!meant) continue;
      renumbered += meant->renumbered ? 1 : 0;
      edits.push_back(fmt::format("`{}` in line {} ({})", in_file(entry, meant->pattern), entry.line,
                                  base::counted(meant->tensors, "tensor")));
    }
    if (renumbered > 0) label_pruned(report);
    if (!edits.empty()) report.with_help(help_for(edits, renumbered));
  }

  // Returns the advice to write entries in a list file, of which some have new numbers of layers.
  [[nodiscard]] static std::string help_for(const std::vector<std::string>& edits, std::size_t renumbered) {
    const std::size_t renamed = edits.size() - renumbered;
    std::vector<std::string> reasons;
    if (renamed > 0) reasons.emplace_back(names_in_result(renamed));
    if (renumbered > 0) reasons.emplace_back(numbers_in_result(renumbered));
    return fmt::format("write {}: {}", base::join_and(edits), base::join_and(reasons));
  }

  [[nodiscard]] static std::string_view names_in_result(std::size_t count) {
    return count == 1 ? "the name in this GGUF file" : "the names in this GGUF file";
  }

  [[nodiscard]] static std::string_view numbers_in_result(std::size_t count) {
    return count == 1 ? "the number after `--prune-layers`" : "the numbers after `--prune-layers`";
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
    return source::without_quotes(file_.text(entry.span)) == fmt::format("{}={}", entry.pattern, entry.written_type);
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

  // Returns the dot-separated part of a name that contains `word`: `ffn_gate_exps` of `blk.0.ffn_gate_exps.weight` for
  // `ffn_gate`.
  static std::string_view part_with(std::string_view name, std::string_view word) {
    const std::size_t at = std::min(name.find(word), name.size());
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
      sink_.report(diag::tensor_columns, place_of(planned_, tensor), tensor.name, tensor.shape.back(),
                   tensor.asked->name);
      return;
    }
    for (const PlannedTensor& tensor : plan_.tensors) {
      if (tensor.asked == nullptr || tensor.type == nullptr || !tensor.entry) continue;
      sink_.report(diag::tensor_fallback, place_of(planned_, tensor), tensor.name, tensor.asked->name,
                   tensor.type->name);
      return;
    }
  }

  // Reports tensors that an option for the importance matrix names, and that get a type of the mix of the file. A list
  // of types for them shows that the option was not meant to keep them.
  void check_excluded(const Argument& option) {
    const bool excludes = option.row != nullptr && option.row->name == "--exclude-weights";
    if (!excludes || option.value.unknown || option.value.text.empty()) return;
    std::map<std::string_view, std::size_t> types;
    for (const PlannedTensor& tensor : plan_.tensors) {
      const bool named = tensor.quantizable && tensor.name.find(option.value.text) != std::string::npos;
      if (named && (tensor.entry || tensor.unknown)) return;
      if (named && tensor.type != nullptr && !is_plain(*tensor.type)) ++types[tensor.type->name];
    }
    if (types.empty()) return;
    std::size_t count = 0;
    std::vector<std::string> names;
    for (const auto& [type, number] : types) {
      names.emplace_back(type);
      count += number;
    }
    sink_.report(diag::weights_still_quantized, option.name.span, option.value.text, base::counted(count, "tensor"))
        .with_caret(fmt::format("they get {}", base::join_and(names)));
  }

  void check_imatrix() {
    if (command_.has("--imatrix")) return;
    for (const PlannedTensor& tensor : plan_.tensors) {
      const bool needs = tensor.type != nullptr && tensor.type->needs_imatrix && tensor.name != "token_embd.weight" &&
                         tensor.name != "output.weight";
      if (!needs) continue;
      const bool stops = command_.program == Program::ik_llama;
      auto& report = sink_.report(diag::imatrix_needed, place_of(planned_, tensor), tensor.name, tensor.type->name);
      report.with_severity(stops ? diag::Severity::error : diag::Severity::warning);
      if (!matrix_.empty())
        report.with_help(fmt::format("add `--imatrix {}`, the matrix that this script creates", matrix_));
      return;
    }
  }

  const PlannedCommand& planned_;
  const Command& command_;
  const source::SourceFile& file_;
  const std::vector<ParsedEntry>& entries_;
  const TypePlan& plan_;
  const std::string& matrix_;
  diag::Sink& sink_;
  std::set<source::Span> reported_;  // list files
};

}  // namespace

void check_plan(const PlannedCommand& planned, diag::Sink& sink) { PlanRules(planned, sink).check_plan(); }

void check_without_model(const PlannedCommand& planned, diag::Sink& sink) {
  PlanRules(planned, sink).check_without_model();
}

}  // namespace sparsecfg::dialect::gguf
