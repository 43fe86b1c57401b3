#include "dialect/distiller/training_command.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::distiller {

using source::ShellCommand;
using source::ShellWord;

namespace {

constexpr std::string_view kAi8x = "train.py";
constexpr std::string_view kDistiller = "compress_classifier.py";

enum class Role : std::uint8_t { other, schedule, qat_policy, nas_policy, nas, epochs, network, device, evaluate };

struct OptionRow {
  std::string_view name;
  Role role;
  std::string_view program{};  // the only one with this option; empty: both
};

// The options that decide how files are checked (docs/semantics/ai8x.md#b1-6, docs/semantics/distiller.md#a6-1).
constexpr OptionRow kOptions[] = {{"--compress", Role::schedule},
                                  {"--epochs", Role::epochs},
                                  {"--evaluate", Role::evaluate},
                                  {"-e", Role::evaluate},
                                  {"--arch", Role::network, kDistiller},
                                  {"-a", Role::network, kDistiller},
                                  {"--qat-policy", Role::qat_policy, kAi8x},
                                  {"--nas", Role::nas, kAi8x},
                                  {"--nas-policy", Role::nas_policy, kAi8x},
                                  {"--device", Role::device, kAi8x}};

constexpr std::string_view kDefaultPolicy = "policies/qat_policy.yaml";
constexpr double kDefaultEpochs = 90;

// A value of an option; nullopt if only a run knows it.
using OptionValue = std::optional<std::string>;

Role role_of(std::string_view name, std::string_view program) {
  const auto fits = [&](const OptionRow& row) {
    return row.name == name && (row.program.empty() || row.program == program);
  };
  const auto* const found = std::ranges::find_if(kOptions, fits);
  return found == std::end(kOptions) ? Role::other : found->role;
}

bool is_flag(Role role) { return role == Role::nas || role == Role::evaluate; }

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

// Returns a number as `int` of Python reads it, if it can be the length of a run.
std::optional<double> epochs_of(const OptionValue& value) {
  constexpr std::uint32_t kMax = 1'000'000;
  std::uint32_t out = 0;
  const std::string_view text = value ? std::string_view(*value) : std::string_view();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool valid = error == std::errc() && end == text.data() + text.size() && out > 0 && out <= kMax;
  return valid ? std::optional<double>(out) : std::nullopt;
}

// Reads the arguments of a command from left to right. The last value of an option counts.
class CommandReader {
 public:
  CommandReader(const ShellCommand& command, std::size_t begin, std::string_view program)
      : words_(command.words), at_(begin), program_(program) {}

  std::optional<TrainingCommand> read() {
    while (at_ < words_.size()) read_word();
    const bool uses_files = has(Role::schedule) || has(Role::qat_policy) || has(Role::nas_policy);
    const bool certain = is_certain();
    if (!uses_files || (!certain && !is_yaml(text_of(Role::schedule)))) return std::nullopt;
    TrainingCommand out;
    if (has(Role::evaluate)) return out;
    out.run = {length(certain), policy(certain), schedule(), certain && program_ == kAi8x};
    add_files(certain, out);
    out.network = text_of(Role::network);
    return out;
  }

 private:
  void read_word() {
    const ShellWord& word = words_[at_++];
    const std::size_t equals = std::min(word.text.find('='), word.text.size());
    const Role role = role_of(std::string_view(word.text).substr(0, equals), program_);
    if (role == Role::other) {
      open_ = open_ || (word.splits && !word.text.starts_with('-'));
    } else if (equals < word.text.size()) {
      values_[role] = word.unknown ? OptionValue() : word.text.substr(equals + 1);
    } else if (is_flag(role)) {
      values_[role] = "";
    } else if (at_ < words_.size() && !words_[at_].text.starts_with('-')) {
      const ShellWord& value = words_[at_++];
      values_[role] = value.unknown ? OptionValue() : value.text;
    }
  }

  [[nodiscard]] bool has(Role role) const { return values_.contains(role); }

  // Returns the value of an option; empty if it is unknown.
  [[nodiscard]] std::string text_of(Role role) const {
    const auto found = values_.find(role);
    return found == values_.end() ? std::string() : found->second.value_or("");
  }

  // Other projects also have a train.py.
  [[nodiscard]] bool is_certain() const {
    return program_ == kDistiller || has(Role::qat_policy) || has(Role::nas) || has(Role::nas_policy) ||
           text_of(Role::device).starts_with("MAX78");
  }

  [[nodiscard]] std::optional<double> length(bool certain) const {
    const auto found = values_.find(Role::epochs);
    if (found != values_.end()) return epochs_of(found->second);
    return certain && !open_ ? std::optional(kDefaultEpochs) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> schedule() const {
    const std::string path = text_of(Role::schedule);
    return path.empty() ? std::nullopt : std::optional(path);
  }

  [[nodiscard]] std::optional<std::string> policy(bool certain) const {
    if (program_ != kAi8x || !certain) return std::nullopt;
    const auto found = values_.find(Role::qat_policy);
    if (found == values_.end()) return open_ ? std::nullopt : std::optional<std::string>(kDefaultPolicy);
    if (!found->second) return std::nullopt;
    return base::to_lower(*found->second) == "none" ? std::string() : *found->second;
  }

  void add_files(bool certain, TrainingCommand& out) const {
    const auto add = [&](const std::string& path, std::string_view dialect) {
      if (is_yaml(path)) out.files.push_back({path, certain ? dialect : std::string_view()});
    };
    add(text_of(Role::schedule), "distiller");
    add(out.run.qat_policy.value_or(""), "ai8x");
    if (has(Role::nas)) add(text_of(Role::nas_policy), "ai8x");
  }

  const std::vector<ShellWord>& words_;
  std::size_t at_;
  std::string_view program_;
  bool open_ = false;  // true if a run may add options, as `"$@"` does
  std::map<Role, OptionValue> values_;
};

}  // namespace

void TrainingRun::merge(const TrainingRun& other) {
  if (epochs != other.epochs) epochs.reset();
  if (qat_policy != other.qat_policy) qat_policy.reset();
  if (schedule != other.schedule) schedule.reset();
  ai8x = ai8x && other.ai8x;
}

std::optional<TrainingCommand> training_command(const ShellCommand& command) {
  for (std::size_t at = 0; at < command.words.size(); ++at) {
    const std::string_view name = source::program_name(command.words[at].text);
    if (source::only_names_programs(name)) return std::nullopt;
    if (name == kAi8x || name == kDistiller)
      return CommandReader(command, at + 1, name == kAi8x ? kAi8x : kDistiller).read();
  }
  return std::nullopt;
}

std::vector<std::string_view> training_programs() { return {kDistiller, "train.py --compress"}; }

bool may_train(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has(kDistiller) || (has(kAi8x) && (has("--compress") || has("--qat-policy") || has("--nas-policy")));
}

}  // namespace sparsecfg::dialect::distiller
