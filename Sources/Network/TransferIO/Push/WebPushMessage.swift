import CUndersongCrypto
package import UndersongBackground

/// An encrypted push (RFC 8291), read by its receiver or made by its sender: salt, record size, length of the sender's key, the key, and one
/// record of AES-128-GCM (RFC 8188), whose content ends in the byte 2 and any number of zeros.
package enum WebPushMessage {
    private typealias Keys = UnifiedPushRegistration.Keys

    /// The most bytes of a message, the header included (RFC 8030, 7.2).
    package static let lengthLimit = 4096
    /// The size of records. It is not protected against changes, so that there is only one.
    static let standardRecordSize: UInt32 = 4096

    /// The most bytes of a content.
    package static let contentLimit = lengthLimit - headerLength - 1 - tagLength

    private static let saltLength = 16
    /// The length of the receiver's secret.
    static let secretLength = 16
    private static let headerLength = saltLength + 4 + 1 + P256Key.pointLength
    private static let tagLength = 16
    private static let keyLength = 16
    private static let nonceLength = 12
    /// The byte after the content of the last record, and of the others.
    private static let (lastDelimiter, delimiter) = (UInt8(2), UInt8(1))

    /// The keys of a receiver that senders know, by the names that they have for them.
    package enum ReceiverKey: Sendable, CustomStringConvertible {
        /// The public key.
        case p256dh
        /// The secret.
        case auth

        package var description: String {
            switch self {
            case .p256dh: "the key p256dh"
            case .auth: "the secret auth"
            }
        }

        fileprivate var length: Int {
            switch self {
            case .p256dh: P256Key.pointLength
            case .auth: secretLength
            }
        }
    }

    /// The reason why a message cannot be read or made.
    package enum Problem: Error, Hashable, CustomStringConvertible {
        /// It has more bytes than a message may have.
        case tooLong(Int)
        /// It has less bytes than a header and the shortest record.
        case tooShort(Int)
        /// Its records are of another size.
        case recordSize(UInt32)
        /// The sender's key has another length.
        case keyLength(UInt8)
        /// The sender's key is not a point of the curve.
        case invalidKey
        /// It was encrypted for others, or changed on its way.
        case notAuthentic
        /// Its content does not end in a delimiter.
        case padding
        /// Another record would have to follow.
        case severalRecords
        /// The receiver's own keys are none.
        case ownKeys
        /// A content does not fit into a message.
        case contentTooLong(Int)
        /// A key of a receiver is not base64 for URLs.
        case invalidText(ReceiverKey)
        /// A key of a receiver has another length.
        case receiverLength(ReceiverKey, Int)
        /// A receiver's public key is not a point of the curve.
        case receiverKey
        /// The system has no random numbers.
        case noRandomness

        package var description: String {
            switch self {
            case .tooLong(let count):
                "the message has \(count) bytes, and more than \(lengthLimit) are not allowed"
            case .tooShort(let count): "the message has only \(count) bytes"
            case .recordSize(let size):
                "its record size is \(size) instead of \(standardRecordSize)"
            case .keyLength(let length):
                "the sender's key has \(length) bytes instead of \(P256Key.pointLength)"
            case .invalidKey: "the sender's key is not a point of P-256"
            case .notAuthentic: "it is not encrypted with the keys of this service, or was changed"
            case .padding: "its padding has no delimiter"
            case .severalRecords: "it consists of more than one record"
            case .ownKeys: "the keys of this service are damaged"
            case .contentTooLong(let count):
                "the payload has \(count) bytes, and \(contentLimit) fit into an encrypted message"
            case .invalidText(let key): "\(key) is not base64 for URLs"
            case .receiverLength(let key, let length):
                "\(key) has \(length) bytes instead of \(key.length)"
            case .receiverKey: "\(ReceiverKey.p256dh) is not a point of P-256"
            case .noRandomness: "the system has no random numbers for keys"
            }
        }
    }

    /// The content of a message for the owner of `keys`. Needs no more memory than a message has.
    package static func content(
        of message: [UInt8], for keys: UnifiedPushRegistration.Keys
    ) throws(Problem) -> [UInt8] {
        guard message.count <= lengthLimit else { throw .tooLong(message.count) }
        guard message.count > headerLength + tagLength else { throw .tooShort(message.count) }
        let size = message[saltLength..<saltLength + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard size == standardRecordSize else { throw .recordSize(size) }
        let keyLength = message[saltLength + 4]
        guard keyLength == P256Key.pointLength else { throw .keyLength(keyLength) }
        defer { ERR_clear_error() }
        guard let privateKey = Keys.bytes(of: keys.privateKey),
            let publicKey = Keys.bytes(of: keys.publicKey),
            let authSecret = Keys.bytes(of: keys.authSecret),
            let own = P256Key(privateKey: privateKey, publicKey: publicKey)
        else { throw .ownKeys }
        let sender = Array(message[saltLength + 5..<headerLength])
        guard let shared = own.sharedSecret(with: sender) else { throw .invalidKey }
        let keys = RecordKeys(
            shared, authSecret, receiver: publicKey, sender: sender,
            salt: Array(message[..<saltLength]))
        return try withoutPadding(try decrypt(message[headerLength...], by: keys))
    }

    /// The message with a content for the receiver whose public key and secret are `p256dh` and `auth`,
    /// in base64 for URLs.
    package static func message(
        _ content: [UInt8], p256dh: String, auth: String
    ) throws(Problem) -> [UInt8] {
        defer { ERR_clear_error() }
        var salt = [UInt8](repeating: 0, count: saltLength)
        guard unsafe RAND_bytes(&salt, Int32(salt.count)) == 1, let sender = P256Key() else {
            throw .noRandomness
        }
        return try message(content, p256dh: p256dh, auth: auth, from: sender, salt: salt)
    }

    /// The message as above, from a sender with the keys `sender`, which are used once, and with this
    /// salt.
    static func message(
        _ content: [UInt8], p256dh: String, auth: String, from sender: borrowing P256Key,
        salt: [UInt8]
    ) throws(Problem) -> [UInt8] {
        let receiver = try bytes(of: p256dh, as: .p256dh)
        let authSecret = try bytes(of: auth, as: .auth)
        guard content.count <= contentLimit else { throw .contentTooLong(content.count) }
        defer { ERR_clear_error() }
        guard let shared = sender.sharedSecret(with: receiver) else { throw .receiverKey }
        guard let point = sender.publicKey else { throw .noRandomness }
        let keys = RecordKeys(shared, authSecret, receiver: receiver, sender: point, salt: salt)
        let size = (0..<4).map { UInt8(truncatingIfNeeded: standardRecordSize >> (24 - 8 * $0)) }
        return salt + size + [UInt8(point.count)] + point
            + encrypt(content + [lastDelimiter], by: keys)
    }

    private static func bytes(
        of text: String, as key: ReceiverKey
    ) throws(Problem) -> [UInt8] {
        guard let bytes = Keys.bytes(of: text) else { throw .invalidText(key) }
        guard bytes.count == key.length else { throw .receiverLength(key, bytes.count) }
        return bytes
    }

    /// The key and the nonce of the only record (RFC 8291, 3.4; RFC 8188, 2.2 and 2.3).
    private struct RecordKeys {
        let key: [UInt8]
        let nonce: [UInt8]

        /// Derives them from the secret that sender and receiver share by their pairs, and the other
        /// one, `authSecret`.
        init(
            _ shared: [UInt8], _ authSecret: [UInt8], receiver: [UInt8], sender: [UInt8],
            salt: [UInt8]
        ) {
            let input = hmac(
                hmac(authSecret, shared), Array("WebPush: info\0".utf8) + receiver + sender + [1])
            let secret = hmac(salt, input)
            key = Array(
                hmac(secret, Array("Content-Encoding: aes128gcm\0".utf8) + [1]).prefix(keyLength))
            nonce = Array(
                hmac(secret, Array("Content-Encoding: nonce\0".utf8) + [1]).prefix(nonceLength))
        }
    }

    private static func encrypt(_ content: [UInt8], by keys: RecordKeys) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: content.count)
        var tag = [UInt8](repeating: 0, count: tagLength)
        var (length, rest) = (0 as Int32, 0 as Int32)
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("OpenSSL is out of memory")
        }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        guard
            unsafe EVP_EncryptInit_ex(
                context, EVP_aes_128_gcm(), nil, keys.key, keys.nonce) == 1,
            unsafe EVP_EncryptUpdate(context, &output, &length, content, Int32(content.count)) == 1,
            length == content.count,
            unsafe EVP_EncryptFinal_ex(context, &tag, &rest) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { preconditionFailure("OpenSSL has no AES-128-GCM") }
        return output + tag
    }

    private static func decrypt(
        _ record: ArraySlice<UInt8>, by keys: RecordKeys
    ) throws(Problem) -> [UInt8] {
        let input = Array(record.dropLast(tagLength))
        var tag = Array(record.suffix(tagLength))
        var output = [UInt8](repeating: 0, count: input.count)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .notAuthentic }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var (length, rest) = (0 as Int32, 0 as Int32)
        var end = [UInt8](repeating: 0, count: tagLength)
        guard
            unsafe EVP_DecryptInit_ex(
                context, EVP_aes_128_gcm(), nil, keys.key, keys.nonce) == 1,
            unsafe EVP_DecryptUpdate(context, &output, &length, input, Int32(input.count)) == 1,
            length == input.count,
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(context, &end, &rest) == 1
        else { throw .notAuthentic }
        return output
    }

    private static func withoutPadding(_ content: [UInt8]) throws(Problem) -> [UInt8] {
        guard let end = content.lastIndex(where: { $0 != 0 }) else { throw .padding }
        switch content[end] {
        case lastDelimiter: return Array(content[..<end])
        case delimiter: throw .severalRecords
        default: throw .padding
        }
    }

    /// HMAC-SHA256, of which HKDF (RFC 5869) consists for as few bytes as are needed here.
    private static func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        guard unsafe result != nil else { preconditionFailure("OpenSSL has no HMAC") }
        return Array(digest.prefix(Int(length)))
    }
}
