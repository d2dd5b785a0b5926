#define _GNU_SOURCE
#include "csandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "syscall_names.h"

enum { most_libraries = 16, name_size = 201 };

static struct {
    int channel, status, plugin_fd, library_count, loading;
    uint8_t kind;
    const char *plugin_path;
    struct { const char *name; int fd; } libraries[most_libraries];
    char refused[name_size];
} state = {.channel = -1, .plugin_fd = -1};

// Appends the printable ASCII of `text`; what is not becomes '?'. Returns the new end.
static char *append(char *at, const char *end, const char *text) {
    for (; *text && at < end; text++) *at++ = *text >= 0x20 && *text < 0x7F ? *text : '?';
    return at;
}

static char *append_number(char *at, const char *end, long number) {
    char digits[24];
    size_t first = sizeof digits - 1;
    digits[first] = 0;
    do digits[--first] = (char)('0' + number % 10); while ((number /= 10) > 0 && first > 0);
    return append(at, end, digits + first);
}

static void put_length(uint8_t *at, size_t length) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(length >> (8 * i));
}

static int starts_a_task(long number) {
#ifdef __x86_64__
    if (number == SYS_fork || number == SYS_vfork) return 1;
#endif
    return number == SYS_clone || number == SYS_clone3;
}

// Tells the parent and ends the process. `path` is null when the call names no file.
static _Noreturn void violation(long number, const char *path) {
    enum { header = 9 };
    char frame[header + 400] = {0};
    const char *end = frame + sizeof frame;
    char *at = frame + header;
    if (path) {
        at = append(at, at + 40, "it tried to reach the file ");
        at = append(at, at + name_size, path);
        at = append(at, end, " (system call ");
    } else if (starts_a_task(number)) {
        at = append(at, end, "it tried to start a thread or a process (system call ");
    } else {
        at = append(at, end, "it tried what no plugin may (system call ");
    }
    const char *name = csandbox_syscall_name(number);
    at = name ? append(at, end, name) : append_number(at, end, number < 0 ? 0 : number);
    at = append(at, end, ")");
    size_t length = (size_t)(at - frame);
    put_length((uint8_t *)frame, length - 4);
    frame[4] = (char)state.kind;
    put_length((uint8_t *)frame + 5, length - header);
    for (size_t done = 0; done < length;) {
        long got = write(state.channel, frame + done, length - done);
        if (got <= 0 && errno != EINTR) break;
        if (got > 0) done += (size_t)got;
    }
    for (;;) syscall(SYS_exit_group, state.status);
}

static int duplicate(int fd) {
    int copy = dup(fd);
    if (copy >= 0) lseek(copy, 0, SEEK_SET);
    return copy;
}

// What the loader asks for, and libdispatch's constructor when it counts the processors (glibc's get_nprocs_conf); both do
// without. No wish of the plugin's.
static int asked_by_the_runtime(const char *path) {
    static const char *const names[] = {
        "/etc/ld.so.cache", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/online", "/sys/devices/system/cpu",
        "/proc/stat", "/proc/cpuinfo",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0) return 1;
    return 0;
}

// What opening `path` gives: a descriptor, or a negative errno.
static long open_offered(const char *path) {
    if (state.plugin_path && strcmp(path, state.plugin_path) == 0) return duplicate(state.plugin_fd);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (int i = 0; i < state.library_count; i++)
        if (strcmp(name, state.libraries[i].name) == 0) return duplicate(state.libraries[i].fd);
    if (!asked_by_the_runtime(path) && !state.refused[0]) *append(state.refused, state.refused + name_size - 1, path) = 0;
    return -ENOENT;
}

#if defined(__x86_64__)
#define ARGUMENT(u, n) ((u)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[n]])
#define RESULT(u) ((u)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARGUMENT(u, n) ((u)->uc_mcontext.regs[n])
#define RESULT(u) ((u)->uc_mcontext.regs[0])
#else
#error "the sandbox is written for x86-64 and AArch64"
#endif

static void on_sigsys(int signal, siginfo_t *info, void *context) {
    (void)signal;
    ucontext_t *u = context;
    int saved = errno;
    long number = info->si_syscall;
    // SYS_SECCOMP: anything else was sent by hand.
    if (info->si_code != 1) violation(-1, NULL);
    const char *path = NULL;
    switch (number) {
    case SYS_openat:
        path = (const char *)ARGUMENT(u, 1);
        break;
#ifdef SYS_open
    case SYS_open:
        path = (const char *)ARGUMENT(u, 0);
        break;
#endif
    case SYS_newfstatat: {
        const char *name = (const char *)ARGUMENT(u, 1);
        if (name && name[0] == 0 && ARGUMENT(u, 3) == AT_EMPTY_PATH) {
            long result = syscall(SYS_fstat, (int)ARGUMENT(u, 0), (struct stat *)ARGUMENT(u, 2));
            RESULT(u) = (__typeof__(RESULT(u)))(result < 0 ? -errno : result);
            errno = saved;
            return;
        }
        path = name;
        break;
    }
    default: violation(number, csandbox_syscall_path(number) < 0 ? NULL
                                   : (const char *)ARGUMENT(u, csandbox_syscall_path(number)));
    }
    if (!state.loading || !path) violation(number, path);
    long result = open_offered(path);
    RESULT(u) = (__typeof__(RESULT(u)))result;
    errno = saved;
}

int csandbox_install(int channel, uint8_t kind, int status) {
    state.channel = channel;
    state.kind = kind;
    state.status = status;
    state.loading = 1;
    struct sigaction action = {.sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}

void csandbox_set_plugin(const char *path, int fd) {
    state.plugin_path = path;
    state.plugin_fd = fd;
}

int csandbox_offer(const char *name, int fd) {
    if (state.library_count >= most_libraries) return -1;
    state.libraries[state.library_count].name = name;
    state.libraries[state.library_count++].fd = fd;
    return 0;
}

void csandbox_end_loading(void) {
    state.loading = 0;
    close(state.plugin_fd);
    for (int i = 0; i < state.library_count; i++) close(state.libraries[i].fd);
    state.library_count = 0;
    state.plugin_path = NULL;
}

const char *csandbox_first_refused(void) { return state.refused; }

int csandbox_open_directory_of(const char *symbol) {
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, symbol);
    if (!address || !dladdr(address, &info) || !info.dli_fname) return -1;
    char path[PATH_MAX];
    const char *slash = strrchr(info.dli_fname, '/');
    size_t length = slash ? (size_t)(slash - info.dli_fname) : 0;
    if (length == 0 || length >= sizeof path) return -1;
    memcpy(path, info.dli_fname, length);
    path[length] = 0;
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void csandbox_reset_crash_signals(void) {
    const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
}
