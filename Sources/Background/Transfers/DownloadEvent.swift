package import UndersongBase

/// A change of a download, as `undersong download --json` writes it on a line.
package struct DownloadEvent: Codable, Hashable, Sendable {
    /// The phases of a download.
    package enum Phase: String, Codable, Sendable {
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

    /// The names on the wire.
    private enum CodingKeys: String, CodingKey {
        case event, task, phase, url, path, description, bytes, total, restarts, code, reason
        case waitReasons = "because"
    }

    /// `download`
    package var event = "download"
    /// Identifies the download.
    package var task: Int
    /// The current phase.
    package var phase: Phase
    /// The URL that was asked for.
    package var url: String
    /// The absolute path of the file.
    package var path: String
    /// The text that labels it.
    package var description: String?
    /// The reasons it waits.
    package var waitReasons: [Open<WaitReason>]?
    /// Bytes that are there.
    package var bytes: Int64
    /// Bytes of the whole file, if the server has said it.
    package var total: Int64?
    /// The number of times that the received bytes had to be thrown away.
    package var restarts: Int?
    /// The reason it has failed, for machines.
    package var code: Open<TransferFailure.Code>?
    /// The reason it has failed, or what went wrong last.
    package var reason: String?

    /// Creates the event for a status; `last` is the one before it of the same download, if any.
    /// Nil if nothing has happened in between.
    package init?(_ status: TransferStatus, after last: DownloadEvent?) {
        task = status.id
        url = status.url
        path = status.path
        description = status.label
        waitReasons = status.waitReasons.isEmpty ? nil : status.waitReasons
        bytes = status.received
        total = status.total
        restarts = status.restarts > 0 ? status.restarts : nil
        code = status.code
        reason = status.reason
        let isRunning = last?.phase == .running || last?.phase == .progress
        switch status.state {
        case .waiting: phase = status.waitReasons == [.known(.limit)] ? .queued : .waiting
        case .connecting, .receiving, .verifying: phase = isRunning ? .progress : .running
        case .finished: phase = status.waitReasons.isEmpty ? .finished : .waiting
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
