import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongLocation

/// Locations as text.
enum LocationText {
    /// Everything, one fact per line.
    static func screen(_ status: LocationStatus) -> String {
        let settings = status.settings
        var rows = [
            ("updates", settings.isUpdating ? "on" : "off: undersong location start"),
            ("allowed", authorization(status.authorization)),
            (
                "mode",
                status.isDeclared
                    ? "location is declared"
                    : "location is not declared: undersong capability location on"
            ),
            ("source", source(status)),
        ]
        if let advice = advice(status) { rows.append(("", advice)) }
        rows += [
            ("accuracy", accuracy(settings)),
            ("filter", settings.distance > 0 ? "\(numberText(settings.distance)) m" : "none"),
            ("last", last(status)),
        ]
        if let replay = status.replay { rows.append(("replay", self.replay(replay))) }
        rows.append(("track", track(status)))
        if let refused = status.refused { rows.append(("refused", self.refused(refused))) }
        rows += list("places", status.places.map(place))
        rows += list("rules", status.rules.map(rule))
        return Columns.lines(rows)
    }

    /// The state of updates after a change.
    static func updates(_ status: LocationStatus) -> String {
        [
            "updates \(status.settings.isUpdating ? "on" : "off")", source(status),
            status.isDeclared ? nil : "in the foreground only: undersong capability location on",
        ].compactMap { $0 }.joined(separator: "; ")
    }

    /// The rows for `undersong why`.
    static func rows(_ status: LocationStatus?) -> [(String, String)] {
        guard let status else { return [] }
        return [("location", source(status))] + list("places", status.places.map(place))
    }

    private static func list(_ name: String, _ lines: [String]) -> [(String, String)] {
        Columns.rows(name, lines.isEmpty ? ["none"] : lines)
    }

    private static func authorization(_ status: LocationAuthorization.Status) -> String {
        switch status {
        case .always: "always"
        case .whenInUse: "while in use; allow more with: undersong location authorize always"
        case .never: "never: undersong location authorize always"
        case .restricted: "restricted"
        case .notDetermined: "not determined: undersong location authorize always"
        }
    }

    /// `gpsd localhost:2947 is not measuring: the receiver has no fix`
    static func source(_ status: LocationStatus) -> String {
        let name =
            status.replay == nil ? Columns.printable(status.settings.source.rawValue) : "replay"
        let reason = status.reason.map { ": \(Columns.printable($0))" } ?? ""
        return switch status.sourceState {
        case .searching: "\(name) is searching"
        case .available: "\(name) is measuring"
        case .unavailable: "\(name) is not measuring\(reason)"
        case .denied: "\(name) may not be used\(reason)"
        case .closed: reason.isEmpty ? "off: nothing asks for locations" : "off\(reason)"
        }
    }

    /// The remedy if updates are wanted and the source cannot measure; nil otherwise.
    private static func advice(_ status: LocationStatus) -> String? {
        switch status.sourceState {
        case .unavailable, .denied:
            status.settings.isUpdating && status.replay == nil
                ? "replay a route instead: undersong location replay drive" : nil
        case .closed, .searching, .available: nil
        }
    }

    private static func accuracy(_ settings: LocationSettings) -> String {
        let background = settings.backgroundAccuracy
        return settings.accuracy.rawValue
            + (background == .same ? "" : ", \(background.rawValue) in the background")
    }

    private static func last(_ status: LocationStatus) -> String {
        guard let fix = status.last else { return "none" }
        let age = status.age.map { ", \(ClockText.span($0)) ago" } ?? ""
        return description(fix) + age
    }

    /// `drive.gpx at 10 times its speed, 12 of 600 fixes`
    static func replay(_ replay: LocationStatus.Replay) -> String {
        let skipped = replay.skipped > 0 ? ", \(replay.skipped) left out" : ""
        return "\(Columns.printable(replay.name)) at \(numberText(replay.speed)) times its speed, "
            + "\(replay.done) of \(replay.count) fixes\(skipped)"
    }

    private static func track(_ status: LocationStatus) -> String {
        let count = status.fixCount == 1 ? "1 fix" : "\(status.fixCount) fixes"
        return count
            + (status.settings.keepsFixes
                ? ", kept on the disk" : ", in memory only: undersong location keep on")
    }

    private static func refused(_ counts: [Open<FixFault>: Int]) -> String {
        counts.sorted { $0.key.word < $1.key.word }.map { "\($0.value) \(fault($0.key))" }
            .joined(separator: ", ")
    }

    private static func fault(_ fault: Open<FixFault>) -> String {
        switch fault {
        case .known(let fault): fault.description
        case .unknown(let word): Columns.printable(word)
        }
    }

    /// `home: 52.52, 13.405, 150 m: inside`
    static func place(_ place: WatchedRegion) -> String {
        let region = place.region
        let center = "\(fixed(region.latitude, 5)), \(fixed(region.longitude, 5))"
        let state =
            switch place.state {
            case .inside: "inside"
            case .outside: "outside"
            case .unknown: "unknown whether inside"
            }
        let name = Columns.printable(region.identifier)
        return "\(name): \(center), \(numberText(region.radius)) m: \(state)"
    }

    /// `on exit home: pause`
    static func rule(_ rule: LocationRule) -> String {
        let command =
            switch rule.command {
            case .player(let command): command.rawValue
            case .load(let name): "queue load \(Columns.printable(name))"
            case .volume(let volume): "volume \(numberText(volume))"
            }
        return "on \(rule.event.rawValue) \(Columns.printable(rule.place)): \(command)"
    }

    /// The places, a line each.
    static func places(_ status: LocationStatus) -> String {
        status.places.isEmpty ? "no places" : status.places.map(place).joined(separator: "\n")
    }

    /// The rules, a line each.
    static func rules(_ status: LocationStatus) -> String {
        status.rules.isEmpty ? "no rules" : status.rules.map(rule).joined(separator: "\n")
    }

    /// The fixes, a line each.
    static func track(_ fixes: [LocationFix]) -> String {
        fixes.isEmpty ? "no fixes" : fixes.map(description).joined(separator: "\n")
    }

    // MARK: Fixes

    /// `<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14,
    /// 8:05:13 PM PST`, as Apple's locations describe themselves.
    static func description(_ fix: LocationFix) -> String {
        let place = "<\(signed(fix.latitude, 8)),\(signed(fix.longitude, 8))>"
        let motion = "speed \(fixed(fix.speed ?? -1, 2)) mps / course \(fixed(fix.course ?? -1, 2))"
        return "\(place) +/- \(fixed(fix.horizontalAccuracy, 2))m (\(motion)) @ \(date(fix.time))"
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
}
