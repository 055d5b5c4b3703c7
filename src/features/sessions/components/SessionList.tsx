import '#features/sessions/style.css'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { SessionRow } from '#contract/sessions.ts'
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/Button.tsx'
import { Icon } from '#ui/Icon.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { Tag } from '#ui/Tag.tsx'
import { addTexts } from '#ui/texts.ts'
import { showToast } from '#ui/toasts.tsx'
import { useWords } from '#ui/words.ts'
import { EndOthers } from '#features/sessions/components/EndOthers.tsx'
import { endOne, readSessions } from '#features/sessions/asking.ts'

// They travel with this code and not with the page's: no device keeps either.
addTexts('en', 'sessions', en)
addTexts('zh', 'sessions', zh)

export function SessionList() {
  const t = useWords('sessions')
  const dispatch = useDispatch()
  const whyNot = useWhyNot()
  const { rows, unread, read } = useRows()
  const [ending, setEnding] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [asking, setAsking] = useState(false)
  const others = useRef<HTMLHeadingElement>(null)

  async function end({ id }: SessionRow) {
    setEnding(id)
    const result = await dispatch(endOne(id))
    const wrong = result.kind === 'problem' ? result.problem : null
    // Ended already, from elsewhere: that is what was wanted.
    const failed = wrong && wrong.code !== 'NOT_FOUND' ? wrong : null
    setProblem(failed)
    if (!failed) showToast({ kind: 'done', text: t('ended') })
    await read()
    setEnding(null)
    // The button went with its row.
    if (!failed) others.current?.focus()
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
  const t = useWords('sessions')
  const { browser, system } = row
  const device = browser && system ? t('on', { browser, system }) : (browser ?? system ?? t('unknown'))
  const time = (at: string) => at.slice(0, 16)
  return (
    <li>
      <Icon name={row.form === 'mobile' || row.form === 'tablet' ? 'device' : 'system'} />
      <div>
        <p className="session-name">
          <span>{device}</span> {row.current && <Tag tone="positive">{t('current')}</Tag>}
        </p>
        <p className="field-help session-facts">
          {!row.current && <span>{t('used', { time: time(row.last_time) })}</span>}
          <span>{t('begun', { time: time(row.create_time) })}</span>
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
  const [unread, setUnread] = useState<Problem | null>(null)
  const read = useCallback(async () => {
    const result = await dispatch(readSessions())
    setUnread(result.kind === 'problem' ? result.problem : null)
    if (result.kind === 'fresh') setRows(result.output)
  }, [dispatch])
  useEffect(() => {
    if (line === 'online') void read()
  }, [line, read])
  return { rows, unread, read }
}

/** Null: sessions can be ended now. */
function useWhyNot(): string | null {
  const t = useWords('profile')
  const { line } = useConnection()
  return line === 'online' ? null : t('sessions.offline')
}
