#pragma once

#include "diag/sink.h"
#include "doc/input_buffer.h"
#include "source/span.h"

namespace sparsecfg::doc {

enum class Directives : std::uint8_t {
  none,     // or none but %TAG lines, which are left to libyaml
  hidden,   // made comments of in the feed; a `---` must follow them
  refused,  // by PyYAML too; the reason is in the sink
};

// PyYAML takes every %YAML line of version 1 and passes over directives that it does not know,
// while libyaml refuses both; so they are checked here and hidden from it. `text` is the file's
// up to the end of the part that is read, which begins at `begin`.
[[nodiscard]] Directives hide_directives(std::string_view text, std::uint32_t begin, InputBuffer& feed, diag::Sink& sink);

}  // namespace sparsecfg::doc
