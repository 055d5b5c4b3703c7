import { type backUp, backupFaults, type restoreBackup } from '#contract/backups.ts'
import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { useAction } from '#state/use-action.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'

interface BackupOperationOptions {
  doneText: string
  formatFailure: (reason: string) => string
  /** Called when the server has accepted the call, so that the dialog can close. */
  onStarted: () => void
  onEnded: () => void
}

export const useBackupOperation = <E extends typeof backUp | typeof restoreBackup>(
  endpoint: E,
  { doneText, formatFailure, onStarted, onEnded }: BackupOperationOptions,
) =>
  useAction(endpoint, {
    onStarted,
    onEnd(result) {
      if (result.kind === 'problem') showToast({ kind: 'failed', text: formatFailure(formatReason(result.problem)) })
      else showToast({ kind: 'done', text: doneText })
      onEnded()
    },
  })

/** Returns the text of a problem. Failures of the backup store and of the host have their own texts. */
function formatReason(problem: Problem): string {
  const fault = findRefusalReason(problem, backupFaults)
  return fault ? i18n.t(`fault.${fault}`, { ns: 'backups' }) : formatProblem(problem)
}
