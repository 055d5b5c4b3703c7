import '#features/sessions/style.css'
import '#features/sessions/words.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { SessionRow } from '#contract/sessions.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { useFetch } from '#state/use-fetch.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { EndOthers } from '#features/sessions/components/EndOthers.tsx'
import { useDeviceName } from '#features/sessions/device-name.ts'
import { endOne, fetchSessions, pageOpened, selectSessions } from '#features/sessions/slice.ts'

export function SessionList() {
  const { t } = useTranslation('sessions')
  const dispatch = useDispatch()
  const whyNot = useWhyNot()
  const { rows, read } = useRows()
  const { problem: unread, ending, endProblem: problem } = useSelector(selectSessions)
  const [asking, setAsking] = useState(false)
  const others = useRef<HTMLHeadingElement>(null)

  async function end({ id }: SessionRow) {
    const isEnded = endOne.fulfilled.match(await dispatch(endOne(id)))
    if (isEnded) showToast({ kind: 'done', text: t('ended') })
    await read()
    // The button went with its row.
    if (isEnded) others.current?.focus()
  }

  const more = rows?.some(({ current }) => !current) ?? false
  return (
    <section className="card sessions" aria-labelledby="sessions-list">
      <h2 id="sessions-list" tabIndex={-1} ref={others} className="sr-only">
        {t('admin.title')}
      </h2>
      <ProblemNote problem={problem} title={t('failed')} focus />
      <ProblemNote problem={unread} title={t('unread')} onRetry={() => void read()} />
      {!rows && !unread && <Skeleton />}
      {rows && (
        <ul>
          {rows.map((row) => (
            <Session key={row.id} row={row} busy={ending === row.id} whyNot={whyNot} onEnd={() => void end(row)} />
          ))}
        </ul>
      )}
      {rows && !more && <p className="field-help">{t('only')}</p>}
      {more && (
        <div className="sessions-all">
          <Button kind="danger" aria-haspopup="dialog" whyNot={whyNot} onClick={() => setAsking(true)}>
            {t('endOthers')}
          </Button>
        </div>
      )}
      {asking && <EndOthers onClose={() => setAsking(false)} onEnded={() => void read()} />}
    </section>
  )
}

function Session({
  row,
  busy,
  whyNot,
  onEnd,
}: {
  row: SessionRow
  busy: boolean
  whyNot: string | null
  onEnd: () => void
}) {
  const { t } = useTranslation('sessions')
  const device = useDeviceName()(row)
  return (
    <li>
      <Icon name={row.form === 'mobile' || row.form === 'tablet' ? 'device' : 'system'} />
      <div>
        <p className="session-name">
          <span>{device}</span> {row.current && <Tag tone="positive">{t('current')}</Tag>}
        </p>
        <p className="field-help session-facts">
          {!row.current && <span>{t('used', { time: row.last_time })}</span>}
          <span>{t('begun', { time: row.create_time })}</span>
          <span>{t('from', { network: row.network })}</span>
        </p>
      </div>
      {!row.current && (
        <Button busy={busy} whyNot={whyNot} onClick={onEnd}>
          {t('end')} <span className="sr-only">{t('endOne', { device })}</span>
        </Button>
      )}
    </li>
  )
}

/** Read when the page opens, and again when the line comes back. */
function useRows() {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [rows, setRows] = useState<SessionRow[] | null>(null)
  const read = useCallback(async () => {
    const action = await dispatch(fetchSessions())
    if (fetchSessions.fulfilled.match(action) && action.payload) setRows(action.payload)
  }, [dispatch])
  useEffect(() => void dispatch(pageOpened()), [dispatch])
  useFetch(
    useCallback(() => void read(), [read]),
    line !== 'online',
  )
  return { rows, read }
}

/** Null: sessions can be ended now. */
function useWhyNot(): string | null {
  const { t } = useTranslation('profile')
  const { line } = useConnection()
  return line === 'online' ? null : t('sessions.offline')
}
