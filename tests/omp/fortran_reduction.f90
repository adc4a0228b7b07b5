! Reductions of tasks: of a taskgroup, also of arrays and by max and product; of a region and of a
! loop with the task modifier.
module tree
  implicit none
contains
  recursive subroutine count_leaves(depth, leaves)
    integer, intent(in) :: depth
    integer, intent(inout) :: leaves
    if (depth == 0) then
      leaves = leaves + 1
      return
    end if
    !$omp task in_reduction(+: leaves)
    call count_leaves(depth - 1, leaves)
    !$omp end task
    !$omp task in_reduction(+: leaves)
    call count_leaves(depth - 1, leaves)
    !$omp end task
    !$omp taskwait
  end subroutine
end module

program fortran_reduction
  use check
  use tree
  implicit none
  integer :: leaves, bins(5), most, i, of_region, of_loop, threads
  double precision :: product
  leaves = 1000
  bins = 10
  most = -7
  product = 3
  of_region = 3
  of_loop = 4
  threads = 0
  !$omp parallel shared(leaves, bins, most, product) private(i)
  !$omp single
  !$omp taskgroup task_reduction(+: leaves) task_reduction(+: bins) &
  !$omp& task_reduction(max: most) task_reduction(*: product)
  call count_leaves(9, leaves)
  do i = 1, 200
    !$omp task in_reduction(+: bins) in_reduction(max: most) in_reduction(*: product) &
    !$omp& firstprivate(i)
    bins(1 + mod(i, 5)) = bins(1 + mod(i, 5)) + i
    most = max(most, i)
    if (mod(i, 10) == 0) product = 2 * product
    !$omp end task
  end do
  !$omp end taskgroup
  call expect("leaves", 1512, leaves)
  call expect("bins", 50 + 20100, sum(bins))
  call expect("a bin", 10 + 4100, bins(1))
  call expect("most", 200, most)
  call expect("product", 3 * 2**20, nint(product))
  !$omp end single
  !$omp end parallel

  !$omp parallel reduction(task, +: of_region) reduction(+: threads) private(i)
  threads = threads + 1
  do i = 1, 30
    !$omp task in_reduction(+: of_region)
    of_region = of_region + 1
    !$omp end task
  end do
  !$omp end parallel
  call expect("of the region", 3 + 30 * threads, of_region)

  !$omp parallel
  !$omp do schedule(dynamic) reduction(task, +: of_loop)
  do i = 1, 100
    !$omp task in_reduction(+: of_loop) firstprivate(i)
    of_loop = of_loop + i
    !$omp end task
  end do
  !$omp end do
  !$omp end parallel
  call expect("of the loop", 4 + 5050, of_loop)
  call ok()
end program
