#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "source/shell_words.h"
#include "source/span.h"
#include "source/value.h"

// Commands that load a checkpoint to serve it, such as `vllm serve`.
namespace sparsecfg::dialect::checkpoint {

// A program that serves a model.
struct Server {
  std::string_view name;     // "vllm"
  std::string_view command;  // the word after the name; empty: none is needed
  std::string_view runtime;  // a value of `--runtime`
};

// The server that a command starts, and the index of its first argument.
struct StartedServer {
  const Server* server = nullptr;  // null: the command starts none
  std::size_t arguments = 0;
};

[[nodiscard]] StartedServer started_server(const source::ShellCommand& command);

// Returns the commands that start servers: "vllm serve".
[[nodiscard]] std::vector<std::string> server_commands();

// An option with its value, as far as they are known.
struct ServeOption {
  std::string text;     // both, as a user writes them: "--quantization awq"
  std::string value;    // empty: unknown
  source::Span span{};  // of both; empty: the command does not have the option
};

struct ServeCommand {
  const Server* server = nullptr;
  source::Located<std::string> model{};  // id or folder; empty: unknown
  ServeOption quantization{};
  ServeOption gpus{};
  ServeOption tokenizer{};
  bool other_config = false;  // true if an option selects or changes the configuration of the checkpoint
  bool open = false;          // true if a run may add options, as `"$@"` does

  // Returns the number of GPUs for each layer, or nullopt if it is not known.
  [[nodiscard]] std::optional<std::uint64_t> gpu_count() const;
};

// Returns a command that starts a server; nullopt for others.
[[nodiscard]] std::optional<ServeCommand> serve_command(const source::ShellCommand& command);

// The configuration of the checkpoint of a command.
struct ServedConfig {
  source::Value quantization{};  // its `quantization_config`; null: it is not quantized
  bool has_method_file = false;  // true if another file or section may name the method
  bool folder = false;           // true for a folder, false for a well-known id
};

// Checks a command against the checkpoint that it loads (QC410 to QC414). `config`: null if it is unknown.
void check_serving(const ServeCommand& command, const ServedConfig* config, diag::Sink& sink);

}  // namespace sparsecfg::dialect::checkpoint
