// The variables about places and binding: a line each, in the order of binding_variables.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/text_file.hpp"
#include "fuzz/oracle.hpp"
#include "omp/runtime/binding_request.hpp"
#include "omp/runtime/machine.hpp"

namespace {

using fg::omp::runtime::binding_request;
using fg::omp::runtime::binding_variables;
using fg::omp::runtime::machine;
using fg::omp::runtime::place;
using fg::omp::runtime::read_place_list;
using fg::test::require;

// 2 sockets of 2 cores of 2 threads.
const machine& small_machine() {
  static const machine made = [] {
    fg::topology all;
    std::vector<int> ids;
    for (int id = 0; id < 8; ++id) {
      all.cpus.push_back({.id = id, .core = id / 2 * 2, .package = id / 4, .l3 = id / 4 * 4});
      ids.push_back(id);
    }
    return machine{all, ids};
  }();
  return made;
}

void require_place(const place& one) {
  require(!one.empty(), "a place has CPUs");
  require(std::ranges::is_sorted(one, std::less_equal{}), "each CPU is there once, in order");
  require(one.front() >= 0 && one.back() < 1 << 16, "a system can have the CPUs");
}

void require_request(const binding_request& found) {
  for (const place& each : found.listed) {
    require_place(each);
  }
  require(!found.named || found.listed.empty(), "places are named or listed");
  require(!found.by_distance || (found.listed.empty() && !found.named), "or parts of the machine");
  if (!found.listed.empty()) {
    require(read_place_list(fg::omp::runtime::to_text(found.listed)) == found.listed,
            "a list is read as written");
  }
  if (found.by_distance) {
    const auto innermost = static_cast<std::size_t>(found.by_distance->permute);
    const auto parts =
        small_machine().parts_by_distance(found.by_distance->places.in(small_machine()), innermost);
    std::size_t cpus = 0;
    for (const place& each : parts) {
      require_place(each);
      cpus += each.size();
    }
    require(cpus == small_machine().cpus().size(), "each CPU is in one part");
  }
}

void require_subset(std::string_view text) {
  if (const auto subset = fg::omp::runtime::read_hw_subset(text)) {
    const std::vector<int> cpus = subset->cpus_of(small_machine());
    require(cpus.size() <= small_machine().cpus().size(), "a subset is none larger");
    require(std::ranges::is_sorted(cpus, std::less_equal{}), "its CPUs are in order");
  }
}

}  // namespace

// The linker defines this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  binding_variables said;
  for (std::string_view* const each :
       {&said.proc_bind, &said.places, &said.kmp_affinity, &said.gomp_cpu_affinity, &said.hw_subset,
        &said.teams_bind}) {
    *each = fg::detail::take_until(rest, '\n');
  }
  std::vector<std::string> complaints;
  require_request(read_binding(said, complaints));
  require_subset(said.hw_subset);
  for (const std::string& line : complaints) {
    fg::test::require_one_line(line);
    require(line.size() < 300, "a complaint is short");
  }
  return 0;
}
