// OpenSSL's libcrypto for Swift: what is variadic or a macro there has a function here. Nothing here decides anything.
#ifndef MFS_COPENSSL_SHIM_H
#define MFS_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stddef.h>

// New keys; NULL when there are none. `bits` is 2048 or more, `curve` a name such as "P-256".
static inline EVP_PKEY *copenssl_generate_rsa(size_t bits) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits); }
static inline EVP_PKEY *copenssl_generate_ec(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", curve); }
static inline EVP_PKEY *copenssl_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

// Where a memory BIO's bytes stand, and how many there are.
static inline long copenssl_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

// Has each read of an encrypted PEM fail instead of asking for its passphrase on the terminal.
static inline int copenssl_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer; (void)size; (void)writing; (void)context;
    return -1;
}
static inline EVP_PKEY *copenssl_read_public_key(BIO *bio) {
    return PEM_read_bio_PUBKEY(bio, NULL, copenssl_no_passphrase, NULL);
}
static inline EVP_PKEY *copenssl_read_private_key(BIO *bio) {
    return PEM_read_bio_PrivateKey(bio, NULL, copenssl_no_passphrase, NULL);
}
static inline X509 *copenssl_read_certificate(BIO *bio) {
    return PEM_read_bio_X509(bio, NULL, copenssl_no_passphrase, NULL);
}

#endif
