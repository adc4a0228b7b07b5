// Villages with a hospital each and the patients that they pass on. Compiled once, for all
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
  std::minstd_rand luck;        ///< of its own, so that the order of villages does not matter
  std::uint32_t days_left = 0;  ///< of the assessment or treatment
};

/// Patients in the order in which they came.
class health_queue {
 public:
  void push(health_patient& patient) noexcept;
  /// The first one of all, which leave; null if there is none. Each leads to its next.
  [[nodiscard]] health_patient* take_all() noexcept;
  /// The first one, which stays.
  [[nodiscard]] const health_patient* first() const noexcept { return first_; }

 private:
  health_patient* first_ = nullptr;
  health_patient* last_ = nullptr;
};

/// What has happened in a village, and to how many patients.
struct health_counts {
  std::uint64_t days = 0;  ///< simulated
  std::uint64_t fell_ill = 0;
  std::uint64_t days_waited = 0;  ///< of all who waited, together
  std::uint64_t sent_home = 0;    ///< after the assessment
  std::uint64_t passed_on = 0;
  std::uint64_t treated = 0;
};

/// A village and its hospital, on cache lines of their own.
struct alignas(64) health_village {
  static constexpr std::size_t kChildren = 4;

  std::span<health_village> children;
  bool has_parent = false;
  int free_staff = 0;  ///< each busy with one patient from the assessment to the treatment's end
  health_queue well;
  health_queue waiting;
  health_queue assessed;
  health_queue treated;
  health_queue outgoing;  ///< the parent takes them when the village's day is over
  health_counts counts;
};

/// Simulates one day. Requires: the children's day is over. Changes the village, its children's
/// `outgoing` and, where a patient goes home, `well` of a village below: nothing that is not in its
/// own part of the tree, which is done. So villages that lie side by side need no lock.
void simulate_day(health_village& village) noexcept;

/// A tree of villages, with seeded patients, the same ones each time.
class health_region {
 public:
  static constexpr int kDays = 60;

  /// Requires: `levels` is 1 or more.
  explicit health_region(std::size_t levels);
  health_region(const health_region&) = delete;
  health_region& operator=(const health_region&) = delete;
  ~health_region() = default;

  /// Before the first day, all are well and at home.
  void reset();

  [[nodiscard]] health_village& root() noexcept { return villages_.front(); }
  /// Each before its children.
  [[nodiscard]] std::span<health_village> villages() noexcept { return villages_; }
  [[nodiscard]] std::span<const health_village> villages() const noexcept { return villages_; }
  [[nodiscard]] std::span<const health_patient> patients() const noexcept { return patients_; }

 private:
  std::vector<health_village> villages_;  // the children of i from kChildren * i + 1 on
  std::vector<health_patient> patients_;
};

/// Simulates all days without tasks, village by village from the last one to the root.
void simulate_sequentially(health_region& region);

/// Nothing if both have the same counts and the same patients in the same lists, of which each is
/// in one; else what differs.
[[nodiscard]] std::optional<std::string> difference(const health_region& expected,
                                                    const health_region& found);

}  // namespace fg::bench
