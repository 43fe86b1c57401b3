#include "dialect/pytorch/write.h"

#include <utility>
#include <vector>

#include "base/text.h"

namespace sparsecfg::dialect::pytorch {

struct RuntimePart {
  std::string name;
  std::vector<std::string> needs;
  std::string text;
};

static std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// Parses a header such as "Prune needs keep".
static RuntimePart header_of(std::string_view words) {
  RuntimePart part{std::string(take_until(words, ' ')), {}, ""};
  take_until(words, ' ');
  while (!words.empty()) {
    part.needs.emplace_back(take_until(words, ' '));
  }
  return part;
}

static std::vector<RuntimePart> parts_of(std::string_view runtime) {
  constexpr std::string_view kMark = "# part: ";
  std::vector<RuntimePart> parts;
  while (!runtime.empty()) {
    const std::string_view line = take_until(runtime, '\n');
    if (const std::string_view words = base::trim(line); words.starts_with(kMark)) {
      parts.push_back(header_of(words.substr(kMark.size())));
    } else if (!parts.empty()) {
      parts.back().text += std::string(line) + "\n";
    }
  }
  return parts;
}

// Adds the required parts of all parts, recursively.
static void complete(const std::vector<RuntimePart>& all, Parts& parts) {
  for (std::size_t before = 0; before != parts.size();) {
    before = parts.size();
    for (const RuntimePart& part : all) {
      if (parts.contains(part.name)) parts.insert(part.needs.begin(), part.needs.end());
    }
  }
}

// Separates functions and classes by two empty lines, and methods of a class by one.
static void add(const std::string& text, std::string& out) {
  const std::string lines = text.substr(0, text.find_last_not_of('\n') + 1);
  out += out.empty() ? "" : lines.starts_with(' ') ? "\n" : "\n\n";
  out += lines + "\n";
}

std::string runtime_with(Parts parts) {
  const std::vector<RuntimePart> all = parts_of(kRuntime);
  parts.insert("core");
  complete(all, parts);
  std::string out;
  for (const RuntimePart& part : all) {
    if (parts.contains(part.name)) add(part.text, out);
  }
  return out;
}

}  // namespace sparsecfg::dialect::pytorch
