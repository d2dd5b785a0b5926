// A plugin that is right but for one fault, chosen by -DFAULT_...; without one it is right. It signs in by a stored value, a secret
// question and one request, so that there is a call of each kind to go wrong at.
#include "mfs_strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mfs_host_t *host;
static const mfs_sink_t *sink;

static mfs_slice_t text(const char *s) { return (mfs_slice_t){(const uint8_t *)s, strlen(s)}; }

// What an answer brought: copies, since an answer is lent for the call only.
struct answer {
    char value[128];
    uint64_t length;
    mfs_secret_t secret;
    int64_t status;
};

static int is(mfs_slice_t name, const char *known) {
    return name.len == strlen(known) && memcmp(name.ptr, known, name.len) == 0;
}

static void receive(void *context, mfs_record_t record) {
    struct answer *answer = context;
    for (uint32_t i = 0; i < record.count; i++) {
#ifdef FAULT_GROWTH
        const mfs_pair_t *pair = record.pairs + i;
#else
        const mfs_pair_t *pair = (const void *)((const char *)record.pairs + (size_t)i * record.pair_size);
#endif
#ifdef FAULT_GREASE
        if (is(pair->name, "x-unknown")) abort();
#endif
        if (pair->kind == MFS_SECRET && is(pair->name, "secret")) answer->secret = pair->secret;
        if (pair->kind == MFS_INTEGER && is(pair->name, "status")) answer->status = pair->number;
        if (pair->kind == MFS_BYTES) {
#ifdef FAULT_OVERSIZE
            volatile char small[4096];
            for (uint64_t at = 0; at < pair->bytes.len; at++) small[at] = (char)pair->bytes.ptr[at];
#endif
#ifdef FAULT_UTF8
            for (uint64_t at = 0; at < pair->bytes.len; at++)
                if (pair->bytes.ptr[at] == 0xFF) abort();
#endif
            answer->length = pair->bytes.len < sizeof answer->value - 1 ? pair->bytes.len : sizeof answer->value - 1;
            memcpy(answer->value, pair->bytes.ptr, answer->length);
        }
    }
}

static void fail(mfs_reason_t reason, const char *message) {
    mfs_failure_t failure = {sizeof failure, reason, text(message), 0, -1};
    sink->failure(sink->context, &failure);
}

static void fail_by(mfs_status_t status) {
#ifdef FAULT_DEADLINE
    if (status == MFS_TIMEOUT) for (;;) (void)host->is_cancelled(host->context);
#endif
#ifdef FAULT_STATUSES
    if (status == MFS_UNTRUSTED) return;
#endif
    switch (status) {
#ifndef FAULT_CANCEL
    case MFS_CANCELLED: fail(MFS_REASON_CANCELLED, "cancelled"); break;
#endif
    case MFS_DENIED: fail(MFS_REASON_DENIED, "denied"); break;
    default: fail(MFS_REASON_NETWORK, "it did not work"); break;
    }
}

// Every extension begins with its size and a reserved word, and then its calls.
static mfs_status_t call(const char *extension, int number, mfs_pair_t *pairs, uint32_t count, struct answer *answer) {
    const char *table = host->get_extension(host->context, text(extension));
#ifndef FAULT_EXTENSIONS
    if (!table) return MFS_DENIED;
#endif
    mfs_host_call_t function;
    memcpy(&function, table + 8 + number * sizeof function, sizeof function);
    mfs_receiver_t receiver = {sizeof receiver, 0, answer, receive};
    memset(answer, 0, sizeof *answer);
    return function(host->context, (mfs_record_t){pairs, count, sizeof *pairs}, &receiver);
}

// What is wrong with memory, and goes unnoticed without the sanitizer.
#if defined FAULT_OVERFLOW || defined FAULT_LEAK || defined FAULT_FREED
static char *copy_of(const struct answer *answer) {
    char *copy = malloc(answer->length ? answer->length : 1);
    if (!copy) abort();
    memcpy(copy, answer->value, answer->length);
    return copy;
}
static volatile char seen;
#endif

#if defined FAULT_REPEATABLE || defined FAULT_CYCLES
#include <sys/random.h>
// False in one of so many runs.
static int lucky(unsigned of) {
    unsigned number = 1;
    return getrandom(&number, sizeof number, 0) != sizeof number || number % of != 0;
}
#endif

static void login(const mfs_host_t *given, const mfs_call_t *request, const mfs_sink_t *reports) {
    (void)request;
    host = given;
    sink = reports;
    struct answer stored, asked, got;
    mfs_pair_t name = {.name = text("name"), .kind = MFS_TEXT, .bytes = text("auth.password")};
    mfs_status_t status = call(MFS_EXTENSION_VAULT, 1, &name, 1, &stored);
    if (status) { fail_by(status); return; }
#ifdef FAULT_OVERFLOW
    char *value = copy_of(&stored);
    seen = value[stored.length ? stored.length : 1];
    free(value);
#endif
#ifdef FAULT_FREED
    char *value = copy_of(&stored);
    free(value);
    seen = value[0];
#endif
#ifdef FAULT_LEAK
    seen = copy_of(&stored)[0];
#endif
    mfs_pair_t question[] = {
        {.name = text("text"), .kind = MFS_TEXT, .bytes = text("PIN")},
        {.name = text("secret"), .kind = MFS_BOOLEAN, .number = 1},
    };
    status = call(MFS_EXTENSION_PROMPT, 0, question, 2, &asked);
    if (status) { fail_by(status); return; }
    mfs_pair_t post[] = {
        {.name = text("method"), .kind = MFS_TEXT, .bytes = text("POST")},
        {.name = text("url"), .kind = MFS_TEXT, .bytes = text("https://sg.example.invalid/")},
        {.name = text("body"), .kind = MFS_SECRET, .secret = asked.secret},
    };
    status = call(MFS_EXTENSION_HTTP, 0, post, 3, &got);
    if (status) { fail_by(status); return; }
    if (got.status != 200 || asked.secret == 0) { fail(MFS_REASON_PROTOCOL_VIOLATION, "not understood"); return; }
#ifdef FAULT_SECRETS
    host->log(host->context, MFS_LOG_INFO, (mfs_slice_t){(const uint8_t *)stored.value, stored.length});
#endif
    mfs_pair_t result[] = {
        {.name = text("identifier"), .kind = MFS_TEXT, .bytes = text("alice")},
        {.name = text("session"), .kind = MFS_TEXT, .bytes = text("none")},
        {.name = text("password"), .kind = MFS_SECRET, .secret = asked.secret},
    };
#ifdef FAULT_RESULT
    result[0].name = text("who");
#endif
#ifdef FAULT_REPEATABLE
    // Half of all runs go wrong: what the host's clock does not decide is not the same twice.
    if (!lucky(2)) { fail(MFS_REASON_INTERNAL, "no luck"); return; }
#endif
#ifdef FAULT_CYCLES
    if (!lucky(256)) { fail(MFS_REASON_INTERNAL, "no luck"); return; }
#endif
#ifdef FAULT_NO_REPORT
    (void)result;
#else
    sink->success(sink->context, (mfs_record_t){result, 3, sizeof *result});
#endif
#ifdef FAULT_TWO_REPORTS
    sink->success(sink->context, (mfs_record_t){result, 3, sizeof *result});
#endif
}

static const mfs_strategy_t table = {
    .struct_size = sizeof table, .abi_version = MFS_STRATEGY_ABI_VERSION, .name = {(const uint8_t *)"probe", 5},
    .version = {(const uint8_t *)"1", 1}, .login = login,
};

MFS_EXPORT const mfs_strategy_t *mfs_strategy_entry(uint32_t newest_version) {
    return newest_version >= 1 ? &table : NULL;
}
