/// The reason a stream cannot be fetched: however often it is tried, or for now.
package struct StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason for machines.
    package enum Code: String, Sendable, CaseIterable {
        /// The server has answered with an error that another request will not change.
        case httpStatus = "http-status"
        /// The URL, or one to which it redirects, is not of HTTP or HTTPS.
        case unsupportedURL = "unsupported-url"
        case tooManyRedirects = "too-many-redirects"
        /// The host's name does not resolve.
        case unknownHost = "unknown-host"
        /// There is no connection to the host, or no usable answer.
        case cannotConnect = "cannot-connect"
        /// The server's certificate is not valid.
        case certificate
        /// The body is compressed although that was not requested.
        case encoded
        /// The response is not sound.
        case notSound = "not-sound"
        /// The response is sound in a format that cannot be played.
        case unsupportedFormat = "unsupported-format"
        /// The response is a playlist.
        case playlist
        /// The file on the server is not the one that was begun.
        case changed
        /// The file for the bytes cannot be written or read.
        case storage
        /// There is no network, or nothing in this process can use it.
        case noNetwork = "no-network"
    }

    package var code: Code
    /// The reason for people: a sentence without its full stop.
    package var text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    package var description: String { text }
}
