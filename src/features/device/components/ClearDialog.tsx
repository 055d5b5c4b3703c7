import { useState } from 'react'
import { localProblem, type Problem } from '#contract/problem.ts'
import { clearCache } from '#local/space/clear-cache.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

/** Says what goes, and what in no case goes (C-16). */
export function ClearDialog({
  waiting,
  isOnline,
  onClose,
}: {
  waiting: number
  isOnline: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('device')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function clear() {
    setBusy(true)
    const isDone = await clearCache().catch(() => false)
    setBusy(false)
    if (!isDone) return setProblem(localProblem('STORAGE_FAILED'))
    showToast({ kind: 'done', text: t('clear.done') })
    onClose()
  }
  const act = (
    <Button kind="danger" icon="remove" busy={busy} onClick={() => void clear()}>
      {t('clear.confirm')}
    </Button>
  )
  return (
    <Dialog open title={t('clear.title')} onClose={onClose} act={act} cancel={t('clear.cancel')}>
      <div className="form">
        <ProblemNote problem={problem} focus />
        <p>{t('clear.text')}</p>
        {!isOnline && <p className="device-warning">{t('clear.offline')}</p>}
        <p>{waiting > 0 ? t('clear.keepsWaiting', { count: waiting }) : t('clear.keeps')}</p>
      </div>
    </Dialog>
  )
}
