#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/operations.h"
#include "dialect/llmcompressor/rules/rules.h"

// Checks that the modules that a rotation selects can be rotated, and that their widths allow it.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

static bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

DIAGNOSTIC(LC413, rotation_width, error, (Text, std::uint64_t, Text, Text), "`{}` has {} {}, {}",
           "A rotation is a square matrix of the width of a layer, or of blocks that divide it. Hadamard matrices are "
           "built for powers of two, so other widths need blocks.",
           "write a `transform_block_size` that divides all widths")

namespace {

enum class Side : std::uint8_t { inputs, outputs };

// How modules are rotated, and the places of these settings.
struct Shape {
  std::uint64_t block = 0;  // 0: the whole width
  bool hadamard = false;    // true for matrices that exist only for powers of two
  source::Span of_block;
  source::Span of_type;
  std::string_view field;  // that sets the block
};

}  // namespace

// Returns the greatest power of two up to 128, the usual size, that divides the widths of all layers; 0 if it is small.
static std::uint64_t fitting_block(const Modules& modules) {
  constexpr std::uint64_t kUsual = 128;
  constexpr std::uint64_t kLeast = 16;
  std::uint64_t out = kUsual;
  for (const Module& module : modules) {
    if (!takes_scheme(module) || !module.shape || module.shape->size() != 2) continue;
    while (out > 1 && (module.shape->front() % out != 0 || module.shape->back() % out != 0)) out /= 2;
  }
  return out < kLeast ? 0 : out;
}

static void report_width(const Context& context, const Shape& shape, const Module& module, std::uint64_t width,
                         std::string_view side, const Modules& modules) {
  const bool divides = shape.block == 0 || width % shape.block == 0;
  const std::string fault =
      !divides           ? fmt::format("which blocks of {} do not divide", shape.block)
      : shape.block == 0 ? "but a Hadamard rotation needs a power of two"
                         : fmt::format("but a Hadamard rotation in blocks of {} needs a power of two", shape.block);
  const std::uint64_t block = fitting_block(modules);
  const bool added = shape.block == 0;
  context.sink
      .report(diag::rotation_width, divides && added ? shape.of_type : shape.of_block, module.name, width, side, fault)
      .with_help(block == 0 ? fmt::format("write a `{}` that {}divides all widths", shape.field,
                                          shape.hadamard ? "is a power of two and " : "")
                            : fmt::format("{} `{}: {}`, which divides all widths", added ? "add" : "write", shape.field,
                                          block));
}

DIAGNOSTIC(LC414, not_rotatable, error, (Text, Text),
           "`{}` cannot rotate `{}`, because it is no Linear or Embedding layer",
           "A rotation is multiplied with the weight of a module. The run stops at a module of another class.",
           "write targets that only match Linear layers, such as `re:.*_proj$`")

static void report_unrotatable(const Context& context, const Modifier& modifier, const Module& module) {
  const auto* quip = modifier.as<Quip>();
  context.sink.report(diag::not_rotatable, quip == nullptr ? modifier.key : quip->targets.place(), modifier.spec->name,
                      module.name);
}

DIAGNOSTIC(LC415, spinquant_model, error, (Text), "`SpinQuantModifier` does not fit this model: {}",
           "SpinQuantModifier first moves the weights of the norms into the layers after them. It finds both by the "
           "module names of Llama, and stops if a norm has no such layers.",
           "use QuIPModifier, or rotate a model with the module names of Llama")

namespace {

class RotationCheck {
 public:
  RotationCheck(const Context& context, const Modifier& modifier, const Rotation& rotation, const Modules& modules)
      : context_(context), modifier_(modifier), rotation_(rotation), modules_(modules) {
    const bool spin = modifier.as<SpinQuant>() != nullptr;
    shape_ = {static_cast<std::uint64_t>(std::max<std::int64_t>(rotation.transform_block_size.value_or(0), 0)),
              rotation.transform_type.value_or(spin ? "hadamard" : "") == "hadamard",
              rotation.transform_block_size.place(), rotation.transform_type.place(), "transform_block_size"};
  }

  void run() {
    if (const source::Value* config = rotation_.transform_config.given()) {
      if (modifier_.as<Quip>() != nullptr) check_config(*config);
    } else if (modifier_.as<Quip>() != nullptr) {
      check_quip();
    } else if (check_norms()) {
      check_spin();
    }
  }

 private:
  // Checks one module. Returns false if the run fails at it.
  bool check(const Module& module, Side side) {
    if (!takes_scheme(module)) {
      report_unrotatable(context_, modifier_, module);
      return false;
    }
    return check_width(module, side, shape_);
  }

  bool check_width(const Module& module, Side side, const Shape& shape) {
    if (!module.shape || module.shape->size() != 2) return true;
    const bool columns = (side == Side::inputs) != (module.type == "Embedding");
    const std::uint64_t width = columns ? module.shape->back() : module.shape->front();
    const bool fits = (shape.block == 0 || width % shape.block == 0) &&
                      (!shape.hadamard || is_power_of_two(shape.block == 0 ? width : shape.block));
    if (!fits) report_width(context_, shape, module, width, columns ? "columns" : "rows", modules_);
    return fits;
  }

  // --- a `transform_config`: docs/semantics/llm-compressor.md#b7-23 ---------------------------------------------

  void check_config(const source::Value& config) {
    for (const RotatedPlace& each : rotated_places(config)) {
      if (!check_place(each)) return;
    }
  }

  bool check_place(const RotatedPlace& each) {
    const source::Value* given = each.place.find("location");
    const auto* location = given == nullptr ? nullptr : given->get<std::string>();
    const source::Value* written = each.place.find("targets");
    if (location == nullptr || written == nullptr) return true;
    const Shape shape = shape_of(each.group);
    const model::Matcher targets = matcher_of(schemes::entries_of(written));
    const model::Matcher ignored = matcher_of(schemes::entries_of(each.place.find("ignore")));
    const Side side = location->ends_with("input") ? Side::inputs : Side::outputs;
    return std::ranges::all_of(modules_, [&](const Module& module) {
      if (!targets.takes(module) || ignored.takes(module)) return true;
      return takes_scheme(module) ? check_width(module, side, shape) : check_other(module, *location, shape, *written);
    });
  }

  static Shape shape_of(const source::Value& group) {
    const source::Value* type = group.find("type");
    const source::Value* width = group.given("head_dim");
    const auto* name = type == nullptr ? nullptr : type->get<std::string>();
    const auto number = width == nullptr ? std::nullopt : Read<std::int64_t>::from(*width);
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(number.value_or(0), 0)),
            name != nullptr && base::to_lower(*name) == "hadamard", width == nullptr ? group.span : width->span,
            type == nullptr ? group.span : type->span, "head_dim"};
  }

  // Modules of other classes need `head_dim`, and their weights can't be rotated.
  bool check_other(const Module& module, std::string_view location, const Shape& shape, const source::Value& targets) {
    const bool weight = location.starts_with("weight_");
    if (shape.block != 0 && !weight) return true;
    auto& report = context_.sink.report(diag::not_rotatable, targets.span, modifier_.spec->name, module.name);
    if (!weight) report.with_help("add `head_dim` to this group, such as `head_dim: 128`");
    return false;
  }

  // --- without one -------------------------------------------------------------------------------------------------

  bool check_all(std::initializer_list<std::string_view> entries, Side side) {
    std::vector<Entry> targets;
    for (const std::string_view entry : entries) targets.push_back({std::string(entry), modifier_.key});
    const model::Matcher taking = matcher_of(targets);
    return std::ranges::all_of(modules_,
                               [&](const Module& module) { return !taking.takes(module) || check(module, side); });
  }

  void check_quip() {
    const bool inputs = rotation_.rotates_by("V");
    const bool outputs = rotation_.rotates_by("U");
    const model::Matcher targets = matcher_of(modifier_.targets());
    const model::Matcher ignored = matcher_of(modifier_.ignore());
    for (const Module& module : modules_) {
      if (!targets.takes(module) || ignored.takes(module)) continue;
      if ((inputs && !check(module, Side::inputs)) || (outputs && !check(module, Side::outputs))) return;
    }
  }

  // SpinQuant first moves the weights of the norms into the layers after them, by names of Llama models.
  bool check_norms() {
    const auto root = std::ranges::find(modules_, "", &Module::name);
    const bool usual = root == modules_.end() || root->type != "Cohere2MoeForCausalLM";
    std::vector<std::vector<std::string>> mappings = {{"model.norm", "lm_head"}};
    if (usual) {
      mappings.insert(mappings.begin(), {{"re:.*input_layernorm$", "re:.*q_proj$", "re:.*k_proj$", "re:.*v_proj$"},
                                         {"re:.*post_attention_layernorm$", "re:.*up_proj$", "re:.*gate_proj$"}});
    }
    return std::ranges::all_of(mappings, [&](const auto& patterns) { return check_norm(patterns); });
  }

  bool check_norm(const std::vector<std::string>& patterns) {
    const Sets found = sets_in(modules_, patterns);
    std::string fault = describe(found.fault);
    for (const auto& set : found.sets) {
      if (fault.empty() && set.front().size() > 1) {
        fault = fmt::format("`{}` matches {} norms of one set, such as `{}`", patterns.front(), set.front().size(),
                            set.front().front()->name);
      }
    }
    if (!fault.empty()) {
      context_.sink.report(diag::spinquant_model, modifier_.key, fault);
    }
    return fault.empty();
  }

  // R1 rotates all layers at the residual stream and R4 the inputs of the last layers of feed-forward blocks. The
  // widths of R2 and R3 are those of attention heads.
  void check_spin() {
    const bool stream = rotation_.rotates_by("R1");
    const bool values = rotation_.rotates_by("R2");
    const bool inner = rotation_.rotates_by("R4");
    const bool fits =
        !stream ||
        (check_all({"re:.*embed_tokens$", "re:.*o_proj$", "re:.*down_proj$"}, Side::outputs) &&
         check_all({"re:.*q_proj$", "re:.*k_proj$", "re:.*v_proj$", "re:.*up_proj$", "re:.*gate_proj$", "lm_head"},
                   Side::inputs));
    const bool layers = !fits || !values || check_layers();
    if (fits && layers && inner) check_all({"re:.*down_proj$"}, Side::inputs);
  }

  bool check_layers() {
    const model::Matcher taking = matcher_of(std::vector<Entry>{{"re:.*(v|o)_proj$", modifier_.key}});
    const auto bad = std::ranges::find_if(
        modules_, [&](const Module& module) { return taking.takes(module) && !takes_scheme(module); });
    if (bad != modules_.end()) report_unrotatable(context_, modifier_, *bad);
    return bad == modules_.end();
  }

  const Context& context_;
  const Modifier& modifier_;
  const Rotation& rotation_;
  const Modules& modules_;
  Shape shape_;
};

}  // namespace

void check_rotated_layers(const Context& context, const Modifier& modifier, const Rotation& rotation,
                          const Modules& modules) {
  RotationCheck(context, modifier, rotation, modules).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
