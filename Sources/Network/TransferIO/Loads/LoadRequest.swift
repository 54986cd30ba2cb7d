import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// One request of a load, without its redirects. Used on the engine's thread, and by libcurl within its
/// calls.
final class LoadRequest {
    /// The treatment of a body.
    enum Treatment {
        /// The bytes go into the pipe.
        case pass
        /// They are thrown away.
        case drop
        /// They wait, until the client has answered a challenge.
        case hold
    }

    let easy: CURLEasy
    /// Called once the header is complete, before anything of the body.
    private let judge: (LoadRequest) -> Treatment
    private let pipe: Int32
    private(set) var treatment: Treatment?
    /// Bytes that were received and for which the pipe had no room yet.
    private var rest: [UInt8] = []
    /// True if the server waits until there is room.
    private var isPaused = false
    /// The `errno` of a pipe that cannot be written; 0 if it can be.
    private(set) var pipeError: Int32 = 0
    /// The bytes that had come and gone at the last look, and the time when there were fewer.
    private var movement: (count: Int64, time: Double)
    private let body: BodyFile?

    /// Prepares a request, which may last so many seconds. Nil if there is no memory.
    init?(
        _ url: String, method: String, fields: [SessionTask.Field],
        credential: ServerCredential?, body: BodyFile?, pipe: Int32, seconds: Double,
        now: Double, _ settings: LoadEngine.Settings, judge: @escaping (LoadRequest) -> Treatment
    ) {
        let easy = CURLEasy(
            url, userAgent: settings.userAgent, certificateFile: settings.certificateFile)
        guard let easy else { return nil }
        self.easy = easy
        self.judge = judge
        self.pipe = pipe
        self.body = body
        movement = (0, now)
        // Whatever libcurl can decompress.
        easy.set(CURLOPT_ACCEPT_ENCODING, "")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_TIMEOUT_MS, Int(max(1, (min(seconds, 1e6) * 1000).rounded(.up))))
        if let credential { easy.set(credential) }
        let lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        easy.set(fields: lines + easy.setMethod(method, fields, body))
        easy.onBody = { [unowned self] in unsafe receive(body: $0) }
    }

    /// True if everything that was received is in the pipe.
    var isFlushed: Bool { rest.isEmpty }

    /// The time at which it is stalled, unless something comes or goes, in seconds since the machine
    /// started.
    func stallDue(_ stall: Double) -> Double {
        isPaused ? .infinity : movement.time + stall
    }

    /// Returns true if nothing has come or gone for `stall` seconds.
    func stalls(_ stall: Double, at now: Double) -> Bool {
        let count = Int64(easy.arrivals) + (body?.position ?? 0)
        if isPaused || count != movement.count { movement = (count, now) }
        return now >= stallDue(stall)
    }

    /// Has the response judged, unless that was done.
    func decide() -> Treatment {
        if let treatment { return treatment }
        let decision = judge(self)
        treatment = decision
        return decision
    }

    /// Passes on a body that was held.
    func release() {
        treatment = .pass
        resume()
    }

    /// Writes what has waited for room, and has the server continue when all is written. Returns true
    /// once it is.
    func flush() -> Bool {
        guard !rest.isEmpty else { return true }
        let count = unsafe rest.withUnsafeBytes { unsafe write(bytes: $0) }
        rest.removeFirst(count)
        if pipeError != 0 { rest = [] }
        guard rest.isEmpty else { return false }
        resume()
        return true
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        easy.setPaused(false)
    }

    /// Returns what libcurl wants to know: any other number than that of the bytes ends the request,
    /// or interrupts it.
    private func receive(body: UnsafeRawBufferPointer) -> Int {
        switch decide() {
        case .drop: return body.count
        case .pass where rest.isEmpty:
            let count = unsafe write(bytes: body)
            guard pipeError == 0 else { return body.count + 1 }
            unsafe rest = Array(body.dropFirst(count))
            return body.count
        case .hold, .pass:
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
    }

    /// Writes as many bytes as there is room for, and returns their number.
    private func write(bytes: UnsafeRawBufferPointer) -> Int {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe Glibc.write(pipe, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                if errno != EAGAIN { pipeError = errno }
                break
            }
            written += count
        }
        return written
    }
}
