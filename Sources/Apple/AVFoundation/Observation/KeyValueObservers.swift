import Foundation
import Synchronization

extension NSKeyValueObservation {
    /// The observers of one object, with the properties that each depends on.
    public final class Observers: Sendable {
        /// Records the properties read while a key path is evaluated: its value depends on them.
        final class Reading: Sendable {
            @TaskLocal static var current: Reading?

            private let reads = Mutex<[(observers: Observers, property: String)]>([])

            fileprivate func note(_ observers: Observers, _ property: String) {
                reads.withLock { $0.append((observers, property)) }
            }

            /// The properties read.
            var dependencies: [(observers: Observers, property: String)] {
                reads.withLock { $0 }
            }
        }

        private struct Dependent: Sendable {
            let observation: any KeyPathObserving
            var properties: Set<String>
        }

        private let dependents = Mutex<[ObjectIdentifier: Dependent]>([:])

        init() {}

        /// Records that a property is being read.
        func access(_ property: String) { Reading.current?.note(self, property) }

        /// Reports that properties have been set.
        func changed(_ properties: some Sequence<String>) {
            let observations = dependents.withLock { dependents in
                dependents.values.filter { !$0.properties.isDisjoint(with: properties) }
            }.map(\.observation)
            for observation in observations { observation.changed() }
        }

        func add(_ observation: any KeyPathObserving, on property: String) {
            dependents.withLock { dependents in
                let id = ObjectIdentifier(observation)
                let known = dependents[id] ?? Dependent(observation: observation, properties: [])
                dependents[id] = known
                dependents[id]?.properties.insert(property)
            }
        }

        func remove(_ observation: any KeyPathObserving) {
            dependents.withLock { $0[ObjectIdentifier(observation)] = nil }
        }
    }
}

/// An observation of any key path.
protocol KeyPathObserving: AnyObject, Sendable {
    /// Reports that a property on which the value depends has been set.
    func changed()
    /// Ends the observation.
    func invalidate()
}

/// Observes the value of one key path and passes every change to a handler.
///
/// Unchecked because the handler and the values may be of any type: the values are accessed under
/// the lock, and the handler is called, as documented, on the thread of the change.
final class KeyPathObservation<Object: NSKeyValueObservation.Observable, Value>:
    KeyPathObserving, @unchecked Sendable
{
    private struct State {
        var value: Value?
        /// The objects on which the value depends now.
        var sources: [NSKeyValueObservation.Observers] = []
        var isActive = true
    }

    private weak var object: Object?
    private let keyPath: KeyPath<Object, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
    private let lock = NSLock()
    private var state = State()

    init(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
    }

    func start() {
        guard let object else { return }
        let value = read(object)
        if options.contains(.initial) { notify(object, value, old: nil) }
    }

    func changed() {
        guard let object else { return }
        let old = lock.withLock { state.value }
        notify(object, read(object), old: old)
    }

    func invalidate() {
        let sources = lock.withLock {
            defer { state = State(isActive: false) }
            return state.sources
        }
        for source in sources { source.remove(self) }
    }

    /// Evaluates the key path and records what its value depends on now.
    private func read(_ object: Object) -> Value {
        let reading = NSKeyValueObservation.Observers.Reading()
        let value = NSKeyValueObservation.Observers.Reading.$current.withValue(reading) {
            object[keyPath: keyPath]
        }
        let dependencies = reading.dependencies
        let sources = dependencies.map(\.observers)
        let old = lock.withLock {
            guard state.isActive else { return sources }
            defer { (state.value, state.sources) = (value, sources) }
            for (observers, property) in dependencies { observers.add(self, on: property) }
            return state.sources.filter { source in !sources.contains { $0 === source } }
        }
        for source in old { source.remove(self) }
        return value
    }

    private func notify(_ object: Object, _ value: Value, old: Value?) {
        guard lock.withLock({ state.isActive }) else { return }
        handler(
            object,
            NSKeyValueObservedChange(
                kind: .setting, newValue: options.contains(.new) ? value : nil,
                oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false))
    }
}
