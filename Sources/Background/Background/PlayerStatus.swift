public import UndersongBase
public import UndersongPlayback

/// The player's state, with its reason.
public struct PlayerStatus: Codable, Hashable, Sendable {
    /// The playing state.
    public var status: PlayingState
    /// The reason it does not; nil if it does.
    public var reason: Open<SilenceReason>?
    /// True if the user wants playback.
    public var wantsPlayback: Bool
    /// The current item. The title of a live stream is the one that its station gives to what is
    /// heard, if it gives any.
    public var item: ListedItem?
    /// The item's place in the queue, from 0; the number of items without a current one.
    public var place: Int
    /// The item's place in the queue, from 0; nil without a current item.
    public var index: Int?
    /// The item's place in the queue, from 1, as shown to users and used by commands; nil without a
    /// current item.
    public var number: Int?
    /// The number of items in the queue.
    public var count: Int
    /// The position being heard.
    public var position: WireTime
    /// The settings.
    public var settings: Settings
    /// The host's state.
    public var host: ApplicationState
    /// The source of that state.
    public var hostSource: String
    /// True if the service is suspended: none of its threads wakes up.
    public var suspended = false
    /// The time at which playback stops by itself; nil if it does not.
    public var sleep: SleepReport?
    /// True if the sound server's device is muted or its volume is 0.
    public var deviceSilent: Bool?
    /// The progress of the current item's download; nil unless it is on the network and open.
    public var network: NetworkItemState?
    /// The gain by which the current item is played; nil if its samples stay as they are.
    public var replayGain: AppliedGain?
    /// The genre from the current item's tag; nil if it has none, or was not opened yet. The same is
    /// true of `track` and `year`.
    public var genre: String?
    /// The number on the album, as the tag has it: `3` or `3/12`.
    public var track: String?
    /// The year, or the date, from the tag.
    public var year: String?
    /// The rating that the library has of the current item, from 1 to 5; nil if it has none.
    public var rating: Int?
    /// True if the current item is a favourite; nil otherwise.
    public var favourite: Bool?
    /// The title of the chapter at the position, or `Chapter 3` if it has none; nil if there are no
    /// chapters.
    public var chapter: String?
    /// The number of new episodes and other news since the host was opened; nil if nothing is new.
    public var badge: Int?
    /// The process that has the queue, if this service only reads what it has saved; 0 if that is not
    /// known.
    public var heldBy: Int32?

    /// Creates the status of a player with a current item, or without one.
    package init(
        status: PlayingState, reason: Open<SilenceReason>?, wantsPlayback: Bool, item: ListedItem?,
        place: Int, count: Int, position: WireTime, settings: Settings, host: ApplicationState,
        hostSource: String
    ) {
        self.status = status
        self.reason = reason
        self.wantsPlayback = wantsPlayback
        self.item = item
        self.place = place
        index = item == nil ? nil : place
        number = item == nil ? nil : place + 1
        self.count = count
        self.position = position
        self.settings = settings
        self.host = host
        self.hostSource = hostSource
    }
}

/// Requests the status of the player.
package struct GetStatus: ControlCall {
    package typealias Reply = PlayerStatus
    package static let method = "player.status"

    package init() {}
}

/// Gives the player a command of a single word.
package struct Command: ControlCall {
    package typealias Reply = PlayerStatus
    package static let method = "player.command"
    /// The maximum number of items that `next` and `previous` can skip at once.
    package static let mostTimes = 1000
    /// The command.
    package var verb: PlayerCommand
    /// The number of items that `next` and `previous` skip, from 1 to `mostTimes`; nil for one.
    package var times: Int?

    package init(_ verb: PlayerCommand, times: Int? = nil) {
        self.verb = verb
        self.times = times
    }
}

/// Jumps to another item of the queue.
package struct Jump: ControlCall {
    /// The result of the jump.
    package struct Reply: Codable, Hashable, Sendable {
        /// The queue around the item.
        package var queue: QueueList
        /// The resulting status.
        package var status: PlayerStatus

        package init(queue: QueueList, status: PlayerStatus) {
            self.queue = queue
            self.status = status
        }
    }

    package static let method = "queue.jump"
    /// The item.
    package var item: Int

    package init(to item: Int) { self.item = item }
}

/// The result of a seek.
package struct SeekResult: Codable, Hashable, Sendable {
    /// False if a newer seek or another jump superseded it.
    package var finished: Bool
    /// The resulting time in the item.
    package var position: WireTime
    /// The status, if the seek went past the end of the item; nil if the item is the same.
    package var status: PlayerStatus?

    package init(finished: Bool, position: WireTime, status: PlayerStatus? = nil) {
        self.finished = finished
        self.position = position
        self.status = status
    }
}

/// Seeks to a time in the current item.
package struct Seek: ControlCall {
    package typealias Reply = SeekResult
    package static let method = "player.seek"
    /// The time.
    package var to: WireTime

    package init(to time: WireTime) { to = time }
}

/// Seeks by a distance in the current item.
package struct SeekBy: ControlCall {
    package typealias Reply = SeekResult
    package static let method = "player.seekBy"
    /// The distance, negative to go back.
    package var by: WireTime

    package init(_ distance: WireTime) { by = distance }
}

/// Seeks to a part of the current item's length.
package struct SeekToPart: ControlCall {
    package typealias Reply = SeekResult
    package static let method = "player.seekToPart"
    /// The part, 0 to 1.
    package var fraction: Double

    package init(_ fraction: Double) { self.fraction = fraction }
}

/// Begins an interruption, as a phone call would.
package struct BeginInterruption: ControlCall {
    package typealias Reply = PlayerStatus
    package static let method = "session.interrupt"

    package init() {}
}

/// Ends an interruption that was begun by `BeginInterruption`.
package struct EndInterruption: ControlCall {
    package typealias Reply = PlayerStatus
    package static let method = "session.endInterruption"
    /// True if playback may resume by itself.
    package var shouldResume: Bool

    package init(shouldResume: Bool) { self.shouldResume = shouldResume }
}

/// Ends the service. The edits of the queue and the position are saved if the service has a store.
package struct Shutdown: ControlCall {
    package typealias Reply = Nothing
    package static let method = "service.shutdown"

    package init() {}
}
