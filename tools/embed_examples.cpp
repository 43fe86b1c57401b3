// Writes the examples of `sparsecfg explain` as a C++ source. Each code has the shortest finding that a golden case
// prints, and the fix of that case or otherwise the near miss of the code as a valid example.
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
  unsigned line = 0;  // line in the recipe
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

static std::vector<Finding> findings_of(const std::string& printed) {
  std::vector<Finding> found;
  const std::vector<std::string> lines = lines_of(printed);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string code = code_of(lines[at]);
    if (code.empty()) {
      for (const std::string& each : codes_of_conversion(lines[at])) found.push_back({each, lines[at] + '\n', 0});
      continue;
    }
    std::vector<std::string> block{lines[at]};
    Finding finding{code, {}, 0};
    while (++at < lines.size() && !lines[at].empty()) {
      if (lines[at].find("= explain:") != std::string::npos) continue;
      if (const std::size_t colon = lines[at].find(':'); block.size() == 1 && colon != std::string::npos)
        finding.line = number_at(lines[at], colon + 1);
      block.push_back(block.size() == 1 ? without_folder(lines[at]) : lines[at]);
    }
    finding.text = joined(block);
    found.push_back(std::move(finding));
  }
  return found;
}

// Returns the hunk of a unified diff that contains a line of the old file, or an empty string.
static std::string hunk_at(const std::string& difference, unsigned line) {
  std::vector<std::string> hunk;
  bool inside = false;
  for (const std::string& each : lines_of(difference)) {
    if (each.starts_with("@@ -")) {
      const unsigned begin = number_at(each, 4);
      const std::size_t comma = each.find_first_of(", ", 4);
      const unsigned count = each[comma] == ',' ? number_at(each, comma + 1) : 1;
      inside = line >= begin && line < begin + count;
    } else if (inside && !each.starts_with("---") && !each.starts_with("+++")) {
      hunk.push_back(each);
    }
  }
  return joined(hunk);
}

// Returns true if a unified difference removes a line of the old text.
static bool removes_line(const std::string& difference, unsigned line) {
  unsigned at = 0;
  for (const std::string& each : lines_of(difference)) {
    if (each.starts_with("@@ -")) {
      at = number_at(each, 4);
    } else if (!each.starts_with("---") && !each.starts_with('+')) {
      if (each.starts_with('-') && at == line) return true;
      ++at;
    }
  }
  return false;
}

struct Shown {
  int rank = 9;  // lower is better
  std::string name, text, fix;

  [[nodiscard]] auto order() const { return std::tuple(rank, fix.empty(), text.size(), name); }
};

// Candidates by dialect, so that a finding and its valid example come from the same dialect if possible.
struct Row {
  std::map<std::string, Shown> shown;
  std::map<std::string, std::string> near;
  bool safe = false, unsafe = false;

  [[nodiscard]] bool has_fix(const Shown& example) const { return !example.fix.empty() && (safe || unsafe); }

  // Returns the shortest near miss of a dialect, or of any dialect.
  [[nodiscard]] std::string near_of(const std::string& dialect) const {
    if (const auto found = near.find(dialect); found != near.end()) return found->second;
    const auto shortest = std::ranges::min_element(near, {}, [](const auto& each) { return each.second.size(); });
    return shortest == near.end() ? "" : shortest->second;
  }

  // The dialect of the example.
  [[nodiscard]] std::string best() const {
    return std::ranges::min_element(shown, {},
                                    [&](const auto& each) {
                                      const Shown& example = each.second;
                                      const bool alone = !has_fix(example) && !near.contains(each.first);
                                      return std::tuple(example.rank, alone, example.text.size(), example.name);
                                    })
        ->first;
  }
};

// "validate/sparseml/epochs/SP202-late" -> "sparseml"
static std::string dialect_of(const fs::path& name) { return std::next(name.begin())->string(); }

static bool is_text(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' || c == '\n'; });
}

static void add(std::map<std::string, Row>& rows, const fs::path& printed, const std::string& name) {
  const std::string text = read(printed);
  const std::vector<Finding> findings = findings_of(text);
  fs::path base = printed;
  base.replace_extension();
  const std::string stem = base.filename().string();
  const std::string safe = read(base.string() + ".diff");
  const std::string unsafe = read(base.string() + ".unsafe-diff");
  std::set<std::string> codes;
  for (const Finding& finding : findings) {
    codes.insert(finding.code);
    if (finding.text.size() > 2'500 || !is_text(finding.text)) continue;
    const bool named = stem.find(finding.code) != std::string::npos;
    Shown shown{named ? (stem.starts_with("near") ? 2 : 0) : 3, name, finding.text, hunk_at(safe, finding.line)};
    if (shown.fix.empty()) shown.fix = hunk_at(unsafe, finding.line);
    if (shown.fix.size() > 1'500) shown.fix.clear();
    Row& row = rows[finding.code];
    row.safe = row.safe || (named && removes_line(safe, finding.line));
    row.unsafe = row.unsafe || (named && removes_line(unsafe, finding.line));
    Shown& best = row.shown[dialect_of(name)];
    if (shown.order() < best.order()) best = std::move(shown);
  }
  // With hidden notes, a fix belongs to the printed code only if it changes the line of a finding.
  const bool notes = text.find("verbose)") != std::string::npos;
  if (codes.size() != 1) return;
  const auto fixes_finding = [&](const std::string& difference) {
    return !difference.empty() && (!notes || std::ranges::any_of(findings, [&](const Finding& finding) {
      return removes_line(difference, finding.line);
    }));
  };
  Row& row = rows[*codes.begin()];
  row.safe = row.safe || fixes_finding(safe);
  row.unsafe = row.unsafe || fixes_finding(unsafe);
}

// Returns the code in the name of a near miss: "SP205" for "near-SP205-just-after.yaml". Returns an empty string
// otherwise.
static std::string code_of_near_miss(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::set<std::string> kinds = {".yaml", ".md", ".json", ".py"};
  const bool recipe = kinds.contains(path.extension().string());
  return recipe && name.starts_with("near-") && name.size() > 10 ? name.substr(5, 5) : "";
}

static void add_near(std::map<std::string, Row>& rows, const fs::path& path, const fs::path& name) {
  const std::string code = code_of_near_miss(path);
  const std::string text = read(path);
  if (code.empty() || text.empty() || text.size() > 900 || !is_text(text)) return;
  std::string& near = rows[code].near[dialect_of(name)];
  if (near.empty() || text.size() < near.size()) near = text;
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
  std::map<std::string, Row> rows;
  for (const fs::path& file : files) {
    const std::string extension = file.extension().string();
    fs::path name = fs::relative(file, root);
    name.replace_extension();
    if (extension == ".out" || extension == ".err") add(rows, file, name.generic_string());
    add_near(rows, file, name);
  }
  std::ofstream out(argv[2], std::ios::binary);
  out << "#include \"explain/parts.h\"\n\nnamespace sparsecfg::explain {\n\nstatic constexpr Example "
         "kExamples[] = {\n";
  for (const auto& [code, row] : rows) {
    if (row.shown.empty()) continue;
    const std::string dialect = row.best();
    const Shown& shown = row.shown.at(dialect);
    const bool fix = row.has_fix(shown);
    out << "{\"" << code << "\", \"" << shown.name << "\", " << literal(shown.text) << ",\n "
        << literal(fix ? shown.fix : row.near_of(dialect)) << ", " << fix << ", " << row.safe << ", " << row.unsafe
        << "},\n";
  }
  out << "};\n\nconst Example* find_example(std::string_view code) {\n  for (const Example& example : kExamples) {\n"
         "    if (example.code == code) return &example;\n  }\n  return nullptr;\n}\n\n}  // namespace "
         "sparsecfg::explain\n";
  return out.flush() ? 0 : 1;
}
