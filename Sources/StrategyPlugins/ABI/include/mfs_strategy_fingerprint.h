/* The SHA-256 of mfs_strategy.h as this release ships it. It tells which header a plugin was built with when something
 * does not fit; nothing is decided by it. A test holds it to the file. */
#ifndef MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT "ad09d8b554178ff87945761101f9e8016ebb7f6745ce206666a8105658417ae3"
#endif
