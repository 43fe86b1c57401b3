#pragma once

#include <optional>
#include <string_view>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/value.h"

namespace sparsecfg::doc {

// Returns the value that PyYAML's SafeLoader constructs from a plain or quoted scalar. Follows YAML 1.1 (`1e-4` is a
// string, `2:4` is 124, `010` is 8, `yes` is true) and standard tags. Reports a scalar that does not fit its standard
// tag (`!!int abc`) and returns null for it.
[[nodiscard]] source::Value construct_scalar(const Node& node, diag::Sink& sink);

// Returns the value that PyYAML's SafeLoader constructs from a node: aliases are replaced, merge keys (`<<`) are
// merged, and the last value of a repeated key is kept. Applies standard tags (`!!str`, `!!float` ...) and ignores
// unknown tags, which the caller checks. Reports once per place: SP004 duplicate keys, SP011 merge keys, keys that
// PyYAML can't hash, merge values that are not mappings. A value has the span of its use; parts of an alias have the
// spans of the anchored node.
[[nodiscard]] source::Value construct(const Document& document, NodeId node, diag::Sink& sink);

// Keys and values of a mapping after merging merge keys and keeping the last value of repeated keys, in PyYAML's order
// (merged keys first). Reports like construct().
struct Entry {
  NodeId key{};
  NodeId value{};
  source::Value::Data name{};  // value of the key
};

[[nodiscard]] std::vector<Entry> entries(const Document& document, NodeId mapping, diag::Sink& sink);

// Reports tags that are not standard YAML (SP012). `reader` is the framework in the message, such as "NNI": it rejects
// them, or would run the Python code that they refer to. Values of a Python script are not checked.
void report_unknown_tags(const Document& document, std::string_view reader, diag::Sink& sink);

}  // namespace sparsecfg::doc
