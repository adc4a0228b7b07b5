! A nested lock belongs to a task: what the holder's thread runs meanwhile does not get it.
program fortran_nest_lock
  use omp_lib
  use check
  implicit none
  integer(omp_nest_lock_kind) :: lock
  integer :: i, total, got
  total = 0
  call omp_init_nest_lock(lock)
  !$omp parallel shared(lock, total) private(i, got)
  !$omp single
  do i = 1, 40
    !$omp task shared(lock, total) private(got)
    call omp_set_nest_lock(lock)
    call expect("again", 2, omp_test_nest_lock(lock))
    got = -1
    !$omp task shared(lock, got)
    got = omp_test_nest_lock(lock)
    !$omp end task
    !$omp taskwait
    call expect("child", 0, got)
    total = total + 1
    call omp_unset_nest_lock(lock)
    call omp_unset_nest_lock(lock)
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  call expect("total", 40, total)
  call omp_destroy_nest_lock(lock)
  call ok()
end program
