import Foundation

extension Player {
    func wentAway(note: Notification) {
        NotificationCenter.default.post(name: Notification.Name("away"), object: self)
    }
}
