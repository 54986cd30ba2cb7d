import ArgumentParser
import CommandOptions
import Control

/// `undersong resume-items`: tells whether long items go on where they were left, or changes it.
struct ResumeItemsVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resume-items",
        abstract: "Tell whether long items go on where they were left, or change it.",
        discussion: """
            Where items of 20 minutes or more were left is remembered always, file by file; those \
            that were heard to their end begin anew. It counts for items that begin from then on.
            """)

    @Argument(
        help: "Go on where they were left: on, off.", completion: Switch.completion,
        transform: Switch.parse)
    var resumes: Switch?

    @OptionGroup var options: SessionOptions

    func perform() throws {
        var change = Settings.Change()
        change.resumeItems = resumes?.isOn
        try options.ask(
            resumes == nil ? "tell where items go on" : "change where items go on",
            SetSettings(change), StatusText.resumeItems)
    }
}

/// `undersong skip-back`: tells how far a long item goes back behind a long pause, or changes it.
struct SkipBackVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "skip-back",
        abstract: "Tell how far a long item goes back behind a long pause, or change it.",
        discussion: """
            Items of 20 minutes or more go back by a third of it behind a pause of 30 seconds, by \
            two thirds behind 5 minutes, and by all of it behind an hour. 0 is not at all.
            """)

    @Argument(help: "Seconds, 0 to 600.")
    var seconds: Double?

    @OptionGroup var options: SessionOptions

    func validate() throws { try PlayingOptions.check("The way back", seconds, 0...600) }

    func perform() throws {
        var change = Settings.Change()
        change.skipBack = seconds
        try options.ask(
            seconds == nil ? "tell the way back" : "change the way back", SetSettings(change),
            StatusText.skipBack)
    }
}
