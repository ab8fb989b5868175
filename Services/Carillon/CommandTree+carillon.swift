import Apps
import CommandKit

extension CommandTree {
    static let carillon = CommandTree(
        "carillon", purpose: "the operator's command",
        commands: [
            Up.self,
            Push.self, Watch.self, TasksList.self, TasksShow.self, TasksCancel.self, Stats.self,
            CampaignsShow.self,
            ActivitiesList.self, ActivitiesShow.self, ActivitiesDevices.self,
            ActivitiesStart.self, ActivitiesUpdate.self, ActivitiesEnd.self,
            AudiencesList.self, AudiencesShow.self, AudiencesSave.self, AudiencesRemove.self, AudiencesCount.self,
            DevicesList.self, DevicesShow.self, DevicesRemove.self, UsersShow.self, UsersRemove.self,
            SubscriptionsShow.self, SubscriptionsPurge.self,
            AppsAdd.self, AppsConnectAPNs.self, AppsConnectFCM.self, AppsConnectHuawei.self, AppsConnectWebPush.self,
            AppsKey.self, AppsWebPush.self, AppsList.self, AppsRotate.self, AppsCheck.self,
            TopicsList.self, TopicsCreate.self,
            DeadList.self, DeadShow.self, DeadReplay.self,
            Rebuild.self, ImportPushd.self,
        ],
        programs: [
            CommandProgram("bench", purpose: "measure the pipeline and its parts", program: "carillon-bench")
        ],
        variables: [
            CommandContext.busVariables,
            VariableGroup("about apps") { _ = AppsConfiguration(environment: &$0, reading: Set(AppSecret.allCases)) },
            VariableGroup("that import") { _ = ImportVariables(environment: &$0) },
            VariableGroup("about tasks, audiences, devices and users") { _ = APIVariables(environment: &$0) },
        ],
        notes: """
             Additionally for watch and
            push --watch: \(TaskExitCode.notAllDelivered) if not everything was delivered, \(TaskExitCode.cancelled) \
            if the task was cancelled. For import: \(ImportPushd.leftOut) if anything was left out.
            """,
        choosingBus: { context, arguments in try context.choosingBus(arguments) })
}
