import CCurl
import Glibc
import Transfers

/// One request for a document, without its redirects. Used on the engine's thread, and by libcurl
/// within its calls.
@safe
final class DocumentRequest {
    /// Seconds without a byte after which a request is given up.
    private static let stallSeconds = 15

    /// Libcurl's transfer.
    let handle: CURLPointer
    /// The bytes of the body that are in the file.
    private(set) var length: Int64 = 0
    /// Why it has ended itself.
    private(set) var failure: DocumentAnswer.Failure?
    private let order: DocumentOrder
    private let url: String
    private var lines: [String] = []
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request for `url`, which may last so many seconds. Nil if there is no memory.
    init?(
        _ order: DocumentOrder, url: String, seconds: Double, _ settings: DocumentEngine.Settings
    ) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = CURLPointer(handle)
        self.order = order
        self.url = url
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        configure(seconds, settings)
    }

    deinit {
        unsafe curl_easy_cleanup(handle.raw)
        unsafe curl_slist_free_all(fieldList)
        unsafe errorText.deallocate()
    }

    /// The response, as far as it has come.
    var head: ResponseHead {
        let status = unsafe ccurl_get_long(handle.raw, CURLINFO_RESPONSE_CODE)
        var head = ResponseHead(status: status, url: url)
        for line in lines { head.add(line: line) }
        return head
    }

    /// Where a redirect leads, as an absolute URL.
    var redirect: String? {
        unsafe ccurl_get_text(handle.raw, CURLINFO_REDIRECT_URL).map { unsafe String(cString: $0) }
    }

    /// What libcurl says about a failure.
    var trouble: String {
        let text = unsafe String(cString: errorText)
        return text.isEmpty ? "The connection was lost" : text
    }

    private func configure(_ seconds: Double, _ settings: DocumentEngine.Settings) {
        set(CURLOPT_URL, url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, settings.userAgent)
        // Whatever libcurl can decompress.
        set(CURLOPT_ACCEPT_ENCODING, "")
        if let file = settings.certificateFile { set(CURLOPT_CAINFO, file) }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stallSeconds),
            (CURLOPT_CONNECTTIMEOUT, Self.stallSeconds),
            (CURLOPT_TIMEOUT_MS, Int(max(1, (seconds * 1000).rounded(.up)))),
        ]
        for (option, number) in numbers { unsafe ccurl_set_long(handle.raw, option, number) }
        var fields = [
            "Accept: application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.5"
        ]
        if let tag = order.etag { fields.append("If-None-Match: \(tag)") }
        if let date = order.modified { fields.append("If-Modified-Since: \(date)") }
        for field in fields { unsafe fieldList = curl_slist_append(fieldList, field) }
        unsafe ccurl_set_pointer(handle.raw, CURLOPT_HTTPHEADER, fieldList)
        unsafe ccurl_set_pointer(handle.raw, CURLOPT_ERRORBUFFER, errorText)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(handle.raw, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_pointer(handle.raw, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_callback(handle.raw, CURLOPT_HEADERFUNCTION) {
            bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let request = unsafe Unmanaged<DocumentRequest>.fromOpaque(context)
                .takeUnretainedValue()
            let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            unsafe request.take(line: line)
            return size * count
        }
        unsafe ccurl_set_callback(handle.raw, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let request = unsafe Unmanaged<DocumentRequest>.fromOpaque(context)
                .takeUnretainedValue()
            let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
            // Any other number ends the request.
            return unsafe request.take(body: body) ? size * count : size * count + 1
        }
    }

    private func set(_ option: CURLoption, _ text: String) {
        _ = unsafe text.withCString { unsafe ccurl_set_pointer(handle.raw, option, $0) }
    }

    /// A line that is not UTF-8 is left out: it could not be sent back byte for byte.
    private func take(line bytes: UnsafeRawBufferPointer) {
        guard let line = unsafe String(validating: bytes, as: UTF8.self) else { return }
        // What came before was not final.
        if line.hasPrefix("HTTP/") { lines = [] }
        lines.append(line)
    }

    /// Keeps the body of a success only.
    private func take(body: UnsafeRawBufferPointer) -> Bool {
        let status = unsafe ccurl_get_long(handle.raw, CURLINFO_RESPONSE_CODE)
        guard 200...299 ~= status else { return true }
        guard length + Int64(body.count) <= order.limit else {
            failure = .tooLarge
            return false
        }
        var written = 0
        while written < body.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: body[written...])
            let count = unsafe pwrite(
                order.file, rest.baseAddress, rest.count, off_t(length) + off_t(written))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                failure = .storage
                return false
            }
            written += count
        }
        length += Int64(body.count)
        return true
    }
}
