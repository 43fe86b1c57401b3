#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

void check_chat_texts(const script::Trace& trace, diag::Sink& sink) {
  if (std::ranges::none_of(trace.objects, [](const Ref& call) { return loads_such_model(*call); })) return;
  std::map<source::Span, const script::Value*> chats;
  for (const Ref& call : trace.objects) {
    if (!tokenizer_of(trace, *call).empty()) chats.try_emplace(call->span, call.get());
  }
  for (const Ref& call : trace.objects) {
    const Ref text = call->argument("text", 0);
    const auto chat = text == nullptr ? chats.end() : chats.find(text->span);
    if (chat == chats.end()) continue;
    if (adds_tokens(trace, *call, tokenizer_of(trace, *chat->second))) report(trace, *call, *chat->second, sink);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
