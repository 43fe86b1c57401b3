#include "report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "diag/catalog.h"
#include "report/parts.h"
#include "source/value.h"

namespace sparsecfg::report {

namespace fs = std::filesystem;

static fs::path absolute(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

static std::string relative_to(const std::string& folder, const std::string& path) {
  return absolute(path).lexically_relative(folder).generic_string();
}

static std::string text_of(const source::Value& entry, std::string_view key) {
  const source::Value* value = entry.find(key);
  const auto* text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? "" : *text;
}

namespace {

struct Entry {
  std::string path;
  std::string code;
  std::string fingerprint;
};

}  // namespace

static std::variant<std::vector<Entry>, source::LoadError> read_entries(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  const source::LoadError invalid{"not a baseline file; write one with `--write-baseline`"};
  const source::Loaded text = source::read_file(path, kMaxBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&text)) return *failure;
  const auto read = source::read_json(std::get<std::string>(text));
  const auto* json = std::get_if<std::optional<source::Value>>(&read);
  const source::Value* findings = json == nullptr || !*json ? nullptr : (*json)->find("findings");
  const auto* list = findings == nullptr ? nullptr : findings->get<source::List>();
  if (list == nullptr) return invalid;
  std::vector<Entry> out;
  for (const source::Value& each : *list) {
    Entry entry{text_of(each, "path"), text_of(each, "code"), text_of(each, "fingerprint")};
    if (entry.path.empty() || entry.fingerprint.empty()) return invalid;
    out.push_back(std::move(entry));
  }
  return out;
}

std::variant<Baseline, source::LoadError> Baseline::read(const std::string& path) {
  const auto entries = read_entries(path);
  if (const auto* failure = std::get_if<source::LoadError>(&entries)) return *failure;
  Baseline out;
  out.folder_ = absolute(path).parent_path().native();
  for (const Entry& entry : std::get<std::vector<Entry>>(entries)) {
    const Key key(entry.path, entry.fingerprint);
    if (out.entries_.insert(key).second) out.by_fingerprint_[entry.fingerprint].push_back(key);
  }
  return out;
}

bool Baseline::is_gone(const std::string& path) const {
  const auto [known, is_new] = gone_.try_emplace(path);
  std::error_code ignored;
  if (is_new) known->second = !fs::exists(fs::path(folder_) / path, ignored);
  return known->second;
}

// Uses the entry of a finding. Returns false if there is none. Each entry of a file that no longer exists matches one
// finding, so that copies of a recipe are reported.
bool Baseline::take(const Key& key) {
  if (entries_.contains(key)) {
    used_.insert(key);
    return true;
  }
  const auto same = by_fingerprint_.find(key.second);
  if (same == by_fingerprint_.end()) return false;
  const auto is_free = [&](const Key& entry) { return is_gone(entry.first) && !used_.contains(entry); };
  const auto moved = std::ranges::find_if(same->second, is_free);
  if (moved == same->second.end()) return false;
  used_.insert(*moved);
  return true;
}

std::size_t Baseline::remove(const source::SourceFile& file, std::vector<diag::Diagnostic>& findings) {
  const std::string path = relative_to(folder_, file.name());
  checked_.insert(path);
  const std::vector<std::string> fingerprints = fingerprints_of(file, findings);
  std::size_t at = 0;
  return std::erase_if(findings, [&](const diag::Diagnostic&) { return take({path, fingerprints[at++]}); });
}

std::size_t Baseline::count_unused() const {
  return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const Key& entry) {
    return !used_.contains(entry) && (checked_.contains(entry.first) || is_gone(entry.first));
  }));
}

// Returns true if the levels report a rule.
static bool selects(const diag::Levels& levels, const diag::Info& info) {
  std::vector<diag::Diagnostic> findings(1);
  findings.front().info = &info;
  levels.apply(findings);
  return !findings.empty();
}

// Returns the entries of a baseline that were not checked again: those of other files, as far as they exist, and those
// of rules that the levels of their file leave out.
static std::vector<Entry> unchecked_entries(const std::string& path, const std::string& folder,
                                            std::span<const CheckedFile> files) {
  std::map<std::string, const diag::Levels*> checked;
  for (const CheckedFile& file : files) checked[relative_to(folder, file.report->file->name())] = file.levels;
  auto read = read_entries(path);
  auto* entries = std::get_if<std::vector<Entry>>(&read);
  if (entries == nullptr) return {};
  std::erase_if(*entries, [&](const Entry& entry) {
    std::error_code ignored;
    const auto levels = checked.find(entry.path);
    if (levels == checked.end()) return !fs::exists(fs::path(folder) / entry.path, ignored);
    const diag::Info* info = diag::find(entry.code);
    return info == nullptr || selects(*levels->second, *info);
  });
  return std::move(*entries);
}

// One finding per line, so that a change to the baseline gives a small diff.
std::string render_baseline(const std::string& path, std::span<const CheckedFile> files) {
  const std::string folder = absolute(path).parent_path().native();
  std::vector<Entry> entries = unchecked_entries(path, folder, files);
  for (const CheckedFile& checked : files) {
    const FileReport& file = *checked.report;
    const std::vector<std::string> fingerprints = fingerprints_of(file);
    for (std::size_t at = 0; at < fingerprints.size(); ++at) {
      entries.push_back(
          {relative_to(folder, file.file->name()), std::string(file.diagnostics[at].info->code), fingerprints[at]});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::path);
  std::string lines;
  for (const Entry& entry : entries) {
    const Json json{{"path", entry.path}, {"code", entry.code}, {"fingerprint", entry.fingerprint}};
    const std::string line = json_text(json, true);
    lines += fmt::format("{}\n  {}", lines.empty() ? "" : ",", line.substr(0, line.size() - 1));
  }
  return fmt::format("{{\n \"format\": 1,\n \"findings\": [{}{}]\n}}\n", lines, lines.empty() ? "" : "\n ");
}

}  // namespace sparsecfg::report
