import GRDB
import Playback

/// What is kept of a player beside the order of its items. A stop that is to come once is not: it
/// was asked for with a moment in mind.
struct StoredState: Equatable {
    /// Which change of the order it goes with, counted from 0.
    var sequence = 0
    /// Tells that change from another one of the same number, in a file that has lost some.
    var token: Int64 = 0
    var current: ItemID?
    var position = CMTime.zero
    var wantsPlayback = false
    var settings = PlayerSettings()
    /// The highest id that was ever given.
    var lastNumber = 0
    /// Whether there may be items that nothing names.
    var hasGarbage = false
}

/// The one row with the state.
struct StateTable {
    let db: Database

    func write(_ state: StoredState) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO state
                VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                    ?, ?, ?, ?)
                """)
        let settings = state.settings
        let numbers: [(Int32, Int64?)] = [
            (1, Int64(state.sequence)), (2, state.token),
            (3, state.current.map { Int64($0.number) }), (4, state.position.value),
            (5, Int64(state.position.timescale)), (6, state.wantsPlayback ? 1 : 0),
            (8, settings.isMuted ? 1 : 0), (11, settings.modes.isShuffled ? 1 : 0),
            (12, settings.modes.isSingle ? 1 : 0), (13, settings.modes.isConsuming ? 1 : 0),
            (17, settings.resumesItems ? 1 : 0), (19, Int64(state.lastNumber)),
            (20, state.hasGarbage ? 1 : 0), (21, state.checksum),
            (25, settings.inhibitsSleep ? 1 : 0),
        ]
        for (place, number) in numbers { statement.bind(number, at: place) }
        statement.bind(Double(settings.volume), at: 7)
        statement.bind(settings.rate, at: 9)
        statement.bind(settings.modes.repeatMode.rawValue, at: 10)
        statement.bind(settings.modes.itemEndAction.rawValue, at: 14)
        statement.bind(settings.replayGain.rawValue, at: 15)
        statement.bind(settings.crossfade, at: 16)
        statement.bind(settings.skipBack, at: 18)
        statement.bind(settings.outputDevice, at: 22)
        statement.bind(settings.unplugPolicy.rawValue, at: 23)
        statement.bind(settings.mixing.rawValue, at: 24)
        try statement.run()
    }

    /// Nil when there is none yet. Errors: it is damaged.
    func read() throws -> StoredState? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM state WHERE id = 1")
        guard try statement.nextRow() else { return nil }
        defer { statement.rewind() }
        guard let state = StoredState(statement),
            statement.number(21)
                == (statement.columnCount > 22 ? state.checksum : state.firstChecksum)
        else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the state is damaged")
        }
        return state
    }
}

extension StoredState {
    fileprivate init?(_ row: Statement) {
        guard let repeatMode = row.text(10).flatMap(RepeatMode.init),
            let itemEndAction = row.text(14).flatMap(ItemEndAction.init),
            let replayGain = row.text(15).flatMap(ReplayGainMode.init),
            let timescale = CMTimeScale(exactly: row.number(5))
        else { return nil }
        sequence = Int(row.number(1))
        token = row.number(2)
        current = row.optionalNumber(3).flatMap { ItemID(exactly: Int($0)) }
        position = CMTime(value: row.number(4), timescale: timescale)
        wantsPlayback = row.number(6) != 0
        settings.volume = Float(row.double(7))
        settings.isMuted = row.number(8) != 0
        settings.rate = row.double(9)
        settings.modes = PlaybackModes(
            repeatMode: repeatMode, isShuffled: row.number(11) != 0,
            isSingle: row.number(12) != 0, isConsuming: row.number(13) != 0,
            itemEndAction: itemEndAction)
        settings.replayGain = replayGain
        settings.crossfade = row.double(16)
        settings.resumesItems = row.number(17) != 0
        settings.skipBack = row.double(18)
        lastNumber = Int(row.number(19))
        hasGarbage = row.number(20) != 0
        // A file of the first version that cannot be written has no more.
        guard row.columnCount > 22 else { return }
        guard let unplugPolicy = row.text(23).flatMap(UnplugPolicy.init),
            let mixing = row.text(24).flatMap(MixingMode.init)
        else { return nil }
        settings.outputDevice = row.text(22)
        settings.unplugPolicy = unplugPolicy
        settings.mixing = mixing
        settings.inhibitsSleep = row.number(25) != 0
    }

    fileprivate var checksum: Int64 {
        var sum = Checksum(continuing: firstChecksum)
        sum.add(settings.outputDevice)
        sum.add(settings.unplugPolicy.rawValue)
        sum.add(settings.mixing.rawValue)
        sum.add(settings.inhibitsSleep ? Int64(1) : 0)
        return sum.value
    }

    /// What the first version's checksum covers.
    fileprivate var firstChecksum: Int64 {
        var sum = Checksum()
        sum.add(Int64(sequence))
        sum.add(token)
        sum.add(current.map { Int64($0.number) })
        sum.add(position.value)
        sum.add(Int64(position.timescale))
        sum.add(wantsPlayback ? Int64(1) : 0)
        sum.add(Double(settings.volume).bitPattern)
        sum.add(settings.isMuted ? Int64(1) : 0)
        sum.add(settings.rate.bitPattern)
        sum.add(settings.modes.repeatMode.rawValue)
        sum.add(settings.modes.isShuffled ? Int64(1) : 0)
        sum.add(settings.modes.isSingle ? Int64(1) : 0)
        sum.add(settings.modes.isConsuming ? Int64(1) : 0)
        sum.add(settings.modes.itemEndAction.rawValue)
        sum.add(settings.replayGain.rawValue)
        sum.add(settings.crossfade.bitPattern)
        sum.add(settings.resumesItems ? Int64(1) : 0)
        sum.add(settings.skipBack.bitPattern)
        sum.add(Int64(lastNumber))
        sum.add(hasGarbage ? Int64(1) : 0)
        return sum.value
    }
}
