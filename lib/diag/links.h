#pragma once

#include <string>
#include <string_view>

#include "diag/catalog.h"

// Addresses of the documentation of rules.
namespace sparsecfg::diag {

// Returns the path of the page of a rule in the documentation: "rules/SP202/".
[[nodiscard]] inline std::string page_of(const Info& info) { return "rules/" + std::string(info.code) + "/"; }

// Returns the address of that page. `docs` is the address of the documentation, with a `/` at the end. Returns an empty
// string if `docs` is empty.
[[nodiscard]] inline std::string url_of(const Info& info, std::string_view docs) {
  return docs.empty() ? std::string() : std::string(docs) + page_of(info);
}

// Makes a string a hyperlink of the terminal (OSC 8). Returns it unchanged if the address is empty.
[[nodiscard]] inline std::string linked(std::string_view text, std::string_view url) {
  if (url.empty()) return std::string(text);
  return std::string("\x1b]8;;").append(url).append("\x1b\\").append(text).append("\x1b]8;;\x1b\\");
}

}  // namespace sparsecfg::diag
