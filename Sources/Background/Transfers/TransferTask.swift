import UndersongBackground
package import UndersongBase

/// The reason a transfer has failed for good.
package struct TransferFailure: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The reason for machines.
    package enum Code: String, Codable, Sendable, CaseIterable {
        /// The server has answered with an error that another request will not change.
        case httpStatus = "http-status"
        /// The URL, or one to which it redirects, is not of HTTP or HTTPS.
        case unsupportedURL = "unsupported-url"
        case tooManyRedirects = "too-many-redirects"
        /// The server's certificate is not valid.
        case certificate
        /// The body is compressed although that was not asked for.
        case encoded
        /// The response is not sound, where sound was expected.
        case notAudio = "not-audio"
        /// The SHA-256 of the file is another one.
        case checksum
        /// The time for the whole transfer is over.
        case timedOut = "timed-out"
        /// The destination's folder is gone.
        case folderGone = "folder-gone"
        /// The destination cannot be written.
        case notWritable = "not-writable"
        /// The record or the received bytes cannot be written or read.
        case storage
        /// The part that was to be continued is gone.
        case resumeLost = "resume-lost"
        /// The file to send cannot be read.
        case fileMissing = "file-missing"
    }

    package var code: Code
    /// The reason for people: a sentence without its full stop.
    package var text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    package var description: String { text }
}

/// The reason a transfer is not running.
package enum WaitReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// It was paused, or never resumed (J3).
    case paused
    /// Its time has not come.
    case earliestBegin = "earliest-begin"
    /// It was begun in the background, and others before it too.
    case rateLimit = "rate-limit"
    /// It is discretionary, and the network is metered (J7).
    case metered
    /// It is discretionary, and the machine runs on its battery (J7).
    case battery
    /// It is discretionary, and the batteries are nearly empty (J7).
    case lowBattery = "low-battery"
    /// It is discretionary, and the user saves power (J7).
    case savingPower = "saving-power"
    /// There is no network.
    case offline
    /// An attempt has failed, and the next one is due later.
    case retry
    /// The server has said when to come again.
    case server
    /// The disk is full.
    case diskFull = "disk-full"
    /// The maximum number of transfers is running, in all or with its host.
    case limit
    /// The application has yet to answer: the server wants a password, or the time of a delayed
    /// request has come.
    case host
    /// The file is complete, and the player has not taken it into its queue yet.
    case queue
}

extension MachineState {
    /// The reasons that forbid a transfer. A discretionary one does not run at all on a metered network or
    /// without enough power (J7): it is not just slower.
    func reasons(isDiscretionary: Bool) -> Set<WaitReason> {
        var reasons: Set<WaitReason> = []
        if network.connectivity == .none || network.connectivity == .portal {
            reasons.insert(.offline)
        }
        guard isDiscretionary else { return reasons }
        if network.isMetered { reasons.insert(.metered) }
        if power.isOnBattery { reasons.insert(.battery) }
        if power.isLow { reasons.insert(.lowBattery) }
        if power.isSavingPower { reasons.insert(.savingPower) }
        return reasons
    }
}

/// The URL to fetch, and the file to make of it.
package struct TransferRequest: Hashable, Codable, Sendable {
    /// The URL that was asked for.
    package var url: String
    /// The absolute path of the file.
    package var destination: String
    /// The session of the client: transfers of different sessions do not concern each other (J8).
    package var session = "default"
    /// A text that labels it (J8).
    package var label: String?
    /// True if it waits for external power and a network that is not metered (J7).
    package var isDiscretionary = false
    /// The priority from 0 to 1; higher ones run first.
    package var priority = 0.5
    /// Seconds since 1970 before which it does not begin.
    package var earliestBegin: Double?
    /// Seconds after which it is given up (J15).
    package var timeout = 604_800.0
    /// Seconds without a byte after which an attempt is given up.
    package var stallTimeout = 60.0
    /// The SHA-256 that the file has to have, in lower-case hexadecimal digits.
    package var sha256: String?
    /// True if something that is not sound is refused.
    package var expectsAudio = false
    /// The placement in the player's queue; nil to leave the queue alone.
    package var queue: QueuePlacement?

    package init(url: String, destination: String) {
        self.url = url
        self.destination = destination
    }

    /// Returns true if `text` is a possible value of `sha256`.
    package static func isSHA256(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// The received part of a file, and the proof that a later response continues it.
package struct TransferPart: Hashable, Codable, Sendable {
    /// The number of bytes that have reached the disk.
    package var offset: Int64 = 0
    /// The length of the whole file, if the server has said it.
    package var total: Int64?
    /// The validator of the response that these bytes come from.
    package var validator: Validator?
    /// The URL that has answered, which may name one variant of the file.
    package var url: String?

    package init() {}
}

/// A file that is complete and has not got its name yet.
package struct PreparedFile: Hashable, Codable, Sendable {
    package var path: String
    package var device: UInt64
    package var inode: UInt64

    package init(path: String, device: UInt64, inode: UInt64) {
        self.path = path
        self.device = device
        self.inode = inode
    }
}

/// The record of a transfer: all that survives the process.
package struct TransferTask: Hashable, Codable, Sendable {
    /// The stages of a transfer.
    package enum Stage: Hashable, Codable, Sendable {
        case pending
        /// The file is complete and about to get its name.
        case placing(PreparedFile)
        /// It is at this path.
        case finished(path: String)
        case failed(TransferFailure)
        case cancelled
    }

    /// Identifies it; never reused.
    package let id: Int
    package var request: TransferRequest
    /// The additions of a background session's task; nil for all others.
    package var session: SessionTask? {
        get { if case .value(let session)? = sessionBox { session } else { nil } }
        set { sessionBox = newValue.map { .value($0) } }
    }
    /// Few tasks of a process have one, and many may wait.
    private var sessionBox: Box<SessionTask>?
    package var stage = Stage.pending
    /// True if it is meant to run (J3).
    package var isResumed = true
    package var part = TransferPart()
    /// Requests since the last that brought anything.
    package var attempts = 0
    /// The number of times that the received bytes had to be thrown away.
    package var restarts = 0
    /// True if it was tried to continue without `If-Range`.
    package var hasTriedBareRange = false
    /// True if HTTP/2 has failed.
    package var avoidsHTTP2 = false
    /// The last problem.
    package var lastTrouble: String?
    /// The player's final answer to the placement.
    package var queueAnswer: QueueAnswer?
    /// Seconds of its time-out that were over at `mark`.
    package var age = 0.0
    /// The time at which the record was written.
    package var mark: Moment

    private enum CodingKeys: String, CodingKey {
        case id, request, stage, isResumed, part, attempts, restarts, hasTriedBareRange
        case avoidsHTTP2, lastTrouble, queueAnswer, age, mark
        case sessionBox = "session"
    }

    package init(id: Int, _ request: TransferRequest, at now: Moment) {
        self.id = id
        self.request = request
        mark = now
    }

    /// True if the file is still to come.
    package var isUnfinished: Bool {
        switch stage {
        case .pending, .placing: true
        case .finished, .failed, .cancelled: false
        }
    }

    /// True if the file is there, and the player has yet to take it into its queue.
    package var hasPendingPlacement: Bool {
        guard case .finished = stage else { return false }
        return request.queue != nil && queueAnswer == nil
    }

    /// True if there is something left to do.
    package var isOpen: Bool { isUnfinished || hasPendingPlacement }
}

/// A point of time.
package struct Moment: Hashable, Codable, Sendable {
    /// Seconds since the machine was started, also while it sleeps.
    package var boot: Double
    /// Seconds since 1970, which the user and the network may change.
    package var epoch: Double

    package init(boot: Double, epoch: Double) {
        self.boot = boot
        self.epoch = epoch
    }
}

/// The place in the session player's queue that a file gets once it is complete.
package struct QueuePlacement: Hashable, Codable, Sendable {
    /// A position in the queue.
    package enum Place: String, Codable, Sendable, CaseIterable {
        /// At the end.
        case end
        /// After the current item.
        case next
    }

    package var place: Place
    /// Identifies the edit of the queue, which is made once however often it is asked for.
    package var key: String

    package init(_ place: Place, key: String) {
        self.place = place
        self.key = key
    }
}

/// The player's answer to a placement.
package enum QueueAnswer: Hashable, Codable, Sendable {
    /// The file is in the queue, or was, and that is durable.
    case joined
    /// The player does not take the file.
    case refused(String)
    /// No answer came, or the player cannot make it durable now.
    case unavailable(String)
}

/// A value in memory of its own: it takes the room of a pointer where it is missing. In a record it is
/// written as the value itself.
indirect enum Box<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    case value(Value)

    init(from decoder: any Decoder) throws { self = .value(try Value(from: decoder)) }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .value(let value): try value.encode(to: encoder)
        }
    }
}
