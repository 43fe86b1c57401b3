#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

// Reads and writes frames of the Language Server Protocol: header lines, a blank line, and `Content-Length` bytes.
namespace sparsecfg::lsp {

struct Frame {
  std::string text;   // the message; may be empty
  std::string error;  // error in this frame or in the bytes before it; empty without error
  bool end = false;   // true if the input ended
};

class FrameReader {
 public:
  // Skips messages of more than `max_bytes` bytes.
  // `lines`: each line is a message, as in the Model Context Protocol, and there are no headers.
  FrameReader(std::istream& in, std::size_t max_bytes, bool lines = false)
      : in_(in), max_bytes_(max_bytes), lines_(lines) {}

  // Waits for the next frame. After unexpected bytes, continues at the next `Content-Length`.
  [[nodiscard]] Frame next();

  // Returns true if unread bytes are available.
  [[nodiscard]] bool is_ready() const { return in_.good() && in_.rdbuf()->in_avail() > 0; }

 private:
  struct Header;

  [[nodiscard]] Header read_header();
  [[nodiscard]] bool read_line(std::string& line);
  [[nodiscard]] Frame read_body(std::size_t length);
  [[nodiscard]] Frame next_line();
  void skip(std::size_t length);

  std::istream& in_;
  std::size_t max_bytes_;
  bool lines_;
};

// Writes one message as a frame. Does not flush.
void write_frame(std::ostream& out, std::string_view text);

}  // namespace sparsecfg::lsp
