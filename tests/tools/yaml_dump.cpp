// Reads names of files from standard input and prints one line of JSON for each: what the doc layer
// makes of it, for a comparison with PyYAML. Not a tool for users.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "base/number.h"
#include "base/overloaded.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"

using nlohmann::json;
using namespace sparsecfg;

static std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

static json typed(const source::Value& value) {
  return std::visit(base::Overloaded{
                        [](std::monostate) -> json { return nullptr; },
                        [](bool flag) -> json { return flag; },
                        [](std::int64_t number) -> json {
                          return {{"int", std::to_string(number)}};
                        },
                        [](const source::BigInt& number) -> json {
                          return {{"int", number.digits}};
                        },
                        [](double number) -> json {
                          return {{"float", base::python_repr(number)}};
                        },
                        [](const std::string& text) -> json {
                          return {{"str", text}};
                        },
                        [](const source::Timestamp& time) -> json {
                          return {{"time", time.text}};
                        },
                        [](const source::List& list) -> json {
                          json items = json::array();
                          for (const source::Value& item : list) {
                            items.push_back(typed(item));
                          }
                          return {{"list", std::move(items)}};
                        },
                        [](const source::Map& map) -> json {
                          json items = json::array();
                          for (const auto& [key, item] : map) {
                            items.push_back(json::array({typed(key), typed(item)}));
                          }
                          return {{"map", std::move(items)}};
                        },
                    },
                    value.data);
}

static std::string_view name_of(doc::ScalarType type) {
  switch (type) {
    case doc::ScalarType::boolean: return "bool";
    case doc::ScalarType::integer: return "int";
    case doc::ScalarType::real: return "float";
    case doc::ScalarType::null: return "null";
    case doc::ScalarType::timestamp: return "timestamp";
    case doc::ScalarType::binary: return "binary";
    case doc::ScalarType::merge: return "merge";
    case doc::ScalarType::value: return "value";
    case doc::ScalarType::string:
    case doc::ScalarType::collection:
    case doc::ScalarType::foreign: break;
  }
  return "str";
}

// The tag that PyYAML's composer gives the node.
static std::string resolved_tag(const doc::Node& node) {
  if (!node.tag.empty() && node.tag != "!") {
    return std::string(node.tag);
  }
  std::string_view name = name_of(doc::type_of(node));
  if (node.kind != doc::Kind::scalar) {
    name = node.kind == doc::Kind::sequence ? "seq" : "map";
  }
  return "tag:yaml.org,2002:" + std::string(name);
}

static json dump_node(const doc::Node& node) {
  constexpr const char* kKinds[] = {"scalar", "sequence", "mapping", "alias"};
  std::uint32_t start = node.span.begin;
  for (const source::Span property : {node.tag_span, node.anchor_span}) {
    start = property.empty() ? start : std::min(start, property.begin);
  }
  json out{{"kind", kKinds[static_cast<int>(node.kind)]},
           {"start", start},
           {"begin", node.span.begin},
           {"end", node.span.end}};
  if (node.kind == doc::Kind::alias) {
    out["target"] = static_cast<std::uint32_t>(node.target);
    return out;
  }
  out["tag"] = resolved_tag(node);
  out["block"] =
      node.style == doc::Style::literal || node.style == doc::Style::folded || node.style == doc::Style::block;
  out["text"] = node.text;
  out["items"] = json::array();
  for (const doc::NodeId item : node.items) {
    out["items"].push_back(static_cast<std::uint32_t>(item));
  }
  return out;
}

static json dump_reports(diag::Sink& sink) {
  json out = json::array();
  for (const diag::Diagnostic& report : sink.take()) {
    if (report.severity == diag::Severity::error) {
      out.push_back({{"code", report.info->code},
                     {"message", report.message},
                     {"begin", report.span.begin},
                     {"end", report.span.end}});
    }
  }
  return out;
}

static json dump(const std::string& name) {
  const source::SourceFile file(name, read_file(name));
  diag::Sink sink;
  const source::Span whole{0, static_cast<std::uint32_t>(file.text().size())};
  const auto document = doc::read_yaml(file, whole, {}, sink);
  json out{{"file", name}, {"read", document.has_value()}, {"read_errors", dump_reports(sink)}};
  if (document) {
    out["value"] = typed(doc::construct(*document, document->root, sink));
    out["value_errors"] = dump_reports(sink);
    out["root"] = static_cast<std::uint32_t>(document->root);
    out["nodes"] = json::array();
    for (const doc::Node& node : document->nodes) {
      out["nodes"].push_back(dump_node(node));
    }
    out["comments"] = json::array();
    for (const doc::Comment& comment : document->comments) {
      out["comments"].push_back({comment.span.begin, comment.span.end});
    }
  }
  return out;
}

int main() {
  std::string name;
  while (std::getline(std::cin, name)) {
    std::cout << dump(name).dump(-1, ' ', true, json::error_handler_t::replace) << '\n';
  }
  return 0;
}
