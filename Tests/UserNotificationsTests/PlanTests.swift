import Foundation
import Testing

@testable import UndersongUserNotifications

@Suite struct `The plan of notifications` {
    private var plan = NotificationPlan()

    private func record(
        _ identifier: String, _ title: String = "", due: Double = 10, every seconds: Double? = nil
    ) -> NotificationRecord {
        var content = ContentRecord()
        content.title = title
        return NotificationRecord(
            identifier: identifier, content: content,
            trigger: .interval(seconds ?? due, repeats: seconds != nil), date: due)
    }

    private func deliveries(_ effects: [NotificationPlan.Effect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .deliver(let record): record.identifier + record.content.title
            case .keep: nil
            }
        }
    }

    @Test mutating func `What is due is kept as due before it is delivered`() {
        let a = record("a")
        #expect(plan.handle(.add(a), at: 0) == [.keep(plan.memory)])
        #expect(plan.nextDue(at: 0).wall == 10)

        let effects = plan.handle(.timePassed, at: 10)

        #expect(plan.memory == NotificationPlan.Memory(due: [a]))
        #expect(effects == [.keep(plan.memory), .deliver(a)])
        #expect(plan.nextDue(at: 10) == .never)
        #expect(plan.handle(.timePassed, at: 11) == [])
    }

    @Test mutating func `One that is being shown is not shown twice, and one put off is again`() {
        let a = record("a")
        _ = plan.handle(.add(a), at: 0)
        #expect(deliveries(plan.handle(.timePassed, at: 10)) == ["a"])

        #expect(plan.handle(.connected, at: 11) == [])
        #expect(plan.handle(.putOff("a"), at: 12) == [])
        #expect(deliveries(plan.handle(.connected, at: 13)) == ["a"])
        _ = plan.handle(.delivered(a, isShown: true), at: 14)

        #expect(plan.memory == NotificationPlan.Memory(delivered: [a]))
        #expect(plan.handle(.connected, at: 15) == [])
    }

    @Test mutating func `A repetition that is due while the one before is being shown follows it`()
    {
        let first = record("a", due: 60, every: 60)
        _ = plan.handle(.add(first), at: 0)
        #expect(deliveries(plan.handle(.timePassed, at: 60)) == ["a"])
        #expect(deliveries(plan.handle(.timePassed, at: 120)) == [])

        #expect(deliveries(plan.handle(.delivered(first, isShown: true), at: 121)) == ["a"])
        #expect(plan.memory.due.map(\.date) == [120])
        #expect(plan.memory.pending.map(\.date) == [180])
    }

    @Test(arguments: [(60.0, 120.0), (119, 120), (120, 180), (1000, 1020)])
    mutating func `Dates that were missed are left out`(now: Double, next: Double) {
        _ = plan.handle(.add(record("a", due: 60, every: 60)), at: 0)

        #expect(deliveries(plan.handle(.timePassed, at: now)) == ["a"])

        #expect(plan.memory.pending.map(\.date) == [next])
    }

    @Test mutating func `What is due together is delivered in the order of the dates`() {
        for (identifier, due) in [("c", 30.0), ("a", 10), ("b", 20)] {
            _ = plan.handle(.add(record(identifier, due: due)), at: 0)
        }

        #expect(deliveries(plan.handle(.timePassed, at: 40)) == ["a", "b", "c"])
    }

    @Test mutating func `A request that was made since replaces that of an earlier process`() {
        _ = plan.handle(.add(record("a", "new", due: 50)), at: 40)
        let earlier = NotificationPlan.Memory(
            pending: [record("a", "old"), record("b")], due: [record("c")],
            delivered: [record("d")])

        let effects = plan.handle(.restored(earlier), at: 41)

        #expect(deliveries(effects) == ["c", "b"])
        #expect(plan.memory.pending.map(\.content.title) == ["new"])
        #expect(plan.memory.delivered.map(\.identifier) == ["d"])
    }

    @Test mutating func `The newest notifications that were delivered are remembered`() {
        for number in 0...NotificationPlan.deliveredLimit {
            _ = plan.handle(.delivered(record("\(number)"), isShown: true), at: 0)
        }
        _ = plan.handle(.delivered(record("5"), isShown: true), at: 0)
        _ = plan.handle(.delivered(record("6"), isShown: false), at: 0)

        let identifiers = plan.memory.delivered.map(\.identifier)
        #expect(identifiers.count == NotificationPlan.deliveredLimit)
        #expect(identifiers.first == "1")
        #expect(identifiers.last == "5")
        _ = plan.handle(.removeDelivered(nil), at: 0)
        #expect(plan.memory.delivered == [])
    }

    @Test mutating func `A memory is the same after it was written and read`() throws {
        var components = DateComponents(hour: 7, minute: 30)
        components.timeZone = TimeZone(identifier: "Europe/Zurich")
        var content = ContentRecord()
        content.userInfo = .dictionary(["a": .array([.integer(1), .double(0.5), .bool(true)])])
        let memory = NotificationPlan.Memory(pending: [
            NotificationRecord(
                identifier: "a", content: content, trigger: .calendar(components, repeats: true),
                date: 5),
            record("b", every: 60),
        ])

        let data = try JSONEncoder().encode(memory)

        #expect(try JSONDecoder().decode(NotificationPlan.Memory.self, from: data) == memory)
    }
}
