#include "lsp/framing.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace sparsecfg::lsp {

// Maximum length of a header line, far above those of real clients.
constexpr std::size_t kMaxHeaderLine = 4096;
constexpr std::string_view kLengthField = "content-length:";

// Header of a frame, up to a blank line or the end of the input.
struct FrameReader::Header {
  std::optional<std::size_t> length;
  std::string error;
  bool end = false;
};

// Returns false at the end of the input. Truncates lines that are too long for a header.
bool FrameReader::read_line(std::string& line) {
  line.clear();
  for (int c = in_.get(); c != std::istream::traits_type::eof(); c = in_.get()) {
    if (c == '\n') return true;
    if (line.size() < kMaxHeaderLine) line += static_cast<char>(c);
  }
  return !line.empty();
}

static std::optional<std::size_t> read_length(std::string_view text) {
  const std::string_view digits = base::trim(text);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(length) : std::nullopt;
}

// Returns true for a line such as `Content-Type: application/json`.
static bool is_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && colon > 0 && line.find_first_of(" {}\"") > colon;
}

// The length may follow the rest of a message that was longer than its declared length.
FrameReader::Header FrameReader::read_header() {
  Header header;
  bool begun = false;
  for (std::string line; read_line(line);) {
    const std::string_view field = base::trim(line);
    if (field.empty() && begun) {
      if (!header.length && header.error.empty()) header.error = "header without `Content-Length`";
      return header;
    }
    const std::size_t at = base::to_lower(field).find(kLengthField);
    if (at != std::string::npos) {
      header.length = read_length(field.substr(at + kLengthField.size()));
    }
    if (at != 0 && !field.empty() && (at != std::string::npos || !is_field(field))) {
      header.error = "unexpected bytes outside a message";
    } else if (at != std::string::npos && !header.length) {
      header.error = "`Content-Length` is not a number";
    }
    begun = begun || !field.empty();
  }
  header.length.reset();
  header.end = true;
  header.error = begun ? "unexpected end of input in a header" : "";
  return header;
}

// Does not use ignore(), which waits for the byte after the last one.
void FrameReader::skip(std::size_t length) {
  char buffer[4096];
  while (length > 0 && in_.good()) {
    const std::size_t part = std::min(length, sizeof buffer);
    in_.read(buffer, static_cast<std::streamsize>(part));
    length -= part;
  }
}

Frame FrameReader::read_body(std::size_t length) {
  if (length > max_bytes_) {
    skip(length);
    return {
        {},
        "message of " + std::to_string(length) + " bytes exceeds the limit of " + std::to_string(max_bytes_) + " bytes",
        false};
  }
  Frame frame;
  frame.text.resize(length);
  in_.read(frame.text.data(), static_cast<std::streamsize>(length));
  if (static_cast<std::size_t>(in_.gcount()) < length) {
    return {{}, "unexpected end of input in a message", true};
  }
  if (length == 0) frame.error = "empty message";
  return frame;
}

// Skips empty lines.
Frame FrameReader::next_line() {
  Frame frame;
  std::size_t size = 0;
  int c = in_.get();
  while (c == '\n' || c == '\r') c = in_.get();
  for (; c != std::istream::traits_type::eof() && c != '\n'; c = in_.get()) {
    if (++size <= max_bytes_) frame.text += static_cast<char>(c);
  }
  frame.end = c == std::istream::traits_type::eof();
  if (size > max_bytes_) {
    frame.text.clear();
    frame.error = "message of more than " + std::to_string(max_bytes_) + " bytes";
  }
  return frame;
}

Frame FrameReader::next() {
  if (lines_) return next_line();
  Header header = read_header();
  if (!header.length) {
    return {{}, std::move(header.error), header.end};
  }
  Frame frame = read_body(*header.length);
  if (frame.error.empty()) frame.error = std::move(header.error);
  return frame;
}

void write_frame(std::ostream& out, std::string_view text) {
  out << "Content-Length: " << text.size() << "\r\n\r\n" << text;
}

}  // namespace sparsecfg::lsp
