// Chooses the CPU of an assistant, and says why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How near two CPUs are, nearest first.
enum class proximity { smt_sibling, shared_l2, shared_l3, same_package, other_package };

/// The name in the lab's files: "smt_sibling", ….
constexpr const char* to_string(proximity kind) noexcept {
  constexpr std::array kNames{"smt_sibling", "shared_l2", "shared_l3", "same_package",
                              "other_package"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// How near `a` and `b` are. What is not known counts as not shared.
constexpr proximity proximity_of(const logical_cpu& a, const logical_cpu& b) noexcept {
  const auto share = [&](int logical_cpu::* part) { return a.*part >= 0 && a.*part == b.*part; };
  if (share(&logical_cpu::core)) {
    return proximity::smt_sibling;
  }
  if (share(&logical_cpu::l2)) {
    return proximity::shared_l2;
  }
  if (share(&logical_cpu::l3)) {
    return proximity::shared_l3;
  }
  return share(&logical_cpu::package) ? proximity::same_package : proximity::other_package;
}

/// Where the two threads of a relic run.
struct placement {
  int main_cpu = -1;                          ///< -1 if the system does not report it
  std::optional<int> assistant_cpu{};         ///< empty: no CPU for an assistant, tasks run inline
  proximity kind = proximity::other_package;  ///< of the two CPUs, if there are two
  /// One line: "SMT sibling", or why no nearer CPU was chosen, or why there is no assistant.
  std::string reason{};
};

namespace detail {

inline bool holds(const std::vector<int>& cpus, int cpu) noexcept {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

/// The input of one choice, named as in `choose_placement`.
struct placement_question {
  const host_view& host;
  const std::vector<int>& allowed;
  logical_cpu main;
  const std::vector<int>& taken;
  std::optional<int> current;
  const std::vector<int>& avoided;

  [[nodiscard]] bool is_free(int cpu) const noexcept {
    return cpu != main.id && holds(allowed, cpu) && !holds(taken, cpu);
  }

  [[nodiscard]] bool is_slower(const logical_cpu& cpu) const noexcept {
    return cpu.efficiency_class < main.efficiency_class;
  }

  /// A CPU that the topology lacks shares nothing and has the main thread's core class.
  [[nodiscard]] logical_cpu describe(int cpu) const {
    const logical_cpu* const known = host.cpus->find(cpu);
    return known != nullptr ? *known
                            : logical_cpu{.id = cpu, .efficiency_class = main.efficiency_class};
  }

  /// True if another hardware thread of this core serves a relic. Requires: `cpu` is free.
  [[nodiscard]] bool shares_core_with_taken(const logical_cpu& cpu) const {
    return std::any_of(taken.begin(), taken.end(), [&](int other) {
      return proximity_of(describe(other), cpu) == proximity::smt_sibling;
    });
  }

  /// Orders the candidates: the smallest is best. First, one not to be avoided: two busy threads on
  /// one CPU wait milliseconds for each other, reaching a far CPU takes less than a microsecond.
  /// Then nearness. Then the same core class, as of two unequal halves the slower one counts. Then
  /// a core not shared with another relic. Then the current CPU, as moving costs its caches.
  [[nodiscard]] std::array<int, 7> rank(const logical_cpu& cpu) const {
    return {static_cast<int>(holds(avoided, cpu.id)),
            static_cast<int>(proximity_of(main, cpu)),
            static_cast<int>(cpu.numa_node != main.numa_node),
            static_cast<int>(cpu.efficiency_class != main.efficiency_class),
            static_cast<int>(shares_core_with_taken(cpu)),
            static_cast<int>(cpu.id != current),
            cpu.id};
  }
};

/// Why there is no assistant, wherever it and the main thread run; empty if there may be one.
inline std::string why_inline(const host_view& host, const std::vector<int>& allowed) {
  if (allowed.size() == 1) {
    return "one usable CPU";
  }
  if (host.quota_cpus && *host.quota_cpus < 2) {
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), "cgroup quota of %.3g CPUs is below two",
                  *host.quota_cpus);
    return text.data();
  }
  return {};
}

/// Why the main thread's core has no second CPU.
inline const char* why_no_sibling(const host_view& host) {
  if (host.cpus->has_siblings()) {
    return "this core has one thread";
  }
  if (host.cpus->smt == smt_state::off) {
    return "SMT off";
  }
  return host.processor.hypervisor ? "hypervisor hides topology" : "the processor has no SMT";
}

/// Why no CPU of this proximity was chosen; empty if there is none.
inline std::string why_not(const placement_question& question, proximity kind) {
  bool exists = false;
  bool taken = false;
  bool avoided = false;
  bool slower = false;
  for (const logical_cpu& cpu : question.host.cpus->cpus) {
    if (cpu.id != question.main.id && proximity_of(question.main, cpu) == kind) {
      const bool allowed = holds(question.allowed, cpu.id);
      exists = true;
      taken |= allowed && holds(question.taken, cpu.id);
      slower |= allowed && question.is_slower(cpu);
      avoided |= allowed && holds(question.avoided, cpu.id);
    }
  }
  if (!exists) {
    return kind == proximity::smt_sibling ? why_no_sibling(question.host) : "";
  }
  constexpr std::array kNames{"sibling", "L2 neighbour", "L3 neighbour", "package neighbour"};
  const std::string name = kNames.at(static_cast<std::size_t>(kind));
  if (taken) {
    return name + " already serves another relic";
  }
  if (slower) {
    return name + " is slower";
  }
  return name + (avoided ? " serves a pool" : " not in cpuset");
}

/// Why `chosen` and nothing nearer.
inline std::string explain(const placement_question& question, proximity chosen) {
  if (question.host.cpus->find(question.main.id) == nullptr) {
    return "topology unknown";
  }
  if (chosen == proximity::smt_sibling) {
    return "SMT sibling";
  }
  std::string reasons;
  for (const proximity nearer : {proximity::smt_sibling, proximity::shared_l2, proximity::shared_l3,
                                 proximity::same_package}) {
    const std::string reason = nearer < chosen ? why_not(question, nearer) : "";
    reasons += (reasons.empty() || reason.empty() ? "" : "; ") + reason;
  }
  return reasons;
}

}  // namespace detail

/// Chooses the assistant's CPU for a main thread that runs on `main_cpu` (-1: not known). Of the
/// CPUs in `allowed` and not in `taken`, it is the SMT sibling of `main_cpu`, else one that shares
/// its L2 cache, else its L3, else its package, else any. Ties are resolved in favour of the same
/// NUMA node, the same core class, a core without a relic, `current` (where the assistant runs
/// now), the lowest number. A core slower than the main thread's is never chosen, one in `avoided`
/// only if all candidates are. `placement::reason` explains the choice, or why there is no
/// assistant.
///
/// A pure function. Requires: `host.cpus` is not null. Any thread. Throws std::bad_alloc. At worst
/// quadratic in the CPUs.
inline placement choose_placement(const host_view& host, const std::vector<int>& allowed,
                                  int main_cpu, const std::vector<int>& taken,
                                  std::optional<int> current = std::nullopt,
                                  const std::vector<int>& avoided = {}) {
  placement chosen{.main_cpu = main_cpu, .reason = detail::why_inline(host, allowed)};
  if (chosen.reason.empty() && (main_cpu < 0 || allowed.empty())) {
    chosen.reason = "main's CPU unknown";
  }
  if (!chosen.reason.empty()) {
    return chosen;
  }
  detail::placement_question question{host, allowed, {.id = main_cpu}, taken, current, avoided};
  question.main = question.describe(main_cpu);
  std::optional<logical_cpu> best;
  bool any_free = false;
  for (const int cpu : allowed) {
    if (question.is_free(cpu)) {
      any_free = true;
      const logical_cpu candidate = question.describe(cpu);
      if (!question.is_slower(candidate) &&
          (!best || question.rank(candidate) < question.rank(*best))) {
        best = candidate;
      }
    }
  }
  if (!best) {
    chosen.reason =
        any_free ? "only slower cores are left" : "every usable CPU already serves a relic";
    return chosen;
  }
  chosen.assistant_cpu = best->id;
  chosen.kind = proximity_of(question.main, *best);
  chosen.reason = detail::explain(question, chosen.kind);
  return chosen;
}

}  // namespace fg::inline FINEGRAIN_ABI
