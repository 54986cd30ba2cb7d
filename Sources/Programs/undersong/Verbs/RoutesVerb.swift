import ArgumentParser
import FoundationEssentials
import UndersongBase
import UndersongCommandOptions
import UndersongLocation

/// `undersong location routes`: the routes that come with the program.
struct RoutesVerb: Verb {
    static let configuration = described(
        "routes", "List the routes that come with the program, for 'undersong location replay'.")
    @Flag(help: "Print the routes as JSON, a line each.") var json = false

    func perform() throws {
        let routes = try Route.allCases.map { try RouteSummary($0) }
        let lines = json ? routes.map { JSONLine.text(of: $0) } : RouteSummary.lines(routes)
        writeOutput(lines.map { $0 + "\n" }.joined())
    }
}

/// The figures of a route.
struct RouteSummary: Encodable, Equatable {
    var name: String
    var title: String
    /// Meters along the way.
    var length: Double
    /// Seconds.
    var duration: Double
    /// Meters per second: on average, and the highest.
    var speed: Double
    var topSpeed: Double

    init(_ route: Route, _ track: Track) {
        name = route.rawValue
        title = route.title
        length = track.length
        duration = track.duration
        speed = duration > 0 ? length / duration : 0
        topSpeed = track.fixes.compactMap(\.speed).max() ?? 0
    }

    /// Reads the file of a route.
    fileprivate init(_ route: Route) throws {
        let purpose = "show the route \(route.rawValue)"
        let path = try route.path(to: purpose)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure("cannot \(purpose): \(Columns.printable(path)) cannot be read")
        }
        do throws(TrackError) {
            self.init(route, try Track.read(Array(bytes)))
        } catch {
            throw Failure("cannot \(purpose): \(error.description)")
        }
    }

    /// `drive  Freeway drive  22.3 km  14:16  94 km/h, up to 112`, a line each.
    static func lines(_ routes: [RouteSummary]) -> [String] {
        let columns = [
            Columns.aligned(routes.map(\.name)), Columns.aligned(routes.map(\.title)),
            Columns.rightAligned(routes.map { "\(LocationText.fixed($0.length / 1000, 1)) km" }),
            Columns.rightAligned(routes.map { ClockText.text($0.duration) }),
            Columns.rightAligned(routes.map { "\(hourly($0.speed)) km/h" }),
            routes.map { "up to \(hourly($0.topSpeed))" },
        ]
        return routes.indices.map { index in
            columns.map { $0[index] }.joined(separator: "  ")
        }
    }

    /// Kilometers per hour.
    private static func hourly(_ speed: Double) -> Int { Int((speed * 3.6).rounded()) }
}

extension Route {
    /// The path of its file.
    ///
    /// - Throws: It is missing.
    func path(to purpose: String) throws -> String {
        guard let path = ResourceFile.path(file) else {
            let wanted = ResourceFile.paths(file)[0]
            throw Failure("cannot \(purpose): \(Columns.printable(wanted)) is missing")
        }
        return path
    }
}
