#ifndef MFS_CMICROHTTPD_SHIM_H
#define MFS_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tls.h"

// The parts of libmicrohttpd that Swift cannot call: its variadic functions. Nothing here decides anything.

struct mfs_http_callbacks {
    void *context;
    // Whether a new connection is taken.
    MHD_AcceptPolicyCallback accept;
    // The request line was read; what it returns is the request's own context.
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    // The library itself answers a request, with an error. It says so in its log only, and not whose request it is.
    void (*refused)(void *context, unsigned int status);
    // Lends a handshake, on its polling thread, the certificate and the key; NULL for plain HTTP.
    gnutls_certificate_retrieve_function2 *certificate;
};

struct mfs_http_limits {
    unsigned int threads;
    unsigned int connections;
    unsigned int connections_per_address; // 0: no limit
    unsigned int idle_seconds;            // 0: no limit
    size_t connection_memory;
};

struct mfs_http_server {
    struct MHD_Daemon *daemon;
    void *context;
    void (*refused)(void *context, unsigned int status);
};

static inline void mfs_http_log(void *state, const char *format, va_list arguments) {
    static const char refusal[] = "Error processing request (HTTP response code is %u";
    struct mfs_http_server *server = (struct mfs_http_server *)state;
    if (strncmp(format, refusal, sizeof refusal - 1) == 0) {
        server->refused(server->context, va_arg(arguments, unsigned int));
    }
}

// Takes `listener` over when it succeeds. Returns what mfs_http_stop() takes; 0 when it fails.
static inline uintptr_t mfs_http_start(
    MHD_socket listener, const struct mfs_http_callbacks *calls, const struct mfs_http_limits *limits) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)calls->certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"},
        {MHD_OPTION_END, 0, NULL}};
    if (calls->certificate != NULL) {
        flags |= MHD_USE_TLS;
    } else {
        tls[0].option = MHD_OPTION_END;
        // With TLS an upgrade would need a pair of sockets and a copying thread's work for each connection.
        flags |= MHD_ALLOW_UPGRADE;
    }
    struct mfs_http_server *server = (struct mfs_http_server *)malloc(sizeof *server);
    if (server == NULL) return 0;
    server->context = calls->context;
    server->refused = calls->refused;
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)limits->threads, NULL}, {MHD_OPTION_END, 0, NULL}};
    // A pool of one is refused by the library; one polling thread is its default.
    if (limits->threads < 2) pool[0].option = MHD_OPTION_END;
    server->daemon = MHD_start_daemon(
        flags, 0, calls->accept, calls->context, calls->handle, calls->context,
        // First, so that nothing is said on standard error.
        MHD_OPTION_EXTERNAL_LOGGER, mfs_http_log, server,
        MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_URI_LOG_CALLBACK, calls->target, calls->context,
        MHD_OPTION_UNESCAPE_CALLBACK, calls->unescape, calls->context,
        MHD_OPTION_NOTIFY_COMPLETED, calls->completed, calls->context,
        MHD_OPTION_NOTIFY_CONNECTION, calls->connection, calls->context,
        MHD_OPTION_CONNECTION_LIMIT, limits->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits->connections_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits->connection_memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, pool,
        MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
    if (server->daemon == NULL) {
        free(server);
        return 0;
    }
    return (uintptr_t)server;
}

static inline void mfs_http_stop(uintptr_t started) {
    struct mfs_http_server *server = (struct mfs_http_server *)started;
    MHD_stop_daemon(server->daemon);
    free(server);
}

// Whether a request ended because an answer to it was sent (COMPLETED_OK), or by an error (WITH_ERROR: the library would not have it, memory
// ran out, or the connection failed): one that was not read to its end then was refused. Otherwise the client left or was too slow, or the
// server stops, and nothing was.
static inline int mfs_http_is_settled(enum MHD_RequestTerminationCode how) {
    return how == MHD_REQUEST_TERMINATED_COMPLETED_OK || how == MHD_REQUEST_TERMINATED_WITH_ERROR;
}

// -1 when there is none.
static inline MHD_socket mfs_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

// Cuts the query off the target that the library has just read, in its own buffer, after a copy was taken. It would take every item
// apart, for nobody, and leave a request whose items do not fit into its memory without an answer and its connection open. It has found
// the question mark by then, so that stays.
static inline void mfs_http_cut_query(const char *target) {
    char *query = target == NULL ? NULL : strchr((char *)(uintptr_t)target, '?');
    if (query != NULL) query[1] = '\0';
}

// What a connection was given of ours at its start; NULL when it has nothing.
static inline void *mfs_http_own(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static inline int mfs_http_is_start(enum MHD_ConnectionNotificationCode what) {
    return what == MHD_CONNECTION_NOTIFY_STARTED;
}

// Gives a socket that was handed over back to the library, which closes it.
static inline void mfs_http_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

// How many bytes a request's head has, from its method to the end of its last line; 0 when it is not known.
static inline size_t mfs_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

// NULL when it is not known.
static inline const struct sockaddr *mfs_http_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

#endif
