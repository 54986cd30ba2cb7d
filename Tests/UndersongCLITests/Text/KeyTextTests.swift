import Testing
import UndersongCommandOptions

@testable import UndersongCLI

/// The text of the key `?`.
@Suite struct `The help for keys` {
    @Test func `The help for keys is shown side by side if there is room`() {
        #expect(
            KeyText.lines(columns: 79, ownsRun: true) == [
                "space  pause, resume         → ←    five seconds forward, back",
                "n p    next, previous item   ↑ ↓ m  louder, softer, mute",
                "s r    random order, repeat  ] [ =  faster, slower, normal speed",
                "d      detach, and play on   0 … 9  start, 10 % … 90 % of the item",
                "q      stop, and quit        b      background sound on, off",
                "                             ?      these keys",
            ])
    }

    @Test(arguments: [40, 63])
    func `The help for keys is shown one below the other if there is less room`(columns: Int) {
        #expect(
            KeyText.lines(columns: columns, ownsRun: true) == [
                "space  pause, resume", "n p    next, previous item",
                "s r    random order, repeat", "d      detach, and play on",
                "q      stop, and quit", "→ ←    five seconds forward, back",
                "↑ ↓ m  louder, softer, mute", "] [ =  faster, slower, normal speed",
                "0 … 9  start, 10 % … 90 % of the item",
                "b      background sound on, off", "?      these keys",
            ])
    }

    @Test func `The help for keys does not say to an onlooker that a key stops the music`() {
        #expect(
            KeyText.lines(columns: 79, ownsRun: false) == [
                "space  pause, resume         → ←    five seconds forward, back",
                "n p    next, previous item   ↑ ↓ m  louder, softer, mute",
                "s r    random order, repeat  ] [ =  faster, slower, normal speed",
                "d q    leave, and play on    0 … 9  start, 10 % … 90 % of the item",
                "                             b      background sound on, off",
                "                             ?      these keys",
            ])
    }

    @Test(arguments: [1, 10, 19, 20, 39, 40, 64, 79, 80, 200])
    func `The help for keys never exceeds the columns`(columns: Int) {
        #expect(
            KeyText.lines(columns: columns, ownsRun: true)
                .allSatisfy { Columns.width(of: $0) <= columns })
    }
}
