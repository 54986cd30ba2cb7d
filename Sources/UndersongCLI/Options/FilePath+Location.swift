import CommandOptions
import Glibc
import Playback

/// Paths that the service, which runs elsewhere, understands.
extension FilePath {
    /// The folder in which this program was called.
    static var current: FilePath {
        guard let folder = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(folder) }
        return unsafe FilePath(cString: folder)
    }

    /// The path from the root on; `-`, the standard input, as it is, and a `file:` URL as its path.
    /// Links and `..` stay as they are, and a file that does not exist is the service's to complain
    /// about. Errors: it is a URL of something else than a file.
    func located(in folder: FilePath) throws(Failure) -> FilePath {
        if self == .standardStream { return self }
        switch NameKind(bytes.span) {
        case .url, .nothing, .remote: return try locatedByURL(in: folder)
        case .absolute, .relative: return absolute(in: folder)
        }
    }

    private func locatedByURL(in folder: FilePath) throws(Failure) -> FilePath {
        // Nothing keeps a folder from being called `http:`.
        let path = absolute(in: folder)
        if unsafe path.withPlatformString({ unsafe access($0, F_OK) }) == 0 { return path }
        if let path = PlaylistNames.path(ofFileURL: self) { return path }
        guard case .remote = NameKind(bytes.span) else {
            throw Failure("cannot play \(shown): There is no path in it", status: 64)
        }
        let reason = "Undersong plays files only. Try: curl -sL URL | undersong play -"
        throw Failure("cannot play \(shown): \(reason)", status: 64)
    }

    private var shown: String { Columns.printable(description) }

    private func absolute(in folder: FilePath) -> FilePath {
        guard !isAbsolute else { return self }
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var path = bytes[...]
        while path.starts(with: [dot, slash]) {
            path = path.dropFirst(2).drop { $0 == slash }
        }
        if path.isEmpty || path.elementsEqual([dot]) { return folder }
        let prefix = folder.bytes.last == slash ? folder.bytes : folder.bytes + [slash]
        return FilePath(bytes: prefix + path)
    }
}

extension FilePath {
    fileprivate init(cString: UnsafePointer<CChar>) {
        let bytes = unsafe UnsafeRawBufferPointer(start: cString, count: strlen(cString))
        self.init(bytes: unsafe Array(bytes))
    }
}
