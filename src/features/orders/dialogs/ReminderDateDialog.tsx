import { useState } from 'react'
import { type OrderRow, setAlertDate } from '#contract/orders.ts'
import { type Problem, fieldProblems, localProblem } from '#contract/problem.ts'
import { isDate } from '#domain/period.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import { useDispatch, useSaveBlocked } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { useToday } from '#ui/page/business-day.ts'
import { useTranslation } from 'react-i18next'
import { callEndpoint } from '#state/app-thunk.ts'

interface Props {
  shown: OverlaidRow<OrderRow>
  /** The business time zone, whose today is meant (D31). */
  zone: string
  onClose: () => void
  onSaved: () => void
}

/** From when reminders of payment are sent; without a date by the normal schedule (M105, D45). Waits without a line. */
export function AlertDate({ shown, zone, onClose, onSaved }: Props) {
  const { t } = useTranslation('contract')
  const { t: ui } = useTranslation('ui')
  const dispatch = useDispatch()
  const { row } = shown
  const today = useToday(zone)
  const [date, setDate] = useState(row.alert_date ?? '')
  const [wrong, setWrong] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState<'update' | 'remove' | null>(null)
  const blocked = useSaveBlocked()
  const whyNot = blocked && ui(blocked.reason)

  async function save(alert_date: string | null) {
    setBusy(alert_date === null ? 'remove' : 'update')
    const base = { rowVersion: versionOf(shown), values: { alert_date: row.alert_date } }
    const result = await dispatch(callEndpoint(setAlertDate, { body: { id: row.id, alert_date } }, { base }))
    setBusy(null)
    if (result.kind === 'problem') {
      const isDated = fieldProblems(result.problem).some(({ field }) => field === 'alert_date')
      setWrong(isDated ? t('alert.past') : null)
      return setProblem(isDated ? null : result.problem)
    }
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else showToast({ kind: 'done', text: t(alert_date === null ? 'alert.removed' : 'alert.updated') })
    onClose()
    onSaved()
  }

  function update() {
    if (isDate(date) && date >= today) return void save(date)
    setWrong(t(isDate(date) ? 'alert.past' : 'alert.required'))
  }

  const act = (
    <>
      <Button kind="primary" busy={busy === 'update'} whyNot={whyNot} onClick={update}>
        {t('alert.update')}
      </Button>
      {row.alert_date && (
        <Button kind="danger" busy={busy === 'remove'} whyNot={whyNot} onClick={() => void save(null)}>
          {t('alert.remove')}
        </Button>
      )}
    </>
  )
  return (
    <Dialog open title={t('alert.title', { code: row.code })} onClose={onClose} act={act}>
      <div className="form">
        {blocked ? (
          <ProblemNote problem={localProblem(blocked.code)} />
        ) : (
          <ProblemNote problem={problem} title={ui('message.updateFailed')} focus />
        )}
        <p>{t('alert.text')}</p>
        <DateField
          name="alert_date"
          label={t('field.alert')}
          min={today}
          value={date}
          error={wrong}
          onChange={(text) => {
            setDate(text)
            setWrong(null)
          }}
        />
      </div>
    </Dialog>
  )
}
