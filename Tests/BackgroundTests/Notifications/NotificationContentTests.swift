import Testing
import UndersongBackground
import UndersongPlayback
import UndersongPodcasts

@Suite struct `The contents of notifications` {
    private static func episode(
        _ state: EpisodeState, isNew: Bool = false, problem: String? = nil
    ) -> UserNotification? {
        var feed = Feed(id: 1, url: "http://a/feed")
        feed.title = "The Podcast"
        var episode = Episode(id: 7, feed: 1, key: "g", title: "The Tide", state: state)
        episode.problem = problem
        return UserNotification(EpisodeReport(episode, of: feed, isNew: isNew))
    }

    private static func push(
        _ payload: String, type: PushType? = nil
    ) throws -> UserNotification? {
        let push = Push(
            identifier: "i", payload: try PushPayload(Array(payload.utf8)), type: type)
        return UserNotification(push, number: 3, name: "App")
    }

    @Test func `A new episode and the end of its download have one notification`() {
        let new = Self.episode(.available, isNew: true)
        let downloaded = Self.episode(.downloaded)
        let failed = Self.episode(.failed, problem: "404")

        #expect(new?.title == "The Podcast")
        #expect(new?.body == "The Tide")
        #expect(new?.actions.map(\.title) == ["Download"])
        #expect(downloaded?.title == "The Tide")
        #expect(downloaded?.subtitle == "The Podcast")
        #expect(downloaded?.actions.map(\.identifier) == ["play"])
        #expect(failed?.body == "The download has failed: 404")
        #expect(
            [new, downloaded, failed].map {
                $0.flatMap { UserNotification.episode(of: $0.identifier) }
            }
                == [7, 7, 7])
    }

    @Test(arguments: [EpisodeState.available, .wanted, .removed, .notPlayable])
    func `An episode that is not new has no notification`(state: EpisodeState) {
        #expect(Self.episode(state) == nil)
    }

    @Test func `An item's notification has its title, artist and album`() {
        var item = QueueItem(id: ItemID(1), source: .file(path: "/a.mp3"))
        item.title = "Slack Water"
        var description = MediaDescription(
            format: StreamFormat(sampleRate: 44100, channelCount: 2), encoding: "MP3",
            duration: .zero, isDurationExact: true)
        description.tags = ["artist": "The Undersongs", "album": "Tides"]

        let content = UserNotification(item, description)

        #expect(content.identifier == "item")
        #expect(content.title == "Slack Water")
        #expect(content.body == "The Undersongs – Tides")
        #expect(UserNotification(item, nil).body == "")
    }

    @Test(.rule("NB3"))
    func `The alert of a push is a text, or an object with a title, subtitle and body`() throws {
        let text = try Self.push(#"{"aps":{"alert":"Hello","badge":2,"sound":"default"}}"#)
        let object = try Self.push(
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"}}}"#)
        let keys = try Self.push(
            #"{"aps":{"alert":{"title-loc-key":"TITLE","loc-key":"BODY"},"sound":{"name":"a"}}}"#)

        #expect(
            text
                == UserNotification("push 3", title: "App", body: "Hello", badge: 2, hasSound: true)
        )
        #expect(object == UserNotification("push 3", title: "T", subtitle: "S", body: "B"))
        #expect(keys == UserNotification("push 3", title: "TITLE", body: "BODY", hasSound: true))
    }

    @Test(arguments: [
        #"{"aps":{"content-available":1}}"#, #"{"aps":{"badge":3,"sound":"a"}}"#,
        #"{"aps":{"alert":""}}"#, #"{"aps":{"alert":{}}}"#, #"{"aps":{"alert":7}}"#,
    ])
    func `A push without a text for users has no notification`(payload: String) throws {
        #expect(try Self.push(payload) == nil)
    }

    @Test(.rule("NB3"))
    func `A push of the type background has no notification`() throws {
        let payload = #"{"aps":{"alert":"Hello"}}"#

        #expect(try Self.push(payload, type: .background) == nil)
        #expect(try Self.push(payload, type: .alert)?.body == "Hello")
    }

    @Test(arguments: [
        (#"{"aps":{"badge":3}}"#, 3), (#"{"aps":{"badge":0}}"#, 0), (#"{"aps":{"badge":-1}}"#, 0),
        (#"{"aps":{"badge":1.5}}"#, nil), (#"{"aps":{"badge":"3"}}"#, nil),
        (#"{"aps":{"badge":1e300}}"#, nil), (#"{"aps":{}}"#, nil),
    ])
    func `The badge of a push is a whole number`(payload: String, badge: Int?) throws {
        let push = Push(identifier: "i", payload: try PushPayload(Array(payload.utf8)))

        #expect(PushAlert(push.payload).badge == badge)
    }
}
