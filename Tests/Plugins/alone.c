// Runs a program to its end, and with its status ends 125 if a process that it started is still there, dead or alive:
// `alone PROGRAM...`. Whatever loses its parent becomes a child of this one (a subreaper).
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int status, left = 0;
    if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) return 126;
    pid_t program = fork();
    if (program < 0) return 126;
    if (program == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    // Only the program's own end is waited for: what ends before it, unreaped, is left as well.
    while (waitid(P_PID, (id_t)program, NULL, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR) return 126;
    if (waitpid(program, &status, 0) != program) return 126;
    siginfo_t one = {0};
    while (waitid(P_ALL, 0, &one, WEXITED | WNOHANG | WNOWAIT) == 0) {
        pid_t pid = one.si_pid;
        if (pid == 0) {
            // Alive: none that this could end by name, so all of its group's session go with the test's timeout.
            left = 1;
            break;
        }
        waitpid(pid, NULL, 0);
        one.si_pid = 0;
        left = 1;
    }
    if (left) {
        fprintf(stderr, "alone: a process is left\n");
        return 125;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
