#include "cmd/watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <thread>
#include <tuple>

#include "base/text.h"
#include "source/load.h"
#include "source/search.h"

namespace sparsecfg::cmd {

// Time of the last change, size and number of a file. An editor that saves by renaming changes the number.
using Stamp = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t>;
using Snapshot = std::map<std::string, Stamp>;

static void add_file(Snapshot& out, const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) == 0) {
    out[path] = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino};
  } else {
    out[path] = {};  // appears as soon as the file exists
  }
}

static Snapshot snapshot_of(const std::vector<std::string>& paths, const std::set<std::string>& more) {
  Snapshot out;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      for (const std::string& file : source::find_recipes(path).files) add_file(out, file);
      add_file(out, path + "/.sparsecfg.yaml");
    } else {
      add_file(out, path);
    }
  }
  for (const std::string& path : more) add_file(out, path);
  return out;
}

// Returns the first file whose stamp differs.
static std::string changed_file(const Snapshot& before, const Snapshot& after) {
  for (const auto& [path, stamp] : after) {
    const auto known = before.find(path);
    if (known == before.end() || known->second != stamp) return path;
  }
  const auto gone = std::ranges::find_if(before, [&](const auto& each) { return !after.contains(each.first); });
  return gone == before.end() ? std::string() : gone->first;
}

static std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

int watch(const std::vector<std::string>& paths, bool rewrites, const std::function<std::set<std::string>()>& check,
          const Streams& streams) {
  constexpr auto kPause = std::chrono::milliseconds(250);
  std::string changed;
  while (true) {
    if (streams.terminal) streams.out << "\x1b[2J\x1b[H";
    if (!changed.empty()) streams.out << fmt::format("{}: {} changed\n", time_of_day(), base::printable(changed));
    Snapshot before = snapshot_of(paths, {});
    const std::set<std::string> more = check();
    const Snapshot now = snapshot_of(paths, more);
    streams.out << fmt::format("watching {}; press Ctrl+C to stop\n", base::counted(now.size(), "file")) << std::flush;
    if (!streams.out) return kUsage;
    before.insert(now.begin(), now.end());  // keeps the stamps from before the check, so that no change is missed
    const Snapshot& last = rewrites ? now : before;
    Snapshot next = last;
    while (next == last) {
      std::this_thread::sleep_for(kPause);
      next = snapshot_of(paths, more);
    }
    changed = changed_file(last, next);
  }
}

}  // namespace sparsecfg::cmd
