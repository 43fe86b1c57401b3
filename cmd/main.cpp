#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/descriptor_buffer.h"
#include "cmd/runner_log.h"
#include "platform/system.h"

static bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

static bool is_set_to(const char* name, std::string_view expected) {
  return is_set(name) && std::getenv(name) == expected;
}

// Returns true if output may be colored. NO_COLOR overrides FORCE_COLOR. Without either, only terminals get colors.
static bool may_color() {
  const bool forced = (is_set("FORCE_COLOR") && !is_set_to("FORCE_COLOR", "0")) ||
                      (is_set("CLICOLOR_FORCE") && !is_set_to("CLICOLOR_FORCE", "0"));
  return !is_set("NO_COLOR") && (forced || sparsecfg::platform::is_terminal(STDOUT_FILENO));
}

// Returns the width that the variable COLUMNS sets, or nullopt.
static std::optional<std::size_t> columns_of_environment() {
  constexpr std::size_t kMaxDigits = 4;
  const std::string text = is_set("COLUMNS") ? std::getenv("COLUMNS") : "";
  const bool is_number =
      !text.empty() && text.size() <= kMaxDigits && std::ranges::all_of(text, sparsecfg::base::is_digit);
  return is_number && text != "0" ? std::optional<std::size_t>(std::stoul(text)) : std::nullopt;
}

// Returns the width of the terminal on standard output, else of that on standard error.
static std::size_t columns_of_terminal() {
  using sparsecfg::platform::is_terminal;
  return sparsecfg::platform::terminal_columns(is_terminal(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO);
}

// Returns true if the first variable that is set names UTF-8, as in "en_US.UTF-8" and "C.utf8".
static bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (is_set(name)) {
      const std::string value = sparsecfg::base::to_lower(std::getenv(name));
      return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
  }
  return false;
}

// Returns true if a runner reads the output and obeys commands in it.
static bool is_in_runner() {
  return is_set_to("GITHUB_ACTIONS", "true") || is_set("TF_BUILD") || is_set("TEAMCITY_VERSION");
}

static bool is_regular_file(int descriptor) {
  struct stat status {};

  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// Standard input, output and error streams. They keep the order of writes across streams, as std::cout and std::cerr
// do.
struct StandardStreams {
  sparsecfg::cmd::DescriptorBuffer in_buffer{STDIN_FILENO};
  sparsecfg::cmd::DescriptorBuffer out_buffer{STDOUT_FILENO};
  sparsecfg::cmd::DescriptorBuffer err_buffer{STDERR_FILENO};
  sparsecfg::cmd::RunnerLog out_log{out_buffer};
  sparsecfg::cmd::RunnerLog err_log{err_buffer};
  std::istream in{&in_buffer};
  std::ostream out{&out_buffer};
  std::ostream err{&err_buffer};

  StandardStreams() {
    in.tie(&out);
    err.tie(&out);
    err << std::unitbuf;
  }

  // Escapes commands in what the runner of a CI job reads. Files get what is written.
  void protect_runner() {
    if (!is_regular_file(STDOUT_FILENO)) out.rdbuf(&out_log);
    if (!is_regular_file(STDERR_FILENO)) err.rdbuf(&err_log);
  }
};

int main(int count, char** words) {
  sparsecfg::platform::prepare_process();
  StandardStreams standard;
  if (is_in_runner()) standard.protect_runner();
  const std::vector<std::string> arguments(words + std::min(count, 1), words + count);
  const char* format = is_set_to("GITHUB_ACTIONS", "true") ? "github" : "text";
  try {
    sparsecfg::cmd::Streams streams{standard.in, standard.out, standard.err};
    const auto columns = columns_of_environment();
    streams.color = may_color();
    streams.columns = columns ? *columns : columns_of_terminal();
    streams.terminal = sparsecfg::platform::is_terminal(STDOUT_FILENO);
    streams.utf8 = is_utf8_locale();
    streams.progress = sparsecfg::platform::is_terminal(STDERR_FILENO);
    streams.default_format = format;
    streams.wraps = columns.has_value();
    return sparsecfg::cmd::run(arguments, streams);
  } catch (const std::exception& error) {
    standard.err << "sparsecfg: internal error: " << sparsecfg::base::printable(error.what()) << "\n";
    return sparsecfg::cmd::kInternal;
  }
}
