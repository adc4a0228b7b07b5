relic_submit:
    pushq %r15
    pushq %r14
    pushq %r12
    pushq %rbx
    subq $56, %rsp
    movq %rsi, %r14
    movq %rdi, %rbx
    leaq 64(%rdi), %r15
    movq %r15, %rdi
    callq fg::detail::handoff_ring<128ul>::reserve()
    testb %al, %al
    jne .LBB0_7
    movq $0, 8(%rsp)
    movb $0, 16(%rsp)
    xorps %xmm0, %xmm0
    movups %xmm0, 24(%rsp)
    movups %xmm0, 40(%rsp)
    movq %r15, %rdi
    callq fg::detail::handoff_ring<128ul>::reserve()
    testb %al, %al
    je .LBB0_2
.LBB0_7:
    movq 72(%rbx), %rax
    movq %rax, %rcx
    shlq $6, %rcx
    movq %r14, 208(%rbx,%rcx)
    leaq void fg::detail::task_record::run_stored<relic_submit::$_0>(void*)(%rip), %rdx
    movq %rdx, 200(%rbx,%rcx)
    movq 64(%rbx), %rdx
    leaq 1(,%rdx,2), %rdx
    movq %rdx, 192(%rbx,%rcx)
    incq 64(%rbx)
    movq %rax, 80(%rbx)
    incl %eax
    andl $127, %eax
    movq %rax, 72(%rbx)
    decq 88(%rbx)
    movl 8388(%rbx), %eax
    testl %eax, %eax
    jne .LBB0_8
.LBB0_9:
    addq $56, %rsp
    popq %rbx
    popq %r12
    popq %r14
    popq %r15
    retq
.LBB0_2:
    leaq 8(%rsp), %r12
.LBB0_3:
    pause
    movq 8(%rsp), %rax
    incq %rax
    movq %rax, 8(%rsp)
    testb $63, %al
    je .LBB0_4
.LBB0_6:
    movq %r15, %rdi
    callq fg::detail::handoff_ring<128ul>::reserve()
    testb %al, %al
    je .LBB0_3
    jmp .LBB0_7
.LBB0_4:
    movq %r12, %rdi
    callq fg::spin_wait<fg::spin_then_sleep>::read_clock()
    cmpb $1, 16(%rsp)
    jne .LBB0_6
    movq 40(%rsp), %rax
    subq 24(%rsp), %rax
    movq %rax, 8672(%rbx)
    movq %rbx, %rdi
    callq fg::basic_relic<fg::spin_then_sleep>::follow_main_thread()
    jmp .LBB0_6
.LBB0_8:
    movq %rbx, %rdi
    callq fg::basic_relic<fg::spin_then_sleep>::after_publish()
    jmp .LBB0_9
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
    callq bool fg::detail::join_long<pool_fork_join::$_1>(fg::worker&, fg::detail::forked_branch<pool_fork_join::$_1>&, fg::worker::pushed)
    testb %al, %al
    je .LBB3_8
    movq 8(%rsp), %rdi
    jmp .LBB3_10
.LBB3_2:
    leaq 24(%rsp), %rsi
    leaq 16(%rsp), %rdx
    leaq 8(%rsp), %rcx
    movq %r14, %rdi
    callq std::pair<std::conditional<std::is_void_v<std::invoke_result<pool_fork_join::$_0&>::type>, std::monostate, std::remove_cvref<std::invoke_result<pool_fork_join::$_0&>::type>::type>::type, std::conditional<std::is_void_v<std::invoke_result<pool_fork_join::$_1&>::type>, std::monostate, std::remove_cvref<std::invoke_result<pool_fork_join::$_1&>::type>::type>::type> fg::detail::fork_join_long<pool_fork_join::$_0, pool_fork_join::$_1>(fg::worker&, fg::detail::forked_branch<pool_fork_join::$_1>&, pool_fork_join::$_0&, pool_fork_join::$_1&)
    movq %rax, %rbx
    movq %rdx, %rax
    jmp .LBB3_11
.LBB3_8:
    leaq 24(%rsp), %rdi
    callq fg::detail::forked_branch<pool_fork_join::$_1>::take()
    jmp .LBB3_11
