import CCurl
import Glibc
import Playback
import Transfers

/// The part of the engine that belongs to its thread.
final class PushEngineState {
    /// The most bytes of an attachment. What is longer is refused as a payload, with its length.
    private static let attachmentLimit = 64 * 1024

    private let multi: CURLPointer
    private let file: String
    private let settings: PushEngine.Settings
    private let clock: any HostClock
    private let log: @Sendable (String) -> Void
    private let handOn: (String, [UInt8]) -> Void
    private var record: PushRecord?
    private var listener: NtfyListener?
    private var connection: PushConnection?
    /// A request for an attachment, and the message's identifier.
    private var attachment: (connection: PushConnection, identifier: String)?
    /// Why there was no connection last, which is logged once.
    private var trouble: String?

    init(
        _ multi: CURLPointer, file: String, _ settings: PushEngine.Settings,
        _ clock: any HostClock, log: @escaping @Sendable (String) -> Void,
        handOn: @escaping (String, [UInt8]) -> Void
    ) {
        self.multi = multi
        self.file = file
        self.settings = settings
        self.clock = clock
        self.log = log
        self.handOn = handOn
        record = PushRecord.read(from: file)
    }

    var isListening: Bool { listener != nil }

    private var now: Double { clock.secondsSinceBoot }

    func take(_ letter: PushEngine.Letter) {
        switch letter {
        case .listen(let url, let answer): answer(listen(to: url))
        case .answered(let identifier, let isTaken):
            handle(isTaken ? .taken(identifier) : .notTaken(identifier))
        case .awoke: handle(.awoke)
        }
    }

    /// Returns 0, or the `errno` if the topic cannot be kept.
    private func listen(to url: String?) -> Int32 {
        guard url != record?.url || (url != nil && listener == nil) else { return 0 }
        drop()
        listener = nil
        guard let url else {
            record = nil
            return unsafe unlink(file) == 0 || errno == ENOENT ? 0 : errno
        }
        let record = record?.url == url ? record : nil
        self.record = record ?? PushRecord(url: url)
        let code = record == nil ? self.record?.write(to: file) ?? 0 : 0
        listener = NtfyListener(after: record?.last, seed: settings.seed)
        handle(.timePassed)
        return code
    }

    /// Lets libcurl work, takes in what has come of it, and waits for more.
    func step() {
        guard listener != nil else { return }
        var running: Int32 = 0
        unsafe curl_multi_perform(multi.raw, &running)
        takeBytes()
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi.raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let handle = unsafe message.pointee.easy_handle.map { unsafe CURLPointer($0) }
            let result = unsafe ccurl_result(message)
            if connection?.handle == handle {
                finishConnection(result)
            } else if attachment?.connection.handle == handle {
                finishAttachment(result)
            }
        }
        handle(.timePassed)
        let seconds = (listener?.nextDue ?? .infinity) - now
        let milliseconds = Int32(min(max(0, (seconds * 1000).rounded(.up)), 86_400_000))
        unsafe curl_multi_poll(multi.raw, nil, 0, milliseconds, nil)
    }

    private func takeBytes() {
        guard let bytes = connection?.received, !bytes.isEmpty else { return }
        connection?.received = []
        trouble = nil
        handle(.bytes(bytes))
    }

    private func finishConnection(_ result: CURLcode) {
        let reason = result == CURLE_OK ? "The connection was lost" : connection?.trouble ?? ""
        dropConnection()
        if trouble != reason {
            log("cannot listen for pushes at \(record?.url ?? ""): \(reason)")
            trouble = reason
        }
        handle(.ended(reason))
    }

    private func finishAttachment(_ result: CURLcode) {
        guard let (connection, identifier) = attachment else { return }
        let isWhole = result == CURLE_OK || connection.isFull
        let bytes = connection.received
        dropAttachment()
        handle(.fetched(identifier, isWhole ? bytes : nil))
    }

    private func handle(_ input: NtfyListener.Input) {
        for effect in listener?.handle(input, at: now) ?? [] {
            switch effect {
            case .connect(let last): connect(after: last)
            case .disconnect: dropConnection()
            case .handOn(let identifier, let payload): handOn(identifier, payload)
            case .fetch(let identifier, let url): fetch(url, of: identifier)
            case .keep(let identifier): keep(identifier)
            }
        }
    }

    private func connect(after last: String?) {
        dropConnection()
        let url = NtfyListener.url(of: record?.url ?? "", after: last)
        guard let new = PushConnection(url, settings: settings) else {
            return handle(.ended("There is no memory for a request"))
        }
        connection = new
        unsafe curl_multi_add_handle(multi.raw, new.handle.raw)
    }

    private func fetch(_ url: String, of identifier: String) {
        dropAttachment()
        guard let new = PushConnection(url, limit: Self.attachmentLimit, settings: settings) else {
            return handle(.fetched(identifier, nil))
        }
        attachment = (new, identifier)
        unsafe curl_multi_add_handle(multi.raw, new.handle.raw)
    }

    private func keep(_ identifier: String) {
        record?.last = identifier
        let code = record?.write(to: file) ?? 0
        // The service knows the message, and does not take it again.
        if code != 0 { log("cannot keep the place in the pushes: \(reason(code))") }
    }

    private func drop() {
        dropConnection()
        dropAttachment()
    }

    private func dropConnection() {
        guard let connection = connection.take() else { return }
        unsafe curl_multi_remove_handle(multi.raw, connection.handle.raw)
    }

    private func dropAttachment() {
        guard let (connection, _) = attachment.take() else { return }
        unsafe curl_multi_remove_handle(multi.raw, connection.handle.raw)
    }
}
