#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "compile/places.h"
#include "diag/render_text.h"
#include "dialect/dialect.h"
#include "doc/readers.h"
#include "format/format.h"
#include "source/load.h"
#include "source/save.h"
#include "source/search.h"

namespace sparsecfg::cmd {

struct NormalizeOptions {
  ReadingOptions reading;
  std::vector<std::string> paths;
  bool check = false;
  bool diff = false;
  bool write = false;
  bool resolve = false;       // replaces expressions with their values
  bool skip_unknown = false;  // skips named files that are not recipes
};

// A recipe in a Markdown file.
struct Block {
  source::Span span;       // its lines
  std::size_t indent = 0;  // of all its lines, in a list of Markdown
  const dialect::Dialect* dialect;
};

// File name of a block, which selects YAML.
static constexpr const char* kBlockName = "block.yaml";

// Returns the number of spaces before every line that is not empty.
static std::size_t indent_of(std::string_view text) {
  std::size_t indent = text.size();
  for (const std::string_view line : base::lines_of(text)) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at != std::string_view::npos) indent = std::min(indent, at);
  }
  return indent == text.size() ? 0 : indent;
}

static std::string without_indent(std::string_view text, std::size_t indent) {
  std::string out;
  for (const std::string_view line : base::lines_of(text)) {
    out += line.substr(std::min(indent, line.size()));
    out += '\n';
  }
  return out;
}

static std::string with_indent(std::string_view text, std::size_t indent) {
  std::string out;
  for (const std::string_view line : base::lines_of(text)) {
    if (!line.empty()) out.append(indent, ' ');
    out += line;
    out += '\n';
  }
  return out;
}

class Normalizer {
 public:
  Normalizer(const NormalizeOptions& options, const Streams& streams)
      : options_(options), project_(options.reading.request), streams_(streams) {}

  int run() {
    for (const project::Problem& problem : project_.problems()) {
      fail(kUsage, problem.what, problem.why);
    }
    for (std::size_t at = 0; at < options_.paths.size() && project_.problems().empty(); ++at) {
      const std::string& path = options_.paths[at];
      std::error_code ignored;
      if (path != "-" && std::filesystem::is_directory(path, ignored)) {
        search(path);
      } else if (!options_.skip_unknown || !project_.excludes(path, false)) {
        handle(path, !options_.skip_unknown);
      }
    }
    if ((options_.check || options_.diff || options_.write) && !streams_.quiet) {
      summarize();
    }
    return worst_;
  }

 private:
  // Formats the recipes in a folder. Skips files that no dialect claims. Also skips Python scripts, which have other
  // formatters.
  void search(const std::string& folder) {
    const auto excludes = [&](const std::string& path, bool is_folder) { return project_.excludes(path, is_folder); };
    const source::FoundFiles found = source::find_recipes(folder, {true, excludes});
    for (const auto& problem : found.problems) {
      fail(kUsage, problem.path, problem.reason);
    }
    for (const std::string& file : found.files) {
      if (!is_script(file)) handle(file, false);
    }
  }

  static bool is_script(const std::string& path) { return base::to_lower(base::ending_of(path)) == "py"; }

  void fail(int status, const std::string& what, const std::string& why) {
    complain(streams_.err, what, why);
    worst_ = std::max(worst_, status);
  }

  // Formats one file. `named` is true if the command line names the file, so that it must be a recipe.
  void handle(const std::string& path, bool named) {
    const std::string& name = path == "-" ? options_.reading.stdin_filename : path;
    const auto options = project_.options_of(name);
    if (const auto* problem = std::get_if<project::Problem>(&options)) {
      complain(streams_.err, *problem);
      worst_ = std::max(worst_, kUsage);
      return;
    }
    const CompileOptions& compile_options = std::get<const project::FileOptions*>(options)->compile;
    if (is_script(name)) {
      return fail(kUsage, path, "cannot format Python scripts; `convert --to nni` writes their config list as YAML");
    }
    source::Loaded text = path == "-" ? source::read_stdin(streams_.in, compile_options.limits.bytes)
                                      : source::read_file(path, compile_options.limits.bytes);
    if (const auto* failure = std::get_if<source::LoadError>(&text)) {
      return fail(kUsage, path, failure->reason);
    }
    const source::SourceFile file(name, std::get<std::string>(std::move(text)));
    diag::Sink sink;
    const auto formatted = format(file, compile_options, named, sink);
    show(file, sink.take());
    if (formatted && formatted->faulty) {
      fail(kInternal, path, "internal error: formatting would change the meaning; the file was not changed");
    } else if (formatted) {
      emit(path, file, formatted->text);
    }
  }

  void show(const source::SourceFile& file, const std::vector<diag::Diagnostic>& findings) {
    if (!findings.empty()) {
      streams_.err << diag::render_text(
          file, findings, {.color = streams_.color, .columns = streams_.columns, .terminal = streams_.terminal});
      worst_ = std::max(worst_, kErrors);
    }
  }

  // Returns the blocks of a Markdown file that are recipes, in order: the front matter and fenced YAML.
  static std::vector<Block> blocks_of(const source::SourceFile& file, const CompileOptions& options) {
    std::vector<Block> out;
    const auto add = [&](source::Span span) {
      if (file.text(span).starts_with('\n')) ++span.begin;
      const std::size_t indent = indent_of(file.text(span));
      const source::SourceFile text(kBlockName, without_indent(file.text(span), indent));
      diag::Sink ignored;
      const auto document = doc::read_yaml(text, *format::part_of(text), options.limits, ignored);
      const dialect::Dialect* dialect = !document      ? nullptr
                                        : options.from ? dialect::find_dialect(*options.from)
                                                       : dialect::detect(*document);
      if (dialect != nullptr) out.push_back({span, indent, dialect});
    };
    if (const auto front = doc::find_front_matter(file.text())) add(front->yaml);
    for (const places::Fence& fence : places::find_fences(file.text())) {
      if (fence.is_yaml() && places::may_have_recipes(file.text(fence.content))) add(fence.content);
    }
    return out;
  }

  // Formats each block of a Markdown file as a separate file. Blocks in lists keep their indentation.
  static std::optional<format::Formatted> format_blocks(const source::SourceFile& file,
                                                        const std::vector<Block>& blocks, const CompileOptions& options,
                                                        diag::Sink& sink) {
    format::Formatted out;
    std::uint32_t end = 0;
    for (const Block& block : blocks) {
      const source::SourceFile text(kBlockName, without_indent(file.text(block.span), block.indent));
      const auto formatted = format::format(text, block.dialect->order, options.limits, sink);
      if (!formatted) return std::nullopt;
      out.faulty |= formatted->faulty;
      out.text += file.text({end, block.span.begin});
      out.text += with_indent(formatted->text, block.indent);
      end = block.span.end;
    }
    out.text += file.text().substr(end);
    return out;
  }

  // Returns nullopt if the file is not a recipe or cannot be read. In the latter case an error is in the sink or
  // printed.
  std::optional<format::Formatted> format(const source::SourceFile& file, const CompileOptions& compile_options,
                                          bool named, diag::Sink& sink) {
    const bool is_markdown = doc::is_markdown(file.name());
    const std::vector<Block> blocks =
        is_markdown && !options_.resolve ? blocks_of(file, compile_options) : std::vector<Block>();
    if (!blocks.empty()) return format_blocks(file, blocks, compile_options, sink);
    const auto part = format::part_of(file);
    if (!part) {
      if (named) sink.report(diag::no_front_matter, {}).with_help("put the recipe between two `---` lines");
      return std::nullopt;
    }
    diag::Sink syntax;
    const auto document = doc::read_yaml(file, *part, compile_options.limits, syntax);
    const dialect::Dialect* dialect = compile_options.from ? dialect::find_dialect(*compile_options.from)
                                      : document           ? dialect::detect(*document)
                                                           : dialect::detect(file.text());
    if (dialect == nullptr && named && document) {
      sink.report(diag::not_a_recipe, {}).with_help("if this is a recipe, pass its dialect with --from");
    } else if (!document && (dialect != nullptr || named)) {
      show(file, syntax.take());
    }
    if (dialect == nullptr || !document) {
      return std::nullopt;
    }
    return options_.resolve ? resolved(file, compile_options, dialect->order)
                            : format::format(file, dialect->order, compile_options.limits, sink);
  }

  // Returns nullopt if the recipe has errors, because its values are then unknown.
  std::optional<format::Formatted> resolved(const source::SourceFile& file, const CompileOptions& compile_options,
                                            const doc::FieldOrder& order) {
    const Compilation compilation = compile(file.name(), std::string(file.text()), compile_options);
    const std::vector<diag::Diagnostic> errors = errors_of(compilation);
    show(*compilation.file, errors);
    diag::Sink ignored;
    const auto part = format::part_of(*compilation.file);
    const auto document = doc::read_yaml(*compilation.file, *part, compile_options.limits, ignored);
    if (!errors.empty() || !compilation.recipe || !document) {
      return std::nullopt;
    }
    const source::SourceFile after(file.name(),
                                   format::resolve_variables(*compilation.file, *document, *compilation.recipe));
    return format::format(after, order, compile_options.limits, ignored);
  }

  void emit(const std::string& path, const source::SourceFile& file, const std::string& text) {
    const bool same = text == file.text();
    ++(same ? unchanged_ : changed_);
    if (options_.diff && !same) {
      streams_.out << base::unified_diff(file.text(), text, file.name());
      worst_ = std::max(worst_, kErrors);
    }
    if (options_.check && !same) {
      fail(kErrors, path, "not formatted");
    }
    if (options_.write && !same) {
      if (const auto unwritten = source::replace_file(path, std::string(file.text()), text)) {
        fail(kUsage, path, *unwritten);
      }
    }
    if (!options_.diff && !options_.check && !options_.write) {
      print(file.name(), text);
    }
  }

  // Prints the formatted text. With several files, a comment with the file name precedes each text.
  void print(const std::string& name, const std::string& text) const {
    std::error_code ignored;
    if (options_.paths.size() > 1 || std::filesystem::is_directory(options_.paths.front(), ignored)) {
      streams_.out << (changed_ + unchanged_ > 1 ? "\n# " : "# ") << base::printable(name) << '\n';
    }
    streams_.out << text;
  }

  // "2 files formatted, 3 unchanged"
  void summarize() const {
    const std::string_view what = options_.write ? "formatted" : "to be formatted";
    streams_.err << fmt::format("{} {}, {} unchanged\n", base::counted(changed_, "file"), what, unchanged_);
  }

  const NormalizeOptions& options_;
  project::Project project_;
  const Streams& streams_;
  std::size_t changed_ = 0;
  std::size_t unchanged_ = 0;
  int worst_ = kClean;
};

static int normalize(NormalizeOptions& options, const std::vector<std::string>& paths, const Streams& streams) {
  options.paths = paths;
  if (options.write && (options.check || options.diff)) {
    complain(streams.err, "normalize", "--write cannot be combined with --check or --diff");
    return kUsage;
  }
  if (options.write && std::ranges::find(options.paths, "-") != options.paths.end()) {
    complain(streams.err, "-", "cannot write to standard input; remove --write");
    return kUsage;
  }
  return Normalizer(options, streams).run();
}

static std::vector<Option> options_of(NormalizeOptions& own) {
  std::vector<Option> out = {
      flag("--check", own.check, "List files that are not formatted; exit code 1 if there are any"),
      flag("--diff", own.diff, "Print the changes as a diff; exit code 1 if there are any"),
      flag("--write", own.write, "Rewrite the files in place"),
      flag("--resolve", own.resolve, "Replace eval(...) with its value and keep the expression as a comment"),
      flag("--skip-unknown", own.skip_unknown, "Skip files that are not recipes or that the config file excludes"),
  };
  append(out, reading_options(own.reading));
  return out;
}

Command normalize_command() {
  return with_options<NormalizeOptions>(
      {"normalize", "Format recipes (layout, quotes, field order)", "PATH...",
       "Recipe files, folders to search, or - for standard input", 1, std::numeric_limits<std::size_t>::max()},
      options_of, normalize);
}

}  // namespace sparsecfg::cmd
