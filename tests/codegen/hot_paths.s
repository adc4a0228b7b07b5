relic_submit:
    pushq %r15
    pushq %r14
    pushq %r12
    pushq %rbx
    pushq %rax
    movq %rsi, %r14
    movq %rdi, %rbx
    leaq 2240(%rdi), %r15
    cmpq $0, 88(%rdi)
    jne .LBB0_3
    movq 80(%rbx), %r12
    leaq 64(%rbx), %rdi
    callq fg::detail::handoff_ring<128ul>::find_free()
    testb %al, %al
    jne .LBB0_3
    shlq $6, %r12
    leaq (%rbx,%r12), %rsi
    addq $2240, %rsi
    movq %rbx, %rdi
    movq %rbx, %rdx
    callq void fg::basic_relic<fg::spin_then_sleep>::look_until<fg::basic_relic<fg::spin_then_sleep>::wait_for_space()::{lambda()#1}>(void const*, fg::basic_relic<fg::spin_then_sleep>::wait_for_space()::{lambda()#1})
.LBB0_3:
    movq 72(%rbx), %rax
    movq %rax, %rcx
    shlq $6, %rcx
    movq %r14, 16(%r15,%rcx)
    leaq void fg::detail::task_record::run_and_drop<relic_submit::$_0>(fg::detail::task_record&)(%rip), %rdx
    movq %rdx, 8(%r15,%rcx)
    movq 64(%rbx), %rdx
    leaq 1(,%rdx,2), %rdx
    movq %rdx, (%r15,%rcx)
    incq 64(%rbx)
    movq %rax, 80(%rbx)
    incl %eax
    andl $127, %eax
    movq %rax, 72(%rbx)
    decq 88(%rbx)
    movl 10436(%rbx), %eax
    testl %eax, %eax
    jne .LBB0_5
    addq $8, %rsp
    popq %rbx
    popq %r12
    popq %r14
    popq %r15
    retq
.LBB0_5:
    movq %rbx, %rdi
    addq $8, %rsp
    popq %rbx
    popq %r12
    popq %r14
    popq %r15
    jmp fg::basic_relic<fg::spin_then_sleep>::after_publish()
deque_push:
    movl 64(%rdi), %eax
    testl %eax, %eax
    jne .LBB1_2
    movq (%rdi), %rcx
    movq %rcx, 8(%rsi)
    movq %rsi, (%rdi)
.LBB1_2:
    testl %eax, %eax
    sete %al
    retq
deque_pop:
    movq (%rdi), %rax
    cmpq %rsi, %rax
    jne .LBB2_4
    movl 64(%rdi), %eax
    testl %eax, %eax
    jne .LBB2_4
    movq 8(%rsi), %rax
    movq %rax, (%rdi)
    movb $1, %al
    retq
.LBB2_4:
    xorl %eax, %eax
    retq
pool_fork_join:
    pushq %r15
    pushq %r14
    pushq %rbx
    subq $64, %rsp
    movq %rdi, 16(%rsp)
    movq %rdi, 8(%rsp)
    movq %fs:fg::worker::slot()::present@TPOFF, %r14
    testq %r14, %r14
    je .LBB3_9
    leaq 8(%rsp), %rax
    movq %rax, 40(%rsp)
    leaq fg::detail::forked_branch<pool_fork_join::$_1>::run_elsewhere(fg::pool_task&)(%rip), %rax
    movq %rax, 24(%rsp)
    movl 64(%r14), %eax
    testl %eax, %eax
    jne .LBB3_2
    movq (%r14), %rax
    movq %rax, 32(%rsp)
    leaq 24(%rsp), %r15
    movq %r15, (%r14)
    callq left@PLT
    movq %rax, %rbx
    movq (%r14), %rax
    cmpq %rax, %r15
    jne .LBB3_6
    movl 64(%r14), %eax
    testl %eax, %eax
    jne .LBB3_6
    movq 32(%rsp), %rax
    movq %rax, (%r14)
    movq 8(%rsp), %rdi
    jmp .LBB3_10
.LBB3_9:
    movq %rdi, %r14
    callq left@PLT
    movq %rax, %rbx
    movq %r14, %rdi
.LBB3_10:
    callq right@PLT
.LBB3_11:
    addq %rbx, %rax
    addq $64, %rsp
    popq %rbx
    popq %r14
    popq %r15
    retq
.LBB3_6:
    leaq 24(%rsp), %rsi
    movq %r14, %rdi
    xorl %edx, %edx
    callq fg::detail::join_long(fg::worker&, fg::pool_task const&, fg::worker::pushed)
    testb %al, %al
    je .LBB3_8
    movq 8(%rsp), %rdi
    jmp .LBB3_10
.LBB3_2:
    leaq 24(%rsp), %rsi
    leaq 16(%rsp), %rdx
    leaq 8(%rsp), %rcx
    movq %r14, %rdi
    callq std::pair<std::conditional<std::is_void_v<std::invoke_result<pool_fork_join::$_0&>::type>, std::monostate, std::remove_cvref<std::invoke_result<pool_fork_join::$_0&>::type>::type>::type, std::conditional<std::is_void_v<std::invoke_result<pool_fork_join::$_1&>::type>, std::monostate, std::remove_cvref<std::invoke_result<pool_fork_join::$_1&>::type>::type>::type> fg::detail::fork_join_long<(fg::detail::if_short)1, pool_fork_join::$_0, pool_fork_join::$_1>(fg::worker&, fg::detail::forked_branch<pool_fork_join::$_1>&, pool_fork_join::$_0&&, pool_fork_join::$_1&&)
    movq %rax, %rbx
    movq %rdx, %rax
    jmp .LBB3_11
.LBB3_8:
    leaq 24(%rsp), %rdi
    callq fg::detail::forked_branch<pool_fork_join::$_1>::take()
    jmp .LBB3_11
