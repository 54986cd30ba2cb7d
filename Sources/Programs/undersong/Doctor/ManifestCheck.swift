import FoundationEssentials
import UndersongBackground
import UndersongCommandOptions

/// Checks the capability manifest, a property list with Apple's keys.
enum ManifestCheck {
    private struct Keys: Decodable {
        var modes: [String]?
        var identifiers: [String]?

        enum CodingKeys: String, CodingKey {
            case modes = "UIBackgroundModes"
            case identifiers = "BGTaskSchedulerPermittedIdentifiers"
        }
    }

    private static let subject = "manifest"

    /// The finding for the user's own manifest.
    static func finding(home: String?) -> Finding {
        guard let folder = Environment["XDG_CONFIG_HOME"] ?? home.map({ $0 + "/.config" }) else {
            return .wrong(subject, "there is no home folder", "set HOME to your folder")
        }
        let path = folder + "/undersong/Info.plist"
        guard FileFacts(path) != nil else {
            return .note(
                subject, "there is no \(path): the one that came with the program is used",
                "'undersong capability audio on' declares background audio")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return .wrong(subject, "\(path) cannot be read", "chmod 600 '\(path)'")
        }
        return finding(path, data)
    }

    /// The finding for the manifest at `path`, which contains `data`.
    static func finding(_ path: String, _ data: Data) -> Finding {
        guard let keys = try? PropertyListDecoder().decode(Keys.self, from: data) else {
            return .wrong(
                subject, "\(path) is not a property list with UIBackgroundModes, a list of strings",
                "remove it, and 'undersong capability audio on' writes a new one")
        }
        let known = BackgroundMode.allCases.map(\.rawValue)
        let modes = keys.modes ?? []
        if let strange = modes.first(where: { !known.contains($0) }) {
            let meant = Suggestion.text(for: strange, among: known)
            return .wrong(
                subject, "\(path) declares '\(strange)', which is not a background mode\(meant)",
                "correct it; the other modes are used meanwhile")
        }
        if modes.contains("fetch"), keys.identifiers?.isEmpty ?? true {
            return .note(
                subject, "\(path) declares fetch, but permits no identifier: nothing is fetched",
                "undersong capability permit net.undersong.refresh")
        }
        let declared = modes.isEmpty ? "nothing" : modes.joined(separator: ", ")
        return .good(subject, "\(path) declares \(declared)")
    }
}
