// The OpenMP side of docs/migration.md.
#include <cstddef>
#include <vector>

namespace {

long fib(long n) {
  if (n < 2) {
    return n;
  }
  long a = 0;
  long b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

long fib_of_20() {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(20);
  return result;
}

long squares(std::size_t size) {
  std::vector<long> out(size);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<long>(i * i);
  }
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) {
    sum += out[i];
  }
  return sum;
}

}  // namespace

int main() { return fib_of_20() == 6765 && squares(1000) == 332'833'500 ? 0 : 1; }
