package import UndersongBase

/// Asks `undersong-transferd`, which answers all calls in this folder, for a file. The reply is its
/// transfer, which is on the disk from then on.
package struct AddTransfer: ControlCall, Hashable {
    package typealias Reply = TransferStatus
    package static let method = "transfers.add"
    /// A URL of HTTP or HTTPS.
    package var url: String
    /// The absolute path of the file.
    package var to: String
    /// A text that labels it.
    package var label: String?
    /// Seconds after which it is given up; nil for a week.
    package var within: Double?
    /// Seconds without a byte after which an attempt is given up; nil for a minute.
    package var stall: Double?
    /// The SHA-256 of the file, in lower-case hexadecimal digits.
    package var sha256: String?
    /// True if something that is not sound is refused.
    package var audio: Bool?
    /// True to wait for external power and a network that costs nothing.
    package var discretionary: Bool?
    /// True if the program that asks is in the background: then the transfer is discretionary, and
    /// each further one begins later (J7, J17).
    package var background: Bool?
    /// The priority from 0 to 1; higher ones run first. Nil for 0.5.
    package var priority: Double?
    /// Seconds since 1970 before which it does not begin.
    package var begin: Double?
    /// The place at which the finished file joins the queue; nil if it does not.
    package var queue: QueuePlacement.Place?
    /// True if the file's folder is made if it is missing.
    package var makesFolder: Bool?

    package init(url: String, to path: String) {
        self.url = url
        to = path
    }
}

/// Asks for transfers.
package struct ListTransfers: ControlCall, Hashable {
    package typealias Reply = TransferList
    package static let method = "transfers.list"
    /// The maximum number of transfers in a reply.
    package static let limit = 1000
    /// The transfers, by number; nil for all.
    package var ids: [Int]?
    /// True to leave out those that are over.
    package var open: Bool?
    /// The place of the first transfer in the list, from 0; nil for 0.
    package var offset: Int?
    /// The maximum number of transfers; nil for `Self.limit`.
    package var limit: Int?

    package init(ids: [Int]? = nil, open: Bool? = nil, offset: Int? = nil, limit: Int? = nil) {
        self.ids = ids
        self.open = open
        self.offset = offset
        self.limit = limit
    }
}

/// A change of transfers. The reply has those that are meant, as they are then.
package protocol TransferChange: ControlCall where Reply == TransferList {
    /// The transfers, by number; nil for all.
    var ids: [Int]? { get }

    init(ids: [Int]?)
}

/// Stops transfers until they are resumed.
package struct PauseTransfers: TransferChange, Hashable {
    package static let method = "transfers.pause"
    package var ids: [Int]?

    package init(ids: [Int]?) { self.ids = ids }
}

/// Continues transfers.
package struct ResumeTransfers: TransferChange, Hashable {
    package static let method = "transfers.resume"
    package var ids: [Int]?

    package init(ids: [Int]?) { self.ids = ids }
}

/// Ends transfers, and throws away what is there.
package struct CancelTransfers: TransferChange, Hashable {
    package static let method = "transfers.cancel"
    package var ids: [Int]?
    /// The reason the tasks of sessions are cancelled.
    package var reason: CancelReason?

    package init(ids: [Int]?) { self.ids = ids }
}

/// Begins transfers again that have failed or were cancelled, and those at once that wait.
package struct RetryTransfers: TransferChange, Hashable {
    package static let method = "transfers.retry"
    package var ids: [Int]?

    package init(ids: [Int]?) { self.ids = ids }
}

/// Forgets transfers that are over.
package struct RemoveTransfers: TransferChange, Hashable {
    package static let method = "transfers.remove"
    package var ids: [Int]?

    package init(ids: [Int]?) { self.ids = ids }
}

/// Asks for the limit of the speed of all transfers together.
package struct GetTransferLimit: ControlCall, Hashable {
    package typealias Reply = TransferLimit
    package static let method = "transfers.limit"

    package init() {}
}

/// Limits the speed of all transfers together. The limit stays when the program ends.
package struct SetTransferLimit: ControlCall, Hashable {
    package typealias Reply = TransferLimit
    package static let method = "transfers.setLimit"
    /// Bytes per second; nil for no limit.
    package var limit: Int64?

    package init(limit: Int64?) { self.limit = limit }
}

/// The limit of the speed of all transfers together.
package struct TransferLimit: Codable, Hashable, Sendable {
    /// Bytes per second; nil for no limit.
    package var limit: Int64?

    package init(limit: Int64?) { self.limit = limit }
}

/// Asks for a `TransfersChanged` at each change from now on, and five times a second while bytes come.
package struct FollowTransfers: ControlCall, Hashable {
    package typealias Reply = TransferList
    package static let method = "transfers.follow"
    /// The transfers, by number; nil for all.
    package var ids: [Int]?

    package init(ids: [Int]? = nil) { self.ids = ids }
}

/// Transfers, as they are now.
package struct TransferList: Codable, Hashable, Sendable {
    /// The transfers, in the order in which they were asked for.
    package var transfers: [TransferStatus]
    /// The number of transfers in all, if this is a part of the list.
    package var count: Int?

    package init(_ transfers: [TransferStatus], count: Int? = nil) {
        self.transfers = transfers
        self.count = count
    }
}

/// Transfers that have changed; those that are gone are left out.
package struct TransfersChanged: ControlNotice, Hashable {
    package static let method = "transfers.changed"
    package var transfers: [TransferStatus]

    package init(_ transfers: [TransferStatus]) { self.transfers = transfers }
}

/// Deletes files that transfers have brought. Those that are not there any more count as deleted.
package struct DeleteFiles: ControlCall, Hashable {
    package struct Reply: Codable, Hashable, Sendable {
        /// The paths of the files that are not there any more.
        package var deleted: [String]

        package init(deleted: [String]) { self.deleted = deleted }
    }

    package static let method = "files.delete"
    /// Absolute paths of files.
    package var paths: [String]

    package init(paths: [String]) { self.paths = paths }
}
