#pragma once

#include <ostream>
#include <streambuf>

namespace sparsecfg::cmd {

// Writes to another buffer and escapes what the runner of a CI job would obey: `##[command]`, `##vso[command]` and
// `##teamcity[command]` anywhere, and `::command::` at the start of a line. A recipe or the name of a file can contain
// such text. The second `:` becomes `\u003a`, and the `[` becomes `\u005b`, which JSON and quoted YAML read back as the
// same character.
class RunnerLog : public std::streambuf {
 public:
  explicit RunnerLog(std::streambuf& log) : log_(log) {}

  // Permits `::command::` from here on.
  void allow_annotations() { allows_annotations_ = true; }

 protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;

  int sync() override { return log_.pubsync(); }

 private:
  // What precedes the next character.
  enum class Before { line_start, first_colon, other };

  // Returns true if the character completes a command.
  bool completes_command(char c);

  std::streambuf& log_;
  Before before_ = Before::line_start;
  int hashes_ = 0;        // `#` before the next character, or before letters before it
  bool letters_ = false;  // true if letters follow the `#`
  bool allows_annotations_ = false;
};

// Permits annotations in a stream that escapes commands; they are what `--format github` is for.
void allow_annotations(std::ostream& out);

}  // namespace sparsecfg::cmd
