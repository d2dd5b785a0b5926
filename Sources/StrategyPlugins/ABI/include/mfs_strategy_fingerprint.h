/* The SHA-256 of mfs_strategy.h as this release ships it. It tells which header a plugin was built with when something
 * does not fit; nothing is decided by it. A test holds it to the file. */
#ifndef MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT "7f874a656f204562f1c58e015e281033804a417f07bdd6695727d815320109ae"
#endif
