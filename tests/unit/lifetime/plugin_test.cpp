// Loads, uses and unloads libraries that use relics and pools. This program exports its own symbols
// to them, as the hosts of plugins do: symbols that the plugin does not hide are then shared with
// ours.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <thread>

#include "support/process_threads.hpp"
#include "support/sanitizer.hpp"
#include "unit/lifetime/process_end.hpp"

namespace {

using fg::test::exits_with;
using fg::test::expect_end;
using fg::test::workers;
using fg::test::works;

struct how_to_load {
  const char* name;
  const char* path;
  int flags;
  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
  friend void PrintTo(const how_to_load& how, std::ostream* out) { *out << how.name; }
};

class plugin {
 public:
  explicit plugin(const how_to_load& how) : library_{dlopen(how.path, RTLD_NOW | how.flags)} {
    if (library_ == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
  }
  ~plugin() { dlclose(library_); }
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;

  [[nodiscard]] bool call(const char* function) const {
    return reinterpret_cast<bool (*)()>(dlsym(library_, function))();
  }
  [[nodiscard]] bool works() const { return call("use_relic") && call("use_pool"); }

 private:
  void* library_;
};

class plugins : public testing::TestWithParam<how_to_load> {};

// A joined thread is counted for a moment.
bool has_no_more_threads_than(std::size_t most) {
  for (int look = 0; look < 1000 && fg::test::count_of_threads() > most; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return fg::test::count_of_threads() <= most;
}

// What an unloaded library leaves in memory: the topology, and the registry of the CPUs in use.
// Less than any thread of ours has.
std::size_t left_by_a_library() { return 2048 + 128 * fg::usable_cpus().size(); }

TEST_P(plugins, are_loaded_and_unloaded_again_and_again) {
  constexpr std::size_t kRounds = 20;
  std::size_t threads_first = 0;
  std::size_t bytes_first = 0;
  [[maybe_unused]] const fg::test::allowed_leaks left_behind{};  // counted below
  for (std::size_t round = 0; round <= kRounds; ++round) {
    ASSERT_TRUE(plugin{GetParam()}.works());
    if (round == 0) {
      threads_first = fg::test::count_of_threads();
      bytes_first = mallinfo2().uordblks;
    }
  }
  EXPECT_TRUE(has_no_more_threads_than(threads_first));
  EXPECT_LT(mallinfo2().uordblks, bytes_first + kRounds * left_by_a_library());
}

// The host makes no relic: the plugin's code does what the first relic of a process does.
TEST_P(plugins, leave_fork_to_their_host) {
  expect_end(
      [] {
        static_cast<void>(plugin{GetParam()}.call("use_relic"));
        fg::pool pool{workers(2)};
        const pid_t child = fork();
        if (child == 0) {
          alarm(10);
          bool posted = false;
          pool.post([&posted] { posted = true; });
          _exit(posted && works(pool) ? 3 : 4);
        }
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status));
      },
      exits_with(3));
}

// A hybrid pool has a thread_local object in each thread that uses it: the system keeps the library
// loaded for its destructor.
TEST_P(plugins, with_objects_of_a_thread_stay_until_it_ends) {
  std::thread{[] { EXPECT_TRUE(plugin{GetParam()}.call("use_hybrid_pool")); }}.join();
  EXPECT_TRUE(plugin{GetParam()}.call("use_hybrid_pool"));
}

INSTANTIATE_TEST_SUITE_P(all, plugins,
                         testing::Values(how_to_load{"hidden", FINEGRAIN_HIDDEN_PLUGIN, RTLD_LOCAL},
                                         how_to_load{"shown", FINEGRAIN_SHOWN_PLUGIN, RTLD_LOCAL},
                                         how_to_load{"shown_to_all", FINEGRAIN_SHOWN_PLUGIN,
                                                     RTLD_GLOBAL}),
                         [](const auto& how) { return std::string{how.param.name}; });

}  // namespace
