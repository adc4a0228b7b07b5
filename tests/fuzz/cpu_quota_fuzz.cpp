// Quotas of control groups, from a tree with arbitrary file contents.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "finegrain/host/cpu_quota.hpp"
#include "fixtures/fake_root.hpp"
#include "fuzz/hostile_files.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

constexpr const char* kOuterStat = "/cg/a/cpu.stat";

// Both hierarchies, with the process in /a/b of each.
const fg::test::hostile_files& files() {
  static const fg::test::hostile_files all{{
      {"/cg/a/b/cpu.max", "150000 100000"},
      {"/cg/a/cpu.max", "200000 100000"},
      {"/cg/a/b/cpu.stat", "usage_usec 5\nnr_periods 7\nnr_throttled 3\nthrottled_usec 9"},
      {kOuterStat, "nr_throttled 0"},
      {"/cpu/a/b/cpu.cfs_quota_us", "-1"},
      {"/cpu/a/b/cpu.cfs_period_us", "100000"},
      {"/proc/self/mountinfo",
       "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
       "30 22 0:26 / /cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
       "34 30 0:30 / /cpu rw,nosuid shared:12 - cgroup cgroup rw,cpu,cpuacct"},
      {"/proc/self/cgroup", "12:cpuset:/elsewhere\n4:cpu,cpuacct:/a/b\n0::/a/b"},
  }};
  return all;
}

// A quota that every reader understands counts, whatever the other files contain.
void add_group(const fg::test::fake_root& root, std::optional<double> before) {
  root.write("/cg/a/cpu.max", "1 1000");
  const std::optional<double> now = fg::quota_cpus(root.path());
  require(now == before || *now <= 0.001, "a quota counts where its group is seen");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const fg::test::fake_root& root = files().overwrite(input);
  const std::optional<double> quota = fg::quota_cpus(root.path());
  require(!quota || (std::isfinite(*quota) && *quota > 0), "a quota is a positive number");
  fg::detail::throttle_watch watch{root.path()};
  require(!watch.throttled_since_last_look(), "nothing happened since the watch was made");
  root.write(kOuterStat, "nr_throttled 18446744073709551615");
  static_cast<void>(watch.throttled_since_last_look());
  require(!watch.throttled_since_last_look(), "nothing happened since the last look");
  add_group(root, quota);
  return 0;
}
