import { useEffect, useState } from 'react'
import type { Id } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/ChoiceFields.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { Became, LeftOut, OfflineLine, useRun } from '#features/users/list/BulkOutcome.tsx'
import { changeRoles, type Flag, flags, planOfRoles, readRows, type Roles } from '#features/users/list/bulk-roles.ts'
import { readLastAdmin } from '#features/users/read-users.ts'

interface Props {
  ids: readonly Id[]
  /** Something was sent. */
  onDone: () => void
  onClose: () => void
}

interface Asked {
  users: OverlaidRow<UserRow>[]
  last: Id | null
}

/** What becomes of each flag of many users; says who is left out and why before, and what became of each afterwards (C-16). */
export function RolesDialog({ ids, onDone, onClose }: Props) {
  const { t } = useTranslation('people')
  const { user } = useSignedIn()
  const [first] = useState(ids)
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    void Promise.all([readRows(first), user.admin ? null : readLastAdmin(user.company_id)]).then(([users, last]) =>
      setAsked({ users, last }),
    )
  }, [first, user])
  const [roles, setRoles] = useState<Roles>({})
  const { verdicts, busy, run } = useRun(onDone)
  if (!asked) return null
  const isChosen = Object.keys(roles).length > 0
  const plan = planOfRoles(asked.users, roles, { self: user.id, last: asked.last })
  const count = plan.go.length
  const close = () => void (busy || onClose())
  const act = busy ? (
    <Button busy>{t('many.doing', { done: number(verdicts?.length ?? 0), all: number(count) })}</Button>
  ) : (
    !verdicts && (
      <Button
        kind="primary"
        whyNot={!isChosen ? t('many.roles.none') : count === 0 ? t('many.nobody') : null}
        onClick={() => void run((told) => changeRoles(plan, told))}
      >
        {isChosen && count > 0 ? t('many.do.roles', { count, number: number(count) }) : t('many.roles.apply')}
      </Button>
    )
  )
  const all = asked.users.length
  const title = verdicts ? t('many.became') : t('many.ask.roles', { count: all, number: number(all) })
  return (
    <Dialog open title={title} onClose={close} act={act} cancel={busy ? null : undefined}>
      <div className="form many">
        {verdicts ? (
          <Became verdicts={verdicts} />
        ) : (
          <>
            <Choices roles={roles} onChange={setRoles} />
            {isChosen && count > 0 && <OfflineLine />}
            <div role="status">{isChosen && <LeftOut out={plan.out} />}</div>
          </>
        )}
      </div>
    </Dialog>
  )
}

const choices = ['leave', 'give', 'take'] as const
const given = { leave: undefined, give: true, take: false }

function Choices({ roles, onChange }: { roles: Roles; onChange: (roles: Roles) => void }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const isOnline = useConnection().line === 'online'
  const choose = (flag: Flag, choice: (typeof choices)[number]) => {
    const { [flag]: _, ...others } = roles
    const on = given[choice]
    onChange(on === undefined ? others : { ...others, [flag]: on })
  }
  return flags.map((flag) => (
    <RadioField
      key={flag}
      label={users(`flag.${flag}`)}
      help={t(`flagHelp.${flag}`)}
      name={flag}
      // Whether one is an admin is never left waiting in a queue (the contract's `unless`).
      locked={flag === 'admin' && !isOnline ? t('form.needsConnection') : null}
      options={choices.map((value) => ({ value, label: t(`many.roles.${value}`) }))}
      chosen={choices.find((choice) => given[choice] === roles[flag]) ?? 'leave'}
      onChange={({ target }) => choose(flag, choices.find((choice) => choice === target.value) ?? 'leave')}
    />
  ))
}
