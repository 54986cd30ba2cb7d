import UndersongBackground
import UndersongCommandOptions

/// The springboard: the app's snapshot with its badge, and what the service says about it.
struct DemoHome {
    private let phone: DemoPhone
    private let now: ScheduleTime

    init(_ phone: DemoPhone, _ now: ScheduleTime) {
        self.phone = phone
        self.now = now
    }

    func draw(on frame: inout DemoFrame, in area: Rectangle) {
        var rest = area
        if area.columns >= 50, area.rows >= 6 {
            let side = rest.removeRight(min(max(area.columns / 3, 22), 44))
            drawState(on: &frame, in: side.inset(columns: 1, rows: 0))
        } else {
            drawState(on: &frame, in: rest.removeBottom(min(3, area.rows / 3)))
        }
        drawCard(on: &frame, in: card(in: rest))
    }

    /// The card in the middle, of the shape of the whole screen.
    private func card(in area: Rectangle) -> Rectangle {
        let columns = min(area.columns, max(area.rows * 4, 40))
        return Rectangle(
            column: area.column + (area.columns - columns) / 2, row: area.row, columns: columns,
            rows: area.rows)
    }

    private func drawCard(on frame: inout DemoFrame, in area: Rectangle) {
        let name = phone.status?.app.name ?? phone.app
        let box = FramedBox(
            title: Columns.printable(name), style: .coloured(.blue, isBold: true), titleStyle: .bold
        )
        let inside = area.inset(columns: 2, rows: 1)
        if area.rows >= 3, area.columns >= 6 {
            frame.draw(box, in: area)
            drawSnapshot(on: &frame, in: inside)
        } else {
            frame.write(Columns.printable(name), in: area, .bold)
        }
        frame.add(.open, in: area)
        guard phone.badge > 0 else { return }
        let badge = phone.badge > 99 ? " 99+ " : " \(phone.badge) "
        var style = Style.coloured(.red, isBold: true)
        style.isReversed = true
        frame.canvas.write(
            badge, endingAt: area.column + area.columns - (area.columns > 12 ? 2 : 0),
            row: area.row,
            style)
    }

    private func drawSnapshot(on frame: inout DemoFrame, in area: Rectangle) {
        guard phone.screen != nil else {
            var middle = area
            _ = middle.removeTop(area.rows / 2)
            return frame.writeCentred("Enter opens it", in: middle, .dim)
        }
        var picture = DemoFrame(columns: area.columns, rows: area.rows)
        DemoAppView(phone, now, isSnapshot: true)
            .draw(on: &picture, in: picture.canvas.area)
        picture.canvas.restyle(picture.canvas.area) { $0.isDim = true }
        frame.drawPicture(of: picture, in: area)
    }

    /// Draws the app's state, and what remains of its time in the background.
    private func drawState(on frame: inout DemoFrame, in area: Rectangle) {
        var rest = area
        frame.write(
            DemoText.state(phone.status), in: rest.removeTop(1), DemoText.style(phone.state))
        if let left = phone.timeRemaining(at: now) {
            if rest.rows >= 7 {
                frame.draw(DemoText.ring(left, of: phone.budget), in: rest.removeTop(rest.rows - 3))
            } else {
                frame.write(ClockText.span(left) + " left", in: rest.removeTop(1))
            }
        }
        for text in facts {
            guard rest.rows > 0 else { return }
            frame.write(Columns.printable(text), in: rest.removeTop(1), .dim)
        }
    }

    private var facts: [String] {
        guard let status = phone.status else { return [] }
        var facts = [DemoText.needs(of: status)].compactMap(\.self)
        if let next = status.next { facts.append("next task at \(now.clockFace(next))") }
        if let end = status.lastEnd, phone.state == .notRunning {
            facts.append(AppText.cause(end))
        }
        if status.isClosed { facts.append("not launched until you open it") }
        return facts
    }
}
