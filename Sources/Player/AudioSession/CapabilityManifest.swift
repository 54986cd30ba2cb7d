import FoundationEssentials
import Glibc
public import UndersongBackground
import UndersongBase

/// The property list in which a host declares its background modes, with Apple's keys.
public enum CapabilityManifest {
    private static let modesKey = "UIBackgroundModes"
    private static let identifiersKey = "BGTaskSchedulerPermittedIdentifiers"

    /// Reads the manifest at `path`. Unknown keys and modes are ignored, as on iOS. Throws
    /// Foundation's errors if the file cannot be read or is not a property list.
    public static func capabilities(atPath path: String) throws -> Capabilities {
        let data = try Data(contentsOf: URL(filePath: path))
        return try PropertyListDecoder().decode(AppManifest.self, from: data).capabilities
    }

    /// Adds `mode` to the manifest at `path`, or removes it. Everything else in it stays, except
    /// for comments. The file is replaced atomically: readers see either the old or the new one, which
    /// only its owner may read or write. If it does not exist, it is created with its folder as a copy of the one at `template`.
    ///
    /// Throws Foundation's errors if a file cannot be read or written, or is not a property list.
    public static func set(
        _ mode: BackgroundMode, isDeclared: Bool, at path: String, from template: String?
    ) throws {
        try change(modesKey, mode.rawValue, isListed: isDeclared, at: path, from: template)
    }

    /// Adds `identifier` to those of background tasks that the manifest at `path` permits, or
    /// removes it; otherwise as above.
    public static func permit(
        _ identifier: String, isPermitted: Bool, at path: String, from template: String?
    ) throws {
        try change(identifiersKey, identifier, isListed: isPermitted, at: path, from: template)
    }

    private static func change(
        _ key: String, _ value: String, isListed: Bool, at path: String, from template: String?
    ) throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        var keys: [String: PropertyListValue] = [:]
        if let source = isThere ? path : template {
            let data = try Data(contentsOf: URL(filePath: source))
            keys = try PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
        }
        var values: [PropertyListValue] = []
        if case .array(let listed)? = keys[key] { values = listed }
        values.removeAll { $0 == .string(value) }
        if isListed { values.append(.string(value)) }
        keys[key] = .array(values)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let data = try encoder.encode(keys)
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        // Who may write it decides what may run in the background.
        let code = NewFile.replace(own: path, with: Array(data))
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }
}

/// Any value in a property list, to be written back as it was read.
private indirect enum PropertyListValue: Codable, Hashable {
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else if let value = try? container.decode(Data.self) {
            self = .data(value)
        } else if let value = try? container.decode([PropertyListValue].self) {
            self = .array(value)
        } else {
            self = .dictionary(try container.decode([String: PropertyListValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}
