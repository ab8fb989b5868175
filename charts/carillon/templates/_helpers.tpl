{{- /* The name of a resource of the release; Kubernetes allows 63 characters. */ -}}
{{- define "carillon.name" -}}
{{- $suffix := printf "-%s" .name -}}
{{ trunc (int (sub 63 (len $suffix))) .root.Release.Name | trimSuffix "-" }}{{ $suffix }}
{{- end }}

{{- define "carillon.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "carillon.labels" -}}
{{ include "carillon.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- /* Numbers in JSON format: Go would print 2e+06. */ -}}
{{- define "carillon.environment" -}}
{{- $list := list }}
{{- range $variable, $value := . }}
{{- $list = append $list (dict "name" $variable "value" (kindIs "string" $value | ternary $value (toJson $value))) }}
{{- end }}
{{- toYaml $list }}
{{- end }}

{{- /* Settings of every pod. */ -}}
{{- define "carillon.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.Values.pods $field }}
{{ $field }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "carillon.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* Only the pod's group can read secret files: ingest-api warns of a pepper that others can read. */ -}}
{{- define "carillon.secretVolume" -}}
- name: {{ .name }}
  secret: { secretName: {{ .secret }}, defaultMode: 0440 }
{{- end }}
