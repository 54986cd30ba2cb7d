import CUndersongLinux
import Glibc
import UndersongBase

/// Makes the files that streams are read from: without a name, so that they go with the process.
enum StreamFiles {
    /// A file, open for reading and writing, in `folder`, which is made if it is missing, or else in
    /// memory. Throws the reason if neither can be made.
    static func make(in folder: String?) throws(SystemError) -> Int32 {
        if let folder {
            Folder.make(folder)
            let flags = Int32(CLINUX_O_TMPFILE) | O_RDWR | O_CLOEXEC
            let file = unsafe open(folder, flags, 0o600)
            if file >= 0 { return file }
        }
        let file = unsafe memfd_create("undersong stream", UInt32(CLINUX_MFD_CLOEXEC))
        guard file >= 0 else { throw .last }
        return file
    }
}
