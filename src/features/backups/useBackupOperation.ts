import { backupFaults } from '#contract/backups.ts'
import type { Problem } from '#contract/problem.ts'
import { useLongRequest } from '#state/use-long-request.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { startBackupOperation, type BackupOperation } from '#features/backups/slice.ts'

interface BackupOperationOptions {
  /** What is said at its good end, and at a bad one for a reason. */
  doneText: string
  formatFailure: (reason: string) => string
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to an end while its page stood. */
  onEnded: () => void
}

/** One backup or restore; what it comes to is told at the edge of the window. */
export const useBackupOperation = ({ doneText, formatFailure, onStarted, onEnded }: BackupOperationOptions) =>
  useLongRequest<BackupOperation>(
    (operation, intent) => startBackupOperation(operation, intent, onStarted),
    (result) => {
      if (result.kind === 'problem') showToast({ kind: 'failed', text: formatFailure(formatReason(result.problem)) })
      else showToast({ kind: 'done', text: doneText })
      onEnded()
    },
  )

/** What failed at the place of the backups or at the host is said in its own words. */
function formatReason(problem: Problem): string {
  const reason = (problem.data as { why?: string } | null)?.why
  const fault = backupFaults.find((candidate) => candidate === reason)
  return fault ? i18n.t(`fault.${fault}`, { ns: 'backups' }) : formatProblem(problem)
}
