import FoundationEssentials
import Glibc
import UndersongAudioSession
package import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// The capability manifest: chooses one of several, reads and changes it.
package struct ManifestFile: Sendable {
    /// The declared capabilities.
    package private(set) var capabilities = Capabilities()
    /// The path of the manifest, or `none`.
    package private(set) var source = "none"
    /// The reason if it could not be read.
    package private(set) var problem: ServiceError?

    private let candidates: [String]
    /// The path of the user's own manifest, which is the one to change.
    private let ownPath: String?

    /// Reads the first existing manifest among `paths`. An unreadable one declares nothing. The one
    /// at `ownPath` is the user's own.
    package init(ownPath: String?, paths: [String]) {
        self.ownPath = ownPath
        candidates = paths
        read()
    }

    /// Reads the manifest again.
    mutating func read() {
        (capabilities, source, problem) = (Capabilities(), "none", nil)
        guard let path = candidates.first(where: { unsafe access($0, F_OK) == 0 }) else { return }
        do {
            capabilities = try CapabilityManifest.capabilities(atPath: path)
            source = path
        } catch {
            let reason =
                unsafe access(path, R_OK) == 0
                ? "it is not a property list with UIBackgroundModes as a list of strings"
                : SystemError.last.reason
            problem = ServiceError(
                .notPossible, "read the capability manifest \(path)", reason)
        }
    }

    /// Adds `identifier` to those that the user's own manifest permits, or removes it, as below.
    mutating func permit(_ identifier: String, isPermitted: Bool) throws(ServiceError) {
        try change { path, template in
            try CapabilityManifest.permit(
                identifier, isPermitted: isPermitted, at: path, from: template)
        }
    }

    /// Adds `mode` to the user's own manifest, or removes it. Everything else in it stays; if it
    /// does not exist, it starts as a copy of the one used so far.
    ///
    /// - Throws: It cannot be read or written.
    mutating func set(_ mode: BackgroundMode, isDeclared: Bool) throws(ServiceError) {
        try change { path, template in
            try CapabilityManifest.set(mode, isDeclared: isDeclared, at: path, from: template)
        }
    }

    /// The reason why Foundation could not read or write a file, in the system's words.
    private static func reason(_ error: any Error) -> String {
        if let error = error as? POSIXError { return SystemError(error.code.rawValue).reason }
        guard let error = error as? CocoaError else { return "it is not a property list" }
        let facts = unsafe error.userInfo
        if let cause = facts.values.lazy.compactMap({ $0 as? POSIXError }).first {
            return SystemError(cause.code.rawValue).reason
        }
        let code =
            switch error.code {
            case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
            case .fileReadNoPermission, .fileWriteNoPermission: EACCES
            case .fileWriteOutOfSpace: ENOSPC
            case .fileWriteVolumeReadOnly: EROFS
            default: EIO
            }
        return SystemError(code).reason
    }

    /// Changes the user's own manifest, and reads it again.
    private mutating func change(
        _ body: (_ path: String, _ template: String?) throws -> Void
    ) throws(ServiceError) {
        guard let ownPath else {
            throw ServiceError(
                .notPossible, "change the capability manifest", "there is no home folder")
        }
        if let problem { throw problem }
        do {
            try body(ownPath, source == "none" ? nil : source)
        } catch {
            throw ServiceError(
                .notPossible, "write the capability manifest \(ownPath)", Self.reason(error))
        }
        read()
    }
}

extension ManifestFile {
    /// The user's manifest, or else the one installed with the program.
    static func found() -> ManifestFile {
        let (own, all) = candidatePaths()
        return ManifestFile(ownPath: own, paths: all)
    }

    /// The paths of the user's own manifest and of all candidates, the user's first: in the user's
    /// configuration folder, in the share folder next to the program, and in `Resources` of the source
    /// tree in which it was built.
    private static func candidatePaths() -> (own: String?, all: [String]) {
        var paths: [String] = []
        let home = Environment["HOME"].map { $0 + "/.config" }
        let declared = Environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = declared ?? home
        let own = folder.map { $0 + "/undersong/Info.plist" }
        if let own { paths.append(own) }
        paths += ResourceFile.paths("Info.plist")
        return (own, paths)
    }
}
