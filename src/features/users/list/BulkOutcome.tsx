import { useState } from 'react'
import { useConnection, useDispatch } from '#state/hooks.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { number } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import type { Chosen, Verdict } from '#features/users/list/bulk-action.ts'
import { chosen } from '#features/users/list/row-selection.ts'

/** Sends what is to be done to many, and tells how far it is; undefined: not sent yet. */
export function useRun(onDone: () => void) {
  const dispatch = useDispatch()
  const [verdicts, setVerdicts] = useState<Verdict[]>()
  const [busy, setBusy] = useState(false)
  async function run(send: (told: (some: Verdict[]) => void) => AppThunk<Verdict[]>) {
    setBusy(true)
    setVerdicts([])
    const all = await dispatch(send((some) => setVerdicts([...some])))
    setBusy(false)
    // What was refused stays chosen, to be looked at.
    const settled = all.filter(({ result }) => result?.kind === 'fresh' || result?.kind === 'queued')
    dispatch(chosen({ ids: settled.map(({ user }) => user.id), on: false }))
    onDone()
  }
  return { verdicts, busy, run }
}

export function OfflineLine() {
  const { t } = useTranslation('people')
  const { line } = useConnection()
  if (line === 'online') return null
  return (
    <p className="many-line">
      <Icon name="waiting" />
      {t('many.offline')}
    </p>
  )
}

type Why = 'activatemail' | 'disable' | 'enable' | 'remove' | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | 'deleted' | 'same'

/** Whom it is not for, and why. */
export function LeftOut({ out }: { out: readonly { user: Chosen; why: Why }[] }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  if (out.length === 0) return null
  return (
    <>
      <h3>{t('many.out', { count: out.length, number: number(out.length) })}</h3>
      <ul className="many-list">
        {out.map(({ user: { id, name }, why }) => (
          <li key={id}>
            {name} <span className="field-help">{why === 'same' ? t('many.roles.same') : users(`reason.${why}`)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const kinds = ['done', 'queued', 'failed'] as const
const icons = { done: 'check', queued: 'waiting', failed: 'alert' } as const

function kindOf({ result }: Verdict): (typeof kinds)[number] {
  if (result?.kind === 'queued') return 'queued'
  return result?.kind === 'fresh' ? 'done' : 'failed'
}

/** What became of each. */
export function Became({ verdicts }: { verdicts: readonly Verdict[] }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const counts = kinds.flatMap((kind) => {
    const count = verdicts.filter((verdict) => kindOf(verdict) === kind).length
    return count === 0 ? [] : [t(`many.sum.${kind}`, { number: number(count) })]
  })
  const words = (verdict: Verdict) => {
    const { result } = verdict
    if (result?.kind === 'problem') return problemWords(result.problem)
    if (result?.kind === 'queued' && result.held) return queuedWords(result)
    return result === null
      ? users('reason.moving')
      : t(`many.verdict.${kindOf(verdict) === 'queued' ? 'queued' : 'done'}`)
  }
  return (
    <>
      <p role="status">{counts.join(' · ')}</p>
      <ul className="many-list">
        {verdicts.map((verdict) => (
          <li key={verdict.user.id} className={kindOf(verdict)}>
            <Icon name={icons[kindOf(verdict)]} size={16} />
            <span>
              {verdict.user.name} <span className="field-help">{words(verdict)}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
