import { useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { fetchCalendar, endCalendar, renewCalendar } from '#features/orders/dialogs/calendar.ts'

/** The own address for calendar programs: made, shown once, renewed, ended. */
export function CalendarDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('orders')
  const { since, url, isEnded, problem, isBusy, renew, end } = useCalendar()
  const actions = (
    <>
      {since !== undefined && (
        <Button kind="primary" icon="calendar" isBusy={isBusy} onClick={() => void renew()}>
          {t(since || url ? 'calendar.renew' : 'calendar.make')}
        </Button>
      )}
      {since && (
        <Button kind="danger" isBusy={isBusy} onClick={() => void end()}>
          {t('calendar.end')}
        </Button>
      )}
    </>
  )
  return (
    <Dialog
      open
      title={t('calendar.title')}
      onClose={onClose}
      action={actions}
      cancel={t('calendar.close')}
      shouldFocusCancel
    >
      <div className="form">
        <ProblemNote problem={problem} shouldFocus />
        <p>{t('calendar.text')}</p>
        <p className="field-help">{t('calendar.secret')}</p>
        {since === undefined && !problem && <Skeleton lines={1} />}
        <div role="status">
          {url && (
            <div className="order-calendar">
              <strong>{t('calendar.made')}</strong>
              <CopyText text={url} />
              <a href={url.replace(/^https?:/, 'webcal:')}>{t('calendar.webcal')}</a>
            </div>
          )}
          {!url && since && <p>{t('calendar.since', { since })}</p>}
          {isEnded && <p>{t('calendar.ended')}</p>}
        </div>
      </div>
    </Dialog>
  )
}

interface CalendarState {
  /** Null: there is none; undefined: not known yet. */
  since: string | null | undefined
  /** Just made. */
  url: string | null
  isEnded: boolean
  problem: Problem | null
}

function useCalendar() {
  const dispatch = useDispatch()
  const [state, setState] = useState<CalendarState>({ since: undefined, url: null, isEnded: false, problem: null })
  const [isBusy, setIsBusy] = useState(false)
  const updateState = (changes: Partial<CalendarState>) =>
    setState((previous) => ({ ...previous, problem: null, ...changes }))
  useEffect(() => {
    let isActive = true
    void dispatch(fetchCalendar()).then((result) => {
      if (!isActive) return
      if (result.kind === 'fresh') updateState({ since: result.output.since })
      if (result.kind === 'problem') updateState({ problem: result.problem })
    })
    return () => void (isActive = false)
  }, [dispatch])
  async function renewAddress() {
    setIsBusy(true)
    const result = await dispatch(renewCalendar())
    setIsBusy(false)
    if (result.kind === 'fresh') updateState({ url: result.output.url, isEnded: false })
    if (result.kind === 'problem') updateState({ problem: result.problem })
  }
  async function endAddress() {
    setIsBusy(true)
    const result = await dispatch(endCalendar())
    setIsBusy(false)
    updateState(result.kind === 'problem' ? { problem: result.problem } : { since: null, url: null, isEnded: true })
  }
  return { ...state, isBusy, renew: renewAddress, end: endAddress }
}
