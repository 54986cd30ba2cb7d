import CUndersongLinux
import Glibc

/// Makes the files that streams are read from: without a name, so that they go with the process.
enum StreamFiles {
    /// A file, open for reading and writing, in `folder`, which is made if it is missing, or else in
    /// memory. Throws the `errno` if neither can be made.
    static func make(in folder: String?) throws(SystemError) -> Int32 {
        if let folder {
            makeFolders(folder)
            let flags = Int32(CLINUX_O_TMPFILE) | O_RDWR | O_CLOEXEC
            let file = unsafe open(folder, flags, 0o600)
            if file >= 0 { return file }
        }
        let file = unsafe memfd_create("undersong stream", UInt32(CLINUX_MFD_CLOEXEC))
        guard file >= 0 else { throw SystemError(code: errno) }
        return file
    }

    /// A failed system call.
    struct SystemError: Error {
        let code: Int32

        var reason: String { unsafe String(cString: strerror(code)) }
    }

    private static func makeFolders(_ folder: String) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            unsafe mkdir(path, 0o700)
        }
    }
}
