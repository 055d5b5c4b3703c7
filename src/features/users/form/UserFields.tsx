import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import type { UserRow } from '#contract/users.ts'
import { accessLevels, type Caller, isDeleteLevel } from '#domain/access.ts'
import { titles } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { NetworkState } from '#state/connection-slice.ts'
import { CheckField, SelectField } from '#ui/form/choice-fields.tsx'
import { Field as TextField } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { useLastAdmin } from '#features/users/form/useLastAdmin.ts'
import { type UserField, needsConnection, type UserFormValues, getLockReason } from '#features/users/form/user-form.ts'

interface UserFieldsProps {
  /** Null: a user is being made. */
  base: OverlaidRow<UserRow> | null
  isSelf: boolean
  caller: Caller
  connection: NetworkState
  register: UseFormRegister<UserFormValues>
  errors: FieldErrors<UserFormValues>
  onEmailChange: () => void
  onEmailBlur: () => void
}

const flags = ['admin', 'order', 'alert'] as const

export function UserFields({
  base,
  isSelf,
  caller,
  connection,
  register,
  errors,
  onEmailChange,
  onEmailBlur,
}: UserFieldsProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const lastAdminId = useLastAdmin()
  const action = base ? 'change' : 'create'
  const getLockText = (field: UserField): string | null => {
    const lockReason = base && getLockReason(field, base.row, { isSelf })
    if (lockReason) return t(`locked.${lockReason}`)
    if (field === 'admin' && base && base.row.id === lastAdminId) return tUsers('reason.LAST_ADMIN')
    // What may not wait in the queue is not even offered while it would have to (contract: queues.unless).
    const changedField = field === 'access_level' ? { access_level: 100 as const } : { [field]: true }
    return connection !== 'online' && needsConnection(action, changedField) ? t('form.needsConnection') : null
  }
  const titleOptions = titles.map((title) => ({ value: String(title), label: tUsers(`titles.${title}`) }))
  const levelOptions = accessLevels.map((level) => ({ value: String(level), label: t(`levels.${level}`) }))

  return (
    <>
      <div className="user-name">
        <TextField
          label={t('form.name')}
          autoComplete="off"
          maxLength={100}
          lockReason={getLockText('name')}
          error={errors.name?.message}
          {...register('name')}
        />
        <SelectField
          label={t('form.title')}
          options={titleOptions}
          lockReason={getLockText('title')}
          {...register('title')}
        />
      </div>
      <TextField
        label={t('form.email')}
        type="email"
        autoComplete="off"
        maxLength={254}
        lockReason={getLockText('email')}
        error={errors.email?.message}
        help={base ? undefined : connection === 'online' ? t('form.createHelp') : t('form.notChecked')}
        // In its place among the others: the first wrong field that is registered gets the focus.
        {...register('email', { onChange: onEmailChange, onBlur: onEmailBlur })}
      />
      <fieldset className="user-group">
        <legend>{t('form.flags')}</legend>
        {flags.map((flag) => (
          <CheckField
            key={flag}
            variant="switch"
            label={tUsers(`flag.${flag}`)}
            help={t(`flagHelp.${flag}`)}
            lockReason={getLockText(flag)}
            {...register(flag)}
          />
        ))}
      </fieldset>
      {isDeleteLevel(caller) && (
        <SelectField
          label={t('form.access_level')}
          help={t('form.access_levelHelp')}
          options={levelOptions}
          lockReason={getLockText('access_level')}
          {...register('access_level')}
        />
      )}
    </>
  )
}
