! A common block and a module's variable of each thread's own: copied in, seen by the tasks that the
! thread runs, kept from region to region.
module own
  implicit none
  integer :: number = -1
  !$omp threadprivate(number)
end module

program fortran_threadprivate
  use omp_lib
  use check
  use own
  implicit none
  integer :: counted, places(3), i, total, threads
  common /block/ counted, places
  !$omp threadprivate(/block/)
  call omp_set_dynamic(.false.)
  counted = 40
  places = [1, 2, 3]
  total = 0
  threads = 0
  !$omp parallel copyin(/block/) private(i) reduction(+: threads)
  threads = 1
  call expect("copied in", 46, counted + sum(places))
  counted = 0
  number = omp_get_thread_num()
  !$omp barrier
  do i = 1, 100
    !$omp task
    call expect("the thread's", omp_get_thread_num(), number)
    counted = counted + 1
    !$omp taskyield
    call expect("the thread's", omp_get_thread_num(), number)
    !$omp end task
  end do
  !$omp end parallel
  !$omp parallel reduction(+: total)
  call expect("kept", omp_get_thread_num(), number)
  total = total + counted
  !$omp end parallel
  call expect("total", 100 * threads, total)
  call ok()
end program
