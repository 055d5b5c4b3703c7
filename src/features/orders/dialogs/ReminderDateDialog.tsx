import { useState } from 'react'
import { type OrderRow, setAlertDate } from '#contract/orders.ts'
import { getFieldProblems, createLocalProblem } from '#contract/problem.ts'
import { isDate } from '#domain/plain-dates.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { showDoneToast } from '#patterns/action-toast.ts'
import { useAction } from '#state/use-action.ts'
import { useSaveBlocked } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  overlaidRow: OverlaidRow<OrderRow>
  /** The business time zone, which defines today (D31). */
  timeZone: string
  onClose: () => void
  onSaved: () => void
}

/** Sets when payment reminders start; without a date the normal schedule applies (M105, D45). Can be queued. */
export function ReminderDateDialog({ overlaidRow, timeZone, onClose, onSaved }: Props) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const { row } = overlaidRow
  const today = useToday(timeZone)
  const [date, setDate] = useState(row.alert_date ?? '')
  const [dateError, setDateError] = useState<string | null>(null)
  const { run, isBusy, problem, clearProblem } = useAction(setAlertDate)
  const [isRemoving, setIsRemoving] = useState(false)
  const isDateRefused = problem !== null && getFieldProblems(problem).some(({ field }) => field === 'alert_date')
  const saveBlock = useSaveBlocked()
  const disabledReason = saveBlock && tUi(saveBlock.reason)

  async function save(alert_date: string | null) {
    setIsRemoving(alert_date === null)
    const base = { rowVersion: getBaseVersion(overlaidRow), values: { alert_date: row.alert_date } }
    const result = await run({ body: { id: row.id, alert_date } }, { base })
    if (result.kind === 'problem') return setDateError(null)
    showDoneToast(result, t(alert_date === null ? 'alert.removed' : 'alert.updated'))
    onClose()
    onSaved()
  }

  function saveTypedDate() {
    if (isDate(date) && date >= today) return void save(date)
    setDateError(t(isDate(date) ? 'alert.past' : 'alert.required'))
  }

  const actions = (
    <>
      <Button kind="primary" isBusy={isBusy && !isRemoving} disabledReason={disabledReason} onClick={saveTypedDate}>
        {t('alert.update')}
      </Button>
      {row.alert_date && (
        <Button
          kind="danger"
          isBusy={isBusy && isRemoving}
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
          <ProblemNote problem={isDateRefused ? null : problem} title={tUi('message.updateFailed')} shouldFocus />
        )}
        <p>{t('alert.text')}</p>
        <DateField
          name="alert_date"
          label={t('field.alert')}
          min={today}
          value={date}
          error={isDateRefused ? t('alert.past') : dateError}
          onChange={(text) => {
            setDate(text)
            setDateError(null)
            if (isDateRefused) clearProblem()
          }}
        />
      </div>
    </Dialog>
  )
}
