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

    /// True if it calls a method of this process.
    var isCall: Bool {
        var type: UInt8 = 0
        return unsafe sd_bus_message_get_type(raw, &type) >= 0
            && type == UInt8(SD_BUS_MESSAGE_METHOD_CALL)
    }

    /// True if it is a signal.
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

    /// The error that it is; nil if it is not an error.
    var error: BusError? {
        guard let error = unsafe sd_bus_message_get_error(raw),
            let name = unsafe error.pointee.name
        else { return nil }
        let message = unsafe error.pointee.message.map { unsafe String(cString: $0) }
        return unsafe BusError(name: String(cString: name), message ?? "")
    }

    /// True if its sender waits for an answer.
    var wantsReply: Bool { unsafe sd_bus_message_get_expect_reply(raw) > 0 }

    /// Returns true if it is this signal.
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

/// Writes and reads whole values.
extension BusMessage {
    /// The deepest nesting of values, as D-Bus defines it.
    private static let depthLimit = 64
    /// The maximum number of values in a message, and of bytes in an array of bytes: far more than
    /// any call needs, and far less than D-Bus permits.
    private static let (countLimit, lengthLimit) = (65536, 65536)

    /// Appends values to a message that is not sealed yet. Returns false if the message became
    /// unusable.
    func append(_ values: [BusValue]) -> Bool {
        for value in values where !append(value) { return false }
        return true
    }

    /// Appends a value to a message that is not sealed yet. Returns false if the message became
    /// unusable.
    func append(_ value: BusValue) -> Bool {
        switch value {
        case .byte(var number): basic("y", &number)
        case .boolean(let isSo): boolean(isSo)
        case .int16(var number): basic("n", &number)
        case .uint16(var number): basic("q", &number)
        case .int32(var number): basic("i", &number)
        case .uint32(var number): basic("u", &number)
        case .int64(var number): basic("x", &number)
        case .uint64(var number): basic("t", &number)
        case .double(var number): basic("d", &number)
        case .string(let text): unsafe sd_bus_message_append_basic(raw, letter("s"), text) >= 0
        case .objectPath(let path):
            unsafe sd_bus_message_append_basic(raw, letter("o"), path) >= 0
        case .signature(let text):
            unsafe sd_bus_message_append_basic(raw, letter("g"), text) >= 0
        case .bytes(let bytes):
            unsafe sd_bus_message_append_array(raw, letter("y"), bytes, bytes.count) >= 0
        case .array(let element, let values): container("a", element, values)
        case .structure(let values):
            container("r", values.map(\.signature).joined(), values)
        case .entry(let key, let value):
            container("e", key.signature + value.signature, [key, value])
        case .variant(let value): container("v", value.signature, [value])
        }
    }

    private func basic<Number: BitwiseCopyable>(
        _ type: Unicode.Scalar, _ number: inout Number
    ) -> Bool {
        unsafe sd_bus_message_append_basic(raw, letter(type), &number) >= 0
    }

    private func boolean(_ isSo: Bool) -> Bool {
        // A boolean is 32 bits wide here.
        var number: Int32 = isSo ? 1 : 0
        return basic("b", &number)
    }

    private func container(
        _ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]
    ) -> Bool {
        unsafe sd_bus_message_open_container(raw, letter(type), contents) >= 0
            && append(values) && sd_bus_message_close_container(raw) >= 0
    }

    /// The types of all its values, as a D-Bus signature.
    var signature: String {
        unsafe sd_bus_message_get_signature(raw, 1).map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads all remaining values; nil if one has a type that `BusValue` lacks, or if there are too
    /// many.
    func values() -> [BusValue]? {
        var budget = Self.countLimit
        return values(within: Self.depthLimit, &budget)
    }

    private func values(within depth: Int, _ budget: inout Int) -> [BusValue]? {
        guard depth > 0 else { return nil }
        var values: [BusValue] = []
        while true {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = unsafe sd_bus_message_peek_type(raw, &type, &contents)
            guard result > 0 else { return result == 0 ? values : nil }
            let inner = unsafe contents.map { unsafe String(cString: $0) }
            budget -= 1
            guard budget >= 0, let value = value(of: type, inner ?? "", within: depth, &budget)
            else { return nil }
            values.append(value)
        }
    }

    private func value(
        of type: CChar, _ contents: String, within depth: Int, _ budget: inout Int
    ) -> BusValue? {
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": number(type, UInt8(0)).map { .byte($0) }
        case "b": number(type, Int32(0)).map { .boolean($0 != 0) }
        case "n": number(type, Int16(0)).map { .int16($0) }
        case "q": number(type, UInt16(0)).map { .uint16($0) }
        case "i": number(type, Int32(0)).map { .int32($0) }
        case "u": number(type, UInt32(0)).map { .uint32($0) }
        case "x": number(type, Int64(0)).map { .int64($0) }
        case "t": number(type, UInt64(0)).map { .uint64($0) }
        case "d": number(type, 0.0).map { .double($0) }
        case "s": text(type).map { .string($0) }
        case "o": text(type).map { .objectPath($0) }
        case "g": text(type).map { .signature($0) }
        case "a" where contents == "y": bytes().map { .bytes($0) }
        case "a": inside(type, contents, depth, &budget).map { .array(of: contents, $0) }
        case "r": inside(type, contents, depth, &budget).map { .structure($0) }
        case "v": inside(type, contents, depth, &budget)?.first.map { .variant($0) }
        case "e": inside(type, contents, depth, &budget).flatMap(Self.entry)
        default: nil
        }
    }

    private static func entry(_ values: [BusValue]) -> BusValue? {
        values.count == 2 ? .entry(key: values[0], value: values[1]) : nil
    }

    private func number<Number: BitwiseCopyable>(_ type: CChar, _ zero: Number) -> Number? {
        var number = zero
        return unsafe sd_bus_message_read_basic(raw, type, &number) > 0 ? number : nil
    }

    /// Reads an array of bytes; nil if it is too long.
    private func bytes() -> [UInt8]? {
        var start: UnsafeRawPointer?
        var count = 0
        guard unsafe sd_bus_message_read_array(raw, letter("y"), &start, &count) >= 0,
            count <= Self.lengthLimit
        else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func inside(
        _ type: CChar, _ contents: String, _ depth: Int, _ budget: inout Int
    ) -> [BusValue]? {
        within(type, contents) { $0.values(within: depth - 1, &budget) }
    }

    private func letter(_ scalar: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: scalar.value)
    }
}
