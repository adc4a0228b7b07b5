! What every Fortran program of this folder does (check.h): it checks its own answer, prints one
! line and ends with status 1 when it is wrong, and says "ok" when it is right.
module check
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  implicit none
  private
  public :: expect, ok, pass_cpu

  ! Values of either kind of integer, or logicals.
  interface expect
    module procedure expect_integer, expect_long, expect_logical
  end interface

  interface
    subroutine end_at_once(status) bind(c, name="_exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine
    function sched_yield() bind(c) result(status)
      import :: c_int
      integer(c_int) :: status
    end function
  end interface

contains

  subroutine expect_long(what, expected, got)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: expected, got
    if (expected == got) return
    !$omp critical (failure)
    write (error_unit, '(a,a,i0,a,i0)') what, ": expected ", expected, ", got ", got
    flush (error_unit)
    call end_at_once(1_c_int)
    !$omp end critical (failure)
  end subroutine

  subroutine expect_integer(what, expected, got)
    character(*), intent(in) :: what
    integer, intent(in) :: expected, got
    call expect_long(what, int(expected, int64), int(got, int64))
  end subroutine

  subroutine expect_logical(what, expected, got)
    character(*), intent(in) :: what
    logical, intent(in) :: expected, got
    call expect_long(what, merge(1_int64, 0_int64, expected), merge(1_int64, 0_int64, got))
  end subroutine

  ! The last call of every program.
  subroutine ok()
    print '(a)', "ok"
  end subroutine

  ! Lets others run: no task scheduling point.
  subroutine pass_cpu()
    integer(c_int) :: ignored
    ignored = sched_yield()
  end subroutine

end module
