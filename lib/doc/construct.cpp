#include "doc/construct.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <string>

#include "doc/construct_parts.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"

namespace sparsecfg::doc {

static constexpr std::string_view kSet = "tag:yaml.org,2002:set";
static constexpr std::string_view kSequence = "tag:yaml.org,2002:seq";
static constexpr std::string_view kMapping = "tag:yaml.org,2002:map";

static bool is_list_of_pairs(std::string_view tag) {
  return tag == "tag:yaml.org,2002:omap" || tag == "tag:yaml.org,2002:pairs";
}

static source::List construct_list(const Document& document, const Node& sequence, diag::Sink& sink) {
  source::List list;
  list.reserve(sequence.items.size());
  for (const NodeId item : sequence.items) {
    list.push_back(construct(document, item, sink));
  }
  return list;
}

// `!!omap` and `!!pairs`: converts a list of single-key mappings to a list of two-item lists.
static source::List construct_pairs(const Document& document, const Node& sequence, diag::Sink& sink) {
  source::List pairs;
  for (const NodeId item : sequence.items) {
    const Node& pair = document[document.resolve(item)];
    if (pair.kind != Kind::mapping || pair.items.size() != 2) {
      sink.report(diag::value_not_of_its_type, document[item].span,
                  "each item of a list of pairs must be a mapping with exactly one key");
      continue;
    }
    source::Value key = construct(document, pair.items[0], sink);
    source::Value value = construct(document, pair.items[1], sink);
    pairs.push_back({source::List{std::move(key), std::move(value)}, document[item].span});
  }
  return pairs;
}

// A Python set has only keys, so the values are dropped. A value that a later one replaces is still constructed,
// because PyYAML fails if it is invalid.
static source::Map construct_map(const Document& document, const Node& mapping, diag::Sink& sink) {
  source::Map map;
  map.reserve(mapping.items.size() / 2);
  std::vector<Item> items = items_of(document, mapping, sink);
  const std::vector<std::size_t> places = places_of(items);
  for (std::size_t at = 0; at < items.size(); ++at) {
    source::Value value = construct(document, items[at].value, sink);
    if (mapping.tag == kSet) {
      value.data = std::monostate{};
    }
    const source::Span key = document[items[at].key].span;
    const std::size_t place = places.empty() ? at : places[at];
    if (place == map.size()) {
      map.emplace_back(source::Value{std::move(items[at].data), key}, std::move(value));
    } else {
      map[place].first.span = key;
      map[place].second = std::move(value);
    }
  }
  return map;
}

static bool is_of_its_tag(const Node& collection) {
  const ScalarType type = type_of_tag(collection.tag);
  if (type == ScalarType::foreign) {
    return true;
  }
  if (collection.kind == Kind::sequence) {
    return collection.tag == kSequence || is_list_of_pairs(collection.tag);
  }
  return collection.tag == kMapping || collection.tag == kSet;
}

static source::Value::Data construct_collection(const Document& document, const Node& node, diag::Sink& sink) {
  if (!is_of_its_tag(node)) {
    sink.report(
        diag::value_not_of_its_type, node.tag_span,
        fmt::format("PyYAML can't read {} with this tag", node.kind == Kind::sequence ? "a list" : "a mapping"));
    return {};
  }
  if (node.kind == Kind::mapping) {
    return construct_map(document, node, sink);
  }
  return is_list_of_pairs(node.tag) ? construct_pairs(document, node, sink) : construct_list(document, node, sink);
}

source::Value construct(const Document& document, NodeId id, diag::Sink& sink) {
  const Node& node = document[document.resolve(id)];
  source::Value value = node.kind == Kind::scalar ? construct_scalar(node, sink)
                                                  : source::Value{construct_collection(document, node, sink), {}};
  value.span = document[id].span;
  return value;
}

std::vector<Entry> entries(const Document& document, NodeId mapping, diag::Sink& sink) {
  const Node& node = document[document.resolve(mapping)];
  std::vector<Entry> out;
  if (node.kind != Kind::mapping) {
    return out;
  }
  std::vector<Item> items = items_of(document, node, sink);
  const std::vector<std::size_t> places = places_of(items);
  out.reserve(items.size());
  for (std::size_t at = 0; at < items.size(); ++at) {
    const std::size_t place = places.empty() ? at : places[at];
    if (place == out.size()) {
      out.emplace_back();
    }
    out[place] = {items[at].key, items[at].value, std::move(items[at].data)};
  }
  return out;
}

constexpr std::string_view kYamlTags = "tag:yaml.org,2002:";

static bool is_unknown(const Node& node) {
  return !node.tag_span.empty() && node.tag != "!" && type_of_tag(node.tag) == ScalarType::foreign;
}

std::set<source::Span> places_with(const Document& document, std::string_view tag) {
  std::set<source::Span> places;
  for (const Node& node : document.nodes) {
    if (node.tag == tag) places.insert(node.span);
  }
  return places;
}

void report_unknown_tags(const Document& document, std::string_view reader, diag::Sink& sink) {
  for (const Node& node : document.nodes) {
    if (!is_unknown(node)) {
      continue;
    }
    const bool standard = node.tag.starts_with(kYamlTags);
    const std::string_view name = node.tag.substr(standard ? kYamlTags.size() : 0);
    const std::string shown = (standard ? "!!" : "") + std::string(name);
    sink.report(diag::unknown_tag, node.tag_span,
                standard && name.starts_with("python/") ? fmt::format("the tag `{}` refers to Python code", shown)
                                                        : fmt::format("the tag `{}` is unknown to {}", shown, reader))
        .with_help("remove the tag");
  }
}

}  // namespace sparsecfg::doc
