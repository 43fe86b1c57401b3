#include "compile/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace sparsecfg {

namespace {

// The numbers of a release: 0.10.1 is {0, 10, 1}.
using Numbers = std::vector<int>;

constexpr std::size_t kMaxParts = 6;
constexpr int kMaxNumber = 100'000;

// Returns the numbers at the start of a text, without a leading `v`; empty if there are none.
Numbers numbers_in(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Numbers out;
  while (out.size() < kMaxParts) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number > kMaxNumber || number < 0) break;
    out.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.size() < 2 || text[0] != '.' || !base::is_digit(text[1])) break;
    text.remove_prefix(1);
  }
  return out;
}

// Compares releases. Missing parts of `one` have the value `missing_in_one`, and those of `other` are 0.
int compare(const Numbers& one, const Numbers& other, int missing_in_one = 0) {
  for (std::size_t at = 0; at < std::max(one.size(), other.size()); ++at) {
    const int left = at < one.size() ? one[at] : missing_in_one;
    const int right = at < other.size() ? other[at] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

bool begins_with(const Numbers& all, const Numbers& start) {
  return all.size() >= start.size() && std::equal(start.begin(), start.end(), all.begin());
}

// One condition: an operator and a release.
struct Condition {
  std::string_view operation;
  std::string_view release;
};

constexpr std::string_view kOperators[] = {"===", "==", "~=", ">=", "<=", "!=", "^", "~", ">", "<", "="};

std::string_view operator_in(std::string_view text) {
  const auto found = std::ranges::find_if(kOperators, [&](std::string_view each) { return text.starts_with(each); });
  return found == std::end(kOperators) ? std::string_view() : *found;
}

std::vector<Condition> conditions_of(std::string_view specifier) {
  std::vector<Condition> out;
  while (!specifier.empty()) {
    const std::size_t end = std::min(specifier.find(','), specifier.size());
    std::string_view part = base::trim(specifier.substr(0, end));
    const std::string_view operation = operator_in(part);
    part = base::trim(part.substr(operation.size()));
    out.push_back({operation.empty() ? "==" : operation, part});
    specifier.remove_prefix(std::min(end + 1, specifier.size()));
  }
  return out;
}

bool is_exact_condition(const Condition& condition) {
  return (condition.operation == "==" || condition.operation == "===" || condition.operation == "=") &&
         !condition.release.ends_with('*');
}

// Returns the first release after those that `~=`, `~` or `^` allow.
Numbers end_of_range(const Condition& condition, const Numbers& begin) {
  Numbers end = begin;
  if (condition.operation == "^") {
    const auto first = std::ranges::find_if(end, [](int part) { return part != 0; });
    end.erase(first == end.end() ? end.end() : first + 1, end.end());
  } else if (condition.operation == "~=" || end.size() > 2) {
    end.pop_back();
  }
  if (!end.empty()) ++end.back();
  return end;
}

// Returns true if a release, or one of its patches, fulfills a condition.
bool fulfills(const Numbers& release, const Condition& condition) {
  const Numbers bound = numbers_in(condition.release);
  if (bound.empty()) {
    return true;
  }
  const std::string_view operation = condition.operation;
  const int highest = compare(release, bound, kMaxNumber);
  const int lowest = compare(release, bound);
  if (operation == ">=") return highest >= 0;
  if (operation == ">") return highest > 0;
  if (operation == "<=") return lowest <= 0;
  if (operation == "<") return lowest < 0;
  if (operation == "!=") return !condition.release.ends_with('*') || !begins_with(release, bound);
  if (operation == "~=" || operation == "^" || operation == "~") {
    return highest >= 0 && compare(release, end_of_range(condition, bound)) < 0;
  }
  return begins_with(release, bound) || begins_with(bound, release);
}

constexpr std::string_view kPackages[] = {"llmcompressor", "transformers"};

bool is_package_letter(char c) { return base::is_name_letter(c) || c == '-' || c == '.'; }

// Returns the specifier at the start of a text: `==0.10.1`, `>=4.55,<5`, `= "^0.6"`. Stops at everything else.
std::string specifier_at(std::string_view text) {
  std::string out;
  bool version = false;
  for (const char c : text) {
    const bool operation = std::string_view("=<>~!^").find(c) != std::string_view::npos;
    const bool part = base::is_digit(c) || base::is_letter(c) || c == '.' || c == '*' || c == '+' || c == '-';
    if (c == ' ' || c == '"' || c == '\'' || c == '(' || c == '\\') {
      if (version) break;
      continue;
    }
    if ((operation && version) || (!operation && out.empty())) break;
    if (!operation && !part && c != ',') break;
    version = part;
    out += c;
  }
  while (!out.empty() && (out.back() == ',' || !operator_in(std::string_view(out).substr(out.size() - 1)).empty())) {
    out.pop_back();
  }
  return out;
}

// Removes `[extra, other]` from the start of a text.
std::string_view after_extras(std::string_view text) {
  text = base::trim(text);
  return text.starts_with('[') && text.find(']') != std::string_view::npos ? text.substr(text.find(']') + 1) : text;
}

// `llm-compressor.git@0.6.0`: the release of a tag.
std::string tag_in(std::string_view line, std::string_view package) {
  const std::size_t at = line.find(package == "llmcompressor" ? "/llm-compressor" : "/transformers");
  const std::size_t tag = at == std::string_view::npos ? at : line.find('@', at);
  const Numbers numbers = tag == std::string_view::npos ? Numbers() : numbers_in(line.substr(tag + 1));
  return numbers.size() < 2 ? std::string() : fmt::format("=={}", fmt::join(numbers, "."));
}

class RequirementReader {
 public:
  RequirementReader(std::string_view text, const std::string& file) : file_(file), lines_(base::lines_of(text)) {}

  // Reads all lines that `is_read` accepts.
  Requirements run(bool (*is_read)(std::string_view line)) {
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      if (is_read(lines_[at])) read(at);
    }
    return std::move(out_);
  }

 private:
  void read(std::size_t at) {
    const std::string_view line = without_comment(lines_[at]);
    for (const std::string_view package : kPackages) {
      if (std::string tag = line.find("git+") == std::string_view::npos ? std::string() : tag_in(line, package);
          !tag.empty()) {
        add(package, std::move(tag), at);
        continue;
      }
      for (std::size_t found = line.find(package); found != std::string_view::npos;
           found = line.find(package, found + 1)) {
        const std::size_t end = found + package.size();
        const bool whole = (found == 0 || !is_package_letter(line[found - 1])) &&
                           !line.substr(0, found).ends_with('/') &&
                           (end == line.size() || !is_package_letter(line[end])) && line.substr(end, 1) != "/";
        if (whole) add(package, specifier(line, end, at), at);
      }
    }
  }

  static std::string_view without_comment(std::string_view line) {
    const std::size_t mark = line.find(" #");
    return base::trim(line).starts_with('#') ? std::string_view() : line.substr(0, mark);
  }

  // Lock files have the release in one of the next lines.
  [[nodiscard]] std::string specifier(std::string_view line, std::size_t end, std::size_t at) const {
    std::string_view rest = line.substr(end);
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    rest = after_extras(rest);
    if (rest.starts_with(':') || base::trim(rest).empty()) {
      if (std::string locked = locked_version(at); !locked.empty()) return locked;
    }
    if (const std::size_t key = rest.find("version"); key != std::string_view::npos && rest.find('{') < key) {
      rest = rest.substr(key + 7);
    }
    std::string out = specifier_at(rest);
    const bool assigned = operator_in(out) == "=" && !operator_in(std::string_view(out).substr(1)).empty();
    if (assigned) out.erase(0, 1);
    const auto has_numbers = [](const Condition& each) { return !numbers_in(each.release).empty(); };
    return std::ranges::all_of(conditions_of(out), has_numbers) ? out : std::string();
  }

  [[nodiscard]] std::string locked_version(std::size_t at) const {
    constexpr std::size_t kMaxLines = 8;
    for (std::size_t next = at + 1; next < std::min(lines_.size(), at + kMaxLines); ++next) {
      const std::string_view line = base::trim(lines_[next]);
      if (line.empty() || line.starts_with('[') || line.starts_with('}')) break;
      const bool toml = line.starts_with("version");
      if (!toml && !line.starts_with("\"version\"")) continue;
      const std::size_t digit = line.find_first_of("0123456789");
      const Numbers numbers = digit == std::string_view::npos ? Numbers() : numbers_in(line.substr(digit));
      if (!numbers.empty()) return fmt::format("=={}", fmt::join(numbers, "."));
    }
    return {};
  }

  void add(std::string_view package, std::string specifier, std::size_t at) {
    auto& kept = package == "transformers" ? out_.transformers : out_.llmcompressor;
    Requirement found{std::string(package), std::move(specifier), file_, static_cast<std::uint32_t>(at + 1)};
    if (found.specifier.empty() || (kept && (kept->is_exact() || !found.is_exact()))) return;
    kept = std::move(found);
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
  Requirements out_;
};

}  // namespace

bool Requirement::is_exact() const { return std::ranges::any_of(conditions_of(specifier), is_exact_condition); }

bool Requirement::allows(std::string_view release) const {
  const Numbers numbers = numbers_in(release);
  return std::ranges::all_of(conditions_of(specifier), [&](const Condition& each) { return fulfills(numbers, each); });
}

std::string Requirement::text() const { return fmt::format("`{}{}` in {}:{}", package, specifier, file, line); }

void Requirements::add(const Requirements& other) {
  if (!llmcompressor) llmcompressor = other.llmcompressor;
  if (!transformers) transformers = other.transformers;
}

Requirements requirements_in(std::string_view text, const std::string& file) {
  return RequirementReader(text, file).run([](std::string_view) { return true; });
}

Requirements installed_by(std::string_view text, const std::string& file) {
  return RequirementReader(text, file).run([](std::string_view line) {
    const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    return has("install") && (has("pip ") || has("pip\"") || has("pip'"));
  });
}

std::optional<std::string_view> newest_allowed(const Requirement& requirement,
                                               std::span<const std::string_view> known) {
  for (const std::string_view release : known) {
    if (!numbers_in(release).empty() && requirement.allows(release)) return release;
  }
  if (!requirement.is_exact()) {
    return std::nullopt;
  }
  const Numbers exact = numbers_in(conditions_of(requirement.specifier).front().release);
  const auto older = std::ranges::find_if(known, [&](std::string_view release) {
    const Numbers numbers = numbers_in(release);
    return !numbers.empty() && compare(numbers, exact) < 0;
  });
  return older == known.end() ? std::nullopt : std::optional(*older);
}

}  // namespace sparsecfg
