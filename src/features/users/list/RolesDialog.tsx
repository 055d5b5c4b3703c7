import { useEffect, useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { BulkOutcome, ExcludedUsers, OfflineNote, useBulkRun } from '#features/users/list/BulkOutcome.tsx'
import {
  changeRoles,
  type RoleFlag,
  roleFlags,
  planRoleChanges,
  readUserRows,
  type RoleChanges,
} from '#features/users/list/bulk-roles.ts'
import { readLastAdmin } from '#features/users/read-users.ts'

interface RolesDialogProps {
  ids: readonly RowRef[]
  /** Something was sent. */
  onDone: () => void
  onClose: () => void
}

interface RolesDialogState {
  users: OverlaidRow<UserRow>[]
  lastAdminId: RowRef | null
}

/** What becomes of each flag of many users; says who is left out and why before, and what became of each afterwards (C-16). */
export function RolesDialog({ ids, onDone, onClose }: RolesDialogProps) {
  const { t } = useTranslation('people')
  const { user } = useSignedInSession()
  const [initialIds] = useState(ids)
  const [dialogState, setDialogState] = useState<RolesDialogState>()
  useEffect(() => {
    void Promise.all([readUserRows(initialIds), user.admin ? null : readLastAdmin(user.company_id)]).then(
      ([users, lastAdminId]) => setDialogState({ users, lastAdminId }),
    )
  }, [initialIds, user])
  const [roles, setRoles] = useState<RoleChanges>({})
  const { results, isBusy, run } = useBulkRun(onDone)
  if (!dialogState) return null
  const hasChoice = Object.keys(roles).length > 0
  const plan = planRoleChanges(dialogState.users, roles, { selfId: user.id, lastAdminId: dialogState.lastAdminId })
  const count = plan.plannedChanges.length
  const close = () => void (isBusy || onClose())
  const applyButton = isBusy ? (
    <Button isBusy>{t('many.doing', { done: formatNumber(results?.length ?? 0), all: formatNumber(count) })}</Button>
  ) : (
    !results && (
      <Button
        kind="primary"
        disabledReason={!hasChoice ? t('many.roles.none') : count === 0 ? t('many.nobody') : null}
        onClick={() => void run((onProgress) => changeRoles(plan, onProgress))}
      >
        {hasChoice && count > 0 ? t('many.do.roles', { count, number: formatNumber(count) }) : t('many.roles.apply')}
      </Button>
    )
  )
  const userCount = dialogState.users.length
  const title = results ? t('many.became') : t('many.ask.roles', { count: userCount, number: formatNumber(userCount) })
  return (
    <Dialog open title={title} onClose={close} action={applyButton} cancel={isBusy ? null : undefined}>
      <div className="form many">
        {results ? (
          <BulkOutcome results={results} />
        ) : (
          <>
            <RoleChoices roles={roles} onChange={setRoles} />
            {hasChoice && count > 0 && <OfflineNote />}
            <div role="status">{hasChoice && <ExcludedUsers excludedUsers={plan.excludedUsers} />}</div>
          </>
        )}
      </div>
    </Dialog>
  )
}

const roleChoices = ['leave', 'give', 'take'] as const
const flagByChoice = { leave: undefined, give: true, take: false }

function RoleChoices({ roles, onChange }: { roles: RoleChanges; onChange: (roles: RoleChanges) => void }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const isOnline = useConnection().networkState === 'online'
  const chooseRole = (flag: RoleFlag, choice: (typeof roleChoices)[number]) => {
    const { [flag]: _, ...otherRoles } = roles
    const isSet = flagByChoice[choice]
    onChange(isSet === undefined ? otherRoles : { ...otherRoles, [flag]: isSet })
  }
  return roleFlags.map((flag) => (
    <RadioField
      key={flag}
      label={tUsers(`flag.${flag}`)}
      help={t(`flagHelp.${flag}`)}
      name={flag}
      // Whether one is an admin is never left waiting in a queue (the contract's `unless`).
      lockReason={flag === 'admin' && !isOnline ? t('form.needsConnection') : null}
      options={roleChoices.map((value) => ({ value, label: t(`many.roles.${value}`) }))}
      selectedValue={roleChoices.find((choice) => flagByChoice[choice] === roles[flag]) ?? 'leave'}
      onChange={({ target }) => chooseRole(flag, roleChoices.find((choice) => choice === target.value) ?? 'leave')}
    />
  ))
}
