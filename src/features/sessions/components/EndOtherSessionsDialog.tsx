import { endOtherSessions } from '#contract/sessions.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'

/** Explains what is lost. The button that changes nothing has the focus (C-16, A-10). */
export function EndOtherSessionsDialog({ onClose, onEnded }: { onClose: () => void; onEnded: () => void }) {
  const { t } = useTranslation('sessions')
  const { run, isBusy, problem } = useAction(endOtherSessions)
  async function endSessions() {
    const result = await run({})
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: t('othersEnded') })
    onEnded()
    onClose()
  }
  const confirmButton = (
    <Button kind="danger" isBusy={isBusy} onClick={() => void endSessions()}>
      {t('endOthers')}
    </Button>
  )
  return (
    <Dialog open title={t('others.title')} onClose={onClose} action={confirmButton} cancel={t('others.keep')}>
      <div className="form">
        <ProblemNote problem={problem} title={t('failed')} shouldFocus />
        <p>{t('others.text')}</p>
      </div>
    </Dialog>
  )
}
