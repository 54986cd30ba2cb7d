import UndersongBase

/// Returns the state of locations.
package struct GetLocationStatus: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.status"

    package init() {}
}

/// Begins updates: each is an event `location`. Returns the state after that, as the calls below.
package struct StartLocations: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.start"

    package init() {}
}

/// Ends updates; places are still watched.
package struct StopLocations: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.stop"

    package init() {}
}

/// Records the user's decision.
package struct AuthorizeLocations: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.authorize"
    /// Any but `restricted`, which users cannot choose.
    package var authorization: LocationAuthorization.Status

    package init(_ authorization: LocationAuthorization.Status) {
        self.authorization = authorization
    }
}

/// Sets how exact locations should be.
package struct SetLocationAccuracy: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.accuracy"
    /// The accuracy; nil to leave it.
    package var accuracy: LocationAccuracy.Level?
    /// The accuracy while the host is in the background; nil to leave it.
    package var background: LocationAccuracy.BackgroundLevel?

    package init(
        accuracy: LocationAccuracy.Level? = nil,
        background: LocationAccuracy.BackgroundLevel? = nil
    ) {
        self.accuracy = accuracy
        self.background = background
    }
}

/// Sets how far the machine has to move before the next update.
package struct SetLocationFilter: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.filter"
    /// Meters, 0 to 1000000; 0 for all fixes.
    package var distance: Double

    package init(distance: Double) { self.distance = distance }
}

/// Sets what measures.
package struct SetLocationSource: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.source"
    package var source: LocationSourceChoice

    package init(_ source: LocationSourceChoice) { self.source = source }
}

/// Returns the newest fixes.
package struct GetTrack: ControlCall, Hashable {
    package struct Reply: Codable, Hashable, Sendable {
        /// The newest last; at most 100.
        package var fixes: [LocationFix]

        package init(fixes: [LocationFix]) { self.fixes = fixes }
    }

    package static let method = "location.track"

    package init() {}
}

/// Sets whether the newest fixes are kept on the disk.
package struct KeepLocations: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.keep"
    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}

/// Replays the track whose file comes as a descriptor, in place of the source, until its end.
package struct ReplayTrack: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.replay"
    /// The name of the file, for display.
    package var name: String
    /// Seconds of the track per second, 0.01 to 1000.
    package var speed: Double

    package init(name: String, speed: Double) {
        self.name = name
        self.speed = speed
    }
}

/// Ends a replay.
package struct EndReplay: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "location.endReplay"

    package init() {}
}

/// Watches a place, in place of one with its name.
package struct AddPlace: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "place.add"
    /// 1 to 64 letters, digits, '-', '_' and '.'.
    package var name: String
    /// Nil for where the machine is.
    package var center: Coordinate?
    /// The radius in meters, above 0, 1000000 at most.
    package var radius: Double

    package init(_ name: String, center: Coordinate?, radius: Double) {
        self.name = name
        self.center = center
        self.radius = radius
    }
}

/// Watches a place no more, and removes its rules.
package struct RemovePlace: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "place.remove"
    package var name: String

    package init(_ name: String) { self.name = name }
}

/// Adds a rule, in place of one with the same command for the same event and place.
package struct AddRule: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "rule.add"
    package var rule: LocationRule

    package init(_ rule: LocationRule) { self.rule = rule }
}

/// Removes the rules for an event at a place.
package struct RemoveRules: ControlCall, Hashable {
    package typealias Reply = LocationStatus
    package static let method = "rule.remove"
    package var event: LocationRule.Event
    package var place: String

    package init(_ event: LocationRule.Event, _ place: String) {
        self.event = event
        self.place = place
    }
}

/// Hands over the regions of a program: `undersong-transferd` watches them while the program does not
/// run, and starts it when one of them is entered or left. Each call takes the place of the program's
/// last one; no regions end that. A program runs as long as the connection of its last call.
package struct WatchRegions: ControlCall, Hashable {
    /// The events of the time in which the program did not run.
    package struct Reply: Codable, Hashable, Sendable {
        /// The regions whose state has changed, with the new one.
        package var changed: [WatchedRegion]

        package init(changed: [WatchedRegion]) { self.changed = changed }
    }

    package static let method = "regions.watch"
    /// The program's name, by which GeoClue knows it, too.
    package var program: String
    /// The absolute path of the program, and its arguments.
    package var launch: [String]
    package var source: LocationSourceChoice
    /// The regions, with what the program knows of them; at most 20.
    package var regions: [WatchedRegion]

    package init(
        program: String, launch: [String], source: LocationSourceChoice, regions: [WatchedRegion]
    ) {
        self.program = program
        self.launch = launch
        self.source = source
        self.regions = regions
    }
}
