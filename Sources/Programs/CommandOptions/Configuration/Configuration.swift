import FoundationEssentials
import Glibc
import UndersongBase

/// The user's configuration file: JSON5 with a section of option defaults for each verb, and
/// `keys`.
package struct Configuration: Equatable, Sendable {
    /// The section that is not a verb's.
    package static let keysName = "keys"
    /// The variable that names another file, or `/dev/null` for none.
    package static let variable = "UNDERSONG_CONFIG"

    /// The path of the file.
    package let path: String
    /// The defaults of each verb, such as `play` or `queue list`, in the order of the file.
    package private(set) var options: [String: [DefaultOption]] = [:]
    /// Actions by the keys' names, in the order of the file.
    package private(set) var keys: [DefaultKey] = []
    /// The lines on which the sections begin.
    private var lines: [String: Int] = [:]
    /// The sections' order.
    private var orders: [String: Int] = [:]

    /// The names of the sections except `keys`, in the order of the file.
    package var verbs: [String] {
        options.keys.sorted { (orders[$0] ?? 0, $0) < (orders[$1] ?? 0, $1) }
    }

    /// The path of the user's file, whether or not it exists; nil if the environment does not say.
    package static var usualPath: String? {
        if let path = Environment[variable] { return path }
        if let folder = Environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/undersong/config.json5"
        }
        return Environment["HOME"].map { $0 + "/.config/undersong/config.json5" }
    }

    /// The user's file; nil if there is none.
    package static func found() throws(ConfigurationError) -> Configuration? {
        guard let path = usualPath else { return nil }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR].contains(errno), Environment[variable] == nil { return nil }
            throw ConfigurationError(path, nil, SystemError.last.reason)
        }
        defer { close(descriptor) }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try readAll(from: descriptor, limit: longest)
        } catch {
            throw ConfigurationError(path, nil, error.reason)
        }
        guard bytes.count <= longest else {
            throw ConfigurationError(path, nil, "It is longer than 1 MiB")
        }
        return try Configuration(path: path, bytes: bytes)
    }

    private static let longest = 1 << 20

    /// Reads the file's `bytes`.
    ///
    /// - Throws: an error if they are not JSON5, or not of this form.
    package init(path: String, bytes: [UInt8]) throws(ConfigurationError) {
        self.path = path
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(path, nil, "It is not UTF-8")
        }
        let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let places = ConfigurationPlaces(bytes)
        let sections = isEmpty ? [:] : try Self.sections(text, path, mistake: places.mistake)
        for (name, section) in sections {
            let place = places.place(of: [name])
            let line = place?.line
            lines[name] = line
            orders[name] = place?.order
            guard case .object(let members) = section else {
                throw ConfigurationError(path, line, "'\(name)' is not an object of options")
            }
            let ordered = members.map { ($0, $1, places.place(of: [name, $0])) }
                .sorted { ($0.2?.order ?? 0, $0.0) < ($1.2?.order ?? 0, $1.0) }
                .map { ($0, $1, $2?.line) }
            if name == Self.keysName {
                for (key, value, line) in ordered {
                    guard case .text(let action) = value else {
                        throw ConfigurationError(path, line, "The key '\(key)' has no text")
                    }
                    keys.append(DefaultKey(name: key, action: action, line: line))
                }
            } else {
                var list: [DefaultOption] = []
                for (option, value, line) in ordered {
                    guard let values = value.values else {
                        throw ConfigurationError(
                            path, line,
                            "'\(option)' is not true, false, a number, a string or a list of those")
                    }
                    list.append(DefaultOption(name: option, values: values, line: line))
                }
                options[name] = list
            }
        }
    }

    private static func sections(
        _ text: String, _ path: String, mistake: Int?
    ) throws(ConfigurationError) -> [String: Value] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode([String: Value].self, from: Data(text.utf8))
        } catch DecodingError.dataCorrupted {
            throw ConfigurationError(path, mistake, "It is not JSON5")
        } catch {
            throw ConfigurationError(path, nil, "It is not an object of sections")
        }
    }

    /// The error for a section, or what it contains.
    package func error(in section: String, _ reason: String) -> ConfigurationError {
        ConfigurationError(path, lines[section], reason)
    }

    /// Any value.
    private enum Value: Decodable {
        case switched(Bool)
        case text(String)
        case list([Value])
        case object([String: Value])
        case null

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let isOn = try? container.decode(Bool.self) {
                self = .switched(isOn)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Int.self) {
                self = .text("\(number)")
            } else if let number = try? container.decode(Double.self) {
                self = .text("\(number)")
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        /// The values of an option; nil if this is none.
        var values: DefaultOption.Values? {
            switch self {
            case .switched(let isOn): .switched(isOn)
            case .text(let text): .texts([text])
            case .list(let list):
                list.allSatisfy { if case .text = $0 { true } else { false } }
                    ? .texts(
                        list.compactMap { if case .text(let text) = $0 { text } else { nil } })
                    : nil
            case .object, .null: nil
            }
        }
    }
}

/// A default of an option.
package struct DefaultOption: Equatable, Sendable {
    package enum Values: Equatable, Sendable {
        case switched(Bool)
        case texts([String])
    }

    /// The option's name, without dashes.
    package var name: String
    package var values: Values
    /// Its line in the file, from 1.
    package var line: Int?

    /// True if the arguments contain the option already.
    package func isGiven(in arguments: some Sequence<String>) -> Bool {
        arguments.prefix { $0 != "--" }.contains { argument in
            let word = argument.prefix { $0 != "=" }
            return word == "--" + name || word == "--no-" + name
        }
    }
}

/// The action of a key.
package struct DefaultKey: Equatable, Sendable {
    package var name: String
    package var action: String
    /// Its line in the file, from 1.
    package var line: Int?
}

/// The reason why a configuration file cannot be used.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package var path: String
    /// From 1; nil if it is about the whole file.
    package var line: Int?
    package var reason: String

    package init(_ path: String, _ line: Int?, _ reason: String) {
        (self.path, self.line, self.reason) = (path, line, reason)
    }

    /// `cannot use /home/me/.config/undersong/config.json5, line 3: There is no verb 'plya'`
    package var description: String {
        "cannot use \(path)\(line.map { ", line \($0)" } ?? ""): \(reason)"
    }
}
