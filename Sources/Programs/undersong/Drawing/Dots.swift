import Glibc
import UndersongCommandOptions

/// A grid of dots, drawn by braille characters: two dots wide and four high in each cell. Rings, maps
/// and curves are drawn on it.
struct Dots: Equatable, Sendable, Widget {
    /// The bits of a cell's dots, from the top left, row by row.
    private static let bits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

    /// The size in cells.
    let columns: Int
    let rows: Int
    private var masks: [UInt32]
    private var styles: [Style]

    /// The size in dots.
    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    init(columns: Int, rows: Int) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        masks = Array(repeating: 0, count: self.columns * self.rows)
        styles = Array(repeating: .plain, count: self.columns * self.rows)
    }

    /// Sets a dot, and the look of its cell; outside the grid, nothing.
    mutating func set(x: Int, y: Int, _ style: Style = .plain) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let cell = y / 4 * columns + x / 2
        masks[cell] |= Self.bits[y % 4 * 2 + x % 2]
        styles[cell] = style
    }

    /// True if a dot is set.
    func isSet(x: Int, y: Int) -> Bool {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
        return masks[y / 4 * columns + x / 2] & Self.bits[y % 4 * 2 + x % 2] != 0
    }

    /// Draws a line between two dots, both of them included. What lies outside the grid costs no time.
    mutating func line(
        fromX x1: Double, y y1: Double, toX x2: Double, y y2: Double, _ style: Style = .plain
    ) {
        guard let (from, to) = clipped(x1, y1, x2, y2) else { return }
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let steps = max(Int(max(dx.magnitude, dy.magnitude).rounded(.up)), 1)
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            set(
                x: Int((from.x + dx * part).rounded()), y: Int((from.y + dy * part).rounded()),
                style)
        }
    }

    /// Draws an arc of a circle, from the top clockwise; `to` 1 is the full circle.
    mutating func arc(
        centreX: Double, y centreY: Double, radius: Double, from: Double = 0, to: Double = 1,
        _ style: Style = .plain
    ) {
        guard radius.isFinite, radius >= 0, radius <= Double(4 * max(width, height)), to > from
        else { return }
        let steps = max(Int((radius * 2 * .pi * (to - from)).rounded(.up)) * 2, 1)
        for step in 0...steps {
            let angle = (from + (to - from) * Double(step) / Double(steps)) * 2 * .pi
            set(
                x: Int((centreX + radius * sin(angle)).rounded()),
                y: Int((centreY - radius * cos(angle)).rounded()), style)
        }
    }

    /// Draws the cells that have dots.
    func draw(on canvas: inout Canvas, in area: Rectangle) {
        for row in 0..<min(rows, area.rows) {
            for column in 0..<min(columns, area.columns) {
                let cell = row * columns + column
                guard masks[cell] != 0, let scalar = Unicode.Scalar(0x2800 + masks[cell]) else {
                    continue
                }
                canvas.write(
                    String(Character(scalar)), column: area.column + column, row: area.row + row,
                    styles[cell])
            }
        }
    }

    /// The part of a line inside the grid; nil if there is none.
    private func clipped(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double)
        -> (from: (x: Double, y: Double), to: (x: Double, y: Double))?
    {
        let values = [x1, y1, x2, y2]
        guard values.allSatisfy(\.isFinite), width > 0, height > 0 else { return nil }
        var (first, last) = (0.0, 1.0)
        let borders = [
            (x1 - x2, x1), (x2 - x1, Double(width - 1) - x1), (y1 - y2, y1),
            (y2 - y1, Double(height - 1) - y1),
        ]
        for (slope, distance) in borders {
            if slope == 0 {
                if distance < 0 { return nil }
            } else if slope < 0 {
                first = max(first, distance / slope)
            } else {
                last = min(last, distance / slope)
            }
        }
        guard first <= last else { return nil }
        return (
            (x1 + (x2 - x1) * first, y1 + (y2 - y1) * first),
            (x1 + (x2 - x1) * last, y1 + (y2 - y1) * last)
        )
    }
}

/// A ring of which a part is left, from the top clockwise, with a text in its middle.
struct Ring: Equatable, Sendable, Widget {
    /// The part that is left, from 0 to 1.
    var part: Double
    /// Lines in the middle.
    var lines: [String] = []
    var style = Style.coloured(.cyan)
    /// The look of the part that is gone.
    var goneStyle = Style.dim

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        var dots = Dots(columns: area.columns, rows: area.rows)
        let (x, y) = (Double(dots.width - 1) / 2, Double(dots.height - 1) / 2)
        let radius = min(x, y)
        guard radius > 0 else { return }
        // The widest text that the ring leaves room for.
        guard let lines = fitting(columns: Int(radius) - 3, rows: area.rows - 2) else {
            let whole = fitting(columns: area.columns, rows: area.rows) ?? lines
            return draw(whole, on: &canvas, in: area)
        }
        let part = part.isFinite ? min(max(part, 0), 1) : 0
        if part < 1 { dots.arc(centreX: x, y: y, radius: radius, from: part, to: 1, goneStyle) }
        for width in 0..<(radius >= 12 ? 3 : radius >= 6 ? 2 : 1) where part > 0 {
            dots.arc(centreX: x, y: y, radius: radius - Double(width), to: part, style)
        }
        dots.draw(on: &canvas, in: area)
        draw(lines, on: &canvas, in: area)
    }

    /// The lines, or their words one by one if those fit where the lines do not; nil if neither fits.
    private func fitting(columns: Int, rows: Int) -> [String]? {
        let words = lines.flatMap { $0.split(separator: " ").map(String.init) }
        return [lines, words].first { lines in
            lines.count <= max(rows, 0) && lines.allSatisfy { Columns.width(of: $0) <= columns }
        }
    }

    private func draw(_ lines: [String], on canvas: inout Canvas, in area: Rectangle) {
        let top = area.row + max(area.rows - lines.count, 0) / 2
        for (index, line) in lines.prefix(area.rows).enumerated() {
            let line = Columns.fitted(line, into: area.columns)
            let column = area.column + (area.columns - Columns.width(of: line)) / 2
            canvas.write(line, column: column, row: top + index, index == 0 ? .bold : .plain)
        }
    }
}
