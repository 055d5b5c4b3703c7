import type { PriceRow } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { RefusalNote } from '#features/prices/faults/RefusalNote.tsx'
import { reinstateList } from '#features/prices/slice.ts'

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  today: string
  onClose: () => void
  onDone: () => void
}

/** Makes a withdrawn list count again, or says why it cannot. */
export function ReinstateDialog({ overlaidRow, today, onClose, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { t: tUi } = useTranslation('ui')
  const { run, isBusy, problem } = useAction(reinstateList)
  const { desc, effective_date: day } = overlaidRow.row
  const laterList = problem && parseLaterList(problem)

  async function confirm() {
    const result = await run(overlaidRow)
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: tUi('message.done', { action: t('act.reinstate') }) })
    onDone()
  }
  return (
    <Dialog
      open
      title={t('reinstate.title', { day })}
      onClose={onClose}
      action={
        <Button kind="primary" isBusy={isBusy} onClick={() => void confirm()}>
          {t('act.reinstate')}
        </Button>
      }
      cancel={t('reinstate.keep')}
    >
      <div className="price-confirm">
        {laterList ? (
          <p className="price-warning" role="alert">
            {t('reinstate.laterInForce', laterList)}
          </p>
        ) : (
          <RefusalNote problem={problem} refusedText={t('reinstate.refused')} failureTitle={t('reinstate.failed')} />
        )}
        <p>{t('reinstate.text', { desc })}</p>
        <p>{t(day <= today ? 'confirm.now' : 'confirm.later', { day })}</p>
      </div>
    </Dialog>
  )
}

function parseLaterList({ data }: Problem): { day: string; desc: string } | null {
  const details = data as { why?: unknown; effective_date?: unknown; desc?: unknown } | null | undefined
  if (details?.why !== 'laterInForce') return null
  return { day: String(details.effective_date), desc: String(details.desc) }
}
