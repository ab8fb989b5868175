{{- /* The name of one of the release's things, of which Kubernetes takes 63 characters. */ -}}
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

{{- /* Numbers as JSON has them: Go alone would print 2e+06. */ -}}
{{- define "carillon.environment" -}}
{{- $list := list }}
{{- range $variable, $value := . }}
{{- $list = append $list (dict "name" $variable "value" (kindIs "string" $value | ternary $value (toJson $value))) }}
{{- end }}
{{- toYaml $list }}
{{- end }}

{{- /* What every pod has, whatever runs in it. */ -}}
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

{{- /* Secrets are files for the pod's group alone: a pepper that others may read is complained of. */ -}}
{{- define "carillon.secretVolume" -}}
- name: {{ .name }}
  secret: { secretName: {{ .secret }}, defaultMode: 0440 }
{{- end }}
