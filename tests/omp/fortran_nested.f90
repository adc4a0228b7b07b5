! Regions within regions and within tasks, with tasks at every level, single with copyprivate,
! sections and workshare.
program fortran_nested
  use omp_lib
  use check
  implicit none
  integer :: outer, inner, expected, round, given, in_sections, squares(100), i
  call omp_set_dynamic(.false.)
  call omp_set_max_active_levels(2)
  outer = 0
  inner = 0
  expected = 0
  in_sections = 0
  squares = 0
  !$omp parallel num_threads(3) shared(outer, inner, expected)
  !$omp task
  call add(outer)
  !$omp parallel num_threads(2)
  call expect("level", 2, omp_get_level())
  call add(expected)
  !$omp task
  !$omp task
  call add(inner)
  !$omp end task
  !$omp end task
  !$omp end parallel
  !$omp end task
  !$omp end parallel
  call expect("outer", 3, outer)
  call expect("inner", expected, inner)

  !$omp parallel private(round, given, i) shared(in_sections, squares)
  do round = 1, 10
    !$omp single
    given = 100 + round
    !$omp task
    call add(in_sections)
    !$omp end task
    !$omp end single copyprivate(given)
    call expect("given", 100 + round, given)
    !$omp sections
    !$omp section
    !$omp task
    call add(in_sections)
    !$omp end task
    !$omp section
    !$omp task
    call add(in_sections)
    !$omp end task
    !$omp end sections
    call expect("in sections", 3 * round, read(in_sections))
    !$omp barrier
  end do
  !$omp do schedule(guided)
  do i = 1, 100
    !$omp task firstprivate(i)
    squares(i) = i * i
    !$omp end task
  end do
  !$omp end do
  !$omp workshare
  squares = squares + 1
  !$omp end workshare
  !$omp end parallel
  call expect("squares", 338350 + 100, sum(squares))
  call ok()

contains

  subroutine add(count)
    integer, intent(inout) :: count
    !$omp atomic
    count = count + 1
  end subroutine

  integer function read(count)
    integer, intent(in) :: count
    !$omp atomic read
    read = count
  end function

end program
