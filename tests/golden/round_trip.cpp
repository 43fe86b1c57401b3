// Every recipe of the cases that has no errors, as it is read by each of the frameworks' readers, survives being
// written as a schedule and read back: the same schedule, and from it the same recipe of its own dialect.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>

#include "cases.h"
#include "convert/convert.h"
#include "ir/dump.h"

namespace sparsecfg::golden {
namespace {

class RoundTrip {
 public:
  explicit RoundTrip(std::string path) : path_(std::move(path)), text_(read_or_empty(path_)) {}

  // How many readings of the recipe there were without an error.
  int run() {
    const std::string dialect = run({});
    // Not covered: a name beyond ASCII in a Keras recipe, which does not survive the way through a schedule.
    const bool ascii = std::ranges::all_of(text_, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (dialect == "sparseml" && ascii) {
      run({{"framework", "keras"}});
    } else if (dialect == "nni") {
      run({{"nni", "2.x"}});
      run({{"nni", "1.x"}});
    }
    return readings_;
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  // Not covered: recipes within other files and scripts.
  static bool is_whole_file(const Compilation& read) {
    return std::ranges::all_of(read.recipes, [](const ir::FoundRecipe& found) {
      return found.form == "file" || found.form == "front matter";
    });
  }

  // Returns the dialect that the recipe was read as with these options of dialects.
  std::string run(std::vector<std::pair<std::string_view, std::string>> reader_options) {
    CompileOptions options;
    options.read.reader_options = std::move(reader_options);
    const Compilation read = compile(path_, text_, options);
    if (read.recipe && read.count(diag::Severity::error) == 0 && is_whole_file(read)) {
      ++readings_;
      follow(read, options);
    }
    return read.dialect.value_or("");
  }

  void follow(const Compilation& read, const CompileOptions& options) {
    const std::string schedule = ir::dump(*read.recipe);
    CompileOptions as_schedule = options;
    as_schedule.from = "ir";
    const Compilation back = compile("schedule.json", schedule, as_schedule);
    if (!back.recipe || back.count(diag::Severity::error) > 0 || ir::dump(*back.recipe) != schedule) {
      fail("its schedule is not the same when it is read back");
      return;
    }
    const dialect::Dialect* own = dialect::find_dialect(read.recipe->dialect);
    if (own->write == nullptr) {
      return;
    }
    const auto once = convert::convert(read, {own, options, {}, false});
    if (!once.drops && without_header(once.text) != convert::convert(back, {own, as_schedule, {}, false}).text) {
      fail("its schedule gives another recipe than it does itself");
    }
  }

  // The comments before the recipe, which a schedule has no place for.
  static std::string without_header(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size() && (text[at] == '#' || text[at] == '\n')) {
      at = text.find('\n', at) + 1;
    }
    return text.substr(at);
  }

  void fail(std::string_view why) {
    std::cout << fmt::format("{}: {}\n", path_, why);
    failed_ = true;
  }

  std::string path_;
  std::string text_;
  int readings_ = 0;
  bool failed_ = false;
};

}  // namespace
}  // namespace sparsecfg::golden

int main() {
  using namespace sparsecfg::golden;
  constexpr int kMinReadings = 500;
  int valid = 0;
  bool failed = false;
  std::filesystem::current_path(testdata());
  for (const Case& test : find_cases()) {
    RoundTrip trip(test.path);
    valid += trip.run();
    failed |= trip.failed();
  }
  std::cout << valid << " readings\n";
  return failed || valid < kMinReadings ? 1 : 0;
}
