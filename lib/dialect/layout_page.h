#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"

// Manual pages of sections, keys, tokens and expressions.
namespace sparsecfg::dialect {

struct LayoutWord {
  std::string_view name;
  std::string_view doc;
};

// Adds an unlisted page for each word.
void add_layout_pages(std::vector<Page>& pages, std::span<const LayoutWord> words, std::string_view reader);

}  // namespace sparsecfg::dialect
