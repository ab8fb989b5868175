import PushModel
import RedisClient
import Store

/// Allocates numbers to topics. The number-to-name entry and the list of segments are written before the name refers to
/// the number; a crash leaves at most an unused number.
struct TopicNames: Sendable {
    let buckets: NameBuckets
    private var redis: StoreConnection { buckets.root.redis }

    /// Returns the numbers of known topics only.
    func numbers(
        of names: [TopicName], in scope: AppScope
    ) async throws(StoreError) -> [TopicName: TopicNumber] {
        var numbers: [TopicName: TopicNumber] = [:]
        var unknown: [TopicName] = []
        for name in names {
            if let number = scope.generation.topics.number(of: name, in: scope.app) {
                numbers[name] = number
            } else {
                unknown.append(name)
            }
        }
        let replies = try await buckets.read(
            unknown.map { (bucket(of: $0, in: scope), [field(of: $0)]) }, script: RegistryScripts.lookUp)
        for (name, reply) in zip(unknown, replies) {
            guard let number = reply?.integer.flatMap(TopicNumber.init(exactly:)) else { continue }
            scope.generation.topics.note(name, number: number, in: scope.app)
            numbers[name] = number
        }
        return numbers
    }

    /// Returns the numbers of all topics; allocates missing ones. The app must have been entered.
    func intern(_ names: [TopicName], in scope: AppScope) async throws(StoreError) -> [TopicName: TopicNumber] {
        var numbers = try await numbers(of: names, in: scope)
        let unknown = Set(names).filter { numbers[$0] == nil }.sorted()
        for (name, number) in zip(unknown, try await intern(new: unknown, in: scope)) { numbers[name] = number }
        return numbers
    }

    func names(
        of numbers: [TopicNumber], in scope: AppScope
    ) async throws(StoreError) -> [TopicNumber: TopicName] {
        var names: [TopicNumber: TopicName] = [:]
        var unknown: [TopicNumber] = []
        for number in numbers {
            if let name = scope.generation.topics.name(of: number, in: scope.app) {
                names[number] = name
            } else {
                unknown.append(number)
            }
        }
        let replies = try await buckets.read(
            unknown.map { (bucket(of: $0, in: scope), [field(of: $0)]) }, script: RegistryScripts.lookUp)
        for (number, reply) in zip(unknown, replies) {
            guard let name = reply?.string.flatMap({ try? TopicName($0) }) else {
                throw redis.notReady("the name of topic \(number) of \(scope.app) is lost")
            }
            scope.generation.topics.note(name, number: number, in: scope.app)
            names[number] = name
        }
        return names
    }

    /// Allocates numbers for names that had none when they were looked up, in their order.
    private func intern(new names: [TopicName], in scope: AppScope) async throws(StoreError) -> [TopicNumber] {
        guard !names.isEmpty else { return [] }
        let id = RedisArgument(scope.generation.id)
        let own = try await newNumbers(names.count, in: scope)
        _ = try await buckets.write(
            zip(own, names).map { (bucket(of: $0, in: scope), [field(of: $0), RedisArgument($1.text)]) },
            script: RegistryScripts.reserve)
        _ = try await redis.run(
            own.map {
                ScriptCall(
                    RegistryScripts.createTopic, keys: [RegistryKeys.topicSegments(scope.app, topic: $0)],
                    arguments: [id])
            })
        let holding = try await buckets.write(
            zip(own, names).map { (bucket(of: $1, in: scope), [field(of: $1), RedisArgument(Int64($0))]) },
            script: RegistryScripts.reserve)
        var numbers: [TopicNumber] = []
        for ((name, own), reply) in zip(zip(names, own), holding) {
            guard let number = reply.integer.flatMap(TopicNumber.init(exactly:)) else {
                throw StoreError(
                    .corrupt, message: "invalid data in Redis: cannot decode a topic number of \(scope.app)")
            }
            if number != own { try await forget(own, name: name, in: scope) }
            scope.generation.topics.note(name, number: number, in: scope.app)
            numbers.append(number)
        }
        return numbers
    }

    private func newNumbers(_ count: Int, in scope: AppScope) async throws(StoreError) -> [TopicNumber] {
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.numberTopics, keys: [RegistryKeys.app(scope.app)],
                arguments: [RedisArgument(scope.generation.id), RedisArgument(count)]))
        guard let last = reply.integer, last >= Int64(count), last < 1 << 28 else {
            throw StoreError(.tooMany, message: "\(scope.app) has used all topic numbers")
        }
        return (last - Int64(count) + 1...last).map { TopicNumber($0) }
    }

    /// Releases a number after another process has numbered the topic first.
    private func forget(_ number: TopicNumber, name: TopicName, in scope: AppScope) async throws(StoreError) {
        _ = try await buckets.write(
            bucket(of: number, in: scope), script: RegistryScripts.exchange,
            arguments: [field(of: number), RedisArgument(name.text), RedisArgument([UInt8]())])
        _ = try await redis.run(
            ScriptCall(
                RegistryScripts.dropTopic, keys: [RegistryKeys.topicSegments(scope.app, topic: number)],
                arguments: [RedisArgument(scope.generation.id)]))
    }

    private func bucket(of name: TopicName, in scope: AppScope) -> NameBucket {
        let number = NameDigest(Array(name.text.utf8)).bucket(of: BucketKind.topicNameBuckets)
        return NameBucket(scope: scope, kind: .topicNames, number: number)
    }

    private func bucket(of number: TopicNumber, in scope: AppScope) -> NameBucket {
        NameBucket(scope: scope, kind: .topicNumbers, number: Int(number / BucketKind.numbersOfBucket))
    }

    /// The prefix prevents a collision with the field that holds the bucket's generation.
    private func field(of name: TopicName) -> RedisArgument {
        RedisArgument("=" + name.text)
    }

    private func field(of number: TopicNumber) -> RedisArgument {
        RedisArgument(Int64(number % BucketKind.numbersOfBucket))
    }
}
