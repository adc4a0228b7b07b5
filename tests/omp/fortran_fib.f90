! Recursion: tasks tied, untied, final, mergeable, undeferred and detached, with firstprivate arrays
! and character data.
module recursion
  use omp_lib
  use check
  implicit none
contains

  recursive function fib(n) result(answer)
    integer, intent(in) :: n
    integer :: answer, left, right
    if (n < 2) then
      answer = n
      return
    end if
    !$omp task shared(left)
    left = fib(n - 1)
    !$omp end task
    !$omp task shared(right) untied if(n > 3)
    right = fib(n - 2)
    !$omp end task
    !$omp taskwait
    answer = left + right
  end function

  recursive function fib_final(n) result(answer)
    integer, intent(in) :: n
    integer :: answer, left, right
    if (n < 2) then
      answer = n
      return
    end if
    !$omp task shared(left) final(n <= 10) mergeable
    if (n <= 10) call expect("final", .true., omp_in_final())
    left = fib_final(n - 1)
    !$omp end task
    right = fib_final(n - 2)
    !$omp taskwait
    answer = left + right
  end function

end module

program fortran_fib
  use omp_lib
  use check
  use recursion
  implicit none
  integer :: found, found_final, done, i, at
  integer :: numbers(50)
  character(12) :: word
  integer(omp_event_handle_kind) :: event
  done = 0
  !$omp parallel shared(found, found_final, done) private(i, at, numbers, word, event)
  call expect("final outside", .false., omp_in_final())
  !$omp single
  found = fib(18)
  found_final = fib_final(18)
  do i = 1, 100
    numbers = [(at * i, at = 1, 50)]
    write (word, '(a,i0)') "word ", i
    !$omp task firstprivate(numbers, word, i) shared(done)
    call expect("sum", 1275 * i, sum(numbers))
    block
      character(12) :: own
      write (own, '(a,i0)') "word ", i
      call expect("word", .true., own == word)
    end block
    numbers = 0
    !$omp atomic
    done = done + 1
    !$omp end task
    word = "overwritten"
    !$omp task detach(event) shared(done)
    !$omp atomic
    done = done + 1
    call omp_fulfill_event(event)
    !$omp end task
  end do
  !$omp taskwait
  call expect("done", 200, done)
  !$omp end single
  !$omp end parallel
  call expect("fib", 2584, found)
  call expect("fib_final", 2584, found_final)
  call ok()
end program
