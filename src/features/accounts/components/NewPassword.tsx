import type { Problem } from '#contract/problem.ts'
import { passwordLength } from '#domain/accounts/passwords.ts'
import { PasswordField } from '#ui/form/Field.tsx'
import { PasswordMeter } from '#ui/form/PasswordMeter.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import type { SmallFieldProps } from '#features/accounts/components/useSmallForm.ts'
import { isWeakPassword } from '#features/accounts/passwords.ts'

interface NewPasswordProps {
  password: SmallFieldProps
  confirm: SmallFieldProps
  /** Account details that others know. The meter treats them as easy to guess. */
  personalValues?: readonly string[]
  problem?: Problem | null
}

export function NewPassword({ password, confirm, personalValues = [], problem = null }: NewPasswordProps) {
  const { t } = useTranslation('visitors')
  return (
    <>
      <div className="account-password">
        <PasswordField
          {...password}
          error={password.error ?? (isWeakPassword(problem) ? formatProblem(problem) : null)}
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
