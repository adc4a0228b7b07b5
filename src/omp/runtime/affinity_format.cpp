// SPDX-License-Identifier: Apache-2.0
#include "affinity_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "../settings.hpp"
#include "binding_request.hpp"
#include "cpu_set.hpp"
#include "entry.hpp"
#include "thread_binding.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
namespace fg::omp::runtime {
namespace {

// The first CPUs that follow each other as a range: 0-3,8.
std::string cpus_of_caller() {
  const cpu_set set = cpu_set::of_caller();
  std::string list;
  for (int cpu = 0; cpu < cpu_set::most(); ++cpu) {
    if (!set.has(cpu)) {
      continue;
    }
    const int first = cpu;
    while (set.has(cpu + 1)) {
      ++cpu;
    }
    list += (list.empty() ? "" : ",") + std::to_string(first);
    list += cpu > first ? "-" + std::to_string(cpu) : "";
  }
  return list;
}

std::string host_name() {
  std::array<char, 256> name{};  // HOST_NAME_MAX is 64
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string ancestor_of(const implicit_part& part) {
  const bool is_outside = part.place->outer == nullptr;
  return std::to_string(is_outside ? -1 : static_cast<int>(part.place->outer->number));
}

// A thread that tells its CPUs has them, unless it is to be bound in regions only.
void bind_before_told(const thread& self) noexcept {
  if (environment().initial.proc_bind != 0 && !requested_binding().resets) {
    bind_initial_thread(self);
  }
}

// What stands for a field, by its letter.
std::string value_of(const thread& self, const implicit_part& part, char letter) {
  const implicit_part* const team = team_around(part);
  switch (letter) {
    case 't':
      return std::to_string(team != nullptr ? team->team_number : 0);
    case 'T':
      return std::to_string(team != nullptr ? team->teams : 1);
    case 'L':
      return std::to_string(part.place->level);
    case 'n':
      return std::to_string(self.inner->number);
    case 'N':
      return std::to_string(self.inner->size);
    case 'a':
      return ancestor_of(part);
    case 'H':
      return host_name();
    case 'P':
      return std::to_string(getpid());
    case 'i':
      return std::to_string(gettid());
    case 'A':
      bind_before_told(self);
      return cpus_of_caller();
    case '%':
      return "%";
    default:
      return "undefined";
  }
}

constexpr std::pair<std::string_view, char> kLongNames[] = {
    {"team_num", 't'},         {"num_teams", 'T'},      {"nesting_level", 'L'}, {"thread_num", 'n'},
    {"num_threads", 'N'},      {"ancestor_tnum", 'a'},  {"host", 'H'},          {"process_id", 'P'},
    {"native_thread_id", 'i'}, {"thread_affinity", 'A'}};

char letter_of(std::string_view long_name) noexcept {
  const auto* const found =
      std::ranges::find(kLongNames, long_name, [](const auto& each) { return each.first; });
  return found != std::end(kLongNames) ? found->second : '?';
}

// %[[[0].]size]type, or {name} for the type: reads what follows the percent sign.
struct field {
  bool has_zeros = false;
  bool is_right = false;
  std::size_t size = 0;
  char letter = '?';

  explicit field(std::string_view& rest) {
    const auto take = [&rest](char wanted) {
      const bool there = rest.starts_with(wanted);
      rest.remove_prefix(there ? 1 : 0);
      return there;
    };
    has_zeros = take('0');
    is_right = take('.');
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
      size = std::min<std::size_t>(size * 10 + static_cast<std::size_t>(rest.front() - '0'), kMost);
      rest.remove_prefix(1);
    }
    if (take('{')) {
      const std::size_t end = std::min(rest.find('}'), rest.size());
      letter = letter_of(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } else if (!rest.empty()) {
      letter = rest.front();
      rest.remove_prefix(1);
    }
  }

  [[nodiscard]] std::string fill(std::string value) const {
    if (value.size() >= size) {
      return value;
    }
    const std::size_t missing = size - value.size();
    if (!is_right) {
      return value.append(missing, ' ');
    }
    const bool is_negative = value.starts_with('-') && has_zeros;
    return value.insert(is_negative ? 1 : 0, missing, has_zeros ? '0' : ' ');
  }

 private:
  static constexpr std::size_t kMost = 4096;  // no line is as wide
};

// affinity-format-var.
struct format_variable {
  std::mutex mutex;
  std::string text;
};

format_variable& variable() {
  static auto* const one = [] {
    auto* const made = new format_variable;  // outlives all threads
    const char* const given = std::getenv("OMP_AFFINITY_FORMAT");
    // As LLVM's.
    made->text =
        given != nullptr ? given : "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
    return made;
  }();
  return *one;
}

void set_format(std::string_view text) {
  const std::lock_guard hold{variable().mutex};
  variable().text = text;
}

// For the calling thread; an empty format is the variable's.
std::string describe_here(std::string_view format) {
  return describe_affinity(thread::here(),
                           format.empty() ? current_affinity_format() : std::string{format});
}

// One call of the system's, so that the lines of several threads do not mix.
void print(std::string line) {
  line += '\n';
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

// As much as there is room for, with a zero at the end. Returns the length of the whole.
std::size_t copy(std::string_view text, char* buffer, std::size_t bytes) noexcept {
  if (buffer != nullptr && bytes != 0) {
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

// The same for Fortran, whose variables are filled with blanks.
std::size_t copy_to_fortran(std::string_view text, char* buffer, std::size_t bytes) noexcept {
  const std::size_t length = std::min(text.size(), bytes);
  std::memcpy(buffer, text.data(), length);
  std::memset(buffer + length, ' ', bytes - length);
  return text.size();
}

std::string_view without_blanks(const char* text, std::size_t bytes) noexcept {
  const std::string_view all{text, bytes};
  return all.substr(0, all.find_last_not_of(' ') + 1);
}

std::string_view of(const char* text) noexcept {
  return text != nullptr ? text : std::string_view{};
}

// Ends the program if memory runs out.
template <class Work>
auto with_memory(Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    end_without_memory("an affinity format");
  }
}

}  // namespace

std::string current_affinity_format() {
  const std::lock_guard hold{variable().mutex};
  return variable().text;
}

std::string describe_affinity(thread& self, std::string_view format) {
  const implicit_part& part = part_of(self);
  std::string line;
  while (!format.empty()) {
    const std::size_t at = std::min(format.find('%'), format.size());
    line += format.substr(0, at);
    format.remove_prefix(at);
    if (!format.empty()) {
      format.remove_prefix(1);
      const field one{format};
      line += one.fill(value_of(self, part, one.letter));
    }
  }
  return line;
}

void tell_affinity(thread& self) noexcept {
  struct region_told {
    int level = -1;
    unsigned size = 0;
    std::uint64_t stamp = 0;
    bool operator==(const region_told&) const = default;
  };
  static constinit thread_local region_told last;
  const region_place& its = *part_of(self).place;
  const region_told now{.level = its.level, .size = its.size, .stamp = placement_stamp(self)};
  if (now != last) {
    last = now;
    with_memory([&] { print(describe_affinity(self, current_affinity_format())); });
  }
}

// Called by the program; LLVM's header calls the first of each by the name with ompc_.

FINEGRAIN_OMP_ENTRY void omp_set_affinity_format(const char* format) {
  with_memory([=] { set_format(of(format)); });
}
FINEGRAIN_OMP_ENTRY std::size_t omp_get_affinity_format(char* buffer, std::size_t bytes) {
  return with_memory([=] { return copy(current_affinity_format(), buffer, bytes); });
}
FINEGRAIN_OMP_ENTRY void omp_display_affinity(const char* format) {
  with_memory([=] { print(describe_here(of(format))); });
}
FINEGRAIN_OMP_ENTRY std::size_t omp_capture_affinity(char* buffer, std::size_t bytes,
                                                     const char* format) {
  return with_memory([=] { return copy(describe_here(of(format)), buffer, bytes); });
}
FINEGRAIN_OMP_ENTRY void ompc_set_affinity_format(const char* format) {
  omp_set_affinity_format(format);
}
FINEGRAIN_OMP_ENTRY std::size_t ompc_get_affinity_format(char* buffer, std::size_t bytes) {
  return omp_get_affinity_format(buffer, bytes);
}
FINEGRAIN_OMP_ENTRY void ompc_display_affinity(const char* format) { omp_display_affinity(format); }
FINEGRAIN_OMP_ENTRY std::size_t ompc_capture_affinity(char* buffer, std::size_t bytes,
                                                      const char* format) {
  return omp_capture_affinity(buffer, bytes, format);
}

// Fortran passes the lengths of its variables at the end.
FINEGRAIN_OMP_ENTRY void omp_set_affinity_format_(const char* format, std::size_t length) {
  with_memory([=] { set_format(without_blanks(format, length)); });
}
FINEGRAIN_OMP_ENTRY std::size_t omp_get_affinity_format_(char* buffer, std::size_t bytes) {
  return with_memory([=] { return copy_to_fortran(current_affinity_format(), buffer, bytes); });
}
FINEGRAIN_OMP_ENTRY void omp_display_affinity_(const char* format, std::size_t length) {
  with_memory([=] { print(describe_here(without_blanks(format, length))); });
}
FINEGRAIN_OMP_ENTRY std::size_t omp_capture_affinity_(char* buffer, const char* format,
                                                      std::size_t bytes, std::size_t length) {
  return with_memory([=] {
    return copy_to_fortran(describe_here(without_blanks(format, length)), buffer, bytes);
  });
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
