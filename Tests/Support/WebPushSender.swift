internal import CUndersongCrypto

/// Encrypts pushes as their senders do (RFC 8291), with whatever mistakes a test wants.
package struct WebPushSender {
    /// The public key of the receiver.
    package var receiver: [UInt8]
    /// The secret that it shares with its senders.
    package var authSecret: [UInt8]
    /// The sender's private and public key; nil for new ones.
    package var keys: (private: [UInt8], public: [UInt8])?
    /// Nil for a random one.
    package var salt: [UInt8]?
    /// The size of records in the header.
    package var recordSize: UInt32 = 4096
    /// The bytes after the content: the delimiter, and then padding.
    package var ending: [UInt8] = [2]

    package init(receiver: [UInt8], authSecret: [UInt8]) {
        self.receiver = receiver
        self.authSecret = authSecret
    }

    /// Creates a sender for the keys as a receiver publishes them, in base64 for URLs.
    package init(p256dh: String, auth: String) {
        self.init(
            receiver: Self.bytes(ofBase64URL: p256dh), authSecret: Self.bytes(ofBase64URL: auth))
    }

    /// The message for a content.
    package func message(_ content: [UInt8]) -> [UInt8] {
        let pair =
            keys.map { Self.pair(private: $0.private, public: $0.public) }
            ?? ccrypto_generate_p256()
        defer { EVP_PKEY_free(pair) }
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        precondition(EVP_PKEY_get_octet_string_param(pair, "pub", &point, 65, &length) == 1)
        let salt = salt ?? (0..<16).map { _ in .random(in: .min ... .max) }
        let secret = Self.hmac(authSecret, sharedSecret(pair))
        let input = Self.hmac(secret, Array("WebPush: info\0".utf8) + receiver + point + [1])
        let key = Self.hmac(salt, input)
        let size = (0..<4).map { UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * $0)) }
        return salt + size + [65] + point + Self.encrypt(content + ending, key)
    }

    private func sharedSecret(_ pair: OpaquePointer?) -> [UInt8] {
        let peer = EVP_PKEY_new()
        defer { EVP_PKEY_free(peer) }
        precondition(EVP_PKEY_copy_parameters(peer, pair) == 1)
        precondition(EVP_PKEY_set1_encoded_public_key(peer, receiver, receiver.count) == 1)
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pair, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        precondition(EVP_PKEY_derive_init(context) == 1)
        precondition(EVP_PKEY_derive_set_peer(context, peer) == 1)
        precondition(EVP_PKEY_derive(context, &secret, &length) == 1)
        return secret
    }

    private static func encrypt(_ content: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        let key = hmac(secret, Array("Content-Encoding: aes128gcm\0".utf8) + [1]).prefix(16)
        let nonce = hmac(secret, Array("Content-Encoding: nonce\0".utf8) + [1]).prefix(12)
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: content.count)
        var (length, tag) = (0 as Int32, [UInt8](repeating: 0, count: 16))
        precondition(
            EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, Array(key), Array(nonce)) == 1)
        precondition(
            EVP_EncryptUpdate(context, &output, &length, content, Int32(content.count)) == 1)
        precondition(EVP_EncryptFinal_ex(context, &tag, &length) == 1)
        precondition(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1)
        return output + tag
    }

    private static func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        return Array(digest.prefix(Int(length)))
    }

    private static func pair(private number: [UInt8], public point: [UInt8]) -> OpaquePointer? {
        let pair = ccrypto_p256_pair(number, number.count, point, point.count)
        precondition(pair != nil, "the keys of a sender are none")
        return pair
    }

    /// The bytes of a text in base64 for URLs, without padding (RFC 4648, 5).
    package static func bytes(ofBase64URL text: String) -> [UInt8] {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let values = Dictionary(
            uniqueKeysWithValues: digits.utf8.enumerated().map { ($1, UInt32($0)) })
        var (bytes, bits, count) = ([UInt8](), 0 as UInt32, 0)
        for digit in text.utf8 {
            bits = bits << 6 | (values[digit] ?? 0)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
