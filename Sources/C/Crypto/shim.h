#pragma once

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>

/// A call with a variable number of arguments, which Swift cannot make.
static inline EVP_PKEY *ccrypto_generate_p256(void)
{
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

/// The pair of P-256 with this private number and this public point; NULL if there is none. In C
/// because the parts of a parameter list have to live until it is made.
static inline EVP_PKEY *ccrypto_p256_pair(
    const unsigned char *number, size_t number_length,
    const unsigned char *point, size_t point_length)
{
    EVP_PKEY *pair = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *value = BN_bin2bn(number, (int)number_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (value && builder && context
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, point_length)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, value)
        && (parameters = OSSL_PARAM_BLD_to_param(builder))
        && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &pair, EVP_PKEY_KEYPAIR, parameters);
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(value);
    return pair;
}
