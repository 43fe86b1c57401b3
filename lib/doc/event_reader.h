#pragma once

#include <memory>
#include <optional>

#include "doc/event.h"
#include "doc/input_buffer.h"

namespace sparsecfg::doc {

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
