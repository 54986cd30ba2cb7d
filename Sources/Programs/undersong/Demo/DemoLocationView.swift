import UndersongCommandOptions
import UndersongDemoScreen

/// The tab with the map.
struct DemoLocationView {
    /// The columns of the controls beside the map.
    private static let side = 26
    private static let colour = Style.coloured(.green)
    private static let backgroundColour = Style.coloured(.blue)

    let location: DemoScreen.Location
    /// The route that is replayed; nil for none.
    let route: String?

    func draw(on frame: inout DemoFrame, in area: Rectangle) {
        var rest = area
        if area.columns >= DemoAppView.wide {
            let controls = rest.removeRight(Self.side)
            _ = rest.removeRight(1)
            drawControls(on: &frame, in: controls)
        } else {
            drawBriefly(on: &frame, in: &rest)
        }
        drawMap(on: &frame, in: rest)
    }

    // MARK: Controls

    private func drawControls(on frame: inout DemoFrame, in area: Rectangle) {
        var rest = area
        drawSwitch(on: &frame, in: rest.removeTop(1))
        let gap = area.rows >= 12 ? 1 : 0
        _ = rest.removeTop(gap)
        drawAccuracies(on: &frame, in: &rest)
        drawFilter(on: &frame, in: rest.removeTop(1))
        drawRoute(on: &frame, in: rest.removeTop(1))
        _ = rest.removeTop(gap)
        for line in newest + [counts] { frame.write(line, in: rest.removeTop(1), .dim) }
    }

    /// Draws the controls in a few rows above the map.
    private func drawBriefly(on frame: inout DemoFrame, in rest: inout Rectangle) {
        let hasRoom = rest.rows >= 8
        drawSwitch(on: &frame, in: rest.removeTop(1))
        if hasRoom { drawAccuracies(on: &frame, in: &rest, limit: rest.rows / 3) }
        guard rest.rows >= 4 else { return }
        var row = rest.removeTop(1)
        guard row.columns >= 32 else { return drawFilter(on: &frame, in: row) }
        drawFilter(on: &frame, in: row.removeLeft(row.columns / 2))
        drawRoute(on: &frame, in: row)
    }

    private func drawSwitch(on frame: inout DemoFrame, in area: Rectangle) {
        frame.draw(CheckBox(title: "Location updates", isOn: location.isOn), in: area)
        frame.add(.touch(.locationSwitch), in: area)
    }

    /// Draws the accuracies as a segmented control, which is continued in the next row where it is too
    /// long for one.
    private func drawAccuracies(
        on frame: inout DemoFrame, in rest: inout Rectangle, limit: Int = .max
    ) {
        guard !location.accuracies.isEmpty else { return }
        var row = rest.removeTop(1)
        var used = 1
        for (index, name) in location.accuracies.enumerated() {
            let text = " \(Columns.printable(name)) "
            let width = min(Columns.width(of: text), rest.columns)
            // A line is between two segments of a row.
            let isFirst = index == 0 || row.columns < width + 1
            if isFirst, index > 0 {
                guard used < limit, rest.rows > 0 else { return }
                row = rest.removeTop(1)
                used += 1
            }
            if !isFirst { frame.write("│", in: row.removeLeft(1), .dim) }
            let segment = row.removeLeft(width)
            var style = index == location.accuracy ? Self.colour : .dim
            style.isReversed = index == location.accuracy
            frame.write(text, in: segment, style)
            frame.add(.touch(.accuracy(index)), in: segment)
        }
    }

    private func drawFilter(on frame: inout DemoFrame, in area: Rectangle) {
        frame.write("Filter " + (location.filter.map { DemoText.metres($0) } ?? "none"), in: area)
        frame.add(.touch(.filter(DemoKeys.filter(after: location.filter))), in: area)
    }

    private func drawRoute(on frame: inout DemoFrame, in area: Rectangle) {
        frame.write("Route " + Columns.printable(route ?? "none"), in: area)
        frame.add(.show(.routes), in: area)
    }

    private var newest: [String] {
        guard let pin = location.pins.last else { return [] }
        var lines = [
            "\(DemoText.degrees(pin.latitude)), \(DemoText.degrees(pin.longitude))",
            "within \(DemoText.metres(pin.accuracy))",
        ]
        if let speed = pin.speed { lines.append(DemoText.speed(speed)) }
        if let course = pin.course { lines.append("course \(DemoText.whole(course))°") }
        return lines
    }

    private var counts: String {
        let background = location.pins.count(where: \.isFromBackground)
        let count = "\(location.pins.count) pin\(location.pins.count == 1 ? "" : "s")"
        return background == 0 ? count : "\(count), \(background) in background"
    }

    // MARK: The map

    private func drawMap(on frame: inout DemoFrame, in area: Rectangle) {
        guard area.rows > 0, area.columns > 0 else { return }
        var dots = Dots(columns: area.columns, rows: area.rows)
        guard let map = DemoMap(location.pins, width: dots.width, height: dots.height) else {
            var middle = area
            _ = middle.removeTop(area.rows / 2)
            let problem = location.problem.map { Columns.printable($0) }
            return frame.writeCentred(problem ?? "No pins yet", in: middle, .dim)
        }
        let points = location.pins.map { (pin: $0, point: map.point($0)) }
        for (from, to) in zip(points, points.dropFirst()) {
            guard let start = from.point, let end = to.point else { continue }
            let style = to.pin.isFromBackground ? Self.backgroundColour : Self.colour
            dots.line(fromX: start.x, y: start.y, toX: end.x, y: end.y, style)
        }
        if let newest = points.last, let point = newest.point, newest.pin.accuracy * map.scale >= 2
        {
            dots.arc(
                centreX: point.x, y: point.y, radius: newest.pin.accuracy * map.scale,
                .coloured(.cyan))
        }
        frame.draw(dots, in: area)
        for (index, (pin, point)) in points.enumerated() {
            guard let point else { continue }
            draw(pin, at: point, isNewest: index == points.count - 1, on: &frame, in: area)
        }
        drawScale(of: map, on: &frame, in: area)
        if let problem = location.problem {
            frame.write(Columns.printable(problem), in: area, .coloured(.red))
        }
    }

    private func draw(
        _ pin: DemoScreen.Pin, at point: DemoMap.Point, isNewest: Bool, on frame: inout DemoFrame,
        in area: Rectangle
    ) {
        let (column, row) = (Int(point.x.rounded()) / 2, Int(point.y.rounded()) / 4)
        guard (0..<area.columns).contains(column), (0..<area.rows).contains(row) else { return }
        var style = pin.isFromBackground ? Self.backgroundColour : Self.colour
        style.isBold = isNewest
        let mark =
            isNewest
            ? pin.course.flatMap { DemoText.arrow($0) } ?? "◉" : pin.isFromBackground ? "○" : "●"
        frame.canvas.write(mark, column: area.column + column, row: area.row + row, style)
    }

    private func drawScale(of map: DemoMap, on frame: inout DemoFrame, in area: Rectangle) {
        guard area.rows >= 4, area.columns >= 16 else { return }
        let length = map.length(within: Double(area.columns) / 2)
        let columns = max(Int((length * map.scale / 2).rounded()), 1)
        let bar = "├" + String(repeating: "─", count: max(columns - 2, 0)) + "┤"
        frame.canvas.write(
            "\(bar) \(DemoText.metres(length))", column: area.column,
            row: area.row + area.rows - 1, width: area.columns, .dim)
    }
}
