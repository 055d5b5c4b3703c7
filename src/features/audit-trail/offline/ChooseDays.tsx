import { useEffect, useState } from 'react'
import { keepTrail, trailRange } from '#contract/audit-trail.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { addDays } from '#domain/period.ts'
import { dateIn } from '#domain/time.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { businessNow, businessZone } from '#ui/page/business-clock.ts'
import { trailsPort } from '#features/audit-trail/offline/trails.ts'

/** The earliest day that it is anywhere: whoever keeps it as the last one means that entries still come. */
const todayAnywhere = () => dateIn('Etc/GMT+12', businessNow())
const usualDays = 30

interface Props {
  companyId: number
  /** Something else is kept now. */
  replaces: boolean
  onBegun: () => void
  onCancel: (() => void) | null
}

/** The first and the last day, how much that is, and the yes. */
export function ChooseDays({ companyId, replaces, onBegun, onCancel }: Props) {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const [days, setDays] = useState(() => {
    const today = dateIn(businessZone(), businessNow())
    return { from: addDays(today, 1 - usualDays), to: today }
  })
  const [holds, setHolds] = useState(true)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const isRange = holds && days.from !== '' && days.to !== ''
  const kept = { dateFrom: days.from, dateTo: days.to }
  const missing = (day: string) => (day === '' ? t('keep.missing') : null)
  async function begin() {
    if (!isRange) return
    setBusy(true)
    setProblem(null)
    const opened = await dispatch(callEndpoint(keepTrail, { body: { companyId, ...kept } }))
    const trails = await dispatch(trailsPort())
    const ended =
      opened.kind === 'fresh' ? await trails.begin({ ...kept, today: todayAnywhere() }, opened.output) : opened
    setBusy(false)
    if (ended.kind === 'problem') return setProblem(ended.problem)
    onBegun()
  }
  return (
    <>
      <p>{t('keep.text')}</p>
      <div className="field-row">
        <DateRange
          range={days}
          names={{ from: 'dateFrom', to: 'dateTo' }}
          labels={{ from: t('keep.from'), to: t('keep.to') }}
          errors={{ from: missing(days.from), to: missing(days.to) }}
          onChange={(range) => {
            setHolds(range !== null)
            if (range) setDays(range)
          }}
        />
      </div>
      {isRange && <Size companyId={companyId} {...kept} />}
      {isRange && days.to >= todayAnywhere() && <p className="field-help">{t('keep.follows')}</p>}
      {replaces && <p className="field-help">{t('keep.replaces')}</p>}
      <ProblemNote problem={problem} title={isOffline(problem) ? undefined : t('keep.failed')} focus />
      <div className="problem-ways">
        <Button
          kind="primary"
          icon="device"
          busy={busy}
          whyNot={isOnline ? (isRange ? null : t('keep.badRange')) : t('keep.offline')}
          onClick={() => void begin()}
        >
          {t('keep.begin')}
        </Button>
        {onCancel && <Button onClick={onCancel}>{t('keep.cancel')}</Button>}
      </div>
    </>
  )
}

/** Thousands, as the systems of tablets count. */
const sizeOf = (bytes: number) => (bytes < 999_500 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`)

/** How much it is, said before it is brought. */
function Size({ companyId, dateFrom, dateTo }: { companyId: number; dateFrom: string; dateTo: string }) {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [size, setSize] = useState<{ entries: number; bytes: number } | null>(null)
  useEffect(() => {
    let counts = true
    setSize(null)
    if (line !== 'online') return
    void dispatch(callEndpoint(trailRange, { query: { companyId, dateFrom, dateTo } }))
      .catch(() => null)
      .then((result) => counts && result?.kind === 'fresh' && setSize(result.output))
    return () => void (counts = false)
  }, [dispatch, companyId, dateFrom, dateTo, line])
  if (!size) return <p role="status">{t(line === 'online' ? 'proof.checking' : 'keep.sizeUnknown')}</p>
  const { entries, bytes } = size
  return <p role="status">{t('keep.size', { count: entries, number: number(entries), size: sizeOf(bytes) })}</p>
}
