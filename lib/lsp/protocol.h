#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lsp/text.h"

// The JSON of the protocol.
namespace sparsecfg::lsp {

using Json = nlohmann::json;

// Codes of JSON-RPC and of the protocol.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_failed = -32803,
  request_cancelled = -32800,
};

// Why a request gets no result. Thrown by handlers and caught by the server.
struct RequestError {
  ErrorCode code;
  std::string message;
};

[[nodiscard]] inline Json to_json(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

[[nodiscard]] inline Json to_json(Range range) {
  return {{"start", to_json(range.start)}, {"end", to_json(range.end)}};
}

// Read parameters; a member that is missing or of another type is an exception of the JSON library, which the server
// answers as invalid parameters. Numbers beyond 32 bits count as the largest.
[[nodiscard]] Position read_position(const Json& json);
[[nodiscard]] Range read_range(const Json& json);

// The path of a `file:` URI; empty for others.
[[nodiscard]] std::string path_of(const std::string& uri);

// A text edit.
[[nodiscard]] inline Json edit_json(Range range, std::string text) {
  return {{"range", to_json(range)}, {"newText", std::move(text)}};
}

// Text in the form that hovers and completions show.
[[nodiscard]] inline Json markdown(std::string text) { return {{"kind", "markdown"}, {"value", std::move(text)}}; }

}  // namespace sparsecfg::lsp
