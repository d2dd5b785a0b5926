#include "syscall_names.h"

#include <stddef.h>
#include <sys/syscall.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// CALL(name, path): `path` is the number of the argument that is a path, or -1.
#define CALL(name, path) {SYS_##name, path, #name}

static const struct { short number, path; const char *name; } calls[] = {
    CALL(socket, -1), CALL(socketpair, -1), CALL(connect, -1), CALL(bind, -1), CALL(sendto, -1), CALL(sendmsg, -1),
    CALL(recvfrom, -1), CALL(recvmsg, -1), CALL(clone, -1), CALL(clone3, -1), CALL(execve, 0), CALL(execveat, 1), CALL(ptrace, -1),
    CALL(process_vm_readv, -1), CALL(process_vm_writev, -1), CALL(process_madvise, -1), CALL(pidfd_open, -1),
    CALL(pidfd_getfd, -1), CALL(pidfd_send_signal, -1), CALL(kill, -1), CALL(tgkill, -1), CALL(tkill, -1),
    CALL(rt_sigqueueinfo, -1), CALL(rt_tgsigqueueinfo, -1), CALL(rt_sigaction, -1), CALL(kcmp, -1),
    CALL(io_uring_setup, -1), CALL(io_uring_enter, -1), CALL(io_uring_register, -1), CALL(bpf, -1),
    CALL(perf_event_open, -1), CALL(userfaultfd, -1), CALL(keyctl, -1), CALL(add_key, -1), CALL(request_key, -1),
    CALL(memfd_create, -1), CALL(mmap, -1), CALL(mprotect, -1), CALL(pkey_mprotect, -1), CALL(mremap, -1),
    CALL(prctl, -1), CALL(prlimit64, -1), CALL(seccomp, -1), CALL(openat, 1), CALL(openat2, 1), CALL(newfstatat, 1),
    CALL(statx, 1), CALL(faccessat, 1), CALL(faccessat2, 1), CALL(readlinkat, 1), CALL(unlinkat, 1), CALL(mkdirat, 1),
    CALL(linkat, 1), CALL(symlinkat, 0), CALL(renameat, 1), CALL(renameat2, 1), CALL(fchmodat, 1), CALL(truncate, 0),
    CALL(mknodat, 1), CALL(chdir, 0), CALL(chroot, 0), CALL(mount, 1), CALL(umount2, 0), CALL(pivot_root, 0),
    CALL(getdents64, -1), CALL(getcwd, -1), CALL(name_to_handle_at, 1), CALL(open_by_handle_at, -1),
    CALL(inotify_init1, -1), CALL(fanotify_init, -1), CALL(unshare, -1), CALL(setns, -1), CALL(setuid, -1),
    CALL(setresuid, -1), CALL(capset, -1), CALL(reboot, -1), CALL(init_module, -1), CALL(finit_module, -1),
    CALL(fcntl, -1), CALL(dup3, -1), CALL(pipe2, -1), CALL(splice, -1), CALL(vmsplice, -1), CALL(sendfile, -1),
    CALL(eventfd2, -1), CALL(signalfd4, -1), CALL(timerfd_create, -1), CALL(timer_create, -1), CALL(setitimer, -1),
    CALL(wait4, -1), CALL(waitid, -1), CALL(getppid, -1), CALL(setpriority, -1), CALL(sched_setscheduler, -1),
    CALL(sched_setaffinity, -1), CALL(sched_getaffinity, -1), CALL(clock_gettime, -1), CALL(clock_getres, -1),
    CALL(clock_nanosleep, -1), CALL(shmget, -1), CALL(msgget, -1), CALL(semget, -1), CALL(mq_open, -1),
    CALL(personality, -1), CALL(syslog, -1), CALL(acct, 0), CALL(swapon, 0), CALL(quotactl, -1),
    CALL(clock_settime, -1), CALL(settimeofday, -1), CALL(mlock, -1), CALL(close_range, -1), CALL(futex_waitv, -1),
#ifdef __x86_64__
    CALL(open, 0), CALL(creat, 0), CALL(stat, 0), CALL(lstat, 0), CALL(access, 0), CALL(readlink, 0), CALL(fork, -1),
    CALL(vfork, -1), CALL(unlink, 0), CALL(mkdir, 0), CALL(rename, 0), CALL(link, 0), CALL(symlink, 0), CALL(chmod, 0),
    CALL(getdents, -1), CALL(alarm, -1), CALL(pause, -1), CALL(select, -1), CALL(epoll_create1, -1), CALL(modify_ldt, -1),
    CALL(iopl, -1), CALL(ioperm, -1), CALL(arch_prctl, -1), CALL(dup2, -1), CALL(pipe, -1),
#endif
};

const char *csandbox_syscall_name(long number) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number) return calls[i].name;
    return NULL;
}

int csandbox_syscall_path(long number) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number) return calls[i].path;
    return -1;
}
