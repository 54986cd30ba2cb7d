import CCurl
import Glibc
import Transfers

/// A request on its way. Used on the engine's thread, and by libcurl within its calls.
@safe
final class HTTPTransfer {
    let id: Int
    let attempt: TransferAttempt
    /// Libcurl's transfer.
    let handle: CURLPointer
    /// Asked before the first byte of the body is written: the part to write it into, or nil to end
    /// the request.
    private let accept: (HTTPTransfer) -> PartFile?
    /// What is sent, if anything is.
    let body: BodyFile?
    private(set) var part: PartFile?
    /// When the part was last known to have reached the disk, in seconds since the machine started.
    var syncTime = 0.0
    /// Called after bytes of the body were written to the part.
    var onWrite: (HTTPTransfer) -> Void = { _ in }
    /// Bytes that wait for the disk before the server has to wait, too.
    private static let patience: Int64 = 32 << 20
    /// Whether the server waits for the disk.
    private var isPaused = false
    /// Whether the response is refused.
    private var isRefused = false
    /// Whether `accept` was asked.
    private(set) var isDecided = false
    /// Why a byte could not be written, as `errno`.
    private(set) var writeError: Int32 = 0
    private var lines: [String] = []
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request at about `speed` bytes per second, nil for no limit. Nil if there is no
    /// memory.
    init?(
        id: Int, _ attempt: TransferAttempt, _ body: BodyFile?,
        settings: TransferEngine.Settings, speed: Int64?,
        accept: @escaping (HTTPTransfer) -> PartFile?
    ) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        self.id = id
        self.attempt = attempt
        self.accept = accept
        self.body = body
        unsafe self.handle = CURLPointer(handle)
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        configure(settings, speed)
    }

    deinit {
        unsafe curl_easy_cleanup(handle.raw)
        unsafe curl_slist_free_all(fieldList)
        unsafe errorText.deallocate()
    }

    /// The response, as far as it has come.
    var head: ResponseHead {
        let status = unsafe ccurl_get_long(raw, CURLINFO_RESPONSE_CODE)
        let url = unsafe ccurl_get_text(raw, CURLINFO_EFFECTIVE_URL)
        let text = unsafe url.map { unsafe String(cString: $0) } ?? attempt.url
        var head = ResponseHead(status: status, url: text)
        for line in lines { head.add(line: line) }
        return head
    }

    /// What libcurl says about a failure.
    var trouble: String {
        let text = unsafe String(cString: errorText)
        return text.isEmpty ? "The connection fails" : text
    }

    /// Limits the speed, in bytes per second; 0 for no limit.
    func limit(_ speed: Int64) {
        unsafe ccurl_set_large(raw, CURLOPT_MAX_RECV_SPEED_LARGE, curl_off_t(speed))
    }

    /// Continues, if the server has waited for the disk.
    func resumeIfPaused() {
        guard isPaused, let part, part.unsyncedLength < Self.patience else { return }
        isPaused = false
        unsafe curl_easy_pause(raw, CURLPAUSE_CONT)
    }

    /// Has the response judged, if it was not. Returns whether it is accepted.
    func decide() -> Bool {
        guard !isDecided else { return !isRefused }
        isDecided = true
        part = accept(self)
        isRefused = part == nil
        return !isRefused
    }

    var raw: UnsafeMutableRawPointer { unsafe handle.raw }

    private func configure(_ settings: TransferEngine.Settings, _ speed: Int64?) {
        set(CURLOPT_URL, attempt.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, settings.userAgent)
        if let file = settings.certificateFile { set(CURLOPT_CAINFO, file) }
        if attempt.offset > 0 { set(CURLOPT_RANGE, "\(attempt.offset)-") }
        let stall = max(1, Int(attempt.stallTimeout.rounded()))
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, stall),
            (CURLOPT_CONNECTTIMEOUT, stall), (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_TCP_KEEPIDLE, 60), (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_BUFFERSIZE, Self.bufferSize(speed)),
        ]
        for (option, number) in numbers { unsafe ccurl_set_long(raw, option, number) }
        if attempt.avoidsHTTP2 {
            unsafe ccurl_set_long(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        var fields = ["Accept-Encoding: identity"]
        if let validator = attempt.ifRange { fields.append("If-Range: \(validator)") }
        // Libcurl leaves a field out that has no value, unless its name ends in a semicolon.
        fields += attempt.fields.map {
            $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
        }
        fields += setMethod()
        for field in fields { unsafe fieldList = curl_slist_append(fieldList, field) }
        unsafe ccurl_set_pointer(raw, CURLOPT_HTTPHEADER, fieldList)
        unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_pointer(raw, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context)
                .takeUnretainedValue()
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            unsafe transfer.take(line: String(decoding: line, as: UTF8.self))
            return size * count
        }
        unsafe ccurl_set_callback(raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context)
                .takeUnretainedValue()
            let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            return unsafe transfer.take(body: body)
        }
    }

    /// Bytes that are received at a time. More is hardly faster, and each transfer has its own.
    private static let largestBuffer = 64 * 1024

    /// Libcurl looks at a limit after a hundred buffers, so a second's bytes are to be in those.
    private static func bufferSize(_ speed: Int64?) -> Int {
        speed.map { Int(min(max($0 / 100, 1024), Int64(largestBuffer))) } ?? largestBuffer
    }

    func set(_ option: CURLoption, _ text: String) {
        _ = unsafe text.withCString { unsafe ccurl_set_pointer(raw, option, $0) }
    }

    /// Keeps the header of the last response only: the others are redirects.
    private func take(line: String) {
        if line.hasPrefix("HTTP/") { lines = [] }
        lines.append(line)
    }

    /// Returns what libcurl wants to know: any number other than that of the bytes ends the
    /// request, or interrupts it.
    private func take(body: UnsafeRawBufferPointer) -> Int {
        guard decide(), let part else { return body.count + 1 }
        // The answer to an upload is kept as far as it is short.
        guard self.body == nil || part.length + Int64(body.count) <= Self.longestAnswer else {
            return body.count
        }
        guard part.unsyncedLength < Self.patience else {
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        writeError = unsafe part.append(body)
        onWrite(self)
        return writeError == 0 ? body.count : body.count + 1
    }
}

/// A pointer of libcurl's.
@safe
struct CURLPointer: @unchecked Sendable, Equatable {
    // Unchecked: the only call on other threads is `curl_multi_wakeup`, which is made for that.
    let raw: UnsafeMutableRawPointer

    init(_ raw: UnsafeMutableRawPointer) { unsafe self.raw = raw }
}
