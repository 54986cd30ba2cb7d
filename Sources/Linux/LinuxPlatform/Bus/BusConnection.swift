import CUndersongLinux
import CUndersongSystemd
import Glibc
import UndersongBase

/// A connection to a D-Bus message bus, for calling and listening to other services, and for calls
/// to objects of this process. It is owned by one thread. Any operation may block that thread, but
/// no longer than `patience` while an answer is awaited. `shutdown` on its descriptor, from any
/// thread, ends every wait.
@safe
struct BusConnection: ~Copyable {
    /// The object to call.
    struct Target {
        let service: String
        let path: String
        let interface: String
    }

    /// The result of a wait.
    enum Arrival: ~Copyable {
        /// A message other than an answer to `call`.
        case message(BusMessage)
        /// Another thread has woken this one.
        case wakeup
        /// Nothing yet; `next` would wait.
        case nothing
        /// The bus was lost.
        case loss
    }

    /// The time in microseconds after which a call without an answer fails.
    private static let patience: UInt64 = 2_000_000

    private let raw: OpaquePointer
    /// The socket to the bus.
    let descriptor: Int32

    /// Connects; nil if there is no such bus. Only the first call shows whether the bus accepts the
    /// connection.
    init?(_ address: BusAddress) {
        guard let raw = unsafe Self.open(address) else { return nil }
        let descriptor = unsafe sd_bus_get_fd(raw)
        guard descriptor >= 0 else {
            unsafe sd_bus_close_unref(raw)
            return nil
        }
        unsafe sd_bus_set_method_call_timeout(raw, Self.patience)
        unsafe self.raw = raw
        self.descriptor = descriptor
    }

    deinit { unsafe sd_bus_close_unref(raw) }

    /// Calls a method and returns the answer. Nil if the service is not running (it is not started
    /// for this), refuses or does not answer, or if the bus is lost.
    func call(_ member: String, of target: Target, _ arguments: BusValue...) -> BusMessage? {
        try? request(member, of: target, arguments)
    }

    /// Calls a method and returns the answer, for which it waits `seconds`, or `patience` for nil.
    /// With `startsService` the bus starts the service if it can.
    ///
    /// - Throws: An error if the service is not running, refuses or does not answer, or the bus is
    ///   lost.
    func request(
        _ member: String, of target: Target, _ arguments: [BusValue], within seconds: Double? = nil,
        startsService: Bool = false
    ) throws(BusError) -> BusMessage {
        var raw: OpaquePointer?
        guard
            unsafe sd_bus_message_new_method_call(
                self.raw, &raw, target.service, target.path, target.interface, member) >= 0,
            let raw = unsafe raw
        else { throw BusError(.failed, "The call is not valid on D-Bus") }
        let message = unsafe BusMessage(taking: raw)
        unsafe sd_bus_message_set_auto_start(raw, startsService ? 1 : 0)
        guard message.append(arguments) else {
            throw BusError(.invalidArguments, "A value is not valid on D-Bus")
        }
        var reply: OpaquePointer?
        var error = unsafe sd_bus_error(name: nil, message: nil, _need_free: 0)
        defer { unsafe sd_bus_error_free(&error) }
        let limit = UInt64((seconds ?? 0) * 1e6)
        guard unsafe sd_bus_call(self.raw, raw, limit, &error, &reply) >= 0,
            let reply = unsafe reply
        else {
            let name = unsafe error.name.map { unsafe String(cString: $0) } ?? ""
            let text = unsafe error.message.map { unsafe String(cString: $0) } ?? ""
            throw BusError(name: name, text)
        }
        return unsafe BusMessage(taking: reply)
    }

    /// The results of sending a call without waiting.
    enum Sending: Hashable {
        /// `receive` returns the answer, which has this number.
        case sent(UInt64)
        /// A name or value is not valid on D-Bus.
        case invalid
        /// The bus was lost.
        case loss
    }

    /// Calls a method without waiting for the answer.
    func send(_ request: BusRequest) -> Sending {
        var raw: OpaquePointer?
        guard
            unsafe sd_bus_message_new_method_call(
                self.raw, &raw, request.service, request.path, request.interface, request.member)
                >= 0,
            let raw = unsafe raw
        else { return .invalid }
        let message = unsafe BusMessage(taking: raw)
        unsafe sd_bus_message_set_auto_start(raw, request.startsService ? 1 : 0)
        guard message.append(request.arguments) else { return .invalid }
        var number: UInt64 = 0
        guard unsafe sd_bus_send(self.raw, raw, &number) >= 0, isKeepingUp else { return .loss }
        return .sent(number)
    }

    /// True if the bus accepts messages as fast as they are sent.
    private var isKeepingUp: Bool {
        var queued: UInt64 = 0
        return unsafe sd_bus_get_n_queued_write(raw, &queued) >= 0 && queued <= Self.queueLimit
    }

    /// Calls the bus itself.
    private func ask(_ member: String, _ argument: String) -> BusMessage? {
        let target = Target(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus")
        return call(member, of: target, .string(argument))
    }

    /// The unique name of the connection that owns a service's name; nil if there is none.
    func owner(of service: String) -> String? { ask("GetNameOwner", service)?.string() }

    /// Subscribes to the signals that a match rule describes, or unsubscribes. Returns false if the
    /// bus is lost.
    @discardableResult
    func match(_ rule: String, _ isWanted: Bool = true) -> Bool {
        ask(isWanted ? "AddMatch" : "RemoveMatch", rule) != nil
    }

    /// Waits for the next message other than an answer to `call`, for `wakeup`, which it clears, or for about
    /// `seconds`, after which there is nothing; nil to wait without a timer.
    func next(or wakeup: Wakeup, within seconds: Double? = nil) -> Arrival {
        while true {
            switch receive() {
            case .message(let message): return .message(message)
            case .loss: return .loss
            case .wakeup: return .wakeup
            case .nothing: break
            }
            switch wait(or: wakeup, within: seconds) {
            case .bus: break
            case .wakeup:
                wakeup.clear()
                return .wakeup
            case .timeout: return .nothing
            }
        }
    }

    /// The next message other than an answer to `call`, if one has arrived.
    func receive() -> Arrival {
        while true {
            var message: OpaquePointer?
            let result = unsafe sd_bus_process(raw, &message)
            if let message = unsafe message { return unsafe .message(BusMessage(taking: message)) }
            guard result != 0 else { return .nothing }
            guard result > 0 else { return .loss }
        }
    }

    /// Waits until data from the bus or `wakeup` arrives. Returns whether it was `wakeup`.
    func wait(or wakeup: Wakeup) -> Bool { wait(or: wakeup, within: nil) == .wakeup }

    private enum WaitEnd {
        /// There may be something from the bus.
        case bus
        case wakeup
        case timeout
    }

    private func wait(or wakeup: Wakeup, within seconds: Double?) -> WaitEnd {
        let events = unsafe Int16(clamping: max(0, sd_bus_get_events(raw)))
        var descriptors = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count: Int32
        if let seconds {
            var time = timespec(
                tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
            count = unsafe ppoll(&descriptors, nfds_t(descriptors.count), &time, nil)
        } else {
            count = unsafe ppoll(&descriptors, nfds_t(descriptors.count), nil, nil)
        }
        guard count != 0 else { return .timeout }
        return count > 0 && descriptors[1].revents != 0 ? .wakeup : .bus
    }

    // MARK: Objects of this process

    /// The most messages waiting for the bus to accept them; when more wait, the bus counts as
    /// lost.
    private static let queueLimit: UInt64 = 4096

    /// Waits until the bus has accepted this process. Returns false if it does not.
    func isAccepted() -> Bool {
        var name: UnsafePointer<CChar>?
        return unsafe sd_bus_get_unique_name(raw, &name) >= 0
    }

    /// Requests a name on the bus, by which others find this process. Returns false if it is taken
    /// or invalid.
    func requestName(_ name: String) -> Bool {
        unsafe sd_bus_request_name(raw, name, 0) >= 0
    }

    /// Answers a call. Returns false if the bus is lost.
    func answer(_ call: borrowing BusMessage, _ values: [BusValue]) -> Bool {
        var raw: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(call.raw, &raw) >= 0, let raw = unsafe raw
        else { return false }
        let message = unsafe BusMessage(taking: raw)
        guard message.append(values) else {
            return refuse(call, BusError(.failed, "cannot answer: A value is not valid on D-Bus"))
        }
        return send(message)
    }

    /// Answers a call with an error. Returns false if the bus is lost.
    func refuse(_ call: borrowing BusMessage, _ error: BusError) -> Bool {
        var raw: OpaquePointer?
        let result = unsafe error.name.withCString { name in
            unsafe error.message.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                return unsafe sd_bus_message_new_method_error(call.raw, &raw, &error)
            }
        }
        guard result >= 0, let raw = unsafe raw else { return false }
        return send(unsafe BusMessage(taking: raw))
    }

    /// Sends a signal. Returns false if the bus is lost.
    func emit(_ signal: BusSignal) -> Bool {
        var raw: OpaquePointer?
        let result = unsafe sd_bus_message_new_signal(
            self.raw, &raw, signal.path, signal.interface, signal.member)
        guard result >= 0, let raw = unsafe raw else { return false }
        let message = unsafe BusMessage(taking: raw)
        // A signal that cannot be encoded is dropped; the bus is not to blame.
        return !message.append(signal.arguments) || send(message)
    }

    private func send(_ message: borrowing BusMessage) -> Bool {
        unsafe sd_bus_send(raw, message.raw, nil) >= 0 && isKeepingUp
    }

    private static func open(_ address: BusAddress) -> OpaquePointer? {
        var raw: OpaquePointer?
        switch address {
        case .system: return unsafe sd_bus_open_system(&raw) >= 0 ? raw : nil
        case .user: return unsafe sd_bus_open_user(&raw) >= 0 ? raw : nil
        case .at(let address):
            guard unsafe sd_bus_new(&raw) >= 0, let raw = unsafe raw else { return nil }
            guard unsafe sd_bus_set_address(raw, address) >= 0,
                unsafe sd_bus_set_bus_client(raw, 1) >= 0,
                unsafe sd_bus_start(raw) >= 0
            else {
                unsafe sd_bus_close_unref(raw)
                return nil
            }
            return unsafe raw
        }
    }
}
