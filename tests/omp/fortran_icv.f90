! The setters of omp_lib, with integers and logicals of both kinds: what a task sets is its own and
! its children's. A setter a task: each takes all that was set before along.
program fortran_icv
  use, intrinsic :: iso_fortran_env, only: int64
  use omp_lib
  use check
  implicit none
  integer, parameter :: tasks = 40, setters = 8
  ! Threads, dynamic, schedule, chunk, device.
  integer :: initial(5), i, done
  done = 0
  call omp_set_dynamic(.false.)
  call omp_set_schedule(omp_sched_guided, 4)
  call omp_set_default_device(0)
  initial = [omp_get_max_threads(), 0, int(omp_sched_guided), 4, 0]
  !$omp parallel shared(initial, done) private(i)
  do i = 1, tasks
    !$omp task firstprivate(i)
    call check_own(initial)
    call set_one(i)
    call check_own(own(i))
    !$omp task firstprivate(i)
    call check_own(own(i))
    !$omp task firstprivate(i)
    call set_one(i + 1)
    !$omp atomic
    done = done + 1
    !$omp end task
    !$omp taskwait
    call check_own(own(i))
    !$omp end task
    !$omp taskwait
    call check_own(own(i))
    !$omp end task
  end do
  !$omp taskwait
  call check_own(initial)
  !$omp end parallel
  call check_own(initial)
  call expect("done", .true., done >= tasks .and. mod(done, tasks) == 0)
  call ok()

contains

  subroutine set_one(i)
    integer, intent(in) :: i
    select case (mod(i, setters))
    case (0)
      call omp_set_num_threads(10 + i)
    case (1)
      call omp_set_num_threads(int(10 + i, int64))
    case (2)
      call omp_set_dynamic(.true.)
    case (3)
      call omp_set_dynamic(.true._8)
    case (4)
      call omp_set_schedule(omp_sched_dynamic, 20 + i)
    case (5)
      call omp_set_schedule(omp_sched_dynamic, int(20 + i, int64))
    case (6)
      call omp_set_default_device(i)
    case (7)
      call omp_set_default_device(int(i, int64))
    end select
  end subroutine

  ! What set_one makes of the initial values.
  function own(i)
    integer, intent(in) :: i
    integer :: own(5)
    own = initial
    select case (mod(i, setters))
    case (0, 1)
      own(1) = 10 + i
    case (2, 3)
      own(2) = 1
    case (4, 5)
      own(3:4) = [int(omp_sched_dynamic), 20 + i]
    case (6, 7)
      own(5) = i
    end select
  end function

  subroutine check_own(expected)
    integer, intent(in) :: expected(5)
    integer(omp_sched_kind) :: kind
    integer :: chunk
    call omp_get_schedule(kind, chunk)
    call expect("threads", expected(1), omp_get_max_threads())
    call expect("dynamic", expected(2), merge(1, 0, omp_get_dynamic()))
    call expect("schedule", expected(3), int(kind))
    call expect("chunk", expected(4), chunk)
    call expect("device", expected(5), omp_get_default_device())
  end subroutine

end program
