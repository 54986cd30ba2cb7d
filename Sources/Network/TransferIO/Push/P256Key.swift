import CUndersongCrypto

/// A key pair on the curve P-256, by OpenSSL. Used on one thread at a time.
@safe
struct P256Key: ~Copyable {
    /// The length of a private key, and of a shared secret.
    static let length = 32
    /// The length of a public key, a point that is not compressed (SEC 1, 2.3.3).
    static let pointLength = 65
    /// The first byte of such a point.
    private static let uncompressed: UInt8 = 4

    private let raw: OpaquePointer

    /// Generates a pair; nil if OpenSSL cannot.
    init?() {
        guard let raw = unsafe ccrypto_generate_p256() else { return nil }
        unsafe self.raw = raw
    }

    /// Takes a pair as `privateKey` and `publicKey` give it. Nil if it is none.
    init?(privateKey: [UInt8], publicKey: [UInt8]) {
        guard privateKey.count == Self.length,
            let key = unsafe ccrypto_p256_pair(
                privateKey, privateKey.count, publicKey, publicKey.count)
        else { return nil }
        guard unsafe Self.isPair(key) else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe raw = key
    }

    deinit { unsafe EVP_PKEY_free(raw) }

    /// The private key, with the most significant byte first; nil if OpenSSL cannot name it.
    var privateKey: [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
            return nil
        }
        defer { unsafe BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let length = unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count))
        return length == bytes.count ? bytes : nil
    }

    /// The public key; nil if OpenSSL cannot name it.
    var publicKey: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.pointLength)
        var length = 0
        let result = unsafe EVP_PKEY_get_octet_string_param(
            raw, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &length)
        return result == 1 && length == bytes.count ? bytes : nil
    }

    /// The secret that this pair shares with the one whose public key is `point` (ECDH); nil if that
    /// is not a point of the curve.
    func sharedSecret(with point: [UInt8]) -> [UInt8]? {
        guard point.count == Self.pointLength, point.first == Self.uncompressed,
            let peer = unsafe EVP_PKEY_new()
        else { return nil }
        defer { unsafe EVP_PKEY_free(peer) }
        guard unsafe EVP_PKEY_copy_parameters(peer, raw) == 1,
            unsafe EVP_PKEY_set1_encoded_public_key(peer, point, point.count) == 1,
            let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil)
        else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.length)
        var length = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else { return nil }
        return secret
    }

    private static func isPair(_ key: OpaquePointer) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_check(context) == 1
    }
}
