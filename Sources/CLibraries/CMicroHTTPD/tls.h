#ifndef MFS_CMICROHTTPD_TLS_H
#define MFS_CMICROHTTPD_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A certificate chain and its key, in the form in which the TLS library below libmicrohttpd takes them for a handshake.

// Both in PEM, ended by a zero.
struct mfs_http_identity {
    const char *certificates;
    const char *key;
};

struct mfs_tls_pair {
    gnutls_pcert_st certificates[32];
    unsigned int count;
    gnutls_privkey_t key;
};

static inline void mfs_tls_pair_free(uintptr_t made) {
    struct mfs_tls_pair *pair = (struct mfs_tls_pair *)made;
    if (pair == NULL) return;
    for (unsigned int i = 0; i < pair->count; i++) gnutls_pcert_deinit(&pair->certificates[i]);
    if (pair->key != NULL) gnutls_privkey_deinit(pair->key);
    free(pair);
}

// Whether the key is the first certificate's.
static inline int mfs_tls_pair_fits(const struct mfs_tls_pair *pair) {
    unsigned char named[64], held[64];
    size_t named_size = sizeof named, held_size = sizeof held;
    gnutls_pubkey_t half = NULL;
    int fits = gnutls_pubkey_init(&half) == 0 && gnutls_pubkey_import_privkey(half, pair->key, 0, 0) == 0 &&
               gnutls_pubkey_get_key_id(half, GNUTLS_KEYID_USE_SHA256, held, &held_size) == 0 &&
               gnutls_pubkey_get_key_id(pair->certificates[0].pubkey, GNUTLS_KEYID_USE_SHA256, named, &named_size) == 0 &&
               held_size == named_size && memcmp(held, named, held_size) == 0;
    if (half != NULL) gnutls_pubkey_deinit(half);
    return fits;
}

// What mfs_tls_pair_free() takes; 0 when either cannot be read or the key is another certificate's. Both are copied.
static inline uintptr_t mfs_tls_pair_make(const struct mfs_http_identity *identity) {
    struct mfs_tls_pair *pair = (struct mfs_tls_pair *)calloc(1, sizeof *pair);
    if (pair == NULL) return 0;
    gnutls_datum_t chain = {(unsigned char *)identity->certificates, (unsigned int)strlen(identity->certificates)};
    gnutls_datum_t key = {(unsigned char *)identity->key, (unsigned int)strlen(identity->key)};
    pair->count = sizeof pair->certificates / sizeof pair->certificates[0];
    if (gnutls_pcert_list_import_x509_raw(
            pair->certificates, &pair->count, &chain, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT) < 0) {
        pair->count = 0;
    }
    if (pair->count == 0 || gnutls_privkey_init(&pair->key) < 0 ||
        gnutls_privkey_import_x509_raw(pair->key, &key, GNUTLS_X509_FMT_PEM, NULL, 0) < 0 || !mfs_tls_pair_fits(pair)) {
        mfs_tls_pair_free((uintptr_t)pair);
        return 0;
    }
    return (uintptr_t)pair;
}

// Whether this is a chain of certificates in PEM, ended by a zero.
static inline int mfs_tls_chain_is_good(const char *certificates) {
    gnutls_datum_t chain = {(unsigned char *)certificates, (unsigned int)strlen(certificates)};
    gnutls_pcert_st list[32];
    unsigned int count = sizeof list / sizeof list[0];
    if (gnutls_pcert_list_import_x509_raw(list, &count, &chain, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT) < 0) return 0;
    for (unsigned int i = 0; i < count; i++) gnutls_pcert_deinit(&list[i]);
    return count > 0;
}

// Whether this is a private key in PEM, ended by a zero.
static inline int mfs_tls_key_is_good(const char *text) {
    gnutls_datum_t key = {(unsigned char *)text, (unsigned int)strlen(text)};
    gnutls_privkey_t made = NULL;
    if (gnutls_privkey_init(&made) < 0) return 0;
    int is_good = gnutls_privkey_import_x509_raw(made, &key, GNUTLS_X509_FMT_PEM, NULL, 0) >= 0;
    gnutls_privkey_deinit(made);
    return is_good;
}

// Lends a pair to a handshake; -1 when there is none. It must stay until the handshake is over.
static inline int mfs_tls_pair_lend(
    uintptr_t made, gnutls_pcert_st **certificates, unsigned int *count, gnutls_privkey_t *key) {
    struct mfs_tls_pair *pair = (struct mfs_tls_pair *)made;
    if (pair == NULL) return -1;
    *certificates = pair->certificates;
    *count = pair->count;
    *key = pair->key;
    return 0;
}

#endif
