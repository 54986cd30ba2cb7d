/// The commands for partitions, of which there is one, and for neighbours, of which there are none.
extension MPDCommand {
    static let partitions = [
        MPDCommand("delpartition", since: Version(22), .admin, 1...1) { _, _, arguments, _ in
            try checkName(arguments[0])
            guard arguments[0] == "default" else {
                throw MPDError(.noExist, "no such partition")
            }
            throw MPDError(.unknown, "cannot delete the default partition")
        },
        MPDCommand("listneighbors", since: Version(18), .read, 0...0) { _, _, _, _ in
            throw MPDError(.unknown, "No neighbor plugin configured")
        },
        MPDCommand("listpartitions", since: Version(22), .read, 0...0) { _, _, _, reply in
            reply.add("partition", "default")
        },
        MPDCommand("newpartition", since: Version(22), .admin, 1...1) { _, _, arguments, _ in
            try checkName(arguments[0])
            guard arguments[0] != "default" else {
                throw MPDError(.exist, "name already exists")
            }
            throw MPDError(.unknown, "too many partitions")
        },
        MPDCommand("partition", since: Version(22), .read, 1...1) { _, _, arguments, _ in
            guard arguments[0] == "default" else {
                throw MPDError(.noExist, "partition does not exist")
            }
        },
    ]

    private static func checkName(_ name: String) throws(MPDError) {
        guard !name.isEmpty,
            name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || [0x2d, 0x5f].contains($0) })
        else { throw MPDError(.argument, "bad name") }
    }
}
