import UndersongBackground
import UndersongCommandOptions
import UndersongDemoScreen

/// Texts of `undersong demo`.
enum DemoText {
    /// The console's line for a change of the app; nil for those that the state bar shows.
    static func line(_ event: AppEvent) -> String? {
        guard case .known(let phase) = event.phase else { return nil }
        let reason = event.reason.map { " for \($0)" } ?? ""
        switch phase {
        case .entered: return event.state.map { "The app is \(state($0).lowercased())" }
        case .launched: return "The app was launched" + reason
        case .woken: return "The app was woken" + reason
        case .suspended: return "The app was suspended"
        case .ended: return "The app has ended" + (event.end.map { ": \(AppText.cause($0))" } ?? "")
        case .problem: return event.reason
        case .installed, .removed: return nil
        }
    }

    /// The state of the app, as the bar shows it.
    static func state(_ state: AppState?) -> String {
        switch state {
        case .active: "ACTIVE"
        case .inactive: "INACTIVE"
        case .background: "BACKGROUND"
        case .suspended: "SUSPENDED"
        case .notRunning: "NOT RUNNING"
        case nil: "STARTING"
        }
    }

    /// The title of a tab.
    static func title(_ tab: DemoTab) -> String {
        switch tab {
        case .audio: "Audio"
        case .location: "Location"
        case .whatever: "Whatever"
        case .fetch: "Fetch"
        }
    }

    /// The colour of a tab and of its lines in the console.
    static func colour(_ tab: DemoTab) -> Colour {
        switch tab {
        case .audio: .cyan
        case .location: .green
        case .whatever: .yellow
        case .fetch: .magenta
        }
    }

    /// The title of a background mode.
    static func title(_ mode: BackgroundMode) -> String {
        switch mode {
        case .audio: "Audio"
        case .location: "Location updates"
        case .voip: "Voice over IP"
        case .externalAccessory: "External accessory"
        case .bluetoothCentral: "Bluetooth central"
        case .bluetoothPeripheral: "Bluetooth peripheral"
        case .fetch: "Background fetch"
        case .remoteNotification: "Remote notifications"
        case .processing: "Background processing"
        }
    }

    /// The time since a moment: `just now`, `3 min ago`.
    static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<60: "just now"
        case ..<3600: "\(Int(seconds / 60)) min ago"
        case ..<86400: "\(Int(seconds / 3600)) h ago"
        default: "\(Int(min(seconds, 1e9) / 86400)) d ago"
        }
    }
}
