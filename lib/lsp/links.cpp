#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "lsp/features.h"

namespace sparsecfg::lsp {

using source::Span;

namespace fs = std::filesystem;

// File types that recipes, scripts and config files name.
constexpr std::string_view kEndings[] = {"yaml", "yml", "json",        "md", "mdx",
                                         "txt",  "tsv", "safetensors", "py", "ipynb"};

static bool is_path_letter(char c) {
  return base::is_name_letter(c) || std::string_view("./-+@~").find(c) != std::string_view::npos;
}

// Returns the words of a text that look like names of files.
static std::vector<Span> candidates_of(std::string_view text) {
  constexpr std::size_t kMaxLength = 300;
  constexpr std::size_t kMaxCount = 200;
  std::vector<Span> out;
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxCount; ++at) {
    if (!is_path_letter(text[at])) continue;
    const std::size_t begin = at;
    while (at < text.size() && is_path_letter(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (word.size() <= kMaxLength && base::contains(kEndings, base::to_lower(base::ending_of(word)))) {
      out.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)});
    }
  }
  return out;
}

Json document_links(Workspace& workspace, const Json& params) {
  const Document& document = workspace.document_while_typing(params);
  Json out = Json::array();
  const fs::path folder = fs::path(document.path()).parent_path();
  if (folder.empty()) return out;  // an unsaved document
  for (const Span span : candidates_of(document.text().bytes())) {
    const fs::path path = folder / document.text().bytes().substr(span.begin, span.end - span.begin);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || path == fs::path(document.path())) continue;
    out.push_back({{"range", to_json(document.text().range(span))},
                   {"target", base::uri_of(fs::absolute(path, ignored).lexically_normal().native())}});
  }
  return out;
}

}  // namespace sparsecfg::lsp
