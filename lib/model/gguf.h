#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/names.h"
#include "source/load.h"

// The header of a GGUF file: the metadata and the list of tensors.
namespace sparsecfg::model {

struct GgufTensor {
  std::string name;
  Shape shape;             // outermost dimension first, so the columns are the last
  std::uint32_t type = 0;  // number of the type in ggml
};

struct GgufHeader {
  std::map<std::string, std::variant<std::int64_t, std::string>, std::less<>> values;  // scalars and strings
  std::vector<GgufTensor> tensors;

  // Return a value of the metadata; nullopt if it is absent or has another type. Of a list of equal numbers, that
  // number.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
};

// Returns true if a file starts as a GGUF file.
[[nodiscard]] bool is_gguf(std::string_view bytes);

// Reads the header of a GGUF file (version 2 or 3) from its first bytes. Rejects other versions, and headers that are
// not complete within the bytes.
[[nodiscard]] std::variant<GgufHeader, source::LoadError> read_gguf(std::string_view bytes);

// Loads the header of a GGUF file. The weights are not read.
[[nodiscard]] std::variant<GgufHeader, source::LoadError> load_gguf(const std::string& path);

// Returns the names and shapes of the tensors.
[[nodiscard]] Parameters parameters_of(const GgufHeader& header);

}  // namespace sparsecfg::model
