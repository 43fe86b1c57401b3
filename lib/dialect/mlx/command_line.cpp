#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/argparse.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/programs.h"

// Command lines of mlx-lm and mlx-vlm, as argparse reads them (docs/semantics/mlx.md#c1-1).
namespace sparsecfg::dialect::mlx {

DIAGNOSTIC(
    MX113, mlx_unknown_option, error, (Text, Text), "`{}` has no option `{}`",
    "The programs of mlx-lm have options of their own: `convert` has `--q-bits` and `--q-group-size`, the others "
    "have `--bits` and `--group-size`. argparse accepts the start of a name that no other option has, and stops "
    "at others.",
    "list the options with `{0} --help`")

DIAGNOSTIC(MX114, mlx_option_value, error, (Text, Text), "`{}` {}",
           "argparse checks the type of a value and the list of choices, and stops before the model is loaded. "
           "`convert` in Python stops at an unknown recipe with ValueError.",
           "list the values with `--help`")

namespace {

// Options of the other programs with the same meaning, and older names.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"hf-path", "model"},           {"q-bits", "bits"},
    {"q-group-size", "group-size"}, {"bits", "q-bits"},
    {"group-size", "q-group-size"}, {"mode", "q-mode"},
    {"de-quantize", "dequantize"},  {"quantization", "quantize"},
    {"save-path", "mlx-path"},      {"mlx-path", "save-path"},
    {"output", "mlx-path"},         {"output-dir", "mlx-path"},
    {"low-bits", "bits"},           {"quant-mode", "q-mode"}};

class CommandLine {
 public:
  CommandLine(const Context& context, const Program& program, const source::List& words, source::Span name)
      : context_(context), program_(program), words_(words) {
    call_.program = &program;
    call_.command = true;
    call_.name = name;
  }

  std::optional<Call> run() {
    for (std::size_t at = 0; at < words_.size(); ++at) at = read(at);
    report_unknown();
    if (!valid_) return std::nullopt;
    return std::move(call_);
  }

 private:
  [[nodiscard]] static std::string text_of(const Value& word) { return source::python_str(word); }

  // Returns a word as written if it is unknown, so that the name of its option is known.
  [[nodiscard]] std::string name_text(const Value& word) const {
    return context_.is_unknown(word) ? std::string(context_.file.text(word.span)) : text_of(word);
  }

  [[nodiscard]] static bool is_option(std::string_view word) {
    const bool number = word.size() > 1 && (base::is_digit(word[1]) || word[1] == '.');
    return word.size() > 1 && word.front() == '-' && !number && word.find(' ') == word.npos;
  }

  // Reads the word at an index. Returns the index of the last word that belongs to it.
  std::size_t read(std::size_t at) {
    const std::string word = name_text(words_[at]);
    const std::size_t equals = word.find('=');
    const bool unknown = context_.is_unknown(words_[at]);
    if (unknown && !(word.starts_with("--") && equals != word.npos)) {
      call_.open = true;  // it may be several words
      return at;
    }
    if (word.starts_with("--") && word.size() > 2) {
      return read_long(at, word.substr(2, equals == word.npos ? equals : equals - 2),
                       equals == word.npos ? std::nullopt : std::optional(word.substr(equals + 1)));
    }
    if (is_option(word)) return read_letters(at, word);
    unknown_.push_back({word, words_[at].span});
    return at;
  }

  std::size_t read_long(std::size_t at, const std::string& name, const std::optional<std::string>& value) {
    const Option* option = option_of(name, words_[at]);
    if (option == nullptr) return skip_values(at);
    return read_value(at, *option, value);
  }

  // Reads `-q`, `-qd` or `-m MODEL`.
  std::size_t read_letters(std::size_t at, const std::string& word) {
    for (std::size_t letter = 1; letter < word.size(); ++letter) {
      const auto found = std::ranges::find(program_.options, std::string_view(word).substr(letter, 1), &Option::letter);
      if (found == program_.options.end()) {
        unknown_.push_back({word, words_[at].span});
        return skip_values(at);
      }
      if (found->type != Option::Type::flag) {
        const bool rest = letter + 1 < word.size();
        return read_value(at, *found, rest ? std::optional(word.substr(letter + 1)) : std::nullopt);
      }
      put(*found, words_[at].span, {true, words_[at].span});
    }
    return at;
  }

  std::size_t read_value(std::size_t at, const Option& option, const std::optional<std::string>& value) {
    const Value& word = words_[at];
    if (option.type == Option::Type::flag) {
      if (value) reject(word.span, option, "accepts no value");
      put(option, word.span, {true, word.span});
      return at;
    }
    if (value) {
      put(option, word.span, context_.is_unknown(word) ? word : typed(option, *value, word.span));
      return at;
    }
    const bool none =
        at + 1 == words_.size() || (!context_.is_unknown(words_[at + 1]) && is_option(text_of(words_[at + 1])));
    if (none) {
      reject(word.span, option, "needs a value").with_help(fmt::format("add a value after `--{}`", option.name));
      return at;
    }
    const Value& next = words_[at + 1];
    put(option, word.span, context_.is_unknown(next) ? next : typed(option, text_of(next), next.span));
    return at + 1;
  }

  // Returns the option that a start of a name selects, or null.
  const Option* option_of(const std::string& name, const Value& word) {
    const Option* option = option_of_argparse(program_.options, name);
    if (option == nullptr) unknown_.push_back({"--" + name, word.span});
    return option;
  }

  // Returns the index of the last value of an option that is not known.
  [[nodiscard]] std::size_t skip_values(std::size_t at) const {
    while (at + 1 < words_.size() && !context_.is_unknown(words_[at + 1]) && !is_option(text_of(words_[at + 1]))) ++at;
    return at;
  }

  diag::Diagnostic& reject(source::Span span, const Option& option, const std::string& why) {
    valid_ = false;
    return context_.sink.report(diag::mlx_option_value, span, "--" + std::string(option.name), why);
  }

  diag::Diagnostic& reject_value(source::Span span, const Option& option, const std::string& text) {
    return reject(span, option, fmt::format("does not accept `{}`", base::printable(text)));
  }

  Value typed(const Option& option, const std::string& text, source::Span span) {
    if (option.type == Option::Type::whole) {
      const std::string_view digits = std::string_view(text).substr(text.starts_with('-') || text.starts_with('+'));
      if (!digits.empty() && std::ranges::all_of(digits, base::is_digit))
        return {source::integer_of(text.starts_with('+') ? digits : std::string_view(text)), span};
      reject_value(span, option, text).with_help("write a whole number");
    } else if (option.type == Option::Type::real) {
      if (const auto number = base::python_float(text)) return {*number, span};
      reject_value(span, option, text).with_help("write a number");
    } else if (!option.choices.empty() && !base::contains(option.choices, text)) {
      std::vector<std::string> choices;
      for (const std::string_view each : option.choices) choices.push_back(fmt::format("`{}`", each));
      const auto near = base::nearest(text, option.choices);
      reject_value(span, option, text)
          .with_help(near ? fmt::format("write `--{} {}`", option.name, *near)
                          : "the values are " + base::join_and(choices));
    }
    return {text, span};
  }

  void put(const Option& option, source::Span key, Value value) {
    std::string name(option.argument.empty() ? option.name : option.argument);
    std::ranges::replace(name, '-', '_');
    const auto known = std::ranges::find_if(
        call_.arguments, [&](const source::Entry& entry) { return *entry.first.get<std::string>() == name; });
    if (known != call_.arguments.end()) call_.arguments.erase(known);  // the last one counts
    call_.arguments.emplace_back(Value{std::move(name), key}, std::move(value));
  }

  // Returns the option of this program that an unknown one means; empty if none does.
  [[nodiscard]] std::string meant_by(const std::string& word) const {
    if (!word.starts_with("--")) return {};
    std::vector<std::string_view> names;
    for (const Option& option : program_.options) names.push_back(option.name);
    std::string name = word.substr(2);
    for (const auto& [other, own] : kOtherNames) {
      if (name == other && base::contains(names, own)) return "--" + std::string(own);
    }
    std::ranges::replace(name, '_', '-');
    const auto near = base::contains(names, name) ? std::optional(std::string_view(name)) : base::nearest(name, names);
    return near ? "--" + std::string(*near) : std::string();
  }

  // Returns the options that begin with a word, as "`--q-bits` or `--q-mode`"; empty if none does.
  [[nodiscard]] std::string beginning_with(const std::string& word) const {
    std::vector<std::string> out;
    for (const Option& option : program_.options) {
      const bool fits = word.size() > 2 && ("--" + std::string(option.name)).starts_with(word);
      if (fits) out.push_back(fmt::format("`--{}`", option.name));
    }
    return fmt::format("{}", fmt::join(out, " or "));
  }

  // Reports all unknown options as one mistake.
  void report_unknown() {
    if (unknown_.empty()) return;
    valid_ = false;
    std::vector<std::string> edits;
    for (const auto& [word, span] : unknown_) {
      const std::string longer = beginning_with(word);
      const std::string meant = longer.empty() ? meant_by(word) : std::string();
      if (!longer.empty()) edits.push_back(fmt::format("{} for `{}`", longer, base::printable(word)));
      if (!meant.empty()) edits.push_back(fmt::format("`{}` for `{}`", meant, base::printable(word)));
    }
    auto& report = context_.sink.report(diag::mlx_unknown_option, unknown_.front().span, std::string(program_.name),
                                        unknown_.front().value);
    if (unknown_.size() > 1) report.with_label(unknown_[1].span, "this one neither");
    if (!edits.empty()) report.with_help("write " + base::join_and(edits));
  }

  const Context& context_;
  const Program& program_;
  const source::List& words_;
  Call call_;
  std::vector<source::Located<std::string>> unknown_;
  bool valid_ = true;
};

}  // namespace

std::optional<Call> read_command(const Context& context, const Program& program, const Value& words,
                                 source::Span name) {
  const auto* list = words.get<source::List>();
  return list == nullptr ? std::nullopt : CommandLine(context, program, *list, name).run();
}

}  // namespace sparsecfg::dialect::mlx
