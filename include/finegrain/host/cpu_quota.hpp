// The CPU time that Linux's control groups allow this process, and whether they throttle it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "finegrain/host/text_file.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The two versions of the interface of Linux's control groups.
enum class cgroup_version { v1, v2 };

/// One group: its folder, and how to read it.
struct cgroup_folder {
  std::string path;
  cgroup_version version;
};

/// True if `word` is an element of the comma-separated `list`.
inline bool list_holds(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    if (take_until(list, ',') == word) {
      return true;
    }
  }
  return false;
}

/// Decodes a field of mountinfo: the kernel writes space, tab, line feed and backslash as `\ooo`.
inline std::string unescape_octal(std::string_view field) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string text;
  while (!field.empty()) {
    std::size_t length = 1;
    char letter = field.front();
    if (letter == '\\' && field.size() >= 4 && is_octal(field[1]) && is_octal(field[2]) &&
        is_octal(field[3])) {
      letter = static_cast<char>((field[1] - '0') * 64 + (field[2] - '0') * 8 + (field[3] - '0'));
      length = 4;
    }
    text += letter;
    field.remove_prefix(length);
  }
  return text;
}

/// Where a hierarchy of groups is mounted, and which of its groups is the root there.
struct cgroup_mount {
  std::string group;
  std::string folder;
};

/// The mounts of the hierarchy with the cpu controller (version 1) or of the unified one. A line of
/// `mountinfo` is, see proc_pid_mountinfo(5):
///     id parent major:minor root mount-point options [optional fields] - type source super-options
inline std::vector<cgroup_mount> find_cgroup_mounts(std::string_view mountinfo,
                                                    cgroup_version version) {
  std::vector<cgroup_mount> mounts;
  while (!mountinfo.empty()) {
    const std::string_view line = take_until(mountinfo, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    std::string_view kind = line.substr(dash + 3);
    const std::string_view type = take_until(kind, ' ');
    static_cast<void>(take_until(kind, ' '));  // the source, which means nothing here
    if (version == cgroup_version::v1 ? type != "cgroup" || !list_holds(kind, "cpu")
                                      : type != "cgroup2") {
      continue;
    }
    std::string_view place = line.substr(0, dash);
    for (int field = 0; field < 3; ++field) {
      static_cast<void>(take_until(place, ' '));
    }
    const std::string group = unescape_octal(take_until(place, ' '));
    mounts.push_back({.group = group, .folder = unescape_octal(take_until(place, ' '))});
  }
  return mounts;
}

/// The group that `self_cgroup` (/proc/self/cgroup, lines of `id:controllers:group`) names for the
/// cpu controller (version 1) or in the unified hierarchy. Empty if longer than any Linux path.
inline std::optional<std::string> find_own_cgroup(std::string_view self_cgroup,
                                                  cgroup_version version) {
  constexpr std::size_t kLongestPath = 4096;
  while (!self_cgroup.empty()) {
    std::string_view line = take_until(self_cgroup, '\n');
    const std::string_view id = take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    if (version == cgroup_version::v1 ? list_holds(controllers, "cpu")
                                      : id == "0" && controllers.empty()) {
      return line.size() < kLongestPath ? std::optional<std::string>{line} : std::nullopt;
    }
  }
  return std::nullopt;
}

/// The part of `group` below `ancestor`, empty or beginning with a slash; nullopt if not below.
inline std::optional<std::string> path_below(std::string_view group, std::string_view ancestor) {
  if (ancestor == "/") {
    ancestor = {};
  }
  if (!group.starts_with(ancestor)) {
    return std::nullopt;
  }
  group.remove_prefix(ancestor.size());
  if (group == "/") {
    group = {};
  }
  return group.empty() || group.front() == '/' ? std::optional{std::string{group}} : std::nullopt;
}

/// The folders of this process's group and of those around it, innermost first, as far as they are
/// visible. A container may see its own group mounted as the root, or a path outside of what is
/// mounted; in both cases the mounted group is the right one.
inline std::vector<cgroup_folder> find_cgroup_folders(const std::string& root,
                                                      cgroup_version version) {
  const std::string proc = root + "/proc/self";
  const std::optional<std::string> mountinfo = read_text_file(proc + "/mountinfo");
  const std::optional<std::string> self = read_text_file(proc + "/cgroup");
  if (!mountinfo || !self) {
    return {};
  }
  const std::vector<cgroup_mount> mounts = find_cgroup_mounts(*mountinfo, version);
  const std::optional<std::string> own = find_own_cgroup(*self, version);
  if (mounts.empty() || !own) {
    return {};
  }
  const auto holds_own = [&own](const cgroup_mount& mount) {
    return path_below(*own, mount.group).has_value();
  };
  const auto best = std::find_if(mounts.begin(), mounts.end(), holds_own);
  const cgroup_mount& mount = best != mounts.end() ? *best : mounts.front();
  std::string below = path_below(*own, mount.group).value_or("");
  if (below.find("/..") != std::string::npos) {  // outside of the cgroup namespace
    below.clear();
  }
  const std::string top = root + mount.folder;
  std::vector<cgroup_folder> folders;
  for (;;) {
    folders.push_back({.path = top + below, .version = version});
    if (below.empty()) {
      return folders;
    }
    below.erase(below.rfind('/'));
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

// Both versions give microseconds of CPU time per period in microseconds. A quota that is not a
// positive number ("max", -1) means no limit.
inline std::optional<double> to_cpus(std::string_view quota, std::string_view period) noexcept {
  const std::optional<std::int64_t> quota_us = parse_integer<std::int64_t>(quota);
  const std::optional<std::int64_t> period_us = parse_integer<std::int64_t>(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

/// The quota of one group, in CPUs.
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
/// controller belongs to one of the two, and the other lacks these files.
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
/// quota of its group and of those around it. Empty if none is known, also if files are missing or
/// malformed. Read at each call: a quota may change while the program runs. `root` precedes every
/// path, for tests. Any thread. Throws std::bad_alloc only. 0.1 ms (EPYC 9004, KVM).
inline std::optional<double> quota_cpus(const std::string& root = {}) {
  std::optional<double> smallest;
  for (const auto& [group, cpus] : detail::find_quotas(root)) {
    smallest = std::min(smallest.value_or(cpus), cpus);
  }
  return smallest;
}

namespace detail {

/// The value of `nr_throttled` in a cpu.stat: how many periods ended with the quota used up.
inline std::optional<std::uint64_t> parse_throttled_periods(std::string_view stat) noexcept {
  while (!stat.empty()) {
    std::string_view value = take_until(stat, '\n');
    if (take_until(value, ' ') == "nr_throttled") {
      return parse_integer<std::uint64_t>(value);
    }
  }
  return std::nullopt;
}

/// A system file that is read repeatedly: it stays open, and a read is one system call.
class watched_file {
 public:
  explicit watched_file(const std::string& path) noexcept : file_{open(path)} {}

  /// Its beginning, in `space`; empty if it cannot be read (any more).
  [[nodiscard]] std::string_view read(std::array<char, 1024>& space) const noexcept {
    const auto size = file_ ? ::pread(fileno(file_.get()), space.data(), space.size(), 0) : 0;
    return size > 0 ? std::string_view{space.data(), static_cast<std::size_t>(size)}
                    : std::string_view{};
  }

 private:
  static std::FILE* open(const std::string& path) noexcept {
    return std::fopen(path.c_str(), "re");  // and closed in a program that this one executes
  }

  open_file file_;
};

/// Reports whether control groups stopped this process for lack of quota. One thread at a time.
class throttle_watch {
 public:
  /// Watches the groups that have a quota now. Without one, or if files are missing, it never
  /// reports throttling. `root` precedes every path, for tests. Throws std::bad_alloc only.
  explicit throttle_watch(const std::string& root = {}) {
    for (const auto& [group, cpus] : find_quotas(root)) {
      groups_.push_back({watched_file{group.path + "/cpu.stat"}});
    }
    static_cast<void>(throttled_since_last_look());
  }

  /// True if a group was throttled since the last call, or since construction for the first one.
  /// Never throws. One system call per group with a quota, 1 us (EPYC 9004, KVM).
  bool throttled_since_last_look() noexcept {
    bool throttled = false;
    for (watched_group& each : groups_) {
      std::array<char, 1024> space;
      const std::optional<std::uint64_t> periods = parse_throttled_periods(each.stat.read(space));
      if (periods) {
        throttled |= *periods > each.seen_periods;
        each.seen_periods = *periods;
      }
    }
    return throttled;
  }

 private:
  struct watched_group {
    watched_file stat;
    std::uint64_t seen_periods = 0;
  };
  std::vector<watched_group> groups_;
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
