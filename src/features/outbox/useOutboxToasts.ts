import type { OutboxActions, WaitReason } from '#request/call-results.ts'
import { downloadText } from '#ui/display/download-text.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

export function useOutboxToasts() {
  const { t } = useTranslation('outbox')
  const showNote = (text: string) => showToast({ kind: 'note', text })
  return {
    showNote,
    /** Shown if the entry is no longer in the outbox. */
    showFailure: () => showNote(t('toast.failed')),
    showDropOutcome: (outcome: Awaited<ReturnType<OutboxActions['drop']>>) =>
      showNote(t(outcome === 'unknown' ? 'toast.failed' : `toast.${outcome}`)),
    /** Shown after an attempt if the entry still waits for the connection or for the user's login. */
    showWaitReason(reason: WaitReason | null) {
      if (reason?.kind === 'line') showNote(t('toast.noLine'))
      if (reason?.kind === 'sign in') showNote(t('why.sign in'))
    },
    saveExport(text: string, name: string) {
      const file = `${name}-${new Date().toISOString().slice(0, 16).replace(/[:T]/g, '-')}.json`
      downloadText(text, file, 'application/json')
      showToast({ kind: 'done', text: t('toast.exported', { file }) })
    },
  }
}
