import Glibc
import UndersongAudioIO
import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// Reads the tracks of the files in one folder. Blocks on the disk.
struct TrackReader {
    private let folder: FolderListing
    /// The CUE sheets that divide files of the folder, and the checksum of each, by the file's name.
    private var sheets: [[UInt8]: (sheet: CueSheet, parts: [CueSheet.Track], sum: UInt64)] = [:]
    /// The sheets that could not be read.
    private(set) var problems: [MediaError] = []

    /// Reads the CUE sheets in a folder.
    init(_ folder: FolderListing) {
        self.folder = folder
        guard !folder.sheets.isEmpty else { return }
        let names = Set((0..<folder.fileCount).map { folder.fileName($0) })
        for name in folder.sheets {
            let path = folder.path.appending(name)
            do throws(MediaError) {
                if let (bytes, stamp) = try Self.contents(path) {
                    add(CueSheet(bytes, Self.context(folder.path)), stamp, named: name, names)
                }
            } catch {
                problems.append(error)
            }
        }
    }

    /// The stamp of a file of the folder.
    func stamp(of name: [UInt8], _ status: stat) -> ScanStamp {
        var stamp = ScanStamp(status)
        var surroundings = folder.cover ?? []
        if let sum = sheets[name]?.sum {
            surroundings += [0]
            surroundings += unsafe withUnsafeBytes(of: sum) { unsafe Array($0) }
        }
        stamp.surroundings = surroundings.isEmpty ? 0 : fnv1a(surroundings)
        return stamp
    }

    /// The tracks of a file of the folder.
    /// - Throws: An error if it cannot be opened, or is not music.
    func tracks(of name: [UInt8]) throws(MediaError) -> [ScannedTrack] {
        let survey = try DecoderRegistry.standard.survey(of: folder.path.appending(name))
        var tags = survey.fields.tags
        tags.hasCover = tags.hasCover || folder.cover != nil
        if let (sheet, parts, _) = sheets[name] {
            return CueTags.tracks(parts, of: sheet, in: tags, survey.sound)
        }
        if let text = survey.fields.cueSheet {
            // All its tracks are in this file, whatever name it had when the sheet was made.
            let sheet = CueSheet(Array(text.utf8), PlaylistContext(folder: folder.path))
            if sheet.tracks.count > 1 {
                return CueTags.tracks(sheet.tracks, of: sheet, in: tags, survey.sound)
            }
        }
        return [ScannedTrack(tags: tags, sound: survey.sound)]
    }

    // MARK: CUE sheets

    private mutating func add(
        _ sheet: CueSheet, _ stamp: ScanStamp, named name: [UInt8], _ names: Set<[UInt8]>
    ) {
        let parts = Dictionary(grouping: sheet.tracks, by: \.path)
        // A sheet with one file per track adds nothing to what these say themselves.
        for (path, parts) in parts where parts.count > 1 && path.parent == folder.path {
            let wanted = Array(path.bytes.dropFirst(folder.path.appending([]).bytes.count))
            guard let file = Self.file(wanted, in: names), sheets[file] == nil else { continue }
            let text = "\(stamp.size) \(stamp.modified) "
            sheets[file] = (sheet, parts, fnv1a(Array(text.utf8) + name))
        }
    }

    /// The name of the file that a sheet means: that very name, or that of a file that was converted.
    private static func file(_ name: [UInt8], in names: Set<[UInt8]>) -> [UInt8]? {
        if names.contains(name) { return name }
        func stem(_ name: [UInt8]) -> ArraySlice<UInt8> {
            name[..<(name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex)]
        }
        let others = names.filter { stem($0) == stem(name) }
        return others.count == 1 ? others.first : nil
    }

    /// The contents of a sheet, and its stamp; nil if it is not there any more.
    private static func contents(
        _ path: FilePath
    ) throws(MediaError) -> (bytes: [UInt8], stamp: ScanStamp)? {
        let file = unsafe path.withPlatformString {
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw MediaError(reading: path, errno)
        }
        defer { close(file) }
        var status = stat()
        unsafe fstat(file, &status)
        do throws(FileContent.Problem) {
            return (try FileContent.bytes(of: file, limit: CueSheet.limit), ScanStamp(status))
        } catch {
            throw MediaError(
                .badPlaylist, operation: "read \(path)", reason: error.description)
        }
    }

    private static func context(_ folder: FilePath) -> PlaylistContext {
        PlaylistContext(
            folder: folder, isThere: { FileStatus.status($0) != nil }, text: CharacterSet.text)
    }
}
