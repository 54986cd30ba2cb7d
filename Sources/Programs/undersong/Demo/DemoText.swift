import UndersongBackground
import UndersongBase
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

    /// The state of the app, also one that has no name here.
    static func state(_ status: AppStatus?) -> String {
        if case .unknown(let word) = status?.state { return Columns.printable(word).uppercased() }
        return state(status.flatMap { if case .known(let state) = $0.state { state } else { nil } })
    }

    /// The needs that keep the app running, its own tasks by the last part of their names: `for refresh,
    /// audio`. Nil if there are none.
    static func needs(of status: AppStatus) -> String? {
        guard !status.running.isEmpty else { return nil }
        let own = status.app.identifier + "."
        let names = status.running.map { $0.hasPrefix(own) ? String($0.dropFirst(own.count)) : $0 }
        return "for " + names.joined(separator: ", ")
    }

    /// The look of a state.
    static func style(_ state: AppState?) -> Style {
        switch state {
        case .active: .coloured(.green, isBold: true)
        case .inactive: .coloured(.yellow, isBold: true)
        case .background: .coloured(.blue, isBold: true)
        case .suspended: .coloured(.magenta, isBold: true)
        case .notRunning: .coloured(.red, isBold: true)
        case nil: .dim
        }
    }

    /// The look of a line of the console.
    static func style(_ source: DemoConsole.Line.Source) -> Style {
        switch source {
        case .app(let tab?): .coloured(colour(tab))
        case .app(nil): .plain
        case .phone: .dim
        case .problem: .coloured(.red)
        }
    }

    /// The state of the calculation, and its look.
    static func state(_ state: DemoScreen.Whatever.State) -> (text: String, style: Style) {
        switch state {
        case .ready: ("Ready", .dim)
        case .calculating: ("Calculating", .coloured(.green))
        case .expired: ("The time in the background has expired", .coloured(.red))
        case .ended: ("Ended", .plain)
        }
    }

    /// The ring of what remains of a time.
    static func ring(_ left: Double, of budget: Double?) -> Ring {
        let part = budget.map { $0 > 0 ? left / $0 : 0 } ?? 0
        let colour = part > 0.5 ? Colour.green : part > 0.2 ? .yellow : .red
        return Ring(part: part, lines: [ClockText.span(left), "left"], style: .coloured(colour))
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

    /// The local time of day, with seconds: `14:03:22`.
    static func time(_ wall: Double, at now: ScheduleTime) -> String {
        let date = CalendarDate(secondsSince1970: wall + now.utcOffset)
        return [date.hour, date.minute, Int(date.second)].map { ($0 < 10 ? "0" : "") + String($0) }
            .joined(separator: ":")
    }

    /// A sign that turns twice a second.
    static func spinner(at seconds: Double) -> String {
        let signs = ["|", "/", "-", "\\"]
        let index = Int((seconds.magnitude * 8).truncatingRemainder(dividingBy: 4))
        return signs[index]
    }

    /// A long number in lines of groups of three digits.
    static func groups(of number: String, columns: Int) -> [String] {
        let size = max(columns, 1)
        var groups: [String] = []
        var rest = number[...]
        while !rest.isEmpty {
            let first = rest.count % 3 == 0 ? 3 : rest.count % 3
            groups.append(String(rest.prefix(first)))
            rest = rest.dropFirst(first)
        }
        var lines: [String] = []
        for group in groups {
            if let line = lines.last, line.count + 1 + group.count <= size {
                lines[lines.count - 1] = line + " " + group
            } else {
                lines.append(group)
            }
        }
        return lines
    }

    // MARK: Locations

    /// A distance: `35 m`, `1.2 km`.
    static func metres(_ metres: Double) -> String {
        guard metres.isFinite, metres.magnitude < 1e9 else { return "? m" }
        guard metres >= 1000 else { return "\(whole(metres)) m" }
        return "\(tenths(metres / 1000)) km"
    }

    /// A speed: `33.4 m/s (120 km/h)`.
    static func speed(_ speed: Double) -> String {
        guard speed.isFinite, speed.magnitude < 1e9 else { return "? m/s" }
        return "\(tenths(speed)) m/s (\(whole(speed * 3.6)) km/h)"
    }

    /// Degrees with five decimals.
    static func degrees(_ degrees: Double) -> String {
        guard degrees.isFinite, degrees.magnitude < 1000 else { return "?" }
        let parts = Int((degrees.magnitude * 1e5).rounded())
        let fraction = String(parts % 100_000)
        return (degrees < 0 ? "-" : "") + "\(parts / 100_000)."
            + String(repeating: "0", count: 5 - fraction.count) + fraction
    }

    /// A number without its fraction.
    static func whole(_ number: Double) -> String {
        number.isFinite ? String(Int(min(max(number, -1e15), 1e15).rounded())) : "?"
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number.magnitude * 10).rounded())
        let text = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return number < 0 && tenths > 0 ? "-" + text : text
    }

    /// The arrow for a course in degrees; nil if it is none.
    static func arrow(_ course: Double) -> String? {
        guard course >= 0, course <= 360 else { return nil }
        let arrows = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
        return arrows[Int((course / 45).rounded()) % arrows.count]
    }
}
