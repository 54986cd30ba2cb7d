import CUndersongCurl
import UndersongTransfers

/// A request of a stream on its way. Used on the engine's thread, and by libcurl within its calls.
final class StreamConnection {
    /// Seconds without a byte after which a connection is given up: a player waits for them.
    private static let stallSeconds = 15
    private static let bufferSize = 64 * 1024
    /// The bytes that the kernel may receive while nothing is read, besides what is read ahead.
    private static let kernelBuffer = 256 * 1024

    /// The reports of a connection, within libcurl's calls.
    @safe
    struct Reports {
        /// The header is complete. Returns true if the body is wanted.
        var head: (StreamConnection) -> Bool
        /// Bytes of the body. Returns true if there is to be more.
        var body: (StreamConnection, UnsafeRawBufferPointer) -> Bool
    }

    let easy: CURLEasy
    private let reports: Reports
    /// True if the body is wanted; nil until the header is complete.
    private(set) var isAccepted: Bool?

    /// Prepares a request. Nil if there is no memory.
    init?(_ request: StreamPlan.Request, settings: StreamEngine.Settings, _ reports: Reports) {
        let easy = CURLEasy(
            request.url, userAgent: settings.userAgent, certificateFile: settings.certificateFile)
        guard let easy else { return nil }
        self.easy = easy
        self.reports = reports
        if request.offset > 0 { easy.set(CURLOPT_RANGE, "\(request.offset)-") }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stallSeconds),
            (CURLOPT_CONNECTTIMEOUT, Self.stallSeconds), (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_TCP_KEEPIDLE, 60), (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_BUFFERSIZE, Self.bufferSize),
            // In HTTP/2, libcurl would keep in memory what comes while nothing is read.
            (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
        ]
        for (option, number) in numbers { easy.set(option, number) }
        // As SHOUTcast answers.
        easy.accept(statusLine: "ICY 200 OK")
        easy.setReceiveBuffer(Self.kernelBuffer)
        let condition = request.ifRange.map { ["If-Range: \($0)"] } ?? []
        easy.set(fields: ["Accept-Encoding: identity", "Icy-MetaData: 1"] + condition)
        easy.onBody = { [unowned self] bytes in
            unsafe receive(body: bytes) ? bytes.count : bytes.count + 1
        }
    }

    /// Has the response judged, if it was not. Returns true if it is accepted.
    @discardableResult
    func decide() -> Bool {
        if let isAccepted { return isAccepted }
        let answer = reports.head(self)
        isAccepted = answer
        return answer
    }

    private func receive(body: UnsafeRawBufferPointer) -> Bool {
        guard decide() else { return false }
        return unsafe reports.body(self, body)
    }
}
