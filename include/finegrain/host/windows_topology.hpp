// The topology as Windows reports it, from the bytes that its function fills.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::windows {

/// Windows numbers CPUs within groups of at most 64. Ours: 64 times the group, plus that number.
inline constexpr int kGroupCpus = 64;

/// CPUs of one group: GROUP_AFFINITY. On 64-bit Windows, as all that follows.
struct group_mask {
  std::uint64_t cpus = 0;
  std::uint16_t group = 0;
  std::uint16_t reserved[3] = {};
};
static_assert(sizeof(group_mask) == 16);

/// Calls `visit` with each of our numbers, ascending.
template <class Visit>
void for_each_cpu(const group_mask& mask, Visit visit) {
  for (std::uint64_t rest = mask.cpus; rest != 0; rest &= rest - 1) {
    visit(mask.group * kGroupCpus + std::countr_zero(rest));
  }
}

/// One SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX: what some CPUs share. The fields are at Microsoft's
/// offsets.
class relation {
 public:
  enum kind : std::uint32_t { core = 0, numa_node = 1, cache = 2, package = 3 };

  /// The one at the beginning of `bytes`; empty if there is none, or its length is impossible.
  explicit relation(std::span<const std::byte> bytes) noexcept {
    if (bytes.size() >= kShortest) {
      const auto length = read<std::uint32_t>(bytes, 4);
      if (length >= kShortest && length <= bytes.size()) {
        bytes_ = bytes.first(length);
      }
    }
  }

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

  // ---- requires that it is not empty ----

  [[nodiscard]] bool is(kind wanted) const noexcept {
    return read<std::uint32_t>(bytes_, 0) == wanted;
  }
  [[nodiscard]] int efficiency_class() const noexcept { return read<std::uint8_t>(bytes_, 9); }
  [[nodiscard]] int node() const noexcept {
    return static_cast<int>(read<std::uint32_t>(bytes_, 8));
  }
  [[nodiscard]] int cache_level() const noexcept { return read<std::uint8_t>(bytes_, 8); }
  [[nodiscard]] bool is_instruction_cache() const noexcept {
    return read<std::uint32_t>(bytes_, 16) == 1;
  }

  /// The CPUs, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<int> cpus() const {
    const std::size_t count_at = is(cache) ? 38 : 30;
    const std::size_t masks_at = count_at + 2;
    // Older versions of Windows leave zero where caches and nodes have one mask.
    const std::size_t masks = std::max<std::size_t>(read<std::uint16_t>(bytes_, count_at), 1);
    std::vector<int> found;
    for (std::size_t i = 0; i < masks; ++i) {
      const std::size_t at = masks_at + i * sizeof(group_mask);
      if (at + sizeof(group_mask) > bytes_.size()) {
        break;
      }
      for_each_cpu(read<group_mask>(bytes_, at), [&](int cpu) { found.push_back(cpu); });
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  static constexpr std::size_t kShortest = 40;  // up to the masks of a cache

  template <class T>
  static T read(std::span<const std::byte> bytes, std::size_t at) noexcept {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }

  std::span<const std::byte> bytes_;
};

/// The kinds of relations that a topology is made of, in the order of the bytes.
inline std::vector<relation> split_relations(std::span<const std::byte> bytes) {
  std::vector<relation> all;
  for (relation next{bytes}; !next.empty(); next = relation{bytes}) {
    all.push_back(next);
    bytes = bytes.subspan(next.size());
  }
  return all;
}

/// Sets `member` of those of `cpus` that `of` has.
inline void set_for(const relation& of, std::vector<logical_cpu>& cpus, int logical_cpu::* member,
                    int value) {
  for (const int id : of.cpus()) {
    const auto found = std::ranges::lower_bound(cpus, id, {}, &logical_cpu::id);
    if (found != cpus.end() && found->id == id) {
      (*found).*member = value;
    }
  }
}

/// The same with the lowest of them, which names what they share.
inline void name_for(const relation& of, std::vector<logical_cpu>& cpus,
                     int logical_cpu::* member) {
  const std::vector<int> sharing = of.cpus();
  if (!sharing.empty()) {
    set_for(of, cpus, member, sharing.front());
  }
}

/// Enters what one relation says. `packages`: how many there were before.
inline void enter(const relation& of, std::vector<logical_cpu>& cpus, int& packages) {
  if (of.is(relation::core)) {
    name_for(of, cpus, &logical_cpu::core);
    set_for(of, cpus, &logical_cpu::efficiency_class, of.efficiency_class());
  } else if (of.is(relation::numa_node)) {
    set_for(of, cpus, &logical_cpu::numa_node, of.node());
  } else if (of.is(relation::package)) {
    set_for(of, cpus, &logical_cpu::package, packages++);
  } else if (of.is(relation::cache) && !of.is_instruction_cache()) {
    if (of.cache_level() == 2 || of.cache_level() == 3) {
      name_for(of, cpus, of.cache_level() == 2 ? &logical_cpu::l2 : &logical_cpu::l3);
    }
  }
}

/// The topology in `bytes`, which GetLogicalProcessorInformationEx(RelationAll) has filled. Its CPUs
/// are those that some core has. Whether SMT is off or missing is not in them. Throws
/// std::bad_alloc.
inline topology parse_topology(std::span<const std::byte> bytes) {
  topology found{.source = "Windows"};
  const std::vector<relation> all = split_relations(bytes);
  for (const relation& each : all) {
    if (each.is(relation::core)) {
      for (const int id : each.cpus()) {
        found.cpus.push_back({.id = id});
      }
    }
  }
  std::ranges::sort(found.cpus, {}, &logical_cpu::id);
  int packages = 0;
  for (const relation& each : all) {
    enter(each, found.cpus, packages);
  }
  found.smt = found.has_siblings() ? smt_state::on : smt_state::unknown;
  return found;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::windows
