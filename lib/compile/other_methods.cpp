#include "compile/other_methods.h"

#include <fmt/core.h>

#include "base/text.h"
#include "diag/levels.h"
#include "diag/rule.h"
#include "doc/scalar_type.h"

namespace sparsecfg::diag {

DIAGNOSTIC(
    SP053, read_as_other_file, warning, (Text, Text), "the file is {0}, but it is read as {1}",
    "Some programs also read files of others, and apply only a part of their keys. The option `--from` selects such "
    "a program. The findings and the printed effect then describe this program.",
    "leave `--from` out, or pass the dialect of the file")

}  // namespace sparsecfg::diag

namespace sparsecfg {

using doc::Document;
using doc::Kind;
using doc::NodeId;

static std::optional<OtherMethod> named(const Document& document, NodeId value) {
  const doc::Node& node = document[value];
  const bool ours = node.text == "compressed-tensors" || node.text == "compressed_tensors";
  return node.kind != Kind::scalar || doc::type_of(node) != doc::ScalarType::string || ours || node.text.empty()
             ? std::nullopt
             : std::optional(OtherMethod{fmt::format("`{}`", base::printable(node.text)), node.span});
}

std::optional<OtherMethod> other_method_in(const Document& document) {
  for (const std::string_view section : {"quantization_config", "quantization", ""}) {
    const auto config =
        section.empty() ? std::optional(document.resolve(document.root)) : member(document, document.root, section);
    if (!config) continue;
    for (const std::string_view key : {"quant_method", "quant_algo"}) {
      const auto method = member(document, *config, key);
      if (auto found = method ? named(document, *method) : std::nullopt) return found;
    }
  }
  // MLX names no method.
  const auto mlx = member(document, document.root, "quantization");
  return mlx && member(document, *mlx, "group_size") && member(document, *mlx, "bits")
             ? std::optional(OtherMethod{"`mlx`", document[*mlx].span})
             : std::nullopt;
}

void report_other_dialect(diag::Sink& sink, source::Span place, const dialect::Dialect& asked,
                          const dialect::Dialect& other) {
  sink.report(diag::other_method, place, std::string(other.title))
      .with_severity(diag::Severity::error)
      .with_caret(fmt::format("{}, not {}", other.text, asked.text))
      .with_help(fmt::format("leave `--from` out, or pass `--from {}`", other.name));
}

void report_foreign_file(diag::Sink& sink, const dialect::Dialect& asked, const dialect::Dialect& other) {
  sink.report(diag::read_as_other_file, {}, std::string(other.text), std::string(asked.text))
      .with_help(fmt::format("leave `--from` out, or pass `--from {}`", other.name));
}

}  // namespace sparsecfg
