// Where the control groups stand that limit this process's CPU time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/text_file.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The two interfaces of Linux's control groups.
enum class cgroup_version { v1, v2 };

/// One group: a folder, and how to read it.
struct cgroup_folder {
  std::string path;
  cgroup_version version;
};

/// True when `word` is an element of the comma-separated `list`.
inline bool list_holds(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    if (take_until(list, ',') == word) {
      return true;
    }
  }
  return false;
}

/// A field of mountinfo, where the kernel writes space, tab, line feed and backslash as `\ooo`.
inline std::string unescape_octal(std::string_view field) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string text;
  while (!field.empty()) {
    std::size_t length = 1;
    char letter = field.front();
    if (letter == '\\' && field.size() >= 4 && std::ranges::all_of(field.substr(1, 3), is_octal)) {
      letter = static_cast<char>((field[1] - '0') * 64 + (field[2] - '0') * 8 + (field[3] - '0'));
      length = 4;
    }
    text += letter;
    field.remove_prefix(length);
  }
  return text;
}

/// Where a hierarchy of groups is mounted, and which of its groups stands there.
struct cgroup_mount {
  std::string group;
  std::string folder;
};

/// The mounts of the hierarchy that holds the cpu controller (version 1), or of the unified one.
/// Each line of `mountinfo` is, see proc_pid_mountinfo(5):
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
    static_cast<void>(take_until(kind, ' '));  // the source, a name without meaning
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
/// cpu controller (version 1), or in the unified hierarchy. Nothing where that is longer than a
/// path of Linux's can be.
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

/// What follows of `group` below `ancestor`, beginning with a slash or empty; nothing if it does
/// not lie there.
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
/// visible. A container may see its own group mounted as the root, or be told a path outside of
/// what is mounted; then the mounted group is the one.
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
  const auto best = std::ranges::find_if(mounts, holds_own);
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
