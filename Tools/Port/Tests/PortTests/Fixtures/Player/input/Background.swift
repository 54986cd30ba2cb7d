import Foundation

extension Player {
    @objc func wentAway(note: Notification) {
        NotificationCenter.default.post(name: Notification.Name("away"), object: self)
    }
}
