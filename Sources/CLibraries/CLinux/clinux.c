#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

int clinux_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int clinux_memfd_create(const char *name, unsigned int flags) { return memfd_create(name, flags); }

int clinux_add_seals(int fd, int seals) { return fcntl(fd, F_ADD_SEALS, seals); }

int clinux_signalfd(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

int clinux_errno(void) { return errno; }
