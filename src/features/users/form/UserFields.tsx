import type { UserRow } from '#contract/users.ts'
import { accessLevels, isDeleteLevel } from '#domain/access.ts'
import { titles, userFlags } from '#domain/accounts/users.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { CheckField, SelectField } from '#ui/form/choice-fields.tsx'
import { Field as TextField } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { useLastAdmin } from '#features/users/form/useLastAdmin.ts'
import { type UserField, needsConnection, getLockReason } from '#features/users/form/user-form.ts'
import type { useUserForm } from '#features/users/form/useUserForm.ts'

export function UserFields({ form }: { form: ReturnType<typeof useUserForm> }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { user, caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const lastAdminId = useLastAdmin()
  const row = form.row?.row ?? null
  const getLockText = (field: UserField): string | null => {
    const lockReason = row && getLockReason(field, row, { isSelf: row.id === user.id })
    if (lockReason) return t(`locked.${lockReason}`)
    const actingLock = row && form.getActingLock(field)
    if (actingLock !== null) return actingLock
    if (field === 'admin' && row && row.id === lastAdminId) return tUsers('reason.LAST_ADMIN')
    // A change that must not be queued cannot be made offline (`mustNotQueue` of the contract).
    const changedField = field === 'access_level' ? { access_level: 100 as const } : { [field]: true }
    return !isOnline && needsConnection(row ? 'change' : 'create', changedField) ? t('form.needsConnection') : null
  }
  // The rules lock name, title and e-mail together, except the e-mail of a user who is not activated.
  const nameLockText = getLockText('name')
  const titleOptions = titles.map((title) => ({ value: String(title), label: tUsers(`titles.${title}`) }))
  const levelOptions = accessLevels.map((level) => ({ value: String(level), label: t(`levels.${level}`) }))

  return (
    <>
      {row && nameLockText !== null ? (
        <UserFacts row={row} fields={form.fields} lockText={nameLockText} />
      ) : (
        <>
          <div className="user-name">
            <TextField label={t('form.name')} autoComplete="off" maxLength={100} {...form.getFieldProps('name')} />
            <SelectField label={t('form.title')} options={titleOptions} {...form.getFieldProps('title')} />
          </div>
          <TextField
            label={t('form.email')}
            type="email"
            autoComplete="off"
            maxLength={254}
            lockReason={getLockText('email')}
            help={row ? undefined : t(isOnline ? 'form.createHelp' : 'form.notChecked')}
            {...form.getFieldProps('email')}
            onBlur={(event) => void form.checkEmail(event)}
          />
        </>
      )}
      <fieldset className="user-group">
        <legend>{t('form.flags')}</legend>
        {userFlags.map((flag) => (
          <CheckField
            key={flag}
            variant="switch"
            label={tUsers(`flag.${flag}`)}
            help={t(`flagHelp.${flag}`)}
            lockReason={getLockText(flag)}
            {...form.getCheckProps(flag)}
          />
        ))}
      </fieldset>
      {isDeleteLevel(caller) && (
        <SelectField
          label={t('form.access_level')}
          help={t('form.access_levelHelp')}
          options={levelOptions}
          lockReason={getLockText('access_level')}
          {...form.getFieldProps('access_level')}
        />
      )}
    </>
  )
}

interface UserFactsProps {
  row: UserRow
  /** Values of the form. They differ from the row if the fields were locked after somebody had typed into them. */
  fields: Pick<UserRow, 'name' | 'title'>
  lockText: string
}

/** Name, e-mail and title of a user for whom the form can change none of them, with the reason once. */
function UserFacts({ row, fields, lockText }: UserFactsProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const formatUnsaved = (value: string) => <p className="field-help">{t('form.unsaved', { value })}</p>
  return (
    <div className="user-facts">
      <DescriptionList>
        <DescriptionItem label={t('form.name')}>
          {row.name}
          {fields.name !== row.name && formatUnsaved(fields.name)}
        </DescriptionItem>
        <DescriptionItem label={t('form.email')}>{row.email}</DescriptionItem>
        <DescriptionItem label={t('form.title')}>
          {tUsers(`titles.${row.title}`)}
          {fields.title !== row.title && formatUnsaved(tUsers(`titles.${fields.title}`))}
        </DescriptionItem>
      </DescriptionList>
      <p className="field-help">{lockText}</p>
    </div>
  )
}
