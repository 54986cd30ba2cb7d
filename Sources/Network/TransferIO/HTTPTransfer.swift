import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// A request on its way. Used on the engine's thread, and by libcurl within its calls.
final class HTTPTransfer {
    let id: Int
    let attempt: TransferAttempt
    let easy: CURLEasy
    /// Asked before the first byte of the body is written: the part to write it into, or nil to end
    /// the request.
    private let accept: (HTTPTransfer) -> PartFile?
    /// The file that is sent, if any.
    let body: BodyFile?
    private(set) var part: PartFile?
    /// The last time at which the part had reached the disk, in seconds since the machine started.
    var syncTime = 0.0
    /// Called after bytes of the body were written to the part.
    var onWrite: (HTTPTransfer) -> Void = { _ in }
    /// Bytes that wait for the disk before the server has to wait, too.
    private static let patience: Int64 = 32 << 20
    /// True if the server waits for the disk.
    private var isPaused = false
    /// True if the response is refused.
    private var isRefused = false
    /// True if `accept` was asked.
    private(set) var isDecided = false
    /// True if nothing has come or gone for too long.
    private(set) var isStalled = false
    /// The bytes that had come and gone at the last look, and the time when there were fewer.
    private var movement: (count: Int64, time: Double)
    /// The `errno` of a byte that could not be written; 0 if there is none.
    private(set) var writeError: Int32 = 0

    /// Prepares a request, which begins `now`, in seconds since the machine started, at about `speed`
    /// bytes per second; nil for no limit. Nil if there is no memory.
    init?(
        id: Int, _ attempt: TransferAttempt, _ body: BodyFile?,
        settings: TransferEngine.Settings, speed: Int64?, now: Double,
        accept: @escaping (HTTPTransfer) -> PartFile?
    ) {
        let easy = CURLEasy(
            attempt.url, userAgent: settings.userAgent, certificateFile: settings.certificateFile)
        guard let easy else { return nil }
        self.id = id
        self.attempt = attempt
        self.easy = easy
        self.accept = accept
        self.body = body
        movement = (0, now)
        configure(speed)
        easy.onBody = { [unowned self] in unsafe receive(body: $0) }
    }

    /// Limits the speed, in bytes per second; 0 for no limit.
    func limit(_ speed: Int64) { easy.set(CURLOPT_MAX_RECV_SPEED_LARGE, large: speed) }

    /// The time at which it is stalled, unless something comes or goes, in seconds since the machine
    /// started. Libcurl's own limit is late by the seconds over which it takes the average.
    var stallDue: Double {
        isPaused ? .infinity : movement.time + max(1, attempt.stallTimeout)
    }

    /// Looks at what has come and gone. Returns true if the request has just stalled.
    func stalls(at now: Double) -> Bool {
        let count = Int64(easy.arrivals) + (body?.position ?? 0)
        if isPaused || count != movement.count { movement = (count, now) }
        guard !isStalled, now >= stallDue else { return false }
        isStalled = true
        return true
    }

    /// Continues, if the server has waited for the disk.
    func resumeIfPaused() {
        guard isPaused, let part, part.unsyncedLength < Self.patience else { return }
        isPaused = false
        easy.setPaused(false)
    }

    /// Has the response judged, if it was not. Returns true if it is accepted.
    func decide() -> Bool {
        guard !isDecided else { return !isRefused }
        isDecided = true
        part = accept(self)
        isRefused = part == nil
        return !isRefused
    }

    /// The whole seconds without a byte after which it fails; an app may wait for ever, which is taken
    /// as eleven days.
    private var stallSeconds: Int { max(1, Int(min(attempt.stallTimeout, 1e6).rounded())) }

    private func configure(_ speed: Int64?) {
        if attempt.offset > 0 { easy.set(CURLOPT_RANGE, "\(attempt.offset)-") }
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_CONNECTTIMEOUT, stallSeconds),
            (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_TCP_KEEPIDLE, 60),
            (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_BUFFERSIZE, Self.bufferSize(speed)),
        ]
        for (option, number) in numbers { easy.set(option, number) }
        if attempt.avoidsHTTP2 { easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
        var fields = ["Accept-Encoding: identity"]
        if let validator = attempt.ifRange { fields.append("If-Range: \(validator)") }
        // Libcurl leaves a field out that has no value, unless its name ends in a semicolon.
        fields += attempt.fields.map {
            $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
        }
        if let credential = attempt.credential { easy.set(credential) }
        easy.set(fields: fields + easy.setMethod(attempt.method, attempt.fields, body))
    }

    /// Bytes that are received at a time. More is hardly faster, and each transfer has its own.
    private static let largestBuffer = 64 * 1024

    /// Libcurl looks at a limit after a hundred buffers, so a second's bytes are to be in those.
    private static func bufferSize(_ speed: Int64?) -> Int {
        speed.map { Int(min(max($0 / 100, 1024), Int64(largestBuffer))) } ?? largestBuffer
    }

    /// Returns what libcurl wants to know: any number other than that of the bytes ends the
    /// request, or interrupts it.
    private func receive(body: UnsafeRawBufferPointer) -> Int {
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

extension HTTPTransfer {
    // MARK: Ends

    /// The end of the request after the file system has failed with `code`.
    func ending(storage code: Int32) -> TransferPolicy.Ending {
        .storage(code, at: part?.syncedLength ?? 0)
    }

    /// The end of the request with this result of libcurl's.
    func ending(_ result: CURLcode) -> TransferPolicy.Ending {
        let length = part?.length ?? 0
        switch result {
        case CURLE_OK where easy.head.isLengthBeyondCounting:
            return .lost("The server sends less than it announces", length)
        case CURLE_OK: return .complete(length)
        case CURLE_WRITE_ERROR where writeError != 0:
            return .storage(writeError, at: length)
        case CURLE_OPERATION_TIMEDOUT where isStalled:
            let time = stallSeconds == 1 ? "a second" : "\(stallSeconds) seconds"
            return .lost("Nothing has been received for \(time)", length)
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .lostHTTP2(easy.trouble, length)
        case CURLE_TOO_MANY_REDIRECTS:
            return .failed(
                TransferFailure(.tooManyRedirects, "The server redirects more than 20 times"))
        case CURLE_UNSUPPORTED_PROTOCOL where easy.status == 0:
            return .lost("The server does not answer in HTTP", length)
        case CURLE_UNSUPPORTED_PROTOCOL:
            return .failed(
                TransferFailure(
                    .unsupportedURL,
                    "The server redirects to a URL that is neither of HTTP nor of HTTPS"))
        case CURLE_URL_MALFORMAT:
            return .failed(
                TransferFailure(.unsupportedURL, "The URL is not valid: \(easy.trouble)"))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .failed(
                TransferFailure(
                    .certificate, "The server's certificate is not valid: \(easy.trouble)")
            )
        default: return .lost(easy.trouble, length)
        }
    }
}

extension TransferPolicy.Ending {
    /// The end of a request after a part of `length` bytes could not be written, for `errno` `code`.
    static func storage(_ code: Int32, at length: Int64) -> TransferPolicy.Ending {
        code == ENOSPC || code == EDQUOT
            ? .diskFull(length)
            : .failed(
                TransferFailure(
                    .storage, "The received bytes cannot be written: \(SystemError(code).reason)"))
    }
}

extension HTTPTransfer {
    /// Bytes of the answer to an upload that are kept.
    static let longestAnswer: Int64 = 1 << 20
}

extension CURLEasy {
    /// Sends a name and a password to the host of the URL, and to no other.
    func set(_ credential: ServerCredential) {
        set(CURLOPT_USERNAME, credential.user)
        set(CURLOPT_PASSWORD, credential.password)
        // CURLAUTH_BASIC and CURLAUTH_DIGEST, which are macros that Swift does not read.
        let method =
            switch credential.method {
            case .basic: 1
            case .digest: 2
            }
        set(CURLOPT_HTTPAUTH, method)
    }

    /// Sets the method, and the file that is sent, which has to live as long as the request. Returns
    /// header fields for that, beside `fields`.
    func setMethod(
        _ method: String, _ fields: [SessionTask.Field], _ body: BodyFile?
    ) -> [String] {
        guard let body else {
            switch method {
            case "GET": break
            case "HEAD": set(CURLOPT_NOBODY, 1)
            case "POST":
                set(CURLOPT_POST, 1)
                set(CURLOPT_POSTFIELDSIZE_LARGE, large: 0)
            default: set(CURLOPT_CUSTOMREQUEST, method)
            }
            return []
        }
        if method == "POST" {
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE_LARGE, large: body.length)
        } else {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_INFILESIZE_LARGE, large: body.length)
            if method != "PUT" { set(CURLOPT_CUSTOMREQUEST, method) }
        }
        send(body)
        // Libcurl would wait a second for servers that do not know this field. It adds a content
        // type of forms to what is posted, unless another is given.
        let isTyped = fields.contains { $0.name.lowercased() == "content-type" }
        return ["Expect:"] + (isTyped ? [] : ["Content-Type: application/octet-stream"])
    }

    /// Sends the bytes of `body`, which has to live as long as the request.
    private func send(_ body: BodyFile) {
        let context = unsafe Unmanaged.passUnretained(body).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_READDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return Int(CURL_READFUNC_ABORT) }
            let body = unsafe Unmanaged<BodyFile>.fromOpaque(context).takeUnretainedValue()
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return unsafe body.read(into: buffer) ?? Int(CURL_READFUNC_ABORT)
        }
        unsafe ccurl_set_pointer(raw, CURLOPT_SEEKDATA, context)
        unsafe ccurl_set_seek(raw) { context, offset, origin in
            guard let context = unsafe context, origin == SEEK_SET else {
                return CURL_SEEKFUNC_FAIL
            }
            let body = unsafe Unmanaged<BodyFile>.fromOpaque(context).takeUnretainedValue()
            return body.seek(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }
}
