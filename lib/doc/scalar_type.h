#pragma once

#include <cstdint>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::doc {

// The types that a standard tag names, or that PyYAML gives a scalar without a tag.
enum class ScalarType : std::uint8_t {
  string,
  boolean,
  integer,
  real,
  null,
  timestamp,
  binary,
  merge,       // `<<`
  value,       // `=`
  collection,  // a tag of lists or mappings
  foreign,     // a tag that is not YAML's
};

// Returns the type that PyYAML (YAML 1.1) gives a plain scalar without a tag.
[[nodiscard]] ScalarType resolve_plain(std::string_view text);

// Returns the type that a tag names; `foreign` for no tag and for those that are not YAML's.
[[nodiscard]] ScalarType type_of_tag(std::string_view tag);

// Returns true if a text has the form of a date or a time, whose numbers may still be none of a calendar.
// PyYAML takes `2024-1-5` for one only where a tag says so.
[[nodiscard]] bool is_timestamp_form(std::string_view text);

// Returns the type of a scalar by its tag, its quotes and its text. A foreign tag counts as none.
[[nodiscard]] ScalarType type_of(const Node& scalar);

}  // namespace sparsecfg::doc
