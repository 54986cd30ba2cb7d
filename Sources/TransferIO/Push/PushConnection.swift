import CCurl

/// A request whose answer is taken as it comes. Used on the engine's thread, and by libcurl within
/// its calls.
@safe
final class PushConnection {
    private static let connectSeconds = 30

    /// Libcurl's transfer.
    let handle: CURLPointer
    /// What came since this was read last.
    var received: [UInt8] = []
    /// How many bytes are taken at most.
    private let limit: Int
    private var count = 0
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request. Nil if there is no memory.
    init?(_ url: String, limit: Int = .max, settings: PushEngine.Settings) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = CURLPointer(handle)
        self.limit = limit
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for (option, text) in [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_REDIR_PROTOCOLS_STR, "http,https"), (CURLOPT_USERAGENT, settings.userAgent),
        ] { set(option, text) }
        if let file = settings.certificateFile { set(CURLOPT_CAINFO, file) }
        for (option, number) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_FAILONERROR, 1), (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
        ] { unsafe ccurl_set_long(raw, option, number) }
        unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let connection = unsafe Unmanaged<PushConnection>.fromOpaque(context)
                .takeUnretainedValue()
            let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            // Any other number ends the request.
            return unsafe connection.take(body) ? size * count : size * count + 1
        }
    }

    deinit {
        unsafe curl_easy_cleanup(raw)
        unsafe errorText.deallocate()
    }

    /// Whether it has ended because more came than is taken.
    var isFull: Bool { count >= limit }

    /// What libcurl says about a failure.
    var trouble: String {
        let text = unsafe String(cString: errorText)
        return text.isEmpty ? "The connection was lost" : text
    }

    private var raw: UnsafeMutableRawPointer { unsafe handle.raw }

    private func set(_ option: CURLoption, _ text: String) {
        _ = unsafe text.withCString { unsafe ccurl_set_pointer(raw, option, $0) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = min(bytes.count, limit - count)
        unsafe received.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<room]))
        count += room
        return room == bytes.count
    }
}
