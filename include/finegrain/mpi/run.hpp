// Runs bags of work on all ranks of an MPI communicator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "finegrain/core/errors.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/mpi/bag.hpp"
#include "finegrain/mpi/checkpoint.hpp"
#include "finegrain/mpi/options.hpp"
#include "finegrain/mpi/post.hpp"
#include "finegrain/mpi/rank.hpp"
#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi {

/// The CPUs of this rank: those that it may use, divided by the ranks of `all` on this machine; at
/// least one. All ranks of `all` call it.
inline std::size_t cpus_of_rank(MPI_Comm all) {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int ranks_here = 1;
  MPI_Comm_size(here, &ranks_here);
  MPI_Comm_free(&here);
  return std::max<std::size_t>(usable_cpus().size() / static_cast<std::size_t>(ranks_here), 1);
}

namespace detail {

// The thread that calls MPI runs the pool's first worker.
inline void require_main_thread() {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  if (is_initialized != 0) {
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
  }
  if (level < MPI_THREAD_FUNNELED || is_main == 0) {
    fg::detail::raise(std::logic_error{
        "finegrain: mpi::run needs MPI_Init_thread with MPI_THREAD_FUNNELED, and that thread"});
  }
}

inline std::int64_t highest_bound(const post& all, const fg::mpi::bound* own) {
  std::int64_t highest = own != nullptr ? own->value() : fg::mpi::bound::kLeast;
  MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_INT64_T, MPI_MAX, all.all());
  return highest;
}

// A copy without items. `own` has its result, as yet of nothing.
template <bag Bag>
Bag emptied(const Bag& own) {
  Bag empty = own;
  static_cast<void>(empty.split(empty.size()));
  return empty;
}

}  // namespace detail

/// Processes the items of all ranks' bags, and those that they add, on the pools of all ranks of `all`,
/// and returns the reduction of all results on every rank. Ranks without work get some from others
/// (lifelines.hpp).
///
/// Every rank calls it with its own pool and bag, whose result is that of no items yet; often only rank
/// 0's bag has items. Requires: MPI_THREAD_FUNNELED; the thread that initialized MPI, outside the
/// pool; nobody else on the pool for long. If an error of MPI occurs one line says which, and all
/// ranks end; so they do, by mpirun, if a rank dies. Then the same call resumes from the last
/// checkpoint, if the options name one, also with another number of ranks. Throws std::runtime_error, on
/// all ranks, if a checkpoint is there and cannot be used.
template <bag Bag>
outcome<result_of<Bag>> run(MPI_Comm all, pool& workers, Bag bag, const run_options& options = {}) {
  detail::require_main_thread();
  const Bag empty = detail::emptied(bag);
  detail::post post{all};
  detail::checkpoints checkpoints{post, options.checkpoint};
  if (checkpoints.is_there()) {
    bag = empty;
    checkpoints.load(bag);
    if (options.shared != nullptr) {
      options.shared->raise(checkpoints.bound());
    }
  }
  detail::rank<Bag> own{post, workers, std::move(bag), empty, options};
  bool has_finished = false;
  while (!(has_finished = own.work())) {
    if (checkpoints.is_wanted()) {
      checkpoints.save(own.own(), detail::highest_bound(post, options.shared));
    }
    if (own.is_stopped()) {
      break;
    }
    own.go_on();
  }
  if (has_finished) {
    checkpoints.remove();
  }
  Bag sum = empty;
  for (const auto& each : post.of_all(own.own().result())) {
    sum.reduce(each);
  }
  return {sum.result(), has_finished, post.of_all(own.counts())};
}

}  // namespace fg::inline FINEGRAIN_ABI::mpi
