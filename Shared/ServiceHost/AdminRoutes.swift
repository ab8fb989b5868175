import HTTPServer
import ServiceKit

/// The routes for operators and orchestrators: `/healthz`, `/readyz` and `/metrics`.
struct AdminRoutes {
    let health: Health
    let metrics: Metrics

    var router: HTTPRouter {
        var router = HTTPRouter()
        // Answered even while handlers keep all other threads busy: a restart would lose their work.
        router.answerImmediately(.get, pattern: "/healthz") { _ in
            let stalled = health.stalledLoops()
            return AdminRoutes.answer(isGood: stalled.isEmpty, names: ["status", "stalled"], reasons: stalled)
        }
        router.on(.get, pattern: "/readyz") { _ in
            let obstacles = await health.obstacles()
            return AdminRoutes.answer(
                isGood: obstacles.isEmpty, names: ["status", "reasons"], reasons: obstacles, remarks: health.remarks())
        }
        router.on(.get, pattern: "/metrics") { _ in
            HTTPResponse(
                .ok, headers: [HTTPField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                body: .bytes(Array(metrics.exposition().utf8)))
        }
        return router
    }

    private static func answer(
        isGood: Bool, names: [String], reasons: [String], remarks: [String] = []
    ) -> HTTPResponse {
        let body = JSONText.object { json in
            json.member(names[0], isGood ? "ok" : "failing")
            if !isGood { json.member(names[1], json: JSONText.array(reasons)) }
            if !remarks.isEmpty { json.member("remarks", json: JSONText.array(remarks)) }
        }
        return .json(body + "\n", status: isGood ? .ok : .serviceUnavailable)
    }
}
