import Dispatch
import Glibc

/// The connection of a client. It belongs to the front end, on whose queue its sources report.
final class MPDConnection {
    /// The longest line that is accepted.
    static let longestLine = 64 * 1024
    /// With more bytes than this waiting to be sent, no command is performed.
    static let replyRoom = 64 * 1024
    private static let most = 16 * 1024

    let client: MPDClient
    /// True while a command is being performed.
    var isBusy = false
    /// True if the peer sends no more.
    private(set) var hasEnded = false
    /// True once the connection is of no use.
    private(set) var isClosed = false
    private let descriptor: Int32
    private var input: [UInt8] = []
    /// The index of the first byte in the input that is not known to be no line feed.
    private var searched = 0
    private var output: [UInt8] = []
    /// The number of bytes of the output that were sent.
    private var sent = 0
    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private var isReading = true
    private var isWriting = false
    private var closesWhenSent = false

    /// Takes over the descriptor of a socket that does not block. `onInput` and `onRoom` are called
    /// on `queue`.
    init(
        _ descriptor: Int32, client: MPDClient, queue: DispatchQueue,
        onInput: @escaping @Sendable () -> Void, onRoom: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.client = client
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reading.setEventHandler(handler: onInput)
        writing.setEventHandler(handler: onRoom)
        // The descriptor must stay open until neither source uses it.
        let group = DispatchGroup()
        group.enter()
        group.enter()
        reading.setCancelHandler { group.leave() }
        writing.setCancelHandler { group.leave() }
        group.notify(queue: queue) { Glibc.close(descriptor) }
        reading.activate()
    }

    /// True if the next line may be handled.
    var isReady: Bool {
        !isBusy && !isClosed && !closesWhenSent && output.count - sent <= Self.replyRoom
    }

    /// True if nothing is left to send.
    private var isSent: Bool { sent == output.count }

    /// Reads what has arrived, unless earlier lines still wait.
    func receive() {
        guard !isClosed else { return }
        guard isReady else { return pauseReading() }
        var bytes = [UInt8](repeating: 0, count: Self.most)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            input += bytes[..<count]
        } else if count == 0 {
            hasEnded = true
            pauseReading()
        } else if ![EAGAIN, EINTR].contains(errno) {
            close()
        }
    }

    /// The next line without its end and the blanks there; nil if it is not complete. A line that is
    /// too long closes the connection.
    func nextLine() -> [UInt8]? {
        guard let end = input[searched...].firstIndex(of: 0x0a) else {
            searched = input.count
            if input.count > Self.longestLine { close() }
            return nil
        }
        var line = input[..<end]
        while line.last?.isBlank == true { line.removeLast() }
        let text = Array(line)
        input.removeFirst(end + 1)
        searched = 0
        return text
    }

    /// Continues to read once the client may send commands again.
    func resumeReading() {
        guard !isReading, !isClosed, !hasEnded, isReady else { return }
        isReading = true
        reading.resume()
    }

    private func pauseReading() {
        guard isReading else { return }
        isReading = false
        reading.suspend()
    }

    /// Sends bytes, now or when there is room.
    func send(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        output += bytes
        if !isWriting { flush() }
    }

    /// Sends as much as there is room for.
    func flush() {
        while !isClosed, !isSent {
            let count = unsafe output.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(
                    descriptor, rest.baseAddress, rest.count,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                guard [EAGAIN, EINTR].contains(errno) else { return close() }
                break
            }
            sent += count
        }
        guard !isClosed else { return }
        if isSent { (output, sent) = ([], 0) }
        follow(isWaiting: !isSent)
        if isSent, closesWhenSent { close() }
    }

    /// Waits for room, or no longer.
    private func follow(isWaiting: Bool) {
        guard isWaiting != isWriting else { return }
        isWriting = isWaiting
        if isWaiting { writing.resume() } else { writing.suspend() }
    }

    /// Closes the connection once everything is sent.
    func closeWhenSent() {
        closesWhenSent = true
        if isSent { close() }
    }

    /// Closes the connection; what was not sent is lost.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        (input, output, sent) = ([], [], 0)
        // A source that is suspended is never released.
        if !isReading { reading.resume() }
        if !isWriting { writing.resume() }
        reading.cancel()
        writing.cancel()
    }
}
