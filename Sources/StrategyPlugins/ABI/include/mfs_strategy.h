/*
 * mfs_strategy.h - the interface between a login strategy (a "plugin") and mfs-strategy-host, version 1.
 *
 * A plugin is a shared library, libmfs-strategy-NAME.so, that exports one function: mfs_strategy_entry. Everything else
 * goes through the tables below. This header is plain C11 and all there is: no other library is needed to build a plugin.
 *
 * Where a plugin runs. Each operation runs in a process of its own, which ends with it. That process has no network, no
 * files, no environment, cannot start a program or signal another process, and this holds before the plugin's first
 * constructor runs. What a plugin needs from outside it asks of the host, and gets it if its manifest declares it and the
 * user granted it. A system call outside the few that computing needs ends the process.
 *
 * Threads. Every function of the plugin is called on one thread, one at a time, and there is no other: starting one ends
 * the process, as starting a process does. The host may be called only until the plugin's function returns.
 *
 * Lifetimes. Whatever is passed by pointer, in either direction, belongs to the side that passed it and is borrowed until
 * the function it was passed to returns; who needs it longer copies it. Nothing is allocated on one side and freed on the
 * other. The two exceptions are the tables mfs_host and mfs_strategy, which live as long as the process.
 *
 * Growth. Tables and structures begin with their size. A reader uses min(that size, the size it knows) and takes what is
 * beyond for absent. New fields are added at the end; new abilities come as new extensions, "mfs.NAME/REVISION". Unknown
 * fields of a record and unknown extensions are ignored. A size smaller than version 1 requires is an error.
 *
 * Errors. A host call returns an mfs_status. A plugin reports how its operation ended by exactly one call of one function
 * of the mfs_sink. No exception, longjmp or language error may cross a call.
 *
 * Breaking any of these rules ends the process, and the user is told that the plugin failed (exit 65 of mfsctl).
 */
#ifndef MFS_STRATEGY_H
#define MFS_STRATEGY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a pointer may be null, for compilers that know the words. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#define MFS_NULLABLE _Nullable
#define MFS_NONNULL _Nonnull
#else
#define MFS_NULLABLE
#define MFS_NONNULL
#endif

/* Marks the one exported function. */
#define MFS_EXPORT __attribute__((visibility("default")))

/* The version of this interface. */
#define MFS_STRATEGY_ABI_VERSION 1u

/* Bytes: ptr may be null when len is 0. Where it is said to be text it is UTF-8 without a NUL at its end. */
typedef struct mfs_slice {
    const uint8_t *MFS_NULLABLE ptr;
    uint64_t len;
} mfs_slice_t;

/* A secret that the host holds and the plugin can use without seeing it. 0 is none. Valid until the process ends. */
typedef uint64_t mfs_secret_t;

/* ---- Records: named, typed values -------------------------------------------------------------------------------- */

/* What a value is, and which member of mfs_pair holds it. */
typedef uint32_t mfs_kind_t;
enum {
    MFS_TEXT = 1,    /* bytes: text */
    MFS_BYTES = 2,   /* bytes; in a result they are taken for a secret */
    MFS_INTEGER = 3, /* number */
    MFS_BOOLEAN = 4, /* number: 0 or 1 */
    MFS_INSTANT = 5, /* number: seconds since 1970-01-01T00:00:00Z */
    MFS_SECRET = 6,  /* secret: not 0 */
    MFS_LIST = 7     /* list: names may repeat, the order counts */
};

struct mfs_pair;

/* Named values. pair_size is sizeof(mfs_pair_t) as its maker knows it: the distance from one pair to the next. */
typedef struct mfs_record {
    const struct mfs_pair *MFS_NULLABLE pairs;
    uint32_t count;
    uint32_t pair_size;
} mfs_record_t;

/* One name and its value; the members that do not belong to the kind are ignored. */
typedef struct mfs_pair {
    mfs_slice_t name; /* text, 1 to 256 bytes */
    mfs_kind_t kind;
    uint32_t reserved; /* 0 */
    int64_t number;
    mfs_secret_t secret;
    mfs_slice_t bytes;
    mfs_record_t list;
} mfs_pair_t;

/* ---- What the host offers ---------------------------------------------------------------------------------------- */

/* How a host call ended. */
typedef uint32_t mfs_status_t;
enum {
    MFS_OK = 0,
    MFS_DENIED = 1,              /* the manifest does not declare it, or the user did not grant it */
    MFS_CANCELLED = 2,           /* the user cancelled: report MFS_REASON_CANCELLED and return */
    MFS_TIMEOUT = 3,             /* the deadline has passed, or a server took too long */
    MFS_NETWORK = 4,             /* the server could not be reached */
    MFS_NOT_FOUND = 5,           /* there is no such thing */
    MFS_NOBODY = 6,              /* there is nobody to ask */
    MFS_TOO_LARGE = 7,           /* the answer is larger than the host accepts */
    MFS_BAD_ARGUMENT = 8,        /* the request itself is wrong */
    MFS_UNTRUSTED = 9,           /* the server could not be trusted (TLS) */
    MFS_PROTOCOL_VIOLATION = 10, /* the server did not speak HTTP */
    MFS_INTERNAL = 11            /* a fault of the host's */
};

/* How much a line of the log matters. */
enum { MFS_LOG_DEBUG = 1, MFS_LOG_INFO = 2, MFS_LOG_WARNING = 3, MFS_LOG_ERROR = 4 };

/* Takes the answer to a host call. The host calls receive exactly once, before the host call returns, whatever the status:
 * with the fields described at the call when it is MFS_OK, else with `message` (text) alone. context is the plugin's own. */
typedef struct mfs_receiver {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    void *MFS_NULLABLE context;
    void (*MFS_NULLABLE receive)(void *MFS_NULLABLE context, mfs_record_t answer);
} mfs_receiver_t;

/* The host's core. Every function takes `context` as its first argument. A null pointer where memory is needed is
 * MFS_BAD_ARGUMENT, as is a slice or a record that is malformed. */
typedef struct mfs_host {
    uint32_t struct_size;
    uint32_t abi_version; /* the version in use, as the plugin chose it */
    void *MFS_NULLABLE context;

    /* Writes a line to the log (text; longer than 4096 bytes is cut). Never log a secret. */
    void (*MFS_NONNULL log)(void *MFS_NULLABLE context, uint32_t level, mfs_slice_t text);

    /* The wall clock, in seconds since 1970-01-01T00:00:00Z. Use it, not the system's: a recorded sign-in is replayed with
     * the clock of its recording. */
    mfs_status_t (*MFS_NONNULL now_wall)(void *MFS_NULLABLE context, int64_t *MFS_NULLABLE seconds);

    /* A clock that only goes forward, in nanoseconds from an unknown start; deadlines are moments of it. */
    mfs_status_t (*MFS_NONNULL now_monotonic)(void *MFS_NULLABLE context, int64_t *MFS_NULLABLE nanoseconds);

    /* Fills `count` bytes (1 to 4096) with random ones. */
    mfs_status_t (*MFS_NONNULL random)(void *MFS_NULLABLE context, uint8_t *MFS_NULLABLE bytes, uint64_t count);

    /* Overwrites memory of the plugin's in a way the compiler does not drop. */
    void (*MFS_NONNULL wipe)(void *MFS_NULLABLE context, void *MFS_NULLABLE bytes, uint64_t count);

    /* 1 when the user cancelled or the deadline has passed, else 0. Ask it in every long loop; a host call asks it too. */
    uint8_t (*MFS_NONNULL is_cancelled)(void *MFS_NULLABLE context);

    /* The table of an extension, such as "mfs.http/1" (its type stands with it below), or null when the host has none of that
     * name. It lives as long as the process. Having the table is no grant: its calls may still return MFS_DENIED. */
    const void *MFS_NULLABLE (*MFS_NONNULL get_extension)(void *MFS_NULLABLE context, mfs_slice_t name);
} mfs_host_t;

/* The form of the host calls that take and answer records. */
typedef mfs_status_t (*mfs_host_call_t)(void *MFS_NULLABLE context, mfs_record_t request,
                                        const mfs_receiver_t *MFS_NULLABLE receiver);

/* "mfs.http/1": requests to the origins that the manifest names. The host does TLS and follows no redirect. */
#define MFS_EXTENSION_HTTP "mfs.http/1"
typedef struct mfs_http {
    uint32_t struct_size;
    uint32_t reserved;
    /* Request: `method` text; `url` text; `query` list of text or secret values that are added to its query, optional; `headers`
     * list of text or secret values, optional; `body` bytes or secret, optional.
     * Answer: `status` integer; `headers` list of texts, names in lower case, repeated ones kept; `body` bytes. */
    mfs_host_call_t MFS_NONNULL send;
} mfs_http_t;

/* "mfs.vault/1": the stored values that the manifest names. */
#define MFS_EXTENSION_VAULT "mfs.vault/1"
typedef struct mfs_vault {
    uint32_t struct_size;
    uint32_t reserved;
    /* Request: `name` text. Answer: `secret`, a handle for use. MFS_NOT_FOUND when nothing is stored. */
    mfs_host_call_t MFS_NONNULL use;
    /* Request: `name` text. Answer: `value` bytes. For names that the manifest asks to read. */
    mfs_host_call_t MFS_NONNULL read;
    /* Request: `values` list of secrets, bytes or instants by the names to store them under. Answer: nothing. For MFS_REFRESH
     * and names that the manifest asks to store. All are on disk when it returns MFS_OK; MFS_NOT_FOUND when the sign-in that
     * is refreshed has ended meanwhile: then stop. What a server will accept only once more belongs here before it is used. */
    mfs_host_call_t MFS_NONNULL store;
} mfs_vault_t;

/* "mfs.prompt/1": questions to a person. */
#define MFS_EXTENSION_PROMPT "mfs.prompt/1"
typedef struct mfs_prompt {
    uint32_t struct_size;
    uint32_t reserved;
    /* Request: `text` text; `secret` boolean. Answer: `text` text, or `secret` handle when a secret was asked for; and `empty`
     * boolean. MFS_NOBODY when there is nobody to ask, MFS_CANCELLED when they refuse. */
    mfs_host_call_t MFS_NONNULL ask;
    /* Request: `text` text, which is shown to the person and needs no answer. Answer: nothing. */
    mfs_host_call_t MFS_NONNULL show;
} mfs_prompt_t;

/* "mfs.secret/1": secrets made of secrets, without seeing them. A handle stands as a header's value, a body, or a value of
 * the result. */
#define MFS_EXTENSION_SECRET "mfs.secret/1"
typedef struct mfs_secret_extension {
    uint32_t struct_size;
    uint32_t reserved;
    /* Request: `bytes` bytes. Answer: `secret`, a handle for them. The plugin then wipes its own copy. */
    mfs_host_call_t MFS_NONNULL make;
    /* Request: `parts` list of text or secret values; their names do not count. Answer: `secret`, the parts in one. */
    mfs_host_call_t MFS_NONNULL join;
    /* Request: `identifier` text or secret; `password` secret. Answer: `secret`, the value of an Authorization header (RFC 7617
     * with UTF-8). MFS_BAD_ARGUMENT when the identifier has a colon. */
    mfs_host_call_t MFS_NONNULL basic;
    /* Request: `fields` list of text or secret values. Answer: `secret`, the fields as application/x-www-form-urlencoded. */
    mfs_host_call_t MFS_NONNULL form;
} mfs_secret_extension_t;

/* "mfs.timer/1": waiting. */
#define MFS_EXTENSION_TIMER "mfs.timer/1"
typedef struct mfs_timer {
    uint32_t struct_size;
    uint32_t reserved;
    /* Request: `seconds` integer, 0 to 600. Answer: nothing, when they are over. MFS_CANCELLED and MFS_TIMEOUT end it early. */
    mfs_host_call_t MFS_NONNULL wait;
} mfs_timer_t;

/* "mfs.browser/1": the person's own browser. */
#define MFS_EXTENSION_BROWSER "mfs.browser/1"
typedef struct mfs_browser {
    uint32_t struct_size;
    uint32_t reserved;
    /* An authorization request (RFC 6749 4.1 and 4.2, RFC 8252): opens a page of a server that the manifest names, and waits
     * for the redirect to this machine. The host adds `redirect_uri`, `state` and, unless the response comes in the
     * fragment, `code_challenge` (RFC 7636, S256), and checks the state.
     * Request: `url` text; `parameters` list of texts, added to its query; `response` text, "query" or "fragment"; `redirect`
     * text, "own", or "given" when `redirect_uri` and `state` are in the parameters already (then there is no challenge).
     * `browser` text, "required", or "preferred" when the address may be shown to be opened by hand too.
     * Answer: `parameters` list of what the redirect brought, `code`, `id_token` and `access_token` as secrets, the rest as
     * texts; `redirectURI` text; `codeVerifier` secret, with a challenge. MFS_NOBODY when there is nobody to sign in, MFS_NOT_FOUND when a browser
     * is required and there is none. */
    mfs_host_call_t MFS_NONNULL authorize;
    /* Opens a page of such a server and waits for nothing. Request: `url` text; `parameters` list of texts or secrets.
     * Answer: `opened` boolean. */
    mfs_host_call_t MFS_NONNULL open;
} mfs_browser_t;

/* "mfs.oidc/1": what an OpenID Connect client needs of its host. */
#define MFS_EXTENSION_OIDC "mfs.oidc/1"
typedef struct mfs_oidc {
    uint32_t struct_size;
    uint32_t reserved;
    /* Gets the metadata of the provider whose issuer the manifest names (OpenID Connect Discovery 1.0, RFC 8414). From then on
     * the servers of its endpoints are those that the need "provider" stands for. Request: nothing. Answer: `metadata` text,
     * the JSON document. MFS_UNTRUSTED when it is not that issuer's, or names an endpoint that is not https. */
    mfs_host_call_t MFS_NONNULL discover;
    /* Validates an ID token (OpenID Connect Core 3.1.3.7) with the keys of that provider.
     * Request: `token` secret or bytes; `clientID` text; `source` text, "code", "authorization" or "refresh"; `nonce` text,
     * `accessToken` secret or bytes, `code` secret, `subject` text, all optional. Answer: `claims` text, the JSON object;
     * `expiresAt` instant. MFS_UNTRUSTED with the reason when it is refused; MFS_NETWORK when the keys cannot be had. */
    mfs_host_call_t MFS_NONNULL verify;
} mfs_oidc_t;

/* ---- What the plugin reports ------------------------------------------------------------------------------------- */

/* Why an operation failed. The user is told in the host's words; `message` goes beside them. */
typedef uint32_t mfs_reason_t;
enum {
    MFS_REASON_BAD_SETTINGS = 1,       /* a setting is missing or cannot be used */
    MFS_REASON_BAD_CREDENTIALS = 2,    /* the server rejected the credentials */
    MFS_REASON_INTERACTION_NEEDED = 3, /* only a person can go on */
    MFS_REASON_NETWORK = 4,            /* the server could not be reached: the session is kept */
    MFS_REASON_SERVER = 5,             /* trouble of the server's own (408, 425, 429, 5xx): the session is kept */
    MFS_REASON_PROTOCOL_VIOLATION = 6, /* the answer could not be understood */
    MFS_REASON_REFUSED = 7,            /* refused for good: trying again changes nothing */
    MFS_REASON_CANCELLED = 8,          /* cancelled by the user */
    MFS_REASON_DENIED = 9,             /* the host denied a call */
    MFS_REASON_INTERNAL = 10           /* a fault of the plugin's own */
};

/* A failure. The message is text for people, 1 or 2 sentences; it is cut at 1000 characters and cleaned. */
typedef struct mfs_failure {
    uint32_t struct_size;
    mfs_reason_t reason;
    mfs_slice_t message;
    int64_t http_status; /* 0: none */
    int64_t retry_after; /* seconds; negative: unknown */
} mfs_failure_t;

/* Where an operation reports. Exactly one of the two is called, once, before the operation returns; no host call may follow. */
typedef struct mfs_sink {
    uint32_t struct_size;
    uint32_t reserved;
    void *MFS_NULLABLE context;
    /* It was done. The fields of each operation's result stand in docs/PLUGINS.md. */
    void (*MFS_NONNULL success)(void *MFS_NULLABLE context, mfs_record_t result);
    /* It could not be done. */
    void (*MFS_NONNULL failure)(void *MFS_NULLABLE context, const mfs_failure_t *MFS_NULLABLE failure);
} mfs_sink_t;

/* ---- What the plugin offers -------------------------------------------------------------------------------------- */

/* The operations. */
enum { MFS_LOGIN = 1, MFS_REFRESH = 2, MFS_LOGOUT = 3 };

/* One call. */
typedef struct mfs_call {
    uint32_t struct_size;
    uint32_t operation;    /* MFS_LOGIN, MFS_REFRESH or MFS_LOGOUT */
    int64_t deadline;      /* a moment of now_monotonic; the process is killed soon after it */
    mfs_slice_t identifier; /* text: who signs in, when that is known beforehand; else ptr is null */
    mfs_record_t settings; /* the settings that the manifest names, as texts; absent ones are absent */
} mfs_call_t;

/* An operation: does its work, reports to the sink, returns. It must not keep any of the three pointers. */
typedef void (*mfs_operation_t)(const mfs_host_t *MFS_NONNULL host, const mfs_call_t *MFS_NONNULL call,
                                const mfs_sink_t *MFS_NONNULL sink);

/* The plugin. */
typedef struct mfs_strategy {
    uint32_t struct_size;
    uint32_t abi_version;         /* the version the plugin chose: at most the one it was offered */
    mfs_slice_t name;             /* text: the NAME of its file and its manifest, [a-z0-9_]{1,32} */
    mfs_slice_t version;          /* text: its own version */
    mfs_slice_t header;           /* text: MFS_STRATEGY_FINGERPRINT as it was built with, or empty; only ever displayed */
    mfs_operation_t MFS_NULLABLE login;   /* null: it has no such operation */
    mfs_operation_t MFS_NULLABLE refresh; /* null: signing in again is the only way */
    mfs_operation_t MFS_NULLABLE logout;  /* null: there is no server to tell */
} mfs_strategy_t;

/* The plugin's only export, and the first of its functions that is called. It does no work and asks nothing of anyone: it
 * returns its table, which is constant, or null when it does not speak any version up to `newest_version`. */
typedef const mfs_strategy_t *MFS_NULLABLE (*mfs_strategy_entry_t)(uint32_t newest_version);

/* The name of that function. In C:
 *     MFS_EXPORT const mfs_strategy_t *mfs_strategy_entry(uint32_t newest_version) { ... }                             */
#define MFS_STRATEGY_ENTRY "mfs_strategy_entry"

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
