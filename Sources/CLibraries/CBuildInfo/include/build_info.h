// What this build was made from.
#ifndef MFS_BUILD_INFO_H
#define MFS_BUILD_INFO_H

// The version of the toolkit, by semantic versioning (semver.org).
#define MFS_VERSION "0.1.0"

// The commit as git describes it, or "unknown" when the sources were not built from a checkout by `make build`.
const char *build_info_commit(void);

#endif
