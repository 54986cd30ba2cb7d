import CUndersongCurl
import UndersongBase
import UndersongPodcasts
import UndersongTransfers

/// One request for a document, without its redirects. Used on the engine's thread, and by libcurl
/// within its calls.
final class DocumentRequest {
    /// Seconds without a byte after which a request is given up.
    private static let stallSeconds = 15

    let easy: CURLEasy
    /// The bytes of the body that are in the file.
    private(set) var length: Int64 = 0
    /// The reason why it has ended itself.
    private(set) var failure: DocumentAnswer.Failure?
    /// The maximum length of the body.
    let limit: Int64
    private let file: Int32

    /// Prepares a request for `url`, which may last so many seconds. Nil if there is no memory.
    init?(
        _ call: FetchDocument, url: String, file: Int32, seconds: Double,
        _ settings: DocumentEngine.Settings
    ) {
        let easy = CURLEasy(
            url, userAgent: settings.userAgent, certificateFile: settings.certificateFile)
        guard let easy else { return nil }
        self.easy = easy
        self.file = file
        limit = call.limit ?? FetchDocument.limit
        // A validator could not be sent back byte for byte.
        easy.acceptsMalformedLines = false
        // Whatever libcurl can decompress.
        easy.set(CURLOPT_ACCEPT_ENCODING, "")
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stallSeconds),
            (CURLOPT_CONNECTTIMEOUT, Self.stallSeconds),
            (CURLOPT_TIMEOUT_MS, Int(max(1, (seconds * 1000).rounded(.up)))),
        ]
        for (option, number) in numbers { easy.set(option, number) }
        var fields = [
            "Accept: application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.5"
        ]
        if let tag = call.etag { fields.append("If-None-Match: \(tag)") }
        if let date = call.modified { fields.append("If-Modified-Since: \(date)") }
        easy.set(fields: fields)
        easy.onBody = { [unowned self] bytes in
            unsafe store(body: bytes) ? bytes.count : bytes.count + 1
        }
    }

    /// Stores the body of a success only. Returns false to end the request.
    private func store(body: UnsafeRawBufferPointer) -> Bool {
        guard 200...299 ~= easy.status else { return true }
        guard length + Int64(body.count) <= limit else {
            failure = .tooLarge
            return false
        }
        guard unsafe writeAll(body, to: file, at: length) == 0 else {
            failure = .storage
            return false
        }
        length += Int64(body.count)
        return true
    }
}
