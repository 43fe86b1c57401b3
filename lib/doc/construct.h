#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::doc {

// The value that PyYAML's SafeLoader makes of a plain or quoted scalar (YAML 1.1: `1e-4` is a
// string, `2:4` is 124, `010` is 8, `yes` is true), by its tag if it has a standard one.
// Reports a scalar that a standard tag forbids (`!!int abc`) and returns null for it.
[[nodiscard]] source::Value construct_scalar(const Node& node, diag::Sink& sink);

// The value that PyYAML's SafeLoader makes of a node: aliases replaced, merge keys (`<<`) merged,
// of a repeated key the last value kept. Tags are left to the caller except the standard ones
// (`!!str`, `!!float` ...), unknown tags are ignored here.
// Reports, each once for each place: SP004 duplicate keys, SP011 merge keys, keys that PyYAML
// can't hash, merge values that are no mapping.
// A value has the span of the place that uses it: an alias's parts keep the spans of the anchor's.
[[nodiscard]] source::Value construct(const Document& document, NodeId node, diag::Sink& sink);

// The keys and values of a mapping after merge keys are merged and repeated keys reduced to the
// last value, in PyYAML's order (merged ones first). Reports as construct() does.
struct Entry {
  NodeId key{};
  NodeId value{};
  source::Value::Data name{};  // what the key is
};

[[nodiscard]] std::vector<Entry> entries(const Document& document, NodeId mapping, diag::Sink& sink);

// Reports tags that are not YAML's (SP012), which `reader` ("NNI") refuses or, where they name Python code, would run.
// Values of a Python script have no tags of their own.
void report_unknown_tags(const Document& document, std::string_view reader, diag::Sink& sink);

}  // namespace sparsecfg::doc
