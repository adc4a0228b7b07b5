// The first program of docs/pipeline.md.
#include <cstdio>
#include <finegrain/pipeline.hpp>
#include <optional>
#include <sstream>
#include <string>

int main() {
  std::istringstream input{"3 4\n10 20\n5 6\n"};
  long sum = 0;
  fg::pipeline parse{fg::serial_in_order([&]() -> std::optional<std::string> {
                       std::string line;
                       return std::getline(input, line) ? std::optional{line} : std::nullopt;
                     }),
                     fg::parallel([](const std::string& line) {
                       std::istringstream words{line};
                       long left = 0;
                       long right = 0;
                       words >> left >> right;
                       return left * right;
                     }),
                     fg::serial_in_order([&](long product) { sum += product; })};

  fg::pool pool;
  parse.run(pool);
  std::printf("%ld\n", sum);
}
