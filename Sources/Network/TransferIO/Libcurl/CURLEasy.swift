import CUndersongCurl
import UndersongTransfers

/// One request of libcurl's, by HTTP or HTTPS. Used on one thread, and by libcurl within its calls.
@safe
final class CURLEasy {
    /// Identifies a request among those that exist.
    typealias ID = UInt

    /// Libcurl's transfer.
    let raw: UnsafeMutableRawPointer
    /// Receives the bytes of a body. Returns their number, or what else libcurl has to know: any
    /// other number ends the request, or interrupts it.
    @safe var onBody: (UnsafeRawBufferPointer) -> Int = { $0.count }
    /// True if a line of the header that is not UTF-8 counts, with its bad bytes replaced.
    var acceptsMalformedLines = true
    /// Counts what has come: it differs from before if anything has.
    private(set) var arrivals = 0
    private let url: String
    private var lines: [String] = []
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    private var aliasList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// Prepares a request for `url`. `certificateFile` has the certificates to trust; nil for the
    /// system's. Nil if there is no memory.
    init?(_ url: String, userAgent: String, certificateFile: String?) {
        guard let raw = unsafe curl_easy_init() else { return nil }
        unsafe self.raw = raw
        self.url = url
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_URL, url)
        // Of redirects, too.
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, userAgent)
        if let certificateFile { set(CURLOPT_CAINFO, certificateFile) }
        set(CURLOPT_NOSIGNAL, 1)
        // Otherwise the end of a request waits for the thread that looks up its name, up to half a
        // minute, and all other requests of this engine with it.
        set(CURLOPT_QUICK_EXIT, 1)
        unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText)
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(raw)
        unsafe curl_slist_free_all(fieldList)
        unsafe curl_slist_free_all(aliasList)
        unsafe errorText.deallocate()
    }

    var id: ID { unsafe ID(bitPattern: raw) }

    // MARK: Options

    func set(_ option: CURLoption, _ text: String) {
        _ = unsafe text.withCString { unsafe ccurl_set_pointer(raw, option, $0) }
    }

    func set(_ option: CURLoption, _ number: Int) { unsafe ccurl_set_long(raw, option, number) }

    /// For options that take 64 bits everywhere.
    func set(_ option: CURLoption, large number: Int64) {
        unsafe ccurl_set_large(raw, option, curl_off_t(number))
    }

    /// The fields of the request's header, each `Name: value`. Called once.
    func set(fields: [String]) {
        for field in fields { unsafe fieldList = curl_slist_append(fieldList, field) }
        unsafe ccurl_set_pointer(raw, CURLOPT_HTTPHEADER, fieldList)
    }

    /// Posts these bytes, of which libcurl makes a copy.
    func post(_ bytes: [UInt8]) {
        set(CURLOPT_POST, 1)
        set(CURLOPT_POSTFIELDSIZE_LARGE, large: Int64(bytes.count))
        _ = unsafe bytes.withUnsafeBytes {
            unsafe ccurl_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
        }
    }

    /// Accepts this first line of a response as one of HTTP/1.0 with the status 200. Called once.
    func accept(statusLine: String) {
        unsafe aliasList = curl_slist_append(aliasList, statusLine)
        unsafe ccurl_set_pointer(raw, CURLOPT_HTTP200ALIASES, aliasList)
    }

    /// Limits how many bytes the kernel keeps while no more are taken.
    func setReceiveBuffer(_ bytes: Int) { unsafe ccurl_set_receive_buffer(raw, bytes) }

    /// Takes no more bytes for now, or takes them again.
    func setPaused(_ isPaused: Bool) {
        unsafe curl_easy_pause(raw, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    }

    // MARK: The response

    var status: Int { unsafe ccurl_get_long(raw, CURLINFO_RESPONSE_CODE) }

    /// The `errno` of a failed connection; 0 if there is none.
    var systemError: Int32 { Int32(unsafe ccurl_get_long(raw, CURLINFO_OS_ERRNO)) }

    /// The response, as far as it has come.
    var head: ResponseHead {
        var head = ResponseHead(status: status, url: text(CURLINFO_EFFECTIVE_URL) ?? url)
        for line in lines { head.add(line: line) }
        return head
    }

    /// The target of a redirect that is not followed, as an absolute URL.
    var redirect: String? { text(CURLINFO_REDIRECT_URL) }

    /// Libcurl's text for a failure.
    var trouble: String {
        let text = unsafe String(cString: errorText)
        return text.isEmpty ? "The connection was lost" : text
    }

    private func text(_ info: CURLINFO) -> String? {
        unsafe ccurl_get_text(raw, info).map { unsafe String(cString: $0) }
    }

    private func setCallbacks() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_pointer(raw, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let request = unsafe Unmanaged<CURLEasy>.fromOpaque(context).takeUnretainedValue()
            request.arrivals += 1
            unsafe request.store(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        unsafe ccurl_set_callback(raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let request = unsafe Unmanaged<CURLEasy>.fromOpaque(context).takeUnretainedValue()
            request.arrivals += 1
            return unsafe request.onBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// Stores a line of the header of the last response: the others are redirects, or not final.
    private func store(line bytes: UnsafeRawBufferPointer) {
        let exact = unsafe String(validating: bytes, as: UTF8.self)
        guard
            let line = exact
                ?? (acceptsMalformedLines ? unsafe String(decoding: bytes, as: UTF8.self) : nil)
        else { return }
        // Old stations answer `ICY 200 OK`.
        if line.hasPrefix("HTTP/") || line.hasPrefix("ICY ") { lines = [] }
        lines.append(line)
    }
}
