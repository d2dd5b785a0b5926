/*
 * mfs_gateway.h - sessions of a Couchbase Sync Gateway, for a plugin that is written in C. A helper like mfs_plugin.h.
 *
 * The manifest needs POST and DELETE to `setting:EXPO_PUBLIC_SG_URL`, the settings EXPO_PUBLIC_SG_URL and
 * EXPO_PUBLIC_SG_DB, and to close a session the use of auth.sessionId and auth.cookieName.
 */
#ifndef MFS_GATEWAY_H
#define MFS_GATEWAY_H

#include "mfs_plugin.h"

#include <stdio.h>

/* A session that was opened. */
typedef struct mfs_session {
    mfs_secret_t id;
    char cookie_name[128];
    int64_t expires; /* seconds since 1970; 0: not known */
} mfs_session_t;

/* ---- Reading an answer ------------------------------------------------------------------------------------------- */

typedef struct mfs_gateway_answer {
    int64_t status, retry_after, max_age, expires;
    char database[256];
    int is_named; /* the cookie has the gateway's usual name */
    char cookie_name[128];
    uint8_t cookie[1024];
    size_t length;
} mfs_gateway_answer_t;

static inline int mfs_lower(int byte) { return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte; }

/* Whether text begins so, in letters of either case. */
static inline int mfs_begins(const char *text, const char *with) {
    for (; *with; text++, with++)
        if (mfs_lower((uint8_t)*text) != mfs_lower((uint8_t)*with)) return 0;
    return 1;
}

/* The moment of a date of a cookie or of HTTP, `Fri, 04 Sep 2037 18:00:00 GMT`; 0 when it is none. timegm(3) would read
 * the time zone, which is a file. */
static inline int64_t mfs_date(const char *text) {
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    int day, year, hour, minute, second, month = 0;
    char name[4] = {0};
    if (sscanf(text, "%*3s, %2d%*1[- ]%3[A-Za-z]%*1[- ]%4d %2d:%2d:%2d", &day, name, &year, &hour, &minute, &second) != 6)
        return 0;
    for (int i = 0; i < 3; i++) name[i] = (char)mfs_lower((uint8_t)name[i]);
    while (month < 12 && memcmp(name, months + 3 * month, 3) != 0) month++;
    if (month == 12 || day < 1 || day > 31 || year < 1970 || hour > 23 || minute > 59 || second > 60) return 0;
    if (hour < 0 || minute < 0 || second < 0) return 0;
    /* Days since 1970 of a Gregorian date; the year begins in March, so that a leap day is its last. */
    int64_t y = month < 2 ? year - 1 : year, m = month < 2 ? month + 10 : month - 2;
    int64_t days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

/* Whole seconds, 0 to a year; -1 for anything else. */
static inline int64_t mfs_seconds(const char *text) {
    int64_t value = 0;
    if (*text == 0) return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return -1;
        value = value * 10 + (*text - '0');
        if (value > 31536000) return -1;
    }
    return value;
}

/* A Set-Cookie header (RFC 6265): the session's is the one of the usual name, or else the first for the database's path. */
static inline void mfs_take_cookie(mfs_gateway_answer_t *answer, char *line) {
    char *rest = strchr(line, ';');
    if (rest) *rest++ = 0;
    char *value = strchr(line, '=');
    if (!value || value == line) return;
    *value++ = 0;
    int is_named = strcmp(line, "SyncGatewaySession") == 0, is_own = 0;
    int64_t max_age = -1, expires = 0;
    while (rest && *rest) {
        char *attribute = rest;
        rest = strchr(attribute, ';');
        if (rest) *rest++ = 0;
        while (*attribute == ' ') attribute++;
        if (mfs_begins(attribute, "expires=")) expires = mfs_date(attribute + 8);
        if (mfs_begins(attribute, "max-age=")) max_age = mfs_seconds(attribute + 8);
        if (mfs_begins(attribute, "path=/")) is_own = strcmp(attribute + 6, answer->database) == 0;
    }
    if (answer->is_named ? !is_named : !is_named && (!is_own || answer->length > 0)) return;
    size_t length = strlen(value);
    if (length == 0 || length > sizeof answer->cookie || strlen(line) >= sizeof answer->cookie_name) return;
    memcpy(answer->cookie, value, length);
    memcpy(answer->cookie_name, line, strlen(line) + 1);
    answer->length = length;
    answer->is_named = is_named;
    answer->max_age = max_age;
    answer->expires = expires;
}

static inline void mfs_take_answer(void *context, mfs_record_t record) {
    mfs_gateway_answer_t *answer = (mfs_gateway_answer_t *)context;
    const mfs_pair_t *status = mfs_field(record, "status", MFS_INTEGER);
    const mfs_pair_t *headers = mfs_field(record, "headers", MFS_LIST);
    if (status) answer->status = status->number;
    for (uint32_t i = 0; headers && i < headers->list.count; i++) {
        const mfs_pair_t *header = mfs_at(headers->list, i);
        char line[2048];
        if (header->kind != MFS_TEXT || !mfs_copy(header->bytes, line, sizeof line)) continue;
        if (mfs_is(header->name, "retry-after")) answer->retry_after = mfs_seconds(line);
        if (mfs_is(header->name, "set-cookie")) mfs_take_cookie(answer, line);
        memset(line, 0, sizeof line);
    }
}

/* ---- Sessions ---------------------------------------------------------------------------------------------------- */

/* Makes a request to /DB/_session with a secret header. */
static inline int mfs_gateway_send(const mfs_plugin_t *plugin, const char *method, const char *header,
                                   mfs_secret_t value, mfs_gateway_answer_t *answer) {
    char base[512], url[1024];
    memset(answer, 0, sizeof *answer);
    answer->retry_after = answer->max_age = -1;
    if (!mfs_setting(plugin, "EXPO_PUBLIC_SG_URL", NULL, base, sizeof base)) return 0;
    if (!mfs_setting(plugin, "EXPO_PUBLIC_SG_DB", NULL, answer->database, sizeof answer->database)) return 0;
    for (const char *at = answer->database; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", *at))
            return mfs_fail(plugin, MFS_REASON_BAD_SETTINGS, "EXPO_PUBLIC_SG_DB is not the name of a database.");
    /* ws and wss are what a replicator speaks; a session is opened over http and https. */
    const char *rest = strstr(base, "://");
    if (!rest || !(mfs_begins(base, "ws") || mfs_begins(base, "http")))
        return mfs_fail(plugin, MFS_REASON_BAD_SETTINGS, "EXPO_PUBLIC_SG_URL is not a ws, wss, http or https URL.");
    size_t length = strlen(rest);
    while (length > 3 && rest[length - 1] == '/') length--;
    const char *scheme = rest > base && mfs_lower((uint8_t)rest[-1]) == 's' && !mfs_begins(base, "ws:") ? "https" : "http";
    snprintf(url, sizeof url, "%s%.*s/%s/_session", scheme, (int)length, rest, answer->database);
    mfs_pair_t headers[] = {mfs_secret_pair(header, value), mfs_text_pair("Accept", "application/json")};
    mfs_pair_t fields[] = {mfs_text_pair("method", method), mfs_text_pair("url", url),
                           mfs_list_pair("headers", headers, 2)};
    return mfs_make(plugin, MFS_EXTENSION_HTTP, offsetof(mfs_http_t, send), fields, 3, mfs_take_answer, answer);
}

/* Reports what a status that is no success means. Always 0. */
static inline int mfs_gateway_refusal(const mfs_plugin_t *plugin, const mfs_gateway_answer_t *answer) {
    char text[96];
    int64_t status = answer->status;
    mfs_reason_t reason = MFS_REASON_REFUSED;
    snprintf(text, sizeof text, "The gateway answered HTTP %lld.", (long long)status);
    if (status == 401) {
        reason = MFS_REASON_BAD_CREDENTIALS;
        snprintf(text, sizeof text, "The gateway rejected the credentials or the name of the database.");
    } else if (status == 408 || status == 425 || status == 429 || status >= 500) {
        reason = MFS_REASON_SERVER;
    }
    return mfs_fail_after(plugin, reason, mfs_text(text), status, answer->retry_after);
}

/* Opens a session with the value of an Authorization header: POST with an empty body. */
static inline int mfs_open_session(const mfs_plugin_t *plugin, mfs_secret_t authorization, mfs_session_t *session) {
    mfs_gateway_answer_t answer;
    if (!mfs_gateway_send(plugin, "POST", "Authorization", authorization, &answer)) return 0;
    if (answer.status < 200 || answer.status > 299) return mfs_gateway_refusal(plugin, &answer);
    if (answer.length == 0)
        return mfs_fail_after(plugin, MFS_REASON_PROTOCOL_VIOLATION, mfs_text("The gateway's answer has no session."),
                              answer.status, -1);
    session->expires = answer.expires;
    if (answer.max_age >= 0) {
        mfs_status_t status = plugin->host->now_wall(plugin->host->context, &session->expires);
        if (status != MFS_OK) return mfs_fail_by(plugin, status, mfs_text("The host's clock could not be read."));
        session->expires += answer.max_age;
    }
    memcpy(session->cookie_name, answer.cookie_name, sizeof session->cookie_name);
    mfs_pair_t bytes = mfs_pair("bytes", MFS_BYTES);
    bytes.bytes.ptr = answer.cookie;
    bytes.bytes.len = answer.length;
    int made = mfs_make_secret(plugin, MFS_EXTENSION_SECRET, offsetof(mfs_secret_extension_t, make), &bytes, 1, &session->id);
    plugin->host->wipe(plugin->host->context, answer.cookie, sizeof answer.cookie);
    return made;
}

/* The fields of a result that a session fills: 3 or 4 of them. Returns how many. */
static inline uint32_t mfs_session_fields(const mfs_session_t *session, mfs_pair_t fields[4]) {
    fields[0] = mfs_text_pair("session", "cookie");
    fields[1] = mfs_secret_pair("sessionId", session->id);
    fields[2] = mfs_text_pair("cookieName", session->cookie_name);
    fields[3] = mfs_number_pair("sessionExpiresAt", MFS_INSTANT, session->expires);
    return session->expires ? 4 : 3;
}

/* Closes the stored session and reports: DELETE with its cookie. One that the gateway does not know any more is closed. */
static inline void mfs_close_session(const mfs_plugin_t *plugin) {
    mfs_secret_t id, name, cookie;
    mfs_gateway_answer_t answer;
    if (!mfs_stored(plugin, "auth.sessionId", &id) || !mfs_stored(plugin, "auth.cookieName", &name)) return;
    if (id) {
        mfs_pair_t usual = mfs_text_pair("name", "SyncGatewaySession");
        mfs_pair_t parts[] = {name ? mfs_secret_pair("name", name) : usual, mfs_text_pair("equals", "="),
                              mfs_secret_pair("id", id)};
        if (!mfs_join(plugin, parts, 3, &cookie)) return;
        if (!mfs_gateway_send(plugin, "DELETE", "Cookie", cookie, &answer)) return;
        int is_gone = (answer.status >= 200 && answer.status <= 299) || answer.status == 401 || answer.status == 404;
        if (!is_gone) {
            mfs_gateway_refusal(plugin, &answer);
            return;
        }
    }
    mfs_succeed(plugin, NULL, 0);
}

#endif
