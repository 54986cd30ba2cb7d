import ArgumentParser
import UndersongBackground
import UndersongCommandOptions

/// `undersong output`: shows or changes the output device.
struct OutputVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "output",
        abstract: "Show the output device, list all of them, or choose one.",
        subcommands: [Show.self, List.self, Set.self],
        defaultSubcommand: Show.self)

    struct Show: Verb {
        static let configuration = described("show", "Show the output device.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("show the output", GetOutputs(), startsService: false, OutputText.route)
        }
    }

    struct List: Verb {
        static let configuration = described("list", "List the sound server's devices.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("list the outputs", GetOutputs(), startsService: false, OutputText.list)
        }
    }

    struct Set: Verb {
        static let configuration = described(
            "set", "Play on another device from now on.",
            discussion: """
                The device is remembered by its name. If no sound server answers, the choice takes \
                effect as soon as one does.
                """)
        @Argument(
            help: """
                The device's name, words of its name, description or port that no other has, or \
                default for the sound server's own choice.
                """)
        var name: [String]
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "set the output"
            let service = try options.service(to: purpose, startsService: false)
            var device: String?
            if name != ["default"] {
                device = try OutputSearch(purpose, try service.call(GetOutputs())).name(for: name)
            }
            options.show(try service.call(SetOutput(device: device)), OutputText.chosen)
        }
    }
}

/// Finds a device by what people call it.
struct OutputSearch {
    private let purpose: String
    private let devices: [Outputs.Device]

    /// `purpose` names the operation in errors.
    init(_ purpose: String, _ outputs: Outputs) {
        self.purpose = purpose
        devices = outputs.devices
    }

    /// The name of the device with this name, or else of the only one whose name, description
    /// or port contains all of the words, in upper or lower case. What is not found is returned as
    /// it is: its device may come later.
    ///
    /// - Throws: a failure if there are several.
    func name(for words: [String]) throws -> String {
        let name = words.joined(separator: " ")
        guard !devices.contains(where: { $0.name == name }) else { return name }
        let found = devices.filter { device in
            let text = "\(device.name) \(device.description) \(device.port)".lowercased()
            return words.allSatisfy { text.contains($0.lowercased()) }
        }
        guard found.count < 2 else {
            let names = found.map { Columns.printable($0.name) }.joined(separator: ", ")
            throw Failure("cannot \(purpose): \(Columns.printable(name)) may be any of \(names)")
        }
        return found.first?.name ?? name
    }
}
