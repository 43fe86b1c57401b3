#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "cmd/compare.h"
#include "cmd/git.h"
#include "diff/diff.h"
#include "project/requirements_finder.h"
#include "source/load.h"
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
    const std::vector<std::string> now = source::find_recipes(options_.after, {true, excludes}).files;
    compared_.insert(now.begin(), now.end());
    for (const RevisionFile& file : then_) {
      if (file.path.ends_with(".py")) modules_.merge(names_in(file.path.substr(0, file.path.size() - 3)));
    }
    for (const std::string& path : now) add(path);
    exclusions_changed_ = have_exclusions_changed();
    for (const RevisionFile& file : then_) add_releases(file.path);
    for (const RevisionFile& file : then_) add_deleted(file);
    for (const std::string& path : uncertain_) {
      if (modules_changed_) report_uncertain(path);
    }
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
      if (before && !is_new) return report_deleted(path, *before);
      if (!before || !are_same(options, *before, *after)) note_module(path);
      return;
    }
    ++recipes_;
    if (is_new) {
      added_.push_back(path);
    } else if (!before || !after || !are_same(options, *before, *after)) {
      report(compare_files(options, streams_), path);
    } else if (has_unknown(*after) && imports_unread_module(*after->compilation.file)) {
      uncertain_.push_back(path);
    }
  }

  // Returns true if the revision has the file, also under an old name.
  bool existed_as(const std::string& path) {
    if (std::ranges::binary_search(then_, path, {}, &RevisionFile::path)) return true;
    const auto old = old_path(options_.before, path);
    if (old) renamed_.insert(*old);
    return old.has_value();
  }

  // A file of the revision that is no longer there, and has no new name. If the files that exclude others have changed,
  // also a file that is not compared any more.
  void add_deleted(const RevisionFile& file) {
    std::error_code ignored;
    const bool link = std::filesystem::is_symlink(file.path, ignored);
    const bool there = !link && std::filesystem::exists(file.path, ignored);
    const bool compared = compared_.contains(file.path) || !exclusions_changed_;
    if (renamed_.contains(file.from_root) || (there && compared)) return;
    const auto before = read_deleted(options_for(file.path), file.from_root, options_.after, silent_);
    if (before && is_recipe(*before)) {
      report_deleted(file.path, *before,
                     there  ? "excluded, and not compared any more"
                     : link ? "replaced by a link"
                            : "deleted");
    } else {
      note_module(file.path);
    }
  }

  // Returns true if a file that excludes others differs from the revision.
  [[nodiscard]] bool have_exclusions_changed() const {
    std::set<std::filesystem::path> folders{options_.after};
    for (const RevisionFile& file : then_) folders.insert(std::filesystem::path(file.path).parent_path());
    return std::ranges::any_of(folders, [&](const std::filesystem::path& folder) {
      return has_changed(folder / ".gitignore") || has_changed(folder / ".sparsecfg.yaml");
    });
  }

  // Reports packages for which a file of the revision requires another release now. Both sides are read with the
  // release of today, so that the effect of such a change is not compared.
  void add_releases(const std::string& path) {
    if (!project::has_requirements(path) || !has_changed(path)) return;
    const std::size_t limit = options_.reading.request.limits.bytes;
    const auto then = show_revision(options_.before, path, limit);
    const auto now = source::read_file(path, limit);
    const auto* old_text = std::get_if<std::string>(&then);
    const auto* text = std::get_if<std::string>(&now);
    const std::string name = std::filesystem::path(path).filename().native();
    const Requirements before = old_text == nullptr ? Requirements() : requirements_in(*old_text, name);
    const Requirements after = text == nullptr ? Requirements() : requirements_in(*text, name);
    for (const auto& [one, other] :
         {std::pair(before.llmcompressor, after.llmcompressor), std::pair(before.transformers, after.transformers)}) {
      report_release(path, one, other);
    }
  }

  void report_release(const std::string& path, const std::optional<Requirement>& before,
                      const std::optional<Requirement>& after) {
    const auto text_of = [](const std::optional<Requirement>& requirement) {
      return requirement ? requirement->package + requirement->specifier : std::string("none");
    };
    if (text_of(before) == text_of(after)) return;
    diff::Difference out;
    out.changes.push_back({diff::Change::Kind::call,
                           "release",
                           {},
                           {},
                           {},
                           {fmt::format("{} -> {}: the recipes of both sides are read with the second one",
                                        text_of(before), text_of(after))},
                           {}});
    const Compilation none;
    texts_.push_back(render(options_, out, none, none, {fmt::format("{}:{}", options_.before, path), path}));
    ++releases_;
    status_ = std::max(status_, kErrors);
  }

  [[nodiscard]] bool has_changed(const std::filesystem::path& file) const {
    const std::string path = file.lexically_normal().native();
    const std::size_t limit = options_.reading.request.limits.bytes;
    std::error_code ignored;
    const bool was_there = std::ranges::binary_search(then_, path, {}, &RevisionFile::path);
    if (was_there != std::filesystem::exists(path, ignored)) return true;
    if (!was_there) return false;
    const auto then = show_revision(options_.before, path, limit);
    const auto now = source::read_file(path, limit);
    return !std::holds_alternative<std::string>(then) || !std::holds_alternative<std::string>(now) ||
           std::get<std::string>(then) != std::get<std::string>(now);
  }

  // A script that is no recipe may be a module of others, although they find it in a way that is not followed.
  void note_module(const std::string& path) { modules_changed_ = modules_changed_ || path.ends_with(".py"); }

  // Returns true if values of a script are unknown, so that the same text may have another effect.
  static bool has_unknown(const ReadRecipe& read) {
    const Compilation& compilation = read.compilation;
    return !compilation.unread.empty() ||
           std::ranges::any_of(compilation.recipes, &ir::FoundRecipe::has_computed_parts);
  }

  // Returns true if a script imports a script of the folder that was not read with it, such as one that it finds by
  // `sys.path`.
  [[nodiscard]] bool imports_unread_module(const source::SourceFile& script) const {
    const auto is_read = [&](const std::string& name) {
      return std::ranges::any_of(script.others(),
                                 [&](const std::string& each) { return names_in(each).contains(name); });
    };
    const auto is_unread = [&](const std::string& name) { return modules_.contains(name) && !is_read(name); };
    std::istringstream lines{std::string(script.text())};
    for (std::string line; std::getline(lines, line);) {
      const std::string_view text = base::trim(line);
      if (!text.starts_with("import ") && !text.starts_with("from ")) continue;
      const std::set<std::string> words = names_in(std::string(text));
      if (std::ranges::any_of(words, is_unread)) return true;
    }
    return false;
  }

  // Returns the names in a path or in an import.
  static std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> out;
    std::string name;
    for (const char letter : text + " ") {
      if (base::is_name_letter(letter)) {
        name += letter;
      } else if (!name.empty()) {
        out.insert(std::exchange(name, {}));
      }
    }
    return out;
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

  // Only changes begin with the names of the files.
  void report(const Report& report, const std::string& path) {
    const bool named = options_.format != "text" || report.text.starts_with("---");
    if (!report.text.empty())
      texts_.push_back(named ? report.text : fmt::format("{}: {}", base::printable(path), report.text));
    if (report.status == kErrors) ++changed_;
    if (report.status == kUsage) ++not_compared_;
    status_ = std::max(status_, report.status);
  }

  void report_uncertain(const std::string& path) {
    const auto after = read_recipe(path, options_for(path).reading, silent_, Findings::errors, Several::listed);
    if (!after) return;
    diff::Difference out;
    out.not_compared.emplace_back("the script has unknown values, and a module was changed that it may use");
    const Compilation& now = after->compilation;
    report({render(options_, out, now, now, {fmt::format("{}:{}", options_.before, path), path}), kUsage}, path);
  }

  void report_deleted(const std::string& path, const ReadRecipe& before, std::string why = "deleted") {
    diff::Difference out;
    out.changes.push_back({diff::Change::Kind::call, "recipe", {}, {}, {}, {std::move(why)}, {}});
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
    add_part(releases_, releases_ == 1 ? "required release changed" : "required releases changed");
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
  std::set<std::string> renamed_;   // old paths from the root
  std::set<std::string> compared_;  // the files that were found now
  bool exclusions_changed_ = false;
  std::set<std::string> modules_;       // names of the scripts of the revision and their folders
  std::vector<std::string> uncertain_;  // scripts with the same text and unknown values
  bool modules_changed_ = false;
  std::vector<std::string> texts_;
  std::vector<std::string> added_;
  std::size_t recipes_ = 0;  // that exist now
  std::size_t changed_ = 0;
  std::size_t releases_ = 0;  // packages of which another release is required
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
