import { useEffect, useState } from 'react'
import type { Id } from '#contract/endpoint.ts'
import type { UserMove } from '#domain/users.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { readLastAdmin } from '#features/users/list/read-users.ts'
import { moveMany, type Plan, planOf, readChosen, type Verdict } from '#features/users/list/bulk-action.ts'
import { chosen } from '#features/users/list/row-selection.ts'

interface Props {
  what: UserMove
  ids: readonly Id[]
  /** Something was sent. */
  onDone: () => void
  onClose: () => void
}

/** Says before what will be done to whom and who is left out and why; afterwards what became of each (C-16). */
export function ManyDialog({ what, ids, onDone, onClose }: Props) {
  const { t } = useTranslation('people')
  const { user } = useSignedIn()
  const [plan, setPlan] = useState<Plan>()
  const [asked] = useState(ids)
  useEffect(() => {
    void Promise.all([readChosen(asked), user.admin ? null : readLastAdmin(user.company_id)]).then(([users, last]) =>
      setPlan(planOf(what, users, { self: user.id, last })),
    )
  }, [what, asked, user])
  const { verdicts, busy, run } = useRun(what, onDone)
  if (!plan) return null
  const count = plan.go.length
  const numbers = { count, number: number(count) }
  const close = () => void (busy || onClose())
  if (what === 'remove' && count > 0 && !verdicts)
    return (
      <TypedConfirmation
        open
        title={t('many.ask.remove', numbers)}
        value={String(count)}
        label={t('many.count')}
        action={t('many.do.remove', numbers)}
        busy={busy}
        problem={null}
        onConfirm={() => void run(plan)}
        onClose={close}
      >
        <Asked what={what} plan={plan} />
      </TypedConfirmation>
    )
  const act = busy ? (
    <Button busy>{t('many.doing', { done: number(verdicts?.length ?? 0), all: number(count) })}</Button>
  ) : (
    !verdicts &&
    count > 0 && (
      <Button kind="primary" onClick={() => void run(plan)}>
        {t(`many.do.${what}`, numbers)}
      </Button>
    )
  )
  const title = verdicts ? t('many.became') : count > 0 ? t(`many.ask.${what}`, numbers) : t('many.nobody')
  return (
    <Dialog open title={title} onClose={close} act={act} cancel={busy ? null : undefined} careful>
      <div className="form many">{verdicts ? <Became verdicts={verdicts} /> : <Asked what={what} plan={plan} />}</div>
    </Dialog>
  )
}

function useRun(what: UserMove, onDone: () => void) {
  const dispatch = useDispatch()
  const [verdicts, setVerdicts] = useState<Verdict[]>()
  const [busy, setBusy] = useState(false)
  async function run({ go }: Plan) {
    setBusy(true)
    setVerdicts([])
    const all = await dispatch(moveMany(what, go, (some) => setVerdicts([...some])))
    setBusy(false)
    // What was refused stays chosen, to be looked at.
    const settled = all.filter(({ result }) => result?.kind === 'fresh' || result?.kind === 'queued')
    dispatch(chosen({ ids: settled.map(({ user }) => user.id), on: false }))
    onDone()
  }
  return { verdicts, busy, run }
}

function Asked({ what, plan: { go, out } }: { what: UserMove; plan: Plan }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { line } = useConnection()
  return (
    <>
      {go.length > 0 && <p>{t(`many.means.${what}`)}</p>}
      {go.length > 0 && line !== 'online' && (
        <p className="many-line">
          <Icon name="waiting" />
          {t('many.offline')}
        </p>
      )}
      {go.length > 0 && (
        <ul className="many-list" aria-label={t('many.go')}>
          {go.map(({ id, name, email }) => (
            <li key={id}>
              {name} <span className="field-help">{email}</span>
            </li>
          ))}
        </ul>
      )}
      {out.length > 0 && (
        <>
          <h3>{t('many.out', { count: out.length, number: number(out.length) })}</h3>
          <ul className="many-list">
            {out.map(({ user: { id, name }, why }) => (
              <li key={id}>
                {name}{' '}
                <span className="field-help">{users(`reason.${why === 'USER_STATUS_INVALID' ? what : why}`)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const kinds = ['done', 'queued', 'failed'] as const
const icons = { done: 'check', queued: 'waiting', failed: 'alert' } as const

function kindOf({ result }: Verdict): (typeof kinds)[number] {
  if (result?.kind === 'queued') return 'queued'
  return result?.kind === 'fresh' ? 'done' : 'failed'
}

function Became({ verdicts }: { verdicts: readonly Verdict[] }) {
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
