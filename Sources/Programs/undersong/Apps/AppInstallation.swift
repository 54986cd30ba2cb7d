import FoundationEssentials
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// The arguments of `undersong app install`, and the app that they describe.
struct AppInstallation {
    /// The program: a path, or a name to look for.
    var program: FilePath
    var arguments: [String]
    /// The property list; nil for the one beside the program, if there is one.
    var manifest: FilePath?
    /// The identifier; nil for that of the property list, or the program's name.
    var identifier: String?
    /// The working folder of the app.
    var folder = FilePath.current
    /// The value of PATH.
    var searchPath = Environment["PATH"]

    /// The app.
    ///
    /// - Throws: a failure if the program cannot be run, or the property list cannot be used.
    func app() throws -> App {
        let program = try text(of: executable())
        let manifest = try manifestPath(beside: program)
        let declared = try manifest.map { try Self.manifest(at: $0) }
        let fileName = program.split(separator: "/").last.map(String.init) ?? program
        let identifier = identifier ?? declared?.identifier ?? fileName
        if let mistake = App.mistake(inIdentifier: identifier) {
            throw Self.failure("'\(identifier)': \(mistake); give one with --id")
        }
        return App(
            identifier: identifier, name: declared?.name ?? fileName,
            command: [program] + arguments, folder: try text(of: folder), manifest: manifest,
            modes: declared?.knownModes ?? [], permitted: declared?.permitted ?? [],
            usage: declared?.usage ?? [:])
    }

    /// The declarations in the property list at `path`.
    ///
    /// - Throws: a failure if it cannot be read, or declares a mode that does not exist.
    static func manifest(at path: String) throws -> AppManifest {
        let bytes = try InputFile(path: FilePath(path)).bytes()
        let manifest: AppManifest
        do {
            manifest = try PropertyListDecoder().decode(AppManifest.self, from: Data(bytes))
        } catch {
            throw failure("\(path) cannot be used: \(AppManifest.reason(error))")
        }
        let known = BackgroundMode.allCases.map(\.rawValue)
        if let strange = manifest.modes.first(where: { !known.contains($0) }) {
            let meant = Suggestion.text(for: strange, among: known)
            throw failure(
                "\(path) declares '\(strange)', which is not a background mode\(meant)")
        }
        return manifest
    }

    /// The absolute path of the program. A name without a slash is looked for as a shell does.
    private func executable() throws -> FilePath {
        if program.bytes.isEmpty { throw Self.failure("The program has no name") }
        if program.bytes.contains(UInt8(ascii: "/")) {
            let path = try program.located(in: folder)
            if let problem = AppProgram.problem(path) {
                throw Self.failure("\(program) \(problem)")
            }
            return path
        }
        let folders = (searchPath ?? "").split(separator: ":", omittingEmptySubsequences: false)
        let paths = try folders.map { name in
            let start = Array((name.isEmpty ? "./" : name + "/").utf8)
            return try FilePath(bytes: start + program.bytes).located(in: folder)
        }
        if let path = paths.first(where: { AppProgram.problem($0) == nil }) { return path }
        if let path = paths.first(where: \.exists), let problem = AppProgram.problem(path) {
            throw Self.failure("\(path) \(problem)")
        }
        throw Self.failure("There is no program '\(program)' in PATH")
    }

    /// The absolute path of the property list; nil if none is given or found.
    private func manifestPath(beside program: String) throws -> String? {
        guard let manifest else {
            let path = Folder.path(of: program) + "/Info.plist"
            return FilePath(path).exists ? path : nil
        }
        let path = try manifest.located(in: folder)
        guard path.isAbsolute else {
            throw Self.failure("It is read again at each launch, so it has to be a file")
        }
        return try text(of: path)
    }

    /// A path as the service keeps it.
    private func text(of path: FilePath) throws -> String {
        guard let text = path.string else { throw Self.failure("\(path) is not UTF-8") }
        return text
    }

    private static func failure(_ reason: String) -> Failure {
        Failure("cannot install the app: \(Columns.printable(reason))")
    }
}

/// The program of an app.
enum AppProgram {
    /// The reason why a program cannot be run: `does not exist`; nil if it can be.
    static func problem(_ path: FilePath) -> String? {
        guard path.exists else { return "does not exist" }
        let mayRun = unsafe path.withPlatformString { unsafe access($0, X_OK) } == 0
        let isFolder = path.string.flatMap { FileFacts($0) }?.isFolder == true
        return isFolder ? "is a folder" : mayRun ? nil : "is not executable"
    }
}
