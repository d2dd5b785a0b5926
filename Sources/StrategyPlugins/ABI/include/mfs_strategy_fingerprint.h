/* The SHA-256 of mfs_strategy.h as this release ships it. It tells which header a plugin was built with when something
 * does not fit; nothing is decided by it. A test holds it to the file. */
#ifndef MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT "7c24981e01cc22b4ad3ac305ed7b01fb2ed46d7a79d6ace70b1ce9c9d6898815"
#endif
