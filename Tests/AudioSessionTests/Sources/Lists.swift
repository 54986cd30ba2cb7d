import Foundation
import UndersongPlayback

@testable import UndersongAudioSession

/// A temporary folder for a test and its files.
final class Lists {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "undersong-lists-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Writes a file, creating its folders; returns its path.
    @discardableResult
    func write(_ text: String = "", to name: String) throws -> String {
        let url = URL(filePath: path(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return path(name)
    }

    /// The paths found by `names`, relative to this folder.
    func find(_ names: String...) -> [String] {
        let finder = MediaFinder(names.map { $0 == "-" ? $0 : path($0) })
        return strip(finder.all().map(\.source.path.description))
    }

    /// The errors found by `names`.
    func errors(_ names: String...) -> [String] {
        let finder = MediaFinder(names.map(path))
        _ = finder.all()
        return strip(finder.errors.map(\.description))
    }

    private func strip(_ texts: [String]) -> [String] {
        texts.map { $0.replacing(folder + "/", with: "") }
    }
}
