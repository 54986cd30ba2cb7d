import Foundation
import Synchronization

/// Those who observe one object: knows who depends on which of its properties.
public final class KeyValueObservers: Sendable {
    /// Notes what is read while a key path is evaluated, so that it is known what its value depends
    /// on.
    final class Reading: Sendable {
        @TaskLocal static var current: Reading?

        private let reads = Mutex<[(observers: KeyValueObservers, property: String)]>([])

        fileprivate func note(_ observers: KeyValueObservers, _ property: String) {
            reads.withLock { $0.append((observers, property)) }
        }

        /// What was read.
        var dependencies: [(observers: KeyValueObservers, property: String)] {
            reads.withLock { $0 }
        }
    }

    private struct Dependent: Sendable {
        let observation: any KeyPathObserving
        var properties: Set<String>
    }

    private let dependents = Mutex<[ObjectIdentifier: Dependent]>([:])

    init() {}

    /// A property is being read.
    func access(_ property: String) { Reading.current?.note(self, property) }

    /// Properties have been set anew.
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

/// An observation, whatever it observes.
protocol KeyPathObserving: AnyObject, Sendable {
    /// Something that its value depends on has been set.
    func changed()
    /// Ends it.
    func invalidate()
}

/// Observes the value of one key path and hands every change to a handler.
///
/// Unchecked because the handler and the values may be of any type: the values are touched under the
/// lock, and the handler is called as its user has agreed to, on the thread of the change.
final class KeyPathObservation<Object: KeyValueObservable, Value>: KeyPathObserving,
    @unchecked Sendable
{
    private struct State {
        var value: Value?
        /// What the value depends on now.
        var sources: [KeyValueObservers] = []
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
        if options.contains(.initial) { tell(object, value, old: nil) }
    }

    func changed() {
        guard let object else { return }
        let old = lock.withLock { state.value }
        tell(object, read(object), old: old)
    }

    func invalidate() {
        let sources = lock.withLock {
            defer { state = State(isActive: false) }
            return state.sources
        }
        for source in sources { source.remove(self) }
    }

    /// Evaluates the key path and follows what its value depends on now.
    private func read(_ object: Object) -> Value {
        let reading = KeyValueObservers.Reading()
        let value = KeyValueObservers.Reading.$current.withValue(reading) {
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

    private func tell(_ object: Object, _ value: Value, old: Value?) {
        guard lock.withLock({ state.isActive }) else { return }
        handler(
            object,
            NSKeyValueObservedChange(
                kind: .setting, newValue: options.contains(.new) ? value : nil,
                oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false))
    }
}
