import CUndersongSystemd
import Glibc

/// A D-Bus message, read from its first value on. It belongs to the thread of its connection.
@safe
struct BusMessage: ~Copyable {
    let raw: OpaquePointer

    /// Takes over the caller's reference.
    init(taking raw: OpaquePointer) { unsafe self.raw = raw }

    deinit { unsafe sd_bus_message_unref(raw) }

    /// The object that it was sent from or to.
    var path: String? { unsafe sd_bus_message_get_path(raw).map { unsafe String(cString: $0) } }

    /// The unique name of the connection that sent it.
    var sender: String? { unsafe sd_bus_message_get_sender(raw).map { unsafe String(cString: $0) } }

    /// The interface that it names, if any.
    var interface: String? {
        unsafe sd_bus_message_get_interface(raw).map { unsafe String(cString: $0) }
    }

    /// The name of its method or signal.
    var member: String? {
        unsafe sd_bus_message_get_member(raw).map { unsafe String(cString: $0) }
    }

    /// Whether it calls a method of this process.
    var isCall: Bool {
        var type: UInt8 = 0
        return unsafe sd_bus_message_get_type(raw, &type) >= 0
            && type == UInt8(SD_BUS_MESSAGE_METHOD_CALL)
    }

    /// Whether it is a signal.
    var isSignal: Bool {
        var type: UInt8 = 0
        return unsafe sd_bus_message_get_type(raw, &type) >= 0
            && type == UInt8(SD_BUS_MESSAGE_SIGNAL)
    }

    /// The number of the call that it answers; nil if it is not an answer.
    var answeredCall: UInt64? {
        var number: UInt64 = 0
        return unsafe sd_bus_message_get_reply_cookie(raw, &number) >= 0 ? number : nil
    }

    /// The error that it is; nil if it is none.
    var error: BusError? {
        guard let error = unsafe sd_bus_message_get_error(raw),
            let name = unsafe error.pointee.name
        else { return nil }
        let message = unsafe error.pointee.message.map { unsafe String(cString: $0) }
        return unsafe BusError(name: String(cString: name), message ?? "")
    }

    /// Whether its sender waits for an answer.
    var wantsReply: Bool { unsafe sd_bus_message_get_expect_reply(raw) > 0 }

    /// Whether it is this signal.
    func isSignal(_ interface: String, _ member: String) -> Bool {
        unsafe sd_bus_message_is_signal(raw, interface, member) > 0
    }

    /// Reads a string.
    func string() -> String? { text(Self.string) }

    /// Reads an object's path.
    func objectPath() -> String? { text(Self.objectPath) }

    /// Reads a boolean, which is 32 bits wide.
    func boolean() -> Bool? {
        var value: Int32 = 0
        return unsafe sd_bus_message_read_basic(raw, Self.boolean, &value) > 0 ? value != 0 : nil
    }

    /// Reads a descriptor and returns one of the caller's own for the same file.
    func duplicateDescriptor() -> Int32? {
        var descriptor: Int32 = -1
        guard unsafe sd_bus_message_read_basic(raw, Self.descriptor, &descriptor) > 0 else {
            return nil
        }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return duplicate >= 0 ? duplicate : nil
    }

    /// Reads the contents of a variant; `contents` is their D-Bus signature.
    func variant<Value>(_ contents: String, _ read: (borrowing BusMessage) -> Value?) -> Value? {
        within(Self.variant, contents, read)
    }

    /// Reads the values of a structure; `contents` is its D-Bus signature.
    func structure<Value>(_ contents: String, _ read: (borrowing BusMessage) -> Value?) -> Value? {
        within(Self.structure, contents, read)
    }

    /// Reads a dictionary of variants and returns its booleans.
    func booleans() -> [String: Bool] {
        var values: [String: Bool] = [:]
        _ = within(Self.array, "{sv}") { array in
            while array.within(Self.entry, "sv", { $0.booleanEntry(&values) }) != nil {}
            return true
        }
        return values
    }

    private func booleanEntry(_ values: inout [String: Bool]) -> Bool? {
        guard let name = string() else { return nil }
        if let value = variant("b", { $0.boolean() }) {
            values[name] = value
            return true
        }
        return unsafe sd_bus_message_skip(raw, "v") >= 0 ? true : nil
    }

    /// Reads inside a container; returns nil and reads nothing if the next value is of another
    /// type.
    func within<Value>(
        _ type: CChar, _ contents: String, _ read: (borrowing BusMessage) -> Value?
    ) -> Value? {
        guard unsafe sd_bus_message_enter_container(raw, type, contents) > 0 else { return nil }
        let value = read(self)
        return unsafe sd_bus_message_exit_container(raw) >= 0 ? value : nil
    }

    func text(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(raw, type, &text) > 0 else { return nil }
        return unsafe text.map { unsafe String(cString: $0) }
    }

    /// D-Bus's type codes.
    private static let string = CChar(UInt8(ascii: "s"))
    private static let objectPath = CChar(UInt8(ascii: "o"))
    private static let boolean = CChar(UInt8(ascii: "b"))
    private static let descriptor = CChar(UInt8(ascii: "h"))
    private static let array = CChar(UInt8(ascii: "a"))
    private static let entry = CChar(UInt8(ascii: "e"))
    private static let variant = CChar(UInt8(ascii: "v"))
    private static let structure = CChar(UInt8(ascii: "r"))
}
