#include "source/save.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "platform/files.h"
#include "platform/system.h"
#include "source/load.h"

namespace sparsecfg::source {

namespace {

// An existing file at the path of an output.
struct Target {
  std::string path;  // with all symbolic links resolved

  struct stat status {};

  bool exists = false;
};

// The reason why an operation is not possible; nullopt on success.
using Refusal = std::optional<std::string>;

}  // namespace

static Refusal reason_of(const std::optional<platform::AttributeError>& failure) {
  if (!failure) {
    return std::nullopt;
  }
  return failure->reason.empty() ? source::reason_of(failure->error) : failure->reason;
}

static Refusal find_target(const std::string& path, Existing existing, Target& target) {
  struct stat link {};

  if (::lstat(path.c_str(), &link) != 0) {
    target.path = path;
    return errno == ENOENT ? std::nullopt : Refusal(reason_of(errno));
  }
  if (::stat(path.c_str(), &target.status) != 0) {
    return errno == ENOENT ? "broken symbolic link" : reason_of(errno);
  }
  if (auto reason = refusal(target.status.st_mode)) {
    return reason;
  }
  if (existing == Existing::refuse) {
    return "the file already exists; use --force to replace it";
  }
  std::error_code error;
  target.exists = true;
  target.path = std::filesystem::canonical(path, error).native();
  return error ? Refusal(reason_of(error.value()))
               : reason_of(platform::refuses_replacement(target.path, target.status));
}

static Refusal fill(platform::Descriptor& file, const Produce& produce) {
  int error = 0;
  const bool whole = produce([&](std::string_view text) {
    error = platform::write_all(file.get(), text);
    return error == 0;
  });
  if (!whole) {
    return reason_of(error != 0 ? error : ECANCELED);
  }
  if (platform::uninterrupted([&] { return ::fsync(file.get()); }) != 0) {
    return reason_of(errno);
  }
  error = file.close();
  return error == 0 ? std::nullopt : Refusal(reason_of(error));
}

// If no file existed before, a file that was created in the meantime is not replaced. File systems without hard links
// can't detect that.
static int move_into_place(const std::string& from, const Target& target) {
  if (!target.exists && ::link(from.c_str(), target.path.c_str()) == 0) {
    return ::unlink(from.c_str()) == 0 ? 0 : errno;
  }
  if (!target.exists && errno == EEXIST) {
    return EEXIST;
  }
  return ::rename(from.c_str(), target.path.c_str()) == 0 ? 0 : errno;
}

// Returns a name that no other run uses and that is not longer than file systems allow.
static std::string temporary_beside(const std::string& path) {
  const std::string name = fmt::format(".sparsecfg-{:016x}", platform::random_number());
  return (std::filesystem::path(path).parent_path() / name).native();
}

// Calls `unchanged` immediately before the replacement, to check whether the file may still be replaced.
static Refusal save(const Target& target, const Produce& produce, const std::function<Refusal()>& unchanged) {
  const std::string temporary = temporary_beside(target.path);
  const platform::RemovalOnSignal removal(temporary);
  platform::Descriptor file(platform::uninterrupted(
      [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); }));
  if (!file.is_open()) {
    return reason_of(errno);
  }
  Refusal refused =
      target.exists ? reason_of(platform::copy_attributes(target.path, target.status, file.get())) : std::nullopt;
  refused = refused ? refused : fill(file, produce);
  refused = refused ? refused : unchanged();
  const int error = refused ? 0 : move_into_place(temporary, target);
  refused = error == 0 ? refused : Refusal(reason_of(error));
  if (refused) {
    ::unlink(temporary.c_str());
  }
  return refused;
}

std::optional<std::string> write_file(const std::string& path, const Produce& produce, Existing existing) {
  Target target;
  auto refused = find_target(path, existing, target);
  return refused ? refused : save(target, produce, [] { return Refusal(); });
}

std::optional<std::string> write_file(const std::string& path, const std::string& text, Existing existing) {
  return write_file(
      path, [&](const Write& write) { return write(text); }, existing);
}

static FileIdentity identity_in(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 ? std::optional(identity_in(status)) : std::nullopt;
}

constexpr const char* kChanged = "the file was changed in the meantime and was not written";

std::optional<std::string> replace_file(const std::string& path, const std::string& before, const std::string& after,
                                        std::optional<FileIdentity> identity) {
  Target target;
  if (auto refused = find_target(path, Existing::replace, target)) {
    return refused;
  }
  if (identity && target.exists && identity_in(target.status) != *identity) {
    return kChanged;
  }
  const auto unchanged = [&]() -> Refusal {
    // The resolved path is what is replaced, so both paths must still lead to the same file.
    const Loaded text = read_file(target.path, before.size());
    const auto* same = std::get_if<std::string>(&text);
    const bool is_target =
        identity_of(path) == identity_in(target.status) && identity_of(target.path) == identity_in(target.status);
    return is_target && same != nullptr && *same == before ? std::nullopt : Refusal(kChanged);
  };
  return save(
      target, [&](const Write& write) { return write(after); }, unchanged);
}

bool is_same_file(const std::string& path, const std::string& other) {
  const auto identity = identity_of(path);
  return !other.empty() && identity && identity == identity_of(other);
}

}  // namespace sparsecfg::source
