import Glibc
package import Playback

/// Why a file could not be written.
package struct NewFileError: Error, CustomStringConvertible {
    private let path: FilePath
    private let code: Int32

    /// Makes the error for the system's `code` while writing the file at `path`.
    package init(_ path: FilePath, _ code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String {
        "cannot write \(path): " + (unsafe String(cString: strerror(code)))
    }
}
