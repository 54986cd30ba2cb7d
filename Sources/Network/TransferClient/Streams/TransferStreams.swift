import CUndersongLinux
import Glibc
import Synchronization
package import UndersongBase
import UndersongControl
package import UndersongPlayback
import UndersongTransfers

/// Streams that `undersong-transferd` fetches: this process has no network. It connects when a
/// stream is wanted, starts the program if none runs, and leaves it when no stream is open.
///
/// Any thread may use it.
package final class TransferStreams: NetworkStreams {
    /// One stream, as long as it has readers.
    private final class Entry: Sendable {
        struct State {
            weak var stream: TransferStream?
            /// The number of the last connection on which it was asked for.
            var connection = 0
            /// Its number on that connection; nil until it is opened.
            var id: Int?
            /// The bytes that its reader wants.
            var wanted: (from: Int64, until: Int64)?
        }

        let url: String
        let isForText: Bool
        let state = Mutex(State())

        init(_ url: String, isForText: Bool) {
            self.url = url
            self.isForText = isForText
        }

        var stream: TransferStream? { state.withLock { $0.stream } }

        /// Its number on a connection; nil if it has none there, or not yet.
        func id(on connection: Int) -> Int? {
            state.withLock { $0.connection == connection ? $0.id : nil }
        }

        /// True if it is to be asked for on a connection, which it was not yet.
        func beginOpening(on connection: Int) -> Bool {
            state.withLock { state in
                guard state.connection < connection else { return false }
                (state.connection, state.id) = (connection, nil)
                return true
            }
        }
    }

    private typealias Connection = ControlLink.Connection

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var backoff = Backoff(seconds: 0.5...5)
        var observers: [Int: @Sendable (any NetworkStream) -> Bool] = [:]
        var lastObserver = 0
        /// The number of bytes to read ahead of streams, by their URLs, if it is not the usual one.
        var readAheads: [String: Int64] = [:]
    }

    private let link: ControlLink
    private let folder: String?
    private let clock: any HostClock
    private let waitsForServers: Bool
    private let whenAnswered: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates streams of the program at `location`, whose bytes are in files without names in
    /// `folder`, or in memory for nil. `name` identifies this process to the program. Without
    /// `waitsForServers` a stream whose server does not answer the first attempt has failed.
    /// `whenAnswered` is called, on any thread, when the program has answered a request.
    package init(
        _ location: TransferLocation, folder: String?, name: String, clock: any HostClock,
        waitsForServers: Bool = true, whenAnswered: @escaping @Sendable () -> Void = {}
    ) {
        link = ControlLink(location, name: name, clock: clock)
        self.folder = folder
        self.clock = clock
        self.waitsForServers = waitsForServers
        self.whenAnswered = whenAnswered
    }

    package func observe(_ observer: @escaping @Sendable (any NetworkStream) -> Bool) {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
        }
    }

    package func openStream(at url: String) -> (any NetworkStream)? { current(at: url) }

    private func current(at url: String) -> TransferStream? {
        let entries = state.withLock { Array($0.entries.values) }
        // Each is looked at once: its stream may be closed at any moment.
        for entry in entries where entry.url == url && !entry.isForText {
            if let stream = entry.stream { return stream }
        }
        return nil
    }

    package func stream(
        at url: String, isForText: Bool
    ) throws(MediaError) -> any NetworkStream {
        if !isForText, let stream = openStream(at: url), stream.status.failure == nil {
            return stream
        }
        let file: Int32
        do throws(SystemError) {
            file = try StreamFiles.make(in: folder)
        } catch {
            throw MediaError(.readFailed, operation: "play \(url)", reason: error.reason)
        }
        let entry = Entry(url, isForText: isForText)
        let stream = TransferStream(
            url: url, descriptor: file,
            request: { [weak self] in self?.want(entry, from: $0, until: $1) },
            whenClosed: { [weak self] in self?.close(entry) })
        entry.state.withLock { $0.stream = stream }
        let readAhead = state.withLock { state in
            state.entries[ObjectIdentifier(entry)] = entry
            return state.readAheads[url]
        }
        if let readAhead { stream.readAhead = readAhead }
        return stream
    }

    /// Sets how many bytes to read ahead of the stream at `url`, also each time that it is opened
    /// later; nil for as many as usual then.
    package func setReadAhead(_ bytes: Int64?, at url: String) {
        state.withLock { $0.readAheads[url] = bytes }
        if let bytes { current(at: url)?.readAhead = bytes }
    }

    private func want(_ entry: Entry, from: Int64, until: Int64) {
        entry.state.withLock { $0.wanted = (from, until) }
        guard let connection = link.connection else {
            return link.open(handlers) { [weak self] in self?.resetBackoff() }
        }
        // A stream that is being opened gets what is wanted then.
        if let id = entry.id(on: connection.number) {
            connection.client.send(WantStream(id: id, from: from, until: until)) { [weak self] _ in
                self?.whenAnswered()
            }
        } else if entry.beginOpening(on: connection.number) {
            open(entry, connection)
        }
    }

    private func close(_ entry: Entry) {
        let isLast = state.withLock { state in
            state.entries[ObjectIdentifier(entry)] = nil
            return state.entries.isEmpty
        }
        if isLast { link.close(unless: { !state.withLock(\.entries.isEmpty) }) }
        if let connection = link.connection, let id = entry.id(on: connection.number) {
            connection.client.send(CloseStream(id: id))
        }
    }

    // MARK: The connection

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] in self?.openAll(on: $0) },
            notice: { [weak self] in self?.receive($0, $1) },
            ended: { [weak self] in self?.ended($0, wasOpen: $1) })
    }

    private func resetBackoff() { state.withLock { $0.backoff.reset() } }

    private func openAll(on connection: Connection) {
        for entry in state.withLock({ Array($0.entries.values) })
        where entry.beginOpening(on: connection.number) {
            open(entry, connection)
        }
    }

    /// A connection that was lost is made again at once.
    private func ended(_ error: ControlError, wasOpen: Bool) -> Double {
        guard !wasOpen else {
            resetBackoff()
            set(.waiting(reason: error.message, retryTime: nil))
            return 0
        }
        let delay = state.withLock { $0.backoff.next() }
        let time = clock.now + Int64(delay * 1e9)
        set(.waiting(reason: error.message, retryTime: time), failure: .noNetwork)
        return delay
    }

    private func set(
        _ activity: StreamStatus.Activity, failure: StreamFailure.Code? = nil
    ) {
        let entries = state.withLock { Array($0.entries.values) }
        for entry in entries {
            update(entry) { status in
                status.activity = activity
                if !waitsForServers, let failure { status.failUnanswered(failure) }
            }
        }
    }

    private func update(_ entry: Entry, _ change: (inout StreamStatus) -> Void) {
        guard let stream = entry.stream else { return }
        stream.update(at: clock.now, change)
        for (number, observer) in state.withLock(\.observers) where !observer(stream) {
            state.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }

    // MARK: Streams

    /// Opens a stream on the connection, with what its file has already.
    private func open(_ entry: Entry, _ connection: Connection) {
        guard let stream = entry.stream else { return }
        var call = OpenStream(url: entry.url)
        if entry.isForText { call.text = true }
        let status = stream.status
        if status.hasAnswered {
            (call.available, call.total) = (status.available, status.total)
            (call.version, call.live) = (status.version, status.isLive)
        }
        connection.client.send(call, descriptors: [stream.descriptor]) { [weak self] result in
            switch result {
            case .success(let reply): self?.opened(entry, as: reply.id, connection)
            case .failure(let error):
                guard error.code != .unavailable else { return }
                self?.update(entry) {
                    $0.activity = .failed(StreamFailure(.unsupportedURL, error.message))
                }
            }
        }
    }

    private func opened(_ entry: Entry, as id: Int, _ connection: Connection) {
        let wanted = entry.state.withLock { state in
            if state.connection == connection.number { state.id = id }
            return state.wanted
        }
        if entry.stream == nil {
            connection.client.send(CloseStream(id: id))
        } else if let wanted {
            connection.client.send(WantStream(id: id, from: wanted.from, until: wanted.until))
        }
        whenAnswered()
    }

    private func receive(_ message: ControlNoticeMessage, _ number: Int) {
        guard message.method == StreamChanged.method,
            let change = try? message.decode(StreamChanged.self)
        else { return }
        let entries = state.withLock { Array($0.entries.values) }
        guard let entry = entries.first(where: { $0.id(on: number) == change.id }) else { return }
        let now = clock.now
        update(entry) { status in
            if case .failed = status.activity { return }
            status.apply(change.report, at: now)
            if !waitsForServers {
                status.failUnanswered(change.report.code?.known ?? .cannotConnect)
            }
        }
    }
}

/// Makes the files that streams are read from: without a name, so that they go with the process.
enum StreamFiles {
    /// A file, open for reading and writing, in `folder`, which is made if it is missing, or else in
    /// memory. Throws the reason if neither can be made.
    static func make(in folder: String?) throws(SystemError) -> Int32 {
        if let folder {
            Folder.make(folder)
            let flags = Int32(CLINUX_O_TMPFILE) | O_RDWR | O_CLOEXEC
            let file = unsafe open(folder, flags, 0o600)
            if file >= 0 { return file }
        }
        let file = unsafe memfd_create("undersong stream", UInt32(CLINUX_MFD_CLOEXEC))
        guard file >= 0 else { throw .last }
        return file
    }
}
