#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "dialect/stages/table.h"
#include "doc/document.h"
#include "source/source_file.h"

// Fields that are beside their modifier instead of below it, because their indentation is wrong.
namespace sparsecfg::dialect::stages {

// A key of a group.
struct GroupKey {
  std::string name;
  source::Span key;
  doc::NodeId value{};
};

// Returns for each key the index of the modifier above it that has its fields below it, if the key is the name of a
// field; else nullopt.
[[nodiscard]] std::vector<std::optional<std::size_t>> owners_of_fields(const Table& table,
                                                                       const doc::Document& document,
                                                                       std::span<const GroupKey> keys);

// Offers to indent the fields like the other fields of the modifier. The finding is about the first of them.
void offer_indentation(diag::Diagnostic& report, const source::SourceFile& file, const doc::Document& document,
                       const GroupKey& modifier, std::span<const GroupKey> fields);

}  // namespace sparsecfg::dialect::stages
