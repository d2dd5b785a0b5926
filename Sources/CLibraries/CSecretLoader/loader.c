#include "secret_loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__x86_64__)
#define MFS_JUMP(slot) "jmp *" slot "(%rip)"
#elif defined(__aarch64__)
#define MFS_JUMP(slot) "adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16"
#else
#error "how does this processor jump to an address in memory?"
#endif

// Each function under its own name, so that callers are compiled and linked as if libsecret were there: a jump to where it
// was found. It touches no register of an argument and no stack, so what the arguments are does not matter.
#define MFS_FUNCTION(name)                                                                                            \
    __attribute__((visibility("hidden"))) void *mfs_late_##name;                                                      \
    __asm__(".pushsection .text\n .hidden " #name "\n .globl " #name "\n .type " #name ", %function\n"                \
            #name ":\n " MFS_JUMP("mfs_late_" #name) "\n .size " #name ", . - " #name "\n .popsection\n");
#include "functions.h"
#undef MFS_FUNCTION

#define MFS_FUNCTION(name) {#name, &mfs_late_##name},
static const struct {
    const char *name;
    void **slot;
} functions[] = {
#include "functions.h"
};

enum { count = sizeof functions / sizeof functions[0] };

const char *mfs_secret_load(void) {
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    static char problem[256];
    static int loaded;
    const char *result = NULL;
    pthread_mutex_lock(&loading);
    if (!loaded) {
        // By the name that the loader would look for at the start.
        void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
        size_t found = 0;
        if (library != NULL)
            while (found < count && (*functions[found].slot = dlsym(library, functions[found].name)) != NULL) found++;
        loaded = found == count;
        if (!loaded) {
            const char *error = dlerror();
            snprintf(problem, sizeof problem, "%s", error != NULL ? error : functions[found].name);
            result = problem;
        }
    }
    pthread_mutex_unlock(&loading);
    return result;
}
