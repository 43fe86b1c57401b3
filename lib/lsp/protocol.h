#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lsp/text.h"

// Converts between JSON and the types of the protocol.
namespace sparsecfg::lsp {

using Json = nlohmann::json;

// Nesting and number of values of a JSON text. Both need memory in addition to the size of the text.
struct JsonShape {
  std::size_t depth = 0;
  std::size_t values = 0;  // approximated by commas and opening brackets
};

// Counts without parsing. If the text is not JSON, the result is an upper bound for the part that a parser accepts.
[[nodiscard]] JsonShape shape_of(std::string_view json);

// Error codes of JSON-RPC and LSP.
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

// Error response to a request. Thrown by handlers and caught by the server.
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

// Parse parameters. Missing members and wrong types throw exceptions of the JSON library, which the server reports as
// invalid parameters. Numbers above 32 bits are clamped.
[[nodiscard]] Position read_position(const Json& json);
[[nodiscard]] Range read_range(const Json& json);

// Returns the path of a `file:` URI, or an empty string for other URIs.
[[nodiscard]] std::string path_of(const std::string& uri);

// Returns a `TextEdit`.
[[nodiscard]] inline Json edit_json(Range range, std::string text) {
  return {{"range", to_json(range)}, {"newText", std::move(text)}};
}

// Returns a `MarkupContent` with Markdown text.
[[nodiscard]] inline Json markdown(std::string text) { return {{"kind", "markdown"}, {"value", std::move(text)}}; }

}  // namespace sparsecfg::lsp
