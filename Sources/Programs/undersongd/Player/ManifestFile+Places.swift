import FoundationEssentials
import Glibc
import UndersongCommandOptions

extension ManifestFile {
    /// The user's manifest, or else the one installed with the program.
    static func found() -> ManifestFile {
        let places = places()
        return ManifestFile(ownPath: places.own, paths: places.all)
    }

    /// Where to look for a manifest, the user's first: the user's configuration folder, the share
    /// folder next to the program, and `Resources` of the source tree in which it was built.
    private static func places() -> (own: String?, all: [String]) {
        var paths: [String] = []
        let home = Environment["HOME"].map { $0 + "/.config" }
        let declared = Environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = declared ?? home
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
