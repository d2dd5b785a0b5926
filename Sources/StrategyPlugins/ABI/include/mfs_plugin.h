/*
 * mfs_plugin.h - helpers for a plugin that is written in C, over mfs_strategy.h.
 *
 * A plugin may do without: nothing here is part of the interface. Nothing allocates, and what an answer brings is copied
 * into buffers of the caller's. A function that returns int returns 1 when it is done; when it returns 0 it has reported
 * the failure already, and all that is left to do is to return:
 *
 *     if (!mfs_ask(&plugin, "User name", identifier, sizeof identifier)) return;
 */
#ifndef MFS_PLUGIN_H
#define MFS_PLUGIN_H

#include "mfs_strategy.h"

#include <stddef.h>
#include <string.h>

/* What an operation was called with. */
typedef struct mfs_plugin {
    const mfs_host_t *host;
    const mfs_call_t *call;
    const mfs_sink_t *sink;
} mfs_plugin_t;

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static inline mfs_slice_t mfs_text(const char *text) {
    mfs_slice_t slice = {(const uint8_t *)text, strlen(text)};
    return slice;
}

static inline int mfs_is(mfs_slice_t slice, const char *text) {
    return slice.len == strlen(text) && (slice.len == 0 || memcmp(slice.ptr, text, slice.len) == 0);
}

/* Copies text as a C string. 0 when it is longer than the buffer, or has a NUL in it; nothing is reported. */
static inline int mfs_copy(mfs_slice_t from, char *to, size_t size) {
    if (from.len >= size || (from.len > 0 && memchr(from.ptr, 0, from.len))) return 0;
    if (from.len > 0) memcpy(to, from.ptr, from.len);
    to[from.len] = 0;
    return 1;
}

static inline mfs_pair_t mfs_pair(const char *name, mfs_kind_t kind) {
    mfs_pair_t pair;
    memset(&pair, 0, sizeof pair);
    pair.name = mfs_text(name);
    pair.kind = kind;
    return pair;
}

static inline mfs_pair_t mfs_text_pair(const char *name, const char *text) {
    mfs_pair_t pair = mfs_pair(name, MFS_TEXT);
    pair.bytes = mfs_text(text);
    return pair;
}

static inline mfs_pair_t mfs_secret_pair(const char *name, mfs_secret_t secret) {
    mfs_pair_t pair = mfs_pair(name, MFS_SECRET);
    pair.secret = secret;
    return pair;
}

/* An integer, a boolean or an instant. */
static inline mfs_pair_t mfs_number_pair(const char *name, mfs_kind_t kind, int64_t number) {
    mfs_pair_t pair = mfs_pair(name, kind);
    pair.number = number;
    return pair;
}

static inline mfs_record_t mfs_record(const mfs_pair_t *pairs, uint32_t count) {
    mfs_record_t record = {pairs, count, (uint32_t)sizeof *pairs};
    return record;
}

static inline mfs_pair_t mfs_list_pair(const char *name, const mfs_pair_t *pairs, uint32_t count) {
    mfs_pair_t pair = mfs_pair(name, MFS_LIST);
    pair.list = mfs_record(pairs, count);
    return pair;
}

/* The pair of a number. A host that has grown has larger pairs, so they are never stepped over by sizeof. */
static inline const mfs_pair_t *mfs_at(mfs_record_t record, uint32_t index) {
    return (const mfs_pair_t *)(const void *)((const uint8_t *)record.pairs + (size_t)index * record.pair_size);
}

/* The first value of a name and a kind; null when there is none. */
static inline const mfs_pair_t *mfs_field(mfs_record_t record, const char *name, mfs_kind_t kind) {
    for (uint32_t i = 0; i < record.count; i++)
        if (mfs_at(record, i)->kind == kind && mfs_is(mfs_at(record, i)->name, name)) return mfs_at(record, i);
    return NULL;
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

/* Reports a failure with the HTTP status that led to it (0: none) and the seconds to wait (-1: unknown). Always 0. */
static inline int mfs_fail_after(const mfs_plugin_t *plugin, mfs_reason_t reason, mfs_slice_t message, int64_t status,
                                 int64_t retry_after) {
    mfs_failure_t failure = {(uint32_t)sizeof failure, reason, message, status, retry_after};
    plugin->sink->failure(plugin->sink->context, &failure);
    return 0;
}

/* Reports a failure. Always 0. */
static inline int mfs_fail(const mfs_plugin_t *plugin, mfs_reason_t reason, const char *message) {
    return mfs_fail_after(plugin, reason, mfs_text(message), 0, -1);
}

/* Reports what a status other than MFS_OK means. Always 0. */
static inline int mfs_fail_by(const mfs_plugin_t *plugin, mfs_status_t status, mfs_slice_t message) {
    mfs_reason_t reason = MFS_REASON_INTERNAL;
    switch (status) {
    case MFS_DENIED: reason = MFS_REASON_DENIED; break;
    case MFS_CANCELLED: reason = MFS_REASON_CANCELLED; break;
    case MFS_TIMEOUT:
    case MFS_NETWORK: reason = MFS_REASON_NETWORK; break;
    case MFS_NOBODY: reason = MFS_REASON_INTERACTION_NEEDED; break;
    case MFS_TOO_LARGE:
    case MFS_PROTOCOL_VIOLATION: reason = MFS_REASON_PROTOCOL_VIOLATION; break;
    case MFS_UNTRUSTED: reason = MFS_REASON_REFUSED; break;
    default: break;
    }
    if (message.len == 0) message = mfs_text("A call of the host failed.");
    return mfs_fail_after(plugin, reason, message, 0, -1);
}

/* Reports the result. */
static inline void mfs_succeed(const mfs_plugin_t *plugin, const mfs_pair_t *fields, uint32_t count) {
    plugin->sink->success(plugin->sink->context, mfs_record(fields, count));
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Takes what it needs out of an answer, which is lent for the call only. */
typedef void (*mfs_take_t)(void *context, mfs_record_t answer);

typedef struct mfs_answer {
    mfs_take_t take;
    void *context;
    uint64_t length;
    uint8_t message[256];
} mfs_answer_t;

static inline void mfs_receive(void *context, mfs_record_t record) {
    mfs_answer_t *answer = (mfs_answer_t *)context;
    const mfs_pair_t *message = mfs_field(record, "message", MFS_TEXT);
    if (message) {
        answer->length = message->bytes.len < sizeof answer->message ? message->bytes.len : sizeof answer->message;
        /* A character that was cut goes altogether. */
        if (answer->length < message->bytes.len)
            while (answer->length > 0 && (message->bytes.ptr[answer->length] & 0xC0) == 0x80) answer->length--;
        if (answer->length > 0) memcpy(answer->message, message->bytes.ptr, answer->length);
    }
    if (answer->take) answer->take(answer->context, record);
}

/* Makes the call that stands at `offset` in the table of an extension. Returns its status, and reports nothing. */
static inline mfs_status_t mfs_try(const mfs_plugin_t *plugin, const char *extension, size_t offset,
                                   const mfs_pair_t *fields, uint32_t count, mfs_answer_t *answer) {
    const void *table = plugin->host->get_extension(plugin->host->context, mfs_text(extension));
    mfs_host_call_t function;
    mfs_receiver_t receiver = {(uint32_t)sizeof receiver, 0, answer, mfs_receive};
    uint32_t size = 0;
    if (table) memcpy(&size, table, sizeof size);
    if (size < offset + sizeof function) {
        static const char why[] = "This plugin needs a newer mfsctl.";
        memcpy(answer->message, why, sizeof why - 1);
        answer->length = sizeof why - 1;
        return MFS_INTERNAL;
    }
    memcpy(&function, (const uint8_t *)table + offset, sizeof function);
    return function(plugin->host->context, mfs_record(fields, count), &receiver);
}

/* The same, and reports what is not MFS_OK: mfs_make(&plugin, MFS_EXTENSION_HTTP, offsetof(mfs_http_t, send), ...). */
static inline int mfs_make(const mfs_plugin_t *plugin, const char *extension, size_t offset, const mfs_pair_t *fields,
                           uint32_t count, mfs_take_t take, void *context) {
    mfs_answer_t answer = {take, context, 0, {0}};
    mfs_status_t status = mfs_try(plugin, extension, offset, fields, count, &answer);
    mfs_slice_t message = {answer.message, answer.length};
    return status == MFS_OK ? 1 : mfs_fail_by(plugin, status, message);
}

static inline void mfs_take_secret(void *context, mfs_record_t answer) {
    const mfs_pair_t *field = mfs_field(answer, "secret", MFS_SECRET);
    if (field) *(mfs_secret_t *)context = field->secret;
}

/* A call whose answer is a secret. */
static inline int mfs_make_secret(const mfs_plugin_t *plugin, const char *extension, size_t offset,
                                  const mfs_pair_t *fields, uint32_t count, mfs_secret_t *secret) {
    *secret = 0;
    if (!mfs_make(plugin, extension, offset, fields, count, mfs_take_secret, secret)) return 0;
    return *secret ? 1 : mfs_fail(plugin, MFS_REASON_INTERNAL, "The host's answer has no secret.");
}

/* ---- What most strategies ask ------------------------------------------------------------------------------------ */

/* A setting, or `otherwise` when it is absent; a null `otherwise` means that it must be there. */
static inline int mfs_setting(const mfs_plugin_t *plugin, const char *name, const char *otherwise, char *to, size_t size) {
    const mfs_pair_t *field = mfs_field(plugin->call->settings, name, MFS_TEXT);
    mfs_slice_t value = mfs_text(otherwise ? otherwise : "");
    if (field && field->bytes.len > 0) value = field->bytes;
    if (value.len > 0 && mfs_copy(value, to, size)) return 1;
    if (value.len == 0 && otherwise) return mfs_copy(value, to, size);
    return mfs_fail(plugin, MFS_REASON_BAD_SETTINGS,
                    value.len > 0 ? "A setting is too long." : "A setting that is required is missing.");
}

typedef struct mfs_typed {
    char *to;
    size_t size;
    int fits;
} mfs_typed_t;

static inline void mfs_take_text(void *context, mfs_record_t answer) {
    mfs_typed_t *typed = (mfs_typed_t *)context;
    const mfs_pair_t *field = mfs_field(answer, "text", MFS_TEXT);
    if (field) typed->fits = mfs_copy(field->bytes, typed->to, typed->size);
}

/* Asks a person for what may be seen. */
static inline int mfs_ask(const mfs_plugin_t *plugin, const char *question, char *to, size_t size) {
    mfs_pair_t fields[] = {mfs_text_pair("text", question), mfs_number_pair("secret", MFS_BOOLEAN, 0)};
    mfs_typed_t typed = {to, size, 0};
    if (!mfs_make(plugin, MFS_EXTENSION_PROMPT, offsetof(mfs_prompt_t, ask), fields, 2, mfs_take_text, &typed)) return 0;
    return typed.fits ? 1 : mfs_fail(plugin, MFS_REASON_BAD_CREDENTIALS, "What was typed is too long.");
}

/* Who signs in: as the command line said, or as a person says. Never empty. */
static inline int mfs_identifier(const mfs_plugin_t *plugin, const char *question, char *to, size_t size) {
    mfs_slice_t given = plugin->call->identifier;
    if (given.ptr && given.len > 0) {
        if (!mfs_copy(given, to, size)) return mfs_fail(plugin, MFS_REASON_BAD_CREDENTIALS, "The name is too long.");
    } else if (!mfs_ask(plugin, question, to, size)) {
        return 0;
    }
    return to[0] ? 1 : mfs_fail(plugin, MFS_REASON_BAD_CREDENTIALS, "The name is empty.");
}

static inline void mfs_take_typed_secret(void *context, mfs_record_t answer) {
    const mfs_pair_t *empty = mfs_field(answer, "empty", MFS_BOOLEAN);
    if (!empty || empty->number == 0) mfs_take_secret(context, answer);
}

/* Asks a person for a secret, which the plugin does not get to see. Never empty. */
static inline int mfs_ask_secret(const mfs_plugin_t *plugin, const char *question, mfs_secret_t *secret) {
    mfs_pair_t fields[] = {mfs_text_pair("text", question), mfs_number_pair("secret", MFS_BOOLEAN, 1)};
    *secret = 0;
    if (!mfs_make(plugin, MFS_EXTENSION_PROMPT, offsetof(mfs_prompt_t, ask), fields, 2, mfs_take_typed_secret, secret))
        return 0;
    return *secret ? 1 : mfs_fail(plugin, MFS_REASON_BAD_CREDENTIALS, "Nothing was typed.");
}

/* A stored value, to be used and not seen; 0 in `secret` when nothing is stored. */
static inline int mfs_stored(const mfs_plugin_t *plugin, const char *name, mfs_secret_t *secret) {
    mfs_pair_t fields[] = {mfs_text_pair("name", name)};
    mfs_answer_t answer = {mfs_take_secret, secret, 0, {0}};
    *secret = 0;
    mfs_status_t status = mfs_try(plugin, MFS_EXTENSION_VAULT, offsetof(mfs_vault_t, use), fields, 1, &answer);
    mfs_slice_t message = {answer.message, answer.length};
    return status == MFS_OK || status == MFS_NOT_FOUND ? 1 : mfs_fail_by(plugin, status, message);
}

/* The parts, texts and secrets, as one secret. */
static inline int mfs_join(const mfs_plugin_t *plugin, const mfs_pair_t *parts, uint32_t count, mfs_secret_t *secret) {
    mfs_pair_t fields[] = {mfs_list_pair("parts", parts, count)};
    return mfs_make_secret(plugin, MFS_EXTENSION_SECRET, offsetof(mfs_secret_extension_t, join), fields, 1, secret);
}

/* The value of an Authorization header (RFC 7617). `identifier` is a text or a secret of that name. */
static inline int mfs_basic(const mfs_plugin_t *plugin, mfs_pair_t identifier, mfs_secret_t password,
                            mfs_secret_t *secret) {
    mfs_pair_t fields[] = {identifier, mfs_secret_pair("password", password)};
    fields[0].name = mfs_text("identifier");
    return mfs_make_secret(plugin, MFS_EXTENSION_SECRET, offsetof(mfs_secret_extension_t, basic), fields, 2, secret);
}

#endif
