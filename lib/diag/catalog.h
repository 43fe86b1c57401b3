#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sparsecfg::diag {

// error: the framework rejects the file, fails on it during the run or silently drops part of it.
// warning: the recipe runs, but probably not as intended. info: useful to know.
enum class Severity { error, warning, info };

[[nodiscard]] std::string_view to_string(Severity severity);

// The properties that all findings of a diagnostic share. Codes and names are permanent: a code is never reused for
// another diagnostic.
struct Info {
  std::string_view code;         // "SP104"
  std::string_view name;         // "wrong-type"
  Severity severity;             // the default; a report can override it
  bool silent_loss;              // the framework runs the recipe without part of it, instead of rejecting it or failing
  bool fact;                     // an info about many good recipes; printed and counted only with --verbose
  std::string_view message;      // a format string with {} for each argument
  std::string_view explanation;  // what the framework does and why it matters
  std::string_view help;         // the default fix instruction; can use the arguments of the message, as in {0}
};

// A diagnostic with the types of the arguments of its message. A report with missing, extra or unprintable arguments
// does not compile. DIAGNOSTIC in rule.h checks each message against these types.
template <class... Args>
struct Def {
  const Info& info;
};

using Text = std::string_view;

}  // namespace sparsecfg::diag

// One constant for each rule, such as diag::missing_required for SP103. The build writes these declarations without the
// texts, so that a changed sentence recompiles only its own file.
#include "diag/rules.h"

namespace sparsecfg::diag {

// Returns all rows, sorted by code.
[[nodiscard]] std::span<const Info* const> catalog();

// Finds a diagnostic by code or name, ignoring case. Returns nullptr if both are unknown.
[[nodiscard]] const Info* find(std::string_view code_or_name);

// The rules whose codes start with `prefix`.
struct Family {
  std::string_view prefix;  // "SP2"
  std::string_view name;    // "epochs"
  std::string_view scope;   // one sentence: what the rules check
};

// Every family, in the order in which they are listed.
[[nodiscard]] std::span<const Family> families();

// Returns null if no family has the code.
[[nodiscard]] const Family* family_of(std::string_view code);

// Returns the path of the page of a rule in the documentation: "rules/SP202/".
[[nodiscard]] inline std::string page_of(const Info& info) { return "rules/" + std::string(info.code) + "/"; }

// Returns the address of that page. `docs` is the address of the documentation, with a `/` at the end. Returns an empty
// string if `docs` is empty.
[[nodiscard]] inline std::string url_of(const Info& info, std::string_view docs) {
  return docs.empty() ? std::string() : std::string(docs) + page_of(info);
}

}  // namespace sparsecfg::diag
