import AudioSession
package import Background
import FoundationEssentials
import Glibc

/// The capability manifest: which of several counts, what it declares, and how it is changed.
package struct ManifestFile: Sendable {
    /// What it declares.
    package private(set) var capabilities = Capabilities()
    /// Its path, or `none`.
    package private(set) var source = "none"
    /// Why it could not be read, when it could not.
    package private(set) var problem: ServiceError?

    private let candidates: [String]
    /// The user's own, which is the one that is changed.
    private let ownPath: String?

    /// Reads the first of the manifests at `paths` that is there. One that cannot be read declares
    /// nothing. The one at `ownPath` is the user's own.
    package init(ownPath: String?, paths: [String]) {
        self.ownPath = ownPath
        candidates = paths
        read()
    }

    /// Reads it again.
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
                : unsafe String(cString: strerror(errno))
            problem = ServiceError(
                .notPossible, "read the capability manifest \(path)", reason)
        }
    }

    /// Declares `mode` in the user's own manifest, or takes it back. All else in it stays; where
    /// there is none it begins with what counted so far. Errors: it cannot be read or written.
    mutating func set(_ mode: BackgroundMode, isDeclared: Bool) throws(ServiceError) {
        guard let ownPath else {
            throw ServiceError(
                .notPossible, "change the capability manifest", "there is no home folder")
        }
        if let problem { throw problem }
        do {
            try CapabilityManifest.set(
                mode, isDeclared: isDeclared, at: ownPath,
                from: source == "none" ? nil : source)
        } catch {
            throw ServiceError(
                .notPossible, "write the capability manifest \(ownPath)", "\(error)")
        }
        read()
    }
}
