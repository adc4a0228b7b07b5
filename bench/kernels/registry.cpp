// The kernels by name.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/bc/bc_kernel.hpp"
#include "kernels/bfs/bfs_kernel.hpp"
#include "kernels/cc/cc_kernel.hpp"
#include "kernels/graph/paper_graph.hpp"
#include "kernels/json/json_kernel.hpp"
#include "kernels/kernel.hpp"
#include "kernels/pr/pr_kernel.hpp"
#include "kernels/spin/spin_case.hpp"
#include "kernels/spin/spin_kernel.hpp"
#include "kernels/sssp/sssp_kernel.hpp"
#include "kernels/tc/tc_kernel.hpp"

namespace fg::bench {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kPaperKernels{"bc"sv, "bfs"sv, "cc"sv, "pr"sv, "sssp"sv, "tc"sv, "json"sv};

template <typename Kernel>
std::unique_ptr<kernel_instance> make_on_paper_graph() {
  return std::make_unique<Kernel>(make_paper_graph());
}

template <typename Kernel>
std::unique_ptr<kernel_instance> make_from_source(csr_graph graph) {
  const node_id source = pick_source(graph);
  return std::make_unique<Kernel>(std::move(graph), source);
}

std::unique_ptr<kernel_instance> make_spin_kernel(std::uint64_t length_ns,
                                                  const kernel_options& options) {
  constexpr double kNsPerUs = 1e3;
  constexpr double kMaxSteps = 9e18;
  const double steps = static_cast<double>(length_ns) / kNsPerUs * options.spin_steps_per_us;
  // Written so that NaN fails.
  if (!(options.spin_steps_per_us > 0.0) || !(steps < kMaxSteps)) {
    throw std::invalid_argument("a spin case needs a positive, sane number of steps per us");
  }
  return std::make_unique<spin_kernel>(
      std::max(std::uint64_t{1}, static_cast<std::uint64_t>(std::llround(steps))));
}

}  // namespace

std::span<const std::string_view> paper_kernels() noexcept { return kPaperKernels; }

std::unique_ptr<kernel_instance> make_kernel(std::string_view name, const kernel_options& options) {
  if (name == "bc") {
    return make_from_source<bc_kernel>(make_paper_graph());
  }
  if (name == "bfs") {
    return make_from_source<bfs_kernel>(make_paper_graph());
  }
  if (name == "cc") {
    return make_on_paper_graph<cc_kernel>();
  }
  if (name == "pr") {
    return make_on_paper_graph<pr_kernel>();
  }
  if (name == "sssp") {
    return make_from_source<sssp_kernel>(make_weighted_paper_graph());
  }
  if (name == "tc") {
    return make_on_paper_graph<tc_kernel>();
  }
  if (name == "json") {
    return make_json_kernel();
  }
  if (const auto length_ns = parse_spin_case_ns(name)) {
    return make_spin_kernel(*length_ns, options);
  }
  throw std::invalid_argument("no kernel '" + std::string(name) +
                              "': bc, bfs, cc, pr, sssp, tc, json or spin-<N><ns|us|ms>");
}

}  // namespace fg::bench
