import TestSupport
import Testing

@testable import UndersongDemoApp

/// The numbers of the demo's app, by rules E15 and E17.
@Suite struct `The Fibonacci numbers` {
    @Test(.rule("E17")) func `The Fibonacci numbers begin with 2, 3, 5 at positions 2, 3, 4`() {
        var numbers = Fibonacci()

        let messages = (1...3).map { _ in
            numbers.tick()
            return numbers.message
        }

        #expect(messages == ["Position 2 = 2", "Position 3 = 3", "Position 4 = 5"])
    }

    @Test(.rule("E17")) func `The Fibonacci numbers are exact to the 40th digit at position 192`() {
        var numbers = Fibonacci()

        for _ in 1...191 { numbers.tick() }

        #expect(numbers.message == "Position 192 = 9663391306290450775010025392525829059713")
    }

    @Test(.rule("E15", "E17"))
    func `The Fibonacci numbers start over at tick 192, since the next one is too large`() {
        var numbers = Fibonacci()

        for _ in 1...192 { numbers.tick() }
        let reset = numbers.message
        numbers.tick()

        #expect(reset == "Position 1 = 1")
        #expect(numbers.message == "Position 2 = 2")
    }
}
