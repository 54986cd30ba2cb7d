import CUndersongCrypto

/// The SHA-256 of bytes that arrive piece by piece, by OpenSSL.
@safe
package struct SHA256: ~Copyable {
    private static let length = 32
    private let context: OpaquePointer

    package init() {
        guard let context = unsafe EVP_MD_CTX_new(),
            unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        else { preconditionFailure("OpenSSL has no SHA-256") }
        unsafe self.context = context
    }

    /// The digest of bytes that are all there, as `digest` gives it.
    package static func digest(of bytes: [UInt8]) -> String {
        var sum = SHA256()
        unsafe bytes.withUnsafeBytes { unsafe sum.update($0) }
        return sum.digest()
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes, as 64 lower-case hexadecimal digits.
    package consuming func digest() -> String {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        unsafe EVP_DigestFinal_ex(context, &bytes, nil)
        return bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
