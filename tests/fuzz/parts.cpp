// The readers of parts: trees, expressions, patterns, lists of names, JSON, settings.
#include "compile/places.h"
#include "dialect/sparseml/expression.h"
#include "doc/readers.h"
#include "model/model_names.h"
#include "model/names.h"
#include "project/settings.h"
#include "regex/pattern.h"
#include "source/value.h"
#include "tests/fuzz/targets.h"

namespace sparsecfg::fuzz {

static void check_tree(const doc::Document& document, std::size_t size) {
  for (const doc::Node& node : document.nodes) require(is_inside(node.span, size));
}

static void try_yaml(std::string text, unsigned char) {
  const std::size_t size = text.size();
  const source::SourceFile file("a.yaml", std::move(text));
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(size)}, {}, sink);
  require(document.has_value() || sink.has_errors());
  if (document) check_tree(*document, size);
}

static void try_python(std::string text, unsigned char) {
  const std::size_t size = text.size();
  const source::SourceFile file("a.py", std::move(text));
  check_tree(places::lists_in(file, {}), size);
}

static void try_expression(std::string text, unsigned char) {
  const python::Numbers variables{{"a", 0.5}, {"b", std::int64_t{3}}, {"c", true}};
  static_cast<void>(dialect::sparseml::evaluate(text, variables));
  static_cast<void>(dialect::sparseml::names_in(text));
}

// What a pattern takes by its automaton is what it takes name by name.
static void try_pattern(std::string text, unsigned char) {
  const std::vector<std::string> names{"a", "b.weight", "layers.0.a.weight", "aaaaaaaaaaaaaab", "caf\xc3\xa9", "x\n"};
  const auto compiled = regex::Pattern::compile(text, regex::Anchoring::start);
  const auto* pattern = std::get_if<regex::Pattern>(&compiled);
  if (pattern == nullptr || base::find_invalid_utf8(text) != text.size()) {
    return;
  }
  const auto taken = model::ModelNames(names).matched({model::Term::Kind::pattern, text, {}});
  std::vector<bool> by_automaton(names.size(), false);
  for (const auto& [first, last] : taken.ranges) {
    for (std::size_t at = first; at < last; ++at) by_automaton[at] = true;
  }
  for (std::size_t at = 0; taken.certain && at < names.size(); ++at) {
    const regex::Match match = pattern->match(names[at]);
    require(match == regex::Match::gave_up || (match == regex::Match::yes) == by_automaton[at]);
  }
}

static void try_names(std::string text, unsigned char) {
  const auto names = model::read_names(text);
  if (const auto* parameters = std::get_if<model::Parameters>(&names)) {
    const model::ModelNames made(*parameters);
    require(made.size() == parameters->names.size());
  }
  static_cast<void>(model::read_modules(text));
  static_cast<void>(model::read_header(text));
}

static void try_json(std::string text, unsigned char) { static_cast<void>(source::read_json(text)); }

static void try_settings(std::string text, unsigned char) {
  static_cast<void>(project::read_settings("/a/.sparsecfg.yaml", std::move(text)));
}

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
      {"recipe", try_any},
      {"sparseml", try_sparseml},
      {"distiller", try_distiller},
      {"nni", try_nni},
      {"llm-compressor", try_llm_compressor},
      {"schedule", try_schedule},
      {"editor", try_editor},
      {"yaml", try_yaml},
      {"python", try_python},
      {"expression", try_expression},
      {"pattern", try_pattern},
      {"names", try_names},
      {"json", try_json},
      {"settings", try_settings},
  };
  return kTargets;
}

}  // namespace sparsecfg::fuzz
