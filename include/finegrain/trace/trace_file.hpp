// A file in Chrome's trace format, which Perfetto reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "finegrain/core/config.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// The file of a trace, from the start to the end of a process. Not synchronized.
///
/// The file is locked while it is open. Another process with the same name for it, or another copy
/// of these headers in this process (a plugin that hides its symbols), writes `name.2` and so on.
class trace_file {
 public:
  /// The name of the file of this process: `%p` in `pattern` stands for its number.
  static std::string name_of(std::string_view pattern, std::uint64_t process) {
    std::string name{pattern};
    if (const std::size_t at = name.find("%p"); at != std::string::npos) {
      name.replace(at, 2, std::to_string(process));
    }
    return name;
  }

  /// Opens the file, or prints on standard error why it cannot. Throws std::bad_alloc.
  explicit trace_file(const std::string& name) : name_{name} {
    for (int copy = 2; !open(); ++copy) {
      if (!is_taken() || copy > kMostCopies) {
        complain();
        return;
      }
      name_ = name + "." + std::to_string(copy);
    }
  }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }

  // ---- requires is_open: `begin`, then the others, then `end`; may be repeated ----

  void begin() noexcept {
    static_cast<void>(std::fseek(file_, 0, SEEK_SET));
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file_);
    separator_ = "";
  }

  void name_thread(std::uint64_t process, std::uint64_t thread, std::string_view name) noexcept {
    start_event("thread_name", "M", process, thread);
    std::fputs(R"(,"args":{"name":)", file_);
    put_text(name);
    std::fputs("}}", file_);
  }

  /// Takes nanoseconds; the format has microseconds.
  void span(std::string_view name, std::uint64_t process, std::uint64_t thread,
            std::uint64_t begin_ns, std::uint64_t length_ns) noexcept {
    start_event(name, "X", process, thread);
    put_microseconds(R"(,"ts":)", begin_ns);
    put_microseconds(R"(,"dur":)", length_ns);
    std::fputs("}", file_);
  }

  void end(std::uint64_t dropped) noexcept {
    std::fprintf(file_, "\n],\"otherData\":{\"dropped_events\":\"%llu\"}}\n",
                 static_cast<unsigned long long>(dropped));
    if (std::fflush(file_) != 0 || !cut_off_behind()) {
      complain();
    }
  }

 private:
  // The most programs that may run at once with one file name; more are a mistake.
  static constexpr int kMostCopies = 1000;

#if defined(__linux__)
  // Creates a missing file, and never truncates it: another process may have locked it.
  bool open() noexcept {
    std::FILE* const made = std::fopen(name_.c_str(), "ae");
    if (made == nullptr) {
      return false;  // for this reason, not because it is then missing
    }
    close(made);
    file_ = std::fopen(name_.c_str(), "r+e");
    if (file_ == nullptr || lock()) {
      return file_ != nullptr;
    }
    const int why = errno;
    close(std::exchange(file_, nullptr));
    errno = why;
    return false;
  }
  // Like flock(descriptor, LOCK_EX | LOCK_NB), without the macros of <sys/file.h>.
  bool lock() noexcept {
    constexpr int kExclusiveAtOnce = 2 | 4;
    return syscall(SYS_flock, fileno(file_), kExclusiveAtOnce) == 0;
  }
  static void close(std::FILE* file) noexcept { static_cast<void>(std::fclose(file)); }
  static bool is_taken() noexcept { return errno == EWOULDBLOCK; }
  bool cut_off_behind() noexcept { return ftruncate(fileno(file_), std::ftell(file_)) == 0; }
#else
  bool open() noexcept {
    file_ = std::fopen(name_.c_str(), "w");
    return file_ != nullptr;
  }
  static bool is_taken() noexcept { return false; }
  static bool cut_off_behind() noexcept { return true; }
#endif

  // The reason is in errno.
  void complain() const noexcept {
    const int why = errno;
    std::fprintf(stderr, "finegrain: no trace in '%s': ", name_.c_str());
    errno = why;
    std::perror(nullptr);
  }

  void start_event(std::string_view name, const char* kind, std::uint64_t process,
                   std::uint64_t thread) noexcept {
    std::fprintf(file_, R"(%s{"name":)", separator_);
    put_text(name);
    std::fprintf(file_, R"(,"ph":"%s","pid":%llu,"tid":%llu)", kind,
                 static_cast<unsigned long long>(process), static_cast<unsigned long long>(thread));
    separator_ = ",\n";
  }

  // Not with %f, whose decimal point depends on the locale.
  void put_microseconds(const char* key, std::uint64_t ns) noexcept {
    std::fprintf(file_, "%s%llu.%03llu", key, static_cast<unsigned long long>(ns / 1000),
                 static_cast<unsigned long long>(ns % 1000));
  }

  void put_text(std::string_view text) noexcept {
    std::fputc('"', file_);
    for (const char each : text) {
      const auto code = static_cast<unsigned char>(each);
      if (each == '"' || each == '\\' || code < 0x20) {
        std::fprintf(file_, "\\u%04x", code);
      } else {
        std::fputc(each, file_);
      }
    }
    std::fputc('"', file_);
  }

  std::string name_;
  std::FILE* file_ = nullptr;
  const char* separator_ = "";
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
