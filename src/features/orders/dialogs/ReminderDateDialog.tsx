import { useState } from 'react'
import { type OrderRow, setAlertDate } from '#contract/orders.ts'
import { type Problem, getFieldProblems, createLocalProblem } from '#contract/problem.ts'
import { isDate } from '#domain/plain-dates.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { useDispatch, useSaveBlocked } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import { callEndpoint } from '#state/app-thunk.ts'

interface Props {
  overlaidRow: OverlaidRow<OrderRow>
  /** The business time zone, whose today is meant (D31). */
  timeZone: string
  onClose: () => void
  onSaved: () => void
}

/** From when reminders of payment are sent; without a date by the normal schedule (M105, D45). Waits without a line. */
export function ReminderDateDialog({ overlaidRow, timeZone, onClose, onSaved }: Props) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const { row } = overlaidRow
  const today = useToday(timeZone)
  const [date, setDate] = useState(row.alert_date ?? '')
  const [dateError, setDateError] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [runningAction, setRunningAction] = useState<'update' | 'remove' | null>(null)
  const saveBlock = useSaveBlocked()
  const disabledReason = saveBlock && tUi(saveBlock.reason)

  async function save(alert_date: string | null) {
    setRunningAction(alert_date === null ? 'remove' : 'update')
    const base = { rowVersion: getBaseVersion(overlaidRow), values: { alert_date: row.alert_date } }
    const result = await dispatch(callEndpoint(setAlertDate, { body: { id: row.id, alert_date } }, { base }))
    setRunningAction(null)
    if (result.kind === 'problem') {
      const isDateProblem = getFieldProblems(result.problem).some(({ field }) => field === 'alert_date')
      setDateError(isDateProblem ? t('alert.past') : null)
      return setProblem(isDateProblem ? null : result.problem)
    }
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showToast({ kind: 'done', text: t(alert_date === null ? 'alert.removed' : 'alert.updated') })
    onClose()
    onSaved()
  }

  function saveTypedDate() {
    if (isDate(date) && date >= today) return void save(date)
    setDateError(t(isDate(date) ? 'alert.past' : 'alert.required'))
  }

  const actions = (
    <>
      <Button
        kind="primary"
        isBusy={runningAction === 'update'}
        disabledReason={disabledReason}
        onClick={saveTypedDate}
      >
        {t('alert.update')}
      </Button>
      {row.alert_date && (
        <Button
          kind="danger"
          isBusy={runningAction === 'remove'}
          disabledReason={disabledReason}
          onClick={() => void save(null)}
        >
          {t('alert.remove')}
        </Button>
      )}
    </>
  )
  return (
    <Dialog open title={t('alert.title', { code: row.code })} onClose={onClose} action={actions}>
      <div className="form">
        {saveBlock ? (
          <ProblemNote problem={createLocalProblem(saveBlock.code)} />
        ) : (
          <ProblemNote problem={problem} title={tUi('message.updateFailed')} shouldFocus />
        )}
        <p>{t('alert.text')}</p>
        <DateField
          name="alert_date"
          label={t('field.alert')}
          min={today}
          value={date}
          error={dateError}
          onChange={(text) => {
            setDate(text)
            setDateError(null)
          }}
        />
      </div>
    </Dialog>
  )
}
