// Random programs of the public interface: runs, watches and prints them.
// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "stress/random/batch.hpp"
#include "stress/random/plan.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::test::feature;
using fg::test::feature_set;

constexpr const char* kUsage =
    R"(usage: random_stress_test [options]
  --programs N       perform so many programs (default 1000),
  --first-seed S     of the seeds from S (default 1) on
  --seed N           perform this one
  --repeat N         so many times: what depends on timing may need it
  --show             print the program of --seed, or all of them, instead
  --only F,...       of these features no others: one cross chain stranger stranger1 isolate hops
                     relic throwing cancel policy block
  --without F,...    without these
  --with F,...       with these: block is off unless asked for
  --one-cpu          on one CPU only
  --stack-kib N      threads have so much stack
  --patience X       wait X times 20 s for a program before it counts as hanging
  --keep-going       go on after a program that failed
  --hold             leave a process that hangs, for a debugger, until Ctrl-C
Ends with 0, 1 if a program crashed or gave a wrong result, 2 if one hung. Ctrl-C tells how to go on.
)";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "random_stress_test: %s\n%s", why.c_str(), kUsage);
  std::exit(64);
}

struct options {
  fg::test::batch_plan batch;
  std::uint64_t repeat = 1;
  bool show = false;
  bool one_cpu = false;
  std::size_t stack_kib = 0;  // 0: unchanged
};

template <class T>
T number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) {
    refuse("not a number, or too small: " + std::string{text});
  }
  return value;
}

feature feature_named(std::string_view name) {
  const auto* const found = std::ranges::find(fg::test::kFeatureNames, name);
  if (found == std::end(fg::test::kFeatureNames)) {
    refuse("no feature: " + std::string{name});
  }
  return static_cast<feature>(found - fg::test::kFeatureNames);
}

template <class F>
void for_each_feature(std::string_view list, F f) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    f(feature_named(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

void read_features(std::string_view option, std::string_view list, feature_set& features) {
  if (option == "--only") {
    features = {};
  }
  for_each_feature(list, [&](feature each) {
    if (option == "--without") {
      features.remove(each);
    } else {
      features.add(each);
    }
  });
}

bool read_flag(std::string_view option, options& read) {
  bool* const flag = option == "--show"         ? &read.show
                     : option == "--one-cpu"    ? &read.one_cpu
                     : option == "--keep-going" ? &read.batch.keep_going
                     : option == "--hold"       ? &read.batch.hold
                                                : nullptr;
  if (flag != nullptr) {
    *flag = true;
  }
  return flag != nullptr;
}

void read_value(std::string_view option, std::string_view value, options& read) {
  fg::test::batch_plan& batch = read.batch;
  if (option == "--programs") {
    batch.programs = number<std::uint64_t>(value);
  } else if (option == "--first-seed") {
    batch.first_seed = number<std::uint64_t>(value);
  } else if (option == "--seed") {
    batch.first_seed = number<std::uint64_t>(value);
    batch.programs = 1;
  } else if (option == "--repeat") {
    read.repeat = number<std::uint64_t>(value);
  } else if (option == "--stack-kib") {
    read.stack_kib = number<std::size_t>(value);
  } else if (option == "--patience") {
    const auto times = number<double>(value);
    batch.patience = std::chrono::milliseconds{static_cast<std::int64_t>(20'000 * times)};
  } else if (option == "--only" || option == "--without" || option == "--with") {
    read_features(option, value, batch.features);
  } else {
    refuse("no option: " + std::string{option});
  }
}

// What a program depends on besides its seed.
bool is_switch(std::string_view option) {
  return option == "--only" || option == "--without" || option == "--with" ||
         option == "--stack-kib" || option == "--one-cpu";
}

options read_options(const std::vector<std::string>& words) {
  options read;
  read.batch.programs = 1000;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--help") {
      std::printf("%s", kUsage);
      std::exit(0);
    }
    std::string repeated = " " + option;
    if (!read_flag(option, read)) {
      if (i + 1 == words.size()) {
        refuse("no option, or no value: " + option);
      }
      read_value(option, words[++i], read);
      repeated += " " + words[i];
    }
    if (is_switch(option)) {
      read.batch.switches += repeated;
    }
  }
  return read;
}

void stay_on_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(fg::usable_cpus().front()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    refuse(std::string{"one CPU: "} + std::strerror(errno));
  }
}

// A process gets its stack limit when it begins, and so do its threads: so it restarts itself.
void limit_stack(std::size_t kib, char** words) {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const rlim_t wanted = kib * rlim_t{1024};
  if (limit.rlim_cur == wanted) {
    return;
  }
  limit.rlim_cur = wanted;
  if (setrlimit(RLIMIT_STACK, &limit) == 0) {
    execv("/proc/self/exe", words);
  }
  refuse(std::string{"stack limit: "} + std::strerror(errno));
}

std::size_t stack_kib() {
  constexpr rlim_t kUsual = rlim_t{8} << 20U;
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  return static_cast<std::size_t>(std::min(limit.rlim_cur, kUsual) / 1024);
}

void show_all(const fg::test::batch_plan& batch) {
  for (std::uint64_t i = 0; i < batch.programs; ++i) {
    std::printf("%s", show(generate(batch.first_seed + i, batch.features)).c_str());
  }
}

}  // namespace

int main(int count, char** words) {
  options read = read_options({words + 1, words + count});
  if (read.show) {
    show_all(read.batch);
    return 0;
  }
  if (read.stack_kib != 0) {
    limit_stack(read.stack_kib, words);
  }
  if (read.one_cpu) {
    stay_on_one_cpu();
  }
  read.batch.has.stack_kib = stack_kib();
  int code = 0;
  for (std::uint64_t i = 0; i < read.repeat && code == 0; ++i) {
    code = perform_all(read.batch);
  }
  return code;
}
