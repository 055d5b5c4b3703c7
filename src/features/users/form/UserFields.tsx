import type { FieldErrors, UseFormRegister } from 'react-hook-form'
import type { UserRow } from '#contract/users.ts'
import { accessLevels, type Caller, isDeleteLevel } from '#domain/access.ts'
import { titles } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { Connectivity } from '#state/connection-slice.ts'
import { CheckField, SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field as TextField } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { useLastAdmin } from '#features/users/form/useLastAdmin.ts'
import { type Field, needsConnection, type Values, whyLocked } from '#features/users/form/user-form.ts'

interface Props {
  /** Null: a user is being made. */
  base: OverlaidRow<UserRow> | null
  self: boolean
  caller: Caller
  line: Connectivity
  register: UseFormRegister<Values>
  errors: FieldErrors<Values>
  onEmailChange: () => void
  onEmailBlur: () => void
}

const flags = ['admin', 'order', 'alert'] as const

export function UserFields({ base, self, caller, line, register, errors, onEmailChange, onEmailBlur }: Props) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const last = useLastAdmin()
  const action = base ? 'change' : 'create'
  const locked = (field: Field): string | null => {
    const why = base && whyLocked(field, base.row, { self })
    if (why) return t(`locked.${why}`)
    if (field === 'admin' && base && base.row.id === last) return users('reason.LAST_ADMIN')
    // What may not wait in the queue is not even offered while it would have to (contract: queues.unless).
    const probe = field === 'access_level' ? { access_level: 100 as const } : { [field]: true }
    return line !== 'online' && needsConnection(action, probe) ? t('form.needsConnection') : null
  }
  const titleOptions = titles.map((title) => ({ value: String(title), label: users(`titles.${title}`) }))
  const levelOptions = accessLevels.map((level) => ({ value: String(level), label: t(`levels.${level}`) }))

  return (
    <>
      <div className="user-name">
        <TextField
          label={t('form.name')}
          autoComplete="off"
          maxLength={100}
          locked={locked('name')}
          error={errors.name?.message}
          {...register('name')}
        />
        <SelectField label={t('form.title')} options={titleOptions} locked={locked('title')} {...register('title')} />
      </div>
      <TextField
        label={t('form.email')}
        type="email"
        autoComplete="off"
        maxLength={254}
        locked={locked('email')}
        error={errors.email?.message}
        help={base ? undefined : line === 'online' ? t('form.createHelp') : t('form.notChecked')}
        // In its place among the others: the first wrong field that is registered gets the focus.
        {...register('email', { onChange: onEmailChange, onBlur: onEmailBlur })}
      />
      <fieldset className="user-group">
        <legend>{t('form.flags')}</legend>
        {flags.map((flag) => (
          <CheckField
            key={flag}
            look="switch"
            label={users(`flag.${flag}`)}
            help={t(`flagHelp.${flag}`)}
            locked={locked(flag)}
            {...register(flag)}
          />
        ))}
      </fieldset>
      {isDeleteLevel(caller) && (
        <SelectField
          label={t('form.access_level')}
          help={t('form.access_levelHelp')}
          options={levelOptions}
          locked={locked('access_level')}
          {...register('access_level')}
        />
      )}
    </>
  )
}
