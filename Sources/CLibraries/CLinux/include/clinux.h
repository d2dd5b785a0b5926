// What Swift cannot call by itself: variadic system calls, and calls that glibc has no wrapper for. Nothing here
// decides anything; each function is one system call and returns what the kernel says (-1 and errno on failure).
#ifndef MFS_CLINUX_H
#define MFS_CLINUX_H

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int clinux_open(const char *path, int flags, mode_t mode);
int clinux_openat(int directory, const char *path, int flags, mode_t mode);
// A new file in a folder, close-on-exec and open for writing, that has no name and goes with its descriptor (O_TMPFILE);
// not every file system has this. clinux_name() gives it a name that must be free.
int clinux_open_unnamed(const char *folder, mode_t mode);
int clinux_name(int file, const char *path);
// prctl(PR_SET_DUMPABLE, 0): no core dump, and no ptrace or /proc/PID/mem for others of the same user.
int clinux_forbid_dumps(void);
// A close-on-exec, non-blocking descriptor from which blocked signals are read.
int clinux_signalfd(const sigset_t *signals);
// pipe2(2), close-on-exec.
int clinux_pipe(int ends[2]);
/* An event counter (eventfd(2)) that is closed on exec and never waits. */
int clinux_eventfd(void);
// Closes every descriptor from `first` on in the program to be spawned.
int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
// The signal that stopped a child since the last call, 0 for none: waitid(2) with WSTOPPED.
int clinux_stopped_by(pid_t child);
// 1 when a child has ended; it can still be waited for. waitid(2) with WEXITED and WNOWAIT.
int clinux_has_ended(pid_t child);
int clinux_set_nonblocking(int fd);
// 1 when a signal is ignored, else 0: sigaction(2).
int clinux_is_ignored(int signal);
// A descriptor that can be read once the process has ended. Always close-on-exec.
int clinux_pidfd_open(pid_t process);
// prctl(PR_SET_NO_NEW_PRIVS, 1).
int clinux_no_new_privileges(void);
// prctl(PR_SET_PDEATHSIG, signal).
int clinux_die_with_parent(int signal);
int clinux_memfd_create(const char *name, unsigned int flags);
int clinux_add_seals(int fd, int seals);
// A descriptor that can be neither read nor written (O_PATH), not close-on-exec.
int clinux_open_useless(void);
// 1 when fd is open for reading or writing, else 0: fcntl(fd, F_GETFL), not O_PATH.
int clinux_is_open(int fd);
// The seals of a memfd; -1 when the file has none and cannot have any.
int clinux_get_seals(int fd);
int clinux_close_range(unsigned int first, unsigned int last);
// capset(2) with three empty sets: a process of root's loses root's powers.
int clinux_drop_capabilities(void);

// landlock_create_ruleset(2) and landlock_restrict_self(2), which glibc does not wrap. The attribute is that of ABI 6 and
// newer; older kernels take its first fields, by `size`.
struct clinux_landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};
// The kernel's Landlock ABI version; -1 when it has none.
int clinux_landlock_version(void);
int clinux_landlock_create_ruleset(const struct clinux_landlock_ruleset *ruleset, size_t size);
int clinux_landlock_restrict_self(int ruleset);
// A descriptor that can be read once something in a folder was made, written, renamed or removed, or the folder itself was:
// inotify(7). Never waits, close-on-exec.
int clinux_watch_folder(const char *folder);
// A timer of the wall clock, and its next ringing in seconds since 1970, 0 for none. It can also be read, with ECANCELED, once
// the clock was set or the machine slept: timerfd_settime(2) with TFD_TIMER_CANCEL_ON_SET.
int clinux_wall_timer(void);
int clinux_ring_at(int timer, int64_t seconds);
// The length in nanoseconds of the turns that the calling thread has a processor for while others want it too: sched_getattr(2) and
// sched_setattr(2), all else of the thread's stays. Linux 6.12 and newer have such turns; older ones take any length and tell 0.
// clinux_set_turn() leaves a thread alone whose policy is not the usual one, SCHED_OTHER.
int64_t clinux_turn(void);
int clinux_set_turn(int64_t nanoseconds);
int clinux_errno(void);

// An argument of this program, the first being its name; null beyond the last. The C library hands them to constructors: no
// system call can fail on the way, and a preloaded library that changed the environment does not matter.
const char *clinux_argument(int index);

#endif
