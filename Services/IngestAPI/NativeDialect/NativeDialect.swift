import Apps
import HTTPServer

/// The API under `/v1`, to which every dialect maps.
struct NativeDialect: Dialect {
    let tasks: TaskRoutes
    let batches: TaskBatchRoutes
    let activities: ActivityRoutes
    let activityTokens: ActivityTokenRoutes
    let audiences: AudienceRoutes
    let devices: DeviceRoutes
    let users: UserRoutes
    let receipts: ReceiptRoutes
    let moments: MomentRoutes
    let statistics: StatisticsRoutes
    let campaigns: CampaignRoutes
    let deviceTasks: DeviceTaskRoutes
    let tickets: StreamTicketRoutes
    let topics: TopicRoutes
    let deadLetters: DeadLetterRoutes
    let app: AppRoutes
    let webPushKey: WebPushKeyRoutes
    let live: LiveRoutes
    let log: RefusalLog

    var routes: [DialectRoute] {
        taskRoutes + activities.routes + activityTokens.routes + audiences.routes + devices.routes + users.routes
            + tickets.routes + topics.routes
            + webPushKey.routes + live.routes + deadLetters.routes + app.routes
    }

    private var taskRoutes: [DialectRoute] {
        let publishing: [Scope] = [.publish, .broadcast]
        return [
            DialectRoute(
                method: .post, pattern: "/v1/tasks", scopes: publishing, query: ["dry_run"],
                bodyBytesMaximum: TaskLimits.bodyBytesMaximum, handler: .appInPath(tasks.create)),
            DialectRoute(
                method: .post, pattern: "/v1/tasks/batch", scopes: publishing, query: [],
                bodyBytesMaximum: TaskBatchForm.bodyBytesMaximum, handler: .appInPath(batches.create)),
            DialectRoute(
                method: .post, pattern: "/v1/previews", scopes: publishing, query: [],
                bodyBytesMaximum: TaskLimits.bodyBytesMaximum, handler: .appInPath(tasks.preview)),
            DialectRoute(
                method: .get, pattern: "/v1/tasks", scopes: [.read], query: ["limit", "before", "state"],
                handler: .appInPath(tasks.list)),
            DialectRoute(
                method: .get, pattern: "/v1/tasks/:id", scopes: [.read], query: [], handler: .appInPath(tasks.read)),
            DialectRoute(
                method: .get, pattern: "/v1/tasks/:id/content", scopes: [.read], query: [],
                handler: .appInPath(tasks.content)),
            DialectRoute(
                method: .get, pattern: "/v1/tasks/:id/report", scopes: [.read], query: [],
                handler: .appInPath(tasks.report)),
            DialectRoute(
                method: .get, pattern: "/v1/tasks/:id/devices/:device", scopes: [.read], query: [],
                handler: .appInPath(tasks.trace)),
            DialectRoute(
                method: .post, pattern: "/v1/tasks/:id/cancel", scopes: publishing + [.admin], query: [],
                handler: .appInPath(tasks.cancel)),
            DialectRoute(
                method: .post, pattern: "/v1/receipts", scopes: [.register], query: [], allowsPublicKeys: true,
                bodyBytesMaximum: ReceiptRoutes.bodyBytesMaximum, handler: .appInPath(receipts.create)),
            DialectRoute(
                method: .post, pattern: "/v1/moments", scopes: [.register, .publish], query: [],
                allowsPublicKeys: true, bodyBytesMaximum: MomentForm.bodyBytesMaximum,
                handler: .appInPath(moments.create)),
            DialectRoute(
                method: .get, pattern: "/v1/statistics", scopes: [.read], query: StatisticsQuery.parameters,
                handler: .appInPath(statistics.read)),
            DialectRoute(
                method: .get, pattern: "/v1/campaigns/:campaign", scopes: [.read], query: CampaignRoutes.parameters,
                handler: .appInPath(campaigns.read)),
            DialectRoute(
                method: .get, pattern: "/v1/devices/:device/tasks", scopes: [.read], query: [],
                handler: .appInPath(deviceTasks.list)),
        ]
    }

    func refusal(_ error: any Error) -> HTTPResponse {
        TaskError(error, log: log).response()
    }
}
