import Glibc
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferClient

/// The regions of a program as they are kept.
struct RegionRecord: Codable, Hashable {
    /// What the program has handed over last.
    var call: WatchRegions
    /// What has become known since, while it did not run: the regions whose state has changed.
    var changed: [WatchRegions.Region] = []

    /// The regions with what is known of them.
    var regions: [WatchRegions.Region] {
        call.regions.map { region in
            changed.first { $0.identifier == region.identifier } ?? region
        }
    }

    /// What has changed of the regions that a program hands over again.
    func changes(for call: WatchRegions) -> [WatchRegions.Region] {
        changed.filter { changed in
            call.regions.contains {
                $0.identifier == changed.identifier && $0.latitude == changed.latitude
                    && $0.longitude == changed.longitude && $0.radius == changed.radius
            }
        }
    }

    /// Takes in what is known of the regions.
    mutating func take(_ regions: [LocationDesk.Record.Region]) {
        changed = regions.map { WatchRegions.Region($0) }.filter { !call.regions.contains($0) }
    }
}

/// The folder of the records, one file for each program.
struct RegionFolder {
    private static let suffix = ".regions"
    let path: String

    func load() -> [RegionRecord] {
        Folder.names(in: path).sorted().filter { $0.hasSuffix(Self.suffix) }
            .compactMap { RecordFile("\(path)/\($0)").record }
    }

    /// Writes a record, durably. Returns 0 or the `errno` of a failure.
    func keep(_ record: RegionRecord) -> Int32 {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { return errno }
        return RecordFile(file(record.call.program)).save(record)
    }

    func forget(_ program: String) { unsafe unlink(file(program)) }

    private func file(_ program: String) -> String { "\(path)/\(program)\(Self.suffix)" }
}
