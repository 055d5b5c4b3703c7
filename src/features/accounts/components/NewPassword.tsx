import { passwordLength } from '#domain/accounts/passwords.ts'
import { type LabelledFieldProps, PasswordField } from '#ui/form/Field.tsx'
import { PasswordMeter } from '#ui/form/PasswordMeter.tsx'
import { useTranslation } from 'react-i18next'

interface PasswordFieldProps extends LabelledFieldProps {
  name: string
  value: string
  onChange: (event: { target: { value: string } }) => void
}

/** A new password, typed twice, with an estimate of how hard it is to guess. `own`: what others know of the account. */
export function NewPassword({
  password,
  confirm,
  personalValues,
}: {
  password: PasswordFieldProps
  confirm: PasswordFieldProps
  personalValues: readonly string[]
}) {
  const { t } = useTranslation('visitors')
  return (
    <>
      <div className="account-password">
        <PasswordField
          {...password}
          help={t('password.help', passwordLength)}
          autoComplete="new-password"
          enterKeyHint="next"
        />
        <PasswordMeter password={password.value} guessableTexts={personalValues} />
      </div>
      <PasswordField {...confirm} autoComplete="new-password" enterKeyHint="go" />
    </>
  )
}
