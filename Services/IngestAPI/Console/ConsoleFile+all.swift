extension ConsoleFile {
    /// Every file of the folder `Pages`.
    static let all = [
        ConsoleFile(path: "/console/activities.js", type: .javaScript, bytes: PackageResources.activities_js),
        ConsoleFile(path: "/console/api.js", type: .javaScript, bytes: PackageResources.api_js),
        ConsoleFile(path: "/console/app.js", type: .javaScript, bytes: PackageResources.app_js),
        ConsoleFile(path: "/console/audience-form.js", type: .javaScript, bytes: PackageResources.audience_form_js),
        ConsoleFile(path: "/console/audiences.js", type: .javaScript, bytes: PackageResources.audiences_js),
        ConsoleFile(path: "/console/campaigns.js", type: .javaScript, bytes: PackageResources.campaigns_js),
        ConsoleFile(path: "/console/compose.js", type: .javaScript, bytes: PackageResources.compose_js),
        ConsoleFile(path: "/console/console.css", type: .css, bytes: PackageResources.console_css),
        ConsoleFile(path: "/console", type: .html, bytes: PackageResources.console_html),
        ConsoleFile(path: "/console/devices.js", type: .javaScript, bytes: PackageResources.devices_js),
        ConsoleFile(path: "/console/dom.js", type: .javaScript, bytes: PackageResources.dom_js),
        ConsoleFile(path: "/console/fields.js", type: .javaScript, bytes: PackageResources.fields_js),
        ConsoleFile(path: "/console/format.js", type: .javaScript, bytes: PackageResources.format_js),
        ConsoleFile(path: "/console/icon.svg", type: .svg, bytes: PackageResources.icon_svg),
        ConsoleFile(path: "/console/letters.js", type: .javaScript, bytes: PackageResources.letters_js),
        ConsoleFile(path: "/console/live.js", type: .javaScript, bytes: PackageResources.live_js),
        ConsoleFile(path: "/console/main.js", type: .javaScript, bytes: PackageResources.main_js),
        ConsoleFile(path: "/console/now.js", type: .javaScript, bytes: PackageResources.now_js),
        ConsoleFile(path: "/console/parts.js", type: .javaScript, bytes: PackageResources.parts_js),
        ConsoleFile(path: "/console/pipeline.js", type: .javaScript, bytes: PackageResources.pipeline_js),
        ConsoleFile(path: "/console/previews.js", type: .javaScript, bytes: PackageResources.previews_js),
        ConsoleFile(path: "/console/scheduled.js", type: .javaScript, bytes: PackageResources.scheduled_js),
        ConsoleFile(path: "/console/task.js", type: .javaScript, bytes: PackageResources.task_js),
    ]
}
