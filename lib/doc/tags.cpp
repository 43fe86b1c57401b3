#include "doc/construct.h"

#include <fmt/core.h>

#include <string>

#include "base/text.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"

namespace sparsecfg::doc {

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
    const std::string shown = (standard ? "!!" : "") + base::printable(name);
    sink.report(diag::unknown_tag, node.tag_span,
                standard && name.starts_with("python/") ? fmt::format("the tag `{}` refers to Python code", shown)
                                                        : fmt::format("the tag `{}` is unknown to {}", shown, reader))
        .with_help("remove the tag");
  }
}

}  // namespace sparsecfg::doc
