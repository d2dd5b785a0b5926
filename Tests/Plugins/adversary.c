// A plugin that attacks: the setting ATTACK names what it tries, TARGET a file, PARENT the process that started its host.
// An attack that comes back tells so by a failure with what the system answered, and one that got what it wanted by the
// result {"identifier": "escaped"}. Signals are signal 0 and targets are harmless: on a machine where an attack works it must do no harm.
//
// Compiled with -DAT_LOAD=... it attacks in a constructor; with -DENTRY_... its table is wrong in one way.
#define _GNU_SOURCE
#include "mfs_strategy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const mfs_host_t *the_host;
static const mfs_sink_t *the_sink;
static char target[512];
static long parent;

static mfs_slice_t text(const char *s) { return (mfs_slice_t){(const uint8_t *)s, strlen(s)}; }

static void setting(const mfs_call_t *call, const char *name, char *out, size_t size) {
    out[0] = 0;
    for (uint32_t i = 0; i < call->settings.count; i++) {
        const mfs_pair_t *p = (const void *)((const char *)call->settings.pairs + i * call->settings.pair_size);
        if (p->name.len != strlen(name) || memcmp(p->name.ptr, name, p->name.len) != 0 || p->bytes.len >= size) continue;
        memcpy(out, p->bytes.ptr, p->bytes.len);
        out[p->bytes.len] = 0;
    }
}

static void fail(const char *what, long got) {
    char line[200];
    snprintf(line, sizeof line, "%s gave %ld, errno %d", what, got, errno);
    mfs_failure_t f = {sizeof f, MFS_REASON_INTERNAL, text(line), 0, -1};
    the_sink->failure(the_sink->context, &f);
}

static void escaped(void) {
    mfs_pair_t pair = {.name = text("identifier"), .kind = MFS_TEXT, .bytes = text("escaped")};
    the_sink->success(the_sink->context, (mfs_record_t){&pair, 1, sizeof pair});
}

// What a call gave: success is an escape.
static void judge(const char *what, long got) {
    if (got < 0) fail(what, got); else escaped();
}

static void open_path(const char *format) {
    char path[600];
    snprintf(path, sizeof path, format, parent);
    judge(path, open(path, O_RDONLY));
}

static void *wait_for_ever(void *unused) {
    for (;;) sleep(60);
    return unused;
}

// Starts threads that stay, up to so many.
static void start_threads(long most) {
    pthread_attr_t small;
    pthread_t thread;
    long count = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (count < most && pthread_create(&thread, &small, wait_for_ever, NULL) == 0) count++;
    if (count > 0) escaped(); else fail("pthread_create", -1);
}

__attribute__((noinline)) static int overflow_stack(int depth) {
    volatile char space[4096];
    space[0] = (char)depth;
    if (depth < 0) return 0;
    return overflow_stack(depth + 1) + space[0];
}

static void take_nothing(void *context, mfs_record_t answer) { (void)context; (void)answer; }

static mfs_status_t ask(const char *extension, mfs_record_t request, const mfs_receiver_t *receiver) {
    const mfs_http_t *table = the_host->get_extension(the_host->context, text(extension));
    return table ? table->send(the_host->context, request, receiver) : 999;
}

static void report(mfs_pair_t *pairs, uint32_t count, uint32_t size) {
    the_sink->success(the_sink->context, (mfs_record_t){pairs, count, size});
}

static int is(const char *attack, const char *name) { return strcmp(attack, name) == 0; }

// Each returns 1 when it knows the attack.
static int attack_files(const char *a) {
    if (is(a, "open-target")) judge("open", open(target, O_RDONLY));
    else if (is(a, "open-write")) judge("open", open("/tmp/mfs-adversary", O_WRONLY | O_CREAT, 0600));
    else if (is(a, "open-passwd")) open_path("/etc/passwd");
    else if (is(a, "open-self-plugin")) open_path("/proc/self/fd/4");
    else if (is(a, "open-library")) open_path("/usr/lib/libswift_Concurrency.so");
    else if (is(a, "open-plain")) judge("open", syscall(SYS_open, "/etc/passwd", O_RDONLY));
    else if (is(a, "openat2")) {
        uint64_t how[3] = {O_RDONLY, 0, 0};
        judge("openat2", syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how));
    } else if (is(a, "stat-target")) { struct stat s; judge("stat", stat(target, &s)); }
    else if (is(a, "statx")) { struct statx s; judge("statx", statx(AT_FDCWD, "/etc", 0, STATX_ALL, &s)); }
    else if (is(a, "access")) judge("access", access("/etc/passwd", R_OK));
    else if (is(a, "readlink")) { char b[99]; judge("readlink", readlink("/proc/self/exe", b, sizeof b)); }
    else if (is(a, "unlink")) judge("unlink", unlink(target));
    else if (is(a, "chdir")) judge("chdir", chdir("/"));
    else if (is(a, "self-environ")) open_path("/proc/self/environ");
    else if (is(a, "self-mem")) open_path("/proc/self/mem");
    else if (is(a, "parent-mem")) open_path("/proc/%ld/mem");
    else if (is(a, "parent-environ")) open_path("/proc/%ld/environ");
    else if (is(a, "parent-cmdline")) open_path("/proc/%ld/cmdline");
    else if (is(a, "parent-fd")) open_path("/proc/%ld/fd/3");
    else if (is(a, "handle")) judge("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, &target, O_RDONLY));
    else if (is(a, "memfd")) judge("memfd_create", memfd_create("x", 0));
    else if (is(a, "environment")) { if (environ && environ[0]) escaped(); else fail("environ", -1); }
    else if (is(a, "descriptors")) {
        char byte;
        for (int fd = 4; fd < 1024; fd++) if (read(fd, &byte, 0) == 0) { escaped(); return 1; }
        fail("read of other descriptors", -1);
    } else return 0;
    return 1;
}

// The clock of another process's processor time, as clock_getcpuclockid(3) makes it.
static clockid_t clock_of(pid_t process) { return (~(clockid_t)process << 3) | 2; }

static int attack_processes(const char *a) {
    char byte;
    struct iovec local = {&byte, 1}, remote = {(void *)0x400000, 1};
    uint64_t clone3_arguments[8] = {0};
    char *argv[] = {"sh", NULL};
    siginfo_t info = {0};
    struct timespec time = {0};
    if (is(a, "fork")) judge("fork", fork());
    else if (is(a, "vfork")) judge("vfork", syscall(SYS_vfork));
    else if (is(a, "raw-fork")) judge("fork", syscall(SYS_fork));
    else if (is(a, "clone")) judge("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    else if (is(a, "clone-namespace")) judge("clone", syscall(SYS_clone, 0x10000000 | SIGCHLD, 0, 0, 0, 0));
    // The flags of pthread_create. On this thread's own stack, and so never to be returned from: it ends at once.
    else if (is(a, "clone-thread")) {
        long made = syscall(SYS_clone, 0x3D0F00, 0, 0, 0, 0);
        if (made == 0) syscall(SYS_exit, 0);
        judge("clone", made);
    }
    else if (is(a, "clone3")) judge("clone3", syscall(SYS_clone3, clone3_arguments, sizeof clone3_arguments));
    else if (is(a, "execve")) judge("execve", execve("/bin/sh", argv, environ));
    else if (is(a, "execveat")) judge("execveat", syscall(SYS_execveat, AT_FDCWD, "/bin/sh", argv, environ, 0));
    else if (is(a, "ptrace")) judge("ptrace", syscall(SYS_ptrace, 16, parent, 0, 0));
    else if (is(a, "ptrace-me")) judge("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    else if (is(a, "vm-read")) judge("process_vm_readv", process_vm_readv((pid_t)parent, &local, 1, &remote, 1, 0));
    else if (is(a, "vm-write")) judge("process_vm_writev", process_vm_writev((pid_t)parent, &local, 1, &remote, 1, 0));
    else if (is(a, "pidfd-open")) judge("pidfd_open", syscall(SYS_pidfd_open, parent, 0));
    else if (is(a, "pidfd-getfd")) judge("pidfd_getfd", syscall(SYS_pidfd_getfd, 3, 0, 0));
    else if (is(a, "kcmp")) judge("kcmp", syscall(SYS_kcmp, parent, getpid(), 0, 0, 0));
    else if (is(a, "kill")) judge("kill", kill((pid_t)parent, 0));
    else if (is(a, "kill-self")) judge("kill", kill(getpid(), 0));
    else if (is(a, "kill-group")) judge("kill", kill(-1, 0));
    else if (is(a, "tgkill")) judge("tgkill", syscall(SYS_tgkill, parent, parent, 0));
    else if (is(a, "tkill")) judge("tkill", syscall(SYS_tkill, parent, 0));
    else if (is(a, "sigqueue")) judge("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, parent, 0, &info));
    else if (is(a, "getppid")) judge("getppid", getppid());
    else if (is(a, "affinity")) { cpu_set_t set; judge("sched_getaffinity", syscall(SYS_sched_getaffinity, parent, sizeof set, &set)); }
    else if (is(a, "processor-time")) judge("clock_gettime", syscall(SYS_clock_gettime, clock_of((pid_t)parent), &time));
    else if (is(a, "processor-clock")) judge("clock_getres", syscall(SYS_clock_getres, clock_of((pid_t)parent), &time));
    else if (is(a, "processor-wait")) judge("clock_nanosleep", syscall(SYS_clock_nanosleep, clock_of((pid_t)parent), 0, &time, NULL));
    else if (is(a, "thread")) start_threads(1);
    else if (is(a, "thread-bomb")) start_threads(20000);
    else return 0;
    return 1;
}

static int attack_kernel(const char *a) {
    uint8_t space[256] = {0};
    int pair[2];
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    struct msghdr message = {0};
    if (is(a, "socket-inet")) judge("socket", socket(AF_INET, SOCK_STREAM, 0));
    else if (is(a, "socket-inet6")) judge("socket", socket(AF_INET6, SOCK_DGRAM, 0));
    else if (is(a, "socket-unix")) judge("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    else if (is(a, "socket-netlink")) judge("socket", socket(AF_NETLINK, SOCK_RAW, 0));
    else if (is(a, "socketpair")) judge("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    else if (is(a, "connect")) judge("connect", connect(3, (void *)space, 16));
    else if (is(a, "recvmsg")) judge("recvmsg", recvmsg(3, &message, MSG_DONTWAIT));
    else if (is(a, "sendmsg")) judge("sendmsg", sendmsg(3, &message, MSG_DONTWAIT));
    else if (is(a, "io-uring")) judge("io_uring_setup", syscall(SYS_io_uring_setup, 8, space));
    else if (is(a, "bpf")) judge("bpf", syscall(SYS_bpf, 0, space, sizeof space));
    else if (is(a, "userfaultfd")) judge("userfaultfd", syscall(SYS_userfaultfd, 0));
    else if (is(a, "perf")) judge("perf_event_open", syscall(SYS_perf_event_open, space, 0, -1, -1, 0));
    else if (is(a, "keyctl")) judge("keyctl", syscall(SYS_keyctl, 0, -3, 0));
    else if (is(a, "unshare")) judge("unshare", syscall(SYS_unshare, 0x10000000));
    else if (is(a, "setns")) judge("setns", syscall(SYS_setns, 3, 0));
    else if (is(a, "mount")) judge("mount", syscall(SYS_mount, "none", "/nonexistent", "tmpfs", 0, NULL));
    else if (is(a, "setuid")) judge("setuid", syscall(SYS_setuid, 0));
    else if (is(a, "capset")) judge("capset", syscall(SYS_capset, space, space + 64));
    else if (is(a, "dumpable")) judge("prctl", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    else if (is(a, "pdeathsig")) judge("prctl", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
    else if (is(a, "seccomp")) judge("seccomp", syscall(SYS_seccomp, 1, 0, space));
    else if (is(a, "rlimit")) judge("prlimit64", setrlimit(RLIMIT_CPU, &limit));
    else if (is(a, "rlimit-parent")) judge("prlimit64", prlimit((pid_t)parent, RLIMIT_CPU, NULL, &limit));
    else if (is(a, "ioctl")) judge("ioctl", ioctl(0, TIOCSTI, "x"));
    else if (is(a, "fcntl")) judge("fcntl", fcntl(3, F_SETFD, 0));
    else if (is(a, "i386")) {
        // getpid by the 32-bit entry: a filter that looks at numbers alone takes it for something else.
        long got;
        __asm__ volatile("int $0x80" : "=a"(got) : "a"(20) : "memory");
        judge("int 0x80", got);
    } else if (is(a, "x32")) judge("x32", syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0));
    else if (is(a, "mmap-rwx")) {
        judge("mmap", mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
    } else if (is(a, "mmap-exec")) {
        judge("mmap", mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
    } else if (is(a, "mprotect")) {
        void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        judge("mprotect", mprotect(page, 4096, PROT_READ | PROT_EXEC));
    } else if (is(a, "mprotect-code")) {
        judge("mprotect", mprotect((void *)((uintptr_t)&attack_kernel & ~4095ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
    } else if (is(a, "sigsys-ignore")) judge("sigaction", signal(SIGSYS, SIG_IGN) == SIG_ERR ? -1 : 0);
    else if (is(a, "sigsys-high")) {
        // The kernel looks at the lower half of the number.
        struct { void (*handler)(int); unsigned long flags, restorer, mask; } ignore = {SIG_IGN, 0, 0, 0};
        judge("rt_sigaction", syscall(SYS_rt_sigaction, 1ul << 32 | SIGSYS, &ignore, NULL, 8));
    } else if (is(a, "sigsys-block")) {
        sigset_t set;
        sigfillset(&set);
        sigprocmask(SIG_BLOCK, &set, NULL);
        judge("socket", socket(AF_INET, SOCK_STREAM, 0));
    } else if (is(a, "sigsys-raise")) { raise(SIGSYS); fail("raise", 0); }
    else return 0;
    return 1;
}

static int misbehave(const char *a) {
    if (is(a, "trap")) __builtin_trap();
    else if (is(a, "segv")) *(volatile int *)8 = 1;
    else if (is(a, "abort")) abort();
    else if (is(a, "exit")) exit(0);
    else if (is(a, "raw-exit")) _exit(0);
    else if (is(a, "exit-63")) _exit(63);
    else if (is(a, "loop")) for (volatile unsigned i = 0;; i++) {}
    else if (is(a, "polite-loop")) {
        while (!the_host->is_cancelled(the_host->context)) {}
        mfs_failure_t f = {sizeof f, MFS_REASON_CANCELLED, text("stopped"), 0, -1};
        the_sink->failure(the_sink->context, &f);
    } else if (is(a, "sleep")) for (;;) sleep(60);
    else if (is(a, "allocate")) {
        long chunks = 0;
        for (char *p; (p = malloc(16 << 20)) != NULL; chunks++) memset(p, 1, 16 << 20);
        if (chunks > 1024) escaped(); else fail("malloc", -1);
    } else if (is(a, "stack")) overflow_stack(0);
    else if (is(a, "garbage")) { if (write(3, "this is no frame at all", 23) == 23) _exit(0); }
    else if (is(a, "half-frame")) { if (write(3, "\xFF\x00\x00\x00\x06", 5) == 5) _exit(0); }
    else if (is(a, "huge-frame")) { if (write(3, "\xFF\xFF\xFF\x7F\x06", 5) == 5) for (;;) sleep(60); }
    else if (is(a, "print")) {
        printf("CANARY-ON-STDOUT\n");
        fflush(stdout);
        fprintf(stderr, "CANARY-ON-STDERR\n");
        fail("print", 0);
    } else return 0;
    return 1;
}

static int break_contract(const char *a) {
    static uint8_t big[5 << 20];
    mfs_pair_t bad = {.name = text("identifier"), .kind = MFS_TEXT, .bytes = text("alice")};
    mfs_receiver_t receiver = {sizeof receiver, 0, NULL, take_nothing};
    if (is(a, "two-results")) { escaped(); escaped(); }
    else if (is(a, "failure-then-result")) { fail("first", 0); escaped(); }
    else if (is(a, "no-result")) return 1;
    else if (is(a, "use-after-result")) { escaped(); the_host->log(the_host->context, 2, text("still here")); }
    else if (is(a, "small-failure")) {
        mfs_failure_t f = {4, MFS_REASON_INTERNAL, text("x"), 0, -1};
        the_sink->failure(the_sink->context, &f);
    } else if (is(a, "null-failure")) the_sink->failure(the_sink->context, NULL);
    else if (is(a, "null-record")) the_sink->success(the_sink->context, (mfs_record_t){NULL, 3, sizeof bad});
    else if (is(a, "small-pairs")) report(&bad, 1, 8);
    else if (is(a, "many-pairs")) report(&bad, UINT32_MAX, sizeof bad);
    else if (is(a, "not-utf8")) { bad.bytes = text("\xC3\x28"); report(&bad, 1, sizeof bad); }
    else if (is(a, "name-not-utf8")) { bad.name = text("\xFF"); report(&bad, 1, sizeof bad); }
    else if (is(a, "no-name")) { bad.name = text(""); report(&bad, 1, sizeof bad); }
    else if (is(a, "unknown-kind")) { bad.kind = 99; report(&bad, 1, sizeof bad); }
    else if (is(a, "null-text")) { bad.bytes = (mfs_slice_t){NULL, 5}; report(&bad, 1, sizeof bad); }
    else if (is(a, "long-text")) { bad.bytes = (mfs_slice_t){big, UINT64_MAX}; report(&bad, 1, sizeof bad); }
    else if (is(a, "oversize")) { bad.bytes = (mfs_slice_t){big, sizeof big}; report(&bad, 1, sizeof bad); }
    else if (is(a, "almost-oversize")) {
        bad.kind = MFS_BYTES;
        bad.bytes = (mfs_slice_t){big, 4 << 20};
        report(&bad, 1, sizeof bad);
    } else if (is(a, "endless-list")) { bad.kind = MFS_LIST; bad.list = (mfs_record_t){&bad, 1, sizeof bad}; report(&bad, 1, sizeof bad); }
    else if (is(a, "twice-named")) { mfs_pair_t two[2] = {bad, bad}; report(two, 2, sizeof bad); }
    else if (is(a, "wild-pointer")) { bad.bytes = (mfs_slice_t){(uint8_t *)16, 5}; report(&bad, 1, sizeof bad); }
    else if (is(a, "ask")) {
        // A question that would like to be the toolkit's own.
        mfs_pair_t question[] = {
            {.name = text("text"), .kind = MFS_TEXT, .bytes = text("\r\x1b[2KPassphrase of the vault")},
            {.name = text("secret"), .kind = MFS_BOOLEAN, .number = 1},
        };
        fail("status", ask("mfs.prompt/1", (mfs_record_t){question, 2, sizeof *question}, &receiver));
    }
    else if (is(a, "null-receiver")) fail("status", ask("mfs.prompt/1", (mfs_record_t){0}, NULL));
    else if (is(a, "small-receiver")) { receiver.struct_size = 4; fail("status", ask("mfs.prompt/1", (mfs_record_t){0}, &receiver)); }
    else if (is(a, "malformed-request")) fail("status", ask("mfs.http/1", (mfs_record_t){NULL, 1, sizeof bad}, &receiver));
    else if (is(a, "null-clock")) fail("status", the_host->now_wall(the_host->context, NULL));
    else if (is(a, "null-random")) fail("status", the_host->random(the_host->context, NULL, 16));
    else if (is(a, "much-random")) fail("status", the_host->random(the_host->context, big, 4097));
    else if (is(a, "null-log")) { the_host->log(the_host->context, 99, (mfs_slice_t){NULL, 9}); fail("log", 0); }
    else if (is(a, "long-log")) { the_host->log(the_host->context, 2, (mfs_slice_t){big, sizeof big}); fail("log", 0); }
    else if (is(a, "wrong-context")) { the_host->log((void *)1, 2, text("hello")); fail("log", 0); }
    else if (is(a, "unknown-extension")) fail("extension", the_host->get_extension(the_host->context, text("mfs.root/1")) ? 1 : 0);
    else if (is(a, "unknown-reason")) {
        mfs_failure_t f = {sizeof f, 77, text("\xC3\x28"), 7, INT64_MIN};
        the_sink->failure(the_sink->context, &f);
    } else return 0;
    return 1;
}

static void login(const mfs_host_t *host, const mfs_call_t *call, const mfs_sink_t *sink) {
    char attack[64], number[32];
    the_host = host;
    the_sink = sink;
    setting(call, "ATTACK", attack, sizeof attack);
    setting(call, "TARGET", target, sizeof target);
    setting(call, "PARENT", number, sizeof number);
    parent = atol(number);
    if (!attack_files(attack) && !attack_processes(attack) && !attack_kernel(attack) && !misbehave(attack) &&
        !break_contract(attack))
        fail("an unknown attack", 0);
}

#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { AT_LOAD; }
#endif

#ifndef ENTRY_SIZE
#define ENTRY_SIZE sizeof(mfs_strategy_t)
#endif
#ifndef ENTRY_VERSION
#define ENTRY_VERSION MFS_STRATEGY_ABI_VERSION
#endif
#ifndef ENTRY_NAME
#define ENTRY_NAME "adversary"
#endif
#ifndef ENTRY_LOGIN
#define ENTRY_LOGIN login
#endif
#ifndef ENTRY_FUNCTION
#define ENTRY_FUNCTION mfs_strategy_entry
#endif

MFS_EXPORT const mfs_strategy_t *ENTRY_FUNCTION(uint32_t newest);
const mfs_strategy_t *ENTRY_FUNCTION(uint32_t newest) {
    static mfs_strategy_t table;
    (void)newest;
#ifdef ENTRY_NULL
    return NULL;
#endif
    table = (mfs_strategy_t){.struct_size = ENTRY_SIZE, .abi_version = ENTRY_VERSION, .name = text(ENTRY_NAME),
                             .version = text("1"), .login = ENTRY_LOGIN};
    (void)login;
    return &table;
}
