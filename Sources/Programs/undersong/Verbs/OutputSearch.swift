import UndersongBackground
import UndersongCommandOptions
import UndersongControl

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
    /// or port contains all of the words, in upper or lower case. What is not found is returned as it
    /// is: its device may come later. Errors: there are several.
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
