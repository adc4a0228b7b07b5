// Pipelines: docs/pipeline.md.
#include <array>
#include <cstddef>
#include <finegrain/pipeline.hpp>
#include <memory>
#include <utility>

#include "expect.hpp"

namespace {

void own_buffers() {
  fg::relic relic;
  std::array<int, 16> buffers{};
  std::size_t read = 0;
  std::size_t written = 0;
  int sum = 0;
  const auto fill = [&](int& buffer) { buffer = static_cast<int>(read); };
  const auto write = [&](int buffer) { sum += buffer; };
  fg::pipeline copy{fg::serial_in_order([&] {
                      if (read == 100) {
                        return false;
                      }
                      fill(buffers[read++ % buffers.size()]);
                      return true;
                    }),
                    fg::serial_in_order([&] { write(buffers[written++ % buffers.size()]); })};
  copy.run(relic, {.tokens = buffers.size()});
  expect("own buffers", sum == 99 * 100 / 2 + 100);
}

void stop() {
  fg::pool pool;
  int passed = 0;
  fg::stop_source source;
  fg::pipeline endless{fg::serial_in_order([] { return true; }), fg::serial_in_order([&] {
                         if (++passed == 1000) {
                           source.request_stop();
                         }
                       })};
  const bool ended =
      endless.run(pool, {.stop = source.get_token()});  // false: a stop was requested
  expect("stop", !ended && passed == 1000);
}

}  // namespace

int main() {
  own_buffers();
  stop();
  return is_right ? 0 : 1;
}
