#include "doc/construct_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/number.h"
#include "base/overloaded.h"
#include "doc/construct.h"

namespace sparsecfg::doc {

static std::string identity_of(double number) {
  if (std::isfinite(number) && number == std::trunc(number)) {
    return fmt::format("n{:.0f}", number == 0 ? 0.0 : number);
  }
  return "n" + base::python_repr(number);
}

// Returns the identity of a non-string key under Python equality: 1, 1.0 and True are one key, and equal times in
// different zones are one key.
static std::string identity_of(const source::Value::Data& data) {
  return std::visit(base::Overloaded{
                        [](std::monostate) -> std::string { return "-"; },
                        [](bool flag) -> std::string { return flag ? "n1" : "n0"; },
                        [](std::int64_t number) { return fmt::format("n{}", number); },
                        [](const source::BigInt& number) { return "n" + number.digits; },
                        [](double number) { return identity_of(number); },
                        [](const std::string& bytes) { return "b" + bytes; },
                        [](const source::Timestamp& time) { return "t" + timestamp_identity(time.text).value_or(""); },
                        [](const source::List&) -> std::string { return {}; },
                        [](const source::Map&) -> std::string { return {}; },
                    },
                    data);
}

static bool is_untagged(const Node& node) { return node.tag.empty() || node.tag == "!"; }

// Returns the name in `{{ name }}`, which YAML reads as a mapping used as a key of another mapping.
static std::optional<std::string_view> placeholder(const Document& document, const Node& node) {
  if (node.kind != Kind::mapping || node.items.size() != 2) {
    return std::nullopt;
  }
  const Node& name = document[document.resolve(node.items[0])];
  const Node& value = document[document.resolve(node.items[1])];
  const bool alone = name.kind == Kind::scalar && value.kind == Kind::scalar && value.text.empty();
  return alone ? std::optional<std::string_view>(name.text) : std::nullopt;
}

static bool defines(const Document& document, std::string_view name) {
  const Node& root = document[document.resolve(document.root)];
  for (std::size_t at = 0; root.kind == Kind::mapping && at < root.items.size(); at += 2) {
    if (document[document.resolve(root.items[at])].text == name) return true;
  }
  return false;
}

// Reports a placeholder of a template. `key`: its inner braces.
static void report_placeholder(const Document& document, NodeId key, std::string_view name, diag::Sink& sink) {
  const auto outer = std::ranges::find_if(document.nodes, [&](const Node& node) {
    return node.kind == Kind::mapping && !node.items.empty() && node.items.front() == key;
  });
  const source::Span place = outer == document.nodes.end() ? document[key].span : outer->span;
  const std::string_view shown = name;
  auto& report =
      sink.report(diag::unhashable_key, place, fmt::format("the template placeholder `{{{{ {} }}}}`", shown));
  report.with_caret("YAML reads the braces as mappings");
  if (defines(document, name)) {
    report.with_help(fmt::format("write `eval({})`", shown))
        .with_fix(diag::Fix::unsafe().replace(place, fmt::format("eval({})", name)));
  } else {
    report.with_help("replace the placeholder with its value, or define a variable of this name");
  }
}

// Reads a key. Returns nullopt, after a report, if Python can't hash it or PyYAML can't read it. `type` is the type of
// a scalar key.
static std::optional<Item> read_key(const Document& document, NodeId key, NodeId value, ScalarType type,
                                    diag::Sink& sink) {
  const Node& node = document[document.resolve(key)];
  if (node.kind != Kind::scalar) {
    if (const auto name = placeholder(document, node)) {
      report_placeholder(document, key, *name, sink);
    } else {
      sink.report(diag::unhashable_key, document[key].span, node.kind == Kind::sequence ? "a list" : "a mapping");
    }
    return std::nullopt;
  }
  // `=` is read as a string only if it is a key.
  if (type == ScalarType::value && is_untagged(node)) type = ScalarType::string;
  auto data = construct_data(node, type, sink);
  if (!data) {
    return std::nullopt;
  }
  const bool is_text = std::holds_alternative<std::string>(*data) && type != ScalarType::binary;
  return Item{key, value, std::move(*data), is_text};
}

// Most mappings have few string keys. Comparing them pairwise is faster than hashing.
static bool are_few_distinct_strings(const std::vector<Item>& items) {
  constexpr std::size_t kFew = 24;
  if (items.size() > kFew || !std::ranges::all_of(items, &Item::is_text)) {
    return false;
  }
  for (auto item = items.begin(); item != items.end(); ++item) {
    const auto& text = std::get<std::string>(item->data);
    const auto same = [&](const Item& other) { return std::get<std::string>(other.data) == text; };
    if (std::any_of(items.begin(), item, same)) return false;
  }
  return true;
}

// Returns for each item the index of the first item with an equal key.
static std::vector<std::size_t> firsts_of(const std::vector<Item>& items) {
  std::vector<std::size_t> out(items.size());
  std::unordered_map<std::string_view, std::size_t> texts;
  std::unordered_map<std::string, std::size_t> others;
  for (std::size_t at = 0; at < items.size(); ++at) {
    const source::Value::Data& data = items[at].data;
    out[at] = items[at].is_text ? texts.try_emplace(std::get<std::string>(data), at).first->second
                                : others.try_emplace(identity_of(data), at).first->second;
  }
  return out;
}

// Returns true if both are the same scalar, so removing one changes nothing.
static bool are_same_scalar(const Document& document, NodeId one, NodeId other) {
  const Node& first = document[document.resolve(one)];
  const Node& second = document[document.resolve(other)];
  return first.kind == Kind::scalar && second.kind == Kind::scalar && first.text == second.text &&
         first.tag == second.tag && type_of(first) == type_of(second);
}

// `last` is the one in front of `item`. Each report removes another one, so that one run of fixes leaves the last.
static void report_repeated(const Document& document, const Item& first, const Item& last, const Item& item,
                            diag::Sink& sink) {
  const std::string name = excerpt(document[document.resolve(item.key)].text);
  const bool same = are_same_scalar(document, first.value, item.value);
  const bool same_as_last = are_same_scalar(document, last.value, item.value);
  const bool scalar = document[document.resolve(last.value)].kind == Kind::scalar;
  sink.report(diag::duplicate_key, document[item.key].span, name)
      .with_severity(same ? diag::Severity::warning : diag::Severity::error)
      .with_label(document[first.key].span, "first defined here")
      .with_help(scalar ? "delete the first entry, which is ignored"
                        : "move both contents under one key; the first one is dropped")
      .with_fix(scalar ? diag::Fix::safe_if(same_as_last).remove(document[last.key].span) : diag::Fix());
}

static void report_repeated(const Document& document, const std::vector<Item>& own, diag::Sink& sink) {
  const std::vector<std::size_t> firsts = firsts_of(own);
  std::vector<std::size_t> lasts(own.size());  // by first one: the last one so far
  for (std::size_t at = 0; at < own.size(); ++at) {
    const std::size_t first = firsts[at];
    if (first != at) report_repeated(document, own[first], own[lasts[first]], own[at], sink);
    lasts[first] = at;
  }
}

static void report_bad_merge(const Document& document, NodeId value, diag::Sink& sink) {
  const Node& node = document[document.resolve(value)];
  const std::string what = node.kind == Kind::sequence ? "a list" : describe(construct_scalar(node, sink));
  const bool name = node.kind == Kind::scalar && type_of(node) == ScalarType::string;
  sink.report(diag::bad_merge, document[value].span, what)
      .with_help(name ? "mark the mapping with `&name` and write `<<: *name`" : "");
}

static void append_to(std::vector<Item>& out, std::vector<Item> more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Adds the entries that `<<` merges. The first of several mappings wins, so it is added last.
static void merge(const Document& document, NodeId value, std::vector<Item>& merged, diag::Sink& sink) {
  const Node& node = document[document.resolve(value)];
  if (node.kind == Kind::mapping) {
    append_to(merged, items_of(document, node, sink));
    return;
  }
  if (node.kind != Kind::sequence) {
    report_bad_merge(document, value, sink);
    return;
  }
  for (auto item = node.items.rbegin(); item != node.items.rend(); ++item) {
    const Node& part = document[document.resolve(*item)];
    if (part.kind == Kind::mapping) {
      append_to(merged, items_of(document, part, sink));
    } else {
      report_bad_merge(document, *item, sink);
    }
  }
}

static bool is_merge_key(const Node& key, ScalarType type) {
  return type == ScalarType::merge && (is_untagged(key) || type_of_tag(key.tag) == ScalarType::merge);
}

std::vector<Item> items_of(const Document& document, const Node& mapping, diag::Sink& sink) {
  std::vector<Item> merged;
  std::vector<Item> own;
  own.reserve(mapping.items.size() / 2);
  for (std::size_t at = 0; at + 1 < mapping.items.size(); at += 2) {
    const NodeId key = mapping.items[at];
    const NodeId value = mapping.items[at + 1];
    const Node& node = document[document.resolve(key)];
    const ScalarType type = node.kind == Kind::scalar ? type_of(node) : ScalarType::collection;
    if (is_merge_key(node, type)) {
      sink.report(diag::merge_key, document[key].span);
      merge(document, value, merged, sink);
    } else if (auto item = read_key(document, key, value, type, sink)) {
      own.push_back(std::move(*item));
    }
  }
  if (!are_few_distinct_strings(own)) {
    report_repeated(document, own, sink);
  }
  if (merged.empty()) {
    return own;
  }
  append_to(merged, std::move(own));
  return merged;
}

std::vector<std::size_t> places_of(const std::vector<Item>& items) {
  if (are_few_distinct_strings(items)) {
    return {};
  }
  std::vector<std::size_t> places = firsts_of(items);
  std::size_t distinct = 0;
  for (std::size_t at = 0; at < items.size(); ++at) {
    places[at] = places[at] == at ? distinct++ : places[places[at]];
  }
  return places;
}

}  // namespace sparsecfg::doc
