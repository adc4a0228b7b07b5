// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/health_village.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fg::bench {

namespace {

constexpr std::size_t kPatientsAVillage = 40;
// For a hospital on the lowest level, and for one with patients from other villages: slightly too
// few.
constexpr int kLeafStaff = 6;
constexpr int kInnerStaff = 10;
constexpr std::uint32_t kAssessmentDays = 3;
constexpr std::uint32_t kTreatmentDays = 10;
// Per thousand: a healthy person falls ill; an assessed patient is passed on, or sent home.
constexpr std::uint32_t kFallsIll = 30;
constexpr std::uint32_t kPassedOn = 150;
constexpr std::uint32_t kSentHome = 500;

// Below 1000. The generator's numbers go from 1 to 2^31 - 2, so their probabilities differ by less
// than a factor of 1 + 10^-6.
std::uint32_t drawn(health_patient& patient) {
  return static_cast<std::uint32_t>(patient.luck() % 1000);
}

// Calls `visit` for all patients, after removing each from the queue: `visit` puts it into one.
template <class Visit>
void empty(health_queue& queue, Visit visit) {
  for (health_patient* patient = queue.take_all(); patient != nullptr;) {
    visit(*std::exchange(patient, patient->next));
  }
}

void release(health_village& village, health_patient& patient) {
  ++village.free_staff;
  patient.home->well.push(patient);
}

void receive(health_village& village) {
  for (health_village& child : village.children) {
    empty(child.outgoing, [&](health_patient& patient) { village.waiting.push(patient); });
  }
}

void treat(health_village& village) {
  empty(village.treated, [&](health_patient& patient) {
    if (--patient.days_left > 0) {
      village.treated.push(patient);
      return;
    }
    ++village.counts.treated;
    release(village, patient);
  });
}

void decide(health_village& village, health_patient& patient) {
  const std::uint32_t chance = drawn(patient);
  if (chance < kSentHome) {
    ++village.counts.sent_home;
    release(village, patient);
  } else if (chance < kSentHome + kPassedOn && village.has_parent) {
    ++village.counts.passed_on;
    ++village.free_staff;
    village.outgoing.push(patient);
  } else {
    patient.days_left = kTreatmentDays;
    village.treated.push(patient);
  }
}

void assess(health_village& village) {
  empty(village.assessed, [&](health_patient& patient) {
    if (--patient.days_left > 0) {
      village.assessed.push(patient);
    } else {
      decide(village, patient);
    }
  });
}

void admit(health_village& village) {
  empty(village.waiting, [&](health_patient& patient) {
    if (village.free_staff == 0) {
      ++village.counts.days_waited;
      village.waiting.push(patient);
      return;
    }
    --village.free_staff;
    patient.days_left = kAssessmentDays;
    village.assessed.push(patient);
  });
}

void fall_ill(health_village& village) {
  empty(village.well, [&](health_patient& patient) {
    if (drawn(patient) < kFallsIll) {
      ++village.counts.fell_ill;
      village.waiting.push(patient);
    } else {
      village.well.push(patient);
    }
  });
}

std::size_t villages_of(std::size_t levels) {
  std::size_t villages = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    villages = villages * health_village::kChildren + 1;
  }
  return villages;
}

struct named_count {
  std::string_view name;
  std::uint64_t health_counts::* count;
};
constexpr std::array kCounts = {
    named_count{"days", &health_counts::days},
    named_count{"that fell ill", &health_counts::fell_ill},
    named_count{"days waited", &health_counts::days_waited},
    named_count{"sent home", &health_counts::sent_home},
    named_count{"passed on", &health_counts::passed_on},
    named_count{"treated", &health_counts::treated},
};

struct named_queue {
  std::string_view name;
  health_queue health_village::* queue;
};
constexpr std::array kQueues = {
    named_queue{"well", &health_village::well},
    named_queue{"waiting", &health_village::waiting},
    named_queue{"assessed", &health_village::assessed},
    named_queue{"treated", &health_village::treated},
    named_queue{"outgoing", &health_village::outgoing},
};

std::string village_name(std::size_t village) { return "village " + std::to_string(village); }

std::optional<std::string> difference_of_counts(const health_counts& expected,
                                                const health_counts& found) {
  for (const auto& [name, count] : kCounts) {
    if (expected.*count != found.*count) {
      return std::to_string(found.*count) + " " + std::string(name) + ", not " +
             std::to_string(expected.*count);
    }
  }
  return std::nullopt;
}

// The numbers of a region's patients, each of which may be seen once.
class patient_census {
 public:
  explicit patient_census(const health_region& region)
      : patients_{region.patients()}, is_seen_(patients_.size()) {}

  // The numbers of a queue, in its order; nothing if one has been seen before, which also ends a
  // cycle.
  [[nodiscard]] std::optional<std::vector<std::size_t>> numbers(const health_queue& queue) {
    std::vector<std::size_t> numbers;
    for (const health_patient* each = queue.first(); each != nullptr; each = each->next) {
      const auto number = static_cast<std::size_t>(each - patients_.data());
      if (is_seen_[number]) {
        return std::nullopt;
      }
      is_seen_[number] = true;
      numbers.push_back(number);
    }
    seen_ += numbers.size();
    return numbers;
  }

  [[nodiscard]] std::size_t missing() const noexcept { return patients_.size() - seen_; }

 private:
  std::span<const health_patient> patients_;
  std::vector<bool> is_seen_;
  std::size_t seen_ = 0;
};

std::optional<std::string> difference_of_patients(const health_region& expected,
                                                  const health_region& found) {
  patient_census expected_census{expected};
  patient_census found_census{found};
  for (std::size_t village = 0; village < found.villages().size(); ++village) {
    for (const auto& [name, queue] : kQueues) {
      const auto numbers = found_census.numbers(found.villages()[village].*queue);
      const std::string where = village_name(village) + ", " + std::string(name) + ": ";
      if (!numbers) {
        return where + "a patient that is elsewhere, too";
      }
      if (numbers != expected_census.numbers(expected.villages()[village].*queue)) {
        return where + "other patients than without tasks";
      }
    }
  }
  if (found_census.missing() > 0) {
    return std::to_string(found_census.missing()) + " patients are nowhere";
  }
  return std::nullopt;
}

}  // namespace

void health_queue::push(health_patient& patient) noexcept {
  patient.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &patient;
  last_ = &patient;
}

health_patient* health_queue::take_all() noexcept {
  last_ = nullptr;
  return std::exchange(first_, nullptr);
}

void simulate_day(health_village& village) noexcept {
  // Backwards, so that a patient takes one step per day.
  receive(village);
  treat(village);
  assess(village);
  admit(village);
  fall_ill(village);
  ++village.counts.days;
}

health_region::health_region(std::size_t levels)
    : villages_(villages_of(levels)), patients_(villages_.size() * kPatientsAVillage) {
  reset();
}

void health_region::reset() {
  constexpr std::uint32_t kSeed = 2009;
  std::mt19937 seeds{kSeed};
  health_patient* patient = patients_.data();
  for (std::size_t i = 0; i < villages_.size(); ++i) {
    const std::size_t first_child = i * health_village::kChildren + 1;
    const bool is_leaf = first_child >= villages_.size();
    health_village& village = villages_[i];
    village = {};
    village.has_parent = i > 0;
    village.free_staff = is_leaf ? kLeafStaff : kInnerStaff;
    if (!is_leaf) {
      village.children = std::span{villages_}.subspan(first_child, health_village::kChildren);
    }
    for (std::size_t own = 0; own < kPatientsAVillage; ++own, ++patient) {
      *patient = {.home = &village, .luck = std::minstd_rand{seeds()}};
      village.well.push(*patient);
    }
  }
}

void simulate_sequentially(health_region& region) {
  for (int day = 0; day < health_region::kDays; ++day) {
    for (health_village& village : region.villages() | std::views::reverse) {
      simulate_day(village);
    }
  }
}

std::optional<std::string> difference(const health_region& expected, const health_region& found) {
  for (std::size_t village = 0; village < found.villages().size(); ++village) {
    if (auto wrong = difference_of_counts(expected.villages()[village].counts,
                                          found.villages()[village].counts)) {
      return village_name(village) + ": " + *wrong;
    }
  }
  return difference_of_patients(expected, found);
}

}  // namespace fg::bench
