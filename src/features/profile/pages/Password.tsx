import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { passwordLength } from '#domain/accounts/passwords.ts'
import { AccountPage } from '#patterns/AccountPage.tsx'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { PasswordField } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { PasswordMeter } from '#ui/form/PasswordMeter.tsx'
import { useTranslation } from 'react-i18next'
import { usePasswordForm } from '#features/profile/pages/usePasswordForm.ts'

/** Changes the user's password: asks for the original one first, then for the new one twice (portal 5). */
export function Password() {
  const { t } = useTranslation('profile')
  const { networkState } = useConnection()
  const { user } = useSignedInSession()
  const { values, getFieldProps, formProps } = usePasswordForm()
  return (
    <AccountPage tab="password" intro={t('password.lead')}>
      <PageForm {...formProps} disabledReason={networkState === 'online' ? null : t('password.offline')}>
        {/* Password managers store the password under this user name. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label={t('password.original')}
          autoComplete="current-password"
          enterKeyHint="next"
          {...getFieldProps('original')}
        />
        <div className="field-group password-new">
          <PasswordField
            label={t('password.newPassword')}
            autoComplete="new-password"
            enterKeyHint="next"
            help={t('password.newPasswordHelp', passwordLength)}
            {...getFieldProps('newPassword')}
          />
          <PasswordMeter
            password={values.newPassword}
            guessableTexts={[user.name, user.email, user.company_code, user.company_name]}
          />
        </div>
        <PasswordField
          label={t('password.confirm')}
          autoComplete="new-password"
          enterKeyHint="go"
          {...getFieldProps('confirm')}
        />
      </PageForm>
    </AccountPage>
  )
}
