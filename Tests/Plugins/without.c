// Runs a program on a kernel that seems to lack something: `without landlock PROGRAM...` or `without seccomp PROGRAM...`.
// A seccomp filter answers the calls in question with ENOSYS; the program inherits it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define FIRST_ARGUMENT BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]))
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(int argc, char **argv) {
    struct sock_filter landlock[] = {
        NUMBER, BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 444, 0, 2), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 446, 1, 0), DENY, ALLOW,
    };
    struct sock_filter seccomp[] = {
        NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        FIRST_ARGUMENT, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1), DENY, ALLOW,
    };
    if (argc < 3) return 125;
    int first = strcmp(argv[1], "landlock") == 0;
    struct sock_fprog program = {
        .len = first ? sizeof landlock / sizeof *landlock : sizeof seccomp / sizeof *seccomp,
        .filter = first ? landlock : seccomp,
    };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) {
        perror("seccomp");
        return 125;
    }
    execv(argv[2], argv + 2);
    return 126;
}
