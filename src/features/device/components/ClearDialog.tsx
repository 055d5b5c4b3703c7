import { useState } from 'react'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import { clearCache } from '#local/space/clear-cache.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

/** Explains what is deleted, and what is never deleted (C-16). */
export function ClearDialog({
  waitingCount,
  isOnline,
  onClose,
}: {
  waitingCount: number
  isOnline: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('device')
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function clear() {
    setIsBusy(true)
    const isDone = await clearCache().catch(() => false)
    setIsBusy(false)
    if (!isDone) return setProblem(createLocalProblem('STORAGE_FAILED'))
    showToast({ kind: 'done', text: t('clear.done') })
    onClose()
  }
  const confirmButton = (
    <Button kind="danger" icon="remove" isBusy={isBusy} onClick={() => void clear()}>
      {t('clear.confirm')}
    </Button>
  )
  return (
    <Dialog open title={t('clear.title')} onClose={onClose} action={confirmButton} cancel={t('clear.cancel')}>
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>{t('clear.text')}</p>
        {!isOnline && <p className="device-warning">{t('clear.offline')}</p>}
        <p>{waitingCount > 0 ? t('clear.keepsWaiting', { count: waitingCount }) : t('clear.keeps')}</p>
      </div>
    </Dialog>
  )
}
