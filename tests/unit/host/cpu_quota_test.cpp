// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/cpu_quota.hpp"

#include <gtest/gtest.h>

#include "fixtures/fake_root.hpp"

namespace {

using fg::test::fake_root;

const std::string v1_mount = "/sys/fs/cgroup/cpu,cpuacct";
const std::string v2_mount = "/sys/fs/cgroup";
const std::string unified_mount = "/sys/fs/cgroup/unified";

// As systemd mounts them; in a container the mounted group is not the root.
void mount_v1(const fake_root& root, const std::string& own, const std::string& mounted = "/") {
  root.write("/proc/self/mountinfo",
             "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
             "30 22 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
             "33 30 0:29 / /sys/fs/cgroup/cpuset rw shared:11 - cgroup cgroup rw,cpuset\n"
             "34 30 0:30 " +
                 mounted + " " + v1_mount +
                 " rw,nosuid shared:12 - cgroup cgroup rw,cpu,cpuacct\n" + "31 30 0:27 / " +
                 unified_mount + " rw,nosuid shared:10 - cgroup2 cgroup2 rw");
  root.write("/proc/self/cgroup", "12:cpuset:/elsewhere\n4:cpu,cpuacct:" + own +
                                      "\n1:name=systemd:/init.scope\n0::/init.scope");
}

void mount_v2(const fake_root& root, const std::string& own, const std::string& mounted = "/") {
  root.write("/proc/self/mountinfo",
             "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
             "30 22 0:26 " +
                 mounted + " " + v2_mount + " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
  root.write("/proc/self/cgroup", "0::" + own);
}

void set_v1(const fake_root& root, const std::string& group, const char* quota_us,
            const char* period_us = "100000") {
  root.write(v1_mount + group + "/cpu.cfs_quota_us", quota_us);
  root.write(v1_mount + group + "/cpu.cfs_period_us", period_us);
}

TEST(cpu_quota, is_unknown_without_files) {
  const fake_root root;
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
  root.write("/proc/self/cgroup", "0::/");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
  mount_v2(root, "/group");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
}

TEST(cpu_quota, takes_no_group_longer_than_a_path) {
  const fake_root root;
  std::string deep;
  for (int level = 0; level < 2047; ++level) {
    deep += "/a";
  }
  mount_v2(root, deep);
  const auto folders = [&root] {
    return fg::detail::find_cgroup_folders(root.path(), fg::detail::cgroup_version::v2).size();
  };
  EXPECT_EQ(folders(), 2048U);
  mount_v2(root, deep + "/a");
  EXPECT_EQ(folders(), 0U);
}

TEST(cpu_quota, version_2) {
  const fake_root root;
  mount_v2(root, "/docker/abc");
  root.write(v2_mount + "/docker/abc/cpu.max", "150000 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 1.5);
  root.write(v2_mount + "/docker/abc/cpu.max", "max 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
}

TEST(cpu_quota, version_1) {
  const fake_root root;
  mount_v1(root, "/docker/abc");
  set_v1(root, "/docker/abc", "25000", "50000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 0.5);
  set_v1(root, "/docker/abc", "-1");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
}

TEST(cpu_quota, the_smallest_of_nested_groups) {
  const fake_root second;
  mount_v2(second, "/a/b/c");
  second.write(v2_mount + "/a/cpu.max", "300000 100000");
  second.write(v2_mount + "/a/b/cpu.max", "120000 100000");
  second.write(v2_mount + "/a/b/c/cpu.max", "400000 100000");
  second.write(v2_mount + "/a/other/cpu.max", "10000 100000");
  EXPECT_EQ(fg::quota_cpus(second.path()), 1.2);
  second.write(v2_mount + "/a/cpu.max", "50000 100000");
  EXPECT_EQ(fg::quota_cpus(second.path()), 0.5);

  const fake_root first;
  mount_v1(first, "/a/b");
  set_v1(first, "", "-1");
  set_v1(first, "/a", "70000");
  set_v1(first, "/a/b", "90000");
  EXPECT_EQ(fg::quota_cpus(first.path()), 0.7);
}

TEST(cpu_quota, the_mounted_group_counts_too) {
  const fake_root root;  // in a cgroup namespace the container's group is the root
  mount_v2(root, "/");
  root.write(v2_mount + "/cpu.max", "200000 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 2.0);
}

TEST(cpu_quota, a_container_that_is_told_the_hosts_path) {
  const fake_root mounted_own;
  mount_v1(mounted_own, "/docker/abc/sub", "/docker/abc");
  set_v1(mounted_own, "/sub", "80000");
  EXPECT_EQ(fg::quota_cpus(mounted_own.path()), 0.8);

  const fake_root mounted_other;  // the reported path does not exist below the mount
  mount_v1(mounted_other, "/kubepods/pod1", "/docker/abc");
  set_v1(mounted_other, "", "60000");
  EXPECT_EQ(fg::quota_cpus(mounted_other.path()), 0.6);

  const fake_root similar;  // "/docker/abcd" is not below "/docker/abc"
  mount_v1(similar, "/docker/abcd", "/docker/abc");
  set_v1(similar, "", "50000");
  set_v1(similar, "d", "10000");
  EXPECT_EQ(fg::quota_cpus(similar.path()), 0.5);
}

TEST(cpu_quota, of_two_mounts_the_one_that_holds_the_group) {
  const fake_root root;
  root.write("/proc/self/mountinfo",
             "30 22 0:26 /other /mnt/other rw - cgroup2 cgroup2 rw\n"
             "31 22 0:26 / /mnt/all rw - cgroup2 cgroup2 rw");
  root.write("/proc/self/cgroup", "0::/mine");
  root.write("/mnt/other/cpu.max", "10000 100000");
  root.write("/mnt/all/mine/cpu.max", "90000 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 0.9);
}

TEST(cpu_quota, a_group_outside_of_the_namespace) {
  const fake_root root;
  mount_v2(root, "/../other");
  root.write(v2_mount + "/cpu.max", "50000 100000");
  root.write("/sys/fs/other/cpu.max", "10000 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 0.5);
}

TEST(cpu_quota, a_hybrid_system_has_it_in_one_of_the_two) {
  const fake_root in_v1;
  mount_v1(in_v1, "/group");
  set_v1(in_v1, "/group", "150000");
  in_v1.write(unified_mount + "/init.scope/cgroup.procs", "1");
  EXPECT_EQ(fg::quota_cpus(in_v1.path()), 1.5);

  const fake_root in_v2;
  mount_v1(in_v2, "/group");
  in_v2.write(unified_mount + "/init.scope/cpu.max", "110000 100000");
  EXPECT_EQ(fg::quota_cpus(in_v2.path()), 1.1);
}

TEST(cpu_quota, a_mount_point_with_a_blank) {
  const fake_root root;
  root.write("/proc/self/mountinfo",
             "30 22 0:26 / /mnt/control\\040groups rw - cgroup2 cgroup2 rw");
  root.write("/proc/self/cgroup", "0::/a b");
  root.write("/mnt/control groups/a b/cpu.max", "90000 100000");
  EXPECT_EQ(fg::quota_cpus(root.path()), 0.9);
}

TEST(cpu_quota, nonsense_is_no_quota) {
  const fake_root root;
  mount_v2(root, "/group");
  for (const char* bad : {"", "150000", "x y", "150000 0", "150000 -5", "-3 100000", "0 100000",
                          "99999999999999999999 100000", "150000 100000 7"}) {
    root.write(v2_mount + "/group/cpu.max", bad);
    EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt) << bad;
  }
  root.write("/proc/self/mountinfo", "- -\n - \nx - cgroup2\n30 22 0:26 - cgroup2 a b");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
  root.write("/proc/self/cgroup", "::::\n0\n0:");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
  mount_v1(root, "/group");
  set_v1(root, "/group", "many");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
  set_v1(root, "/group", "150000");
  root.remove(v1_mount + "/group/cpu.cfs_period_us");
  EXPECT_EQ(fg::quota_cpus(root.path()), std::nullopt);
}

// ---- throttling ----

constexpr const char* kStat = "nr_periods 10\nnr_throttled %\nthrottled_time 12345\n";

std::string stat(const std::string& throttled) {
  std::string text = kStat;
  return text.replace(text.find('%'), 1, throttled);
}

TEST(throttle_watch, sees_the_counter_of_version_2_grow) {
  const fake_root root;
  mount_v2(root, "/group");
  root.write(v2_mount + "/group/cpu.max", "150000 100000");
  root.write(v2_mount + "/group/cpu.stat",
             "usage_usec 5\nuser_usec 3\nsystem_usec 2\n" + stat("3"));
  fg::detail::throttle_watch watch{root.path()};
  EXPECT_FALSE(watch.throttled_since_last_look());
  root.write(v2_mount + "/group/cpu.stat",
             "usage_usec 9\nuser_usec 3\nsystem_usec 6\n" + stat("4"));
  EXPECT_TRUE(watch.throttled_since_last_look());
  EXPECT_FALSE(watch.throttled_since_last_look());
  root.write(v2_mount + "/group/cpu.stat", stat("100"));
  EXPECT_TRUE(watch.throttled_since_last_look());
}

TEST(throttle_watch, sees_the_counter_of_version_1_grow) {
  const fake_root root;
  mount_v1(root, "/group");
  set_v1(root, "/group", "150000");
  root.write(v1_mount + "/group/cpu.stat", stat("0"));
  fg::detail::throttle_watch watch{root.path()};
  EXPECT_FALSE(watch.throttled_since_last_look());
  root.write(v1_mount + "/group/cpu.stat", stat("1"));
  EXPECT_TRUE(watch.throttled_since_last_look());
  EXPECT_FALSE(watch.throttled_since_last_look());
}

TEST(throttle_watch, watches_every_group_with_a_quota) {
  const fake_root root;
  mount_v2(root, "/a/b");
  root.write(v2_mount + "/a/cpu.max", "150000 100000");
  root.write(v2_mount + "/a/b/cpu.max", "300000 100000");
  root.write(v2_mount + "/a/cpu.stat", stat("0"));
  root.write(v2_mount + "/a/b/cpu.stat", stat("0"));
  fg::detail::throttle_watch watch{root.path()};
  for (const char* group : {"/a", "/a/b"}) {
    root.write(v2_mount + group + "/cpu.stat", stat("1"));
    EXPECT_TRUE(watch.throttled_since_last_look()) << group;
    EXPECT_FALSE(watch.throttled_since_last_look()) << group;
  }
}

TEST(throttle_watch, without_a_quota_or_files_it_tells_of_nothing) {
  const fake_root root;
  fg::detail::throttle_watch blind{root.path()};
  EXPECT_FALSE(blind.throttled_since_last_look());
  mount_v2(root, "/group");
  root.write(v2_mount + "/group/cpu.max", "max 100000");
  root.write(v2_mount + "/group/cpu.stat", stat("0"));
  fg::detail::throttle_watch without_quota{root.path()};
  root.write(v2_mount + "/group/cpu.stat", stat("1"));
  EXPECT_FALSE(without_quota.throttled_since_last_look());
  root.write(v2_mount + "/group/cpu.max", "150000 100000");
  root.remove(v2_mount + "/group/cpu.stat");
  fg::detail::throttle_watch without_counters{root.path()};
  EXPECT_FALSE(without_counters.throttled_since_last_look());
}

TEST(throttle_watch, nonsense_and_a_counter_that_starts_again_are_no_throttling) {
  const fake_root root;
  mount_v2(root, "/group");
  root.write(v2_mount + "/group/cpu.max", "150000 100000");
  root.write(v2_mount + "/group/cpu.stat", stat("7"));
  fg::detail::throttle_watch watch{root.path()};
  for (const std::string& text :
       {std::string{}, std::string{"nr_throttled"}, stat("many"), stat("7"), stat("2")}) {
    root.write(v2_mount + "/group/cpu.stat", text);
    EXPECT_FALSE(watch.throttled_since_last_look()) << text;
  }
  root.write(v2_mount + "/group/cpu.stat", stat("3"));
  EXPECT_TRUE(watch.throttled_since_last_look());
}

TEST(throttle_watch, can_be_moved) {
  const fake_root root;
  mount_v2(root, "/group");
  root.write(v2_mount + "/group/cpu.max", "150000 100000");
  root.write(v2_mount + "/group/cpu.stat", stat("0"));
  fg::detail::throttle_watch first{root.path()};
  fg::detail::throttle_watch watch{std::move(first)};
  root.write(v2_mount + "/group/cpu.stat", stat("1"));
  EXPECT_TRUE(watch.throttled_since_last_look());
}

}  // namespace
