import ProviderKit
import PushModel
import ServiceKit
import Signing
import Topics

/// Sends pushes to browsers for one app: each encrypted for its browser, to the push service that the browser named.
final class WebPushGateway: OriginGateway {
    /// So many are encrypted before they are sent, so that a large batch is on its way while its rest is encrypted, and
    /// so that other work of the process gets its turn in between.
    private static let portion = 64

    private let tokens: VAPIDTokens
    private let services: PushServices
    let gate: OriginGate
    private let time: any TimeSource

    init(tokens: VAPIDTokens, services: PushServices, gate: OriginGate, time: any TimeSource) {
        self.tokens = tokens
        self.services = services
        self.gate = gate
        self.time = time
    }

    func send(_ pushes: [Push], to origin: PushOrigin) async -> [PushOutcome] {
        guard origin.scheme == .https else { return pushes.map { _ in .unsendable("InsecureAddress") } }
        do throws(SigningError) {
            return try await sendSigned(pushes, to: origin)
        } catch {
            return pushes.map { _ in .notSent(error.message) }
        }
    }

    /// Pushes whose token is refused are sent once more with the next one.
    private func sendSigned(_ pushes: [Push], to origin: PushOrigin) async throws(SigningError) -> [PushOutcome] {
        var token = try tokens.token(for: origin)
        var outcomes = await attempt(pushes, to: origin, with: token)
        let refused = outcomes.indices.filter { outcomes[$0].isUnauthorized }
        guard !refused.isEmpty else { return outcomes }
        if let next = try tokens.replacement(of: token, for: origin) {
            let again = await attempt(refused.map { pushes[$0] }, to: origin, with: next)
            for (position, outcome) in zip(refused, again) { outcomes[position] = outcome }
            token = next
        }
        // Anybody may register a device at a server of their own, or under another key: neither may halt the app.
        guard !services.areLarge(origin) || tokens.isAccepted(token, by: origin) else { return outcomes }
        return outcomes.map { $0.concerningDevice }
    }

    private func attempt(
        _ pushes: [Push], to origin: PushOrigin, with token: VAPIDTokens.Token
    ) async -> [PushOutcome] {
        let now = time.now
        var form = WebPushForm(token: token, origin: origin, now: now)
        return await withTaskGroup(of: ([Int], [PushOutcome]).self) { group in
            var outcomes = pushes.map { _ in PushOutcome.notSent("") }
            for portion in pushes.indices.chunks(of: WebPushGateway.portion) {
                var (positions, requests): ([Int], [WebPushRequest]) = ([], [])
                for position in portion {
                    switch form.make(pushes[position]) {
                    case .obstacle(let outcome): outcomes[position] = outcome
                    case .request(let request):
                        positions.append(position)
                        requests.append(request)
                    }
                }
                guard !requests.isEmpty else { continue }
                group.addTask { [positions, requests, services] in
                    (positions, await services.send(requests, to: origin, now: now))
                }
                await Task.yield()
            }
            for await (positions, answers) in group {
                for (position, answer) in zip(positions, answers) { outcomes[position] = answer }
            }
            if outcomes.contains(where: \.isDelivered) { tokens.noteAccepted(token, by: origin) }
            return outcomes
        }
    }
}

extension PushOutcome {
    fileprivate var isDelivered: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .delivered
    }

    fileprivate var isUnauthorized: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.verdict == .refreshAuthorization
    }

    /// A refused token counts as a failure of the device and not of the app.
    fileprivate var concerningDevice: PushOutcome {
        guard case .answered(let answer) = self, answer.verdict == .refreshAuthorization else { return self }
        return .answered(ProviderAnswer(.suspectDevice, reason: answer.reason, status: answer.status))
    }
}
