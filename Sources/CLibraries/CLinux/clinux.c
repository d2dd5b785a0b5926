#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

// Debian 12's headers know these, older C libraries' may not.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

int clinux_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int clinux_open_unnamed(const char *folder, mode_t mode) {
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

int clinux_name(int file, const char *path) {
    char own[32];
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int clinux_signalfd(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_stopped_by(pid_t child) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != child) return 0;
    return info.si_status;
}

int clinux_has_ended(pid_t child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

int clinux_set_nonblocking(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

int clinux_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int clinux_memfd_create(const char *name, unsigned int flags) { return memfd_create(name, flags); }

int clinux_add_seals(int fd, int seals) { return fcntl(fd, F_ADD_SEALS, seals); }

int clinux_open_useless(void) { return open("/", O_PATH); }

int clinux_is_open(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && !(flags & O_PATH);
}

int clinux_get_seals(int fd) { return fcntl(fd, F_GET_SEALS); }

int clinux_close_range(unsigned int first, unsigned int last) { return (int)syscall(SYS_close_range, first, last, 0); }

int clinux_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[2] = {{0}};
    return (int)syscall(SYS_capset, &header, none);
}

int clinux_landlock_version(void) { return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1); }

int clinux_landlock_create_ruleset(const struct clinux_landlock_ruleset *ruleset, size_t size) {
    return (int)syscall(SYS_landlock_create_ruleset, ruleset, size, 0);
}

int clinux_landlock_restrict_self(int ruleset) { return (int)syscall(SYS_landlock_restrict_self, ruleset, 0); }

int clinux_watch_folder(const char *folder) {
    int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch < 0) return -1;
    if (inotify_add_watch(watch, folder,
                          IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |
                              IN_ONLYDIR) < 0) {
        int why = errno;
        close(watch);
        errno = why;
        return -1;
    }
    return watch;
}

int clinux_wall_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_ring_at(int timer, int64_t seconds) {
    // A timer that is not armed hears of no change of the clock: none means one that is very far away.
    struct itimerspec at = {.it_value = {.tv_sec = seconds > 0 ? seconds : INT32_MAX}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

// The first 48 bytes of the kernel's struct sched_attr, which is all that the oldest kernel with these calls has. The kernel's header
// cannot be read beside the C library's.
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

int64_t clinux_turn(void) {
    struct scheduling of = {.size = sizeof of};
    return syscall(SYS_sched_getattr, 0, &of, sizeof of, 0) == 0 ? (int64_t)of.runtime : -1;
}

int clinux_set_turn(int64_t nanoseconds) {
    struct scheduling of = {.size = sizeof of};
    if (syscall(SYS_sched_getattr, 0, &of, sizeof of, 0) != 0) return -1;
    if (of.policy != 0) return 0;
    of.runtime = (uint64_t)nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &of, 0);
}

int clinux_errno(void) { return errno; }

static int argument_count;
static char **arguments;

// The C library hands main's arguments to every constructor.
__attribute__((constructor)) static void keep_arguments(int count, char **values, char **environment) {
    (void)environment;
    argument_count = count;
    arguments = values;
}

const char *clinux_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }
