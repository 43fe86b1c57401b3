#pragma once

#include <cstdint>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::doc {

// Types that a standard tag names or that PyYAML resolves for an untagged scalar.
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
  collection,  // tag of a list or mapping
  foreign,     // non-standard tag
};

// Returns the type that PyYAML (YAML 1.1) resolves for an untagged plain scalar.
[[nodiscard]] ScalarType resolve_plain(std::string_view text);

// Returns the type that a tag names. Returns `foreign` for no tag and for non-standard tags.
[[nodiscard]] ScalarType type_of_tag(std::string_view tag);

// Returns true if a string has the format of a date or time. Its numbers may be out of range. PyYAML reads `2024-1-5`
// as a date only if it is tagged.
[[nodiscard]] bool is_timestamp_form(std::string_view text);

// Returns the type of a scalar from its tag, quotes and text. A non-standard tag is ignored.
[[nodiscard]] ScalarType type_of(const Node& scalar);

}  // namespace sparsecfg::doc
