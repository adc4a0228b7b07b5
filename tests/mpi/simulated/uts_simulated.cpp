// uts_simulated PLATFORM TREE RANKS SEED [OPTION...]: Unbalanced Tree Search on ranks that SimGrid
// simulates, with the shipped headers. Prints what was counted as one JSON object; the sum is compared
// with the published one. The same arguments give the same counts. Options are SimGrid's.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <finegrain/mpi.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "kernels/uts/sample_trees.hpp"
#include "mpi/uts_search.hpp"

// A rank here is one thread, that of its pool's only worker. SimGrid grants no thread level, and takes
// rank 0 for the only main thread.
int MPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_FUNNELED;
  return MPI_SUCCESS;
}
int MPI_Is_thread_main(int* flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

namespace {

namespace trees = fg::bench::uts;

// What a node takes: assumed, and frozen as the platform is. With SHA-1 instructions it is less than
// 0.1 us (EPYC 9005).
constexpr double kSecondsPerNode = 0.3e-6;

constexpr const char* kName = "uts";

class search : public examples::uts_search {
 public:
  using uts_search::uts_search;

  std::size_t process(std::size_t most) {
    const std::size_t done = uts_search::process(most);
    smpi_execute(static_cast<double>(done) * kSecondsPerNode);
    return done;
  }
};

const trees::sample_tree* tree = nullptr;
std::uint64_t seed = 1;
bool is_right = false;  // on rank 0

void print(const fg::mpi::outcome<trees::count>& found) {
  fg::mpi::rank_counts all;
  std::uint64_t ranks_without = 0;
  for (const fg::mpi::rank_counts& each : found.by_rank) {
    all.items += each.items;
    all.requests += each.requests;
    all.steals += each.steals;
    all.messages += each.messages;
    all.bytes += each.bytes;
    all.idle_seconds += each.idle_seconds;
    all.seconds += each.seconds;
    ranks_without += each.items == 0 ? 1 : 0;
  }
  const auto of = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  std::printf(
      "{\"tree\": \"%s\", \"ranks\": %zu, \"seed\": %llu, \"nodes\": %llu, \"published\": %llu, "
      "\"items\": %llu, \"requests\": %llu, \"steals\": %llu, \"messages\": %llu, \"bytes\": %llu, "
      "\"ranks_without_items\": %llu, \"idle_share\": %.6f, \"seconds\": %.9f}\n",
      std::string{tree->name}.c_str(), found.by_rank.size(), of(seed), of(found.result.nodes),
      of(tree->published.nodes), of(all.items), of(all.requests), of(all.steals), of(all.messages),
      of(all.bytes), of(ranks_without), all.idle_seconds / all.seconds,
      all.seconds / static_cast<double>(found.by_rank.size()));
}

void be_rank(int count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  {
    fg::pool pool{{.workers = 1, .placement = fg::worker_placement::untied}};
    const auto found =
        fg::mpi::run(MPI_COMM_WORLD, pool, search{tree->tree, own == 0}, {.seed = seed});
    if (own == 0) {
      is_right = found.result == tree->published;
      print(found);
    }
  }
  MPI_Finalize();
}

void add_rank(simgrid::s4u::Host* machine, int number) {
  const simgrid::s4u::ActorPtr added = simgrid::s4u::Actor::init(kName, machine);
  added->set_property("instance_id", kName);
  added->set_property("rank", std::to_string(number));
  added->start([] { be_rank(0, nullptr); });
}

}  // namespace

int main(int count, char** arguments) try {
  smpi_init_options();
  const simgrid::s4u::Engine engine{&count, arguments};  // takes SimGrid's options away
  if (count != 5) {
    std::fprintf(stderr, "usage: uts_simulated PLATFORM TREE RANKS SEED [OPTION...]\n");
    return 2;
  }
  tree = &trees::find_sample_tree(arguments[2]);
  const int ranks = std::stoi(arguments[3]);
  seed = std::stoull(arguments[4]);
  SMPI_init();
  engine.load_platform(arguments[1]);
  SMPI_app_instance_register(kName, nullptr, ranks);
  const std::vector<simgrid::s4u::Host*> machines = engine.get_all_hosts();
  for (int number = 0; number != ranks; ++number) {
    add_rank(machines.at(static_cast<std::size_t>(number)), number);
  }
  engine.run();
  SMPI_finalize();
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "uts_simulated: %s\n", error.what());
  return 2;
}
