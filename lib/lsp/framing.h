#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

// The frames of the Language Server Protocol: header lines, a blank line, and as many bytes as `Content-Length` says.
namespace sparsecfg::lsp {

struct Frame {
  std::string text;   // the message; empty if there is none
  std::string error;  // what is wrong with the frame, or with what came before it; empty: nothing
  bool end = false;   // true if the input ended
};

class FrameReader {
 public:
  // Messages of more than `max_bytes` bytes are skipped.
  FrameReader(std::istream& in, std::size_t max_bytes) : in_(in), max_bytes_(max_bytes) {}

  // Waits for the next frame. After bytes that belong to no frame it goes on at the next `Content-Length`.
  [[nodiscard]] Frame next();

  // Returns true if bytes have arrived that were not read yet.
  [[nodiscard]] bool is_ready() const { return in_.good() && in_.rdbuf()->in_avail() > 0; }

 private:
  struct Header;

  [[nodiscard]] Header read_header();
  [[nodiscard]] bool read_line(std::string& line);
  [[nodiscard]] Frame read_body(std::size_t length);
  void skip(std::size_t length);

  std::istream& in_;
  std::size_t max_bytes_;
};

// Writes one message as a frame; does not flush.
void write_frame(std::ostream& out, std::string_view text);

}  // namespace sparsecfg::lsp
