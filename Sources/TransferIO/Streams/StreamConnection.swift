import CCurl
import Glibc
import Transfers

/// A request of a stream on its way. Used on the engine's thread, and by libcurl within its calls.
@safe
final class StreamConnection {
    /// Seconds without a byte after which a connection is given up: a player waits for them.
    private static let stallSeconds = 15
    private static let bufferSize = 64 * 1024

    /// What a connection reports, within libcurl's calls.
    @safe
    struct Reports {
        /// The header is complete. Returns whether the body is wanted.
        var head: (StreamConnection) -> Bool
        /// Bytes of the body. Returns whether there is to be more.
        var body: (StreamConnection, UnsafeRawBufferPointer) -> Bool
    }

    /// Libcurl's transfer.
    let handle: CURLPointer
    private let url: String
    private let reports: Reports
    /// Whether the body is wanted; nil until the header is complete.
    private(set) var isAccepted: Bool?
    private var lines: [String] = []
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request. Nil if there is no memory.
    init?(_ request: StreamPlan.Request, settings: StreamEngine.Settings, _ reports: Reports) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = CURLPointer(handle)
        url = request.url
        self.reports = reports
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        configure(request, settings)
    }

    deinit {
        unsafe curl_easy_cleanup(handle.raw)
        unsafe curl_slist_free_all(fieldList)
        unsafe errorText.deallocate()
    }

    /// The response, as far as it has come.
    var head: ResponseHead {
        let status = unsafe ccurl_get_long(raw, CURLINFO_RESPONSE_CODE)
        let text = unsafe ccurl_get_text(raw, CURLINFO_EFFECTIVE_URL)
        let address = unsafe text.map { unsafe String(cString: $0) } ?? url
        var head = ResponseHead(status: status, url: address)
        for line in lines { head.add(line: line) }
        return head
    }

    /// What libcurl says about a failure.
    var trouble: String {
        let text = unsafe String(cString: errorText)
        return text.isEmpty ? "The connection was lost" : text
    }

    /// Has the response judged, if it was not. Returns whether it is accepted.
    @discardableResult
    func decide() -> Bool {
        if let isAccepted { return isAccepted }
        let answer = reports.head(self)
        isAccepted = answer
        return answer
    }

    /// Takes no more bytes for now, or takes them again.
    func setPaused(_ isPaused: Bool) {
        unsafe curl_easy_pause(raw, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    }

    private var raw: UnsafeMutableRawPointer { unsafe handle.raw }

    private func configure(_ request: StreamPlan.Request, _ settings: StreamEngine.Settings) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, settings.userAgent)
        if let file = settings.certificateFile { set(CURLOPT_CAINFO, file) }
        if request.offset > 0 { set(CURLOPT_RANGE, "\(request.offset)-") }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stallSeconds),
            (CURLOPT_CONNECTTIMEOUT, Self.stallSeconds), (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_TCP_KEEPIDLE, 60), (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_BUFFERSIZE, Self.bufferSize),
        ]
        for (option, number) in numbers { unsafe ccurl_set_long(raw, option, number) }
        var fields = ["Accept-Encoding: identity", "Icy-MetaData: 1"]
        if let validator = request.ifRange { fields.append("If-Range: \(validator)") }
        for field in fields { unsafe fieldList = curl_slist_append(fieldList, field) }
        unsafe ccurl_set_pointer(raw, CURLOPT_HTTPHEADER, fieldList)
        unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_pointer(raw, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let connection = unsafe Unmanaged<StreamConnection>.fromOpaque(context)
                .takeUnretainedValue()
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            unsafe connection.take(line: String(decoding: line, as: UTF8.self))
            return size * count
        }
        unsafe ccurl_set_callback(raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let connection = unsafe Unmanaged<StreamConnection>.fromOpaque(context)
                .takeUnretainedValue()
            let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            // Any other number ends the request.
            return unsafe connection.take(body: body) ? size * count : size * count + 1
        }
    }

    private func set(_ option: CURLoption, _ text: String) {
        _ = unsafe text.withCString { unsafe ccurl_set_pointer(raw, option, $0) }
    }

    /// Keeps the header of the last response only: the others are redirects.
    private func take(line: String) {
        // Old stations answer `ICY 200 OK`.
        if line.hasPrefix("HTTP/") || line.hasPrefix("ICY ") { lines = [] }
        lines.append(line)
    }

    private func take(body: UnsafeRawBufferPointer) -> Bool {
        guard decide() else { return false }
        return unsafe reports.body(self, body)
    }
}
