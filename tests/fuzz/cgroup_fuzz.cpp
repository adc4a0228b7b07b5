// Control groups: /proc/self/mountinfo and /proc/self/cgroup.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/cpu_quota.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::detail::cgroup_mount;
using fg::detail::cgroup_version;
using fg::test::require;

// As the kernel writes a field of mountinfo.
std::string escape(std::string_view field) {
  std::string text;
  for (const char letter : field) {
    if (std::string_view{" \t\n\\"}.find(letter) == std::string_view::npos) {
      text += letter;
    } else {
      const auto code = static_cast<unsigned char>(letter);
      text += '\\';
      text += static_cast<char>('0' + code / 64);
      text += static_cast<char>('0' + code / 8 % 8);
      text += static_cast<char>('0' + code % 8);
    }
  }
  return text;
}

void read_any(cgroup_version version, std::string_view text) {
  for (const cgroup_mount& mount : fg::detail::find_cgroup_mounts(text, version)) {
    require(mount.group.size() + mount.folder.size() <= text.size(),
            "a mount is a part of the text");
  }
  const std::optional<std::string> own = fg::detail::find_own_cgroup(text, version);
  require(!own || text.find(*own) != std::string_view::npos, "the group is a part of the text");
}

void read_written(cgroup_version version, const std::string& group, const std::string& folder) {
  const char* const type = version == cgroup_version::v1 ? "cgroup" : "cgroup2";
  const std::string line = "29 23 0:26 " + escape(group) + " " + escape(folder) +
                           " rw,nosuid shared:4 - " + type + " cgroup rw,cpuacct,cpu\n";
  const std::vector<cgroup_mount> found =
      fg::detail::find_cgroup_mounts("21 1 0:5 / /dev rw - devtmpfs udev rw\n" + line, version);
  require(found.size() == 1, "the mount is found, and no other");
  require(found[0].group == group && found[0].folder == folder, "its names are read as written");
  const cgroup_version other =
      version == cgroup_version::v1 ? cgroup_version::v2 : cgroup_version::v1;
  require(fg::detail::find_cgroup_mounts(line, other).empty(), "it is none of the other version");
}

void go_below(const std::string& group, const std::string& ancestor) {
  const std::optional<std::string> below = fg::detail::path_below(group, ancestor);
  if (below) {
    require(below->empty() || below->front() == '/', "the path begins with a slash or is empty");
    const std::string top = ancestor == "/" ? "" : ancestor;
    require(top + *below == group || top + *below + "/" == group, "both parts are the whole");
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongestName = 64;
  FuzzedDataProvider input{data, size};
  const auto version = input.ConsumeBool() ? cgroup_version::v1 : cgroup_version::v2;
  const std::string group = "/" + input.ConsumeRandomLengthString(kLongestName);
  const std::string folder = "/" + input.ConsumeRandomLengthString(kLongestName);
  read_written(version, group, folder);
  go_below(group, folder);
  go_below(folder + group, folder);
  read_any(version, input.ConsumeRemainingBytesAsString());
  return 0;
}
