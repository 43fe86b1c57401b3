// Writes the examples of `sparsecfg explain` as a C++ source. Each code has a finding that a golden case prints, of the
// form that most cases have, and the fix of that finding or otherwise the near miss of the code as a valid example. The
// test `rule_pages` runs them.
//
//   embed_examples FOLDER OUTPUT      FOLDER is testdata

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

static std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

static std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

static std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

struct Finding {
  std::string code;
  std::string text;
  std::set<unsigned> lines{};  // lines of the recipe that the finding shows
  unsigned line = 0;           // of its location
  std::size_t begin = 0;       // columns of its carets, from 0
  std::size_t end = 0;
};

// Returns the code in the first line of a finding: "SP205" for "error[SP205]: ...". Returns an empty string otherwise.
static std::string code_of(const std::string& line) {
  for (const char* level : {"error[", "warning[", "info["}) {
    const std::size_t length = std::char_traits<char>::length(level);
    if (line.starts_with(level) && line.size() > length + 6 && line[length + 5] == ']') return line.substr(length, 5);
  }
  return {};
}

static unsigned number_at(const std::string& text, std::size_t at) {
  unsigned number = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

// Removes the folder from a location: "  --> validate/sparseml/bad.yaml:3:5" becomes "  --> bad.yaml:3:5".
static std::string without_folder(const std::string& line) {
  const std::size_t arrow = line.find("--> ");
  const std::size_t slash = line.rfind('/');
  return arrow == std::string::npos || slash == std::string::npos ? line
                                                                  : line.substr(0, arrow + 4) + line.substr(slash + 1);
}

// Returns the codes in a line of a conversion report: "GMPruningModifier#2 (line 5): approximated[PT001, PT002]: why".
static std::vector<std::string> codes_of_conversion(const std::string& line) {
  std::vector<std::string> codes;
  const std::size_t close = line.find(']');
  for (std::size_t at = line.find("PT"); close != std::string::npos && at < close; at = line.find("PT", at + 1)) {
    if (at > 0 && (line[at - 1] == '[' || line[at - 1] == ' ')) codes.push_back(line.substr(at, 5));
  }
  return codes;
}

// Adds a line of the block below the heading of a finding.
static void add_line(Finding& finding, const std::string& line) {
  if (line.find("= explain:") != std::string::npos) return;
  const bool location = line.find("--> ") != std::string::npos || line.find("::: ") != std::string::npos;
  const std::size_t digits = line.find_first_not_of(' ');
  if (digits != std::string::npos && number_at(line, digits) != 0) finding.lines.insert(number_at(line, digits));
  if (const std::size_t colon = line.find(':'); location && colon != std::string::npos && finding.line == 0) {
    finding.line = number_at(line, colon + 1);
    finding.lines.insert(finding.line);
    finding.begin = number_at(line, line.rfind(':') + 1) - 1;
  }
  if (finding.end == 0) finding.end = static_cast<std::size_t>(std::ranges::count(line, '^'));
  finding.text += (location ? without_folder(line) : line) + '\n';
}

static std::vector<Finding> findings_of(const std::string& printed) {
  std::vector<Finding> found;
  const std::vector<std::string> lines = lines_of(printed);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string code = code_of(lines[at]);
    if (code.empty()) {
      for (const std::string& each : codes_of_conversion(lines[at])) found.push_back({each, lines[at] + '\n'});
      continue;
    }
    Finding finding{code, lines[at] + '\n'};
    while (++at < lines.size() && !lines[at].empty()) add_line(finding, lines[at]);
    finding.end += finding.begin;
    found.push_back(std::move(finding));
  }
  return found;
}

// Returns what a finding says, without the names and numbers of its recipe: findings of one form have the same text.
static std::string form_of(const Finding& finding) {
  std::string form;
  for (const std::string& line : lines_of(finding.text)) {
    if (!form.empty() && line.find("= help: ") == std::string::npos) continue;
    bool code = false;
    for (const char c : line) {
      code = code != (c == '`');
      if (!code && !(c >= '0' && c <= '9')) form += c;
    }
  }
  return form;
}

// Lines that a difference replaces by others, with the context around them.
struct Change {
  unsigned line = 0;  // in the old text: the first line that is removed, or the line before which lines are added
  std::set<unsigned> removed;
  std::vector<std::string> before, lines, after;

  [[nodiscard]] std::string text() const { return joined(before) + joined(lines) + joined(after); }
};

constexpr std::size_t kContext = 2;

namespace {

// Splits a unified difference into its changes.
class Changes {
 public:
  [[nodiscard]] std::vector<Change> read(const std::string& difference) {
    for (const std::string& line : lines_of(difference)) {
      if (line.starts_with("---") || line.starts_with("+++")) continue;
      if (line.starts_with("@@ -")) {
        begin_hunk(number_at(line, 4));
      } else if (line.starts_with('-') || line.starts_with('+')) {
        add(line);
      } else {
        add_context(line);
      }
    }
    return std::move(changes_);
  }

 private:
  void begin_hunk(unsigned line) {
    line_ = line;
    context_.clear();
    open_ = false;
    before_end_ = false;
  }

  void add(const std::string& line) {
    if (!open_) changes_.push_back({line_, {}, context_, {}, {}});
    open_ = true;
    before_end_ = true;
    changes_.back().lines.push_back(line);
    if (line.starts_with('-')) changes_.back().removed.insert(line_++);
    context_.clear();
  }

  void add_context(const std::string& line) {
    if (before_end_ && changes_.back().after.size() < kContext) changes_.back().after.push_back(line);
    open_ = false;
    context_.push_back(line);
    if (context_.size() > kContext) context_.erase(context_.begin());
    ++line_;
  }

  std::vector<Change> changes_;
  std::vector<std::string> context_;
  unsigned line_ = 0;
  bool open_ = false;        // the previous line belongs to the last change
  bool before_end_ = false;  // the last change is in this hunk
};

}  // namespace

static bool touches(const Change& change, const std::set<unsigned>& lines) {
  if (change.removed.empty()) return lines.contains(change.line) || lines.contains(change.line - 1);
  return std::ranges::any_of(change.removed, [&](unsigned line) { return lines.contains(line); });
}

// Returns true if a line differs from another one at the columns of a finding.
static bool differs_at(const Finding& finding, const std::string& before, const std::string& after) {
  const auto prefix = std::ranges::mismatch(before, after);
  const auto begin = static_cast<std::size_t>(prefix.in1 - before.begin());
  const auto suffix = std::mismatch(before.rbegin(), before.rend() - static_cast<std::ptrdiff_t>(begin), after.rbegin(),
                                    after.rend() - static_cast<std::ptrdiff_t>(begin));
  const std::size_t end = before.size() - static_cast<std::size_t>(suffix.first - before.rbegin());
  return begin <= finding.end && finding.begin <= end;
}

// Returns true if a unified difference changes the characters at which a finding is reported.
static bool is_at(const Finding& finding, const std::string& difference) {
  for (const Change& change : Changes().read(difference)) {
    if (!change.removed.contains(finding.line)) continue;
    const std::size_t at = finding.line - *change.removed.begin();
    const std::size_t added = change.removed.size() + at;
    const bool deleted = added >= change.lines.size();
    if (deleted || differs_at(finding, change.lines[at].substr(1), change.lines[added].substr(1))) return true;
  }
  return false;
}

// Returns the changes of a unified difference that fix a finding, or an empty string. `all`: every change is its fix.
static std::string fix_of(const Finding& finding, const std::string& difference, bool all) {
  std::string out;
  for (const Change& change : Changes().read(difference)) {
    if (all || touches(change, finding.lines)) out += (out.empty() ? "" : "...\n") + change.text();
  }
  return out;
}

// A finding of a golden case.
struct Shown {
  std::string name;     // of the case: "validate/sparseml/epochs/SP202-late"
  std::string options;  // of the case, as in its file
  std::string text, fix, form;
  int rank = 9;       // lower is better
  bool apart = true;  // the fix changes other characters than those of the finding
};

static bool needs_files(const std::string& options) { return options.find("{dir}") != std::string::npos; }

// A near miss of a rule.
struct Near {
  std::string name, options, text;

  [[nodiscard]] auto order() const { return std::tuple(needs_files(options), !options.empty(), text.size(), name); }
};

// "validate/sparseml/epochs/SP202-late" -> "sparseml"
static std::string dialect_of(const fs::path& name) { return std::next(name.begin())->string(); }

// Returns true for cases of `match`, `timeline` and others, which also print findings.
static bool is_of_other_command(const Shown& shown) {
  return !shown.name.starts_with("validate/") && !shown.name.starts_with("convert/");
}

struct Row {
  std::vector<Shown> shown;
  std::map<std::string, std::size_t> forms;  // findings of each form
  std::vector<Near> near;
  bool safe = false, unsafe = false;

  // Returns the example: if possible one of the most common form, with a fix or a valid example of the same dialect.
  [[nodiscard]] const Shown& best() const {
    return *std::ranges::min_element(shown, {}, [&](const Shown& each) {
      const std::string dialect = dialect_of(each.name);
      const bool fixed = !each.fix.empty();
      const bool alone =
          !fixed && std::ranges::none_of(near, [&](const Near& other) { return dialect_of(other.name) == dialect; });
      return std::tuple((safe || unsafe) && !fixed, each.rank, fixed && each.apart, alone, is_of_other_command(each),
                        needs_files(each.options), -static_cast<long>(forms.at(each.form)), each.text.size(),
                        each.name);
    });
  }

  // Returns the shortest near miss of a dialect, or of any dialect.
  [[nodiscard]] Near near_of(const std::string& dialect) const {
    const auto shortest = std::ranges::min_element(near, {}, [&](const Near& each) {
      return std::tuple_cat(std::tuple(dialect_of(each.name) != dialect), each.order());
    });
    return shortest == near.end() ? Near{} : *shortest;
  }
};

using Rows = std::map<std::string, Row>;

static bool is_text(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' || c == '\n'; });
}

static std::string options_at(const fs::path& base) {
  const std::vector<std::string> lines = lines_of(read(base.string() + ".args"));
  return lines.empty() ? "" : lines.front();
}

// The case of a rule that has "-typical" in its name is its example. Cases that also have other findings come last.
static int rank_of(const std::string& stem, const std::string& code, bool single) {
  if (stem.find(code) == std::string::npos) return single ? 1 : 3;
  return stem.find("-typical") != std::string::npos ? 0 : stem.starts_with("near") ? 2 : 1;
}

static void add(Rows& rows, const fs::path& printed, const std::string& name) {
  constexpr std::size_t kLongestText = 2'500;
  constexpr std::size_t kLongestFix = 1'500;
  const std::string text = read(printed);
  const std::vector<Finding> findings = findings_of(text);
  fs::path base = printed;
  base.replace_extension();
  const std::string safe = read(base.string() + ".diff");
  const std::string unsafe = read(base.string() + ".unsafe-diff");
  // Fixes of hidden notes are in the difference too.
  const bool single = findings.size() == 1 && text.find("verbose)") == std::string::npos;
  for (const Finding& finding : findings) {
    Row& row = rows[finding.code];
    const std::string by_safe = fix_of(finding, safe, single);
    const std::string by_unsafe = fix_of(finding, unsafe, single);
    Shown shown{name,
                options_at(base),
                finding.text,
                by_safe.empty() ? by_unsafe : by_safe,
                form_of(finding),
                rank_of(base.filename().string(), finding.code, single),
                !is_at(finding, by_safe.empty() ? unsafe : safe)};
    ++row.forms[shown.form];
    if (shown.fix.size() > kLongestFix) shown.fix.clear();
    if (shown.text.size() <= kLongestText && is_text(shown.text)) row.shown.push_back(std::move(shown));
  }
}

// Returns the code in the name of a near miss: "SP205" for "near-SP205-just-after.yaml". Returns an empty string
// otherwise.
static std::string code_of_near_miss(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::set<std::string> kinds = {".yaml", ".md", ".json", ".py"};
  const bool recipe = kinds.contains(path.extension().string());
  return recipe && name.starts_with("near-") && name.size() > 10 ? name.substr(5, 5) : "";
}

static void add_near(Rows& rows, const fs::path& path, const fs::path& name) {
  constexpr std::size_t kLongest = 900;
  const std::string code = code_of_near_miss(path);
  const std::string text = read(path);
  if (code.empty() || text.empty() || text.size() > kLongest || !is_text(text)) return;
  fs::path base = path;
  base.replace_extension();
  rows[code].near.push_back({name.generic_string(), options_at(base), text});
}

// Reads the rules that have autofixes, as the test `fixes` records them: "SP205 safe unsafe".
static void add_autofixes(Rows& rows, const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    Row& row = rows[line.substr(0, line.find(' '))];
    row.safe = line.find(" safe") != std::string::npos;
    row.unsafe = line.find(" unsafe") != std::string::npos;
  }
}

static std::string literal(const std::string& text) { return "R\"~(" + text + ")~\""; }

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: embed_examples FOLDER OUTPUT\n";
    return 2;
  }
  const fs::path root = argv[1];
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Rows rows;
  for (const fs::path& file : files) {
    const std::string extension = file.extension().string();
    fs::path name = fs::relative(file, root);
    name.replace_extension();
    if (extension == ".out" || extension == ".err") add(rows, file, name.generic_string());
    add_near(rows, file, name);
  }
  add_autofixes(rows, read(root / "autofixes.txt"));
  std::ofstream out(argv[2], std::ios::binary);
  out << "#include \"explain/parts.h\"\n\nnamespace sparsecfg::explain {\n\nstatic constexpr Example "
         "kExamples[] = {\n";
  for (const auto& [code, row] : rows) {
    if (row.shown.empty()) continue;
    const Shown& shown = row.best();
    const bool fix = (row.safe || row.unsafe) && !shown.fix.empty();
    const Near near = fix ? Near{} : row.near_of(dialect_of(shown.name));
    out << "{\"" << code << "\", \"" << shown.name << "\", " << literal(shown.options) << ", " << literal(shown.text)
        << ",\n " << literal(fix ? shown.fix : "") << ", \"" << near.name << "\", " << literal(near.options) << ", "
        << literal(near.text) << ", " << row.safe << ", " << row.unsafe << "},\n";
  }
  out << "};\n\nconst Example* find_example(std::string_view code) {\n  for (const Example& example : kExamples) {\n"
         "    if (example.code == code) return &example;\n  }\n  return nullptr;\n}\n\n}  // namespace "
         "sparsecfg::explain\n";
  return out.flush() ? 0 : 1;
}
