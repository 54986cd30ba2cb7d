import UndersongBackground

/// The commands for outputs, which are the devices of the sound server: the sound is on one of them.
extension MPDCommand {
    static let outputs = [
        MPDCommand("disableoutput", .admin, 1...1) { frontEnd, _, arguments, _ in
            let device = try await frontEnd.output(arguments)
            if device.isCurrent { throw MPDError.onlyOutput }
        },
        MPDCommand("enableoutput", .admin, 1...1) { frontEnd, _, arguments, _ in
            try await frontEnd.enable(frontEnd.output(arguments))
        },
        MPDCommand("moveoutput", since: Version(22), .admin, 1...1) { frontEnd, _, arguments, _ in
            let devices = await frontEnd.devices
            guard devices.contains(where: { $0.description == arguments[0] }) else {
                throw MPDError(.noExist, "No such output")
            }
        },
        MPDCommand("outputs", .read, 0...0) { frontEnd, _, _, reply in
            for (index, device) in await frontEnd.devices.enumerated() {
                reply.add("outputid", index)
                reply.add("outputname", device.description)
                reply.add("plugin", "pulse")
                reply.add("outputenabled", device.isCurrent)
            }
        },
        MPDCommand("outputset", since: Version(21), .admin, 3...3) { frontEnd, _, arguments, _ in
            _ = try await frontEnd.output(arguments)
            let name = arguments[1]
            guard name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x5f }) else {
                throw MPDError(.argument, "Illegal attribute name")
            }
            throw MPDError(.argument, "Unknown attribute")
        },
        MPDCommand("toggleoutput", since: Version(17), .admin, 1...1) {
            frontEnd, _, arguments, _ in
            let device = try await frontEnd.output(arguments)
            if device.isCurrent { throw MPDError.onlyOutput }
            try await frontEnd.enable(device)
        },
    ]
}

extension MPDError {
    /// The error for disabling the output that is in use.
    fileprivate static let onlyOutput = MPDError(
        .system, "the sound is on this output: enable another one instead")
}

extension MPDFrontEnd {
    /// The devices, in the order of their names.
    fileprivate var devices: [Outputs.Device] {
        get async { await player.outputs.devices.sorted { $0.name < $1.name } }
    }

    /// The device with the number in the first argument.
    fileprivate func output(_ arguments: MPDArguments) async throws(MPDError) -> Outputs.Device {
        let number = try arguments.unsigned(0)
        let devices = await devices
        guard devices.indices.contains(number) else {
            throw MPDError(.noExist, "No such audio output")
        }
        return devices[number]
    }

    fileprivate func enable(_ device: Outputs.Device) async throws {
        guard !device.isCurrent else { return }
        try await player.chooseDevice(device.name)
        note(.output)
    }
}
