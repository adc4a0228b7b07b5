// Villages with one hospital each, and the patients that they pass on. Compiled once for all
// runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

struct health_village;

/// A person, ill or not, in one list at a time.
struct health_patient {
  health_patient* next = nullptr;
  health_village* home = nullptr;
  std::minstd_rand luck;        ///< its own, so that the order of villages does not matter
  std::uint32_t days_left = 0;  ///< of the assessment or treatment
};

/// Patients in the order of arrival.
class health_queue {
 public:
  void push(health_patient& patient) noexcept;
  /// Removes all patients and returns the first; null if there is none. Each links to the next.
  [[nodiscard]] health_patient* take_all() noexcept;
  /// The first patient, which stays.
  [[nodiscard]] const health_patient* first() const noexcept { return first_; }

 private:
  health_patient* first_ = nullptr;
  health_patient* last_ = nullptr;
};

/// Counts of what has happened in a village.
struct health_counts {
  std::uint64_t days = 0;  ///< simulated
  std::uint64_t fell_ill = 0;
  std::uint64_t days_waited = 0;  ///< of all waiting patients together
  std::uint64_t sent_home = 0;    ///< after the assessment
  std::uint64_t passed_on = 0;
  std::uint64_t treated = 0;
};

/// A village and its hospital, on cache lines of their own.
struct alignas(64) health_village {
  static constexpr std::size_t kChildren = 4;

  std::span<health_village> children;
  bool has_parent = false;
  int free_staff = 0;  ///< each is busy with one patient until its treatment ends
  health_queue well;
  health_queue waiting;
  health_queue assessed;
  health_queue treated;
  health_queue outgoing;  ///< the parent takes them when the village's day is over
  health_counts counts;
};

/// Simulates one day. Requires: the children's day is over. Changes the village, its children's
/// `outgoing` and, if a patient goes home, `well` of a village below: nothing outside of its own
/// subtree, which has finished. So sibling villages need no lock.
void simulate_day(health_village& village) noexcept;

/// A tree of villages, with pseudo-random patients, the same each time.
class health_region {
 public:
  static constexpr int kDays = 60;

  /// Requires: `levels` is 1 or more.
  explicit health_region(std::size_t levels);
  health_region(const health_region&) = delete;
  health_region& operator=(const health_region&) = delete;
  ~health_region() = default;

  /// Restores the state before the first day: all are well and at home.
  void reset();

  [[nodiscard]] health_village& root() noexcept { return villages_.front(); }
  /// Each village comes before its children.
  [[nodiscard]] std::span<health_village> villages() noexcept { return villages_; }
  [[nodiscard]] std::span<const health_village> villages() const noexcept { return villages_; }
  [[nodiscard]] std::span<const health_patient> patients() const noexcept { return patients_; }

 private:
  std::vector<health_village> villages_;  // the children of i begin at kChildren * i + 1
  std::vector<health_patient> patients_;
};

/// Simulates all days without tasks, village by village from the last one to the root.
void simulate_sequentially(health_region& region);

/// Nothing if both have the same counts and the same patients in the same lists, each patient in
/// exactly one; else what differs.
[[nodiscard]] std::optional<std::string> difference(const health_region& expected,
                                                    const health_region& found);

}  // namespace fg::bench
