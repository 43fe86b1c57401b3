#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "compile/places.h"
#include "doc/scalar_type.h"

// Recipes inside other configurations.
namespace sparsecfg::places {

using source::Span;

static bool is_block(const doc::Node& node) {
  return node.kind == doc::Kind::scalar && node.style == doc::Style::literal && may_have_recipes(node.text);
}

Wrapper unwrap(doc::Document& document) {
  const doc::NodeId root = document.root;
  const auto axolotl = member(document, root, "llmcompressor");
  for (const bool nested : {false, true}) {
    const doc::NodeId outer = nested && axolotl ? *axolotl : root;
    const auto inner = nested && !axolotl ? std::nullopt : entry(document, outer, "recipe");
    if (!inner) continue;
    const doc::NodeId recipe = document.resolve(inner->second);
    Wrapper out{nested ? Wrapper::Form::axolotl : Wrapper::Form::recipe,
                document[document.resolve(inner->first)].span,
                member(document, outer, "recipe_args"),
                {}};
    if (is_block(document[recipe])) {
      out.text = document[recipe].span;
      return out;
    }
    document.root = recipe;
    const auto* found = document[recipe].kind == doc::Kind::mapping ? dialect::detect(document) : nullptr;
    if (found != nullptr && (nested || found->name != "llm-compressor" || document[root].items.size() > 2)) return out;
    document.root = root;
  }
  return {};
}

std::optional<Span> path_for_axolotl(const doc::Document& document) {
  const auto outer = member(document, document.root, "llmcompressor");
  const auto inner = outer ? member(document, *outer, "recipe") : std::nullopt;
  const doc::Node* node = inner ? &document[*inner] : nullptr;
  const bool path = node != nullptr && node->kind == doc::Kind::scalar &&
                    (node->text.ends_with(".yaml") || node->text.ends_with(".yml"));
  return path ? std::optional(node->span) : std::nullopt;
}

Span content_of(const source::SourceFile& file, Span block) {
  const std::size_t first = file.text().find('\n', block.begin);
  return {static_cast<std::uint32_t>(std::min<std::size_t>(first + 1, block.end)), block.end};
}

static bool is_identifier(std::string_view text) {
  return !text.empty() && !base::is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; });
}

bool is_placeholder(std::string_view text) {
  return text == "..." || (text.size() > 2 && text.starts_with('<') && text.ends_with('>'));
}

// Returns the name in `$name` anywhere, or in a whole value `{name}`, which YAML reads as a mapping.
static std::string_view template_name(const doc::Node& node, std::string_view written) {
  if (node.kind == doc::Kind::scalar) {
    if (is_placeholder(node.text)) return node.text;
    return node.text.starts_with('$') && is_identifier(node.text.substr(1)) ? node.text.substr(1) : "";
  }
  const bool braces = node.kind == doc::Kind::mapping && node.style == doc::Style::flow && written.starts_with('{') &&
                      written.ends_with('}') && is_identifier(written.substr(1, written.size() - 2));
  return braces ? written.substr(1, written.size() - 2) : "";
}

// A number replaces the template, so that findings point at the argument. A string may be a name that the program looks
// up.
static void fill(doc::Document& document, doc::Node& node, std::string_view name, const doc::Node* argument) {
  if (argument != nullptr && argument->kind == doc::Kind::scalar &&
      doc::type_of(*argument) != doc::ScalarType::string) {
    node = doc::Node(*argument);
    return;
  }
  node.kind = doc::Kind::scalar;
  node.style = doc::Style::double_quoted;
  node.tag = doc::kNotLiteralTag;
  node.text = document.owned.emplace_back(fmt::format("a program fills in `{}`", base::printable(name)));
  node.items.clear();
}

// Returns the values of a mapping by key. Of a repeated key, the first value counts.
static std::unordered_map<std::string_view, doc::NodeId> members(const doc::Document& document,
                                                                 std::optional<doc::NodeId> mapping) {
  std::unordered_map<std::string_view, doc::NodeId> out;
  const doc::Node* node = mapping ? &document[document.resolve(*mapping)] : nullptr;
  for (std::size_t at = 0; node != nullptr && node->kind == doc::Kind::mapping && at + 1 < node->items.size();
       at += 2) {
    out.emplace(document[document.resolve(node->items[at])].text, document.resolve(node->items[at + 1]));
  }
  return out;
}

void fill_templates(doc::Document& document, const Wrapper& wrapper, const source::SourceFile& file) {
  const auto arguments = members(document, wrapper.arguments);
  for (doc::Node& node : document.nodes) {
    const std::string_view name = template_name(node, file.text(node.span));
    if (name.empty()) continue;
    const auto argument = arguments.find(name);
    fill(document, node, name, argument == arguments.end() ? nullptr : &document[argument->second]);
  }
}

void mark_templates(doc::Document& document, const source::SourceFile& file) { fill_templates(document, {}, file); }

}  // namespace sparsecfg::places
