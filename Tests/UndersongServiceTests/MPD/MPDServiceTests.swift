import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongPlayback

@testable import UndersongService

/// A service that is served to clients of MPD's protocol at a socket of its own.
private final class MPDStage {
    let stage: Stage
    let frontEnd: MPDFrontEnd
    private let path: String

    init() throws {
        let stage = try Stage()
        self.stage = stage
        path = stage.folder.path + "/mpd/socket"
        let listener = try MPDListener(path: path)
        frontEnd = MPDFrontEnd(
            MPDFrontEnd.Configuration(listeners: [listener]), player: stage.service.player
        ) {}
        frontEnd.observe()
        frontEnd.start()
    }

    deinit { frontEnd.stop() }

    func client() throws -> MPDTestClient { try MPDTestClient(path: path) }
}

@Suite(.blockingThreads, .timeLimit(.minutes(2)))
struct `A service for clients of MPD's protocol` {
    @Test func `A service answers commands, and stops a list at the first that fails`() throws {
        let stage = try MPDStage()
        let client = try stage.client()

        #expect(client.greeting == "OK MPD 0.23.5")
        #expect(try client.call("ping") == ["OK"])
        #expect(
            try client.call("command_list_ok_begin\nping\nping\nplay 9\nping\ncommand_list_end")
                == ["list_OK", "list_OK", "ACK [2@2] {play} Bad song index"])
        #expect(try client.call("nonsense") == ["ACK [5@0] {} unknown command \"nonsense\""])
        #expect(
            try client.call("play 1 2") == ["ACK [2@0] {play} too many arguments for \"play\""])
        #expect(try client.call("add \"") == ["ACK [5@0] {} Missing closing '\"'"])
        client.send("close\n")
        #expect(try client.isClosed())
    }

    @Test func `A service edits its queue`() throws {
        let stage = try MPDStage()
        let client = try stage.client()
        let song = "\"\(Stage.song)\""

        let ids = try (0..<4).map { _ in try client.call("addid \(song)").value("Id") ?? "" }
        #expect(Set(ids).count == 4)
        let version = try #require(try client.call("status").value("playlist"))
        #expect(try client.call("moveid \(ids[3]) 0") == ["OK"])
        #expect(try client.call("swap 1 3") == ["OK"])
        let order = [ids[3], ids[2], ids[1], ids[0]]
        #expect(try client.call("playlistinfo").values("Id") == order)
        #expect(try client.call("playlistinfo 1:3").values("Pos") == ["1", "2"])
        #expect(try client.call("playlistid \(ids[1])").value("Pos") == "2")
        #expect(try client.call("plchangesposid \(version)").values("Id") == order)
        let later = try #require(try client.call("status").value("playlist"))
        #expect(try client.call("plchangesposid \(later)") == ["OK"])
        #expect(try client.call("delete 1:3") == ["OK"])
        #expect(try client.call("playlistinfo").values("Id") == [ids[3], ids[0]])
        #expect(try client.call("addid \(song) 0").value("Id") != nil)
        #expect(try client.call("playlistinfo").values("Id")[1] == ids[3])
        #expect(try client.call("prioid 7 \(ids[0])") == ["OK"])
        #expect(try client.call("playlistid \(ids[0])").value("Prio") == "7")
        #expect(try client.call("rangeid \(ids[0]) 1:3") == ["OK"])
        #expect(try client.call("playlistid \(ids[0])").value("duration") == "2.000")
        #expect(try client.call("deleteid 99") == ["ACK [50@0] {deleteid} No such song"])
        #expect(try client.call("playlistinfo 9") == ["ACK [2@0] {playlistinfo} Bad song index"])
        #expect(
            try client.call("addid /nowhere.mp3") == [
                "ACK [52@0] {addid} Failed to access /nowhere.mp3: No such file or directory"
            ])
        #expect(try client.call("clear") == ["OK"])
        #expect(try client.call("status").value("playlistlength") == "0")
    }

    @Test func `A service plays, pauses, seeks and stops`() throws {
        let stage = try MPDStage()
        let host = try stage.stage.client()
        try host.attach(.active)
        try host.play()
        let client = try stage.client()

        #expect(try client.call("pause 1") == ["OK"])
        #expect(try client.call("status").value("state") == "pause")
        #expect(try client.call("seekcur 12.5") == ["OK"])
        #expect(try client.call("seekcur +2") == ["OK"])
        let status = try client.call("status")
        #expect(status.value("elapsed") == "14.500" && status.value("state") == "pause")
        #expect(status.value("song") == "0" && status.value("audio") != nil)
        #expect(try client.call("currentsong").value("file")?.hasSuffix(".mp3") == true)
        #expect(try client.call("pause") == ["OK"])
        #expect(try client.call("status").value("state") == "play")
        for command in ["pause 1", "previous"] {
            #expect(try client.call(command) == ["OK"])
        }
        #expect(try client.call("status").value("state") == "play")
        #expect(try client.call("stop") == ["OK"])
        let stopped = try client.call("status")
        #expect(stopped.value("state") == "stop" && stopped.value("elapsed") == nil)
        #expect(try client.call("next") == ["ACK [55@0] {next} Not playing"])
        #expect(try client.call("seekcur 1") == ["ACK [55@0] {seekcur} Not playing"])
    }

    @Test func `A service that is stopped stays so when songs are added, and keeps its options`()
        throws
    {
        let stage = try MPDStage()
        let host = try stage.stage.client()
        try host.attach(.active)
        try host.play()
        let client = try stage.client()
        let song = "\"\(Stage.song)\""

        // Past the end of the last song, the queue is over.
        let last = (Int(try client.call("status").value("playlistlength") ?? "") ?? 0) - 1
        #expect(try client.call("play \(last)") == ["OK"])
        #expect(try client.call("seekcur 100000") == ["OK"])
        #expect(try client.call("status").value("state") == "stop")
        #expect(try client.call("add \(song)") == ["OK"])
        #expect(try client.call("status").value("state") == "stop")

        #expect(try client.call("clear") == ["OK"])
        #expect(try client.call("single oneshot") == ["OK"])
        #expect(try client.call("clear") == ["OK"])
        #expect(try client.call("add \(song)") == ["OK"])
        #expect(try client.call("clear") == ["OK"])
        #expect(try client.call("status").value("single") == "oneshot")
    }

    @Test func `A service reports no change of a player that is stopped and stays so`() throws {
        let stage = try MPDStage()
        let (waiting, other) = (try stage.client(), try stage.client())
        let song = "\"\(Stage.song)\""

        waiting.send("idle player\n")
        for _ in 0..<2 {
            #expect(try other.call("add \(song)") == ["OK"])
            #expect(try other.call("clear") == ["OK"])
        }

        // It still waits, and so may send nothing but "noidle".
        waiting.send("status\n")
        #expect(try waiting.isClosed())
    }

    @Test func `A service edits what is paused as MPD does`() throws {
        let stage = try MPDStage()
        let host = try stage.stage.client()
        try host.attach(.active)
        try host.play()
        let client = try stage.client()
        let song = "\"\(Stage.song)\""
        let ids = try (0..<2).map { _ in try client.call("addid \(song)").value("Id") ?? "" }

        #expect(try client.call("pause 1") == ["OK"])
        #expect(try client.call("seekid \(ids[0]) 0") == ["OK"])
        let sought = try client.call("status")
        #expect(sought.value("state") == "pause" && sought.value("songid") == ids[0])
        #expect(try client.call("deleteid \(ids[0])") == ["OK"])
        let left = try client.call("status")
        #expect(left.value("state") == "stop" && left.value("songid") == ids[1])

        let version = left.value("playlist")
        #expect(try client.call("prioid 0 \(ids[1])") == ["OK"])
        #expect(try client.call("move 0:0 0") == ["OK"])
        #expect(try client.call("status").value("playlist") == version)
    }

    @Test func `A service changes its options`() throws {
        let stage = try MPDStage()
        let client = try stage.client()

        for command in [
            "setvol 30", "volume -10", "repeat 1", "single 1", "consume 1", "random 1",
            "crossfade 5", "replay_gain_mode album",
        ] {
            #expect(try client.call(command) == ["OK"], "\(command)")
        }
        let status = try client.call("status")
        #expect(status.value("volume") == "20" && status.value("repeat") == "1")
        #expect(status.value("single") == "1" && status.value("consume") == "1")
        #expect(status.value("random") == "1" && status.value("xfade") == "5")
        #expect(try client.call("getvol").value("volume") == "20")
        #expect(
            try client.call("replay_gain_status").value("replay_gain_mode") == "album")
        #expect(try client.call("single oneshot") == ["OK"])
        #expect(try client.call("status").value("single") == "oneshot")
        #expect(
            try client.call("setvol 101") == ["ACK [2@0] {setvol} Number too large: 101"])
        #expect(
            try client.call("consume 2")
                == ["ACK [2@0] {consume} Boolean (0/1) expected: 2"])
    }

    @Test func `A service reports to a client that waits what others have changed`() throws {
        let stage = try MPDStage()
        let (waiting, other) = (try stage.client(), try stage.client())
        _ = try other.call("setvol 50")
        waiting.send("noidle\nidle mixer\n")
        #expect(try waiting.reply() == ["changed: mixer", "OK"])

        waiting.send("idle message subscription\n")
        _ = try other.call("subscribe me")
        #expect(try waiting.reply() == ["changed: subscription", "OK"])
        #expect(try waiting.call("channels") == ["channel: me", "OK"])
        #expect(try waiting.call("sendmessage me \"a b\"") == ["OK"])
        #expect(try other.call("idle message") == ["changed: message", "OK"])
        #expect(try other.call("readmessages") == ["channel: me", "message: a b", "OK"])

        // Nothing of this kind has changed, so that it waits.
        waiting.send("idle sticker\nstatus\n")
        #expect(try waiting.isClosed())
    }

    @Test func `A service says why nothing is heard in the background, and stays there`() throws {
        let stage = try MPDStage()
        let client = try stage.client()
        _ = try client.call("add \"\(Stage.song)\"")

        #expect(try client.call("play") == ["OK"])

        let status = try client.call("status")
        #expect(
            status.value("error")
                == "cannot play: the host is in the background, and the audio mode is not declared. "
                + "Allow it with: undersong capability audio on")
        #expect(try stage.stage.client().call(GetStatus()).host == .background)
    }

    @Test func `A service gives up a client that sends a line without end`() throws {
        let stage = try MPDStage()
        let (client, other) = (try stage.client(), try stage.client())

        client.send([UInt8](repeating: 0x61, count: 1_000_000))

        #expect(try client.isClosed())
        #expect(try other.call("ping") == ["OK"])
        other.send("GET / HTTP/1.1\n")
        #expect(try other.isClosed())
    }

    @Test func `A service performs nothing more for a client that does not read`() throws {
        let stage = try MPDStage()
        let (client, other) = (try stage.client(), try stage.client())
        // The lines have room in the socket, and the replies have not.
        let count = 8000
        client.send(String(repeating: "commands\n", count: count))
        for _ in 0..<100 { #expect(try other.call("ping") == ["OK"]) }

        for _ in 0..<count { #expect(try client.reply().last == "OK") }
    }

    @Test func `A service leaves another server's socket alone`() throws {
        let stage = try MPDStage()
        let path = stage.stage.folder.path + "/mpd/socket"

        let problem = #expect(throws: MPDListener.Problem.self) { try MPDListener(path: path) }

        #expect(
            problem?.description == "cannot listen at \(path): Another server answers there")
        #expect(try stage.client().call("ping") == ["OK"])
    }
}

/// Addresses on the network.
@Suite struct `An address of MPD's protocol` {
    @Test func `An address has a number and a port`() {
        #expect(MPDAddress("127.0.0.1:6600") != nil && MPDAddress("[::1]:6600") != nil)
        for text in ["localhost:6600", "127.0.0.1", "127.0.0.1:", "1.2.3.4:70000", "::1:6600"] {
            #expect(MPDAddress(text) == nil, "\(text)")
        }
    }
}
