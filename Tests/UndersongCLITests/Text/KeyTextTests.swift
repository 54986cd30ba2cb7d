import CommandOptions
import Testing

@testable import UndersongCLI

/// The text of the key `?`.
@Suite struct `The help for keys` {
    @Test func `is shown side by side if there is room`() {
        #expect(
            KeyText.lines(columns: 79) == [
                "space  pause, resume         → ←    five seconds on, back",
                "n p    next, previous item   ↑ ↓ m  louder, softer, mute",
                "s r    random order, repeat  ] [ =  faster, slower, normal speed",
                "q      quit                  ?      these keys",
            ])
    }

    @Test(arguments: [40, 63]) func `is shown one below the other if there is less`(columns: Int) {
        #expect(
            KeyText.lines(columns: columns) == [
                "space  pause, resume", "n p    next, previous item",
                "s r    random order, repeat", "q      quit", "→ ←    five seconds on, back",
                "↑ ↓ m  louder, softer, mute", "] [ =  faster, slower, normal speed",
                "?      these keys",
            ])
    }

    @Test(arguments: [1, 10, 19, 20, 39, 40, 64, 79, 80, 200])
    func `never exceeds the columns`(columns: Int) {
        #expect(KeyText.lines(columns: columns).allSatisfy { Columns.width(of: $0) <= columns })
    }
}
