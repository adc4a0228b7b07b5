// Global objects are constructed on a page's main thread, even where `main` runs on another one: a
// relic and a pool work alone, and say why.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
#include "require.hpp"

namespace {

fg::relic relic;                // NOLINT(cert-err58-cpp): what is tested
fg::pool pool{{.workers = 2}};  // NOLINT(cert-err58-cpp)

void says_why(const std::string& reason, const char* what) {
  std::printf("%s\n", reason.c_str());
  require(reason.find("-sPROXY_TO_PTHREAD") != std::string::npos, what);
}

}  // namespace

int main() {
  require(relic.inline_mode(), "a global relic has no assistant");
  says_why(relic.inline_reason(), "a global relic says why it has none");
  require(pool.size() == 1, "a global pool has the calling thread only");
  says_why(pool.shortage(), "a global pool says why it has no more");
  int ran = 0;
  relic.submit([&ran] { ++ran; });
  relic.wait();
  require(ran == 1, "a global relic runs its task");
  const auto [a, b] = pool.run([] { return fg::fork_join([] { return 1; }, [] { return 2; }); });
  require(a == 1 && b == 2, "a global pool runs both branches");
  return failures;
}
