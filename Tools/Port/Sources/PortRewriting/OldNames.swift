import SwiftSyntax

/// Names that Swift 4.2 and later have in another form: sources of that age do not compile on Apple's
/// systems of today either.
enum OldNames {
    /// Types, constants and functions.
    static let names: [String: String] = {
        var names = [
            "AVPlayerActionAtItemEnd": "AVPlayer.ActionAtItemEnd",
            "AVPlayerItemStatus": "AVPlayerItem.Status",
            "AVPlayerStatus": "AVPlayer.Status",
            "AVPlayerTimeControlStatus": "AVPlayer.TimeControlStatus",
            "AVMetadataKeySpaceCommon": "AVMetadataKeySpace.common",
            "AVAudioSessionCategoryOptions": "AVAudioSession.CategoryOptions",
            "AVAudioSessionInterruptionOptions": "AVAudioSession.InterruptionOptions",
            "AVAudioSessionInterruptionType": "AVAudioSession.InterruptionType",
            "AVAudioSessionRouteChangeReason": "AVAudioSession.RouteChangeReason",
            "AVAudioSessionSetActiveOptions": "AVAudioSession.SetActiveOptions",
            "UIApplicationState": "UIApplication.State",
            "UIBackgroundTaskInvalid": "UIBackgroundTaskIdentifier.invalid",
            "kCMTimeIndefinite": "CMTime.indefinite",
            "kCMTimeInvalid": "CMTime.invalid",
            "kCMTimeNegativeInfinity": "CMTime.negativeInfinity",
            "kCMTimePositiveInfinity": "CMTime.positiveInfinity",
            "kCMTimeZero": "CMTime.zero",
        ]
        for category in [
            "Ambient", "MultiRoute", "PlayAndRecord", "Playback", "Record", "SoloAmbient",
        ] {
            names["AVAudioSessionCategory" + category] =
                "AVAudioSession.Category." + category.lowerFirst
        }
        for mode in [
            "Default", "GameChat", "Measurement", "MoviePlayback", "SpokenAudio", "VoiceChat",
        ] {
            names["AVAudioSessionMode" + mode] = "AVAudioSession.Mode." + mode.lowerFirst
        }
        for key in ["Title", "Artist", "AlbumName", "Artwork", "Creator", "Type"] {
            names["AVMetadataCommonKey" + key] = "AVMetadataKey.commonKey" + key
        }
        return names
    }()

    /// Names of notifications.
    static let notifications: [String: String] = {
        var names = [
            "AVAudioSessionInterruption": "AVAudioSession.interruptionNotification",
            "AVAudioSessionRouteChange": "AVAudioSession.routeChangeNotification",
            "AVAudioSessionMediaServicesWereLost":
                "AVAudioSession.mediaServicesWereLostNotification",
            "AVAudioSessionMediaServicesWereReset":
                "AVAudioSession.mediaServicesWereResetNotification",
        ]
        for event in [
            "DidBecomeActive", "DidEnterBackground", "WillEnterForeground", "WillResignActive",
            "WillTerminate",
        ] {
            names["UIApplication" + event] = "UIApplication.\(event.lowerFirst)Notification"
        }
        return names
    }()

    /// The labels of functions whose arguments had none.
    private static let functions: [String: [String?]] = [
        "CMTimeMake": ["value", "timescale"],
        "CMTimeMakeWithSeconds": [nil, "preferredTimescale"],
        "CMTimeConvertScale": [nil, "timescale", "method"],
        "CMTimeMultiply": [nil, "multiplier"],
        "CMTimeMultiplyByFloat64": [nil, "multiplier"],
        "CMTimeRangeMake": ["start", "duration"],
        "CMTimeRangeFromTimeToTime": ["start", "end"],
        "CMTimeRangeContainsTime": [nil, "time"],
    ]

    /// The labels that the arguments of a call have now, nil for none; nil if the call is not old.
    static func labels(of call: FunctionCallExprSyntax) -> [String?]? {
        let labels = call.arguments.map { $0.label?.text }
        let called = call.calledExpression
        if let name = called.as(DeclReferenceExprSyntax.self)?.baseName.text {
            let new = functions[name]
            return labels.allSatisfy { $0 == nil } && new?.count == labels.count ? new : nil
        }
        guard let member = called.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
            ["setCategory", "setActive"].contains(member), labels == [nil, "with"]
        else { return nil }
        return [nil, "options"]
    }

    /// The replacement of an expression or a type; nil if it is not old.
    static func replacement(of node: some SyntaxProtocol) -> String? {
        if let name = node.as(DeclReferenceExprSyntax.self) { return names[name.baseName.text] }
        if let type = node.as(IdentifierTypeSyntax.self) { return names[type.name.text] }
        guard let member = node.as(MemberAccessExprSyntax.self) else { return nil }
        let base = member.base?.trimmedDescription ?? "Name"
        return base.hasSuffix("Name") ? notifications[member.declName.baseName.text] : nil
    }
}

extension SyntaxProtocol {
    /// The text with new names.
    var ported: String {
        if let text = OldNames.replacement(of: self) { return text }
        let children = children(viewMode: .sourceAccurate)
        guard !children.isEmpty else { return trimmedDescription }
        let last = children.last?.id
        return children.map { child in
            let text = child.ported
            return child.id == last ? text : text + child.trailingTrivia.description
        }.joined()
    }
}

extension String {
    fileprivate var lowerFirst: String { prefix(1).lowercased() + dropFirst() }
}
