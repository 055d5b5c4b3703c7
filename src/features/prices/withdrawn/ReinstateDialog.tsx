import { useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import { fieldProblems, localProblem, type Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { FaultList } from '#features/prices/faults/FaultList.tsx'
import { reinstate } from '#features/prices/slice.ts'

interface Props {
  opened: OverlaidRow<PriceRow>
  today: string
  onClose: () => void
  onDone: () => void
}

/** Makes a withdrawn list count again, or says why it cannot. */
export function ReinstateDialog({ opened, today, onClose, onDone }: Props) {
  const { t } = useTranslation('prices')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { desc, effective_date: day } = opened.row
  const faults = problem ? (fieldProblems(problem) as AnyProblem[]) : []
  const later = problem && laterListIn(problem)

  async function confirm() {
    setBusy(true)
    const result = await dispatch(reinstate(opened)).catch(() => null)
    setBusy(false)
    if (!result || result.kind === 'problem') return setProblem(result?.problem ?? localProblem('OFFLINE'))
    showToast({ kind: 'done', text: words('message.done', { action: t('act.reinstate') }) })
    onDone()
  }
  return (
    <Dialog
      open
      title={t('reinstate.title', { day })}
      onClose={onClose}
      act={
        <Button kind="primary" busy={busy} onClick={() => void confirm()}>
          {t('act.reinstate')}
        </Button>
      }
      cancel={t('reinstate.keep')}
    >
      <div className="price-confirm">
        {later ? (
          <p className="price-warning" role="alert">
            {t('reinstate.laterInForce', later)}
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

function laterListIn({ data }: Problem): { day: string; desc: string } | null {
  const said = data as { why?: unknown; effective_date?: unknown; desc?: unknown } | null | undefined
  if (said?.why !== 'laterInForce') return null
  return { day: String(said.effective_date), desc: String(said.desc) }
}
