import CUndersongCrypto
import FoundationEssentials
package import UndersongBackground

/// What a receiver of encrypted pushes has (RFC 8291): a key pair, and a secret that it shares with
/// its senders.
package struct WebPushKeys: Hashable, Sendable {
    /// The length of the secret.
    static let secretLength = 16

    /// The private key, 32 bytes.
    package let privateKey: [UInt8]
    /// The public key, a point of P-256 that is not compressed: 65 bytes. Senders need it.
    package let publicKey: [UInt8]
    /// The authentication secret, 16 bytes. Senders need it, and nobody else may have it.
    package let authSecret: [UInt8]

    /// Generates keys; nil if the system has no randomness.
    package static func generate() -> WebPushKeys? {
        defer { ERR_clear_error() }
        var secret = [UInt8](repeating: 0, count: secretLength)
        guard unsafe RAND_bytes(&secret, Int32(secret.count)) == 1, let pair = P256Key(),
            let privateKey = pair.privateKey, let publicKey = pair.publicKey
        else { return nil }
        return WebPushKeys(privateKey: privateKey, publicKey: publicKey, authSecret: secret)
    }

    init(privateKey: [UInt8], publicKey: [UInt8], authSecret: [UInt8]) {
        self.privateKey = privateKey
        self.publicKey = publicKey
        self.authSecret = authSecret
    }

    /// The keys in these texts; nil if one is not base64 for URLs.
    package init?(_ texts: UnifiedPushRegistration.Keys) {
        guard let privateKey = Self.bytes(of: texts.privateKey),
            let publicKey = Self.bytes(of: texts.publicKey),
            let authSecret = Self.bytes(of: texts.authSecret)
        else { return nil }
        self.init(privateKey: privateKey, publicKey: publicKey, authSecret: authSecret)
    }

    /// The keys in base64 for URLs without padding (RFC 4648, 5).
    package var texts: UnifiedPushRegistration.Keys {
        UnifiedPushRegistration.Keys(
            privateKey: Self.text(of: privateKey), publicKey: Self.text(of: publicKey),
            authSecret: Self.text(of: authSecret))
    }

    private static func text(of bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { letter -> Character? in
                switch letter {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: letter
                }
            })
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let padded =
            String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
