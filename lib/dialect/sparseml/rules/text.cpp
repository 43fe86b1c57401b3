#include "dialect/sparseml/read/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/sparseml/codes.h"

namespace sparsecfg::dialect::sparseml {

using doc::Document;
using doc::Node;
using doc::NodeId;
using source::Span;

constexpr std::string_view kStandardTags = "tag:yaml.org,2002:";

// Returns the end of the name that the SparseML pattern matches after a `!` at `at`, or `at + 1` if it does not match.
// A name has at least two characters.
static std::uint32_t name_end(std::string_view text, std::uint32_t at) {
  const auto inner = [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '^' || c == '.' || c == '_'; };
  std::uint32_t end = at + 1;
  if (end >= text.size() || !(base::is_letter(text[end]) || text[end] == '_')) {
    return at + 1;
  }
  while (end < text.size() && inner(text[end])) {
    ++end;
  }
  return end - at > 2 ? end : at + 1;
}

// Python converts line ends to LF when it reads the file, so a CR also ends the line.
static bool dot_follows(std::string_view text, std::uint32_t at) {
  while (at < text.size() && text[at] != '.' && text[at] != '\r' && text[at] != '\n') ++at;
  return at < text.size() && text[at] == '.';
}

bool is_rewritten_at(std::string_view text, std::size_t at) {
  const auto bang = static_cast<std::uint32_t>(at);
  return name_end(text, bang) > bang + 1 && !dot_follows(text, bang);
}

static bool is_standard(const Node& node) { return node.tag.starts_with(kStandardTags); }

static bool is_local(const Node& node) { return node.tag.size() > 1 && node.tag[0] == '!'; }

bool is_modifier_tag(const source::SourceFile& file, const Node& node) {
  return is_local(node) && !node.tag.ends_with(':') && !dot_follows(file.text(), node.tag_span.begin) &&
         name_end(file.text(), node.tag_span.begin) == node.tag_span.end;
}

// SparseML writes the recipe again before it loads it. There, only these values have a tag, and no dot follows it.
static bool is_dumped_with_tag(const Node& node) { return node.tag.ends_with(":set") || node.tag.ends_with(":binary"); }

static void check_standard_tag(const source::SourceFile& file, const Node& node, diag::Sink& sink) {
  const std::string_view written = file.text(node.tag_span);
  if (node.tag.substr(kStandardTags.size()).starts_with("python/")) {
    sink.report(diag::unknown_tag, node.tag_span, fmt::format("the tag `{}` refers to Python code", written));
  } else if (is_dumped_with_tag(node) || !dot_follows(file.text(), node.tag_span.begin)) {
    sink.report(diag::unknown_tag, node.tag_span, fmt::format("SparseML rewrites `{}` into an unknown tag", written))
        .with_help("delete the tag: YAML infers the type from the value");
  }
}

// Moves the text after a tag to another line: a comment above the tag, a mapping in braces below it.
static diag::Fix tag_alone(const source::SourceFile& file, Span tag) {
  const Span line = file.line_span(file.position(tag.begin).line);
  const std::string_view before = file.text({line.begin, tag.begin});
  const std::string_view rest = base::trim(file.text({tag.end, line.end}));
  if (base::trim(before) != "-" || file.text(line).find('\t') != std::string_view::npos) {
    return {};
  }
  const std::string dash(before.substr(0, before.find('-')));
  const std::string inside(before.size() + 2, ' ');
  if (rest.starts_with('#')) {
    return diag::Fix::safe()
        .replace({line.begin, line.begin}, fmt::format("{}{}\n", dash, rest))
        .replace({tag.end, line.end}, "");
  }
  const auto begin = static_cast<std::uint32_t>(rest.data() - file.text().data());
  return rest.starts_with('{') ? diag::Fix::safe().replace({tag.end, begin}, "\n" + inside) : diag::Fix();
}

DIAGNOSTIC(SP017, tag_line_not_recognised, error, (Text),
           "SparseML cannot read `{}` because a `.` follows on the same line",
           "SparseML finds modifier tags with a regular expression that rejects a line with a `.` after the `!`. The "
           "`.` can be in a number, a comment or the tag itself. The tag then stays unknown and loading fails.",
           "move the fields to separate lines and the comment above the tag")

DIAGNOSTIC(SP018, tag_with_colon, error, (Text), "the `:` turns `{}` into an ordinary key, not a modifier",
           "`- !Name:` is a mapping with one unusual key, not a modifier. SparseML loads the file and fails when it "
           "first asks the modifier for its epochs.",
           "delete the `:`")

static void check_local_tag(const source::SourceFile& file, const Node& node, diag::Sink& sink) {
  const std::string_view written = file.text(node.tag_span);
  if (node.tag.ends_with(':')) {
    sink.report(diag::tag_with_colon, node.tag_span, written)
        .with_fix(diag::Fix::safe().replace({node.tag_span.end - 1, node.tag_span.end}, ""));
  } else if (dot_follows(file.text(), node.tag_span.begin)) {
    const bool in_tag = written.find('.') != std::string::npos;
    sink.report(diag::tag_line_not_recognised, node.tag_span, written)
        .with_help(in_tag ? "write only the name of the modifier" : "move the rest of the line to separate lines")
        .with_fix(in_tag ? diag::Fix() : tag_alone(file, node.tag_span));
  } else if (name_end(file.text(), node.tag_span.begin) != node.tag_span.end) {
    sink.report(diag::unknown_tag, node.tag_span, fmt::format("unknown tag `{}`", written))
        .with_help("write `!` and only the name of a modifier");
  }
}

static void check_tag(const source::SourceFile& file, const Node& node, diag::Sink& sink) {
  if (is_standard(node)) {
    check_standard_tag(file, node, sink);
  } else if (is_local(node)) {
    check_local_tag(file, node, sink);
  } else if (!node.tag.empty() && node.tag != "!") {
    sink.report(diag::unknown_tag, node.tag_span, fmt::format("unknown tag `{}`", node.tag))
        .with_help("write `!` and the name of a modifier, without `<` and `>`");
  }
}

bool is_lone_modifier(const source::SourceFile& file, const Node& node) {
  if (!is_modifier_tag(file, node)) {
    return false;
  }
  const Span line = file.line_span(file.position(node.tag_span.begin).line);
  return base::trim(file.text({line.begin, node.tag_span.begin})).empty();
}

DIAGNOSTIC(SP023, tag_as_value, error, (Text), "SparseML cannot read a modifier at `{}`",
           "SparseML rewrites every tag as a mapping key before it loads the file, so a tag is valid only as an item "
           "of a list. As the value of a key it becomes a syntax error. The same happens to ` !word` in an unquoted "
           "string.",
           "put `- ` before the tag and its fields below it")

// Tags are valid where a key is valid: at the root, as a sequence item, or on a separate line below a top-level or
// stage key.
static void check_tag_places(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  const Node& root = document[document.root];
  const auto holds_keys = [&](const Node& node) {
    return &node == &root || std::ranges::any_of(root.items, [&](NodeId item) { return &document[item] == &node; });
  };
  for (const Node& node : document.nodes) {
    if (node.kind != doc::Kind::mapping) {
      continue;
    }
    for (const NodeId item : node.items) {
      const Node& child = document[item];
      if (is_modifier_tag(file, child) && !(is_lone_modifier(file, child) && holds_keys(node))) {
        sink.report(diag::tag_as_value, child.tag_span, file.text(child.tag_span))
            .with_help("write it as a list item (`- !...`) under a key that contains `modifiers`");
      }
    }
  }
}

DIAGNOSTIC(SP024, modifier_alias, error, (Text), "`*{}` refers to the name of a modifier, not to the modifier",
           "SparseML turns `!Name` into a key, so an anchor before the tag marks only that key. Its alias is a string "
           "in the list of modifiers. Loading succeeds, and the run fails when SparseML asks for the epochs.",
           "write the modifier out, or share its fields with `<<`")

static void check_aliases(const source::SourceFile& file, const Document& document, diag::Sink& sink) {
  for (const Node& node : document.nodes) {
    if (node.kind != doc::Kind::alias) {
      continue;
    }
    const Node& target = document[node.target];
    if (is_modifier_tag(file, target) && target.anchor_span.begin < target.tag_span.begin) {
      sink.report(diag::modifier_alias, node.span, node.text)
          .with_label(target.anchor_span, "the anchor marks only the name")
          .with_help("replace the alias with a copy of the modifier");
    }
  }
}

DIAGNOSTIC(SP019, bang_word_in_string, warning, (Text), "SparseML rewrites `{}` in this string as a modifier tag",
           "SparseML replaces every `!word` in the file with a tag, even inside strings, and converts it back later. "
           "In a modifier field the string comes back as `!pytorch.word`, which changes a pattern such as `(?!bn)`. A "
           "`!word` with a `.` after it on the same line is not rewritten.",
           "put a group between the `!` and the word: `(?!(?:bn))`")

// Checks a `!word` that is not a tag. It is harmless in a comment, and before a dot in the same scalar. In a plain
// scalar, the colon that SparseML appends turns the scalar into a key. Elsewhere the word is rewritten.
static void check_bang_word(const source::SourceFile& file, const Document& document, Span word, diag::Sink& sink) {
  const auto holds = [&](Span span) { return span.begin <= word.begin && word.end <= span.end; };
  const auto scalar = std::ranges::find_if(
      document.nodes, [&](const Node& node) { return node.kind == doc::Kind::scalar && holds(node.span); });
  if (scalar == document.nodes.end() || dot_follows(file.text().substr(0, scalar->span.end), word.begin)) {
    return;
  }
  const std::string_view written = file.text(word);
  const bool ends_word = word.end >= file.text().size() ||
                         std::string_view(" \t\r\n").find(file.text()[word.end]) != std::string_view::npos;
  if (scalar->style == doc::Style::plain && ends_word && !dot_follows(file.text(), word.begin)) {
    sink.report(diag::tag_as_value, word, written).with_help("put the string in quotes");
  } else {
    sink.report(diag::bang_word_in_string, word, written)
        .with_help(fmt::format("in a pattern, put the word in a group: `!(?:{})`", written.substr(1)));
  }
}

static void check_bang_words(const source::SourceFile& file, Span part, const Document& document, diag::Sink& sink) {
  const std::string_view text = file.text().substr(0, part.end);
  std::vector<std::uint32_t> tags;
  for (const Node& node : document.nodes) {
    if (!node.tag_span.empty()) {
      tags.push_back(node.tag_span.begin);
    }
  }
  std::ranges::sort(tags);
  // Limits the reports, because otherwise a file full of such words causes quadratic time.
  constexpr int kMaxWords = 100;
  int words = 0;
  for (std::size_t found = text.find('!', part.begin); found != std::string_view::npos && words < kMaxWords;
       found = text.find('!', found + 1)) {
    const auto at = static_cast<std::uint32_t>(found);
    const std::uint32_t end = name_end(text, at);
    if (end > at + 1 && !std::ranges::binary_search(tags, at)) {
      check_bang_word(file, document, {at, end}, sink);
      ++words;
    }
  }
}

void check_text(const source::SourceFile& file, Span part, const Document& document, Framework framework,
                diag::Sink& sink) {
  for (const Node& node : document.nodes) {
    if (framework != Framework::pytorch_2020 || !node.tag.starts_with("!pytorch.")) {
      check_tag(file, node, sink);
    }
  }
  if (framework == Framework::pytorch_2020) {
    return;
  }
  check_tag_places(file, document, sink);
  check_aliases(file, document, sink);
  check_bang_words(file, part, document, sink);
}

}  // namespace sparsecfg::dialect::sparseml
