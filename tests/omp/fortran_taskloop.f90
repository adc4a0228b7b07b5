! Taskloops: grainsize, num_tasks, collapse, downwards, 64-bit counters, lastprivate, firstprivate,
! reductions of scalars and arrays.
program fortran_taskloop
  use, intrinsic :: iso_fortran_env, only: int64
  use check
  implicit none
  integer, parameter :: n = 1000
  integer :: i, j, last, offset, visits(n), pairs(20, 30), total, bins(7)
  integer(int64) :: long, long_total
  integer(int64), parameter :: far = 10_int64**12
  double precision :: halves
  visits = 0
  pairs = 0
  last = -1
  offset = 5
  total = 100
  bins = 1
  halves = 0
  long_total = 0
  !$omp parallel shared(visits, pairs, last, total, bins, long_total, halves) firstprivate(offset)
  !$omp single
  !$omp taskloop grainsize(7) lastprivate(last) firstprivate(offset)
  do i = 1, n
    !$omp atomic
    visits(i) = visits(i) + 1
    last = i + offset
  end do
  !$omp end taskloop
  call expect("last", n + 5, last)

  !$omp taskloop num_tasks(13) collapse(2)
  do j = 1, 30
    do i = 1, 20
      pairs(i, j) = pairs(i, j) + i * j
    end do
  end do
  !$omp end taskloop
  call expect("pairs", 210 * 465, sum(pairs))

  !$omp taskloop reduction(+: total, halves, bins)
  do i = n, 1, -3
    total = total + i
    halves = halves + i / 2d0
    bins(1 + mod(i, 7)) = bins(1 + mod(i, 7)) + 1
  end do
  !$omp end taskloop
  call expect("total", 100 + 167167, total)
  call expect("halves", 167167, nint(2 * halves))
  call expect("bins", 7 + 334, sum(bins))

  !$omp taskloop reduction(+: long_total) grainsize(10)
  do long = far, far + 99
    long_total = long_total + long - far
  end do
  !$omp end taskloop
  call expect("long", 4950_int64, long_total)

  !$omp taskgroup
  !$omp taskloop nogroup
  do i = 1, n
    !$omp atomic
    visits(i) = visits(i) + 1
  end do
  !$omp end taskloop
  !$omp end taskgroup
  call expect("visits", 2 * n, sum(visits))
  !$omp end single
  !$omp end parallel
  call expect("visits", 2, minval(visits))
  call ok()
end program
