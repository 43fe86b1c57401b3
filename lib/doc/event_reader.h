#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "doc/document.h"
#include "doc/input_buffer.h"

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

// One parser event, with marks converted to file offsets. The views are valid until the next event is requested.
struct Event {
  EventKind kind = EventKind::stream_end;
  Style style = Style::plain;
  bool implicit = false;   // for a document: starts without `---`
  source::Span span;       // from the first property; for a collection, only its beginning
  std::string_view value;  // content of a scalar, name of an alias
  std::string_view tag;    // resolved with the %TAG lines
  std::string_view anchor;
};

// The message of the parser when it stopped, and its context.
struct Problem {
  std::string_view what;
  std::string_view context;
  std::uint32_t at = 0;          // position of the error
  std::uint32_t context_at = 0;  // beginning of the construct being parsed
  int indent = -1;               // column of the enclosing block; -1 outside any block
  int flow_depth = 0;            // number of open brackets
};

// Reads libyaml events one by one. `feed` must outlive the reader.
class EventReader {
 public:
  explicit EventReader(InputBuffer& feed);
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader();

  // Returns nullopt at a YAML syntax error; problem() then describes it.
  [[nodiscard]] std::optional<Event> next();
  [[nodiscard]] Problem problem() const;

 private:
  struct Libyaml;
  std::unique_ptr<Libyaml> libyaml_;
};

}  // namespace sparsecfg::doc
