#include <seccomp.h>

// What of libseccomp is a macro with arguments, and so not visible to Swift.
static inline uint32_t cseccomp_errno(uint16_t number) { return SCMP_ACT_ERRNO(number); }
static inline uint32_t cseccomp_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t cseccomp_trap(void) { return SCMP_ACT_TRAP; }
static inline uint32_t cseccomp_kill(void) { return SCMP_ACT_KILL_PROCESS; }
