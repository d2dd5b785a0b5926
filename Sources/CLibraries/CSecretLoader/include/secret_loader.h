// libsecret, loaded when a vault in the keyring is first opened. The loader's work on it and on the ten libraries below it
// is two milliseconds of each start, for a backend that most profiles do not have.
#ifndef MFS_SECRET_LOADER_H
#define MFS_SECRET_LOADER_H

// Loads libsecret and binds what is called of it; must have returned NULL before the first call of any of its functions.
// Otherwise a text of static storage that says what is missing. Safe to call again and from several threads.
const char *mfs_secret_load(void);

#endif
