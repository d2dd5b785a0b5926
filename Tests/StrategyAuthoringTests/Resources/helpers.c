// Calls the helpers for plugins in C with what is right, what is at the edge and what is wrong.
#include "mfs_gateway.h"
#include "mfs_plugin.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("line %d: %s\n", __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

static void dates(void) {
    CHECK(mfs_date("Thu, 01 Jan 1970 00:00:00 GMT") == 0);
    CHECK(mfs_date("Thu, 01 Jan 1970 00:00:01 GMT") == 1);
    CHECK(mfs_date("Fri, 04 Sep 2037 18:00:00 GMT") == 2135700000);
    CHECK(mfs_date("Fri, 04-Sep-2037 18:00:00 GMT") == 2135700000);
    CHECK(mfs_date("Tue, 29 Feb 2028 23:59:59 GMT") == 1835481599);
    CHECK(mfs_date("Wed, 01 MAR 2028 00:00:00 GMT") == 1835481600);
    CHECK(mfs_date("Fri, 31 Dec 9999 23:59:59 GMT") == 253402300799);
    CHECK(mfs_date("") == 0 && mfs_date("soon") == 0 && mfs_date("Fri, 04 Sep") == 0);
    CHECK(mfs_date("Fri, 04 Xyz 2037 18:00:00 GMT") == 0);
    CHECK(mfs_date("Fri, 32 Jan 2037 18:00:00 GMT") == 0 && mfs_date("Fri, 04 Jan 2037 24:00:00 GMT") == 0);
    CHECK(mfs_date("Fri, -1 Jan 2037 18:00:00 GMT") == 0 && mfs_date("Fri, 04 Jan 1900 18:00:00 GMT") == 0);
    CHECK(mfs_seconds("0") == 0 && mfs_seconds("31536000") == 31536000 && mfs_seconds("31536001") == -1);
    CHECK(mfs_seconds("") == -1 && mfs_seconds("-1") == -1 && mfs_seconds("99999999999999999999") == -1);
}

static mfs_gateway_answer_t take(const char *const lines[], uint32_t count, uint32_t spacing) {
    static mfs_gateway_answer_t answer;
    memset(&answer, 0, sizeof answer);
    answer.max_age = answer.retry_after = -1;
    strcpy(answer.database, "mfs");
    // Larger pairs, as a host that has grown has them.
    uint32_t size = sizeof(mfs_pair_t) + spacing;
    uint8_t *pairs = malloc((size_t)size * (count ? count : 1));
    for (uint32_t i = 0; i < count; i++) {
        mfs_pair_t pair = mfs_text_pair("set-cookie", lines[i]);
        memset(pairs + (size_t)i * size, 0xA5, size);
        memcpy(pairs + (size_t)i * size, &pair, sizeof pair);
    }
    mfs_pair_t fields[] = {mfs_number_pair("status", MFS_INTEGER, 200), mfs_pair("headers", MFS_LIST)};
    fields[1].list.pairs = (const void *)pairs;
    fields[1].list.count = count;
    fields[1].list.pair_size = size;
    mfs_take_answer(&answer, mfs_record(fields, 2));
    free(pairs);
    return answer;
}

static void cookies(void) {
    const char *one[] = {"SyncGatewaySession=abc; Path=/mfs; Expires=Fri, 04 Sep 2037 18:00:00 GMT; HttpOnly"};
    for (uint32_t spacing = 0; spacing <= 64; spacing += 32) {
        mfs_gateway_answer_t answer = take(one, 1, spacing);
        CHECK(answer.length == 3 && memcmp(answer.cookie, "abc", 3) == 0 && answer.expires == 2135700000);
        CHECK(strcmp(answer.cookie_name, "SyncGatewaySession") == 0 && answer.status == 200 && answer.max_age == -1);
    }
    const char *two[] = {"other=x; path=/mfs; max-age=60", "SyncGatewaySession=y", "late=z; path=/mfs"};
    mfs_gateway_answer_t answer = take(two, 3, 0);
    CHECK(answer.length == 1 && answer.cookie[0] == 'y' && answer.max_age == -1);
    answer = take(two, 1, 0);
    CHECK(answer.cookie[0] == 'x' && answer.max_age == 60 && strcmp(answer.cookie_name, "other") == 0);
    const char *none[] = {"", "=", "=x", "SyncGatewaySession=", "SyncGatewaySession", "a=b; path=/other", ";;;", "a=b"};
    CHECK(take(none, 8, 0).length == 0);
    static char wide[3000] = "SyncGatewaySession=";
    memset(wide + 19, 'x', sizeof wide - 20);
    const char *huge[] = {wide};
    CHECK(take(huge, 1, 0).length == 0);
    wide[19 + 1024] = 0;
    CHECK(take(huge, 1, 0).length == 1024);
    wide[19 + 1024] = 'x';
    wide[19 + 1025] = 0;
    CHECK(take(huge, 1, 0).length == 0);
}

// A host with one extension, which answers a message and keeps what was reported.
static struct {
    mfs_status_t status;
    const char *message;
    uint32_t reason;
    char said[300];
    uint64_t said_length;
    uint32_t table_size;
} host_state;

static mfs_status_t answer_call(void *context, mfs_record_t request, const mfs_receiver_t *receiver) {
    (void)context;
    (void)request;
    mfs_pair_t field = mfs_text_pair("message", host_state.message);
    receiver->receive(receiver->context, mfs_record(&field, 1));
    return host_state.status;
}

static const void *get_extension(void *context, mfs_slice_t name) {
    (void)context;
    static mfs_vault_t table;
    if (!mfs_is(name, MFS_EXTENSION_VAULT)) return NULL;
    table.struct_size = host_state.table_size;
    table.use = table.read = table.store = answer_call;
    return &table;
}

static void reported(void *context, const mfs_failure_t *failure) {
    (void)context;
    host_state.reason = failure->reason;
    host_state.said_length = failure->message.len;
    CHECK(failure->message.len < sizeof host_state.said);
    if (failure->message.len) memcpy(host_state.said, failure->message.ptr, failure->message.len);
}

static void calls(void) {
    mfs_host_t host = {.struct_size = sizeof host, .get_extension = get_extension};
    mfs_sink_t sink = {.struct_size = sizeof sink, .failure = reported};
    mfs_pair_t settings[] = {mfs_text_pair("A", "value"), mfs_text_pair("EMPTY", "")};
    mfs_call_t call = {.struct_size = sizeof call, .settings = {settings, 2, sizeof *settings}};
    mfs_plugin_t plugin = {&host, &call, &sink};
    char text[6];
    mfs_secret_t secret;
    CHECK(mfs_setting(&plugin, "A", NULL, text, 6) && strcmp(text, "value") == 0);
    CHECK(!mfs_setting(&plugin, "A", NULL, text, 5) && host_state.reason == MFS_REASON_BAD_SETTINGS);
    CHECK(!mfs_setting(&plugin, "B", NULL, text, 6) && !mfs_setting(&plugin, "EMPTY", NULL, text, 6));
    CHECK(mfs_setting(&plugin, "B", "", text, 6) && text[0] == 0);
    CHECK(mfs_setting(&plugin, "EMPTY", "x", text, 6) && strcmp(text, "x") == 0);
    char name[6] = "ab\0cd";
    mfs_slice_t nul = {(const uint8_t *)name, 5};
    CHECK(!mfs_copy(nul, text, sizeof text));

    host_state.table_size = sizeof(mfs_vault_t);
    host_state.message = "said";
    host_state.status = MFS_NOT_FOUND;
    CHECK(mfs_stored(&plugin, "auth.password", &secret) && secret == 0);
    host_state.status = MFS_DENIED;
    CHECK(!mfs_stored(&plugin, "auth.password", &secret) && host_state.reason == MFS_REASON_DENIED);
    CHECK(host_state.said_length == 4 && memcmp(host_state.said, "said", 4) == 0);
    // A text that is cut is cut between characters: 255 bytes, and then one of two bytes.
    static char wide[300];
    memset(wide, 'x', 255);
    strcpy(wide + 255, "\xC3\xA9\xC3\xA9");
    host_state.message = wide;
    CHECK(!mfs_stored(&plugin, "auth.password", &secret) && host_state.said_length == 255);
    // A host that is older than the call.
    host_state.table_size = 8;
    CHECK(!mfs_stored(&plugin, "auth.password", &secret) && host_state.reason == MFS_REASON_INTERNAL);
    CHECK(!mfs_ask(&plugin, "?", text, sizeof text) && host_state.reason == MFS_REASON_INTERNAL);
}

int main(void) {
    dates();
    cookies();
    calls();
    puts("done");
}
