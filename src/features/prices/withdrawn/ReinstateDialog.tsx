import type { PriceRow } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { useAction } from '#state/use-action.ts'
import { useTranslation } from 'react-i18next'
import { RefusalNote } from '#features/prices/faults/RefusalNote.tsx'
import { reinstateList } from '#features/prices/slice.ts'

interface Props {
  overlaidRow: OverlaidRow<PriceRow>
  today: string
  onClose: () => void
  onDone: () => void
}

export function ReinstateDialog({ overlaidRow, today, onClose, onDone }: Props) {
  const { t } = useTranslation('prices')
  const doneText = formatDone(t('act.reinstate'))
  const { run, isBusy, problem } = withDoneToast(useAction(reinstateList), { doneText, onDone })
  const { desc, effective_date: day } = overlaidRow.row
  const laterList = problem && parseLaterList(problem)
  return (
    <ActionDialog
      title={t('reinstate.title', { day })}
      onClose={onClose}
      actionLabel={t('act.reinstate')}
      isBusy={isBusy}
      onAction={() => void run(overlaidRow)}
      cancel={t('reinstate.keep')}
      contentClass="price-confirm"
    >
      {laterList ? (
        <p className="price-warning" role="alert">
          {t('reinstate.laterInForce', laterList)}
        </p>
      ) : (
        <RefusalNote problem={problem} refusedText={t('reinstate.refused')} failureTitle={t('reinstate.failed')} />
      )}
      <p>{t('reinstate.text', { desc })}</p>
      <p>{t(day <= today ? 'confirm.now' : 'confirm.later', { day })}</p>
    </ActionDialog>
  )
}

function parseLaterList({ data }: Problem): { day: string; desc: string } | null {
  const details = data as { why?: unknown; effective_date?: unknown; desc?: unknown } | null | undefined
  if (details?.why !== 'laterInForce') return null
  return { day: String(details.effective_date), desc: String(details.desc) }
}
