#include "dialect/objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "doc/readers.h"
#include "ir/found_recipe.h"
#include "script/trace.h"

namespace sparsecfg::dialect {

using doc::Node;
using doc::NodeId;

constexpr std::size_t kMaxNodes = 100'000;
constexpr std::string_view kTooLarge = "it is too large";

const RecipeCall* find_call(std::span<const RecipeCall> calls, std::string_view path) {
  const std::string_view name = base::last_part(path);
  const auto found = std::ranges::find_if(
      calls, [&](const RecipeCall& call) { return call.derived ? name.ends_with(call.name) : name == call.name; });
  return found == calls.end() ? nullptr : &*found;
}

static bool ends_with_name(std::string_view path, std::string_view name) {
  return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '.');
}

const ModelCall* find_model_call(std::span<const ModelCall> calls, const script::Value& call) {
  const auto fits = [&](const ModelCall& row) {
    return ends_with_name(call.path, row.name) && (!call.imported || call.path.starts_with(row.package));
  };
  const auto found = std::ranges::find_if(calls, fits);
  return found == calls.end() ? nullptr : &*found;
}

NodeId ObjectWriter::add(Node node) {
  out_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(out_.nodes.size() - 1);
}

NodeId ObjectWriter::text(std::string_view text, source::Span span) {
  Node node;
  node.style = doc::Style::double_quoted;
  node.span = span;
  node.text = out_.owned.emplace_back(text);
  return add(std::move(node));
}

NodeId ObjectWriter::unknown(const script::Value& value, std::string_view why) {
  const source::Span cause = value.why.empty() ? value.span : value.why;
  const NodeId out = text(ir::Reason{std::string(why), cause.begin}.message(), value.span);
  out_[out].tag = doc::kNotLiteralTag;
  return out;
}

NodeId ObjectWriter::mapping(std::vector<NodeId> items, source::Span span) {
  Node node;
  node.kind = doc::Kind::mapping;
  node.style = doc::Style::flow;
  node.span = span;
  node.items = std::move(items);
  return add(std::move(node));
}

NodeId ObjectWriter::sequence(std::vector<NodeId> items, source::Span span) {
  Node node;
  node.kind = doc::Kind::sequence;
  node.style = doc::Style::flow;
  node.span = span;
  node.items = std::move(items);
  return add(std::move(node));
}

NodeId ObjectWriter::scalar(const script::Value& value) {
  if (const std::string* string = value.string()) {
    return value.is_whole() && value.path.empty() ? text(*string, value.span)
                                                  : unknown(value, "a part of the string is unknown");
  }
  const bool real = std::holds_alternative<double>(value.data);
  const bool whole = std::holds_alternative<std::int64_t>(value.data);
  const NodeId out = text(std::holds_alternative<std::monostate>(value.data) ? "null"
                          : real || whole                                    ? source::python_str({value.data, {}})
                          : std::get<bool>(value.data)                       ? "true"
                                                                             : "false",
                          value.span);
  out_[out].style = doc::Style::plain;
  out_[out].tag = real ? "tag:yaml.org,2002:float" : whole ? "tag:yaml.org,2002:int" : "";
  return out;
}

NodeId ObjectWriter::arguments(const script::Value& object) {
  const std::size_t positional = object.items.size() - object.names.size();
  std::vector<NodeId> items;
  for (std::size_t at = 0; at < object.names.size(); ++at) {
    items.push_back(text(object.names[at].value, object.names[at].span));
    items.push_back(value(*object.items[positional + at]));
  }
  if (object.open) {
    items.push_back(text("**", object.span));
    items.push_back(unknown(object, object.text.empty() ? "it is changed later" : object.text));
  }
  return mapping(std::move(items), object.span);
}

NodeId ObjectWriter::value(const script::Value& value) {
  const base::Budget::Level level(budget_);
  if (!level || out_.nodes.size() + value.items.size() > kMaxNodes || !budget_.spend(kCostOfElement)) {
    return unknown(value, kTooLarge);
  }
  if (value.open && value.kind != script::Value::Kind::object && value.kind != script::Value::Kind::dictionary) {
    return unknown(value, value.text.empty() ? "it is changed later" : value.text);
  }
  NodeId out{};
  switch (value.kind) {
    case script::Value::Kind::unknown: out = unknown(value, value.text); break;
    case script::Value::Kind::scalar: out = scalar(value); break;
    case script::Value::Kind::list:
      if (value.role != script::Value::Role::plain && value.role != script::Value::Role::range) {
        out = unknown(value, "it is an iterator");
        break;
      }
      [[fallthrough]];
    case script::Value::Kind::tuple:
    case script::Value::Kind::set: {
      std::vector<NodeId> items;
      for (const script::Ref& item : value.items) {
        if (out_.nodes.size() > kMaxNodes) break;
        items.push_back(this->value(*item));
      }
      out = sequence(std::move(items), value.span);
      if (value.kind != script::Value::Kind::list) out_[out].tag = tuple_tag_;
      break;
    }
    case script::Value::Kind::dictionary: {
      std::vector<NodeId> items;
      for (const script::Ref& item : value.items) items.push_back(this->value(*item));
      if (value.open) {
        items.push_back(text("**", value.span));
        items.push_back(unknown(value, value.text.empty() ? "it is changed later" : value.text));
      }
      out = mapping(std::move(items), value.span);
      // Validators have not seen a change after the construction, so nothing is derived from it.
      out_[out].tag = value.constructed && !value.reassigned ? kConstructedTag : std::string_view();
      break;
    }
    case script::Value::Kind::object:
    case script::Value::Kind::name: {
      const script::Ref plain = value.open ? nullptr : plain_(value);
      out = plain != nullptr      ? this->value(*plain)
            : !value.text.empty() ? unknown(value, value.text)
            : value.path.empty()  ? unknown(value, "it is not evaluated")
                                  : unknown(value, fmt::format("it depends on `{}`", value.path));
      break;
    }
    case script::Value::Kind::function:
    case script::Value::Kind::type:
    case script::Value::Kind::instance:
    case script::Value::Kind::method:
    case script::Value::Kind::partial: out = unknown(value, "it is an object of the script"); break;
  }
  return out;
}

doc::Document ObjectWriter::take(NodeId root) {
  out_.root = root;
  return std::move(out_);
}

}  // namespace sparsecfg::dialect
