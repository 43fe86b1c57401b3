#pragma once

#include <cstdint>
#include <string_view>

#include "doc/document.h"

namespace sparsecfg::doc {

enum class EventKind : std::uint8_t {
  document_start,
  document_end,
  stream_end,
  alias,
  scalar,
  sequence_start,
  sequence_end,
  mapping_start,
  mapping_end,
};

// One event of the parser, its marks turned into offsets of the file. The views are good until
// the next event is asked for.
struct Event {
  EventKind kind = EventKind::stream_end;
  Style style = Style::plain;
  bool implicit = false;   // of a document: begun without `---`
  source::Span span;       // from the node's first property on; of a collection, of its beginning
  std::string_view value;  // a scalar's content, an alias's name
  std::string_view tag;    // resolved by the %TAG lines
  std::string_view anchor;
};

// The parser's own message why it stopped, and what it was doing.
struct Problem {
  std::string_view what;
  std::string_view context;
  std::uint32_t at = 0;          // where it gave up
  std::uint32_t context_at = 0;  // where what it was reading begins
  int indent = -1;               // of the block that it was in, in columns; -1 outside any
  int flow_depth = 0;            // brackets open
};

}  // namespace sparsecfg::doc
