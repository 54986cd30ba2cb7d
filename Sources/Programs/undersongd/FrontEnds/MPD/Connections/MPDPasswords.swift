/// The passwords of the clients on the network, and what each permits.
struct MPDPasswords: Sendable {
    private var permissions: [(password: [UInt8], permissions: MPDPermissions)] = []

    /// Everything is permitted without a password.
    init() {}

    /// Parses passwords with what they permit: `secret@read,add,control`. Nil if one is none.
    init?(_ texts: [String]) {
        for text in texts {
            guard let end = text.firstIndex(of: "@"), end > text.startIndex else { return nil }
            var permitted = MPDPermissions.none
            for name in text[text.index(after: end)...].split(separator: ",") {
                guard let permission = MPDPermissions.named[String(name)] else { return nil }
                permitted.formUnion(permission)
            }
            permissions.append((Array(text[..<end].utf8), permitted))
        }
    }

    /// The permissions without a password: everything if there is none.
    var permissionsWithoutPassword: MPDPermissions { permissions.isEmpty ? .all : .none }

    /// The permissions of a password; nil if it is wrong. The time does not depend on how much of it is
    /// right.
    func permissions(of password: String) -> MPDPermissions? {
        let given = Array(password.utf8)
        var found: MPDPermissions?
        for entry in permissions {
            var difference: UInt8 = given.count == entry.password.count ? 0 : 1
            for (index, byte) in entry.password.enumerated() {
                difference |= byte ^ (index < given.count ? given[index] : 0)
            }
            if difference == 0 { found = found ?? entry.permissions }
        }
        return found
    }
}
