import { useEffect, useState } from 'react'
import type { Id } from '#contract/endpoint.ts'
import type { UserMove } from '#domain/accounts/users.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { readLastAdmin } from '#features/users/read-users.ts'
import { moveMany, type Plan, planOf, readChosen } from '#features/users/list/bulk-action.ts'
import { Became, LeftOut, OfflineLine, useRun } from '#features/users/list/BulkOutcome.tsx'

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
  const { verdicts, busy, run } = useRun(onDone)
  const send = ({ go }: Plan) => run((told) => moveMany(what, go, told))
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
        onConfirm={() => void send(plan)}
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
      <Button kind="primary" onClick={() => void send(plan)}>
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

function Asked({ what, plan: { go, out } }: { what: UserMove; plan: Plan }) {
  const { t } = useTranslation('people')
  return (
    <>
      {go.length > 0 && <p>{t(`many.means.${what}`)}</p>}
      {go.length > 0 && <OfflineLine />}
      {go.length > 0 && (
        <ul className="many-list" aria-label={t('many.go')}>
          {go.map(({ id, name, email }) => (
            <li key={id}>
              {name} <span className="field-help">{email}</span>
            </li>
          ))}
        </ul>
      )}
      <LeftOut out={out.map(({ user, why }) => ({ user, why: why === 'USER_STATUS_INVALID' ? what : why }))} />
    </>
  )
}
