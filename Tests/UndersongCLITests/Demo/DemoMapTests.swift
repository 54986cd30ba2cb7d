import Testing
import UndersongDemoScreen

@testable import UndersongCLI

/// The projection of the demo's map.
@Suite struct `The demo's map` {
    @Test(arguments: [(2, 4), (60, 40), (160, 80), (300, 60)])
    func `All pins are on the map`(width: Int, height: Int) throws {
        let map = try #require(DemoMap(DemoSamples.pins, width: width, height: height))

        for pin in DemoSamples.pins {
            let point = try #require(map.point(pin))
            #expect((0...Double(width - 1)).contains(point.x))
            #expect((0...Double(height - 1)).contains(point.y))
        }
    }

    @Test func `North is up, east is right, and both have the same scale`() throws {
        // At 60 degrees north a degree of longitude is half as long as one of latitude.
        let (middle, north, east) = (Self.pin(60, 10), Self.pin(60.01, 10), Self.pin(60, 10.02))
        let map = try #require(DemoMap([north, east, middle], width: 100, height: 100))

        let point = try #require(map.point(middle))
        let (up, right) = (try #require(map.point(north)), try #require(map.point(east)))

        #expect(abs(up.x - point.x) < 1e-6 && abs(right.y - point.y) < 1e-6)
        #expect(up.y < point.y && right.x > point.x)
        #expect(abs((point.y - up.y) / (right.x - point.x) - 1) < 0.01)
        // 0.01 degrees of latitude are 1112 m.
        #expect(abs((point.y - up.y) / map.scale - 1112) < 1)
    }

    @Test func `Pins on both sides of the date line are near each other`() throws {
        let pins = [Self.pin(-17, 179.999), Self.pin(-17, -179.999)]
        let map = try #require(DemoMap(pins, width: 100, height: 100))

        let points = try pins.map { try #require(map.point($0)) }

        #expect(points[0].x < points[1].x)
        #expect(abs((points[1].x - points[0].x) / map.scale - 212.7) < 1)
    }

    @Test func `One pin is in the middle, with the circle of its accuracy on the map`() throws {
        let map = try #require(DemoMap([Self.pin(10, 10, accuracy: 200)], width: 101, height: 61))
        let point = try #require(map.point(Self.pin(10, 10)))

        #expect(point == DemoMap.Point(x: 50, y: 30))
        #expect(200 * map.scale <= 30)
    }

    @Test func `Coordinates that are none are left out`() throws {
        let wrong = [Self.pin(.nan, 0), Self.pin(91, 0), Self.pin(0, .infinity)]
        let map = try #require(
            DemoMap(wrong + [Self.pin(1, 1, accuracy: .nan)], width: 50, height: 50))

        #expect(wrong.allSatisfy { map.point($0) == nil })
        #expect(map.scale.isFinite && map.scale > 0)
        #expect(DemoMap(wrong, width: 50, height: 50) == nil)
        #expect(DemoMap([], width: 50, height: 50) == nil)
        #expect(DemoMap([Self.pin(90, 0)], width: 1, height: 50) == nil)
        #expect(DemoMap([Self.pin(90, 0)], width: 50, height: 50) != nil)
    }

    @Test func `The scale is the longest round number that fits`() throws {
        let map = try #require(DemoMap(DemoSamples.pins, width: 100, height: 100))

        let length = map.length(within: 40)

        #expect(length * map.scale <= 40)
        #expect(length * map.scale > 15)
        #expect([1.0, 2, 5].contains { abs(length / 1000 - $0) < 1e-9 })
    }

    private static func pin(_ latitude: Double, _ longitude: Double, accuracy: Double = 5)
        -> DemoScreen.Pin
    {
        DemoScreen.Pin(latitude: latitude, longitude: longitude, accuracy: accuracy)
    }
}
