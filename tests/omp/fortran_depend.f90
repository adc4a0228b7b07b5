! Dependences: a chain, a wavefront over a matrix, readers and writers of array sections, and
! taskwait with depend.
program fortran_depend
  use check
  implicit none
  integer, parameter :: links = 300, n = 12
  integer :: chain, row, column, i, turn, waited
  integer :: cells(0:n, 0:n), parts(4, 10), seen(10)
  chain = 0
  waited = 0
  cells = 0
  cells(0, :) = 1
  cells(:, 0) = 1
  parts = 0
  seen = 0
  !$omp parallel shared(chain, cells, parts, seen, waited) private(i, row, column, turn)
  !$omp single
  do i = 1, links
    !$omp task depend(inout: chain) firstprivate(i)
    call expect("chain", i - 1, chain)
    chain = i
    !$omp end task
  end do

  do column = 1, n
    do row = 1, n
      !$omp task depend(in: cells(row - 1, column), cells(row, column - 1)) &
      !$omp& depend(out: cells(row, column)) firstprivate(row, column)
      cells(row, column) = cells(row - 1, column) + cells(row, column - 1)
      !$omp end task
    end do
  end do

  do turn = 1, 20
    do i = 1, 10
      !$omp task depend(out: parts(:, i)) firstprivate(i, turn)
      parts(:, i) = turn * i
      !$omp end task
      !$omp task depend(in: parts(:, i)) depend(mutexinoutset: seen) firstprivate(i, turn)
      call expect("part", 4 * turn * i, sum(parts(:, i)))
      seen(i) = seen(i) + 1
      !$omp end task
      !$omp task depend(in: parts(:, i)) firstprivate(i, turn)
      call expect("part", turn * i, maxval(parts(:, i)))
      !$omp end task
    end do
  end do

  !$omp task depend(out: waited) shared(waited)
  call pass_cpu()
  waited = 1
  !$omp end task
  !$omp taskwait depend(in: waited)
  call expect("waited for", 1, waited)
  !$omp end single
  !$omp end parallel
  call expect("links", links, chain)
  call expect("corner", 2704156, cells(n, n))  ! 24 over 12
  call expect("seen", 200, sum(seen))
  call ok()
end program
