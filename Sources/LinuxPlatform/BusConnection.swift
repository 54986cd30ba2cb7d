import CLinux
import CSystemd
import Glibc
import Threads

/// A connection to a D-Bus message bus, through which other services are called and heard. It is
/// owned by one thread, which all of it may block, but for nothing longer than `patience` where an
/// answer is awaited. `shutdown` of its descriptor, by any thread, ends every wait.
@safe
struct BusConnection: ~Copyable {
    /// Something that a call carries.
    enum Argument {
        case string(String)
        case number(UInt32)
    }

    /// The object that a call is for.
    struct Target {
        let service: String
        let path: String
        let interface: String
    }

    /// What a wait has ended with.
    enum Arrival: ~Copyable {
        /// A message that is no answer.
        case message(BusMessage)
        /// Another thread has something to say.
        case wakeup
        /// The bus is lost.
        case loss
    }

    /// Microseconds after which a call without an answer has failed.
    private static let patience: UInt64 = 2_000_000

    private let raw: OpaquePointer
    /// The socket to the bus.
    let descriptor: Int32

    /// Connects to the bus at a D-Bus address, or to the system bus; nil where there is none. That
    /// the bus takes the connection shows at the first call only.
    init?(address: String?) {
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

    /// Calls a method and returns the answer, or nil: the service is not there (none is started for
    /// it), refuses, says nothing, or the bus is lost.
    func call(_ member: String, of target: Target, _ arguments: Argument...) -> BusMessage? {
        var raw: OpaquePointer?
        guard
            unsafe sd_bus_message_new_method_call(
                self.raw, &raw, target.service, target.path, target.interface, member) >= 0,
            let raw = unsafe raw
        else { return nil }
        let message = unsafe BusMessage(taking: raw)
        unsafe sd_bus_message_set_auto_start(raw, 0)
        for argument in arguments where !message.append(argument) { return nil }
        var reply: OpaquePointer?
        guard unsafe sd_bus_call(self.raw, raw, 0, nil, &reply) >= 0, let reply = unsafe reply
        else {
            return nil
        }
        return unsafe BusMessage(taking: reply)
    }

    /// Asks the bus itself.
    private func ask(_ member: String, _ argument: String) -> BusMessage? {
        let target = Target(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus")
        return call(member, of: target, .string(argument))
    }

    /// The connection that now owns a service's name, or nil: none.
    func owner(of service: String) -> String? { ask("GetNameOwner", service)?.string() }

    /// Asks the bus for the signals that a match rule describes, or no longer for them. False where
    /// the bus is lost.
    @discardableResult
    func match(_ rule: String, _ isWanted: Bool = true) -> Bool {
        ask(isWanted ? "AddMatch" : "RemoveMatch", rule) != nil
    }

    /// Waits, without any timer, for the next message that is no answer, or for `wakeup`, which it
    /// clears.
    func next(or wakeup: Wakeup) -> Arrival {
        while true {
            var message: OpaquePointer?
            let result = unsafe sd_bus_process(raw, &message)
            if let message = unsafe message { return unsafe .message(BusMessage(taking: message)) }
            guard result >= 0 else { return .loss }
            guard result == 0 else { continue }
            if wait(or: wakeup) {
                wakeup.clear()
                return .wakeup
            }
        }
    }

    /// Waits until the bus, or `wakeup`, has something. Returns whether it was `wakeup`.
    private func wait(or wakeup: Wakeup) -> Bool {
        let events = unsafe Int16(clamping: max(0, sd_bus_get_events(raw)))
        var descriptors = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe ppoll(&descriptors, nfds_t(descriptors.count), nil, nil)
        return count > 0 && descriptors[1].revents != 0
    }

    private static func open(_ address: String?) -> OpaquePointer? {
        var raw: OpaquePointer?
        guard let address else {
            return unsafe sd_bus_open_system(&raw) >= 0 ? raw : nil
        }
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
