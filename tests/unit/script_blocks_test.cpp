#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/number.h"
#include "python/tree.h"
#include "script/trace.h"

// The blocks of tests/scripts/blocks.md: each line `show(...)` states the value, or that it is unknown.
namespace sparsecfg::test {

using script::Ref;
using script::Value;

struct Block {
  std::string title;
  std::string text;
  std::vector<std::string> expected;  // of the calls of `show`, in order
};

static std::string after(const std::string& line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  return at == std::string::npos ? std::string() : line.substr(at + mark.size());
}

static std::vector<Block> read_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<Block> out;
  std::string title;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) title = line.substr(3);
    if (line.starts_with("```")) {
      inside = line == "```python";
      if (inside) out.push_back({title, {}, {}});
      continue;
    }
    if (!inside) continue;
    out.back().text += line + "\n";
    const std::string known = after(line, "# known: ");
    if (!known.empty()) out.back().expected.push_back(known);
    if (line.ends_with("# unknown")) out.back().expected.emplace_back("?");
  }
  return out;
}

// Returns a value as Python prints it; a `?` for each unknown part.
static std::string printed(const Value& value) {
  using Kind = Value::Kind;
  if (value.kind == Kind::scalar) {
    return !value.is_whole()           ? "?"
           : value.string() != nullptr ? base::python_repr(*value.string())
                                       : source::python_str({value.data, {}});
  }
  const bool container = value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::dictionary;
  if (!container || value.open) return "?";
  std::string out;
  for (std::size_t at = 0; at < value.items.size(); ++at) {
    const bool second = value.kind == Kind::dictionary && at % 2 == 1;
    out += (at == 0 ? "" : second ? ": " : ", ") + printed(*value.items[at]);
  }
  const bool single = value.kind == Kind::tuple && value.items.size() == 1;
  return value.kind == Kind::list    ? "[" + out + "]"
         : value.kind == Kind::tuple ? "(" + out + (single ? ",)" : ")")
                                     : "{" + out + "}";
}

static std::vector<std::string> shown_by(const std::string& text) {
  const python::Script tree = python::parse_script(text);
  script::Library library;
  library.keeps_arguments = [](std::string_view path) { return path == ".show"; };
  const script::Trace trace = script::follow({text, {&tree, 1}}, library);
  std::vector<std::string> out;
  for (const Ref& call : trace.objects) {
    if (call->path == "show" && !call->items.empty()) out.push_back(printed(*call->items.front()));
  }
  return out;
}

TEST_CASE("the blocks of the script reader have the stated values") {
  const std::vector<Block> blocks = read_blocks(SPARSECFG_TESTDATA "/../tests/scripts/blocks.md");
  CHECK(blocks.size() > 30);
  for (const Block& block : blocks) {
    INFO(block.title << "\n" << block.text);
    CHECK(shown_by(block.text) == block.expected);
  }
}

}  // namespace sparsecfg::test
