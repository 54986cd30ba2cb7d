import Foundation
import Testing
import UndersongBackground
import UndersongControl

@testable import UndersongCLI

@Suite struct `The text of sound server events` {
    private static let jack = #"{"name":"a","description":"Built-in Audio","port":"Headphones"}"#
    private static let usb = #"{"name":"b","description":"USB Audio","port":"USBAudio"}"#

    @Test(
        arguments: [
            (
                #"{"event":"mediaServicesWereLost","reason":"Connection terminated"}"#,
                "The sound server is gone: Connection terminated. Waiting for it ..."
            ), (#"{"event":"mediaServicesWereReset"}"#, "The sound server is back."),
            (
                #"{"event":"interruption","type":"began","source":"call","by":"Ekiga"}"#,
                "Interrupted by a call (Ekiga)."
            ),
            (
                #"{"event":"interruption","type":"began","source":"session","by":"kitchen"}"#,
                "Interrupted by the session kitchen."
            ),
            (
                #"{"event":"interruption","type":"began","source":"command"}"#,
                "Interrupted by 'undersong interrupt'."
            ),
            (
                #"{"event":"interruption","type":"ended","source":"sleep","shouldResume":true}"#,
                "The interruption is over."
            ),
            (
                #"{"event":"interruption","type":"ended","source":"call","shouldResume":false}"#,
                "The interruption is over; playback does not resume."
            ),
            (
                #"{"event":"routeChange","reason":"oldDeviceUnavailable","status":"paused","#
                    + #""previous":\#(jack),"route":\#(usb)}"#,
                "Built-in Audio (Headphones) is gone: paused."
            ),
            (
                #"{"event":"routeChange","reason":"oldDeviceUnavailable","status":"playing","#
                    + #""previous":\#(jack),"route":\#(usb)}"#,
                "Built-in Audio (Headphones) is gone: the sound goes to USB Audio (USBAudio)."
            ),
            (
                #"{"event":"routeChange","reason":"override","previous":null,"route":\#(usb)}"#,
                "The sound goes to USB Audio (USBAudio)."
            ), (#"{"event":"routeChange","reason":"categoryChange","route":\#(usb)}"#, nil),
            (#"{"event":"otherAudio","playing":true,"mixable":false}"#, nil),
            (#"{"event":"new","status":"paused","reason":"interrupted"}"#, nil),
        ] as [(String, String?)])
    func `A sound server event is one short line if it is relevant`(json: String, line: String?)
        throws
    {
        let head =
            #"{"seq":1,"monotonic":1,"place":0,"generation":0,"state":"active","reasonCode":2,"#
            + (json.contains("status") ? "" : #""status":"playing","#)
        let event = try JSONDecoder().decode(
            PlayerEvent.self, from: Data((head + json.dropFirst()).utf8))

        #expect(SoundText.line(event) == line)
    }

    @Test func `A sound server event names the chosen device beside the current one`() {
        var outputs = Outputs.two
        outputs.chosen = "bluez"

        #expect(OutputText.route(outputs) == "USB Audio (USBAudio), usb\nchosen: bluez")
        #expect(OutputText.list(outputs).hasSuffix("\nchosen: bluez"))
        outputs.current = nil
        outputs.devices = []
        #expect(OutputText.route(outputs) == "no device\nchosen: bluez")
        outputs.isLost = true
        outputs.lostReason = "Connection refused"
        #expect(
            OutputText.list(outputs) == "no sound server: Connection refused\nchosen: bluez")
    }

    @Test func `The verb why contains the server, the route and the interruption`() {
        var why = Why.backgrounded
        why.status.settings.onUnplug = .wait
        why.status.settings.mixing = .duck
        why.sound = Why.Sound(
            outputs: .two, lostSince: nil,
            interruptions: [
                .call(application: "Ekiga"),
                .command,
            ])

        #expect(
            WhyText(Reasons(why)).screen.contains(
                """

                output      pulse
                server      pulseaudio 16.1
                route       USB Audio (USBAudio)
                on unplug   wait
                mixing      duck
                interrupted by a call (Ekiga)
                            by 'undersong interrupt'
                item        /music/two.mp3

                """))
    }

    @Test func `The verb why contains how long the server has been lost`() {
        var why = Why.backgrounded
        let outputs = Outputs(
            server: "pulseaudio 16.1", lostReason: "Connection terminated", current: nil,
            chosen: "usb", devices: [])
        why.sound = Why.Sound(outputs: outputs, lostSince: 96_800_000_000, interruptions: [])

        #expect(
            WhyText(Reasons(why)).screen.contains(
                "\nserver      lost for 3.2 s: Connection terminated\nchosen      usb\n"))
    }
}
