import UndersongBackground

/// A call of a distributor, by either version of the connector's interface.
enum ConnectorCall: Hashable {
    /// The object that distributors call.
    static let path = "/org/unifiedpush/Connector"
    /// The most bytes of a token.
    private static let tokenLimit = 100

    /// A message for a registration, with the distributor's identifier.
    case message(token: String, [UInt8], id: String?)
    /// The distributor names the URL to which messages for a registration are to be sent.
    case endpoint(token: String, String)
    /// A registration has ended. The token may be empty in version 1.
    case unregistered(token: String)
    /// The caller asks for a description of the object.
    case introspection

    /// Parses a call.
    ///
    /// - Throws: `BusError` if there is no such object or method, or the arguments are not valid.
    init(_ call: BusCall) throws(BusError) {
        guard call.path == Self.path else {
            throw BusError(.unknownObject, "There is no object at \(call.path)")
        }
        switch call.interface {
        case "org.unifiedpush.Connector1": try self.init(first: call)
        case "org.unifiedpush.Connector2": try self.init(second: call)
        case "org.freedesktop.DBus.Introspectable" where call.member == "Introspect":
            self = .introspection
        case nil where call.signature == "a{sv}": try self.init(second: call)
        case nil where call.member == "Introspect": self = .introspection
        case nil: try self.init(first: call)
        case let other?: throw BusError(.unknownInterface, "There is no interface \(other)")
        }
    }

    /// Reads a call of version 1, whose arguments have places.
    private init(first call: BusCall) throws(BusError) {
        let values = call.arguments ?? []
        let texts = values.map(\.text)
        switch (call.member, call.signature) {
        case ("Message", "says"):
            guard case .bytes(let bytes)? = values.dropFirst().first, let token = texts[0] else {
                throw Self.invalid(call)
            }
            let id = texts[2].flatMap { $0.isEmpty ? nil : $0 }
            self = .message(token: try Self.checked(token, call), bytes, id: id)
        case ("NewEndpoint", "ss"):
            guard let token = texts.first ?? nil, let url = texts.last ?? nil else {
                throw Self.invalid(call)
            }
            self = .endpoint(token: try Self.checked(token, call), url)
        case ("Unregistered", "s"):
            guard let token = texts.first ?? nil, token.utf8.count <= Self.tokenLimit else {
                throw Self.invalid(call)
            }
            self = .unregistered(token: token)
        case ("Message", _), ("NewEndpoint", _), ("Unregistered", _): throw Self.invalid(call)
        default: throw Self.unknown(call)
        }
    }

    /// Reads a call of version 2, whose arguments have names.
    private init(second call: BusCall) throws(BusError) {
        guard ["Message", "NewEndpoint", "Unregistered"].contains(call.member) else {
            throw Self.unknown(call)
        }
        guard call.arguments?.count == 1, let members = call.arguments?.first?.members,
            let token = members["token"]?.text
        else { throw Self.invalid(call) }
        _ = try Self.checked(token, call)
        switch call.member {
        case "Message":
            guard case .bytes(let bytes)? = members["message"] else { throw Self.invalid(call) }
            let id = members["id"]
            guard id == nil || id?.text != nil else { throw Self.invalid(call) }
            self = .message(token: token, bytes, id: id?.text)
        case "NewEndpoint":
            guard let url = members["endpoint"]?.text else { throw Self.invalid(call) }
            self = .endpoint(token: token, url)
        default: self = .unregistered(token: token)
        }
    }

    /// The values of the answer, once the content of the call was accepted.
    func answer(to call: BusCall) -> [BusValue] {
        guard call.signature == "a{sv}" else { return [] }
        if case .message(_, _, let id?) = self { return [.dictionary(["id": .string(id)])] }
        return [.dictionary([:])]
    }

    private static func checked(_ token: String, _ call: BusCall) throws(BusError) -> String {
        guard (1...tokenLimit).contains(token.utf8.count) else { throw invalid(call) }
        return token
    }

    private static func invalid(_ call: BusCall) -> BusError {
        BusError(.invalidArguments, "The arguments of \(call.member) are not valid")
    }

    private static func unknown(_ call: BusCall) -> BusError {
        BusError(.unknownMethod, "There is no method \(call.member)")
    }

    /// The description of the object, as D-Bus defines it.
    static let description = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(interface(2, arguments: [
            "Message": ["a{sv}"], "NewEndpoint": ["a{sv}"], "Unregistered": ["a{sv}"],
        ], result: "a{sv}"))
        \(interface(1, arguments: [
            "Message": ["s", "ay", "s"], "NewEndpoint": ["s", "s"], "Unregistered": ["s"],
        ], result: nil))
        </node>
        """

    private static func interface(
        _ version: Int, arguments: [String: [String]], result: String?
    ) -> String {
        let methods = arguments.sorted { $0.key < $1.key }.map { name, types in
            let inputs = types.map { "<arg type=\"\($0)\" direction=\"in\"/>" }
            let output = result.map { "<arg type=\"\($0)\" direction=\"out\"/>" }
            let note = "<annotation name=\"org.freedesktop.DBus.Method.NoReply\" value=\"true\"/>"
            return "<method name=\"\(name)\">\(inputs.joined())\(output ?? note)</method>"
        }
        return "<interface name=\"org.unifiedpush.Connector\(version)\">"
            + methods.joined() + "</interface>"
    }
}
