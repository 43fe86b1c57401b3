#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cmd/compare.h"
#include "cmd/git.h"
#include "diff/diff.h"
#include "source/search.h"

namespace sparsecfg::cmd {

namespace {

class FolderComparison {
 public:
  FolderComparison(const DiffOptions& options, const Streams& streams) : options_(options), streams_(streams) {
    options_.reading.skip_unknown = true;
  }

  // Compares with the files of the revision, which are sorted by path.
  Report run(std::vector<RevisionFile> then) {
    then_ = std::move(then);
    project::Project project(options_.reading.request);
    const auto excludes = [&](const std::string& path, bool is_folder) { return project.excludes(path, is_folder); };
    for (const std::string& path : source::find_recipes(options_.after, {true, excludes}).files) add(path);
    for (const RevisionFile& file : then_) add_deleted(file);
    return {joined(), status_};
  }

 private:
  // Returns the options for one file. Its patterns have their own limit of work.
  [[nodiscard]] DiffOptions options_for(const std::string& path) const {
    DiffOptions out = options_;
    out.after = path;
    out.reading.request.limit = std::make_shared<model::WorkLimit>();
    return out;
  }

  void add(const std::string& path) {
    const DiffOptions options = options_for(path);
    const bool existed = existed_as(path);
    const auto after = read_recipe(path, options.reading, silent_, Findings::errors, Several::listed);
    const auto before = existed ? read_older(options, silent_) : std::nullopt;
    const bool is_new = !existed || (before && !is_recipe(*before));
    if (after && !is_recipe(*after)) {
      if (before && !is_new) report_deleted(path, *before);
      return;
    }
    ++recipes_;
    if (is_new) {
      added_.push_back(path);
    } else if (!before || !after || !are_same(options, *before, *after)) {
      report(compare_files(options, streams_));
    }
  }

  // Returns true if the revision has the file, also under an old name.
  bool existed_as(const std::string& path) {
    if (std::ranges::binary_search(then_, path, {}, &RevisionFile::path)) return true;
    const auto old = old_path(options_.before, path);
    if (old) renamed_.insert(*old);
    return old.has_value();
  }

  // A file of the revision that is no longer there, and has no new name.
  void add_deleted(const RevisionFile& file) {
    std::error_code ignored;
    if (renamed_.contains(file.from_root) || std::filesystem::exists(file.path, ignored)) return;
    const auto before = read_older(options_for(file.path), silent_);
    if (before && is_recipe(*before)) report_deleted(file.path, *before);
  }

  static bool is_recipe(const ReadRecipe& read) { return !read.compilation.skipped && !is_module(read.compilation); }

  // Returns true if the files and all files that they use are the same.
  [[nodiscard]] bool are_same(const DiffOptions& options, const ReadRecipe& before, const ReadRecipe& after) const {
    const auto same = [](const ReadRecipe& one, const ReadRecipe& other) {
      const source::SourceFile& file = *one.compilation.file;
      return file.text() == other.compilation.file->text() && file.others() == other.compilation.file->others();
    };
    const auto old_reference = read_reference(before, options.reading, silent_);
    const auto reference = read_reference(after, options.reading, silent_);
    return same(before, after) && old_reference.has_value() == reference.has_value() &&
           (!reference || same(*old_reference, *reference));
  }

  void report(const Report& report) {
    if (!report.text.empty()) texts_.push_back(report.text);
    if (report.status == kErrors) ++changed_;
    if (report.status == kUsage) ++not_compared_;
    status_ = std::max(status_, report.status);
  }

  void report_deleted(const std::string& path, const ReadRecipe& before) {
    diff::Difference out;
    out.changes.push_back({diff::Change::Kind::call, "recipe", {}, {}, {}, {"deleted"}, {}});
    const Compilation& old = before.compilation;
    texts_.push_back(render(options_, out, old, old, {old.file->title(), path}));
    ++deleted_;
    status_ = std::max(status_, kErrors);
  }

  // "12 recipes: 2 changed, 1 new, 1 deleted"
  [[nodiscard]] std::string summary() const {
    std::vector<std::string> parts;
    const auto add_part = [&](std::size_t count, std::string_view what) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
    };
    add_part(changed_, "changed");
    add_part(added_.size(), "new");
    add_part(deleted_, "deleted");
    add_part(not_compared_, "not compared");
    return fmt::format("{}: {}\n", base::counted(recipes_, "recipe"),
                       parts.empty() ? "no difference" : fmt::format("{}", fmt::join(parts, ", ")));
  }

  [[nodiscard]] std::string joined() const {
    if (options_.format == "json") return diff::join_json(texts_);
    std::vector<std::string> parts = texts_;
    const std::string_view mark = options_.format == "markdown" ? "**" : "";
    for (const std::string& path : added_)
      parts.push_back(fmt::format("{0}{1}{0}: new\n", mark, base::printable(path)));
    parts.push_back(summary());
    return fmt::format("{}", fmt::join(parts, "\n"));
  }

  DiffOptions options_;
  const Streams& streams_;
  std::ostream nowhere_{nullptr};
  Streams silent_{streams_.in, nowhere_, nowhere_};
  std::vector<RevisionFile> then_;
  std::set<std::string> renamed_;  // old paths from the root
  std::vector<std::string> texts_;
  std::vector<std::string> added_;
  std::size_t recipes_ = 0;  // that exist now
  std::size_t changed_ = 0;
  std::size_t deleted_ = 0;
  std::size_t not_compared_ = 0;
  int status_ = kClean;
};

}  // namespace

Report compare_folder(const DiffOptions& options, const Streams& streams) {
  if (options.format == "svg" || options.reading.recipe) {
    complain(streams.err, options.after,
             fmt::format("is a folder; {} needs a file", options.reading.recipe ? "--recipe" : "--format svg"));
    return {};
  }
  auto listed = files_of_revision(options.before, options.after);
  if (const auto* failure = std::get_if<GitFailure>(&listed)) {
    complain(streams.err, options.before, failure->reason);
    return {};
  }
  return FolderComparison(options, streams).run(std::get<std::vector<RevisionFile>>(std::move(listed)));
}

}  // namespace sparsecfg::cmd
