import { useState } from 'react'
import { userFlags } from '#domain/accounts/users.ts'
import { useConnection } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { BulkDialog, OfflineNote } from '#features/users/list/BulkDialog.tsx'
import { changeRoles, planRoleChanges, planRolesUndo, type RoleChanges } from '#features/users/list/bulk-roles.ts'
import { ExcludedUsers } from '#features/users/list/ExcludedUsers.tsx'
import { type BulkRunOptions, useBulkRun } from '#features/users/list/useBulkRun.ts'

/** Sets or removes flags of the selected users. First lists the users that are excluded, with the reason (C-16). */
export function RolesDialog(options: BulkRunOptions) {
  const { t } = useTranslation('people')
  const bulkRun = useBulkRun(options)
  const { selection, run } = bulkRun
  const { onClose } = options
  const [roles, setRoles] = useState<RoleChanges>({})
  if (!selection) return null
  const hasChoice = Object.keys(roles).length > 0
  const plan = planRoleChanges(selection.users, roles, selection.context)
  const count = plan.plannedChanges.length
  const userCount = selection.users.length
  const applyButton = (
    <Button
      kind="primary"
      disabledReason={count === 0 && t(hasChoice ? 'many.nobody' : 'many.roles.none')}
      onClick={() =>
        void run((onProgress) => changeRoles(plan, onProgress), {
          formatDone: (numbers) => t(getDoneKey(roles), numbers),
          buildUndo: (results) => (onProgress) => changeRoles(planRolesUndo(plan, results), onProgress),
        })
      }
    >
      {count > 0 ? t('many.do.roles', { count, number: formatNumber(count) }) : t('many.roles.apply')}
    </Button>
  )
  return (
    <BulkDialog
      run={bulkRun}
      title={t('many.ask.roles', { count: userCount, number: formatNumber(userCount) })}
      count={count}
      action={applyButton}
      onClose={onClose}
    >
      <RoleChoices roles={roles} onChange={setRoles} />
      {count > 0 && <OfflineNote />}
      <div role="status">{hasChoice && <ExcludedUsers excludedUsers={plan.excludedUsers} />}</div>
    </BulkDialog>
  )
}

/** A single role has a text of its own. */
function getDoneKey(roles: RoleChanges) {
  const [flag, ...otherFlags] = userFlags.filter((userFlag) => roles[userFlag] !== undefined)
  return flag && otherFlags.length === 0
    ? (`many.became.${roles[flag] ? 'given' : 'taken'}.${flag}` as const)
    : 'many.became.roles'
}

const roleChoices = ['leave', 'give', 'take'] as const
const flagByChoice = { leave: undefined, give: true, take: false }

function RoleChoices({ roles, onChange }: { roles: RoleChanges; onChange: (roles: RoleChanges) => void }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const isOnline = useConnection().networkState === 'online'
  const chooseRole = (flag: keyof RoleChanges, choice: (typeof roleChoices)[number]) => {
    const { [flag]: _, ...otherRoles } = roles
    const isSet = flagByChoice[choice]
    onChange(isSet === undefined ? otherRoles : { ...otherRoles, [flag]: isSet })
  }
  return userFlags.map((flag) => (
    <RadioField
      key={flag}
      label={tUsers(`flag.${flag}`)}
      help={t(`flagHelp.${flag}`)}
      name={flag}
      // A change of the admin flag is never queued in the outbox (`mustNotQueue` of the contract).
      lockReason={flag === 'admin' && !isOnline ? t('form.needsConnection') : null}
      options={roleChoices.map((value) => ({ value, label: t(`many.roles.${value}`) }))}
      selectedValue={roleChoices.find((choice) => flagByChoice[choice] === roles[flag]) ?? 'leave'}
      onChange={({ target }) => chooseRole(flag, roleChoices.find((choice) => choice === target.value) ?? 'leave')}
    />
  ))
}
