#include "dialect/gguf/entries.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/mix.h"
#include "model/selectors/entry_index.h"
#include "model/selectors/meant.h"
#include "regex/pattern.h"

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

DIAGNOSTIC(
    GG104, tensor_pattern_invalid, error, (Text, Text), "{1} rejects the pattern `{0}`",
    "Patterns are ECMAScript expressions of `std::regex`, which have no look-behind, flags or possessive repeats.",
    "write the pattern without these constructs")

DIAGNOSTIC(GG112, tensor_pattern_case, silent_warning, (Text, Text), "llama.cpp reads `{0}` as `{1}`",
           "llama.cpp converts patterns to lower case, so `\\\\D` means `\\\\d`.", "write `[^0-9]` instead")

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

// `before` is the part of the word before the type: `attn_v=` in a list.
static void report_type(const Command& command, source::Span span, const std::string& before, const std::string& name,
                        diag::Sink& sink) {
  auto& report = sink.report(diag::tensor_type_unknown, span, name, std::string(title_of(command.program)));
  const Program other = command.program == Program::llama ? Program::ik_llama : Program::llama;
  std::vector<std::string_view> names;
  for (const TensorType& type : tensor_types()) {
    if (find_type(command.program, type.name) != nullptr) names.push_back(type.name);
  }
  const std::string usual = usual_type(name);
  if (!usual.empty() && find_type(command.program, usual) != nullptr) {
    report.with_help(fmt::format("write `{}{}`", before, usual));
  } else if (is_file_type(name) && !base_type(name).empty() && name.find('_') != name.npos) {
    report.with_help(fmt::format("write `{}`; `{}` is a mix for whole files", base_type(name), name));
  } else if (const auto near = base::nearest(name, names)) {
    report.with_help(fmt::format("did you mean `{}`?", *near));
  } else if (find_type(other, name) != nullptr) {
    report.with_help(fmt::format("`{}` is a type of {}", name, title_of(other)));
  }
}

static void check_pattern(const Command& command, const TypeEntry& entry, const std::string& pattern,
                          diag::Sink& sink) {
  const bool ik = command.program == Program::ik_llama;
  const std::string read = ik ? pattern : base::to_lower(pattern);
  const auto error = regex::syntax_error_of(read);
  if ((error && !error->unsupported) || selectors::is_rejected_by_ecmascript(read)) {
    auto& report =
        sink.report(diag::tensor_pattern_invalid, entry.span, pattern, std::string(title_of(command.program)));
    if (error) report.with_caret(error->message);
    return;
  }
  for (const std::string_view escape : {"\\D", "\\S", "\\W"}) {
    if (ik || pattern.find(escape) == pattern.npos) continue;
    sink.report(diag::tensor_pattern_case, entry.span, escape, base::to_lower(escape));
  }
}

// ik_llama.cpp ignores unknown types of these options.
static void check_option(const Command& command, const std::optional<TypeEntry>& option, diag::Sink& sink) {
  if (!option || command.program == Program::ik_llama || command.tool != Tool::quantize) return;
  if (find_type(command.program, option->text) == nullptr) report_type(command, option->span, {}, option->text, sink);
}

static void parse(const Command& command, const TypeEntry& entry, std::vector<ParsedEntry>& out, diag::Sink& sink) {
  const std::size_t equals = entry.text.find('=');
  const bool ik = command.program == Program::ik_llama;
  if (equals == entry.text.npos || (equals == 0 && !ik)) {
    sink.report(diag::tensor_type_malformed, entry.span, entry.text, std::string(title_of(command.program)));
    return;
  }
  const std::string pattern = entry.text.substr(0, equals);
  const std::string name = entry.text.substr(equals + 1);
  const TensorType* type = find_type(command.program, name);
  if (type == nullptr) return report_type(command, entry.span, pattern + "=", name, sink);
  check_pattern(command, entry, pattern, sink);
  out.push_back({pattern, name, type, entry.span, entry.file, entry.line});
}

std::vector<ParsedEntry> parse_entries(const Command& command, diag::Sink& sink) {
  std::vector<ParsedEntry> out;
  for (const TypeEntry& entry : command.entries) parse(command, entry, out, sink);
  check_option(command, command.output_type, sink);
  check_option(command, command.embedding_type, sink);
  return out;
}

}  // namespace sparsecfg::dialect::gguf
