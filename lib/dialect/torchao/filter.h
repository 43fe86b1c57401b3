#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/quantizers/script_code.h"
#include "dialect/torchao/predicate.h"
#include "model/names.h"
#include "python/tree.h"
#include "source/source_file.h"
#include "source/value.h"

namespace sparsecfg::dialect::torchao {

// A function of a script that selects modules by class, size and name, such as `lambda mod, fqn: "head" not in fqn`.
class Filter {
 public:
  // Returns the lambda at a place, or the function that is named there. Nullopt if the file has no such function.
  [[nodiscard]] static std::optional<Filter> at(const source::SourceFile& file, source::Span place);

  // Returns true if the function selects a module. Nullopt if only a run can tell.
  [[nodiscard]] std::optional<bool> selects(const model::Module& module) const;

  // Returns the same if the function got the name first.
  [[nodiscard]] std::optional<bool> selects_by_name_first(const model::Module& module) const;

  // Returns true if the function can be called with a module and its name.
  [[nodiscard]] bool accepts_both() const;
  // Returns the definition with other parameters: `lambda module, name: ...`, or only the first line of a function.
  [[nodiscard]] std::string with_parameters(std::string_view parameters) const;
  // Returns the parameters as they are written.
  [[nodiscard]] std::vector<std::string> parameters() const;
  // Returns the place of the parameters and what follows them.
  [[nodiscard]] source::Span place_of_parameters() const;

  // Returns the expression that selects the linear layers that the function rejects, with the parameters of a filter.
  [[nodiscard]] quantizers::ScriptCode inverted() const;
  // Returns true if the function, a name in it or a comment states that it selects what stays as it is.
  [[nodiscard]] bool names_kept_layers() const;

  // Returns the place that names the function, or the lambda.
  [[nodiscard]] source::Span use() const { return use_; }

  // Returns the strings of the file that the function compared with names of modules, but never with success.
  [[nodiscard]] std::vector<source::Located<std::string>> unmatched() const;

  // Returns the expression of the function, or the first line of a function of several statements.
  [[nodiscard]] source::Span place() const;
  // Returns the expression with a test for linear layers before it; empty for several statements.
  [[nodiscard]] quantizers::ScriptCode only_linear() const;
  // Returns the test for linear layers.
  [[nodiscard]] quantizers::ScriptCode test_for_linear() const;

 private:
  Filter(const source::SourceFile& file, std::shared_ptr<const python::Script> script,
         std::shared_ptr<const python::Statement> function, std::uint32_t offset, source::Span use);

  // Returns what a function of one statement returns, which a docstring may precede; null for several statements.
  [[nodiscard]] const python::Node* expression() const;
  // Returns that test with the name `nn` for a module of torch, which the script may lack.
  [[nodiscard]] std::string plain_test() const;
  [[nodiscard]] source::Span shifted(source::Span span) const;
  [[nodiscard]] source::Span place_of_string(std::string_view text) const;

  const source::SourceFile* file_;
  std::shared_ptr<const python::Script> script_;
  std::shared_ptr<const python::Statement> function_;  // of the script, or a lambda
  Definitions definitions_;
  std::uint32_t offset_;  // of the text of a lambda
  source::Span use_;
  std::shared_ptr<Evaluations> shared_;
};

}  // namespace sparsecfg::dialect::torchao
