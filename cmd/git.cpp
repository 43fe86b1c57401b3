#include "cmd/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/text.h"
#include "platform/system.h"

namespace sparsecfg::cmd {

static std::string first_line(const std::string& text) {
  return base::printable(base::trim(std::string_view(text).substr(0, text.find('\n'))));
}

// --- git --------------------------------------------------------------------------------------------

// The repository may be untrusted, and its configuration can name programs (`core.sshCommand`, `core.fsmonitor`,
// hooks, credential helpers). These settings have precedence over that configuration.
constexpr std::string_view kSafeSettings[] = {
    "protocol.allow=never", "core.fsmonitor=false", "core.hooksPath=/dev/null",
    "credential.helper=",   "fetch.bundleURI=",     "safe.bareRepository=explicit"};
// Newer releases of git do not fetch missing objects with the first of these variables. The others are for older ones.
constexpr std::string_view kSafeEnvironment[] = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_TERMINAL_PROMPT=0",
                                                 "GIT_OPTIONAL_LOCKS=0"};

static bool replaces(std::string_view safe, std::string_view variable) {
  return variable.starts_with(safe.substr(0, safe.find('=') + 1));
}

static std::vector<std::string> safe_environment() {
  std::vector<std::string> out(std::begin(kSafeEnvironment), std::end(kSafeEnvironment));
  for (std::string& variable : platform::environment_variables()) {
    const auto is_replaced = [&](std::string_view safe) { return replaces(safe, variable); };
    if (std::ranges::none_of(kSafeEnvironment, is_replaced)) out.push_back(std::move(variable));
  }
  return out;
}

static std::optional<platform::Finished> run_git(const std::string& folder, const std::vector<std::string>& command,
                                                 std::size_t max_bytes) {
  std::vector<std::string> words = {"git", "--no-pager", "-C", folder};
  for (const std::string_view setting : kSafeSettings) words.insert(words.end(), {"-c", std::string(setting)});
  words.insert(words.end(), command.begin(), command.end());
  return platform::run_program(words, safe_environment(), max_bytes);
}

constexpr std::string_view kNoGit = "no such file; git is not installed, so the name cannot be a revision";

static bool is_object_name(std::string_view text) {
  return text.size() >= 40 && std::ranges::all_of(text, [](char c) { return base::is_digit(c) || base::is_letter(c); });
}

// Returns why git finds no object: there is no such revision, or it lacks the file.
static GitFailure missing_object(const std::string& folder, const std::string& place, const std::string& error) {
  const std::string revision = place.substr(0, place.find(':'));
  const auto finished = run_git(folder, {"rev-parse", "--quiet", "--verify", "--end-of-options", revision}, 4096);
  if (finished && finished->status == 0) return {fmt::format("this revision lacks the file: {}", error), true};
  return {fmt::format("neither a file nor a git revision: {}", error)};
}

// Returns the name of the object that a file has in a revision. `rev-list` is the one command that never fetches an
// object. With `--missing`, older releases of git fail at an object that a partial clone lacks, and newer ones print
// its name behind a question mark.
static std::variant<std::string, GitFailure> find_object(const std::string& folder, const std::string& place) {
  constexpr std::size_t kMaxOutput = 4096;
  const auto finished = run_git(
      folder, {"rev-list", "--no-walk", "--objects", "--missing=print", "--end-of-options", place, "--"}, kMaxOutput);
  if (!finished || finished->status == 127) {
    return GitFailure{std::string(kNoGit)};
  }
  if (finished->status != 0) {
    return missing_object(folder, place, first_line(finished->err));
  }
  const std::string_view out = base::trim(finished->out);
  if (out.starts_with('?')) {
    return GitFailure{fmt::format("bad object {}: this clone lacks the file of that revision", out.substr(1))};
  }
  const std::string_view name = out.substr(0, out.find(' '));
  if (!is_object_name(name) || out.find('\n') != std::string_view::npos) {
    return GitFailure{"neither a file nor a single git revision"};
  }
  return std::string(name);
}

// Returns the size of an object; nullopt if git does not report one.
static std::optional<std::size_t> size_of_object(const std::string& folder, const std::string& object) {
  const auto finished = run_git(folder, {"cat-file", "-s", object}, 64);
  std::size_t size = 0;
  const std::string_view digits = finished && finished->status == 0 ? base::trim(finished->out) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(size) : std::nullopt;
}

// Returns why git cannot read the revision; nullopt if it may.
static std::optional<GitFailure> refuse(const std::string& revision) {
  if (!platform::can_run_programs()) {
    return GitFailure{"no such file; this build cannot run git, so the name cannot be a revision"};
  }
  if (revision.find("..") != std::string::npos) {
    return GitFailure{"neither a file nor a single git revision"};
  }
  return std::nullopt;
}

// Returns the contents of a place such as "HEAD:./recipe.yaml".
static std::variant<std::string, GitFailure> show_place(const std::string& folder, const std::string& place,
                                                        std::size_t max_bytes) {
  const auto object = find_object(folder, place);
  if (const auto* failure = std::get_if<GitFailure>(&object)) {
    return *failure;
  }
  const auto& name = std::get<std::string>(object);
  const auto size = size_of_object(folder, name);
  if (size && *size > max_bytes) {
    return GitFailure{fmt::format("the file in that revision is larger than {} bytes", max_bytes)};
  }
  auto finished = size ? run_git(folder, {"cat-file", "blob", name}, max_bytes) : std::nullopt;
  if (!finished || finished->status != 0 || finished->out.size() != *size) {
    return GitFailure{"git does not return the file of that revision"};
  }
  return std::move(finished->out);
}

std::string folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

std::variant<std::string, GitFailure> show_revision(const std::string& revision, const std::string& path,
                                                    std::size_t max_bytes) {
  if (auto failure = refuse(revision)) return *std::move(failure);
  const std::filesystem::path file(path);
  return show_place(folder_of(file), fmt::format("{}:./{}", revision, file.filename().string()), max_bytes);
}

std::variant<std::string, GitFailure> show_path(const std::string& folder, const std::string& revision,
                                                const std::string& path, std::size_t max_bytes) {
  if (auto failure = refuse(revision)) return *std::move(failure);
  auto shown = show_place(folder, fmt::format("{}:{}", revision, path), max_bytes);
  if (std::holds_alternative<std::string>(shown) || path.starts_with("./")) return shown;
  auto here = show_place(folder, fmt::format("{}:./{}", revision, path), max_bytes);
  return std::holds_alternative<std::string>(here) ? here : shown;
}

// Splits a text at null bytes.
static std::vector<std::string> split_at_nulls(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Returns the path of a folder from the root of its repository, with `/` at the end; empty for the root.
static std::optional<std::string> prefix_of(const std::string& folder) {
  const auto prefix = run_git(folder, {"rev-parse", "--show-prefix"}, std::size_t{1} << 20);
  return prefix && prefix->status == 0 ? std::optional(std::string(base::trim(prefix->out))) : std::nullopt;
}

std::variant<std::vector<RevisionFile>, GitFailure> files_of_revision(const std::string& revision,
                                                                      const std::string& folder) {
  constexpr std::size_t kMaxOutput = std::size_t{1} << 24;
  if (auto failure = refuse(revision)) return *std::move(failure);
  const auto tree = run_git(folder, {"rev-parse", "--verify", "--end-of-options", revision + "^{tree}"}, 4096);
  if (!tree || tree->status == 127) return GitFailure{std::string(kNoGit)};
  if (tree->status != 0) return missing_object(folder, revision, first_line(tree->err));
  const std::string object(base::trim(tree->out));
  const auto prefix = prefix_of(folder);
  const auto listed = is_object_name(object)
                          ? run_git(folder, {"ls-tree", "-r", "-z", "--full-name", "--name-only", object}, kMaxOutput)
                          : std::nullopt;
  if (!prefix || !listed || listed->status != 0) return GitFailure{"git does not list the files of that revision"};
  std::vector<RevisionFile> out;
  for (const std::string& name : split_at_nulls(listed->out)) {
    const std::string below = name.substr(std::min(prefix->size(), name.size()));
    out.push_back({folder == "." ? below : (std::filesystem::path(folder) / below).native(), name});
  }
  std::ranges::sort(out, {}, &RevisionFile::path);
  return out;
}

// `diff-index --cached` compares with the index. So it reads no file of the checkout, whose filters are programs.
std::optional<std::string> old_path(const std::string& revision, const std::string& path) {
  constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
  const std::filesystem::path file(path);
  if (refuse(revision)) return std::nullopt;
  const auto prefix = prefix_of(folder_of(file));
  const auto renames = run_git(folder_of(file),
                               {"diff-index", "--cached", "-M", "--diff-filter=R", "--name-status", "-z",
                                "--no-ext-diff", "--no-textconv", revision, "--"},
                               kMaxOutput);
  if (!prefix || !renames || renames->status != 0) return std::nullopt;
  const std::string now = *prefix + file.filename().string();
  // "R100", the old path and the new path, each with a null byte behind it.
  const std::vector<std::string> words = split_at_nulls(renames->out);
  for (std::size_t at = 0; at + 2 < words.size(); at += 3) {
    if (words[at + 2] == now) return words[at + 1];
  }
  return std::nullopt;
}

}  // namespace sparsecfg::cmd
