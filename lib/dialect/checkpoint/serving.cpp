#include "dialect/checkpoint/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::checkpoint {

using source::ShellCommand;
using source::ShellWord;

namespace {

// An image of Docker that runs `vllm serve` with the arguments after its name.
constexpr std::string_view kImage = "vllm/vllm-openai";

constexpr Server kServers[] = {{"vllm", "serve", "vllm"},
                               {"vllm.entrypoints.openai.api_server", {}, "vllm"},
                               {"sglang.launch_server", {}, "sglang"},
                               {"sglang", "serve", "sglang"},
                               {kImage, {}, "vllm"}};

enum class Role : std::uint8_t { other, model, quantization, gpus, tokenizer, config };

struct OptionRow {
  std::string_view name;  // with dashes
  Role role;
  std::string_view runtime{};  // the only one with this option; empty: all
};

// The options that the rules read (docs/semantics/checkpoint.md#a4-1).
constexpr OptionRow kOptions[] = {{"--model", Role::model},
                                  {"--model-path", Role::model, "sglang"},
                                  {"--quantization", Role::quantization},
                                  {"-q", Role::quantization, "vllm"},
                                  {"--tensor-parallel-size", Role::gpus},
                                  {"-tp", Role::gpus, "vllm"},
                                  {"--tp-size", Role::gpus, "sglang"},
                                  {"--tp", Role::gpus, "sglang"},
                                  {"--tokenizer", Role::tokenizer, "vllm"},
                                  {"--revision", Role::config},
                                  {"--hf-config-path", Role::config, "vllm"},
                                  {"--hf-overrides", Role::config, "vllm"},
                                  {"--json-model-override-args", Role::config, "sglang"}};

// Reads the arguments of a command from left to right. The last value of an option counts.
class Arguments {
 public:
  Arguments(const ShellCommand& command, const StartedServer& started) : words_(command.words) {
    out_.server = started.server;
    at_ = started.arguments;
  }

  ServeCommand read() {
    if (at_ < words_.size() && !words_[at_].text.starts_with('-')) read_first();
    while (at_ < words_.size()) read_word();
    return std::move(out_);
  }

 private:
  // vLLM reads the model from the first argument.
  void read_first() {
    const ShellWord& word = words_[at_];
    if (word.splits) out_.open = true;
    if (!word.unknown) out_.model = {word.text, word.span};
    ++at_;
  }

  void read_word() {
    const ShellWord& word = words_[at_++];
    const std::size_t equals = std::min(word.text.find('='), word.text.size());
    const Role role = role_of(word.text.substr(0, equals));
    if (role == Role::other) {
      out_.open = out_.open || (word.splits && !word.text.starts_with('-'));
    } else if (equals < word.text.size()) {
      put(role, word, {word.text.substr(equals + 1), word.span, word.unknown});
    } else if (at_ < words_.size() && !words_[at_].text.starts_with('-')) {
      put(role, word, words_[at_++]);
    }
  }

  [[nodiscard]] Role role_of(std::string name) const {
    if (name.starts_with("--")) std::ranges::replace(name, '_', '-');
    const auto fits = [&](const OptionRow& row) {
      return row.name == name && (row.runtime.empty() || row.runtime == out_.server->runtime);
    };
    const auto* const found = std::ranges::find_if(kOptions, fits);
    return found == std::end(kOptions) ? Role::other : found->role;
  }

  void put(Role role, const ShellWord& option, const ShellWord& value) {
    if (role == Role::config) out_.other_config = true;
    if (role == Role::model)
      out_.model =
          value.unknown ? source::Located<std::string>() : source::Located<std::string>{value.text, value.span};
    ServeOption* place = role == Role::quantization ? &out_.quantization
                         : role == Role::gpus       ? &out_.gpus
                         : role == Role::tokenizer  ? &out_.tokenizer
                                                    : nullptr;
    if (place == nullptr) return;
    const std::string text = option.span == value.span ? option.text : fmt::format("{} {}", option.text, value.text);
    *place = {text,
              value.unknown ? std::string() : value.text,
              {std::min(option.span.begin, value.span.begin), std::max(option.span.end, value.span.end)}};
  }

  const std::vector<ShellWord>& words_;
  std::size_t at_ = 0;
  ServeCommand out_;
};

}  // namespace

StartedServer started_server(const ShellCommand& command) {
  bool runs = false;  // `docker run`, not `docker pull`
  for (std::size_t at = 0; at < command.words.size(); ++at) {
    const std::string_view name = source::program_name(command.words[at].text);
    const std::string_view next = at + 1 < command.words.size() ? command.words[at + 1].text : std::string_view();
    if (source::only_names_programs(name)) return {};
    const std::string_view text = command.words[at].text;
    runs = runs || text == "run";
    const bool is_image = runs && text.substr(0, text.rfind(':')).ends_with(kImage);
    for (const Server& server : kServers) {
      if (is_image && server.name == kImage) return {&server, at + 1};
      if (name == server.name && server.command.empty()) return {&server, at + 1};
      if (name == server.name && server.command == next) return {&server, at + 2};
    }
  }
  return {};
}

std::vector<std::string> server_commands() {
  std::vector<std::string> out;
  for (const Server& server : kServers)
    out.push_back(server.command.empty() ? std::string(server.name)
                                         : fmt::format("{} {}", server.name, server.command));
  return out;
}

std::optional<std::uint64_t> ServeCommand::gpu_count() const {
  std::uint64_t out = 0;
  const char* const last = gpus.value.data() + gpus.value.size();
  const auto [end, error] = std::from_chars(gpus.value.data(), last, out);
  return error == std::errc() && end == last && out > 0 ? std::optional(out) : std::nullopt;
}

std::optional<ServeCommand> serve_command(const ShellCommand& command) {
  const StartedServer started = started_server(command);
  return started.server == nullptr ? std::nullopt : std::optional(Arguments(command, started).read());
}

}  // namespace sparsecfg::dialect::checkpoint
