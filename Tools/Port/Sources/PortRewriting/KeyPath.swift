import SwiftSyntax

/// A key path of the Objective-C runtime, such as `currentItem.status`.
struct KeyPath: Equatable {
    let components: [String]

    /// Names of Apple's properties that differ in Swift.
    private static let swiftNames = [
        "playbackBufferEmpty": "isPlaybackBufferEmpty",
        "playbackBufferFull": "isPlaybackBufferFull",
        "playbackLikelyToKeepUp": "isPlaybackLikelyToKeepUp",
        "muted": "isMuted",
        "externalPlaybackActive": "isExternalPlaybackActive",
        "playable": "isPlayable",
        "otherAudioPlaying": "isOtherAudioPlaying",
    ]
    private static let runtimeNames = Dictionary(
        uniqueKeysWithValues: swiftNames.map { ($0.value, $0.key) })
    /// Properties that are optional, and have properties of their own.
    private static let optional: Set = ["currentItem", "player", "playerItem", "avPlayer"]

    /// Makes the path that a string names.
    init?(string: String) {
        components = string.split(separator: ".").map { name in
            Self.swiftNames[String(name)] ?? String(name)
        }
        let isPath = components.allSatisfy { name in
            name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0.isNumber }
        }
        if !isPath || components.isEmpty { return nil }
    }

    /// Makes the path in `#keyPath(AVPlayer.currentItem.status)`. A type in capitals begins it, or
    /// else what is observed.
    init?(macro text: String, observed: String?) {
        var names = text.split(separator: ".").map { String($0.trimmingPrefix("self")) }
            .filter { !$0.isEmpty }
        let object = observed.map { $0.split(separator: ".").map(String.init) } ?? []
        if names.first?.first?.isUppercase == true {
            names.removeFirst(while: { $0.first?.isUppercase == true })
        } else if !object.isEmpty, names.count > object.count,
            Array(names.prefix(object.count)) == object
        {
            names.removeFirst(object.count)
        }
        guard !names.isEmpty else { return nil }
        components = names.map { Self.swiftNames[$0] ?? $0 }
    }

    /// The string that the runtime has for it.
    var string: String {
        components.map { Self.runtimeNames[$0] ?? $0 }.joined(separator: ".")
    }

    /// The same as a literal of Swift.
    var literal: String {
        let last = components.count - 1
        return "\\"
            + components.enumerated().map { index, name in
                let isOptional = index < last && Self.optional.contains(name)
                return "." + name + (isOptional ? "?" : "")
            }.joined()
    }
}

extension Array {
    fileprivate mutating func removeFirst(while isUnwanted: (Element) -> Bool) {
        removeSubrange(..<(firstIndex { !isUnwanted($0) } ?? endIndex))
    }
}

extension ExprSyntaxProtocol {
    /// The path, if this is a literal of one: a string, or `#keyPath`.
    var keyPath: KeyPath? {
        if let string = self.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
            return KeyPath(string: string)
        }
        guard let macro = self.as(MacroExpansionExprSyntax.self),
            macro.macroName.text == "keyPath", let path = macro.arguments.first?.expression
        else { return nil }
        return KeyPath(macro: path.trimmedDescription, observed: nil)
    }
}
