// Tile algorithms as subcommands: tasks that depend on tasks, over a sequential BLAS.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/tiles/blas.hpp"
#include "kernels/tiles/tile_problem.hpp"
#include "kernels/tiles/tile_program.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/workloads/tile_job.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr int kMostRows = 32'768;
constexpr int kMostTileTasks = 20'000'000;

void run_counted(const tiles::program& program, const tiles::task& task) {
  thread_census::count();
  tiles::run(program, task);
}

void require_solved(const tiles::problem& problem) {
  if (!problem.is_solved()) {
    throw wrong_result(
        "the result differs by " +
        std::to_string(tiles::greatest_difference(problem.result, problem.expected)) +
        " from that of one call for the whole matrix");
  }
}

// One run from the input on, checked; returns the time of the run alone, ns.
double solved_ns(tiles::problem& problem, task_runner& runner, const tile_job& job) {
  problem.restore();
  return checked_ns(
      [&] {
        runner.run(job);
        return 0;
      },
      [&problem](int /*nothing*/) { require_solved(problem); });
}

struct tile_algorithm {
  const char* name;
  const char* words;
  tiles::problem (*make)(int n, int extent);
};

class tile_case final : public spawn_case {
 public:
  explicit tile_case(const tile_algorithm& algorithm) : algorithm_{algorithm} {}

  options add_to(options& app) override {
    options command = app.add_subcommand(algorithm_.name, algorithm_.words);
    command.add("--n", n_, "Rows of the matrix").required().in_range(1, kMostRows);
    command.add("--tile", extent_, "Rows of a tile").required().in_range(1, kMostRows);
    return command;
  }

  void require_sense(const batch_plan& /*plan*/) const override {
    const auto side = static_cast<std::uint64_t>((n_ + extent_ - 1) / extent_);
    if (side * side * side > kMostTileTasks) {
      throw wrong_arguments("--tile " + std::to_string(extent_) + " is too small for --n " +
                            std::to_string(n_));
    }
    tiles::load_blas();
  }

  // Solves it repeatedly. Only solving counts: the ceiling is slightly low.
  [[nodiscard]] unit_of_work unit() const override {
    const std::shared_ptr<tiles::problem> problem = std::make_shared<tiles::problem>();
    return [algorithm = algorithm_, n = n_, extent = extent_, problem](work_counter& counter) {
      if (problem->steps.tasks.empty()) {  // in the process that needs it
        *problem = algorithm.make(n, extent);
      }
      problem->restore();
      for (const tiles::task& task : problem->steps.tasks) {
        tiles::run(problem->steps, task);
        counter.add(1);
      }
      require_solved(*problem);
    };
  }

  [[nodiscard]] json measure(const batch_plan& plan, task_runner& runner) const override {
    tiles::problem problem = algorithm_.make(n_, extent_);
    const tile_job job{.program = problem.steps, .work = tiles::run};
    json line{{"n", n_}, {"tile", extent_}, {"blas", tiles::load_blas()}, {"tasks", job.tasks()}};
    line["ns"] =
        ns_per_task(plan, runner, job.tasks(), [&] { return solved_ns(problem, runner, job); });
    const tile_job counted{.program = problem.steps, .work = run_counted};
    line.update(
        census_line(plan, runner, counted.tasks(), [&] { solved_ns(problem, runner, counted); }));
    return line;
  }

 private:
  tile_algorithm algorithm_;
  int n_ = 0;
  int extent_ = 0;
};

}  // namespace

std::unique_ptr<spawn_case> make_cholesky_case() {
  return std::make_unique<tile_case>(
      tile_algorithm{.name = "cholesky",
                     .words = "Cholesky factorisation by tiles: wall time per task",
                     .make = tiles::make_cholesky});
}

std::unique_ptr<spawn_case> make_syrk_case() {
  return std::make_unique<tile_case>(
      tile_algorithm{.name = "syrk",
                     .words = "Symmetric rank-n update by tiles: wall time per task",
                     .make = tiles::make_syrk});
}

}  // namespace fg::bench
