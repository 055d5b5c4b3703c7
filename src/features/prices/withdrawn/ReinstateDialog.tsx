import { useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import { getFieldProblems, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import type { AnyFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { FaultList } from '#features/prices/faults/FaultList.tsx'
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
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { desc, effective_date: day } = overlaidRow.row
  const faults = problem ? (getFieldProblems(problem) as AnyFieldProblem[]) : []
  const laterList = problem && parseLaterList(problem)

  async function confirm() {
    setIsBusy(true)
    const result = await dispatch(reinstateList(overlaidRow)).catch(() => null)
    setIsBusy(false)
    if (!result || result.kind === 'problem') return setProblem(result?.problem ?? createLocalProblem('OFFLINE'))
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
        ) : faults.length > 0 ? (
          <div className="price-warning" role="alert">
            <div>
              <p>{t('reinstate.refused')}</p>
              <FaultList faults={faults} />
            </div>
          </div>
        ) : (
          <ProblemNote problem={problem} title={t('reinstate.failed')} />
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
