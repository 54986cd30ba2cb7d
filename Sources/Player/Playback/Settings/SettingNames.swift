/// The names of a setting in the places where it appears, other than the wire.
package struct SettingNames: Sendable {
    /// The name in the service's file.
    package struct Column: Sendable {
        package let name: String
        /// The words for on and off, if a setting of two words is stored as a flag.
        package let words: (on: String, off: String)?

        init(_ name: String, words: (on: String, off: String)? = nil) {
            self.name = name
            self.words = words
        }
    }

    /// The text for display: `skip back 15 s`.
    package struct Text: Sendable {
        /// When it is part of a status.
        package enum Style: Sendable {
            case always
            case ifUnusual
            /// As `ifUnusual`, but without its value.
            case mark
            /// After the text of the named setting, if unusual.
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

    /// An option of the verbs that play.
    package struct Option: Sendable {
        /// The group in which the option is listed, and the verbs that have it.
        package enum Group: Sendable {
            /// For `play` and `render`.
            case playing
            /// For `play`.
            case longForm
            /// For `play` and `serve`.
            case sound
            /// For `play`, `render` and `serve`.
            case volume
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

    /// A verb that shows or changes the setting.
    package struct Verb: Sendable {
        package let name: String
        package let abstract: String
        package let discussion: String
        /// The name of the argument in usage and error texts.
        package let argument: String
        package let help: String
        /// The name of a number that is out of range; nil if such a number is not a value at all.
        package let noun: String?
        /// What the verb does, as in `cannot change the rate`.
        package let purpose: String
        /// The name of the step for a number with a sign.
        package let step: String?
        /// Words that set something else: the name and value of another setting.
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

    /// The name of the setting in an error about a wrong value.
    package let noun: String
    package let column: Column
    /// Whether events list it among the `modes`.
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
