import Glibc
import UndersongBase
import UndersongTransfers

/// Brings a complete part to its destination. May wait for the disk for long, so it has a thread of
/// its own.
struct FileDelivery {
    let task: TransferTask
    let partPath: String
    /// The mode of the file, from the umask of the process.
    let mode: mode_t

    private var destination: String { task.request.destination }

    private var folder: String { Folder.path(of: destination) }

    private var name: String {
        destination.split(separator: "/").last.map(String.init) ?? destination
    }

    /// Checks the part, and copies it where it is on another file system than its destination.
    func prepare() -> TransferPolicy.Verification {
        let file = unsafe open(partPath, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .failed(storage(errno)) }
        defer { close(file) }
        if let failure = check(file) { return .failed(failure) }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else { return .failed(storage(errno)) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return .failed(storage(errno)) }
        // Named after the part: if this process is killed here, the next one removes the link.
        let trial = "\(folder)/.undersong-\(status.st_dev)-\(status.st_ino)"
        unsafe unlink(trial)
        if unsafe link(partPath, trial) == 0 {
            unsafe unlink(trial)
            return prepared(partPath)
        }
        guard errno == EXDEV || errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK else {
            return troubled(errno)
        }
        return copy(file, to: trial + ".part")
    }

    /// Gives the file its name, or the next free one if another file has that. A file that has been
    /// given one already, by a process that was killed, keeps it.
    func place(_ file: PreparedFile) -> Result<String, TransferFailure> {
        for number in 1... {
            let path = number == 1 ? destination : "\(folder)/\(numbered(number))"
            if Self.isSame(path, file) { return placed(path) }
            let code = moveFile(FilePath(file.path), to: FilePath(path))
            if code == 0 { return placed(path) }
            guard code == EEXIST else {
                let isLost = unsafe access(folder, F_OK) == 0 && code == ENOENT
                return .failure(isLost ? storage(code) : Self.failure(code, folder))
            }
        }
        return .failure(storage(EEXIST))
    }

    private func placed(_ path: String) -> Result<String, TransferFailure> {
        let code = Folder.sync(FilePath(folder))
        return code == 0 || code == EACCES ? .success(path) : .failure(storage(code))
    }

    /// `name (2).mp3`
    private func numbered(_ number: Int) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return "\(name) (\(number))"
        }
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }

    private func storage(_ code: Int32) -> TransferFailure {
        TransferFailure(.storage, "The received file cannot be used: \(SystemError(code).reason)")
    }

    private static func failure(_ code: Int32, _ folder: String) -> TransferFailure {
        let isGone = unsafe access(folder, F_OK) != 0
        return isGone || code == ENOTDIR
            ? TransferFailure(.folderGone, "The folder \(folder) is gone")
            : TransferFailure(
                .notWritable, "The folder \(folder) cannot be written: \(SystemError(code).reason)")
    }

    private func troubled(_ code: Int32) -> TransferPolicy.Verification {
        code == ENOSPC || code == EDQUOT ? .diskFull : .failed(Self.failure(code, folder))
    }

    private func prepared(_ path: String) -> TransferPolicy.Verification {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .failed(storage(errno)) }
        return .prepared(
            PreparedFile(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
    }

    private func copy(_ source: Int32, to path: String) -> TransferPolicy.Verification {
        let file = unsafe open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return troubled(errno) }
        defer { close(file) }
        guard lseek(source, 0, SEEK_SET) == 0 else { return .failed(storage(errno)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { break }
                return discarding(path, .failed(storage(errno)))
            }
            let code = unsafe buffer.withUnsafeBytes { bytes in
                unsafe writeAll(.init(rebasing: bytes[..<count]), to: file)
            }
            guard code == 0 else { return discarding(path, troubled(code)) }
        }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else {
            return discarding(path, troubled(errno))
        }
        return prepared(path)
    }

    private func discarding(
        _ path: String, _ result: TransferPolicy.Verification
    ) -> TransferPolicy.Verification {
        unsafe unlink(path)
        return result
    }

    /// Returns the fault of the bytes, if a check is asked for.
    private func check(_ file: Int32) -> TransferFailure? {
        guard task.request.sha256 != nil || task.request.expectsAudio else { return nil }
        var sum = SHA256()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var isFirst = true
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return storage(errno) }
            if isFirst, task.request.expectsAudio,
                let content = TextSniffer.whatIsNoSound(buffer.prefix(count), name: name)
            {
                return TransferFailure(.notAudio, "The server sends \(content) instead of sound")
            }
            isFirst = false
            guard let expected = task.request.sha256 else { return nil }
            if count > 0 {
                unsafe buffer.withUnsafeBytes { unsafe sum.update(.init(rebasing: $0[..<count])) }
                continue
            }
            let found = sum.digest()
            return found == expected
                ? nil : TransferFailure(.checksum, "The SHA-256 is \(found), not \(expected)")
        }
    }

    private static func isSame(_ path: String, _ file: PreparedFile) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && UInt64(status.st_dev) == file.device
            && UInt64(status.st_ino) == file.inode && path != file.path
    }

}
