#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "dialect/sparseml/table.h"
#include "diag/catalog.h"

namespace sparsecfg::cmd {

using dialect::FieldSpec;
using dialect::Framework;
using dialect::sparseml::ModifierSpec;

// Breaks a paragraph between words so that no line is longer than the width.
static std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::string margin(indent, ' ');
  std::string out;
  std::string line = margin;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() > indent && line.size() + 1 + end > width) {
      out += line + "\n";
      line = margin;
    }
    line += (line.size() > indent ? " " : "") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

static std::size_t width_of(const Streams& streams) { return std::clamp<std::size_t>(streams.columns, 40, 100); }

static void explain_code(const diag::Info& info, const Streams& streams) {
  fmt::print(streams.out, "{} {} ({})\n\n", info.code, info.name, diag::to_string(info.severity));
  streams.out << wrapped(info.explanation, 2, width_of(streams));
}

static std::string_view moment(dialect::Moment when) {
  switch (when) {
    case dialect::Moment::load: return "";
    case dialect::Moment::initialize: return "checked when the modifier meets the model";
    case dialect::Moment::step: return "checked by the first step that uses it";
  }
  return {};
}

static std::string bounds_of(const dialect::Bounds& bounds) {
  if (!bounds.any()) {
    return {};
  }
  const std::string least = fmt::format("{} {}", bounds.least_excluded ? "above" : "at least", bounds.least);
  const std::string most = fmt::format("{} {}", bounds.most_excluded ? "below" : "at most", bounds.most);
  const dialect::Bounds open;
  return bounds.most == open.most ? least : least + ", " + most;
}

static void explain_field(const FieldSpec& field, const Streams& streams) {
  fmt::print(streams.out, "  {}\n", field.name);
  std::vector<std::string> facts = {field.required ? "required" : fmt::format("default: {}", field.standard)};
  facts.push_back(bounds_of(field.bounds));
  facts.push_back(field.type == dialect::Type::real ? "a float, not an int" : "");
  facts.push_back(field.choices.empty() ? "" : fmt::format("one of {}", fmt::join(field.choices, ", ")));
  facts.emplace_back(moment(field.checked));
  std::erase(facts, "");
  streams.out << wrapped(field.doc, 6, width_of(streams)) << wrapped(fmt::format("({})", fmt::join(facts, "; ")), 6, width_of(streams));
}

// A row of a reader's table, and whose row it is.
struct Row {
  Framework framework;
  const ModifierSpec* spec;
};

// Every row of every reader, without those that one has from another. Keras and TensorFlow have the same.
static std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const Framework framework : {Framework::pytorch, Framework::keras, Framework::pytorch_2020}) {
    for (const ModifierSpec& spec : dialect::sparseml::modifiers(framework)) {
      if (std::ranges::find(spec.also, framework) == spec.also.end()) {
        rows.push_back({framework, &spec});
      }
    }
  }
  return rows;
}

static std::string_view reader_of(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return "SparseML, PyTorch";
    case Framework::keras:
    case Framework::tensorflow: return "SparseML, Keras and TensorFlow";
    case Framework::pytorch_2020: return "SparseML of 2020, PyTorch";
  }
  return {};
}

static void explain_modifier(const Row& row, const Streams& streams) {
  const ModifierSpec& spec = *row.spec;
  const bool older = &spec != dialect::sparseml::find_modifier(row.framework, spec.name);
  fmt::print(streams.out, "{}{} ({})\n\n", spec.name, older ? ", older fields" : "", reader_of(row.framework));
  streams.out << wrapped(spec.doc, 2, width_of(streams)) << "\n";
  for (const FieldSpec& field : spec.fields) {
    explain_field(field, streams);
  }
}

static void list_codes(const Streams& streams) {
  for (const diag::Info* info : diag::catalog()) {
    fmt::print(streams.out, "{}  {:7}  {}\n", info->code, diag::to_string(info->severity), info->name);
  }
}

static void list_modifiers(const Streams& streams) {
  for (const ModifierSpec& spec : dialect::sparseml::modifiers(Framework::pytorch)) {
    fmt::print(streams.out, "{:31} {}\n", spec.name, spec.doc);
  }
}

// Every modifier of a name: of each reader that has its own, and two for a tag that stands for two classes.
static bool explain_modifiers(const std::string& name, const Streams& streams) {
  bool found = false;
  for (const Row& row : all_rows()) {
    if (row.spec->name == name) {
      streams.out << (found ? "\n" : "");
      explain_modifier(row, streams);
      found = true;
    }
  }
  return found;
}

static int unknown_topic(const std::string& topic, const Streams& streams) {
  std::vector<std::string_view> known = {"codes", "modifiers"};
  for (const diag::Info* info : diag::catalog()) {
    known.insert(known.end(), {info->code, info->name});
  }
  for (const Row& row : all_rows()) {
    known.push_back(row.spec->name);
  }
  const auto guess = base::nearest(topic, known);
  fmt::print(streams.err, "sparsecfg: there is nothing called {}{}\n", base::printable(topic),
             guess ? fmt::format("; did you mean {}?", *guess) : "; `codes` and `modifiers` list what there is");
  return kUsage;
}

int explain(const ExplainOptions& options, const Streams& streams) {
  const std::string topic = options.topic.starts_with('!') ? options.topic.substr(1) : options.topic;
  if (topic == "codes") {
    list_codes(streams);
  } else if (topic == "modifiers") {
    list_modifiers(streams);
  } else if (const diag::Info* info = diag::find(topic)) {
    explain_code(*info, streams);
  } else if (!explain_modifiers(topic, streams)) {
    return unknown_topic(topic, streams);
  }
  return kClean;
}

}  // namespace sparsecfg::cmd
