import CommandOptions
import FoundationEssentials
import Glibc
import PlayerService

extension ManifestFile {
    /// The user's own, else the one that came with the program.
    static func found() -> ManifestFile {
        let places = places()
        return ManifestFile(ownPath: places.own, paths: places.all)
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
