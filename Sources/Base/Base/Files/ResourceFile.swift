import Glibc

/// Finds the files that come with a program: in the share folder next to the program's, and in
/// `Resources` of the source tree in which it was built.
package enum ResourceFile {
    /// The candidates for `name`, the first to prefer, such as `/usr/share/undersong/Routes/run.gpx` for
    /// `Routes/run.gpx`. `program` is the absolute path of the program, by default of this one.
    package static func paths(_ name: String, of program: String = ownPath) -> [String] {
        var folder = Folder.path(of: program)
        var paths = [joined(Folder.path(of: folder), "share/undersong/" + name)]
        while folder != "/", folder != "." {
            if unsafe access(joined(folder, "Package.swift"), F_OK) == 0 {
                paths.append(joined(folder, "Resources/" + name))
            }
            folder = Folder.path(of: folder)
        }
        return paths
    }

    /// The path of the file `name`; nil if it is missing.
    package static func path(_ name: String, of program: String = ownPath) -> String? {
        paths(name, of: program).first { unsafe access($0, R_OK) == 0 }
    }

    /// The absolute path of this program, without symbolic links; `/` if it is not known.
    package static var ownPath: String {
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return "/" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }
}
