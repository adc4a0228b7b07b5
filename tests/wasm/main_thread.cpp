// On the main thread of a page, or of Node, relics and pools work alone and say why. With the
// argument "sleep", what tries to sleep there ends the program.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
#include "finegrain/wait/futex.hpp"
#include "require.hpp"

namespace {

bool says_why(const std::string& reason) {
  std::printf("%s\n", reason.c_str());
  return reason.find("the main thread of a page must not wait") != std::string::npos;
}

void a_relic_works_inline() {
  fg::relic relic;
  require(relic.inline_mode(), "a relic has no assistant");
  require(says_why(relic.inline_reason()), "a relic says why it has none");
  int ran = 0;
  relic.submit([&ran] { ++ran; });
  relic.wait();
  require(ran == 1, "a relic without an assistant runs its task");
}

void a_pool_has_one_worker() {
  int posted = 0;
  {
    fg::pool pool{{.workers = 2}};
    require(pool.size() == 1, "a pool has the calling thread only");
    require(says_why(pool.shortage()), "a pool says why it has no more");
    const auto [a, b] = pool.run([] { return fg::fork_join([] { return 1; }, [] { return 2; }); });
    require(a == 1 && b == 2, "a pool of one worker runs both branches");
    pool.post([&posted] { ++posted; });
  }
  require(posted == 1, "a posted task has run when the pool is gone");
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view{arguments[1]} == "sleep") {
    const fg::detail::futex::word word{0};
    fg::detail::futex::sleep(word, 0);
  }
  a_relic_works_inline();
  a_pool_has_one_worker();
  return failures;
}
