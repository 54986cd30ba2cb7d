import Glibc
import UndersongBase
import UndersongLocation

/// The regions of a program as they are kept.
struct RegionRecord: Codable, Hashable {
    /// What the program has handed over last.
    var call: WatchRegions
    /// What has become known since, while it did not run: the regions whose state has changed.
    var changed: [WatchedRegion] = []

    /// The regions with what is known of them.
    var regions: [WatchedRegion] {
        call.regions.map { region in
            changed.first { $0.region.identifier == region.region.identifier } ?? region
        }
    }

    /// What has changed of the regions that a program hands over again.
    func changes(for call: WatchRegions) -> [WatchedRegion] {
        changed.filter { changed in
            let region = changed.region
            return call.regions.map(\.region).contains {
                $0.identifier == region.identifier && $0.center == region.center
                    && $0.radius == region.radius
            }
        }
    }

    /// Takes in what is known of the regions.
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
