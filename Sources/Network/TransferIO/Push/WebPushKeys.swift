import CUndersongCrypto
import FoundationEssentials
package import UndersongBackground

/// The keys of a receiver of encrypted pushes (RFC 8291), in base64 for URLs without padding
/// (RFC 4648, 5).
extension UnifiedPushRegistration.Keys {
    /// Generates keys; nil if the system has no randomness.
    package static func generate() -> Self? {
        defer { ERR_clear_error() }
        var secret = [UInt8](repeating: 0, count: WebPushMessage.secretLength)
        guard unsafe RAND_bytes(&secret, Int32(secret.count)) == 1, let pair = P256Key(),
            let privateKey = pair.privateKey, let publicKey = pair.publicKey
        else { return nil }
        return Self(
            privateKey: text(of: privateKey), publicKey: text(of: publicKey),
            authSecret: text(of: secret))
    }

    /// The text of bytes.
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

    /// The bytes of a text; nil if it is not base64 for URLs.
    static func bytes(of text: String) -> [UInt8]? {
        let padded =
            String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
