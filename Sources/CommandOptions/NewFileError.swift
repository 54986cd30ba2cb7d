import Glibc
package import Playback

/// Why a file could not be written.
package struct NewFileError: Error, CustomStringConvertible {
    private let path: FilePath
    private let code: Int32

    /// The system's error `code` at the file that becomes the one at `path`.
    package init(_ path: FilePath, _ code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String {
        "cannot write \(path): " + (unsafe String(cString: strerror(code)))
    }
}
