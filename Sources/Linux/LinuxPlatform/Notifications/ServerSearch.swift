import UndersongBackground

/// The search for a notification server: it is asked for its name and its capabilities, and the bus
/// for the process that it is.
struct ServerSearch {
    /// The result of an answer.
    enum Step {
        /// The calls to make next, with their numbers, which are negative; there may be none.
        case ask([(Int, BusRequest)])
        case found
        case failed(String)
    }

    private enum State {
        case unknown
        /// It is being asked.
        case asked(Inquiry)
        /// It is the process with this unique name.
        case found(NotificationServer, owner: String)
    }

    /// The answers of a server that is being asked.
    private struct Inquiry {
        var name: String?
        var capabilities: [String]?
        var owner: String?
    }

    /// The number of calls by which a server is found.
    private static let callCount = 3

    private var state = State.unknown
    /// The number of inquiries so far: answers to an earlier one do not count.
    private var inquiries = 0

    /// The server; nil before it is found.
    var server: NotificationServer? {
        if case .found(let server, _) = state { server } else { nil }
    }

    /// The unique name of the server's process; nil before it is found.
    var owner: String? { if case .found(_, let owner) = state { owner } else { nil } }

    /// The number of the first call of the latest inquiry.
    private var firstCall: Int { -Self.callCount * inquiries }

    /// Begins, unless it has begun. Returns the calls to make.
    mutating func begin() -> [(Int, BusRequest)] {
        guard case .unknown = state else { return [] }
        state = .asked(Inquiry())
        inquiries += 1
        return [(firstCall, NotificationRequest.information())]
    }

    /// Forgets the server and what is being asked.
    mutating func giveUp() { state = .unknown }

    /// Handles the answer to the call with a number; one of an earlier inquiry does not count.
    mutating func receive(_ answer: Result<[BusValue], BusError>, to number: Int) -> Step {
        guard case .asked(var inquiry) = state,
            (firstCall..<firstCall + Self.callCount).contains(number)
        else { return .ask([]) }
        let values: [BusValue]
        switch answer {
        case .success(let answered): values = answered
        case .failure(let error):
            state = .unknown
            return .failed(Self.reason(of: error))
        }
        var calls: [(Int, BusRequest)] = []
        switch number - firstCall {
        case 0:
            // The name, the vendor, the version, and that of the specification.
            let texts = values.map { $0.text ?? "" }
            inquiry.name = [texts.first ?? "", texts.count > 2 ? texts[2] : ""]
                .filter { !$0.isEmpty }.joined(separator: " ")
            let name = BusValue.string(NotificationRequest.service)
            calls = [
                (firstCall + 1, NotificationRequest.capabilities()),
                (firstCall + 2, .bus("GetNameOwner", [name])),
            ]
        case 1:
            if case .array("s", let words)? = values.first {
                inquiry.capabilities = words.compactMap(\.text)
            } else {
                inquiry.capabilities = []
            }
        default: inquiry.owner = values.first?.text ?? ""
        }
        guard let name = inquiry.name, let capabilities = inquiry.capabilities,
            let owner = inquiry.owner
        else {
            state = .asked(inquiry)
            return .ask(calls)
        }
        state = .found(NotificationServer(name: name, capabilities: capabilities), owner: owner)
        return .found
    }

    /// Returns true if the server that is known, or being asked, is another one now.
    func isNews(isThere: Bool) -> Bool {
        // A server that was just started for an inquiry is the one that is asked.
        if case .asked(let inquiry) = state { return inquiry.name != nil || !isThere }
        return true
    }

    /// An error of the server or the bus as a clause.
    static func reason(of error: BusError) -> String {
        if error.isAny(of: .serviceUnknown, .nameHasNoOwner) {
            return "no notification server is running"
        }
        if error.isAny(of: .noReply) { return "the notification server has ended" }
        return error.message.isEmpty ? error.name : error.message
    }
}

/// The ids by which a server knows the notifications that it shows.
struct NotificationIds {
    private var ids: [NotificationKey: UInt32] = [:]
    private var keys: [UInt32: NotificationKey] = [:]
    private var tokens: [UInt32: String] = [:]

    /// True if nothing is shown.
    var isEmpty: Bool { ids.isEmpty }

    func id(of key: NotificationKey) -> UInt32? { ids[key] }

    /// Adds the id that the server has given to a notification, in place of an earlier one.
    mutating func add(_ id: UInt32, of key: NotificationKey) {
        if let old = ids.updateValue(id, forKey: key), old != id { keys[old] = nil }
        keys[id] = key
    }

    /// Handles a signal of the server about an id. Returns what it reports; nil if the id is of another
    /// program, or there is nothing to report yet.
    mutating func receive(_ member: String, _ value: BusValue, of id: UInt32) -> NotifierEvent? {
        guard let key = keys[id] else { return nil }
        switch (member, value) {
        case ("ActivationToken", .string(let token)):
            tokens[id] = token
            return nil
        case ("ActionInvoked", .string(let word)):
            let token = tokens.removeValue(forKey: id)
            guard let action = NotificationRequest.action(ofKey: word) else { return nil }
            return .answered(key, action: action, token: token)
        case ("NotificationClosed", .uint32(let reason)):
            (keys[id], ids[key], tokens[id]) = (nil, nil, nil)
            return .closed(key, isDismissed: reason == 2)
        default: return nil
        }
    }
}
