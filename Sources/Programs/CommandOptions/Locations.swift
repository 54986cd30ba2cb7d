public import ArgumentParser
import Glibc
public import UndersongBase
import UndersongPlayback

/// Paths given on the command line.
extension FilePath {
    /// The working directory of this program.
    package static var current: FilePath {
        guard let folder = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(folder) }
        return unsafe FilePath(cString: folder)
    }

    /// The absolute path, for the service, which has another working directory; `-`, the standard
    /// input, stays as it is, URLs of HTTP and HTTPS have what no URL may contain escaped, and a
    /// `file:` URL becomes its path. Links and `..` are not resolved, and the service reports files
    /// that do not exist.
    ///
    /// - Throws: an error if it is empty, or a URL of another kind.
    package func located(in folder: FilePath) throws(LocationError) -> FilePath {
        if self == .standardStream { return self }
        if NetworkName.isOne(self), !exists(in: folder) { return NetworkName.escaped(self) }
        return try local(in: folder).absolute(in: folder)
    }

    /// The path as it is, or the path of a `file:` URL.
    ///
    /// - Throws: an error if it is empty, or the URL is not a file's.
    package func local(in folder: FilePath) throws(LocationError) -> FilePath {
        if bytes.isEmpty { throw LocationError(name: "''", reason: "The name is empty") }
        let kind = NameKind(bytes.span)
        switch kind {
        case .absolute, .relative: return self
        case .url, .nothing, .remote: break
        }
        // A folder may well be called `http:`.
        if exists(in: folder) { return self }
        if let path = PlaylistNames.path(ofFileURL: self) { return path }
        guard case .remote = kind else {
            throw LocationError(name: self, reason: "There is no path in it")
        }
        throw LocationError(
            name: self,
            reason: NetworkName.isOne(self)
                ? "Only a file can be used here"
                : "Only files, and URLs of HTTP and HTTPS, can be played")
    }

    private func exists(in folder: FilePath) -> Bool { absolute(in: folder).exists }

    /// True if there is a file, a folder or anything else at the path.
    package var exists: Bool { unsafe withPlatformString { unsafe access($0, F_OK) } == 0 }

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

/// The reason why a location on the command line cannot be played.
package struct LocationError: Error, CustomStringConvertible {
    let name: FilePath
    let reason: String

    package var description: String { "cannot play \(name): \(reason)" }
}

extension FilePath: ExpressibleByArgument {
    /// Makes a path from one of `ProcessArguments.texts`.
    public init(argument: String) { self.init(bytes: ProcessArguments.bytes(of: argument)) }

    /// The completion of a path by a shell.
    public static var defaultCompletionKind: CompletionKind { .file() }
}
