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
            await report(step, of: activity, on: device, token: population.token(history.deviceCount + token))
        case .close(let device): await report(step, of: activity, on: device, token: nil)
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

    /// An app tries it as long as its device is registered. Nil says that the activity is over on the device.
    private func report(_ step: Int, of activity: ActivityPlan, on device: Int, token: String?) async {
        let asked = world.loop.uptime
        await ask { publisher in
            do {
                _ = try await publisher.send(request(of: activity, on: device, token: token))
            } catch let refusal as SimulatedAPI.RefusalError where refusal.saysThatDeviceIsUnknown {
                return { _ in }
            }
            return { record in
                record.accept(
                    HistoryRecord.ActivityStep(
                        activity: activity.number, step: step, asked: asked, answered: self.world.loop.uptime))
            }
        }
    }

    private func request(of activity: ActivityPlan, on device: Int, token: String?) -> PublisherRequest {
        guard activity.dialect == .native else {
            return HistoryRun.pushwooshCall(
                "setActivityToken", of: device,
                [("activity_id", activity.name), ("activity_token", token ?? "")])
        }
        let path = "/v1/devices/\(population.id(device))/activities/\(activity.name)"
        guard let token else { return PublisherRequest(.delete, path, JSONObject()) }
        return PublisherRequest(.put, path, JSONObject([("token", .string(token))]))
    }
}
