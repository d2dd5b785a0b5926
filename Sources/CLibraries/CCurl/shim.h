// libcurl for Swift: its options are variadic, so each kind of option has a function here. The allocator wipes what it
// frees, because libcurl copies headers and buffers (credentials among them) and frees them as they are.
#ifndef MFS_CCURL_SHIM_H
#define MFS_CCURL_SHIM_H

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// NULL gives the option its empty value.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink) {
    return curl_easy_setopt(handle, option, sink);
}

static inline long ccurl_response_code(CURL *handle) {
    long code = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}

// The socket under a handle; CURL_SOCKET_BAD when there is none.
static inline curl_socket_t ccurl_socket(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

// The errno of the last connect that failed, and OpenSSL's result for the server's certificate; 0 when there is none.
static inline long ccurl_system_error(CURL *handle) {
    long number = 0;
    return curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &number) == CURLE_OK ? number : 0;
}
static inline long ccurl_verify_result(CURL *handle) {
    long number = 0;
    return curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &number) == CURLE_OK ? number : 0;
}

// The result of the one transfer of a multi handle; 0 when it is not done.
static inline int ccurl_result(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE) return 0;
    *result = message->data.result;
    return 1;
}

// The allocator. Sixteen bytes before each block hold its size; they keep the block aligned as malloc's are.
enum { CCURL_PREFIX = 16 };

static inline void *ccurl_malloc(size_t size) {
    if (size > SIZE_MAX - CCURL_PREFIX) return NULL;
    unsigned char *block = (unsigned char *)malloc(size + CCURL_PREFIX);
    if (block == NULL) return NULL;
    memcpy(block, &size, sizeof size);
    return block + CCURL_PREFIX;
}

static inline size_t ccurl_size(void *bytes) {
    size_t size;
    memcpy(&size, (unsigned char *)bytes - CCURL_PREFIX, sizeof size);
    return size;
}

static inline void ccurl_free(void *bytes) {
    if (bytes == NULL) return;
    explicit_bzero(bytes, ccurl_size(bytes));
    free((unsigned char *)bytes - CCURL_PREFIX);
}

static inline void *ccurl_calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return NULL;
    void *bytes = ccurl_malloc(total);
    return bytes == NULL ? NULL : memset(bytes, 0, total);
}

static inline void *ccurl_realloc(void *bytes, size_t size) {
    if (bytes == NULL) return ccurl_malloc(size);
    if (size == 0) {
        ccurl_free(bytes);
        return NULL;
    }
    void *moved = ccurl_malloc(size);
    if (moved == NULL) return NULL;
    size_t old = ccurl_size(bytes);
    memcpy(moved, bytes, old < size ? old : size);
    ccurl_free(bytes);
    return moved;
}

static inline char *ccurl_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    void *copy = ccurl_malloc(size);
    return copy == NULL ? NULL : (char *)memcpy(copy, text, size);
}

// libcurl would write the keys of every TLS connection to the file that SSLKEYLOGFILE names, and with them whoever
// recorded the traffic can read the passwords in it.
static inline CURLcode ccurl_start(void) {
    unsetenv("SSLKEYLOGFILE");
    return curl_global_init_mem(
        CURL_GLOBAL_DEFAULT, ccurl_malloc, ccurl_free, ccurl_realloc, ccurl_strdup, ccurl_calloc);
}

// What ends a connection whose server says one TLS message after another and never a byte of an answer: OpenSSL reads them
// without coming back, so that no time limit of libcurl's is looked at.
enum { CCURL_SOCKETS = 16, CCURL_MESSAGES = 4000 };

typedef struct ccurl_watch {
    // Messages received since the last byte of an answer.
    unsigned messages;
    unsigned count;
    curl_socket_t sockets[CCURL_SOCKETS];
    // Whether an address was not connected to because it is not public.
    unsigned is_private;
} ccurl_watch;

static inline int ccurl_opened(void *context, curl_socket_t socket, curlsocktype purpose) {
    (void)purpose;
    ccurl_watch *watch = (ccurl_watch *)context;
    if (watch->count < CCURL_SOCKETS) watch->sockets[watch->count++] = socket;
    return CURL_SOCKOPT_OK;
}

static inline int ccurl_closed(void *context, curl_socket_t socket) {
    ccurl_watch *watch = (ccurl_watch *)context;
    for (unsigned i = 0; i < watch->count; i++)
        if (watch->sockets[i] == socket) watch->sockets[i--] = watch->sockets[--watch->count];
    return close(socket);
}

static inline void ccurl_message(
    int sent, int version, int type, const void *bytes, size_t size, SSL *ssl, void *context) {
    (void)version;
    ccurl_watch *watch = (ccurl_watch *)context;
    if (sent || size == 0) return;
    int kind = *(const unsigned char *)bytes;
    // In TLS 1.3 every record looks like data from outside; its inner type tells.
    int is_data = (type == SSL3_RT_HEADER && SSL_version(ssl) < TLS1_3_VERSION) || type == SSL3_RT_INNER_CONTENT_TYPE;
    if (is_data && kind == SSL3_RT_APPLICATION_DATA) watch->messages = 0;
    else if (++watch->messages > CCURL_MESSAGES)
        for (unsigned i = 0; i < watch->count; i++) shutdown(watch->sockets[i], SHUT_RDWR);
}

static inline CURLcode ccurl_secured(CURL *handle, void *context, void *watch) {
    (void)handle;
    SSL_CTX_set_msg_callback((SSL_CTX *)context, ccurl_message);
    SSL_CTX_set_msg_callback_arg((SSL_CTX *)context, watch);
    return CURLE_OK;
}

// The watch is zeroed memory that outlives both handles.
static inline CURLcode ccurl_set_watch(CURL *handle, ccurl_watch *watch) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, ccurl_opened);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, watch);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, ccurl_closed);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, watch);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, ccurl_secured);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, watch);
    return code;
}

// Whether an address is one of the public internet: not of this machine or network, and none that RFC 6890 and the registries
// that it founds keep for anything else. The four bytes of an IPv4 address, the sixteen of an IPv6 one.
static inline int ccurl_is_public4(const unsigned char *a) {
    if (a[0] == 0 || a[0] == 10 || a[0] == 127 || a[0] >= 224) return 0;
    if (a[0] == 100 && (a[1] & 0xC0) == 64) return 0;
    if (a[0] == 169 && a[1] == 254) return 0;
    if (a[0] == 172 && (a[1] & 0xF0) == 16) return 0;
    if (a[0] == 192 && a[1] == 168) return 0;
    if (a[0] == 192 && a[1] == 0 && (a[2] == 0 || a[2] == 2)) return 0;
    if (a[0] == 192 && a[1] == 88 && a[2] == 99) return 0;
    if (a[0] == 198 && ((a[1] & 0xFE) == 18 || (a[1] == 51 && a[2] == 100))) return 0;
    return !(a[0] == 203 && a[1] == 0 && a[2] == 113);
}

static inline int ccurl_is_public6(const unsigned char *a) {
    static const unsigned char nat64[12] = {0, 0x64, 0xFF, 0x9B};
    if (memcmp(a, nat64, sizeof nat64) == 0) return ccurl_is_public4(a + 12);
    // All public addresses are in 2000::/3; an IPv4 address that is mapped or compatible is not.
    if ((a[0] & 0xE0) != 0x20) return 0;
    if (a[0] == 0x20 && a[1] == 0x02) return ccurl_is_public4(a + 2);
    if (a[0] == 0x20 && a[1] == 0x01 && a[2] < 0x02) return 0;
    if (a[0] == 0x20 && a[1] == 0x01 && a[2] == 0x0D && a[3] == 0xB8) return 0;
    return !(a[0] == 0x3F && a[1] == 0xFF && a[2] < 0x10);
}

static inline int ccurl_is_public(const struct sockaddr *address) {
    const unsigned char *bytes = (const unsigned char *)address;
    // Where both kinds of address have theirs: after family and port, IPv6 also after its flow.
    if (address->sa_family == AF_INET) return ccurl_is_public4(bytes + 4);
    return address->sa_family == AF_INET6 && ccurl_is_public6(bytes + 8);
}

// Asked for each address that a name has when it is about to be connected to, so that a name cannot change what it means
// after it was looked at.
static inline curl_socket_t ccurl_open_public(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    if (!ccurl_is_public(&address->addr)) {
        ((ccurl_watch *)context)->is_private = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static inline CURLcode ccurl_set_public(CURL *handle, ccurl_watch *watch) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_public);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, watch) : code;
}

#endif
