import Foundation
import Glibc
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferClient

/// The file in which the authorization and the regions survive the process.
struct LocationFile: Sendable {
    let path: String

    /// What is in the file; nil if there is none. A file that is damaged is put aside, and reported.
    func read() -> (record: LocationDesk.Record?, damage: String?) {
        if let stored = RecordFile.read(Stored.self, from: path) { return (stored.record, nil) }
        guard unsafe access(path, F_OK) == 0 else { return (nil, nil) }
        let aside = path + ".damaged"
        unsafe rename(path, aside)
        return (nil, "\(path) is damaged and begins empty; what it had is in \(aside)")
    }

    /// Writes the file, durably. Returns why that is not possible.
    func write(_ record: LocationDesk.Record) -> String? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        var code = RecordFile.write(Stored(record), to: path)
        if code == 0 { code = RecordFile.sync(folder: folder.path(percentEncoded: false)) }
        guard code != 0 else { return nil }
        return "cannot keep locations in \(path): \(unsafe String(cString: strerror(code)))"
    }

    private struct Stored: Codable {
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
