// SPDX-License-Identifier: Apache-2.0
#include "finegrain/trace/trace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "finegrain/trace/event_log.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr int kTasks = 100;  // traced_program.cpp

struct ended {
  int status;
  std::string printed;  // on both outputs
};

class trace : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const char* name = "trace.json") const {
    return (folder_ / name).string();
  }

  static ended run(const std::string& named, const std::string& arguments,
                   const std::string& by = "",
                   const std::string& program = FINEGRAIN_TRACED_PROGRAM) {
    const std::string command =
        "FINEGRAIN_TRACE='" + named + "' timeout 60 " + by + program + " " + arguments + " 2>&1";
    std::FILE* const output = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): our program
    std::string printed;
    for (int each = std::fgetc(output); each != EOF; each = std::fgetc(output)) {
      printed += static_cast<char>(each);
    }
    return {pclose(output), printed};
  }

  static nlohmann::json read(const std::string& name) {
    std::ifstream stream{name};
    return nlohmann::json::parse(stream);
  }

  // The number of spans of each thread, by its name and theirs.
  static std::map<std::string, int> spans(const nlohmann::json& trace) {
    std::map<int, std::string> threads;
    for (const auto& event : trace.at("traceEvents")) {
      if (event.at("ph") == "M") {
        threads[event.at("tid")] = event.at("args").at("name");
      }
    }
    std::map<std::string, int> counts;
    for (const auto& event : trace.at("traceEvents")) {
      if (event.at("ph") == "X") {
        ++counts[threads.at(event.at("tid")) + ": " + event.at("name").get<std::string>()];
      }
    }
    return counts;
  }

  static int count(const std::map<std::string, int>& spans, const std::string& ending) {
    int sum = 0;
    for (const auto& [name, number] : spans) {
      sum += name.ends_with(ending) ? number : 0;
    }
    return sum;
  }

  // Spans nest or are disjoint; they never overlap in part.
  static void expect_nesting(const nlohmann::json& trace) {
    std::map<int, std::vector<std::pair<double, double>>> open;
    std::map<int, std::vector<std::pair<double, double>>> all;
    for (const auto& event : trace.at("traceEvents")) {
      if (event.at("ph") == "X") {
        const double begin = event.at("ts");
        all[event.at("tid")].emplace_back(begin, begin + event.at("dur").get<double>());
      }
    }
    constexpr double kRounding = 0.002;  // two times of three digits, in microseconds
    for (auto& [thread, list] : all) {
      std::ranges::sort(list, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
      });
      for (const auto& [begin, end] : list) {
        auto& outer = open[thread];
        while (!outer.empty() && outer.back().second <= begin + kRounding) {
          outer.pop_back();
        }
        ASSERT_TRUE(outer.empty() || end <= outer.back().second + kRounding) << begin;
        outer.emplace_back(begin, end);
      }
    }
  }

 private:
  std::filesystem::path folder_ = testing::TempDir() + "trace_" + std::to_string(getpid());
};

TEST_F(trace, shows_what_an_assistant_ran) {
  const ended program = run(file(), "relic");
  EXPECT_EQ(program.printed, "");
  const nlohmann::json trace = read(file());
  const auto found = spans(trace);
  EXPECT_EQ(found.at("fg-relic: task"), kTasks);
  EXPECT_EQ(found.at("fg-relic: a \"named\"\n\\ part"), kTasks);
  EXPECT_EQ(trace.at("otherData").at("dropped_events"), "0");
  expect_nesting(trace);
}

TEST_F(trace, shows_the_nodes_of_a_graph) {
  EXPECT_EQ(run(file(), "graph").printed, "");
  const nlohmann::json trace = read(file());
  const auto found = spans(trace);
  for (const char* node :
       {"diamond/first", "diamond/left", "diamond/right", "diamond/last", "choice"}) {
    EXPECT_EQ(count(found, std::string{": "} + node), kTasks) << node;
  }
  EXPECT_EQ(count(found, ": choice/node"), kTasks / 2);
  expect_nesting(trace);
}

// A user who starts the program must not choose a file that its owner writes.
TEST_F(trace, is_not_written_by_a_set_user_id_program) {
  constexpr uid_t kNobody = 65534;
  const std::string program = file("program");
  std::filesystem::copy_file(FINEGRAIN_TRACED_PROGRAM, program);
  struct statvfs mounted{};
  ASSERT_EQ(statvfs(program.c_str(), &mounted), 0);
  if (geteuid() != 0 || (mounted.f_flag & ST_NOSUID) != 0) {
    GTEST_SKIP() << "only root can give a program to another user, and not on every file system";
  }
  ASSERT_EQ(chown(program.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(program.c_str(), S_ISUID | 0755), 0);
  ASSERT_EQ(chmod(file("").c_str(), 0777), 0);  // its owner could write one there
  run(file(), "relic", "", program);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(trace, shows_what_a_main_thread_ran_itself) {
  const std::string cpu = std::to_string(fg::usable_cpus().front());
  EXPECT_EQ(run(file(), "relic", "taskset -c " + cpu + " ").printed, "");
  const nlohmann::json trace = read(file());
  EXPECT_EQ(spans(trace).at("traced_program: task"), kTasks);
  expect_nesting(trace);
}

TEST_F(trace, shows_what_workers_took_from_others) {
  for (const char* policy : {"private_deque", "xqueue_wait", "chase_lev", "combining"}) {
    const ended program = run(file(), std::string{"pool "} + policy);
    std::istringstream numbers{program.printed};
    long result = 0;
    int steals = -1;
    numbers >> result >> steals;
    EXPECT_EQ(result, 6765) << program.printed;
    const nlohmann::json trace = read(file());
    const auto found = spans(trace);
    EXPECT_EQ(count(found, ": stolen task"), steals) << policy;
    EXPECT_EQ(count(found, ": posted task"), kTasks) << policy;
    EXPECT_EQ(count(found, "traced_program: run"), 1 + kTasks) << policy;
    expect_nesting(trace);
  }
}

TEST_F(trace, is_written_by_exit_in_a_task) {
  EXPECT_EQ(run(file(), "exit").status, 0);
  EXPECT_EQ(spans(read(file())).at("fg-relic: task"), 1);
}

TEST_F(trace, has_what_static_objects_did) {
  EXPECT_EQ(run(file(), "statics").printed, "610\n");
  const auto found = spans(read(file()));
  EXPECT_EQ(found.at("fg-relic: task"), 1);
  EXPECT_EQ(found.at("traced_program: run"), 1);
}

TEST_F(trace, leaves_forked_children_out) {
  EXPECT_EQ(run(file(), "fork").printed, "0\n");
  EXPECT_EQ(spans(read(file())).at("fg-relic: task"), kTasks);
  EXPECT_FALSE(std::filesystem::exists(file() + ".2"));
}

TEST_F(trace, is_written_when_asked_for) {
  EXPECT_NE(run(file(), "abort").status, 0);
  EXPECT_EQ(count(spans(read(file())), ": task"), 2 * kTasks);
}

TEST_F(trace, of_a_second_process_gets_a_second_file) {
  EXPECT_EQ(run(file(), "twice").status, 0);
  EXPECT_EQ(spans(read(file())).at("fg-relic: task"), kTasks);
  EXPECT_EQ(spans(read(file() + ".2")).at("fg-relic: task"), kTasks);
}

TEST_F(trace, is_cut_off_behind_a_shorter_one) {
  std::ofstream{file()} << std::string(1 << 20, 'x');
  run(file(), "relic");
  EXPECT_EQ(spans(read(file())).at("fg-relic: task"), kTasks);
}

TEST_F(trace, names_its_file_by_the_process) {
  run(file("%p.json"), "relic");
  const std::filesystem::directory_iterator files{std::filesystem::path{file()}.parent_path()};
  const std::string name = files->path().stem();
  EXPECT_EQ(read(files->path()).at("traceEvents").at(0).at("pid"), std::stol(name));
}

TEST_F(trace, says_where_it_can_not_write) {
  const ended program = run("/nowhere/trace.json", "relic");
  EXPECT_EQ(program.status, 0);
  EXPECT_EQ(program.printed,
            "finegrain: no trace in '/nowhere/trace.json': No such file or directory\n");
}

TEST_F(trace, says_when_the_disk_is_full) {
  const ended program = run("/dev/full", "relic");
  EXPECT_EQ(program.status, 0);
  EXPECT_EQ(program.printed, "finegrain: no trace in '/dev/full': No space left on device\n");
}

TEST(event_log, counts_what_finds_no_room) {
  fg::detail::event_log<int, 4, 2> log;
  for (int i = 0; i < 11; ++i) {
    log.add(i);
  }
  ASSERT_EQ(log.size(), 8U);
  EXPECT_EQ(log.dropped(), 3U);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(log[static_cast<std::size_t>(i)], i);
  }
}

}  // namespace
