import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferClient

/// The file in which the authorization and the regions survive the process.
struct LocationFile: Sendable {
    private let file: RecordFile<Stored>

    init(path: String) { file = RecordFile(path) }

    /// The record in the file; nil if there is none. A damaged file is set aside, and reported.
    func read() -> (record: LocationDesk.Record?, damage: String?) {
        let (stored, damage) = file.load()
        return (stored?.record, damage)
    }

    /// Writes the file, durably. Returns why that is not possible.
    func write(_ record: LocationDesk.Record) -> String? {
        let code = file.save(Stored(record))
        return code == 0
            ? nil : "cannot keep locations in \(file.path): \(SystemError(code).reason)"
    }

    private struct Stored: Codable, Sendable {
        var status: Int
        var hasAskedForUpgrade: Bool
        var regions: [WatchRegions.Region]

        init(_ record: LocationDesk.Record) {
            status = record.status.rawValue
            hasAskedForUpgrade = record.hasAskedForUpgrade
            regions = record.regions.map { WatchRegions.Region($0) }
        }

        var record: LocationDesk.Record {
            LocationDesk.Record(
                status: LocationAuthorization.Status(rawValue: status) ?? .notDetermined,
                hasAskedForUpgrade: hasAskedForUpgrade,
                regions: regions.map(\.record))
        }
    }
}
