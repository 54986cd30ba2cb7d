public import Foundation

/// The response of a server, without its body.
open class URLResponse: NSObject, @unchecked Sendable {
    // Unchecked: a class that can be inherited from. All its properties are constant.

    /// The URL that has answered, after all redirects.
    public let url: URL?
    /// The media type, without parameters.
    public let mimeType: String?
    /// The length of the body in bytes; -1 if the server does not say it, or compresses the body.
    public let expectedContentLength: Int64
    /// The encoding of a text, as the server names it.
    public let textEncodingName: String?

    /// Creates a response.
    public init(
        url: URL, mimeType: String?, expectedContentLength length: Int,
        textEncodingName name: String?
    ) {
        self.url = url
        self.mimeType = mimeType
        expectedContentLength = Int64(length)
        textEncodingName = name
    }

    /// A name for the file: the last part of the URL's path, or else `Unknown`.
    public var suggestedFilename: String? {
        guard let name = url?.lastPathComponent, !name.isEmpty, name != "/" else {
            return "Unknown"
        }
        return name
    }
}

/// The response of a server of HTTP.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    // Unchecked: a class that can be inherited from. All its properties are constant.

    /// The status code.
    public let statusCode: Int
    private let fields: [String: String]

    /// Creates a response.
    public init?(
        url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?
    ) {
        self.statusCode = statusCode
        let fields = headerFields ?? [:]
        self.fields = fields
        let named = { (name: String) in
            fields.first { $0.key.lowercased() == name }?.value
        }
        let words = (named("content-type") ?? "").split(separator: ";")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let charset = words.dropFirst().first { $0.lowercased().hasPrefix("charset=") }
        let isEncoded = ![nil, "", "identity"].contains(named("content-encoding")?.lowercased())
        super.init(
            url: url, mimeType: words.first?.lowercased(),
            expectedContentLength: isEncoded
                ? -1 : named("content-length").flatMap { Int($0) } ?? -1,
            textEncodingName: charset.map { String($0.dropFirst(8)).lowercased() })
    }

    /// The header fields; names are capitalized as `Content-Type` is.
    public var allHeaderFields: [AnyHashable: Any] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.key as AnyHashable, $0.value as Any) })
    }

    /// The value of a field; `field` in any case.
    public func value(forHTTPHeaderField field: String) -> String? {
        fields.first { $0.key.lowercased() == field.lowercased() }?.value
    }
}
