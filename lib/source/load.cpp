#include "source/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/files.h"

namespace sparsecfg::source {

namespace fs = std::filesystem;

static LoadError too_large() { return {"too large", true}; }

// Reads at most `max` bytes. Stops without another read after `said` bytes, the reported size of the file.
static Loaded read_descriptor(int descriptor, std::size_t max, std::size_t said) {
  std::string text;
  std::array<char, 16384> buffer;  // not initialized for speed; only bytes that were read are used
  while (text.size() < max) {
    const std::size_t wanted = std::min(buffer.size(), max - text.size());
    const ssize_t count = platform::uninterrupted([&] { return ::read(descriptor, buffer.data(), wanted); });
    if (count < 0) {
      return LoadError{reason_of(errno)};
    }
    if (count == 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() == said) {
      return text;
    }
  }
  return text;
}

bool is_open_already(std::string_view path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") || path == "/dev/stdin";
}

// A regular file of more bytes than `max` is not read at all if `refuses_larger` is true.
static Loaded read_opened(const std::string& path, std::size_t bytes, bool refuses_larger) {
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
  const bool open_already = is_open_already(path);
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (open_already ? 0 : O_NONBLOCK);
  const platform::Descriptor file(platform::uninterrupted([&] { return ::open(path.c_str(), flags); }));

  struct stat status {};

  if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
    return LoadError{reason_of(errno)};
  }
  const bool pipe = open_already && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (auto reason = pipe ? std::nullopt : refusal(status.st_mode)) {
    return LoadError{std::move(*reason)};
  }
  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  return refuses_larger && size > bytes ? Loaded(too_large()) : read_descriptor(file.get(), bytes, size);
}

Loaded read_start(const std::string& path, std::size_t bytes) { return read_opened(path, bytes, false); }

Loaded read_file(const std::string& path, std::size_t max_bytes) {
  Loaded read = read_opened(path, max_bytes + 1, true);
  const auto* text = std::get_if<std::string>(&read);
  return text != nullptr && text->size() > max_bytes ? Loaded(too_large()) : std::move(read);
}

Loaded read_stdin(std::istream& in, std::size_t max_bytes) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= max_bytes && in) {
    const std::size_t wanted = std::min(buffer.size(), max_bytes - text.size() + 1);
    in.read(buffer.data(), static_cast<std::streamsize>(wanted));
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) {
    return LoadError{"can't be read"};
  }
  return text.size() > max_bytes ? Loaded(too_large()) : Loaded(std::move(text));
}

std::string reason_of(int error) {
  switch (error) {
    case ENOENT: return "no such file";
    case ENOTDIR: return "a component of the path is not a directory";
    case EISDIR: return "is a directory";
    case ENXIO: return "not a regular file";  // errno of opening a socket
    case EACCES:
    case EPERM: return "permission denied";
    case ELOOP: return "too many symbolic links";
    case EEXIST: return "the file already exists";
    case ENAMETOOLONG: return "the file name is too long";
    case ENOSPC: return "no space left on device";
    case EROFS: return "the file system is read-only";
    default: return std::generic_category().message(error);
  }
}

std::optional<std::string> refusal(mode_t mode) {
  if (S_ISDIR(mode)) {
    return reason_of(EISDIR);
  }
  return S_ISREG(mode) ? std::nullopt : std::optional<std::string>("not a regular file");
}

std::variant<std::string, LoadError> resolve_below(const std::string& folder, const std::string& path,
                                                   bool hidden_name) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  const fs::path file = error ? fs::path() : fs::canonical(path, error);
  if (error) {
    return LoadError{reason_of(error.value())};
  }
  const fs::path below = file.lexically_relative(root);
  for (const fs::path& part : below) {
    if (part == "..") return LoadError{"is outside of the project"};
    const bool is_name = part == below.filename();
    if (part != "." && part.native().starts_with('.') && !(hidden_name && is_name)) {
      return LoadError{"is hidden, and settings can't name hidden files"};
    }
  }
  const fs::file_type type = fs::status(file, error).type();
  if (type == fs::file_type::directory) {
    return LoadError{reason_of(EISDIR)};
  }
  return type == fs::file_type::regular ? std::variant<std::string, LoadError>(file.native())
                                        : LoadError{"not a regular file"};
}

std::vector<std::string> folders_near(const std::string& script) {
  std::string folder = fs::path(script).parent_path().native();
  return folder.empty() ? std::vector<std::string>{{}} : std::vector<std::string>{std::move(folder), {}};
}

// The folders in which a command of a script may run, and the root of its repository; empty: none is near.
struct WorkingFolders {
  std::vector<fs::path> folders;
  fs::path repository;
};

static WorkingFolders working_folders(const std::string& script) {
  constexpr int kMaxParents = 3;
  WorkingFolders out;
  fs::path folder = fs::path(script).parent_path();
  for (int up = 0; up < kMaxParents && out.repository.empty(); ++up) {
    const fs::path at = folder.empty() ? "." : folder;
    out.folders.push_back(at);
    std::error_code ignored;
    if (fs::exists(at / ".git", ignored)) out.repository = at;
    folder = (folder / "..").lexically_normal();
  }
  constexpr std::size_t kWithoutRepository = 2;
  if (out.repository.empty()) out.folders.resize(kWithoutRepository);
  out.folders.emplace_back(".");
  return out;
}

std::string find_file_of_command(const std::string& script, const std::string& path) {
  if (fs::path(path).is_absolute()) return {};
  const WorkingFolders known = working_folders(script);
  for (const fs::path& folder : known.folders) {
    const std::string file = (folder / path).lexically_normal().native();
    const fs::path& root = known.repository.empty() || folder == "." ? folder : known.repository;
    std::error_code ignored;
    const bool found = fs::exists(file, ignored);  // fast, for commands with many files
    if (found && std::holds_alternative<std::string>(resolve_below(root.native(), file))) return file;
  }
  return {};
}

std::optional<std::string> read_below(const View* view, const std::string& folder, const std::string& path,
                                      std::size_t max_bytes) {
  const std::string name = (fs::path(folder) / path).lexically_normal().native();
  if (view != nullptr) {
    const bool below = !fs::path(path).lexically_normal().native().starts_with("..");
    return below ? view->read(name, max_bytes) : std::nullopt;
  }
  const auto file = resolve_below(folder.empty() ? "." : folder, name);
  const auto* resolved = std::get_if<std::string>(&file);
  if (resolved == nullptr) return std::nullopt;
  Loaded text = read_file(*resolved, max_bytes);  // what was checked, even if a link changes
  auto* const content = std::get_if<std::string>(&text);
  return content == nullptr ? std::nullopt : std::optional(std::move(*content));
}

}  // namespace sparsecfg::source
