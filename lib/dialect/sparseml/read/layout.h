#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "doc/document.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::sparseml {

// A key of the recipe or of a stage, and what stands under it.
struct Section {
  std::string name;
  doc::NodeId key{};
  doc::NodeId value{};
};

// A list of modifiers.
struct Group {
  std::string name;
  std::string stage;  // empty where there are no stages
  std::vector<doc::NodeId> items;
};

struct Stage {
  std::string name;
  source::Span key;
  std::vector<Section> sections;  // all of its keys
};

// Where a recipe holds its modifiers and its variables (reference/sparseml.md A.4).
struct Layout {
  std::vector<Section> sections;  // of the top level, stages left out where they are read as such
  std::vector<Stage> stages;      // mappings with a key that contains `modifiers`
  std::vector<Group> groups;      // what is loaded, in document order
  std::vector<Group> dropped;     // of a recipe of 2020: what is built while the file is read, and then dropped
  bool stages_dropped = false;    // both kinds: stages are dropped and nothing is evaluated
};

// Returns true if a list with a modifier stands at a node.
[[nodiscard]] bool holds_modifiers(const source::SourceFile& file, const doc::Document& document, doc::NodeId id);

// Reports recipes without modifiers (SP020, SP106, SP107, SP116), modifiers where nothing looks for
// them (SP107, SP108, SP908) and keys that are not strings (SP029). The groups are what is left.
[[nodiscard]] Layout find_groups(const source::SourceFile& file, const doc::Document& document, diag::Sink& sink);

// The same for the releases of 2020, which read the list under the key `modifiers`, or one that is the whole document,
// and nothing else.
[[nodiscard]] Layout find_groups_of_2020(const source::SourceFile& file, const doc::Document& document,
                                         diag::Sink& sink);

}  // namespace sparsecfg::dialect::sparseml
