// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/graph/paper_graph.hpp"
#include "kernels/pr/pr_check.hpp"
#include "kernels/pr/pr_kernel.hpp"
#include "test_graphs.hpp"

namespace fg::bench {
namespace {

/// Enough for graphs on which PageRank converges slowly.
constexpr pr_limits kPatient{.max_iterations = 200, .tolerance = 1e-6};

std::vector<float> converged_scores(csr_graph graph, pr_limits limits) {
  pr_kernel kernel(std::move(graph), limits);
  kernel.run();
  EXPECT_EQ(kernel.check(), std::nullopt);
  const std::vector<float> scores(kernel.scores().begin(), kernel.scores().end());
  kernel.run();
  // Bit for bit: a run that continued from the last one's scores would be right too, but shorter.
  EXPECT_EQ(scores, std::vector<float>(kernel.scores().begin(), kernel.scores().end()));
  return scores;
}

TEST(pr, small_graphs) {
  for (const float score : converged_scores(test::make_complete(3), {})) {
    EXPECT_NEAR(score, 1.0 / 3, 1e-6);
  }
  // The centre has c = .05 + .85 * 2 s, each of the leaves s = .05 + .85 c / 2.
  const std::vector<float> star = converged_scores(test::make_star(3), kPatient);
  EXPECT_NEAR(star[0], 0.135 / 0.2775, 1e-5);
  EXPECT_NEAR(star[1], 0.07125 / 0.2775, 1e-5);
  EXPECT_NEAR(star[2], 0.07125 / 0.2775, 1e-5);
  const std::vector<float> parts = converged_scores(test::make_three_parts(), kPatient);
  EXPECT_NEAR(parts[5], 0.15 / 6, 1e-6);
  EXPECT_NEAR(parts[3], 1.0 / 6, 1e-5);
}

TEST(pr, converges_on_the_papers_graph_with_gaps_limits) {
  converged_scores(make_paper_graph(), {});
}

TEST(pr, stops_after_the_given_iterations) {
  pr_kernel kernel(test::make_path(50), {.max_iterations = 1, .tolerance = 1e-6});
  kernel.run();
  const auto error = kernel.check();
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error.value_or("").find("not converged"), std::string::npos);
}

// A looser tolerance must end sooner, and so farther from the fixed point.
TEST(pr, stops_once_converged) {
  pr_kernel hasty(make_paper_graph(), {.max_iterations = 1000, .tolerance = 1e-2});
  pr_kernel patient(make_paper_graph(), {.max_iterations = 1000, .tolerance = 1e-6});
  hasty.run();
  patient.run();
  EXPECT_TRUE(check_pr(make_paper_graph(), hasty.scores(), 1e-6).has_value());
  EXPECT_FALSE(check_pr(make_paper_graph(), patient.scores(), 1e-6).has_value());
}

TEST(pr, random_graphs) {
  test::for_random_graphs(
      [](const edge_list& list) { converged_scores(csr_graph(list), kPatient); });
}

TEST(pr, check_sees_wrong_scores) {
  const csr_graph graph = make_paper_graph();
  const std::vector<float> right = converged_scores(make_paper_graph(), {});
  EXPECT_FALSE(check_pr(graph, right, 1e-4).has_value());
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::vector<float> wrong = right;
    wrong[i] += 2e-4F;
    EXPECT_TRUE(check_pr(graph, wrong, 1e-4).has_value()) << i;
    wrong[i] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(check_pr(graph, wrong, 1e-4).has_value()) << i;
  }
  EXPECT_TRUE(check_pr(graph, std::vector<float>(31), 1e-4).has_value());
}

}  // namespace
}  // namespace fg::bench
