import Apps
import CommandKit
import Glibc

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
            Results.self, Reports.self, Feedback.self,
            TopicsList.self, TopicsCreate.self,
            DeadList.self, DeadShow.self, DeadReplay.self,
            Rebuild.self, ImportPushd.self, Completion.self,
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
        exitCodes: TaskExitCode.meanings + [
            ExitCodeMeaning(
                ImportPushd.leftOut, of: "import pushd", meaning: "anything was left out, as the report says"),
            ExitCodeMeaning(
                128 + SIGINT, of: "up", meaning: "a second Ctrl-C ended it at once; after SIGTERM \(128 + SIGTERM)"),
        ],
        files: [
            ManualFile(
                "carillon-data",
                meaning: "Data folder of carillon up in the current folder, unless --data names another."),
            ManualFile("/var/lib/carillon", meaning: "Data folder of the pipeline of the Debian package."),
            ManualFile(
                "carillon-data/up.json",
                meaning: "Addresses of the running carillon up, from which other commands read the URL and the key."),
            ManualFile("carillon-data/apps", meaning: "App files of carillon up."),
            ManualFile("carillon-data/logs", meaning: "Logs of the programs that carillon up runs."),
        ],
        choosingBus: { context, arguments in try context.choosingBus(arguments) })
}
