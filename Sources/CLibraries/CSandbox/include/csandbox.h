// The part of the sandbox that must be C: the SIGSYS handler, which runs inside a system call that the seccomp filter did
// not let through. Nothing here allocates, locks or calls anything but system calls.
#ifndef MFS_CSANDBOX_H
#define MFS_CSANDBOX_H

#include <stdint.h>

// Installs the handler. What is not let through then ends the process: a frame of kind `kind` goes to `channel`, saying which
// system call it was, and the process exits with `status`. Three calls are served instead:
// - opening a file, while loading: the plugin's path, or a library offered by csandbox_offer, gives a duplicate of the
//   descriptor opened beforehand; any other name does not exist. The filter itself never lets a file be opened.
// - newfstatat of an open descriptor (glibc's fstat) becomes fstat.
// Returns 0, or -1 with errno.
int csandbox_install(int channel, uint8_t kind, int status);
// The plugin: opening exactly `path`, a constant, gives `fd`.
void csandbox_set_plugin(const char *path, int fd);
// A library that may be loaded with the plugin: opening any path whose last part is `name`, a constant, gives `fd`.
// Returns -1 when there are too many.
int csandbox_offer(const char *name, int fd);
// Loading is over: closes the plugin and the libraries; from here on opening a file ends the process.
void csandbox_end_loading(void);
// The first name, cut and with unprintable bytes replaced, that was asked for and not offered while loading; "" when none.
const char *csandbox_first_refused(void);

// Opens the directory that the library with this symbol was loaded from, for use with openat only; -1 when there is none.
int csandbox_open_directory_of(const char *symbol);

// The default action for the signals that tell of a crash, whatever a runtime installed for them.
void csandbox_reset_crash_signals(void);

#endif
