#include "cmd/mcp/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "cmd/cli.h"
#include "diag/catalog.h"
#include "lsp/peer.h"

namespace sparsecfg::cmd::mcp {

using lsp::ErrorCode;
using lsp::RequestError;

namespace {

// Versions of the protocol, the newest first. Their messages do not differ in what this server uses.
constexpr std::string_view kVersions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

constexpr lsp::Peer::Protocol kProtocol{"mcp", lsp::Framing::line, "notifications/cancelled", "requestId"};

constexpr std::string_view kRuleUri = "sparsecfg://rules/";
constexpr std::size_t kPageSize = 200;

Json initialize(const Json& params) {
  const std::string asked = params.value("protocolVersion", "");
  const std::string version(base::contains(kVersions, asked) ? std::string_view(asked) : kVersions[0]);
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
          {"serverInfo", {{"name", "sparsecfg"}, {"title", "sparsecfg"}, {"version", base::version()}}},
          {"instructions",
           "Checks, explains, compares and converts recipes for sparsification and quantization without running them. "
           "Validate a recipe after each change, and apply the help of a finding literally. Paths are relative to the "
           "folder in which the server runs."}};
}

Json rule_resource(std::string_view code, std::string_view name) {
  return {{"uri", fmt::format("{}{}", kRuleUri, code)}, {"name", code}, {"title", name}, {"mimeType", "text/plain"}};
}

Json list_resources(const Json& params) {
  const auto rules = diag::catalog();
  const std::string cursor = params.value("cursor", "0");
  const bool number = !cursor.empty() && cursor.size() < 6 && std::ranges::all_of(cursor, base::is_digit);
  const std::size_t first = number ? std::stoul(cursor) : rules.size() + 1;
  if (first > rules.size()) throw RequestError{ErrorCode::invalid_params, "invalid cursor"};
  Json out{{"resources", Json::array()}};
  const std::size_t end = std::min(rules.size(), first + kPageSize);
  for (std::size_t at = first; at < end; ++at) {
    out["resources"].push_back(rule_resource(rules[at]->code, rules[at]->name));
  }
  if (end < rules.size()) out["nextCursor"] = std::to_string(end);
  return out;
}

Json list_templates() {
  return {{"resourceTemplates", Json::array({{{"uriTemplate", fmt::format("{}{{code}}", kRuleUri)},
                                              {"name", "rule"},
                                              {"title", "The page of a rule"},
                                              {"mimeType", "text/plain"}}})}};
}

Json read_resource(const Json& params, const Runner& run) {
  const auto uri = params.at("uri").get<std::string>();
  const std::string code = uri.starts_with(kRuleUri) ? uri.substr(kRuleUri.size()) : "";
  const auto rules = diag::catalog();
  const bool known = std::ranges::any_of(rules, [&](const diag::Info* rule) { return rule->code == code; });
  if (!known) throw RequestError{ErrorCode::invalid_params, "there is no such resource"};
  const Ran ran = run({"explain", "--", code}, "");
  return {{"contents", Json::array({{{"uri", uri}, {"mimeType", "text/plain"}, {"text", ran.out}}})}};
}

class Server {
 public:
  Server(std::istream& in, std::ostream& out, std::ostream& log, const std::vector<Command>& commands,
         const Runner& run)
      : peer_(in, out, log, kProtocol), commands_(commands), run_(run) {}

  int run() {
    while (peer_.receive()) {
      while (peer_.has_message()) {
        handle(peer_.take());
        peer_.flush();
      }
    }
    return kClean;
  }

 private:
  // A request that was cancelled gets no response.
  void handle(const Json& message) {
    const Json method = message.value("method", Json());
    const bool is_request = message.contains("id");
    if (!method.is_string()) {
      if (!is_request) peer_.fail(nullptr, ErrorCode::invalid_request, "missing `method`");
      return;
    }
    if (!is_request || peer_.take_cancelled(message["id"])) return;
    try {
      peer_.send({{"id", message["id"]}, {"result", call(method, message.value("params", Json::object()))}});
    } catch (const RequestError& error) {
      peer_.fail(message["id"], error.code, error.message);
    }
  }

  // Throws only RequestError.
  Json call(const std::string& method, const Json& params) {
    try {
      return result_of(method, params);
    } catch (const InvalidArguments& error) {
      throw RequestError{ErrorCode::invalid_params, error.what};
    } catch (const Json::exception& error) {
      throw RequestError{ErrorCode::invalid_params, error.what()};
    } catch (const std::exception& error) {
      throw RequestError{ErrorCode::internal_error, error.what()};
    }
  }

  Json result_of(const std::string& method, const Json& params) {
    if (method == "initialize") {
      initialized_ = true;
      return initialize(params);
    }
    if (method == "ping") return Json::object();
    if (!initialized_) throw RequestError{ErrorCode::invalid_request, "`initialize` must be the first request"};
    if (method == "tools/list") return {{"tools", list_tools(commands_)}};
    if (method == "tools/call") {
      return call_tool(commands_, params.at("name").get<std::string>(), params.value("arguments", Json::object()),
                       run_);
    }
    if (method == "resources/list") return list_resources(params);
    if (method == "resources/templates/list") return list_templates();
    if (method == "resources/read") return read_resource(params, run_);
    throw RequestError{ErrorCode::method_not_found, "unknown method " + method};
  }

  lsp::Peer peer_;
  const std::vector<Command>& commands_;
  const Runner& run_;
  bool initialized_ = false;
};

}  // namespace

int serve(std::istream& in, std::ostream& out, std::ostream& log, const std::vector<Command>& commands,
          const Runner& run) {
  return Server(in, out, log, commands, run).run();
}

}  // namespace sparsecfg::cmd::mcp
