import { useEffect, useState } from 'react'
import { endCalendar, getCalendar, renewCalendar } from '#contract/calendars.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

/** Creates, shows once, renews and ends the user's private address for calendar programs. */
export function CalendarDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('orders')
  const { calendar, problem, isBusy, send } = useCalendar()
  const { since, url } = calendar
  const actions = (
    <>
      {since !== undefined && (
        <Button kind="primary" icon="calendar" isBusy={isBusy} onClick={() => void send('renew')}>
          {t(since || url ? 'calendar.renew' : 'calendar.make')}
        </Button>
      )}
      {since && (
        <Button kind="danger" isBusy={isBusy} onClick={() => void send('end')}>
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
        <CalendarStatus calendar={calendar} />
      </div>
    </Dialog>
  )
}

function CalendarStatus({ calendar: { since, url, isEnded } }: { calendar: CalendarState }) {
  const { t } = useTranslation('orders')
  return (
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
  )
}

interface CalendarState {
  /** When the address was created. Undefined until the server has responded; null if the user has no address. */
  since: string | null | undefined
  /** Set only if the address was just created. The server sends it once and it is stored nowhere. */
  url: string | null
  isEnded: boolean
}

const calendarEndpoints = { find: getCalendar, renew: renewCalendar, end: endCalendar }
type CalendarCall = keyof typeof calendarEndpoints

/** State changes of each call, in addition to the fields of its response. */
const changesByCall: Record<CalendarCall, Partial<CalendarState>> = {
  find: {},
  renew: { isEnded: false },
  end: { since: null, url: null, isEnded: true },
}

function useCalendar() {
  const [calendar, setCalendar] = useState<CalendarState>({ since: undefined, url: null, isEnded: false })
  // A call whose response was lost is sent with a new intent: the response to a repeated intent contains no address.
  const { run, isBusy, problem } = useAction<CalendarCall, Partial<CalendarState> | null>((call) =>
    callEndpoint(calendarEndpoints[call], {}),
  )
  async function send(call: CalendarCall) {
    const result = await run(call)
    if (result.kind === 'fresh') setCalendar((previous) => ({ ...previous, ...changesByCall[call], ...result.output }))
  }
  useEffect(() => {
    void send('find')
    // Runs once, when the dialog opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  return { calendar, isBusy, problem, send }
}
