import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// The part of the engine that belongs to its thread.
final class PushEngineState: EngineState {
    enum Letter: Sendable {
        case listen(url: String?, answer: @Sendable (Int32) -> Void)
        case answered(String, Bool)
        case awoke
    }

    /// The most bytes of an attachment. What is longer is refused as a payload, with its length.
    private static let attachmentLimit = 64 * 1024

    private let multi: CURLMulti
    private let file: String
    private let settings: PushEngine.Settings
    private let clock: any HostClock
    private let log: @Sendable (String) -> Void
    private let deliver: (String, [UInt8]?) -> Void
    private var record: PushRecord?
    private var shell: ThreadShell<NtfyListener>?
    private var connection: PushConnection?
    /// A request for what was kept, and how it has ended.
    private var kept: (connection: PushConnection, result: CURLcode?)?
    /// A request for an attachment, and the message's identifier.
    private var attachment: (connection: PushConnection, identifier: String)?
    /// The reason why there was no connection last, which is logged once.
    private var trouble: String?

    init(
        _ multi: CURLMulti, file: String, _ settings: PushEngine.Settings,
        _ clock: any HostClock, log: @escaping @Sendable (String) -> Void,
        deliver: @escaping (String, [UInt8]?) -> Void
    ) {
        self.multi = multi
        self.file = file
        self.settings = settings
        self.clock = clock
        self.log = log
        self.deliver = deliver
        record = RecordFile(file).record
    }

    var isIdle: Bool { shell == nil }

    /// The topic for the log, which must not have passwords.
    private var topic: String { NetworkName.withoutSecrets(record?.url ?? "") }

    func receive(_ letter: Letter) {
        switch letter {
        case .listen(let url, let answer): answer(listen(to: url))
        case .answered(let identifier, let isDelivered):
            shell?.handle(isDelivered ? .delivered(identifier) : .notDelivered(identifier))
        case .awoke: handle(.awoke)
        }
    }

    /// Returns 0, or the `errno` if the topic cannot be kept.
    private func listen(to url: String?) -> Int32 {
        guard url != record?.url || (url != nil && shell == nil) else { return 0 }
        drop()
        shell = nil
        guard let url else {
            record = nil
            return unsafe unlink(file) == 0 || errno == ENOENT ? 0 : errno
        }
        let record = record?.url == url ? record : nil
        self.record = record ?? PushRecord(url: url)
        let code = record == nil ? save() : 0
        let listener = NtfyListener(at: record?.place ?? NtfyPosition(), seed: settings.seed)
        shell = ThreadShell(
            listener, now: { [clock] in clock.secondsSinceBoot },
            perform: { [unowned self] effects in for effect in effects { perform(effect) } })
        return code
    }

    func advance() -> Due {
        readBytes()
        readKept()
        shell?.handleDue(by: clock)
        return shell?.nextDue ?? .never
    }

    private func readBytes() {
        guard let connection, !connection.received.isEmpty, shell?.machine.wantsBytes == true else {
            return
        }
        trouble = nil
        handle(.bytes(connection.read()))
    }

    /// Reads what was kept; its end comes after its last bytes.
    private func readKept() {
        guard let (connection, result) = kept, shell?.machine.wantsKeptBytes == true else { return }
        if !connection.received.isEmpty { handle(.keptBytes(connection.read())) }
        guard let result, connection.received.isEmpty, kept?.connection === connection else {
            return
        }
        let reason = result == CURLE_OK ? nil : connection.easy.trouble
        dropKept()
        handle(.keptEnded(reason))
    }

    private func finishConnection(_ result: CURLcode) {
        readBytes()
        let reason = result == CURLE_OK ? "The connection was lost" : connection?.easy.trouble ?? ""
        dropConnection()
        dropKept()
        complain(reason)
        handle(.ended(reason))
    }

    private func complain(_ reason: String) {
        guard trouble != reason else { return }
        log("cannot listen for pushes at \(topic): \(reason)")
        trouble = reason
    }

    private func finishAttachment(_ result: CURLcode) {
        guard let (connection, identifier) = attachment else { return }
        let isWhole = result == CURLE_OK || connection.isFull
        let bytes = connection.read()
        dropAttachment()
        handle(.fetched(identifier, isWhole ? bytes : nil))
    }

    private func handle(_ input: NtfyListener.Input) { shell?.handle(input) }

    private func perform(_ effect: NtfyListener.Effect) {
        switch effect {
        case .connect: connect()
        case .ask(let since): ask(since)
        case .disconnect:
            dropConnection()
            dropKept()
            if case .waiting(_, let reason) = shell?.machine.phase { complain(reason) }
        case .deliver(let identifier, let payload): deliver(identifier, payload)
        case .fetch(let identifier, let url): fetch(url, of: identifier)
        case .reportMissing(let identifier):
            log("pushes of \(topic) may be missing: the server has forgotten some")
            deliver(identifier, nil)
        case .keep(let place): keep(place)
        }
    }

    private func connect() {
        dropConnection()
        let url = NtfyListener.url(of: record?.url ?? "", since: nil)
        guard let new = PushConnection(url, settings: settings) else {
            return handle(.ended("There is no memory for a request"))
        }
        connection = new
        multi.add(new.easy) { [unowned self] in finishConnection($0) }
    }

    private func ask(_ since: Int) {
        dropKept()
        let url = NtfyListener.url(of: record?.url ?? "", since: since)
        guard let new = PushConnection(url, settings: settings) else {
            return handle(.keptEnded("There is no memory for a request"))
        }
        kept = (new, nil)
        multi.add(new.easy) { [unowned self] in kept?.result = $0 }
    }

    private func fetch(_ url: String, of identifier: String) {
        dropAttachment()
        guard let new = PushConnection(url, limit: Self.attachmentLimit, settings: settings) else {
            return handle(.fetched(identifier, nil))
        }
        attachment = (new, identifier)
        multi.add(new.easy) { [unowned self] in finishAttachment($0) }
    }

    private func keep(_ place: NtfyPosition) {
        record = record.map { PushRecord(url: $0.url, place: place) }
        let code = save()
        // The service knows the message, and does not accept it again.
        if code != 0 { log("cannot save the position in the pushes: \(SystemError(code).reason)") }
    }

    /// Returns 0 or the `errno` of a failure.
    private func save() -> Int32 {
        record.map { RecordFile(file).save($0, syncsName: false) } ?? 0
    }

    private func drop() {
        dropConnection()
        dropKept()
        dropAttachment()
    }

    private func dropConnection() {
        guard let connection = connection.take() else { return }
        multi.remove(connection.easy)
    }

    private func dropKept() {
        guard let (connection, _) = kept.take() else { return }
        multi.remove(connection.easy)
    }

    private func dropAttachment() {
        guard let (connection, _) = attachment.take() else { return }
        multi.remove(connection.easy)
    }
}
