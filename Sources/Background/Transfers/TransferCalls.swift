public import UndersongBase

/// Asks for a file; the reply is its transfer, which is kept from then on. This call and those below
/// are answered by `undersong-transferd`.
public struct AddTransfer: ControlCall, Hashable {
    /// The new transfer.
    public typealias Reply = TransferStatus
    /// The name of the method.
    public static let method = "transfers.add"
    /// A URL of HTTP or HTTPS.
    public var url: String
    /// The absolute path of the file.
    public var to: String
    /// A text that labels it.
    public var label: String?
    /// Seconds after which it is given up; nil for a week.
    public var within: Double?
    /// Seconds without a byte after which an attempt is given up; nil for a minute.
    public var stall: Double?
    /// The SHA-256 of the file, in lower-case hexadecimal digits.
    public var sha256: String?
    /// Whether something that is not sound is refused.
    public var audio: Bool?
    /// Whether it waits for external power and a network that costs nothing.
    public var discretionary: Bool?
    /// Whether the program that asks is in the background: then the transfer is discretionary, and
    /// each further one begins later (J7, J17).
    public var background: Bool?
    /// From 0 to 1; higher ones run first. Nil for 0.5.
    public var priority: Double?
    /// Seconds since 1970 before which it does not begin.
    public var begin: Double?
    /// Where the finished file joins the queue of the session's player; nil if it does not.
    public var queue: QueuePlace?
    /// Whether the file's folder is made if it is missing.
    public var makesFolder: Bool?

    /// Creates a request.
    public init(url: String, to path: String) {
        self.url = url
        to = path
    }
}

/// Where a file joins the queue.
public enum QueuePlace: String, Codable, Sendable, CaseIterable {
    /// At the end.
    case end
    /// After the current item.
    case next
}

/// Asks for transfers.
public struct ListTransfers: ControlCall, Hashable {
    /// The transfers.
    public typealias Reply = TransferList
    /// The name of the method.
    public static let method = "transfers.list"
    /// The maximum number of transfers in a reply.
    public static let limit = 1000
    /// Which; nil for all.
    public var ids: [Int]?
    /// Whether to leave out those that are over.
    public var open: Bool?
    /// The place of the first transfer in the list, from 0; nil for 0.
    public var offset: Int?
    /// How many transfers; nil for `Self.limit`.
    public var limit: Int?

    /// Creates a request.
    public init(ids: [Int]? = nil, open: Bool? = nil, offset: Int? = nil, limit: Int? = nil) {
        self.ids = ids
        self.open = open
        self.offset = offset
        self.limit = limit
    }
}

/// Changes transfers. The reply has those that are meant, as they are then.
public struct ChangeTransfers: ControlCall, Hashable {
    /// What to do.
    public enum Action: String, Codable, Sendable {
        /// Stop until `resume`.
        case pause
        /// Continue.
        case resume
        /// End, and throw away what is there.
        case cancel
        /// Begin again what has failed or was cancelled, and at once what waits.
        case retry
        /// Forget what is over.
        case remove
    }

    /// The transfers.
    public typealias Reply = TransferList
    /// The name of the method.
    public static let method = "transfers.change"
    /// What to do.
    public var action: Action
    /// Which; nil for all.
    public var ids: [Int]?
    /// Why the tasks of sessions are cancelled, as in `SessionTaskStatus.cancelReason`.
    public var because: Int?

    /// Creates a request.
    public init(_ action: Action, ids: [Int]?) {
        self.action = action
        self.ids = ids
    }
}

/// Limits the speed of all transfers together, or asks for the limit.
public struct LimitTransfers: ControlCall, Hashable {
    /// The limit that is in force.
    public struct Reply: Codable, Hashable, Sendable {
        /// Bytes per second; nil for no limit.
        public var limit: Int64?

        /// Creates a reply.
        public init(limit: Int64?) { self.limit = limit }
    }

    /// The name of the method.
    public static let method = "transfers.limit"
    /// Bytes per second, 0 for no limit; nil to ask.
    public var limit: Int64?

    /// Creates a request.
    public init(limit: Int64?) { self.limit = limit }
}

/// Asks for a `TransfersChanged` at each change from now on, and regularly while bytes come.
public struct FollowTransfers: ControlCall, Hashable {
    /// The transfers.
    public typealias Reply = TransferList
    /// The name of the method.
    public static let method = "transfers.follow"
    /// Which; nil for all.
    public var ids: [Int]?

    /// Creates a request.
    public init(ids: [Int]? = nil) { self.ids = ids }
}

/// Transfers, as they are now.
public struct TransferList: Codable, Hashable, Sendable {
    /// The transfers, in the order in which they were asked for.
    public var transfers: [TransferStatus]
    /// How many there are, if this is a part of the list.
    public var count: Int?

    /// Creates a list.
    public init(_ transfers: [TransferStatus], count: Int? = nil) {
        self.transfers = transfers
        self.count = count
    }
}

/// Transfers that have changed; those that are gone are left out.
public struct TransfersChanged: ControlNotice, Hashable {
    /// The name of the method.
    public static let method = "transfers.changed"
    /// The transfers.
    public var transfers: [TransferStatus]

    /// Creates a notice.
    public init(_ transfers: [TransferStatus]) { self.transfers = transfers }
}

/// A transfer.
public struct TransferStatus: Codable, Hashable, Sendable {
    /// What it is doing.
    public enum State: String, Codable, Sendable {
        case waiting
        case connecting
        case receiving
        case verifying
        case finished
        case failed
        case cancelled
    }

    /// Identifies it; never reused.
    public var id: Int
    /// The URL that was asked for.
    public var url: String
    /// The absolute path of the file: where it is to be, or, once it is finished, where it is.
    public var path: String
    /// A text that labels it.
    public var label: String?
    /// What it is doing.
    public var state: State
    /// Why it waits: `paused`, `retry`, `server`, `disk-full`, `limit` and others. Of a finished
    /// one: `queue`, as long as the player has not taken it into its queue.
    public var because: [String]?
    /// Bytes that are there.
    public var received: Int64
    /// Bytes of the whole file, if the server has said it.
    public var total: Int64?
    /// How often what was there had to be thrown away.
    public var restarts: Int?
    /// Where the finished file joins the queue of the session's player.
    public var queue: QueuePlace?
    /// Whether the player has taken it into its queue, or has refused it, as `reason` says.
    public var queued: Bool?
    /// Why it has failed, for machines.
    public var code: String?
    /// Why it has failed, or what went wrong last.
    public var reason: String?

    /// Creates a status.
    public init(id: Int, url: String, path: String, state: State, received: Int64) {
        self.id = id
        self.url = url
        self.path = path
        self.state = state
        self.received = received
    }

    /// Whether nothing more happens to it by itself.
    public var isOver: Bool {
        switch state {
        case .finished: because == nil
        case .failed, .cancelled: true
        case .waiting, .connecting, .receiving, .verifying: false
        }
    }
}

/// Deletes files that transfers have brought. Those that are not there any more count as deleted.
public struct DeleteFiles: ControlCall, Hashable {
    /// What is deleted.
    public struct Reply: Codable, Hashable, Sendable {
        /// The paths of the files that are not there any more.
        public var deleted: [String]

        /// Creates a reply.
        public init(deleted: [String]) { self.deleted = deleted }
    }

    /// The name of the method.
    public static let method = "files.delete"
    /// Absolute paths of files.
    public var paths: [String]

    /// Creates a request.
    public init(paths: [String]) { self.paths = paths }
}
