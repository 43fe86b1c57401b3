#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"

// Pages of what a recipe consists of besides classes: sections, keys, tokens and expressions.
namespace sparsecfg::dialect {

struct LayoutWord {
  std::string_view name;
  std::string_view doc;
};

// Adds a page for each word; they are not listed among the classes.
void add_layout_pages(std::vector<Page>& pages, std::span<const LayoutWord> words, std::string_view reader);

}  // namespace sparsecfg::dialect
