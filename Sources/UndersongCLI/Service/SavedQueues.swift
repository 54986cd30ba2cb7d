import CommandOptions
import FoundationEssentials
import Glibc

/// The queues that the user has saved by name: playlists in a folder of their own.
struct SavedQueues {
    private static let suffix = ".xspf"

    /// The folder's path.
    let folder: String

    /// Finds the folder, which need not exist. `purpose` names the operation in the error if there
    /// can be none.
    init(to purpose: String) throws {
        let declared = Environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let data = declared ?? Environment["HOME"].map({ $0 + "/.local/share" }) else {
            throw Failure("cannot \(purpose): Neither HOME nor XDG_DATA_HOME is set")
        }
        folder = data + "/undersong/queues"
    }

    /// Whether `name` is valid: 1 to 64 letters and digits of any script, spaces, `.`, `_` and `-`.
    /// It must not start with one of the latter four or end with a space.
    static func isValid(_ name: String) -> Bool {
        let scalars = name.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, last != " ",
            scalars.count <= 64, name.utf8.count <= 200
        else { return false }
        return !" .-".unicodeScalars.contains(first) && scalars.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default:
            // These two joiners distinguish words in some scripts.
            " ._-\u{200C}\u{200D}".unicodeScalars.contains(scalar)
        }
    }

    /// The names, sorted.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(Self.suffix) }
            .map { String($0.dropLast(Self.suffix.count)) }.filter(Self.isValid).sorted()
    }

    /// The path of the queue `name`, which need not exist.
    func path(of name: String) -> String { "\(folder)/\(name)\(Self.suffix)" }

    /// The path of the queue `name`, which must exist. `purpose` names the operation in the error
    /// if it does not.
    func existing(_ name: String, to purpose: String) throws -> String {
        guard Self.isValid(name), unsafe access(path(of: name), F_OK) == 0 else {
            throw Failure(
                "cannot \(purpose): No queue is saved as \(Columns.printable(name))"
                    + Suggestion.text(for: name, among: names))
        }
        return path(of: name)
    }

    /// Creates the folder, accessible only to the user. `purpose` names the operation in errors.
    func makeFolder(to purpose: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("cannot \(purpose): The folder \(folder) cannot be created")
        }
    }
}
