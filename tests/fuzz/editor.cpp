// The server for editors: a document is opened, one request is made at some place of it, a part of it is replaced, and
// the same request is made again, which sees a text that differs from what was read last.
#include <functional>
#include <iterator>
#include <string>

#include "lsp/features.h"
#include "tests/fuzz/targets.h"

namespace sparsecfg::fuzz {

using lsp::Json;

using Feature = Json (*)(lsp::Workspace&, const Json&);

static constexpr Feature kFeatures[] = {
    lsp::hover,          lsp::completion, lsp::code_actions,     lsp::definition, lsp::references,
    lsp::prepare_rename, lsp::rename,     lsp::document_symbols, lsp::formatting, lsp::inlay_hints,
};

static const std::string kUri = "untitled:a";

// What every request may ask for: a position, and the range from there to the end of the text.
static Json parameters(const lsp::Text& text, std::uint32_t place) {
  const auto size = static_cast<std::uint32_t>(text.bytes().size());
  return {{"textDocument", {{"uri", kUri}}},
          {"position", lsp::to_json(text.position(place))},
          {"range", lsp::to_json(text.range({place, size}))},
          {"context", {{"diagnostics", Json::array()}, {"includeDeclaration", true}}},
          {"newName", "renamed"}};
}

// Requests may be refused with a reason, and everything that is sent is JSON, so it has to be UTF-8.
static void request(lsp::Workspace& workspace, Feature feature, std::uint32_t place) {
  static_cast<void>(lsp::diagnostics(workspace, kUri).dump());
  const lsp::Text& text = workspace.document(kUri).text();
  const auto size = static_cast<std::uint32_t>(text.bytes().size());
  try {
    static_cast<void>(feature(workspace, parameters(text, place % (size + 1))).dump());
  } catch (const lsp::RequestError&) {
  }
}

void try_editor(std::string text, unsigned char how) {
  if (base::find_invalid_utf8(text) != text.size()) {
    return;  // no JSON holds it
  }
  static constexpr const char* kLanguages[] = {"yaml", "python", "json", "markdown"};
  static constexpr const char* kTyped[] = {"", "x", ": ", "\n  - ", "eval("};
  const std::size_t hash = std::hash<std::string>()(text);
  const auto place = static_cast<std::uint32_t>(hash >> 32);
  const Feature feature = kFeatures[how % std::size(kFeatures)];
  static lsp::Workspace workspace;  // keeps the schemas, which take longer than all the rest
  workspace.open(kUri, kLanguages[how / std::size(kFeatures) % std::size(kLanguages)], 1, std::move(text));
  request(workspace, feature, place);
  const lsp::Text& before = workspace.document(kUri).text();
  const auto begin = static_cast<std::uint32_t>(hash % (before.bytes().size() + 1));
  const std::uint32_t end = begin + static_cast<std::uint32_t>(hash >> 20) % 8;
  const Json change = {{"range", lsp::to_json(lsp::Range{before.position(begin), before.position(end)})},
                       {"text", kTyped[hash % std::size(kTyped)]}};
  workspace.change(kUri, 2, Json::array({change}));
  request(workspace, feature, place);
  workspace.close(kUri);
}

}  // namespace sparsecfg::fuzz
