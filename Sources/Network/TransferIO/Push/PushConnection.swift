import CUndersongCurl

/// A request whose answer is read as it comes. Used on the engine's thread, and by libcurl within
/// its calls.
final class PushConnection {
    private static let connectSeconds = 30
    /// The bytes that may wait to be read; then the server has to wait.
    private static let capacity = 128 * 1024

    let easy: CURLEasy
    /// The bytes that have come since the last `read`.
    private(set) var received: [UInt8] = []
    /// The most bytes that are received.
    private let limit: Int
    private var count = 0
    /// True while the server has to wait.
    private var isPaused = false

    /// Prepares a request. Nil if there is no memory.
    init?(_ url: String, limit: Int = .max, settings: PushEngine.Settings) {
        let easy = CURLEasy(
            url, userAgent: settings.userAgent, certificateFile: settings.certificateFile)
        guard let easy else { return nil }
        self.easy = easy
        self.limit = limit
        for (option, number) in [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 20),
            (CURLOPT_FAILONERROR, 1), (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
        ] { easy.set(option, number) }
        easy.onBody = { [unowned self] in unsafe receive($0) }
    }

    /// True if it has ended because more came than `limit`.
    var isFull: Bool { count >= limit }

    /// Reads what has come, and has more come.
    func read() -> [UInt8] {
        let bytes = received
        received = []
        if isPaused {
            isPaused = false
            easy.setPaused(false)
        }
        return bytes
    }

    /// Returns the answer for libcurl: another number than that of the bytes ends the request, or
    /// interrupts it.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count < Self.capacity else {
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        let room = min(bytes.count, limit - count)
        unsafe received.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<room]))
        count += room
        return room == bytes.count ? room : bytes.count + 1
    }
}
