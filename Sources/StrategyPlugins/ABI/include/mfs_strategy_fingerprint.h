/* The SHA-256 of mfs_strategy.h as this release ships it. It tells which header a plugin was built with when something
 * does not fit; nothing is decided by it. A test holds it to the file. */
#ifndef MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT "c8e0d070a47ad16fe4554da8ca5e36d14c25ad8a168b1ad5f64718a2b27be202"
#endif
