#include "model/gguf.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/text.h"

namespace sparsecfg::model {

namespace {

constexpr std::string_view kMagic = "GGUF";

// Numbers of the types of metadata.
enum class ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

// Reads little-endian values from the front of the header. Stops at its end.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }

  template <class T>
  T number() {
    T out{};
    const std::string_view raw = take(sizeof(T));
    if (!raw.empty()) std::memcpy(&out, raw.data(), sizeof(T));
    return out;
  }

  std::string_view text() { return take(number<std::uint64_t>()); }

  // Returns the value, or nullopt for types that no caller needs.
  std::optional<std::variant<std::int64_t, std::string>> value(ValueType type) {
    switch (type) {
      case ValueType::u8: return number<std::uint8_t>();
      case ValueType::i8: return number<std::int8_t>();
      case ValueType::boolean: return number<std::uint8_t>();
      case ValueType::u16: return number<std::uint16_t>();
      case ValueType::i16: return number<std::int16_t>();
      case ValueType::u32: return number<std::uint32_t>();
      case ValueType::i32: return number<std::int32_t>();
      case ValueType::i64: return number<std::int64_t>();
      case ValueType::u64:
        return static_cast<std::int64_t>(std::min<std::uint64_t>(number<std::uint64_t>(), INT64_MAX));
      case ValueType::f32: (void)take(4); return std::nullopt;
      case ValueType::f64: (void)take(8); return std::nullopt;
      case ValueType::string: return std::string(text());
      case ValueType::array: return array();
    }
    failed_ = true;
    return std::nullopt;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (failed_ || size > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view out = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return out;
  }

  // Returns the number that all elements have, if they have one.
  std::optional<std::variant<std::int64_t, std::string>> array() {
    const auto type = static_cast<ValueType>(number<std::uint32_t>());
    const auto count = number<std::uint64_t>();
    if (type == ValueType::array) failed_ = true;  // lists of lists do not occur
    std::optional<std::variant<std::int64_t, std::string>> all;
    for (std::uint64_t at = 0; at < count && !failed_; ++at) {
      auto each = value(type);
      if (at == 0)
        all = std::move(each);
      else if (all != each)
        all.reset();
    }
    return type == ValueType::string ? std::nullopt : all;
  }

  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::int64_t> GgufHeader::number(std::string_view key) const {
  const auto found = values.find(key);
  const auto* number = found == values.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::string> GgufHeader::text(std::string_view key) const {
  const auto found = values.find(key);
  const auto* text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

bool is_gguf(std::string_view bytes) { return bytes.starts_with(kMagic); }

static std::optional<GgufTensor> read_tensor(HeaderReader& reader) {
  constexpr std::uint32_t kMaxGgufDimensions = 4;
  GgufTensor out;
  out.name = std::string(reader.text());
  const auto dimensions = reader.number<std::uint32_t>();
  if (dimensions > kMaxGgufDimensions || base::find_invalid_utf8(out.name) < out.name.size()) return std::nullopt;
  for (std::uint32_t at = 0; at < dimensions; ++at) out.shape.push_back(reader.number<std::uint64_t>());
  std::ranges::reverse(out.shape);
  out.type = reader.number<std::uint32_t>();
  (void)reader.number<std::uint64_t>();  // offset
  if (reader.failed() || !elements_of(out.shape)) return std::nullopt;
  return out;
}

std::variant<GgufHeader, source::LoadError> read_gguf(std::string_view bytes) {
  if (!is_gguf(bytes)) return source::LoadError{"is not a GGUF file"};
  HeaderReader reader(bytes.substr(kMagic.size()));
  const auto version = reader.number<std::uint32_t>();
  if (version < 2 || version > 3) return source::LoadError{"has a version of GGUF other than 2 and 3"};
  const auto tensors = reader.number<std::uint64_t>();
  const auto entries = reader.number<std::uint64_t>();
  GgufHeader out;
  for (std::uint64_t at = 0; at < entries && !reader.failed(); ++at) {
    std::string key(reader.text());
    auto value = reader.value(static_cast<ValueType>(reader.number<std::uint32_t>()));
    if (value) out.values.insert_or_assign(std::move(key), *std::move(value));
  }
  for (std::uint64_t at = 0; at < tensors && !reader.failed(); ++at) {
    auto tensor = read_tensor(reader);
    if (!tensor) return source::LoadError{"has an incomplete or invalid GGUF header"};
    out.tensors.push_back(*std::move(tensor));
  }
  if (reader.failed()) return source::LoadError{"has an incomplete or invalid GGUF header"};
  return out;
}

std::variant<GgufHeader, source::LoadError> load_gguf(const std::string& path) {
  constexpr std::size_t kMaxHeader = std::size_t{64} << 20;  // vocabularies are part of the header
  source::Loaded bytes = source::read_start(path, kMaxHeader);
  if (auto* failure = std::get_if<source::LoadError>(&bytes)) return std::move(*failure);
  return read_gguf(std::get<std::string>(bytes));
}

Parameters parameters_of(const GgufHeader& header) {
  Parameters out;
  std::unordered_set<std::string_view> seen;
  for (const GgufTensor& tensor : header.tensors) {
    if (!seen.insert(tensor.name).second) continue;
    out.names.push_back(tensor.name);
    out.shapes.emplace_back(tensor.shape);
  }
  return out;
}

}  // namespace sparsecfg::model
