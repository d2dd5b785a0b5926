#include "build_info.h"

// `make build` writes commit.h, which git ignores; a plain `swift build` does without.
#if __has_include("commit.h")
#include "commit.h"
#else
#define MFS_COMMIT "unknown"
#endif

const char *build_info_commit(void) { return MFS_COMMIT; }
