#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "python/tree.h"
#include "source/source_file.h"

namespace sparsecfg::dialect::torchao {

// A function of a script that selects modules by class and name, such as `lambda mod, fqn: "head" not in fqn`.
class Filter {
 public:
  // Returns the lambda at a place, or the function that is named there. Nullopt if it is more than one expression.
  [[nodiscard]] static std::optional<Filter> at(const source::SourceFile& file, source::Span place);

  // Returns true if the function selects a module. Nullopt if only a run can tell.
  [[nodiscard]] std::optional<bool> selects(std::string_view type, std::string_view name) const;

  // Returns the expression of the function.
  [[nodiscard]] source::Span place() const;
  // Returns the expression with a test for linear layers before it.
  [[nodiscard]] std::string only_linear() const;

 private:
  Filter(const source::SourceFile& file, std::shared_ptr<const python::Statement> function, std::uint32_t offset)
      : file_(&file), function_(std::move(function)), offset_(offset) {}

  [[nodiscard]] const python::Node& body() const;
  [[nodiscard]] std::string_view parameter(std::size_t at) const;

  const source::SourceFile* file_;
  std::shared_ptr<const python::Statement> function_;
  std::uint32_t offset_;  // of the text that was parsed
};

}  // namespace sparsecfg::dialect::torchao
