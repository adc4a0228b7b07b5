// SPDX-License-Identifier: Apache-2.0
#include "programs/handoff/entries.hpp"

#include <boost/version.hpp>

#include "finegrain/core/config.hpp"
#include "finegrain/wait/wait.hpp"
#include "programs/handoff/calling_queue.hpp"
#include "programs/handoff/counted_queue.hpp"
#include "programs/handoff/field_queues.hpp"
#include "programs/handoff/floor_lines.hpp"
#include "programs/handoff/measure.hpp"
#include "programs/handoff/paper_caller.hpp"
#include "programs/handoff/relic_contestant.hpp"
#include "programs/relic_kernels/paper_relic.hpp"

namespace fg::bench {

namespace {

using form = handoff_entry::form;

template <value_carrier C, class... Case>
std::vector<handoff_entry::value_case> measures_of() {
  return {{Case::kName, &measure_values<Case, C>}...};
}

template <value_carrier C>
std::vector<handoff_entry::value_case> value_measures() {
  return measures_of<C, value_in, value_out_8, value_out_32, reference_out, in_and_out>();
}

template <class Policy>
form relic_form() {
  using relic = relic_contestant<Policy>;
  return {Policy::kName, Policy::supported(), &measure_contestant<relic>, value_measures<relic>()};
}

form paper_form() {
  return {spin_pause::kName, true, &measure_contestant<paper_relic>,
          value_measures<paper_caller>()};
}

template <template <class> class Queue, class Policy>
form queue_form() {
  return {Policy::kName, true, &measure_contestant<counted_queue<Queue, Policy>>,
          value_measures<calling_queue<Queue, Policy>>()};
}

template <class Lines, class Policy>
form floor_form() {
  return {Policy::kName, true, &measure_floor<floor_ping_pong<Lines, Policy>>, {}};
}

template <class Lines>
std::vector<form> floor_forms() {
  return {floor_form<Lines, spin_pause>(), floor_form<Lines, spin>()};
}

template <template <class> class Queue>
std::vector<form> queue_forms() {
  return {queue_form<Queue, spin_pause>(), queue_form<Queue, spin>()};
}

std::vector<form> relic_forms() {
  return {relic_form<spin_then_sleep>(), relic_form<spin_pause>(), relic_form<spin>(),
#if defined(__x86_64__) && defined(__GNUC__)
          relic_form<umwait>(), relic_form<mwaitx>()
#endif
  };
}

std::vector<form> atomic_queue_forms() {
#ifdef FINEGRAIN_BENCH_ATOMIC_QUEUE
  return queue_forms<atomic_queue_spsc>();
#else
  return {};
#endif
}

std::vector<form> moodycamel_forms() {
#ifdef FINEGRAIN_BENCH_MOODYCAMEL
  return queue_forms<moodycamel_rw>();
#else
  return {};
#endif
}

std::string boost_version() {
  return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
         std::to_string(BOOST_VERSION / 100 % 1000);
}

}  // namespace

std::vector<handoff_entry> handoff_entries() {
  const std::string ours = "finegrain " FINEGRAIN_VERSION;
  return {
      {"floor-one-line", ours, false, floor_forms<one_line>(), ""},
      {"floor-two-line", ours, false, floor_forms<two_lines>(), ""},
      {"relic", ours, true, relic_forms(), ""},
      {"relic-paper", paper_relic::version(), true, {paper_form()}, ""},
      {"boost-spsc", boost_version(), true, queue_forms<boost_spsc>(), ""},
      {"atomic-queue", "AtomicQueue2", true, atomic_queue_forms(), "Debian's libatomic-queue-dev"},
      {"moodycamel-rw", "ReaderWriterQueue", true, moodycamel_forms(),
       "Debian's libreaderwriterqueue-dev"},
  };
}

}  // namespace fg::bench
