import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Synchronization

extension HistoryRun {
    func perform(_ step: Int, of activity: ActivityPlan) async {
        switch activity.steps[step].kind {
        case .start, .update, .end: await publish(step, of: activity)
        case .report(let device, let token):
            let json = JSONObject([("token", .string(population.token(history.deviceCount + token)))])
            await report(step, of: activity, on: device) { PublisherRequest(.put, $0, json) }
        case .close(let device):
            await report(step, of: activity, on: device) { PublisherRequest(.delete, $0, JSONObject()) }
        }
    }

    private func publish(_ step: Int, of activity: ActivityPlan) async {
        guard let request = activity.request(step) else { return }
        let asked = world.loop.uptime
        await ask { publisher in
            do {
                let answer = try await publisher.send(request)
                guard let task = answer.task.map(HistoryRecord.ActivityTask.id) ?? answer.messageCode.map({ .code($0) })
                else { preconditionFailure("an answer without a task") }
                return { record in
                    record.accept(
                        HistoryRecord.ActivityStep(
                            activity: activity.number, step: step, asked: asked, answered: self.world.loop.uptime),
                        task: task)
                }
            } catch let refusal as SimulatedAPI.RefusalError where refusal.saysThatActivityHasEnded {
                return { _ in }
            }
        }
    }

    /// An app tries it as long as its device is registered.
    private func report(
        _ step: Int, of activity: ActivityPlan, on device: Int, request: (String) -> PublisherRequest
    ) async {
        let asked = world.loop.uptime
        await ask { publisher in
            let path = "/v1/devices/\(self.population.id(device))/activities/\(activity.name)"
            do {
                _ = try await publisher.send(request(path))
            } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 404 {
                return { _ in }
            }
            return { record in
                record.accept(
                    HistoryRecord.ActivityStep(
                        activity: activity.number, step: step, asked: asked, answered: self.world.loop.uptime))
            }
        }
    }
}
