import AVFoundation
import Combine
import UIKit

protocol PlayerDelegate {
    optional func ended()
}

struct Value {
    func observe(_ other: NSObject) {
        NotificationCenter.default.addObserver(
            other, selector: #selector(Left.moved), name: nil, object: nil)
    }
}

class Left: NSObject {
    var progress = 0.0
    weak var button: UIButton!

    func set(path: String, player: AVPlayer, selector: Selector) {
        button.addTarget(self, action: #selector(moved), for: .touchUpInside)
        player.addObserver(button, forKeyPath: path, options: [], context: nil)
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
        NotificationCenter.default.addObserver(
            self, selector: #selector(gone), name: nil, object: nil)
        Timer.scheduledTimer(
            timeInterval: 1, target: self, selector: #selector(moved), userInfo: ["a": 1],
            repeats: false)
        let list = [#selector(moved)]
        print(list)
    }

    static func observe() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(moved), name: nil, object: nil)
    }

    func moved() {}
}

extension UIViewController {
    func follow() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(resized), name: nil, object: nil)
    }

    func resized() {}
}
