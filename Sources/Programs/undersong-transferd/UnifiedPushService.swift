import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLinuxPlatform
import UndersongTransferIO

/// Keeps the registration with a distributor of UnifiedPush, and hands on what comes from it.
///
/// The records name the registration with its keys, and are closed to other users. Any thread may
/// call it.
final class UnifiedPushService: Sendable {
    /// The distributor to use.
    struct Order: Codable, Hashable, Sendable {
        /// Its name on the bus; nil for any.
        var distributor: String?
        /// The public key of the only sender; nil for any.
        var vapid: String?
    }

    /// The contents of the file.
    struct Record: Codable, Hashable, Sendable {
        var order = Order()
        /// Nil before the first one is made.
        var registration: UnifiedPushRegistration?
    }

    /// Hands something on: `answer` is called once, with whether it was taken or refused for good.
    typealias Delivery =
        @Sendable (
            _ identifier: String, _ content: PushContent,
            _ answer: @escaping @Sendable (Bool) -> Void
        ) -> Void

    /// The longest that a call waits for the end of an attempt to register.
    private static let settleTime = 3.0

    private struct State {
        var record: Record?
        var client: UnifiedPushClient?
    }

    private let file: RecordFile<Record>
    private let name: String
    private let address: BusAddress
    private let clock: any HostClock
    private let deliver: Delivery
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Turns it on and off, one after the other.
    private let changes = DispatchQueue(label: "undersong.unifiedpush")

    /// Creates the service of a session, which keeps its registration in `file`. `log` is called with
    /// troubles.
    init(
        file: String, session: String, address: BusAddress, clock: any HostClock,
        deliver: @escaping Delivery, log: @escaping @Sendable (String) -> Void
    ) {
        self.file = RecordFile(file)
        let suffix = session == "default" ? "" : "." + BusName.element(session)
        name = Push.standardTopic + suffix
        self.address = address
        self.clock = clock
        self.deliver = deliver
        self.log = log
    }

    /// True if there is to be a registration.
    var isOn: Bool { state.withLock { $0.record != nil } }

    /// Continues with the registration in the file, if there is one.
    func start() {
        guard let record = file.record else {
            if file.exists {
                log("cannot read \(file.path): The registration with UnifiedPush is damaged")
            }
            return
        }
        // A call that comes at once finds it on.
        state.withLock { $0.record = record }
        changes.async { [self] in begin(record) }
    }

    /// The machine has slept, or has another network.
    func awake() { state.withLock { $0.client }?.awake() }

    /// The state of the registration; nil if there is to be none.
    var subscription: UnifiedPushStatus? {
        let (isOn, client) = state.withLock { ($0.record != nil, $0.client) }
        return isOn ? client?.status ?? UnifiedPushStatus(.registering) : nil
    }

    /// Registers from now on, and in later processes. An order that names no distributor, or no
    /// sender, is content with those that there are. `answer` is called once, on any thread, when
    /// the attempt has come to an end, or after some seconds.
    func turnOn(
        _ order: Order,
        _ answer: @escaping @Sendable (Result<UnifiedPushStatus?, ControlError>) -> Void
    ) {
        changes.async { [self] in
            let record = state.withLock { $0.record }
            if record == nil || record?.isContent(with: order) == false {
                leave()
                let new = Record(order: order)
                if let reason = write(new) {
                    let text = "cannot listen for pushes: The registration cannot be kept: "
                    return answer(.failure(ControlError(.notPossible, text + reason)))
                }
                begin(new)
            }
            state.withLock { $0.client }?.whenSettled(within: Self.settleTime) { status in
                answer(.success(status))
            }
        }
    }

    /// Ends the registration. `answer` is called once, on any thread.
    func turnOff(_ answer: @escaping @Sendable () -> Void) {
        changes.async { [self] in
            leave()
            answer()
        }
    }

    // MARK: On the queue

    private func begin(_ record: Record) {
        var configuration = UnifiedPushClient.Configuration(
            name: name, description: "Undersong: episodes and commands")
        configuration.distributor = record.order.distributor
        configuration.vapid = record.order.vapid
        let client = UnifiedPushClient(
            record.registration, configuration, services: services,
            bus: BusService(address, clock: clock), clock: clock)
        state.withLock { ($0.record, $0.client) = (record, client) }
        client.start()
    }

    /// Ends the registration and forgets its keys.
    private func leave() {
        let client = state.withLock { state in
            state.record = nil
            return state.client.take()
        }
        client?.leave()
        if unsafe unlink(file.path) == 0 {
            _ = Folder.sync(FilePath(Folder.path(of: file.path)))
        } else if errno != ENOENT {
            log("cannot delete \(file.path): \(SystemError.last.reason)")
        }
    }

    private var services: UnifiedPushClient.Services {
        UnifiedPushClient.Services(
            renew: {
                UnifiedPushRegistration.Keys.generate().map {
                    UnifiedPushRegistration(token: Self.makeToken(), keys: $0)
                }
            },
            keep: { [weak self] in self?.keep($0) },
            identify: { "unifiedpush " + SHA256.digest(of: $0) },
            open: { bytes, keys in
                do throws(WebPushMessage.Problem) {
                    return .success(try WebPushMessage.content(of: bytes, for: keys))
                } catch {
                    return .failure(.init(error.description))
                }
            }, deliver: deliver, log: log)
    }

    /// Returns why the registration could not be kept; nil if it was.
    private func keep(_ registration: UnifiedPushRegistration) -> String? {
        let record = state.withLock { state in
            state.record?.registration = registration
            return state.record
        }
        // It was turned off meanwhile.
        guard let record else { return nil }
        return write(record)
    }

    private func write(_ record: Record) -> String? {
        let code = file.save(record)
        return code == 0 ? nil : SystemError(code).reason
    }

    /// A random UUID (RFC 9562, version 4).
    private static func makeToken() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
            .joined(separator: "-")
    }
}

extension UnifiedPushService.Record {
    /// Returns true if nothing of the order is different.
    fileprivate func isContent(with order: UnifiedPushService.Order) -> Bool {
        let distributor = self.order.distributor ?? registration?.distributor
        return (order.distributor == nil || order.distributor == distributor)
            && (order.vapid == nil || order.vapid == self.order.vapid)
    }
}

extension UnifiedPushService.Order {
    /// Creates the order of a client.
    ///
    /// - Throws: A name or a key is not valid.
    init(_ distributor: String?, _ vapid: String?) throws(ControlError) {
        let purpose = "cannot listen for pushes: "
        if let word = distributor {
            let prefix = UnifiedPush.distributorPrefix
            let name = word.hasPrefix(prefix) ? word : prefix + word
            guard BusName.isValid(name) else {
                throw ControlError(
                    .invalidParams, purpose + "No distributor can have the name \(word)")
            }
            self.distributor = name
        }
        if let vapid {
            guard UnifiedPush.isVAPIDKey(vapid) else {
                throw ControlError(
                    .invalidParams,
                    purpose + "A VAPID key has \(UnifiedPush.vapidLength) characters of base64url")
            }
            self.vapid = vapid
        }
    }
}
