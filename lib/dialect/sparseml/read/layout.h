#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A key of the recipe or of a stage, and its value.
struct Section {
  std::string name;
  doc::NodeId key{};
  doc::NodeId value{};
};

// A list of modifiers.
struct Group {
  std::string name;
  std::string stage;  // empty in recipes without stages
  std::vector<doc::NodeId> items;
};

struct Stage {
  std::string name;
  source::Span key;
  std::vector<Section> sections;  // all keys of the stage
};

// Locations of the modifiers and variables in a recipe (docs/semantics/sparseml.md#a3).
struct Layout {
  std::vector<Section> sections;  // top-level keys, without stages that are read as stages
  std::vector<Stage> stages;      // mappings with a key that contains `modifiers`
  std::vector<Group> groups;      // groups that are loaded, in document order
  std::vector<Group> dropped;     // 2020 releases: groups that are built while the file is read, then dropped
  bool stages_dropped = false;    // true for mixed recipes: stages are dropped, expressions not evaluated
  bool drop_reported = false;     // true if this was reported
};

// Returns true if the node is a list that contains a modifier.
[[nodiscard]] bool holds_modifiers(const source::SourceFile& file, const doc::Document& document, doc::NodeId id);

// Finds the groups of modifiers. Reports recipes without modifiers (SP020, SP106, SP107, SP116), modifiers in places
// that SparseML ignores (SP107, SP108, SP908) and keys that are not strings (SP029).
[[nodiscard]] Layout find_groups(const source::SourceFile& file, const doc::Document& document, diag::Sink& sink);

// Same as find_groups(), for the 2020 releases, which read only the list under the key `modifiers` or a list that is
// the whole document.
[[nodiscard]] Layout find_groups_of_2020(const source::SourceFile& file, const doc::Document& document,
                                         diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
