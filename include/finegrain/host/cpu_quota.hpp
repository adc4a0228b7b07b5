// How much CPU time the control groups leave this process, and whether it ran out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "finegrain/host/cgroup.hpp"
#include "finegrain/host/text_file.hpp"

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

// Both versions say it as microseconds of CPU time in a period of microseconds; a quota that is no
// positive number ("max", -1) is none.
inline std::optional<double> to_cpus(std::string_view quota, std::string_view period) noexcept {
  const std::optional<std::int64_t> quota_us = parse_integer<std::int64_t>(quota);
  const std::optional<std::int64_t> period_us = parse_integer<std::int64_t>(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

/// The quota of one group, CPUs.
inline std::optional<double> read_group_quota(const cgroup_folder& group) {
  if (group.version == cgroup_version::v2) {
    const std::optional<std::string> both = read_text_file(group.path + "/cpu.max");
    if (!both) {
      return std::nullopt;
    }
    std::string_view period = first_line(*both);
    const std::string_view quota = take_until(period, ' ');
    return to_cpus(quota, period);
  }
  const std::optional<std::string> quota = read_text_file(group.path + "/cpu.cfs_quota_us");
  const std::optional<std::string> period = read_text_file(group.path + "/cpu.cfs_period_us");
  if (!quota || !period) {
    return std::nullopt;
  }
  return to_cpus(first_line(*quota), first_line(*period));
}

/// The groups around this process that have a quota, of either version: in a hybrid system the cpu
/// controller belongs to one of the two, and the other has no such files.
inline std::vector<std::pair<cgroup_folder, double>> find_quotas(const std::string& root) {
  std::vector<std::pair<cgroup_folder, double>> found;
  for (const cgroup_version version : {cgroup_version::v1, cgroup_version::v2}) {
    for (const cgroup_folder& group : find_cgroup_folders(root, version)) {
      if (const std::optional<double> cpus = read_group_quota(group)) {
        found.emplace_back(group, *cpus);
      }
    }
  }
  return found;
}

}  // namespace detail

/// How many CPUs' time the control groups (versions 1 and 2) let this process use: the smallest
/// quota of its group and of those around it. Nothing where none is known, also when files are
/// missing or make no sense. Reads anew: a quota may change while the program runs. `root` stands
/// before every path, for tests. Any thread. Throws std::bad_alloc only. 0.1 ms (EPYC 9004, KVM).
inline std::optional<double> quota_cpus(const std::string& root = {}) {
  std::optional<double> smallest;
  for (const auto& [group, cpus] : detail::find_quotas(root)) {
    smallest = std::min(smallest.value_or(cpus), cpus);
  }
  return smallest;
}

namespace detail {

/// The value behind `nr_throttled` in a cpu.stat: how many periods ended with the quota used up.
inline std::optional<std::uint64_t> parse_throttled_periods(std::string_view stat) noexcept {
  while (!stat.empty()) {
    std::string_view value = take_until(stat, '\n');
    if (take_until(value, ' ') == "nr_throttled") {
      return parse_integer<std::uint64_t>(value);
    }
  }
  return std::nullopt;
}

#if defined(__linux__)

/// A file of the system that is read again and again: it stays open, and a look is one system call.
class watched_file {
 public:
  explicit watched_file(const std::string& path) noexcept
      : descriptor_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}
  watched_file(watched_file&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  watched_file& operator=(watched_file&&) = delete;
  ~watched_file() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  /// Its beginning, in `space`; empty when it can not be read (any more).
  [[nodiscard]] std::string_view read(std::array<char, 1024>& space) const noexcept {
    const auto size = ::pread(descriptor_, space.data(), space.size(), 0);
    return size > 0 ? std::string_view{space.data(), static_cast<std::size_t>(size)}
                    : std::string_view{};
  }

 private:
  int descriptor_;
};

#else

class watched_file {
 public:
  explicit watched_file(const std::string&) noexcept {}
  [[nodiscard]] std::string_view read(std::array<char, 1024>&) const noexcept { return {}; }
};

#endif

}  // namespace detail

/// Tells whether the control groups stopped this process because its quota was used up. One thread
/// at a time.
class throttle_watch {
 public:
  /// Watches the groups that have a quota now. Without one, or where files are missing, it never
  /// tells of throttling. `root` stands before every path, for tests. Throws std::bad_alloc only.
  explicit throttle_watch(const std::string& root = {}) {
    for (const auto& [group, cpus] : detail::find_quotas(root)) {
      groups_.push_back({detail::watched_file{group.path + "/cpu.stat"}});
    }
    static_cast<void>(throttled_since_last_look());
  }

  /// True when a group was throttled since the last call, or since construction for the first one.
  /// Never throws. One system call a group with a quota, 1 us (EPYC 9004, KVM).
  bool throttled_since_last_look() noexcept {
    bool throttled = false;
    for (watched_group& each : groups_) {
      std::array<char, 1024> space;
      const std::optional<std::uint64_t> periods =
          detail::parse_throttled_periods(each.stat.read(space));
      if (periods) {
        throttled |= *periods > each.seen_periods;
        each.seen_periods = *periods;
      }
    }
    return throttled;
  }

 private:
  struct watched_group {
    detail::watched_file stat;
    std::uint64_t seen_periods = 0;
  };
  std::vector<watched_group> groups_;
};

}  // namespace fg::inline FINEGRAIN_ABI
