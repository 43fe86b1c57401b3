#include <fmt/core.h>

#include <algorithm>

#include "dialect/nni/write.h"
#include "ir/clock.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

static Value text(std::string_view value) { return {std::string(value), {}}; }

static Value whole(std::uint64_t value) { return {static_cast<std::int64_t>(value), {}}; }

static void set(Map& map, std::string_view key, Value value) { map.emplace_back(text(key), std::move(value)); }

static void set(Map& map, std::string_view key, const std::vector<std::string>& names) {
  List list;
  for (const std::string& name : names) {
    list.push_back(text(name));
  }
  if (!names.empty()) {
    set(map, key, Value{std::move(list), {}});
  }
}

static Value entry_of_piece(const Piece& piece) {
  Map entry;
  set(entry, "op_names", piece.modules.names);
  set(entry, "op_names_re", piece.modules.patterns);
  set(entry, "op_types", piece.modules.types);
  set(entry, "target_names", std::vector<std::string>{"weight"});
  set(entry, "sparse_ratio", Value{piece.sparsity, {}});
  if (!piece.group.is_null()) {
    set(entry, "global_group_id", piece.group);
  }
  if (!piece.granularity.is_null()) {
    set(entry, "granularity", piece.granularity);
  }
  return {std::move(entry), {}};
}

// Returns a class and its arguments. Pieces with equal results share a compressor.
static Map part_of_piece(const Piece& piece) {
  const RatioRamp& course = piece.course;
  Map inner;
  set(inner, "class", text(piece.pruner));
  if (piece.moves()) {
    set(inner, "warmup_step", whole(course.begin));
    set(inner, "cooldown_begin_step", whole(course.last()));
  }
  if (piece.moves() || course.at_once()) {
    return inner;
  }
  Map part;
  set(part, "class", text(course.cubic ? "AGPPruner" : "LinearPruner"));
  set(part, "interval_steps", whole(course.every));
  set(part, "total_times", whole(course.times));
  set(part, "pruner", Value{std::move(inner), {}});
  return part;
}

static std::string arguments_of(const Map& part) {
  std::string out;
  for (const source::Entry& argument : part) {
    const std::string name = source::python_str(argument.first);
    if (name != "class" && name != "pruner") out += fmt::format(", {}={}", name, source::python_str(argument.second));
  }
  return out;
}

// `before`: the variable of the preceding compressor; empty: none.
static std::string call_of(const Map& part, std::string_view variable, const std::string& list,
                           std::string_view before) {
  const std::string name = source::python_str(part.front().second);
  const auto* inner = part.back().second.get<Map>();
  const std::string maker = inner == nullptr ? name : source::python_str(inner->front().second);
  const std::string made = before.empty() ? fmt::format("{}(model, {}", maker, list)
                                          : fmt::format("{}.from_compressor({}, {}", maker, before, list);
  const std::string arguments = part.size() > 1 ? arguments_of(part) + ", evaluator=evaluator" : "";
  return inner == nullptr ? fmt::format("{} = {}{})", variable, made, arguments)
                          : fmt::format("{} = {}({}){})", variable, name, made, arguments);
}

class Assembler {
 public:
  Assembler(std::vector<Piece> pieces, std::vector<Quantizer> quantizers, std::uint64_t begin,
            const WriteOptions& options)
      : pieces_(std::move(pieces)), quantizers_(std::move(quantizers)), begin_(begin), options_(options) {}

  Assembly run(std::vector<ActionStatus>& statuses) {
    // The first entry of a target applies, so names come before patterns and patterns before types.
    std::ranges::stable_sort(pieces_, {}, [](const Piece& piece) {
      return std::pair(!piece.modules.types.empty() ? 2 : !piece.modules.patterns.empty() ? 1 : 0, piece.place);
    });
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      Map part = part_of_piece(pieces_[at]);
      if (parts_.empty() || parts_.back() != part) {
        parts_.push_back(std::move(part));
        lists_.emplace_back();
      }
      lists_.back().push_back(entry_of_piece(pieces_[at]));
      statuses[pieces_[at].action].links.push_back({pieces_[at].target, static_cast<int>(at) + 1, 0});
    }
    for (Quantizer& quantizer : quantizers_) {
      parts_.push_back(part_of_quantizer(quantizer.start - std::min(quantizer.start, begin_)));
      lists_.push_back(std::move(quantizer.entries));
    }
    return {document(), calls()};
  }

 private:
  static Map part_of_quantizer(std::uint64_t start) {
    Map part;
    set(part, "class", text("QATQuantizer"));
    set(part, "quant_start_step", whole(start));
    return part;
  }

  bool trains() const {
    return !quantizers_.empty() ||
           std::ranges::any_of(pieces_, [](const Piece& piece) { return !piece.course.at_once(); });
  }

  // NNI rejects `max_steps` below the length of the schedule, but not `max_epochs`.
  Map compress() const {
    Map out;
    const std::uint64_t steps_per_epoch = options_.read.steps_per_epoch.value_or(1);
    const std::uint64_t steps = ir::steps_of(options_.epochs.value_or(0), steps_per_epoch);
    const std::uint64_t left = steps > begin_ ? steps - begin_ : 0;
    const auto reaches = [&](const Piece& piece) { return piece.course.last() <= left; };
    if (left % steps_per_epoch != 0 && std::ranges::all_of(pieces_, reaches)) {
      set(out, "max_steps", whole(left));
    } else if (left > 0) {
      set(out, "max_epochs", whole((left + steps_per_epoch - 1) / steps_per_epoch));
    } else if (parts_.size() > 1) {
      set(out, "max_steps", whole(std::max<std::uint64_t>(1, last_update())));
    }
    return out;
  }

  std::uint64_t last_update() const {
    std::uint64_t last = 0;
    for (const Piece& piece : pieces_) last = std::max(last, piece.course.last());
    return last;
  }

  // Returns the configuration. Moves the lists out.
  Value document() {
    Map root;
    if (parts_.size() == 1) {
      set(root, pieces_.empty() ? "quantizer" : "pruner", Value{parts_.front(), {}});
      set(root, "config_list", Value{std::move(lists_.front()), {}});
    } else {
      List compressors;
      for (std::size_t at = 0; at < parts_.size(); ++at) {
        Map compressor = parts_[at];
        set(compressor, "config_list", Value{std::move(lists_[at]), {}});
        compressors.push_back({std::move(compressor), {}});
      }
      set(root, "compressors", Value{std::move(compressors), {}});
    }
    const Map arguments = compress();
    if (trains() && !arguments.empty()) {
      set(root, "compress", Value{arguments, {}});
    }
    if (trains()) {
      set(root, "evaluator",
          Value{Map{{text("steps_per_epoch"), whole(options_.read.steps_per_epoch.value_or(1))}}, {}});
    }
    return {std::move(root), {}};
  }

  std::vector<std::string> calls() const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < parts_.size(); ++at) {
      const std::string list = parts_.size() == 1 ? "config_list" : fmt::format("compressors[{}].config_list", at);
      const bool prunes = at < parts_.size() - quantizers_.size();
      out.push_back(call_of(parts_[at], prunes ? "pruner" : "quantizer", list, name_of_last(at)));
    }
    const Map run = trains() ? compress() : Map();
    const auto value = [&](std::string_view key) {
      const bool given = !run.empty() && run.front().first == text(key);
      return given ? source::python_str(run.front().second) : "None";
    };
    const std::string_view last = name_of_last(parts_.size());
    out.push_back(run.empty() ? fmt::format("{}.compress()", last)
                              : fmt::format("{}.compress(max_steps={}, max_epochs={})", last, value("max_steps"),
                                            value("max_epochs")));
    return out;
  }

  // Returns the variable of the compressor before a part; empty for the first one.
  std::string_view name_of_last(std::size_t part) const {
    return part == 0 ? "" : part - 1 < parts_.size() - quantizers_.size() ? "pruner" : "quantizer";
  }

  std::vector<Piece> pieces_;
  std::vector<Quantizer> quantizers_;
  std::uint64_t begin_;
  const WriteOptions& options_;
  std::vector<Map> parts_;
  std::vector<List> lists_;
};

Assembly assemble(std::vector<Piece> pieces, std::vector<Quantizer> quantizers, std::uint64_t begin,
                  const WriteOptions& options, std::vector<ActionStatus>& statuses) {
  return Assembler(std::move(pieces), std::move(quantizers), begin, options).run(statuses);
}

}  // namespace sparsecfg::dialect::nni
