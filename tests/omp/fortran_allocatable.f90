! The data of tasks that Fortran copies and frees itself: allocatable arrays and strings, types with
! allocatable components, pointers, arrays of assumed shape.
module data
  implicit none
  type list
    integer, allocatable :: items(:)
    character(:), allocatable :: name
  end type
contains
  subroutine double_all(values)
    integer, intent(inout) :: values(:)
    integer :: i
    do i = lbound(values, 1), ubound(values, 1)
      !$omp task firstprivate(i) shared(values)
      values(i) = 2 * values(i)
      !$omp end task
    end do
    !$omp taskwait
  end subroutine
end module

program fortran_allocatable
  use check
  use data
  implicit none
  integer, allocatable :: numbers(:)
  character(:), allocatable :: word
  type(list) :: one
  integer, pointer :: at(:)
  integer, target :: matrix(8, 50)
  integer :: i, done
  done = 0
  matrix = 1
  !$omp parallel private(i, numbers, word, one, at) shared(matrix, done)
  !$omp single
  do i = 1, 50
    numbers = [i, 2 * i, 3 * i]
    word = repeat("x", i)
    one%items = [i, i, i, i]
    one%name = repeat("y", 2 * i)
    at => matrix(1:8:2, i)
    !$omp task firstprivate(numbers, word, one, at, i) shared(done)
    call pass_cpu()
    call expect("numbers", 6 * i, sum(numbers))
    call expect("word", i, len(word))
    call expect("items", 4 * i, sum(one%items))
    call expect("name", 2 * i, len(one%name))
    numbers = [0]
    one%items = [integer ::]
    at = i
    !$omp atomic
    done = done + 1
    !$omp end task
    numbers = [-1, -1]
    deallocate (one%items)
    nullify (at)
  end do
  !$omp taskwait
  call double_all(matrix(2, :))
  !$omp end single
  !$omp end parallel
  call expect("done", 50, done)
  call expect("matrix", 4 * 1275 + 3 * 50 + 2 * 50, sum(matrix))
  call ok()
end program
