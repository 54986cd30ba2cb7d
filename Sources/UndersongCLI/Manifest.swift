import AudioSession
import Background
import FoundationEssentials
import Glibc

/// The capability manifest that counts for this run.
struct Manifest {
    var capabilities: Capabilities
    /// Its path, `--background-audio`, or `none`.
    var source: String
    /// Why it could not be read, when it could not.
    var problem: String?

    /// The user's own manifest, else the one shipped with the program; `backgroundAudio` overrides
    /// what it says of `audio`. A manifest that cannot be read declares nothing.
    static func find(backgroundAudio: Switch?) -> Manifest {
        var manifest = read()
        guard let backgroundAudio else { return manifest }
        manifest.source = "--background-audio"
        if backgroundAudio == .on {
            manifest.capabilities.backgroundModes.insert(.audio)
        } else {
            manifest.capabilities.backgroundModes.remove(.audio)
        }
        return manifest
    }

    private static func read() -> Manifest {
        guard let path = candidates().first(where: { unsafe access($0, F_OK) == 0 }) else {
            return Manifest(capabilities: Capabilities(), source: "none")
        }
        do {
            let capabilities = try CapabilityManifest.capabilities(atPath: path)
            return Manifest(capabilities: capabilities, source: path)
        } catch {
            let reason =
                unsafe access(path, R_OK) == 0
                ? "It is not a property list with UIBackgroundModes as a list of strings"
                : unsafe String(cString: strerror(errno))
            return Manifest(
                capabilities: Capabilities(), source: "none",
                problem: "cannot read the capability manifest \(path): \(reason)")
        }
    }

    /// Where a manifest may stand, the user's first: his configuration folder, the share folder
    /// beside the program, and above it `Resources` in the source tree that it was built in.
    private static func candidates() -> [String] {
        var paths: [String] = []
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].map { $0 + "/.config" }
        if let folder = environment["XDG_CONFIG_HOME"].flatMap({ $0.isEmpty ? nil : $0 }) ?? home {
            paths.append(folder + "/undersong/Info.plist")
        }
        var folder = URL(filePath: programPath()).deletingLastPathComponent()
        let shared = folder.deletingLastPathComponent()
        paths.append(shared.path + "/share/undersong/Info.plist")
        while folder.path.count > 1 {
            if unsafe access(folder.path + "/Package.swift", F_OK) == 0 {
                paths.append(folder.path + "/Resources/Info.plist")
            }
            folder.deleteLastPathComponent()
        }
        return paths
    }

    private static func programPath() -> String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return "/" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
