/// The commands for outputs, which are the devices of the sound server: the sound is on one of them.
extension MPDCommand {
    static let outputs = [
        MPDCommand("disableoutput", .admin, 1...1) { frontEnd, _, arguments, _ in
            if try await frontEnd.output(arguments).isEnabled { throw MPDError.onlyOutput }
        },
        MPDCommand("enableoutput", .admin, 1...1) { frontEnd, _, arguments, _ in
            try await frontEnd.enable(frontEnd.output(arguments))
        },
        MPDCommand("moveoutput", since: Version(22), .admin, 1...1) { frontEnd, _, arguments, _ in
            guard await frontEnd.outputs.contains(where: { $0.name == arguments[0] }) else {
                throw MPDError(.noExist, "No such output")
            }
        },
        MPDCommand("outputs", .read, 0...0) { frontEnd, _, _, reply in
            for (index, output) in await frontEnd.outputs.enumerated() {
                reply.add("outputid", index)
                reply.add("outputname", output.name)
                reply.add("plugin", output.device == nil ? "null" : "pulse")
                reply.add("outputenabled", output.isEnabled)
            }
        },
        MPDCommand("outputset", since: Version(21), .admin, 3...3) { frontEnd, _, arguments, _ in
            _ = try await frontEnd.output(arguments)
            let name = arguments[1]
            guard name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x5f }) else {
                throw MPDError(.argument, "Illegal attribute name")
            }
            throw MPDError(.argument, "Unsupported attribute")
        },
        MPDCommand("toggleoutput", since: Version(17), .admin, 1...1) {
            frontEnd, _, arguments, _ in
            let output = try await frontEnd.output(arguments)
            if output.isEnabled { throw MPDError.onlyOutput }
            try await frontEnd.enable(output)
        },
    ]
}

extension MPDError {
    /// The error for disabling the output that is in use.
    fileprivate static let onlyOutput = MPDError(
        .system, "the sound is on this output: enable another one instead")
}

/// A place where the sound can be.
private struct MPDOutput {
    var name: String
    /// The name of the sound server's device; nil where there is none.
    var device: String?
    var isEnabled: Bool
}

extension MPDFrontEnd {
    /// The outputs: the devices in the order of their names, or else nowhere.
    fileprivate var outputs: [MPDOutput] {
        get async {
            let devices = await player.outputs.devices.sorted { $0.name < $1.name }
            guard !devices.isEmpty else {
                return [MPDOutput(name: "none", device: nil, isEnabled: true)]
            }
            return devices.map {
                MPDOutput(name: $0.description, device: $0.name, isEnabled: $0.isCurrent)
            }
        }
    }

    /// The output with the number in the first argument.
    fileprivate func output(_ arguments: MPDArguments) async throws(MPDError) -> MPDOutput {
        let number = try arguments.unsigned(0)
        let outputs = await outputs
        guard outputs.indices.contains(number) else {
            throw MPDError(.noExist, "No such audio output")
        }
        return outputs[number]
    }

    fileprivate func enable(_ output: MPDOutput) async throws {
        guard !output.isEnabled, let device = output.device else { return }
        try await player.chooseDevice(device)
    }
}
