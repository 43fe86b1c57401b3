#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/quantizers/program.h"
#include "script/trace.h"

// Checks how a script tokenizes the texts of chats for calibration.
namespace sparsecfg::dialect::llmcompressor {

DIAGNOSTIC(LC152, start_token_twice, silent_warning, (), "the tokenizer adds the start token that the text already has",
           "The chat templates of Llama, Mistral and Gemma begin with the start token, and their tokenizers add it by "
           "default. Each sample then begins with two of them, which no chat does, and the statistics contain them.",
           "add `add_special_tokens=False` to this call")

namespace {

using script::Ref;

// Parts of the ids of models whose chat template and tokenizer both write a start token.
constexpr std::string_view kFamilies[] = {
    "llama-2", "llama-3", "mistral", "mixtral", "ministral", "gemma", "deepseek-r1-distill"};

bool loads_such_model(const script::Value& call) {
  const std::string* id = script::whole_string(call.argument("pretrained_model_name_or_path", 0));
  if (id == nullptr || !call.path.ends_with("from_pretrained")) return false;
  const std::string lower = base::to_lower(*id);
  return std::ranges::any_of(kFamilies, [&](std::string_view name) { return lower.find(name) != lower.npos; });
}

// Returns the name of the tokenizer in `tokenizer.apply_chat_template(...)` if the result is a text; otherwise empty.
std::string_view tokenizer_of(const script::Trace& trace, const script::Value& call) {
  constexpr std::string_view kMethod = ".apply_chat_template";
  if (call.path != kMethod || !script::is_false(call.argument("tokenize"))) return {};
  const std::string_view text = quantizers::text_at(trace, call.span);
  return text.substr(0, std::min(text.find(kMethod), text.size()));
}

// Returns the string in quotes at the end of a text; empty if there is none.
std::string_view string_before(std::string_view text) {
  text = base::trim(text);
  if (text.size() < 2 || (text.back() != '"' && text.back() != '\'')) return {};
  const std::size_t begin = text.rfind(text.back(), text.size() - 2);
  return begin == text.npos ? std::string_view() : text.substr(begin + 1, text.size() - begin - 2);
}

// Returns a text without blanks and this character at its end; empty if it ends otherwise.
std::string_view before_sign(std::string_view text, char sign) {
  text = base::trim(text);
  return text.ends_with(sign) ? text.substr(0, text.size() - 1) : std::string_view();
}

// Returns the column that receives a text: the key before it in a dictionary, also for a list of texts.
std::string_view column_of(const script::Trace& trace, const script::Value& chat) {
  const std::string_view before = trace.text.substr(0, chat.span.begin);
  const std::string_view list = before_sign(before, '[');
  return string_before(before_sign(list.empty() ? before : list, ':'));
}

// Returns the column that a call of a tokenizer reads, as in `tokenizer(sample["text"], ...)`.
std::string_view column_read(const script::Trace& trace, const script::Value& call) {
  const std::string_view text = quantizers::text_at(trace, call.span);
  const std::string_view first = text.substr(0, text.find_first_of(",]"));
  return first.find('[') == first.npos ? std::string_view() : string_before(first);
}

// Returns true if a call of a tokenizer adds special tokens to its text.
bool adds_tokens(const script::Trace& trace, const script::Value& call, std::string_view tokenizer) {
  const Ref given = call.argument("add_special_tokens");
  const std::string_view text = quantizers::text_at(trace, call.span);
  return text.starts_with(tokenizer) && text.substr(tokenizer.size()).starts_with('(') && !call.open &&
         call.argument("**") == nullptr && (given == nullptr || script::is_true(given));
}

void report(const script::Trace& trace, const script::Value& call, const script::Value& chat, diag::Sink& sink) {
  auto& report = sink.report(diag::start_token_twice, call.span);
  report.with_label(chat.span, "writes the start token into the text");
  const std::string_view text = quantizers::text_at(trace, call.span);
  const Ref given = call.argument("add_special_tokens");
  if (given != nullptr) {
    report.with_help("write `add_special_tokens=False`");
  } else if (text.find('\n') == text.npos && text.ends_with(")")) {
    report.with_help(fmt::format("write `{}, add_special_tokens=False)`", text.substr(0, text.size() - 1)));
  }
}

// The texts of chats by their places, and by the columns of the data that contain them.
struct Chats {
  std::map<source::Span, const script::Value*> by_place;
  std::map<std::string_view, const script::Value*> by_column;

  // Returns the text that a call of a tokenizer reads; null if it is another one.
  [[nodiscard]] const script::Value* read_by(const script::Trace& trace, const script::Value& call) const {
    const Ref text = call.argument("text", 0);
    if (text == nullptr) return nullptr;
    if (const auto chat = by_place.find(text->span); chat != by_place.end()) return chat->second;
    const auto chat = by_column.find(column_read(trace, call));
    return chat == by_column.end() ? nullptr : chat->second;
  }
};

}  // namespace

// Returns the place after which no text is for calibration: that of the last call of oneshot.
static std::uint32_t end_of_calibration(const script::Trace& trace) {
  std::uint32_t out = 0;
  for (const Ref& call : trace.objects) {
    if (is_oneshot(*call)) out = std::max(out, call->span.begin);
  }
  return out == 0 ? std::numeric_limits<std::uint32_t>::max() : out;
}

void check_chat_texts(const script::Trace& trace, diag::Sink& sink) {
  if (std::ranges::none_of(trace.objects, [](const Ref& call) { return loads_such_model(*call); })) return;
  Chats chats;
  for (const Ref& call : trace.objects) {
    if (tokenizer_of(trace, *call).empty()) continue;
    chats.by_place.try_emplace(call->span, call.get());
    if (const std::string_view column = column_of(trace, *call); !column.empty())
      chats.by_column.try_emplace(column, call.get());
  }
  const std::uint32_t end = end_of_calibration(trace);
  for (const Ref& call : trace.objects) {
    const script::Value* chat = call->span.begin < end ? chats.read_by(trace, *call) : nullptr;
    if (chat != nullptr && adds_tokens(trace, *call, tokenizer_of(trace, *chat))) report(trace, *call, *chat, sink);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
