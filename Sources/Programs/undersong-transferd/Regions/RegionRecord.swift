import Glibc
import UndersongBase
import UndersongLocation

/// The regions of a program as they are kept.
struct RegionRecord: Codable, Hashable {
    /// The call by which the program has handed them over last.
    var call: WatchRegions
    /// The regions whose state has changed since, while the program did not run.
    var changed: [WatchedRegion] = []

    /// The regions with their latest states.
    var regions: [WatchedRegion] {
        call.regions.map { region in
            changed.first { $0.region.identifier == region.region.identifier } ?? region
        }
    }

    /// Returns the changed ones of the regions that a program hands over again.
    func changes(for call: WatchRegions) -> [WatchedRegion] {
        changed.filter { changed in
            let region = changed.region
            return call.regions.map(\.region).contains {
                $0.identifier == region.identifier && $0.center == region.center
                    && $0.radius == region.radius
            }
        }
    }

    /// Updates the states of the regions.
    mutating func update(_ regions: [WatchedRegion]) {
        changed = regions.filter { !call.regions.contains($0) }
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
