// Makes the routes that come with Undersong: a drive, a run and a ride, as tracks of GPX.
//
// Usage: routes <folder>
// Writes drive.gpx, run.gpx and ride.gpx, with times and altitudes. The lines are invented and follow no
// real road. Everything is computed from the plans below: the program writes the same bytes every time.

import Glibc

// MARK: Plans

/// A corner of a line, in meters from its start.
struct Corner {
    var east: Double
    var north: Double
    /// The length that the bend takes of each side.
    var bend: Double
}

/// A change of the speed that is aimed at, in m/s, from a distance in meters on.
struct Pace {
    var from: Double
    var speed: Double
}

/// A stop: at a distance in meters, for some seconds.
struct Stop {
    var at: Double
    var seconds: Double
}

struct Plan {
    var name: String
    var title: String
    var latitude: Double
    var longitude: Double
    /// The date, and the seconds since its midnight, of UTC.
    var start: (day: String, second: Int)
    /// Seconds between two points.
    var interval: Int
    var corners: [Corner]
    var paces: [Pace]
    var stops: [Stop]
    /// Meters per second squared: along the line, and across it in bends.
    var acceleration: Double
    var grip: Double
    /// The altitude at the start, and the heights and lengths of the hills, in meters.
    var altitude: Double
    var hills: [(height: Double, length: Double)]
    /// The meters by which the way sways about its line, and the share by which the speed varies.
    var sway: Double
    var variation: Double
}

/// A freeway along the foot of hills: on by a ramp, at 110 km/h, through road works at 60, off again.
let drive = Plan(
    name: "drive", title: "Freeway drive", latitude: 37.3348, longitude: -122.0335,
    start: ("2026-05-02", 8 * 3600), interval: 1,
    corners: [
        Corner(east: 0, north: 0, bend: 0), Corner(east: -420, north: 30, bend: 130),
        Corner(east: -760, north: -330, bend: 160), Corner(east: -2100, north: -240, bend: 600),
        Corner(east: -4300, north: 900, bend: 1000), Corner(east: -6500, north: 1250, bend: 1000),
        Corner(east: -8600, north: 3300, bend: 1300),
        Corner(east: -11_800, north: 5000, bend: 1500),
        Corner(east: -13_500, north: 7900, bend: 1500),
        Corner(east: -16_600, north: 9900, bend: 700),
        Corner(east: -17_500, north: 11_100, bend: 250),
        Corner(east: -17_150, north: 11_600, bend: 0),
    ],
    paces: [
        Pace(from: 0, speed: 14), Pace(from: 900, speed: 30.6), Pace(from: 9300, speed: 16.7),
        Pace(from: 11_000, speed: 30.6), Pace(from: 21_200, speed: 18),
    ],
    stops: [], acceleration: 1.4, grip: 2.2, altitude: 72,
    hills: [(46, 7900), (21, 3100), (5, 900)], sway: 0.3, variation: 0.02)

/// A lap through the blocks of a city and along its park, at 10 km/h.
let run = Plan(
    name: "run", title: "City run", latitude: 37.7752, longitude: -122.4193,
    start: ("2026-05-03", 7 * 3600 + 1800), interval: 2,
    corners: [
        Corner(east: 0, north: 0, bend: 0), Corner(east: 18, north: 215, bend: 9),
        Corner(east: 228, north: 197, bend: 9), Corner(east: 246, north: 412, bend: 9),
        Corner(east: 456, north: 394, bend: 40), Corner(east: 560, north: 560, bend: 60),
        Corner(east: 760, north: 600, bend: 70), Corner(east: 850, north: 450, bend: 70),
        Corner(east: 740, north: 280, bend: 60), Corner(east: 655, north: 163, bend: 20),
        Corner(east: 637, north: -52, bend: 9), Corner(east: 427, north: -34, bend: 9),
        Corner(east: 409, north: -249, bend: 9), Corner(east: -18, north: -212, bend: 9),
        Corner(east: 0, north: -10, bend: 0),
    ],
    paces: [
        Pace(from: 0, speed: 2.6), Pace(from: 150, speed: 2.85), Pace(from: 1500, speed: 2.7),
        Pace(from: 2500, speed: 3.1),
    ],
    stops: [Stop(at: 1985, seconds: 16)], acceleration: 0.8, grip: 2, altitude: 18,
    hills: [(7, 1300), (2, 420)], sway: 0.5, variation: 0.05)

/// A bicycle ride across the same city, at 20 km/h, with stops at traffic lights.
let ride = Plan(
    name: "ride", title: "City bicycle ride", latitude: 37.7694, longitude: -122.4862,
    start: ("2026-05-03", 17 * 3600), interval: 2,
    corners: [
        Corner(east: 0, north: 0, bend: 0), Corner(east: 640, north: 48, bend: 150),
        Corner(east: 1180, north: -70, bend: 180), Corner(east: 1720, north: 110, bend: 180),
        Corner(east: 2350, north: 60, bend: 20), Corner(east: 2375, north: 360, bend: 16),
        Corner(east: 3180, north: 425, bend: 16), Corner(east: 3152, north: 750, bend: 16),
        Corner(east: 3760, north: 800, bend: 120), Corner(east: 4280, north: 1240, bend: 120),
        Corner(east: 4700, north: 1280, bend: 0),
    ],
    paces: [
        Pace(from: 0, speed: 5.9), Pace(from: 2300, speed: 5.5), Pace(from: 3500, speed: 6.2),
        Pace(from: 4600, speed: 5.8),
    ],
    stops: [
        Stop(at: 2330, seconds: 28), Stop(at: 3020, seconds: 19), Stop(at: 3790, seconds: 34),
        Stop(at: 4700, seconds: 12),
    ],
    acceleration: 0.7, grip: 1.6, altitude: 61, hills: [(17, 3600), (4, 800)], sway: 0.4,
    variation: 0.06)

// MARK: Lines

/// A plan's line as points about a meter apart, with the speed that is aimed at.
struct Line {
    var points: [(east: Double, north: Double)] = []
    /// The distance of each point from the start.
    var distances: [Double] = []
    var speeds: [Double] = []

    init(_ plan: Plan) {
        addPoints(plan.corners)
        distances = [0]
        for (first, second) in zip(points, points.dropFirst()) {
            distances.append(
                length + hypot(second.east - first.east, second.north - first.north))
        }
        aim(plan)
    }

    var length: Double { distances.last ?? 0 }

    /// Adds straight sides, and bends, which are parabolas.
    private mutating func addPoints(_ corners: [Corner]) {
        for (index, corner) in corners.enumerated() {
            guard index > 0, index < corners.count - 1 else {
                add(corner.east, corner.north)
                continue
            }
            let start = Self.toward(corners[index - 1], from: corner)
            let end = Self.toward(corners[index + 1], from: corner)
            add(start.east, start.north)
            let count = max(8, Int(corner.bend * 2))
            for step in 1...count {
                let t = Double(step) / Double(count)
                let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
                points.append(
                    (
                        a * start.east + b * corner.east + c * end.east,
                        a * start.north + b * corner.north + c * end.north
                    ))
            }
        }
    }

    /// The point at which a corner's bend begins or ends.
    private static func toward(
        _ other: Corner, from corner: Corner
    ) -> (east: Double, north: Double) {
        let (east, north) = (other.east - corner.east, other.north - corner.north)
        let share = corner.bend / hypot(east, north)
        return (corner.east + east * share, corner.north + north * share)
    }

    /// Adds a straight side to a point.
    private mutating func add(_ east: Double, _ north: Double) {
        if let last = points.last {
            let count = Int(hypot(east - last.east, north - last.north))
            for step in stride(from: 1, to: count, by: 1) {
                let share = Double(step) / Double(count)
                points.append(
                    (
                        last.east + (east - last.east) * share,
                        last.north + (north - last.north) * share
                    ))
            }
        }
        points.append((east, north))
    }

    /// Sets the speeds: what the plan wants, no more than bends and stops allow, without jumps.
    private mutating func aim(_ plan: Plan) {
        speeds = distances.indices.map { index in
            let at = distances[index]
            let wanted = plan.paces.last { $0.from <= at }?.speed ?? 0
            let wave = sin(at / 173) * 0.6 + sin(at / 61 + 1) * 0.4
            return min(wanted * (1 + plan.variation * wave), bendSpeed(index, plan.grip))
        }
        for stop in plan.stops where stop.at < length { speeds[index(stop.at)] = 0 }
        // From a standstill at the start, and to one at the end.
        (speeds[0], speeds[speeds.count - 1]) = (0, 0)
        for index in speeds.indices.dropFirst() {
            limit(index, after: index - 1, plan.acceleration)
        }
        for index in speeds.indices.dropLast().reversed() {
            limit(index, after: index + 1, plan.acceleration)
        }
    }

    private mutating func limit(_ index: Int, after other: Int, _ acceleration: Double) {
        let meters = abs(distances[index] - distances[other])
        let square = speeds[other] * speeds[other] + 2 * acceleration * meters
        speeds[index] = min(speeds[index], square.squareRoot())
    }

    /// The speed at which a bend is taken, by its radius over some meters.
    private func bendSpeed(_ index: Int, _ grip: Double) -> Double {
        let (first, last) = (max(0, index - 4), min(points.count - 1, index + 4))
        let meters = distances[last] - distances[first]
        var turn = abs(direction(last - 1) - direction(first))
        if turn > .pi { turn = 2 * .pi - turn }
        return turn > 1e-6 ? (grip * meters / turn).squareRoot() : .infinity
    }

    /// Radians clockwise from north.
    private func direction(_ index: Int) -> Double {
        let index = min(max(index, 0), points.count - 2)
        let (a, b) = (points[index], points[index + 1])
        return atan2(b.east - a.east, b.north - a.north)
    }

    /// The index of the first point at a distance or after it.
    func index(_ distance: Double) -> Int {
        var (low, high) = (0, distances.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if distances[middle] < distance { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The point at a distance, `sway` meters from the line at most.
    func point(_ distance: Double, _ sway: Double) -> (east: Double, north: Double) {
        let last = max(1, index(distance))
        let (a, b) = (points[last - 1], points[last])
        let step = distances[last] - distances[last - 1]
        let share = step > 0 ? (distance - distances[last - 1]) / step : 0
        let course = direction(last - 1)
        let aside = sway * (sin(distance / 47) * 0.7 + sin(distance / 19 + 2) * 0.3)
        return (
            a.east + (b.east - a.east) * share + cos(course) * aside,
            a.north + (b.north - a.north) * share - sin(course) * aside
        )
    }

    /// The distance at each tenth of a second, from start to end.
    func distances(_ stops: [Stop]) -> [Double] {
        var waits = stops.map { (index: index($0.at), tenths: Int($0.seconds * 10)) }
        var result = [0.0]
        var at = 0.0
        var next = 0
        while next < points.count - 1 {
            // The next point's speed if that is higher: a standstill would never end.
            let speed = max(speeds[next], speeds[min(next + 1, speeds.count - 1)], 0.3)
            at += speed / 10
            while next < points.count - 1, distances[next + 1] <= at {
                next += 1
                guard let wait = waits.first, wait.index == next else { continue }
                waits.removeFirst()
                at = distances[next]
                result += Array(repeating: at, count: wait.tenths)
            }
            result.append(min(at, length))
        }
        return result + Array(repeating: length, count: (stops.last?.at ?? 0) >= length ? 120 : 0)
    }
}

// MARK: GPX

/// A number with digits after the point.
func decimal(_ number: Double, _ places: Int) -> String {
    let factor = pow(10, Double(places))
    let scaled = Int64((abs(number) * factor).rounded())
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (number < 0 && scaled > 0 ? "-" : "") + padded.dropLast(places) + "."
        + padded.suffix(places)
}

func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

func gpx(_ plan: Plan) -> String {
    let line = Line(plan)
    let tenths = line.distances(plan.stops)
    var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Undersong" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><name>\(plan.title)</name><trkseg>

        """
    for second in stride(from: 0, through: (tenths.count - 1) / 10, by: plan.interval) {
        let distance = tenths[second * 10]
        let point = line.point(distance, plan.sway)
        let latitude = plan.latitude + point.north / 111_000
        let longitude =
            plan.longitude + point.east / (111_320 * cos(plan.latitude * .pi / 180))
        let height = plan.hills.reduce(plan.altitude) { sum, hill in
            sum + hill.height * (1 - cos(distance / hill.length * 2 * .pi)) / 2
        }
        let clock = plan.start.second + second
        let time =
            "\(twoDigits(clock / 3600)):\(twoDigits(clock / 60 % 60)):\(twoDigits(clock % 60))"
        text +=
            "<trkpt lat=\"\(decimal(latitude, 7))\" lon=\"\(decimal(longitude, 7))\">"
            + "<ele>\(decimal(height, 1))</ele><time>\(plan.start.day)T\(time)Z</time></trkpt>\n"
    }
    return text + "</trkseg></trk>\n</gpx>\n"
}

guard CommandLine.arguments.count == 2 else {
    fputs("usage: routes <folder>\n", stderr)
    exit(64)
}
for plan in [drive, run, ride] {
    let path = "\(CommandLine.arguments[1])/\(plan.name).gpx"
    guard let file = fopen(path, "w") else {
        perror("routes: cannot write \(path)")
        exit(1)
    }
    fputs(gpx(plan), file)
    fclose(file)
}
