#ifndef MFS_CSQLITE_H
#define MFS_CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot read: SQLite makes its own copy of the bytes.
static inline int mfs_bind_text(sqlite3_stmt *statement, int index, const char *text, int size) {
    return sqlite3_bind_text(statement, index, text, size, SQLITE_TRANSIENT);
}

static inline int mfs_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int size) {
    return sqlite3_bind_blob(statement, index, bytes, size, SQLITE_TRANSIENT);
}

#endif
