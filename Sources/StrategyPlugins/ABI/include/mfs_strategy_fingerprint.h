/* The SHA-256 of mfs_strategy.h as this release ships it. It tells which header a plugin was built with when something
 * does not fit; nothing is decided by it. A test holds it to the file. */
#ifndef MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT_H
#define MFS_STRATEGY_FINGERPRINT "a2df718a6ac112dc8fd5e78ac2c5ce0e730333ba8827456cfeec720dbc2df1e3"
#endif
