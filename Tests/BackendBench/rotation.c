// rotation DATABASE SECONDS BATCH: refresh tokens rotated by a plain C loop, so many to one durable commit, on a schema like the
// backend's: one indexed look, one update, one insert. Prints how many a second. With BATCH 0: writes of 4 KiB, each synced.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "rotation: %s\n", what);
    exit(1);
}

static void synced_writes(const char *path, double seconds) {
    char block[4096];
    int file = open(path, O_CREAT | O_RDWR, 0600);
    long count = 0;
    double end = now() + seconds, start = now();
    if (file < 0) fail("cannot make the file");
    memset(block, 7, sizeof block);
    while (now() < end) {
        if (pwrite(file, block, sizeof block, (count % 256) * 4096) != sizeof block || fdatasync(file) != 0) fail("cannot write");
        count++;
    }
    printf("%.0f\n", count / (now() - start));
}

int main(int argc, char **argv) {
    enum { families = 1000 };
    sqlite3 *db;
    sqlite3_stmt *look, *update, *insert;
    unsigned char hash[32] = {0};
    long count = 0;
    if (argc != 4) fail("usage: rotation DATABASE SECONDS BATCH");
    double seconds = atof(argv[2]);
    int batch = atoi(argv[3]);
    if (batch == 0) return synced_writes(argv[1], seconds), 0;
    if (sqlite3_open(argv[1], &db) != SQLITE_OK) fail("cannot open the database");
    if (sqlite3_exec(db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                     "CREATE TABLE family (number INTEGER PRIMARY KEY, handle BLOB UNIQUE, user TEXT, client TEXT, device TEXT, scopes TEXT,"
                     " generation INTEGER, used_at INTEGER, current BLOB, previous BLOB);"
                     "CREATE TABLE spent (family INTEGER, hash BLOB, PRIMARY KEY (family, hash)) WITHOUT ROWID; BEGIN;",
                     NULL, NULL, NULL) != SQLITE_OK)
        fail(sqlite3_errmsg(db));
    for (int i = 0; i < families; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "INSERT INTO family VALUES (%d, randomblob(16), 'user_%d', 'mobile', 'device-%d', 'openid profile offline_access', 0, 0,"
                 " randomblob(32), randomblob(32))",
                 i, i, i);
        if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(db));
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    unsigned char handles[families][16];
    sqlite3_prepare_v2(db, "SELECT number, handle FROM family", -1, &look, NULL);
    while (sqlite3_step(look) == SQLITE_ROW) memcpy(handles[sqlite3_column_int(look, 0)], sqlite3_column_blob(look, 1), 16);
    sqlite3_finalize(look);
    sqlite3_prepare_v2(db, "SELECT number, user, client, device, scopes, generation, current FROM family WHERE handle = ?", -1, &look, NULL);
    sqlite3_prepare_v2(
        db, "UPDATE family SET generation = generation + 1, used_at = ?, previous = current, current = ? WHERE number = ? AND generation = ?", -1,
        &update, NULL);
    sqlite3_prepare_v2(db, "INSERT INTO spent VALUES (?, ?)", -1, &insert, NULL);
    double start = now(), end = start + seconds;
    while (now() < end) {
        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        for (int i = 0; i < batch; i++, count++) {
            int family = (int)(count % families);
            memcpy(hash, &count, sizeof count);
            hash[31] = (unsigned char)rand();
            sqlite3_bind_blob(look, 1, handles[family], 16, SQLITE_STATIC);
            if (sqlite3_step(look) != SQLITE_ROW) fail("a family is gone");
            sqlite3_bind_int64(update, 1, time(NULL));
            sqlite3_bind_blob(update, 2, hash, 32, SQLITE_STATIC);
            sqlite3_bind_int(update, 3, sqlite3_column_int(look, 0));
            sqlite3_bind_int64(update, 4, sqlite3_column_int64(look, 5));
            sqlite3_bind_int(insert, 1, family);
            sqlite3_bind_blob(insert, 2, sqlite3_column_blob(look, 6), 32, SQLITE_TRANSIENT);
            if (sqlite3_step(update) != SQLITE_DONE || sqlite3_step(insert) != SQLITE_DONE) fail(sqlite3_errmsg(db));
            sqlite3_reset(look);
            sqlite3_reset(update);
            sqlite3_reset(insert);
        }
        if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(db));
    }
    printf("%.0f\n", count / (now() - start));
    return 0;
}
