#ifndef MFS_CSQLITE_H
#define MFS_CSQLITE_H

#include <sqlite3.h>
#include <stdint.h>
#include <time.h>

// SQLITE_TRANSIENT is a cast that Swift cannot read: SQLite makes its own copy of the bytes.
static inline int mfs_bind_text(sqlite3_stmt *statement, int index, const void *text, int size) {
    return sqlite3_bind_text(statement, index, text ? (const char *)text : "", size, SQLITE_TRANSIENT);
}

static inline int mfs_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int size) {
    // A null pointer would be NULL, not an empty value.
    return size == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                     : sqlite3_bind_blob(statement, index, bytes, size, SQLITE_TRANSIENT);
}

// What is done while another process has the lock: sleep and try again, in short steps at first, until the time is over.
// SQLite's own handler soon sleeps 100 ms at a time, far longer than any of our transactions.
static inline int mfs_wait_when_busy(void *milliseconds, int tries) {
    long limit = (long)(intptr_t)milliseconds, waited = tries < 200 ? tries / 2 : 100 + (tries - 200) * 5L;
    if (waited >= limit) return 0;
    struct timespec pause = {0, tries < 200 ? 500000 : 5000000};
    nanosleep(&pause, 0);
    return 1;
}

static inline int mfs_set_busy_limit(sqlite3 *database, int milliseconds) {
    return sqlite3_busy_handler(database, mfs_wait_when_busy, (void *)(intptr_t)milliseconds);
}

// How many pages the write-ahead log has after each commit of this connection's. SQLite then writes none of them back by itself.
static inline int mfs_note_log(void *pages, sqlite3 *database, const char *name, int count) {
    (void)database;
    (void)name;
    *(int *)pages = count;
    return SQLITE_OK;
}

static inline void mfs_watch_log(sqlite3 *database, int *pages) { sqlite3_wal_hook(database, mfs_note_log, pages); }

#endif
