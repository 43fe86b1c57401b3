#include "dialect/sparseml/read/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "diag/rule.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/table/table.h"

namespace sparsecfg::dialect::sparseml {

struct Renamed {
  std::string_view before;
  std::string_view now;
};

constexpr Renamed kRenamed[] = {
    {"GradualKSModifier", "GMPruningModifier"},
    {"ConstantKSModifier", "ConstantPruningModifier"},
};

std::optional<std::string_view> modern_name(std::string_view name) {
  const auto renamed = std::ranges::find(kRenamed, name, &Renamed::before);
  return renamed == std::end(kRenamed) ? std::nullopt : std::optional(renamed->now);
}

struct Tag {
  std::string_view name;
  source::Span span;
};

constexpr std::string_view kCanonical = "!pytorch.";

std::string_view modifier_name(const doc::Node& node, Framework framework) {
  const bool canonical = framework == Framework::pytorch_2020 && node.tag.starts_with(kCanonical);
  return std::string_view(node.tag).substr(std::min(node.tag.size(), canonical ? kCanonical.size() : 1));
}

// Returns the tags that only the reader `one` accepts.
static std::vector<Tag> tags_known_only_to(Framework one, Framework other, const doc::Document& document) {
  std::vector<Tag> tags;
  for (const doc::Node& node : document.nodes) {
    const std::string_view name = modifier_name(node, Framework::pytorch_2020);
    if (node.tag.starts_with('!') && find_modifier(other, name) == nullptr && find_modifier(one, name) != nullptr) {
      tags.push_back({name, node.tag_span});
    }
  }
  return tags;
}

DIAGNOSTIC(DP911, ks_vintage, warning, (Text), "`{}` is a tag from 2020 that the final SparseML rejects",
           "The releases of 2020 used `GradualKSModifier` for gradual pruning and `ConstantKSModifier` to keep a "
           "mask. sparsecfg checks a recipe with such a tag by the rules of 2020. A sparsity may be 0 or 1, `params` "
           "has a default, and a selector may match nothing.",
           "rename the tag: `GMPruningModifier` for gradual pruning, `ConstantPruningModifier` to keep a mask")

DIAGNOSTIC(DP912, mixed_vintages, error, (Text, Text), "no release reads both the 2020 tag `{}` and the later tag `{}`",
           "The tags with `KS` in their names were removed when the later tags were introduced.",
           "write all tags in the later form")

Framework detect_release(const doc::Document& document, Framework asked, diag::Sink& sink) {
  const auto old = tags_known_only_to(Framework::pytorch_2020, Framework::pytorch, document);
  if (asked != Framework::pytorch || old.empty()) {
    return asked;
  }
  // Unsafe because later releases have other rules, and no release reads both kinds of tags.
  diag::Fix renamed = diag::Fix::unsafe();
  for (const Tag& tag : old) {
    renamed.replace(tag.span, fmt::format("!{}", *modern_name(tag.name)));
  }
  for (const Tag& tag : old) {
    sink.report(diag::ks_vintage, tag.span, tag.name)
        .with_help(fmt::format("write `{}`, its name since 2021", *modern_name(tag.name)))
        .with_fix(renamed);
  }
  const auto modern = tags_known_only_to(Framework::pytorch, Framework::pytorch_2020, document);
  if (!modern.empty()) {
    sink.report(diag::mixed_vintages, modern.front().span, old.front().name, modern.front().name)
        .with_caret("a tag of 2021 or later")
        .with_label(old.front().span, "a tag of 2020")
        .with_help("rename all tags to their current names");
  }
  return Framework::pytorch_2020;
}

}  // namespace sparsecfg::dialect::sparseml
