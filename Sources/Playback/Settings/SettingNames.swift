/// What a setting is called in the places where it appears, apart from the wire.
package struct SettingNames: Sendable {
    /// What it is kept as in the file that survives the service.
    package struct Column: Sendable {
        package let name: String
        /// The word for on and the one for off, where a setting of two words is kept as a flag.
        package let words: (on: String, off: String)?

        init(_ name: String, words: (on: String, off: String)? = nil) {
            self.name = name
            self.words = words
        }
    }

    /// How people read it: `skip back 15 s`.
    package struct Text: Sendable {
        /// When it is part of a status.
        package enum Style: Sendable {
            case always
            case ifUnusual
            /// As `ifUnusual`, and without its value.
            case mark
            /// After the text of the setting with this name, if unusual.
            case remark(on: String)
        }

        package let label: String
        package let unit: String
        package let style: Style

        init(_ label: String, unit: String = "", _ style: Style = .ifUnusual) {
            self.label = label
            self.unit = unit
            self.style = style
        }
    }

    /// An option of those verbs that play.
    package struct Option: Sendable {
        /// The options that stand together, and which verbs have them.
        package enum Group: Sendable {
            /// Of `play` and `render`.
            case playing
            /// Of `play`.
            case longForm
            /// Of `play` and `serve`.
            case sound
        }

        package let group: Group
        package let name: String
        package let help: String

        init(_ group: Group, _ name: String, _ help: String) {
            self.group = group
            self.name = name
            self.help = help
        }
    }

    /// A verb that shows or changes it.
    package struct Verb: Sendable {
        package let name: String
        package let abstract: String
        package let discussion: String
        /// What the verb asks for is called in its usage, and in what it says of a wrong call.
        package let argument: String
        package let help: String
        /// What a number that is out of range is called; nil: it is no value at all.
        package let noun: String?
        /// What it does, as in `cannot change the rate`.
        package let purpose: String
        /// The name of the step that a number with a sign asks for.
        package let step: String?
        /// Words that ask for something else: the name and the value of another setting.
        package let words: [String: (name: String, value: SettingValue)]

        init(
            _ name: String, _ abstract: String, discussion: String = "", argument: String,
            help: String, noun: String? = nil, purpose: String, step: String? = nil,
            words: [String: (name: String, value: SettingValue)] = [:]
        ) {
            self.name = name
            self.abstract = abstract
            self.discussion = discussion
            self.argument = argument
            self.help = help
            self.noun = noun
            self.purpose = purpose
            self.step = step
            self.words = words
        }
    }

    /// What a wrong value of it is called.
    package let noun: String
    package let column: Column
    /// Whether the events have it among the `modes`.
    package let isMode: Bool
    package let text: Text?
    package let option: Option?
    package let verb: Verb?

    init(
        noun: String = "", column: Column, isMode: Bool = false, text: Text? = nil,
        option: Option? = nil, verb: Verb? = nil
    ) {
        self.noun = noun
        self.column = column
        self.isMode = isMode
        self.text = text
        self.option = option
        self.verb = verb
    }
}
