// The cases with values: what the main thread does for each task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "programs/handoff/value_carrier.hpp"
#include "programs/handoff/value_tasks.hpp"

namespace fg::bench {

/// A batch of a case. `round_trip(carrier, number)` is for the numbers from 1 on, in order, after
/// `assistants_count` has been set to 0; the task of `number` then adds `part_of(number)` to what
/// `total()` says, a part that no other task of the batch has.
template <class Case, class C>
concept value_case_for = requires(Case& it, C& carrier, long number) {
  Case::kName;
  it.round_trip(carrier, number);
  { it.total() } -> std::same_as<long>;
  { Case::part_of(number) } -> std::same_as<long>;
};

/// The task carries a `long` and adds it to the assistant's count. There is no result.
class value_in {
 public:
  static constexpr const char* kName = "value-in";

  void round_trip(value_carrier auto& carrier, long number) {
    carrier.template call<add_to_count>(number);
  }
  [[nodiscard]] static long total() { return assistants_count.number; }
  static long part_of(long number) { return number; }
};

/// The task returns 8 bytes, which the main thread adds up.
class value_out_8 {
 public:
  static constexpr const char* kName = "value-out-8";

  void round_trip(value_carrier auto& carrier, long /*number*/) {
    total_ += carrier.template call<count_one>();
  }
  [[nodiscard]] long total() const { return total_; }
  static long part_of(long number) { return number; }

 private:
  long total_ = 0;
};

/// The task returns 32 bytes, which the main thread adds up.
class value_out_32 {
 public:
  static constexpr const char* kName = "value-out-32";

  void round_trip(value_carrier auto& carrier, long /*number*/) {
    for (const long part : carrier.template call<count_four>()) {
      total_ += part;
    }
  }
  [[nodiscard]] long total() const { return total_; }
  static long part_of(long number) { return (1 + 2 + 3 + 4) * number; }

 private:
  long total_ = 0;
};

/// The task stores 8 bytes into a variable of the main thread, which reads it after the wait: what
/// a closure with a captured reference does.
class reference_out {
 public:
  static constexpr const char* kName = "reference-out";

  void round_trip(value_carrier auto& carrier, long /*number*/) {
    carrier.template call<count_into>(&variable_.number);
    total_ += variable_.number;
  }
  [[nodiscard]] long total() const { return total_; }
  static long part_of(long number) { return number; }

 private:
  number_on_its_line variable_;  // the least that it costs: nothing else takes its line away
  long total_ = 0;
};

/// The task carries a `long` and returns another one made from it.
class in_and_out {
 public:
  static constexpr const char* kName = "in-and-out";

  void round_trip(value_carrier auto& carrier, long number) {
    total_ += carrier.template call<twice_and_one>(number);
  }
  [[nodiscard]] long total() const { return total_; }
  static long part_of(long number) { return 2 * number + 1; }

 private:
  long total_ = 0;
};

}  // namespace fg::bench
