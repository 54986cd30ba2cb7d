import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongLocation
import UndersongPlayback

/// Locations as text.
enum LocationText {
    /// Everything, one fact per line.
    static func screen(_ state: LocationState?) -> String {
        guard let state else { return "" }
        var rows = [
            ("updates", state.updating ? "on" : "off: undersong location start"),
            ("allowed", authorization(state.authorization)),
            (
                "mode",
                state.declared
                    ? "location is declared"
                    : "location is not declared: undersong capability location on"
            ),
            ("source", source(state)), ("accuracy", accuracy(state)),
            ("filter", state.filter > 0 ? "\(numberText(state.filter)) m" : "none"),
            ("last", last(state)),
        ]
        if let replay = state.replay { rows.append(("replay", self.replay(replay))) }
        rows.append(("track", track(state)))
        if let refused = state.refused { rows.append(("refused", self.refused(refused))) }
        rows += list("places", state.places.map(place))
        rows += list("rules", state.rules.map(rule))
        return rows.map { name, text in
            name + String(repeating: " ", count: max(12 - name.count, 1)) + text
        }.joined(separator: "\n")
    }

    /// What is measured after a change.
    static func updates(_ state: LocationState?) -> String {
        state.map { state in
            [
                "updates \(state.updating ? "on" : "off")", source(state),
                state.declared ? nil : "in the foreground only: undersong capability location on",
            ].compactMap { $0 }.joined(separator: "; ")
        } ?? ""
    }

    /// The source of a state that may be missing.
    static func source(_ state: LocationState?) -> String { state.map { source($0) } ?? "" }

    /// What `undersong why` says about it.
    static func rows(_ state: LocationState?) -> [(String, String)] {
        guard let state else { return [] }
        return [("location", source(state))] + list("places", state.places.map(place))
    }

    private static func list(_ name: String, _ lines: [String]) -> [(String, String)] {
        guard !lines.isEmpty else { return [(name, "none")] }
        return lines.enumerated().map { ($0 == 0 ? name : "", $1) }
    }

    private static func authorization(_ word: String) -> String {
        switch word {
        case "always": "always"
        case "whenInUse": "while in use; allow more with: undersong location authorize always"
        case "denied": "never: undersong location authorize always"
        case "notDetermined": "not determined: undersong location authorize always"
        default: Columns.printable(word)
        }
    }

    /// `gpsd localhost:2947 is not measuring: the receiver has no fix`
    static func source(_ state: LocationState) -> String {
        let name = Columns.printable(state.source)
        let reason = state.because.map { ": \(Columns.printable($0))" } ?? ""
        switch state.sourceState {
        case "searching": return "\(name) is searching"
        case "available": return "\(name) is measuring"
        case "unavailable": return "\(name) is not measuring\(reason)"
        case "denied": return "\(name) may not be used\(reason)"
        default:
            return reason.isEmpty ? "off: nothing asks for locations" : "off\(reason)"
        }
    }

    private static func accuracy(_ state: LocationState) -> String {
        state.accuracy
            + (state.backgroundAccuracy.map { ", \($0) in the background" } ?? "")
    }

    private static func last(_ state: LocationState) -> String {
        guard let fix = state.last else { return "none" }
        let age = state.age.map { ", \(span($0)) ago" } ?? ""
        return description(fix) + age
    }

    /// `drive.gpx at 10 times its speed, 12 of 600 fixes`
    static func replay(_ replay: LocationState.Replay) -> String {
        let skipped = replay.skipped > 0 ? ", \(replay.skipped) left out" : ""
        return "\(Columns.printable(replay.name)) at \(numberText(replay.speed)) times its speed, "
            + "\(replay.done) of \(replay.count) fixes\(skipped)"
    }

    private static func track(_ state: LocationState) -> String {
        let count = state.fixes == 1 ? "1 fix" : "\(state.fixes) fixes"
        return count
            + (state.keeps
                ? ", kept on the disk" : ", in memory only: undersong location keep on")
    }

    private static func refused(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \(fault($0.key))" }
            .joined(separator: ", ")
    }

    private static func fault(_ name: String) -> String {
        switch name {
        case "notANumber", "latitude", "longitude": "nowhere on Earth"
        case "noPlace": "without a place"
        case "repeated": "repeated"
        case "timeBackward": "out of order"
        case "stale": "too old"
        case "jump": "too far away"
        default: Columns.printable(name)
        }
    }

    /// `home: 52.52, 13.405, 150 m: inside`
    static func place(_ place: LocationState.Place) -> String {
        let center = [place.latitude, place.longitude].compactMap { $0 }
            .map { fixed($0, 5) }.joined(separator: ", ")
        let state = place.state ?? "unknown"
        return "\(Columns.printable(place.name)): \(center), \(numberText(place.radius)) m: "
            + (state == "unknown" ? "whether it is inside is not known" : state)
    }

    /// `on exit home: pause`
    static func rule(_ rule: LocationState.Rule) -> String {
        let value = rule.value.map { " " + Columns.printable($0) } ?? ""
        let verb = rule.command == "load" ? "queue load" : rule.command
        return "on \(rule.event) \(Columns.printable(rule.place)): \(verb)\(value)"
    }

    /// The places, a line each.
    static func places(_ state: LocationState?) -> String {
        guard let places = state?.places, !places.isEmpty else { return "no places" }
        return places.map(place).joined(separator: "\n")
    }

    /// The rules, a line each.
    static func rules(_ state: LocationState?) -> String {
        guard let rules = state?.rules, !rules.isEmpty else { return "no rules" }
        return rules.map(rule).joined(separator: "\n")
    }

    /// The fixes, a line each.
    static func track(_ fixes: [MeasuredLocation]) -> String {
        fixes.isEmpty ? "no fixes" : fixes.map(description).joined(separator: "\n")
    }

    // MARK: Fixes

    /// `<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14, 8:05:13
    /// PM PST`, as Apple's locations describe themselves.
    static func description(_ fix: MeasuredLocation) -> String {
        let place = "<\(signed(fix.latitude, 8)),\(signed(fix.longitude, 8))>"
        let motion = "speed \(fixed(fix.speed ?? -1, 2)) mps / course \(fixed(fix.course ?? -1, 2))"
        return "\(place) +/- \(fixed(fix.accuracy, 2))m (\(motion)) @ \(date(fix.time))"
    }

    private static func signed(_ number: Double, _ places: Int) -> String {
        let text = fixed(number, places)
        return text.hasPrefix("-") ? text : "+" + text
    }

    /// A number with so many digits after the point.
    static func fixed(_ number: Double, _ places: Int) -> String {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        let scaled = (abs(number) * factor).rounded(.toNearestOrEven)
        guard scaled < 9e18 else { return String(number) }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }

    /// `12/21/14, 8:05:13 PM PST`, in the local time zone.
    static func date(_ seconds: Double) -> String {
        ClockText.local(seconds, as: "%-m/%-d/%y, %-I:%M:%S %p %Z")
    }

    private static func span(_ seconds: Double) -> String {
        ClockText.span(nanoseconds: Int64(min(max(seconds, 0), 1e9) * 1e9))
    }
}
