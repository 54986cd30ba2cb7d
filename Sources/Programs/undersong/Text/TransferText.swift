import UndersongBase
import UndersongCommandOptions
import UndersongTransfers

/// Formats transfers.
enum TransferText {
    /// One line: `3  finished  /home/me/song.mp3`.
    static func line(_ status: TransferStatus) -> String {
        "\(status.id)  \(state(status))  \(name(status))"
    }

    /// All, a line each.
    static func list(_ list: TransferList) -> String {
        list.transfers.isEmpty
            ? "no downloads" : list.transfers.map(line).joined(separator: "\n")
    }

    /// `3 downloads`
    static func summary(_ list: TransferList) -> String {
        let count = list.count ?? list.transfers.count
        return count == 1 ? "1 download" : "\(count) downloads"
    }

    /// The path of the file.
    static func name(_ status: TransferStatus) -> String {
        Columns.printable(status.label ?? status.path)
    }

    /// `12 kB`, `3.4 MB`.
    static func size(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1000: return "\(bytes) B"
        case ..<1_000_000: return "\(bytes / 1000) kB"
        default:
            let tenths = bytes / 100_000
            return tenths < 10_000
                ? "\(tenths / 10).\(tenths % 10) MB" : "\(tenths / 10_000).\(tenths / 1000 % 10) GB"
        }
    }

    /// `unlimited`, or `500 kB/s for all together`.
    static func limit(_ reply: TransferLimit) -> String {
        reply.limit.map { "\(size($0))/s in total" } ?? "unlimited"
    }

    private static func state(_ status: TransferStatus) -> String {
        let received =
            status.total.map { "\(size(status.received)) of \(size($0))" }
            ?? size(status.received)
        switch status.state {
        case .waiting:
            let reasons = status.waitReasons.map(reason).joined(separator: ", ")
            let trouble = status.reason.map { " (\(Columns.printable($0)))" } ?? ""
            return "\(reasons)\(trouble), \(received)"
        case .connecting: return "connecting"
        case .receiving: return received
        case .verifying: return "checking"
        case .finished: return finished(status)
        case .failed: return "failed: \(Columns.printable(status.reason ?? ""))"
        case .cancelled: return "cancelled"
        }
    }

    /// `finished, in the queue`
    private static func finished(_ status: TransferStatus) -> String {
        guard status.queue != nil else { return "finished" }
        let reason = status.reason.map { ": \(Columns.printable($0))" } ?? ""
        switch status.queued {
        case true: return "finished, in the queue"
        case false: return "finished, but not in the queue\(reason)"
        case nil: return "finished, waiting for the player\(reason)"
        }
    }

    private static func reason(_ reason: Open<WaitReason>) -> String {
        switch reason {
        case .known(.paused): "paused"
        case .known(.offline): "waiting for a network"
        case .known(.metered): "waiting for a network that is not metered"
        case .known(.battery): "waiting for external power"
        case .known(.lowBattery): "waiting until the battery is charged"
        case .known(.host): "waiting for an answer of its application"
        case .known(.savingPower): "waiting until the machine no longer saves power"
        case .known(.earliestBegin): "waiting for the time at which it may begin"
        case .known(.rateLimit): "waiting, as one of many begun in the background"
        case .known(.retry): "waiting for the next attempt"
        case .known(.server): "waiting as long as the server asks"
        case .known(.diskFull): "waiting for space on the disk"
        case .known(.limit): "waiting for other downloads"
        case .known(.queue): "waiting for the player"
        case .unknown(let word): "waiting (\(word))"
        }
    }
}
