// mpirun --bind-to none -n RANKS tour_mpi [cities=15] [seed=1] [workers=N] [every=MS file=PATH]: the
// shortest tour through random cities, by branch and bound on all ranks. A short tour that one rank
// finds spares the others the work on what cannot be shorter. A table of all sets of cities checks the
// answer.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "mpi/support.hpp"

namespace {

struct map {
  std::size_t cities;
  std::vector<std::int64_t> distances;  // whole numbers
  std::vector<std::int64_t> nearest;    // of each city, the distance to its nearest

  [[nodiscard]] std::int64_t between(std::size_t a, std::size_t b) const {
    return distances[a * cities + b];
  }
};

map random_map(std::size_t cities, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<std::pair<double, double>> places(cities);
  for (auto& [x, y] : places) {
    x = static_cast<double>(random() % 1000);
    y = static_cast<double>(random() % 1000);
  }
  map made{cities, {}, std::vector(cities, std::numeric_limits<std::int64_t>::max())};
  for (std::size_t a = 0; a != cities; ++a) {
    for (std::size_t b = 0; b != cities; ++b) {
      made.distances.push_back(std::llround(
          std::hypot(places[a].first - places[b].first, places[a].second - places[b].second)));
      if (a != b) {
        made.nearest[a] = std::min(made.nearest[a], made.distances.back());
      }
    }
  }
  return made;
}

struct shortest {
  std::int64_t length = std::numeric_limits<std::int64_t>::max();
  void operator+=(const shortest& other) { length = std::min(length, other.length); }
};

// A way that begins at city 0.
struct way {
  std::uint32_t left;  // the cities that it has not visited
  std::uint32_t last;
  std::int64_t length;
  std::int64_t least;  // a tour that begins like this is not shorter
};

class tours : public fg::mpi::stack_bag<way, shortest> {
 public:
  tours(const map& all, fg::mpi::bound& best, bool has_root) : all_{&all}, best_{&best} {
    if (has_root) {
      std::int64_t least = 0;
      for (const std::int64_t each : all.nearest) {
        least += each;
      }
      items.push_back({((1U << all.cities) - 1) & ~1U, 0, 0, least});
    }
  }

  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const way top = items.back();
      items.pop_back();
      if (top.left == 0) {
        const std::int64_t length = top.length + all_->between(top.last, 0);
        sum += {length};
        best_->raise(-length);
        continue;
      }
      for (std::uint32_t next = 1; next != all_->cities; ++next) {
        const std::int64_t step = all_->between(top.last, next);
        const std::int64_t least = top.least + step - all_->nearest[top.last];
        if ((top.left >> next & 1U) != 0 && least < -best_->value()) {
          items.push_back({top.left & ~(1U << next), next, top.length + step, least});
        }
      }
    }
    return done;
  }

 private:
  const map* all_;
  fg::mpi::bound* best_;  // minus the length of the shortest tour
};

// The shortest way from city 0 through each set of the others to each of its cities.
std::int64_t by_table(const map& all) {
  const std::size_t others = all.cities - 1;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 2;
  std::vector<std::int64_t> best((std::size_t{1} << others) * others, kNone);
  for (std::size_t city = 0; city != others; ++city) {
    best[(std::size_t{1} << city) * others + city] = all.between(0, city + 1);
  }
  for (std::size_t set = 1; set != std::size_t{1} << others; ++set) {
    for (std::size_t last = 0; last != others; ++last) {
      const std::int64_t length = best[set * others + last];
      for (std::size_t next = 0; next != others && length != kNone; ++next) {
        if ((set >> next & 1U) == 0) {
          std::int64_t& longer = best[(set | std::size_t{1} << next) * others + next];
          longer = std::min(longer, length + all.between(last + 1, next + 1));
        }
      }
    }
  }
  std::int64_t shortest_tour = kNone;
  for (std::size_t last = 0; last != others; ++last) {
    shortest_tour =
        std::min(shortest_tour, best[best.size() - others + last] + all.between(last + 1, 0));
  }
  return shortest_tour;
}

}  // namespace

int main(int count, char** arguments) {
  return examples::with_mpi(count, arguments, [](const auto& given, bool is_first) {
    const long cities = std::clamp(examples::argument(given, "cities", 15L), 3L, 20L);
    const long seed = examples::argument(given, "seed", 1L);
    const map all = random_map(static_cast<std::size_t>(cities), static_cast<unsigned>(seed));
    fg::pool pool{examples::pool_of(given)};
    fg::mpi::bound best;
    fg::mpi::run_options options =
        examples::options_of(given, "tour " + std::to_string(cities) + ' ' + std::to_string(seed));
    options.shared = &best;
    const auto found = fg::mpi::run(MPI_COMM_WORLD, pool, tours{all, best, is_first}, options);
    if (is_first) {
      std::printf("a tour of %lld\n", static_cast<long long>(found.result.length));
      examples::print_counts(found.by_rank);
    }
    return found.result.length == by_table(all);
  });
}
