import { useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { askCalendar, endCalendar, renewCalendar } from '#features/orders/dialogs/calendar.ts'

/** The own address for calendar programs: made, shown once, renewed, ended. */
export function CalendarDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('orders')
  const { since, url, ended, problem, busy, renew, end } = useCalendar()
  const act = (
    <>
      {since !== undefined && (
        <Button kind="primary" icon="calendar" busy={busy} onClick={() => void renew()}>
          {t(since || url ? 'calendar.renew' : 'calendar.make')}
        </Button>
      )}
      {since && (
        <Button kind="danger" busy={busy} onClick={() => void end()}>
          {t('calendar.end')}
        </Button>
      )}
    </>
  )
  return (
    <Dialog open title={t('calendar.title')} onClose={onClose} act={act} cancel={t('calendar.close')} careful>
      <div className="form">
        <ProblemNote problem={problem} focus />
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
          {ended && <p>{t('calendar.ended')}</p>}
        </div>
      </div>
    </Dialog>
  )
}

interface Known {
  /** Null: there is none; undefined: not known yet. */
  since: string | null | undefined
  /** Just made. */
  url: string | null
  ended: boolean
  problem: Problem | null
}

function useCalendar() {
  const dispatch = useDispatch()
  const [known, setKnown] = useState<Known>({ since: undefined, url: null, ended: false, problem: null })
  const [busy, setBusy] = useState(false)
  const learn = (some: Partial<Known>) => setKnown((before) => ({ ...before, problem: null, ...some }))
  useEffect(() => {
    let counts = true
    void dispatch(askCalendar()).then((result) => {
      if (!counts) return
      if (result.kind === 'fresh') learn({ since: result.output.since })
      if (result.kind === 'problem') learn({ problem: result.problem })
    })
    return () => void (counts = false)
  }, [dispatch])
  async function renew() {
    setBusy(true)
    const result = await dispatch(renewCalendar())
    setBusy(false)
    if (result.kind === 'fresh') learn({ url: result.output.url, ended: false })
    if (result.kind === 'problem') learn({ problem: result.problem })
  }
  async function end() {
    setBusy(true)
    const result = await dispatch(endCalendar())
    setBusy(false)
    learn(result.kind === 'problem' ? { problem: result.problem } : { since: null, url: null, ended: true })
  }
  return { ...known, busy, renew, end }
}
