/// A change of a download, as `undersong download --json` writes it on a line.
public struct DownloadEvent: Codable, Hashable, Sendable {
    /// What a download is doing.
    public enum Phase: String, Codable, Sendable {
        /// It waits for others.
        case queued
        /// It waits, and `because` says why.
        case waiting
        /// It begins, or continues.
        case running
        /// More of it is there.
        case progress
        case finished
        case failed
        case cancelled
    }

    /// `download`
    public var event = "download"
    /// Identifies the download.
    public var task: Int
    /// What it is doing.
    public var phase: Phase
    /// The URL that was asked for.
    public var url: String
    /// The absolute path of the file.
    public var path: String
    /// The text that labels it.
    public var description: String?
    /// Why it waits: the reasons of `TransferStatus.because`.
    public var because: [String]?
    /// Bytes that are there.
    public var bytes: Int64
    /// Bytes of the whole file, if the server has said it.
    public var total: Int64?
    /// How often what was there had to be thrown away.
    public var restarts: Int?
    /// Why it has failed, for machines.
    public var code: String?
    /// Why it has failed, or what went wrong last.
    public var reason: String?

    /// Creates the event for a status; `last` is the one before it of the same download, if any.
    /// Nil if nothing has happened in between.
    public init?(_ status: TransferStatus, after last: DownloadEvent?) {
        task = status.id
        url = status.url
        path = status.path
        description = status.label
        because = status.because
        bytes = status.received
        total = status.total
        restarts = status.restarts
        code = status.code
        reason = status.reason
        let isRunning = last?.phase == .running || last?.phase == .progress
        switch status.state {
        case .waiting: phase = status.because == ["limit"] ? .queued : .waiting
        case .connecting, .receiving, .verifying: phase = isRunning ? .progress : .running
        case .finished: phase = status.because == nil ? .finished : .waiting
        case .failed: phase = .failed
        case .cancelled: phase = .cancelled
        }
        if let last {
            var same = last
            if phase == .progress { same.phase = .progress }
            if same == self { return nil }
        }
    }
}
