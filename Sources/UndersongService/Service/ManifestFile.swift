import AudioSession
import Background
import CommandOptions
import FoundationEssentials
import Glibc

/// The capability manifest: which of several counts, what it declares, and how it is changed.
struct ManifestFile: Sendable {
    /// What it declares.
    private(set) var capabilities = Capabilities()
    /// Its path, or `none`.
    private(set) var source = "none"
    /// Why it could not be read, when it could not.
    private(set) var problem: String?

    private let candidates: [String]
    /// The user's own, which is the one that is changed.
    private let ownPath: String?

    /// Reads the first of the manifests at `paths` that is there. One that cannot be read declares
    /// nothing. The one at `ownPath` is the user's own.
    init(ownPath: String?, paths: [String]) {
        self.ownPath = ownPath
        candidates = paths
        read()
    }

    /// The user's own, else the one that came with the program.
    static func found() -> ManifestFile {
        let places = places()
        return ManifestFile(ownPath: places.own, paths: places.all)
    }

    /// Reads it anew.
    mutating func read() {
        (capabilities, source, problem) = (Capabilities(), "none", nil)
        guard let path = candidates.first(where: { unsafe access($0, F_OK) == 0 }) else { return }
        do {
            capabilities = try CapabilityManifest.capabilities(atPath: path)
            source = path
        } catch {
            let reason =
                unsafe access(path, R_OK) == 0
                ? "It is not a property list with UIBackgroundModes as a list of strings"
                : unsafe String(cString: strerror(errno))
            problem = "cannot read the capability manifest \(path): \(reason)"
        }
    }

    /// Declares `mode` in the user's own manifest, or takes it back. All else in it stays; where
    /// there is none it begins with what counted so far. Errors: it cannot be read or written.
    mutating func set(_ mode: BackgroundMode, isDeclared: Bool) throws(ManifestFailure) {
        guard let ownPath else {
            throw ManifestFailure(
                description: "cannot change the capability manifest: There is no home folder")
        }
        if let problem { throw ManifestFailure(description: problem) }
        do {
            try CapabilityManifest.set(
                mode, isDeclared: isDeclared, at: ownPath,
                from: source == "none" ? nil : source)
        } catch {
            throw ManifestFailure(
                description: "cannot write the capability manifest \(ownPath): \(error)")
        }
        read()
    }

    /// Where a manifest may stand, the user's first: his configuration folder, the share folder
    /// beside the program, and above it `Resources` in the source tree that it was built in.
    private static func places() -> (own: String?, all: [String]) {
        var paths: [String] = []
        let home = Environment["HOME"].map { $0 + "/.config" }
        let folder = Environment["XDG_CONFIG_HOME"] ?? home
        let own = folder.map { $0 + "/undersong/Info.plist" }
        if let own { paths.append(own) }
        var program = URL(filePath: programPath()).deletingLastPathComponent()
        let shared = program.deletingLastPathComponent()
        paths.append(shared.path + "/share/undersong/Info.plist")
        while program.path.count > 1 {
            if unsafe access(program.path + "/Package.swift", F_OK) == 0 {
                paths.append(program.path + "/Resources/Info.plist")
            }
            program.deleteLastPathComponent()
        }
        return (own, paths)
    }

    private static func programPath() -> String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return "/" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}

/// Why the manifest was not changed.
struct ManifestFailure: Error, CustomStringConvertible {
    var description: String
}
