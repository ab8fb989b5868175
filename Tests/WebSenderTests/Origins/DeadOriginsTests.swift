import Bus
import Glibc
import HTTPClient
import HTTPServer
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import WebSender

/// Many servers, real sockets, and some servers that are dead.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeadOriginsTests {
    private static let origins = 4_096
    private static let refusing = 25
    private static let silent = 25

    /// Goal: dead servers hold up no push to a living one. Method: three rounds of pushes to 4,096 servers, of which 25
    /// refuse connections and 25 accept them and never answer. The limit of a request is longer than the test may take,
    /// so that it succeeds only if nothing waits for a silent server; these are released at the end.
    @Test func theLivingDoNotWaitForTheDead() async throws {
        let silent = try SilentListener()
        let living = try LivingServers()
        let refusedPort = FreePort.next()
        let time = SystemTimeSource()
        var configuration = HTTPPushConfiguration()
        configuration.traffic.deadline = .seconds(280)
        configuration.traffic.addresses = AddressPolicy(
            allowed: [try AddressRange("127.0.0.0/8"), try AddressRange("::1/128")])
        let provider = HTTPPushProvider(
            configuration, failingServers: MemoryFailingServers(time: time),
            environment: WorkerEnvironment(
                time: time, random: SystemRandomSource(), log: quietLog, metrics: Metrics(), health: Health(time: time))
        )
        let gateway = provider.gateway(HTTPPushCredentials(), content: nil, of: try AppID("bells"))
        let addresses = (0..<DeadOriginsTests.origins).map { number in
            switch number % 80 {
            case 0 where number / 80 < DeadOriginsTests.refusing: "http://down-\(number).localhost:\(refusedPort)/"
            case 40 where number / 80 < DeadOriginsTests.silent: "http://silent-\(number).localhost:\(silent.port)/"
            default: "http://push-\(number).localhost:\(living.port)/"
            }
        }
        let perRound = DeadOriginsTests.origins - DeadOriginsTests.refusing - DeadOriginsTests.silent
        let outcomes = Monitor<[PushOutcome]>([])
        var rounds: [Task<Void, Never>] = []
        for round in 1...3 {
            rounds.append(
                Task {
                    await DeadOriginsTests.send(addresses, through: gateway) { batch in
                        outcomes.change { $0 += batch }
                    }
                })
            #expect(await living.hasAnswered(perRound * round))
        }
        // Each silent server holds the one push that was sent to it first; those of later rounds were put off.
        await provider.close()
        for round in rounds { await round.value }
        let all = outcomes.withLock { $0 }
        #expect(all.count == DeadOriginsTests.origins * 3)
        #expect(all.count { $0.verdict == .delivered } == perRound * 3)
        #expect(all.count { $0.isUnknown } == DeadOriginsTests.silent)
        // A push is also put off behind one of the round before whose connection is not refused yet.
        let (notSent, putOff) = (all.count { $0.isNotSent }, all.count { $0.pause != nil })
        #expect(notSent >= DeadOriginsTests.refusing && putOff >= DeadOriginsTests.silent * 2)
        #expect(notSent + putOff == DeadOriginsTests.refusing * 3 + DeadOriginsTests.silent * 2)
        await living.stop()
    }

    /// As a sender does: batches of 64, many at the same time.
    private static func send(
        _ addresses: [String], through gateway: any PushGateway, then note: @escaping @Sendable ([PushOutcome]) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for start in stride(from: 0, to: addresses.count, by: 64) {
                let batch = Array(addresses[start..<min(start + 64, addresses.count)])
                group.addTask {
                    var rest = pushes(batch, first: start)[...]
                    while !rest.isEmpty {
                        guard case .admitted(let count) = await gateway.admit(rest.count, lane: .bulk) else { return }
                        note(await gateway.send(Array(rest.prefix(count))))
                        rest = rest.dropFirst(count)
                    }
                }
            }
        }
    }
}

extension PushOutcome {
    fileprivate var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }
}

/// One server for all names below `localhost`.
private final class LivingServers: Sendable {
    private let server: HTTPServer
    private let answered = Monitor(0)
    let port: UInt16

    init() throws {
        var router = HTTPRouter()
        router.on(.post, pattern: "/") { [answered] _ in
            answered.change { $0 += 1 }
            return HTTPResponse(.ok)
        }
        server = HTTPServer(
            configuration: HTTPServerConfiguration(), router: router, log: quietLog, metrics: Metrics())
        try server.start()
        port = try #require(server.port)
    }

    func hasAnswered(_ count: Int) async -> Bool {
        await blocking { [answered] in
            answered.wait(timeout: .hangLimit) { $0 >= count ? true : nil } ?? false
        }
    }

    func stop() async {
        await server.stop(within: .zero)
    }
}

/// A port on which the kernel accepts connections that no program reads.
private final class SilentListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 512) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
